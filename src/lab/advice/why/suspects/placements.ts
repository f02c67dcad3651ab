/**
 * Placements as suspects: jobs whose ranks are not packed into as few racks as they fit in, and workloads between named hosts
 * of several racks, one of which would hold them all.
 */
import { numbersOf, type Result, textsOf } from '../../../../core/results/index.ts'
import type { Topology } from '../../../../core/topology/index.ts'
import { portsByNode } from '../../../index.ts'
import type { Scenario } from '../../../scenario/index.ts'
import type { Suspect } from '../suspect.ts'

export function placements({ workload }: Scenario, topology: Topology, result: Result): Suspect[] {
  return workload.flatMap((one, row): Suspect[] => {
    if ('placement' in one && one.placement !== 'packed')
      return [suspectOf(one.tag, `workload.${row}.placement`, one.placement, 'packed')]
    if (one.kind !== 'closed-loop' || workload.some((other, at) => at !== row && other.tag === one.tag)) return []
    const racks = racksOf(topology)
    const hosts = hostsOf(one.tag, result)
    const moved = isJob(hosts) ? packed([...hosts.keys()], racks) : null
    if (moved === null) return []
    const to = new Map([...moved].map(([now, before]) => [before, now]))
    const ends = one.pairs.map((line) => line.split(' ').map((end) => to.get(Number(end))))
    // Ranges of hosts stay where they are.
    if (!ends.every((two) => two.length === 2 && !two.includes(undefined))) return []
    const pairs = ends.map((two) => two.join(' '))
    const used = new Set([...hosts.keys()].map((host) => racks[host]!))
    const path = `workload.${row}.pairs`
    const suspect = suspectOf(one.tag, path, `${used.size} racks`, 'one rack', JSON.stringify(pairs))
    return [{ ...suspect, moved: { tag: one.tag, hosts: moved } }]
  })
}

function suspectOf(workload: string, path: string, now: string, usual: string, value = usual): Suspect {
  return {
    kind: 'placement',
    subject: { workload, path },
    others: [],
    stage: 'limit',
    sides: new Set(['declared']),
    now,
    usual,
    sets: () => [`${path}=${value}`],
    nodes: [],
    weight: 1,
  }
}

/** By host: the switch of its first port. */
function racksOf(topology: Topology): number[] {
  const ports = portsByNode(topology)
  return topology.hostPorts.map(([first]) => ports[topology.endpoints[first!]!]![0]!.peer)
}

/** Its hosts, each with what it does: send, receive. */
function hostsOf(tag: string, { flows }: Result): Map<number, Set<string>> {
  const tags = textsOf(flows, 'tag')
  const hosts = new Map<number, Set<string>>()
  for (const column of ['source', 'destination'] as const)
    numbersOf(flows, column).forEach((host, row) => {
      if (tags[row] === tag) hosts.set(host, (hosts.get(host) ?? new Set()).add(column))
    })
  return hosts
}

/** Hosts that pass data around; clients and their servers are no job. */
const isJob = (hosts: ReadonlyMap<number, ReadonlySet<string>>): boolean =>
  hosts.size > 2 && [...hosts.values()].every(({ size }) => size === 2)

/** Hosts of the rack that has most of them, by each the host in place of which it is. Null: no rack would hold them. */
function packed(hosts: readonly number[], racks: readonly number[]): Map<number, number> | null {
  const inRack = new Map<number, number[]>()
  racks.forEach((rack, host) => inRack.set(rack, [...(inRack.get(rack) ?? []), host]))
  const staysIn = (rack: readonly number[]): number[] => rack.filter((host) => hosts.includes(host))
  const [rack] = [...inRack.values()]
    .filter(({ length }) => length >= hosts.length)
    .toSorted((a, b) => staysIn(b).length - staysIn(a).length)
  if (rack === undefined || staysIn(rack).length === hosts.length) return null
  const [stays, free] = [staysIn(rack), rack.filter((host) => !hosts.includes(host))]
  const far = hosts.filter((host) => !rack.includes(host)).toSorted((a, b) => a - b)
  return new Map([...stays.map((host) => [host, host] as const), ...far.map((host, i) => [free[i]!, host] as const)])
}
