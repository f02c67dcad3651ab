/**
 * A run that a command watches: its progress as one line, and an orderly end at Ctrl-C.
 */
import type { Progress } from '../../lab/index.ts'
import { humanCount } from '../../show/index.ts'
import type { Context } from '../context.ts'
import { type Interruption, watchInterruption } from '../interruption.ts'
import { leftText, percent, ProgressLine } from '../progress-line.ts'
import { fractionOf, type SimulateOptions } from './simulate.ts'

/** A long run as its command watches it: how far it is, and whether Ctrl-C asks for its end. */
export interface RunWatch {
  readonly progress: ProgressLine
  readonly interruption: Interruption
  /** For `simulate`: the line of a run, behind a few words, between its slices. */
  readonly slices: (words?: () => string) => Required<Pick<SimulateOptions, 'isInterrupted' | 'onSlice'>>
  readonly end: () => void
}

export function watchRun({ terminal, process: { stderr } }: Context, isQuiet = false): RunWatch {
  const progress = new ProgressLine(isQuiet ? undefined : terminal)
  const interruption = watchInterruption((text) => {
    progress.clear()
    stderr.write(`rocelab: ${text}\n`)
  })
  return {
    progress,
    interruption,
    slices: (words = () => '') => ({
      isInterrupted: () => interruption.signal !== undefined,
      onSlice: (simulation) =>
        progress.update((elapsedMs) => `${words()}${progressText(simulation.progress(), elapsedMs)}`),
    }),
    end() {
      progress.clear()
      interruption.release()
    },
  }
}

/** Share, rate, time left, flows. */
function progressText(progress: Progress, elapsedMs: number): string {
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
