/**
 * Faults that the scenario declares: each is absent in the run without it.
 */
import { linksThatMatch, selectHosts, selectNodes } from '../../../index.ts'
import type { Topology } from '../../../../core/topology/index.ts'
import type { Scenario } from '../../../scenario/index.ts'
import type { Suspect, SuspectKind } from '../suspect.ts'

type Fault = Scenario['faults'][number]

const KINDS: Readonly<Record<Exclude<Fault['kind'], 'none'>, SuspectKind>> = {
  bernoulli: 'lossy-link',
  'every-nth': 'lossy-link',
  'ip-id': 'lossy-link',
  'gilbert-elliott': 'lossy-link',
  corruption: 'lossy-link',
  'link-down': 'failed-uplink',
  'link-flap': 'failed-uplink',
  'switch-down': 'dead-switch',
  'server-down': 'dead-server',
  broadcast: 'broadcast',
  'pause-storm': 'pause-storm',
}

export function declaredFaults(scenario: Scenario, topology: Topology): Suspect[] {
  const groups = new Map<string, { kind: SuspectKind; rows: number[]; nodes: number[]; isLink: boolean }>()
  scenario.faults.forEach((fault, row) => {
    if (fault.kind === 'none') return
    const kind = KINDS[fault.kind]
    const { nodes, isLink } = nodesOf(fault, topology)
    const key = `${kind} ${nodes.join()}`
    const known = groups.get(key)
    if (known === undefined) groups.set(key, { kind, rows: [row], nodes, isLink })
    else known.rows.push(row)
  })
  return [...groups.values()].map(({ kind, rows, nodes, isLink }): Suspect => {
    const [first, second] = nodes
    const device = first === undefined ? {} : { device: topology.names[first]! }
    const port = isLink && second !== undefined ? { port: topology.names[second]! } : {}
    return {
      kind,
      subject: { ...device, ...port, path: `faults.${rows[0]!}` },
      others: isLink ? [] : nodes.slice(1).map((node) => topology.names[node]!),
      stage: 'odd',
      sides: new Set(['declared']),
      now: scenario.faults[rows[0]!]!.kind,
      usual: '',
      sets: () => rows.map((row) => `faults.${row}=none`),
      nodes,
      ...(isLink && second !== undefined && { peer: second }),
      weight: 2,
    }
  })
}

/** Nodes that a fault is at; of one link both ends, in the direction that is written, or the host first. */
function nodesOf(fault: Fault, topology: Topology): { nodes: number[]; isLink: boolean } {
  if ('hosts' in fault) {
    const hosts = selectHosts(fault.hosts, topology, '')
    return { nodes: hosts.map((host) => topology.endpoints[topology.hostPorts[host]![0]!]!), isLink: false }
  }
  if ('switches' in fault) return { nodes: selectNodes(fault.switches, topology, ''), isLink: false }
  if (!('links' in fault)) return { nodes: [], isLink: false }
  const links = linksThatMatch(fault.links, topology).map((link) => topology.links[link]!)
  const [only] = links
  if (links.length === 1 && only !== undefined) return { nodes: [only.a, only.b], isLink: true }
  // All links of one device are that device's.
  const shared =
    only === undefined ? [] : [only.a, only.b].filter((node) => links.every(({ a, b }) => [a, b].includes(node)))
  return { nodes: shared.slice(0, 1), isLink: false }
}
