/** Group: hosts of ranks, from numbers and ranges. */
import type { Issue } from '../../base/issue.ts'

/**
 * Host of each position.
 * @param lines numbers and ranges; none: all hosts
 * @param issues with lines, at "group.N"
 * @param each whether a host may have several positions
 */
export function groupOf(
  lines: readonly string[],
  hostCount: number,
  issues: Issue[],
  each: 'once' | 'repeated' = 'once',
): number[] {
  if (lines.length === 0) return Array.from({ length: hostCount }, (_, host) => host)
  const hosts: number[] = []
  const seen = new Set<number>()
  lines.forEach((line, index) => {
    const wrong = (expected: string): void => {
      issues.push({ path: `group.${index}`, expected, received: `"${line}"`, hint: '' })
    }
    const parts = /^\s*(\d{1,9})(?:\s*-\s*(\d{1,9}))?\s*$/.exec(line)
    const [from, to] = [Number(parts?.[1]), Number(parts?.[2] ?? parts?.[1])]
    if (parts === null || from >= hostCount || to >= hostCount)
      return wrong(`a host 0 to ${hostCount - 1}, or a range of them`)
    const step = from <= to ? 1 : -1
    for (let host = from; host !== to + step; host += step) {
      if (each === 'once' && seen.has(host)) return wrong(`hosts that are not in the group before, as ${host} is`)
      hosts.push(host)
      seen.add(host)
    }
  })
  return hosts
}
