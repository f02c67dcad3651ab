/**
 * Progress of a run as one line: share, rate, time left, flows.
 */
import type { Progress } from '../../lab/index.ts'
import { humanCount } from '../../report/index.ts'
import { leftText, percent } from '../progress-line.ts'
import { fractionOf } from './simulate.ts'

export function progressText(progress: Progress, elapsedMs: number): string {
  const seconds = elapsedMs / 1000
  const fraction = fractionOf(progress)
  const rate = `${humanCount(progress.packetHops / seconds)} packet-hops/s`
  return [
    percent(fraction),
    rate.padStart(20),
    leftText(fraction, seconds).padStart(11),
    `flows ${progress.flowsFinished}/${progress.flowsStarted}`,
    `pauses ${progress.pauseFrames}`,
    `drops ${progress.drops}`,
  ].join('  ')
}
