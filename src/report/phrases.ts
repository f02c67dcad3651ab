/**
 * Phrases: facts of a run in the words that the summary and the report share.
 */
import type { PauseCircle } from '../results/index.ts'
import { exactCount, humanDuration } from '../base/format.ts'

type Counts = Readonly<Record<string, number>>

/** "buffer full 10, link loss 2". */
export function listOf(parts: Counts): string {
  return Object.entries(parts)
    .map(([name, count]) => `${name} ${exactCount(count)}`)
    .join(', ')
}

/** Sum over all parts. */
export function totalOf(parts: Counts): number {
  return Object.values(parts).reduce((sum, count) => sum + count, 0)
}

/** "12: buffer full 10, link loss 2", or "0". */
export function totalAndParts(parts: Counts): string {
  const total = totalOf(parts)
  return total === 0 ? '0' : `${exactCount(total)}: ${listOf(parts)}`
}

/** "host 17.6 ms, tier 1 3.37 ms": paused time by tier of the paused device, ps; "" where nothing was paused. */
export function pausedTimeText(pausedPs: Counts): string {
  return Object.entries(pausedPs)
    .map(([tier, ps]) => `${tier} ${humanDuration(ps)}`)
    .join(', ')
}

/** "a > b > a: each waits for the next, class 3, since 1.20 ms; holds up 4 hosts, 12 queue pairs". */
export function pauseCircleText({ nodes, trafficClass, sincePs, hosts, pairs }: PauseCircle): string {
  const held =
    hosts === undefined || pairs === undefined
      ? ''
      : `; holds up ${exactCount(hosts)} hosts, ${exactCount(pairs)} queue pairs`
  const circle = [...nodes, nodes[0]].join(' > ')
  return `${circle}: each waits for the next, class ${trafficClass}, since ${humanDuration(sincePs)}${held}`
}

/** "1 flow", "1,200 flows". */
export function counted(count: number, word: string): string {
  return `${exactCount(count)} ${word}${count === 1 ? '' : 's'}`
}
