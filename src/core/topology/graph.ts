/**
 * Graph: any network, written node by node and link by link.
 * Nodes are 0 .. nodes-1; those not named as switches are hosts. A node's ports count from 1 in the order of `links`.
 * Text forms: link "A B RATE DELAY [loss=P]", name "NODE NAME", route "NODE: HOSTS via PORTS", where HOSTS are node ids and ranges ("3-5,9").
 * Issue paths count lines from 0 as the scenario does: "links.3".
 * Hosts are named by their place among the hosts, as everywhere (base/device-names.ts), switches by their node id; what people
 * call them stands behind it: "switch 13 (spine-s)".
 * A host has a port for each of its links; ports are named "host 3 port 1", "host 3 port 2" where it has several.
 * Tiers: a switch's distance from the nearest host in hops; 1 where no host can be reached.
 */
import { hostName, hostPortName, idName, isOwnName } from '../base/device-names.ts'
import { InputError, type Issue } from '../base/issue.ts'
import { count, list, text } from '../base/params.ts'
import { parsePropagation, parseQuantity } from '../base/units.ts'
import { defineTopology, type FixedRoute, type LinkSpec, type Topology } from './topology.ts'

export const graph = defineTopology({
  name: 'graph',
  help: 'any network: nodes, which of them are switches, links, and routes fixed by hand',
  params: {
    nodes: count({
      min: 1,
      max: 65536,
      help: 'number of nodes, with ids from 0; those that are no switches are hosts, and host 0 is the first of them',
    }),
    switches: list(count({ help: 'node id' }), { default: [], help: 'node ids of the switches' }),
    links: list(
      text({
        help: '"A B RATE DELAY [loss=P]", for example "0 54 40Gbps 2us loss=1e-4"; a delay may also be a length of cable, "40m"',
      }),
      {
        minItems: 1,
        help: 'links; their order gives the port numbers of each node, from 1',
      },
    ),
    names: list(text({ help: '"NODE NAME", for example "13 spine-a"' }), {
      default: [],
      help: 'what people call nodes, beside their numbers; texts that select nodes may say it',
    }),
    routes: list(text({ help: '"NODE: HOSTS via PORTS", for example "54: 3-53 via 4,5,6"' }), {
      default: [],
      help: 'candidate ports fixed by hand, in the order the hash uses; they replace the computed shortest paths. HOSTS are node ids',
    }),
  },
  build(values) {
    const issues: Issue[] = []
    const ownNames = readNames(values.names, values.nodes, issues)
    const switches = checkSwitches(values.switches, values.nodes, issues)
    const hosts: number[] = []
    for (let node = 0; node < values.nodes; node++) if (!switches.has(node)) hosts.push(node)
    const links: LinkSpec[] = []
    const portCounts = new Int32Array(values.nodes)
    values.links.forEach((line, index) => {
      const link = parseLink(line, `links.${index}`, values.nodes, issues)
      if (link === undefined) return
      links.push(link)
      portCounts[link.a]!++
      portCounts[link.b]!++
    })
    // An unreadable line may be the missing link or port; further checks would blame the wrong line.
    if (issues.length > 0) throw new InputError(issues)
    for (const host of hosts) {
      if (portCounts[host] === 0) {
        issues.push({
          path: 'links',
          expected: `a link at ${idName(host)}, a host`,
          received: 'none',
          hint: 'or name the node as a switch',
        })
      }
    }
    const fixedRoutes: FixedRoute[] = []
    const taken = new Map<number, number>()
    values.routes.forEach((line, index) => {
      const route = parseRoute(line, `routes.${index}`, portCounts, switches, issues)
      if (route === undefined) return
      const several = route.destinations.find((host) => portCounts[host]! > 1)
      if (several !== undefined) {
        const received = `${idName(several)} with ${portCounts[several]}`
        issues.push({ path: `routes.${index}`, expected: 'hosts with one port', received, hint: 'leave the route out' })
      }
      fixedRoutes.push(route)
      checkRepeats(route, index, values.nodes, taken, issues)
    })
    if (issues.length > 0) throw new InputError(issues)
    return assemble(values.nodes, hosts, links, fixedRoutes, ownNames)
  },
})

