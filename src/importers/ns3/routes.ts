/**
 * routes.txt: next hops of a run's switches, one row `node dst port:peer port:peer ...` each, in the order of their hash.
 * The simulators do not write it; it comes from an added dump, as that order depends on heap addresses.
 * Rows of hosts are skipped: a host has one port, or takes its ports in turn. So are rows to hosts with several ports, for
 * which a graph accepts no routes.
 */
import { importFindings } from '../../core/findings/index.ts'
import { quote } from '../importer.ts'
import { neighboursOf, type Ns3Topology } from './topology.ts'
import { hostsOfSeveralPorts } from './ports.ts'
import { parseWhole, rowsOf, type ImportLog, type Row } from '../text-input.ts'

/** Routes of a graph topology, "54: 0-2,9 via 5,4": one line for all rows of a switch with the same ports. */
export function readRoutes(file: string, text: string, topology: Ns3Topology, log: ImportLog): string[] {
  const isSwitch = new Set(topology.switches)
  const isHost = new Set(topology.hosts)
  const neighbours = neighboursOf(topology)
  const several = new Set(hostsOfSeveralPorts(topology))
  let skipped = 0
  const groups = new Map<string, number[]>()
  for (const row of rowsOf(file, text)) {
    const route = readRow(row, log)
    if (route === undefined) continue
    if (!isSwitch.has(route.node) && !isHost.has(route.node)) {
      log.issue(row.tokens[0], 'node', `a node of the topology (0 to ${topology.nodeCount - 1})`, `${route.node}`)
      continue
    }
    if (!isHost.has(route.destination))
      log.issue(row.tokens[1], 'destination', 'a host of the topology', `${route.destination}`)
    const links = neighbours[route.node] ?? []
    // If NVLinks are left out, the ports of GPUs have other numbers than in the file, and NVSwitches have none.
    if (topology.nvlinksLeft > 0 && (isHost.has(route.node) || links.length === 0)) continue
    checkPorts(row, route, links, log)
    if (!isSwitch.has(route.node)) continue
    if (several.has(route.destination)) {
      skipped++
      continue
    }
    const key = `${route.node} ${route.ports.join(',')}`
    const group = groups.get(key)
    if (group === undefined) groups.set(key, [route.destination])
    else group.push(route.destination)
  }
  if (skipped > 0) log.note(importFindings.differs('routes-to-several-ports', { rows: skipped }, { file }))
  return [...groups].map(([key, destinations]) => {
    const [node = '', ports = ''] = key.split(' ')
    return `${node}: ${ranges(destinations)} via ${ports}`
  })
}

interface Route {
  readonly node: number
  readonly destination: number
  readonly ports: readonly number[]
  readonly peers: readonly number[]
}

function readRow(row: Row, log: ImportLog): Route | undefined {
  const [nodeToken, destinationToken, ...hops] = row.tokens
  const node = parseWhole(nodeToken?.text ?? '')
  const destination = parseWhole(destinationToken?.text ?? '')
  const pairs = hops.map((hop) => /^(\d{1,9}):(\d{1,9})$/.exec(hop.text))
  if (node === undefined || destination === undefined || pairs.length === 0 || pairs.includes(null)) {
    const received = row.tokens.map((token) => token.text).join(' ')
    log.issue(nodeToken, 'route', 'a row "node destination port:peer ..."', quote(received))
    return undefined
  }
  return {
    node,
    destination,
    ports: pairs.map((pair) => Number(pair?.[1])),
    peers: pairs.map((pair) => Number(pair?.[2])),
  }
}

function checkPorts(row: Row, route: Route, neighbours: readonly number[], log: ImportLog): void {
  for (const [i, port] of route.ports.entries()) {
    const peer = route.peers[i]
    const actual = neighbours[port - 1]
    if (actual === peer) continue
    const expected =
      actual === undefined
        ? `a port 1 to ${neighbours.length} of node ${route.node}`
        : `node ${actual} at port ${port} of node ${route.node}, as in the topology`
    log.issue(row.tokens[2 + i], 'route', expected, `${port}:${peer}`)
  }
}

/** "0-2,9": ascending, without repetitions. */
function ranges(numbers: readonly number[]): string {
  const runs: [number, number][] = []
  for (const number of [...new Set(numbers)].toSorted((a, b) => a - b)) {
    const last = runs.at(-1)
    if (last !== undefined && last[1] === number - 1) last[1] = number
    else runs.push([number, number])
  }
  return runs.map(([from, to]) => (from === to ? `${from}` : `${from}-${to}`)).join(',')
}
