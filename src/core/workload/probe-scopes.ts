/**
 * Scopes of probes: which hosts are near and far, by the tier of switches where their paths turn.
 * Hosts are laid out group by group, the groups of a tier inside those of the next, so that a scope of a host is an
 * interval without an inner one, and no list of pairs is needed.
 */
import type { ProbeScope } from './probe.ts'
import type { WorkloadContext } from './workload.ts'

/** The other hosts that a host can probe, scope by scope. */
export interface Peers {
  /** Some host has peers of this scope. */
  reaches(scope: ProbeScope): boolean
  count(host: number, scope: ProbeScope): number
  /** The peer of this number, from 0. */
  at(host: number, scope: ProbeScope, index: number): number
}

interface Interval {
  readonly from: number
  readonly to: number
}

/** tor: the same switch; fabric: over the highest tier; podset: what lies between, in fabrics of three tiers or more. */
export function peersOf({ hostCount, groups }: Pick<WorkloadContext, 'hostCount' | 'groups'>): Peers {
  const all = [Array.from({ length: hostCount }, (_, host) => host)]
  // Groups that a tier leaves as they were are no level of their own.
  const levels = [...groups, all].filter((level, i, list) => i === 0 || level.length < list[i - 1]!.length)
  const order = [...all[0]!]
  const numberAt = levels.map((level) => {
    const number = new Int32Array(hostCount)
    level.forEach((hosts, group) => hosts.forEach((host) => (number[host] = group)))
    return number
  })
  order.sort((a, b) => {
    for (let l = levels.length - 1; l >= 0; l--) {
      const difference = numberAt[l]![a]! - numberAt[l]![b]!
      if (difference !== 0) return difference
    }
    return a - b
  })
  const intervalsAt = numberAt.map((number) => intervalsOf(order, number))
  const selves = new Map<number, Interval>(order.map((host, i) => [host, { from: i, to: i + 1 }]))
  const last = levels.length - 1
  const within = (level: number, host: number): Interval => intervalsAt[level]![numberAt[level]![host]!]!
  const bounds: Readonly<Record<ProbeScope, (host: number) => { outer: Interval; inner: Interval }>> = {
    tor: (host) => ({ outer: within(0, host), inner: selves.get(host)! }),
    podset: (host) => ({ outer: within(Math.max(0, last - 1), host), inner: within(0, host) }),
    fabric: (host) => ({ outer: within(last, host), inner: within(Math.max(0, last - 1), host) }),
  }
  const size = ({ from, to }: Interval): number => to - from
  const count = (host: number, scope: ProbeScope): number => {
    const { outer, inner } = bounds[scope](host)
    return size(outer) - size(inner)
  }
  return {
    reaches: (scope) => order.some((host) => count(host, scope) > 0),
    count,
    at(host, scope, index) {
      const { outer, inner } = bounds[scope](host)
      const position = outer.from + index
      return order[position < inner.from ? position : position + size(inner)]!
    },
  }
}

function intervalsOf(order: readonly number[], number: Int32Array): Interval[] {
  const intervals: { from: number; to: number }[] = []
  order.forEach((host, i) => {
    const known = intervals[number[host]!]
    if (known === undefined) intervals[number[host]!] = { from: i, to: i + 1 }
    else known.to = i + 1
  })
  return intervals
}