function readNames(lines: readonly string[], nodes: number, issues: Issue[]): Map<number, string> {
  const names = new Map<number, string>()
  lines.forEach((line, index) => {
    const path = `names.${index}`
    const [id = '', name = '', ...more] = line.trim().split(/\s+/)
    const node = parseWhole(id)
    const problem = (expected: string, received: string, hint = ''): unknown =>
      issues.push({ path, expected, received, hint })
    if (node === undefined || !isOwnName(name) || more.length > 0)
      problem('"NODE NAME", the name of letters, digits and . _ @ + -', `"${line}"`, 'such as "13 spine-a"')
    else if (node >= nodes) problem(`a node 0 to ${nodes - 1}`, id)
    else if (names.has(node)) problem('one name of each node', `${idName(node)} again`)
    else if ([...names.values()].includes(name)) problem('each name once', `${name} again`)
    else names.set(node, name)
  })
  return names
}

function checkSwitches(ids: readonly number[], nodes: number, issues: Issue[]): Set<number> {
  const switches = new Set<number>()
  ids.forEach((id, index) => {
    const path = `switches.${index}`
    if (id >= nodes) issues.push({ path, expected: `a node 0 to ${nodes - 1}`, received: `${id}`, hint: '' })
    if (switches.has(id)) issues.push({ path, expected: 'each switch once', received: `${id} again`, hint: '' })
    switches.add(id)
  })
  return switches
}

function parseLink(line: string, path: string, nodes: number, issues: Issue[]): LinkSpec | undefined {
  const problem = (expected: string, received: string, hint = ''): undefined => {
    issues.push({ path, expected, received, hint })
  }
  const words = line.trim().split(/\s+/)
  if (words.length < 4 || words.length > 5) return problem('"A B RATE DELAY [loss=P]"', `"${line}"`)
  const [first, second, rateText, delayText, lossText] = words as [string, string, string, string, string?]
  const known = issues.length
  const a = parseWhole(first)
  const b = parseWhole(second)
  for (const [node, word] of [
    [a, first],
    [b, second],
  ] as const) {
    if (node === undefined || node >= nodes) problem(`a node 0 to ${nodes - 1}`, `"${word}"`)
  }
  if (a !== undefined && a === b) problem('two different nodes', `${a} and ${b}`)
  const rateBps = parseQuantity('rate', rateText)
  if (rateBps === undefined || rateBps <= 0) problem('a rate above 0 such as 40Gbps', `"${rateText}"`)
  const delayPs = parsePropagation(delayText)
  if (delayPs === undefined) problem('a delay such as 2us, or a length of cable such as 40m', `"${delayText}"`)
  const lossRatio = lossText === undefined ? 0 : parseLoss(lossText)
  if (lossRatio === undefined) problem('loss=P with P from 0 to 1', `"${lossText}"`)
  if (issues.length > known || a === undefined || b === undefined) return undefined
  if (rateBps === undefined || delayPs === undefined || lossRatio === undefined) return undefined
  return { a, b, rateBps, delayPs, lossRatio }
}

function parseLoss(word: string): number | undefined {
  const digits = /^loss=(\d*\.?\d+(?:[eE][-+]?\d+)?)$/.exec(word)?.[1]
  const loss = Number(digits ?? NaN)
  return loss >= 0 && loss <= 1 ? loss : undefined
}

function parseRoute(
  line: string,
  path: string,
  portCounts: Int32Array,
  switches: ReadonlySet<number>,
  issues: Issue[],
): FixedRoute | undefined {
  const parts = /^\s*(\d+)\s*:\s*([\d\s,-]+?)\s+via\s+([\d\s,]+?)\s*$/.exec(line)
  if (parts === null) {
    issues.push({
      path,
      expected: '"NODE: HOSTS via PORTS", for example "54: 3-53 via 4,5,6"',
      received: `"${line}"`,
      hint: '',
    })
    return undefined
  }
  const [, nodeText = '', hostsText = '', portsText = ''] = parts
  const known = issues.length
  const nodes = portCounts.length
  const node = Number(nodeText)
  if (node >= nodes) issues.push({ path, expected: `a node 0 to ${nodes - 1}`, received: nodeText, hint: '' })
  const destinations: number[] = []
  for (const item of hostsText.split(',')) {
    const range = parseRange(item)
    if (range === undefined) {
      issues.push({
        path,
        expected: 'node ids of hosts and ranges such as 3-53',
        received: `"${item.trim()}"`,
        hint: '',
      })
      continue
    }
    const bad = firstNonHost(range, nodes, switches)
    if (bad !== undefined) {
      const received = bad >= nodes ? `${bad} of ${nodes} nodes` : `the switch ${bad}`
      issues.push({ path, expected: 'hosts as destinations', received, hint: '' })
      continue
    }
    for (let host = range[0]; host <= range[1]; host++) destinations.push(host)
  }
  const ports: number[] = []
  for (const item of portsText.split(',')) {
    const port = parseWhole(item.trim())
    const most = portCounts[node] ?? 0
    if (port === undefined || port < 1 || port > most) {
      const received = `"${item.trim()}"`
      issues.push({
        path,
        expected: `ports 1 to ${most} of node ${node}`,
        received,
        hint: 'ports count from 1 in the order of links',
      })
    } else if (ports.includes(port))
      issues.push({ path, expected: 'each port once', received: `${port} again`, hint: '' })
    else ports.push(port)
  }
  return issues.length > known ? undefined : { node, destinations, ports }
}

