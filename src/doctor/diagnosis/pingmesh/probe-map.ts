/** Probe map: who reaches whom, sources by row and destinations by column; hosts are pooled where they are many. */
import type { Analysis } from './analysis.ts'

/** Rows that a page has room for. */
export const MAP_ROWS_MAX = 48

/** Worst first. */
export const MAP_LEVELS = ['lost', 'slow', 'good', 'none'] as const
export type MapLevel = (typeof MAP_LEVELS)[number]

/** From this share of probes on a cell is lost, or slow. */
const LEVEL_SHARE = 0.1

export interface ProbeMap {
  /** A host for each row and column, or the first and the last of several. */
  readonly labels: readonly string[]
  /** By row, then by column. */
  readonly levels: readonly (readonly MapLevel[])[]
  /** Hosts of a row. */
  readonly hostsEach: number
}

export function probeMap({ hosts, pairs }: Pick<Analysis, 'hosts' | 'pairs'>): ProbeMap {
  const hostsEach = Math.ceil(hosts.length / MAP_ROWS_MAX)
  const size = Math.ceil(hosts.length / hostsEach)
  const rowOf = new Map(hosts.map((host, i) => [host, Math.floor(i / hostsEach)]))
  const sums = Array.from({ length: size * size }, () => ({ count: 0, lost: 0, slow: 0 }))
  for (const { source, destination, count, failed, slowShare } of pairs) {
    const sum = sums[rowOf.get(source)! * size + rowOf.get(destination)!]!
    sum.count += count
    sum.lost += failed
    sum.slow += count === 0 ? 0 : slowShare * count
  }
  const levelOf = ({ count, lost, slow }: (typeof sums)[number]): MapLevel => {
    if (count === 0) return 'none'
    return lost >= LEVEL_SHARE * count ? 'lost' : slow >= LEVEL_SHARE * count ? 'slow' : 'good'
  }
  const labels = Array.from({ length: size }, (_, row) => {
    const those = hosts.slice(row * hostsEach, (row + 1) * hostsEach)
    return those.length === 1 ? those[0]! : `${those[0]!} to ${those.at(-1)!}`
  })
  const levels = labels.map((_, row) => sums.slice(row * size, (row + 1) * size).map(levelOf))
  return { labels, levels, hostsEach }
}
