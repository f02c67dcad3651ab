/**
 * Claim range: a strip that shows the band of values that count as the paper's, and our value with its interval in it.
 */
import type { CheckRange } from '../../reported-reproduction.ts'
import { markup, type Markup, NOTHING } from '../markup.ts'

const WIDTH_PX = 150
const MIDDLE_PX = 8
/** Room at both ends, as a share of what is shown. */
const MARGIN = 0.12

export function rangeMarkup({ mean, low, high, bandLow, bandHigh }: CheckRange): Markup {
  if (!Number.isFinite(mean)) return NOTHING
  const shown = [mean, low, high, bandLow, bandHigh].filter((value) => Number.isFinite(value))
  const [least, most] = [Math.min(...shown), Math.max(...shown)]
  const span = most - least || Math.abs(most) || 1
  const [from, to] = [least - MARGIN * span, most + MARGIN * span]
  const at = (value: number): number => {
    const px = ((Math.min(to, Math.max(from, value)) - from) / (to - from)) * WIDTH_PX
    return Math.round(px * 10) / 10
  }
  const ends = Number.isFinite(low) && Number.isFinite(high) ? [at(low), at(high)] : [at(mean), at(mean)]
  const [left, right] = [at(bandLow), at(bandHigh)]
  return markup`<svg class="range" viewBox="0 0 150 16" width="150" height="16" aria-hidden="true">
    <line class="whole" x1="0" x2="150" y1="${MIDDLE_PX}" y2="${MIDDLE_PX}" />
    <rect class="band" x="${left}" width="${Math.max(2, right - left)}" y="1" height="14" />
    <line class="ours" x1="${ends[0]!}" x2="${ends[1]!}" y1="${MIDDLE_PX}" y2="${MIDDLE_PX}" />
    <circle class="ours" cx="${at(mean)}" cy="${MIDDLE_PX}" r="3.5" />
  </svg> `
}