/** Two routes from one node to one host would leave it open which of them holds. */
function checkRepeats(
  route: FixedRoute,
  index: number,
  nodes: number,
  taken: Map<number, number>,
  issues: Issue[],
): void {
  for (const destination of route.destinations) {
    const key = route.node * nodes + destination
    const earlier = taken.get(key)
    taken.set(key, index)
    if (earlier === undefined) continue
    const expected = `one route from node ${route.node} to ${idName(destination)}`
    issues.push({ path: `routes.${index}`, expected, received: `a second one after routes.${earlier}`, hint: '' })
    return
  }
}

function firstNonHost(
  range: readonly [number, number],
  nodes: number,
  switches: ReadonlySet<number>,
): number | undefined {
  for (let node = range[0]; node <= range[1]; node++) if (node >= nodes || switches.has(node)) return node
  return undefined
}

/** "7" or "3-9", ascending. */
function parseRange(item: string): readonly [number, number] | undefined {
  const ends = item
    .trim()
    .split('-')
    .map((end) => parseWhole(end.trim()))
  const [from, to = from] = ends
  if (ends.length > 2 || from === undefined || to === undefined || ends.includes(undefined) || from > to)
    return undefined
  return [from, to]
}

function parseWhole(word: string): number | undefined {
  return /^\d{1,9}$/.test(word) ? Number(word) : undefined
}

/** The second port of a host, and those that follow, become nodes behind all others. */
function assemble(
  nodes: number,
  hosts: number[],
  written: LinkSpec[],
  fixedRoutes: FixedRoute[],
  given: ReadonlyMap<number, string>,
): Topology {
  const isHost = new Set(hosts)
  const endpoints = [...hosts]
  const hostPorts = new Map(hosts.map((host, position): [number, number[]] => [host, [position]]))
  const isPlugged = new Set<number>()
  const writtenAs = new Map<number, number>()
  const plug = (node: number): number => {
    if (!isHost.has(node) || !isPlugged.has(node)) {
      isPlugged.add(node)
      return node
    }
    const port = nodes + writtenAs.size
    writtenAs.set(port, node)
    hostPorts.get(node)!.push(endpoints.push(port) - 1)
    return port
  }
  const links = written.map((link): LinkSpec => ({ ...link, a: plug(link.a), b: plug(link.b) }))
  const nodeCount = nodes + writtenAs.size
  const tiers = tiersOf(nodeCount, endpoints, links)
  const names = Array.from({ length: nodeCount }, (_, node) => `switch ${node}`)
  const portsOfHosts = [...hostPorts.values()]
  portsOfHosts.forEach((ports, host) => {
    ports.forEach((position, port) => {
      names[endpoints[position]!] = ports.length === 1 ? hostName(host) : hostPortName(host, 'port', port + 1)
    })
  })
  const ownNames = new Map<number, string>()
  names.forEach((name, node) => {
    const own = given.get(writtenAs.get(node) ?? node)
    if (own === undefined) return
    ownNames.set(node, own)
    names[node] = `${name} (${own})`
  })
  const kinds = tiers.map((tier) => (tier === 0 ? 'host' : 'switch'))
  return { nodeCount, endpoints, hostPorts: portsOfHosts, tiers, kinds, names, links, fixedRoutes, writtenAs, ownNames }
}

function tiersOf(nodeCount: number, hosts: readonly number[], links: readonly LinkSpec[]): number[] {
  const neighbors: number[][] = Array.from({ length: nodeCount }, () => [])
  for (const { a, b } of links) {
    neighbors[a]!.push(b)
    neighbors[b]!.push(a)
  }
  const tiers = Array.from({ length: nodeCount }, () => -1)
  const order = [...hosts]
  for (const host of hosts) tiers[host] = 0
  for (let i = 0; i < order.length; i++) {
    const node = order[i]!
    for (const next of neighbors[node]!) {
      if (tiers[next] !== -1) continue
      tiers[next] = tiers[node]! + 1
      order.push(next)
    }
  }
  return tiers.map((tier) => (tier === -1 ? 1 : tier))
}
