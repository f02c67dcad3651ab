/**
 * Log: what probers have measured, whether they were simulated or real. Nothing here knows which.
 * Units: nanoseconds by the clock of the log.
 */

/** How a probe ended. unreachable: no connection, so that RDMA was not tried; unfinished: it had not ended with the log. */
export const OUTCOMES = [
  'ok',
  'retry-exceeded',
  'rnr-exceeded',
  'unreachable',
  'unfinished',
  'flushed',
  'error',
] as const
export type Outcome = (typeof OUTCOMES)[number]

export interface Probe {
  readonly timeNs: number
  readonly source: string
  readonly destination: string
  /** "tor", "podset", "fabric", or the words of a recorded log. */
  readonly scope: string
  /** UDP source port; -1: not known. */
  readonly sourcePort: number
  /** NaN unless the outcome is ok. */
  readonly rttNs: number
  readonly outcome: Outcome
  /** How old it was when it ended without success, or when the log did; NaN: not known. */
  readonly ageNs: number
}

export interface ProbeLog {
  /** In order of time. */
  readonly probes: readonly Probe[]
  /** The nearest first. */
  readonly scopes: readonly string[]
  /** All that probe or are probed, in natural order. */
  readonly hosts: readonly string[]
}

/** The scope in which hosts share a switch. */
export const NEAREST = 'tor'
const SCOPE_ORDER: readonly string[] = [NEAREST, 'podset', 'fabric', 'dc']

/** Sorts probes and lists what is in them. */
export function logOf(probes: readonly Probe[]): ProbeLog {
  const rank = (scope: string): number =>
    SCOPE_ORDER.includes(scope) ? SCOPE_ORDER.indexOf(scope) : SCOPE_ORDER.length
  const scopes = [...new Set(probes.map(({ scope }) => scope))]
  const hosts = new Set(probes.flatMap(({ source, destination }) => [source, destination]))
  return {
    probes: probes.toSorted((a, b) => a.timeNs - b.timeNs),
    scopes: scopes.sort((a, b) => rank(a) - rank(b) || byName(a, b)),
    hosts: [...hosts].sort(byName),
  }
}

/** "host 2" before "host 10", the same on every machine. */
export function byName(a: string, b: string): number {
  const [partsA, partsB] = [a, b].map((name) => name.split(/(\d+)/)) as [string[], string[]]
  for (let i = 0; i < Math.min(partsA.length, partsB.length); i++) {
    const [x, y] = [partsA[i]!, partsB[i]!]
    if (x === y) continue
    const difference = i % 2 === 1 ? Number(x) - Number(y) : 0
    return difference !== 0 ? difference : x < y ? -1 : 1
  }
  return partsA.length - partsB.length
}

/** An error of the prober itself, or one that follows another: it says nothing of the fabric. */
export function isCounted({ outcome }: Probe): boolean {
  return outcome !== 'flushed' && outcome !== 'error'
}

/** Groups that the pairs of these scopes join: racks by the nearest scope. Hosts without such pairs are alone. */
export function groupsOf({ probes, hosts }: ProbeLog, scopes: readonly string[]): ReadonlyMap<string, number> {
  const first = new Map(hosts.map((host) => [host, host]))
  const find = (host: string): string => {
    let at = host
    while (first.get(at) !== at) at = first.get(at)!
    first.set(host, at)
    return at
  }
  for (const { source, destination, scope } of probes)
    if (scopes.includes(scope)) first.set(find(destination), find(source))
  const numbers = new Map<string, number>()
  return new Map(
    hosts.map((host) => {
      const root = find(host)
      if (!numbers.has(root)) numbers.set(root, numbers.size)
      return [host, numbers.get(root)!]
    }),
  )
}
