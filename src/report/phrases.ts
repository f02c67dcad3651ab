/**
 * Phrases: facts of a run in the words that the summary and the report share.
 */
import { exactCount, humanDuration } from '../base/format.ts'
import { listOf, totalOf } from '../findings/index.ts'

type Counts = Readonly<Record<string, number>>

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
