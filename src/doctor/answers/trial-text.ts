/**
 * Trial of a remedy: runs of a fabric as it is and with the remedy of a finding, side by side.
 */
import { exactCount } from '../../core/base/format.ts'
import { type Change, plainText } from '../index.ts'
import { humanDuration, humanNumber, type TextOptions, textTable } from '../../show/index.ts'
import { hasTail, mean, type Summary } from '../../core/results/index.ts'

export interface Trial {
  /** Places of the finding: "pfc01 at gpu2 eth2". */
  readonly findings: readonly string[]
  readonly changes: readonly Change[]
  readonly traffic: string
  readonly seeds: readonly number[]
  /** By seed. */
  readonly before: readonly Summary[]
  readonly after: readonly Summary[]
}

/** All runs together: times as means over the runs, all else as sums. Infinity: that share of flows does not finish. */
export interface TrialSide {
  readonly flows: number
  readonly unfinished: number
  readonly p50CompletionPs: number
  /** NaN where a run has too few flows for it. */
  readonly p99CompletionPs: number
  readonly maxCompletionPs: number
  readonly drops: number
  readonly pauseFrames: number
  readonly pausedPs: number
  readonly retransmissions: number
  readonly timeouts: number
}

const sum = (values: readonly number[]): number => values.reduce((total, value) => total + value, 0)

export function sideOf(runs: readonly Summary[]): TrialSide {
  const total = (of: (run: Summary) => number): number => sum(runs.map(of))
  return {
    flows: total(({ flows }) => flows.total),
    unfinished: total(({ flows }) => flows.unfinished),
    p50CompletionPs: mean(runs.map((run) => finishedBy(run, 0.5, run.p50CompletionPs))),
    p99CompletionPs: runs.some(({ flows }) => !hasTail(flows.measuredFinished))
      ? NaN
      : mean(runs.map((run) => finishedBy(run, 0.99, run.p99CompletionPs))),
    maxCompletionPs: mean(runs.map((run) => finishedBy(run, 1, run.maxCompletionPs))),
    drops: total(({ drops }) => drops),
    pauseFrames: total(({ pauseFrames }) => pauseFrames),
    pausedPs: total(({ pausedPs }) => sum(Object.values(pausedPs))),
    retransmissions: total(({ retransmissions }) => retransmissions),
    timeouts: total(({ timeouts }) => timeouts),
  }
}

/** A quantile of finished flows, as long as the share of all flows finishes. */
const finishedBy = ({ flows }: Summary, share: number, ps: number): number =>
  flows.finished < share * flows.total ? Infinity : ps

const timeText = (ps: number): string => (Number.isFinite(ps) ? humanDuration(ps) : 'not finished')

/** Rows of the table; the first decide whether it matters. */
const ROWS: readonly (readonly [name: string, key: keyof TrialSide, text: (value: number) => string])[] = [
  ['p50 of completion time', 'p50CompletionPs', timeText],
  ['p99 of completion time', 'p99CompletionPs', timeText],
  ['slowest completion', 'maxCompletionPs', timeText],
  ['flows not finished', 'unfinished', exactCount],
  ['drops', 'drops', exactCount],
  ['pause frames', 'pauseFrames', exactCount],
  ['time paused, all ports', 'pausedPs', timeText],
  ['retransmissions', 'retransmissions', exactCount],
  ['timeouts', 'timeouts', exactCount],
]

export const changeText = ({ device, port, field, value }: Change): string => {
  const shown = value === null ? 'unknown' : plainText(value)
  return `${`${device} ${port}`.trim()}: ${field} ${shown}`
}

/** Smaller differences are those of other seeds. */
const SAME_SHARE = 0.02

/** The 99th percentiles of both sides, or the slowest of both where one is not known; the other is not shown. */
const tailKey = (before: TrialSide, after: TrialSide): 'p99CompletionPs' | 'maxCompletionPs' =>
  Number.isNaN(before.p99CompletionPs + after.p99CompletionPs) ? 'maxCompletionPs' : 'p99CompletionPs'

/** In words: what the remedy does under this traffic. */
export function verdictText(before: TrialSide, after: TrialSide): string {
  const parts: string[] = []
  if (after.unfinished !== before.unfinished) {
    const counts = `${exactCount(before.unfinished)} to ${exactCount(after.unfinished)} of ${exactCount(before.flows)}`
    parts.push(`flows that do not finish go from ${counts}`)
  }
  const key = tailKey(before, after)
  const name = key === 'p99CompletionPs' ? 'p99' : 'the slowest'
  const ratio = before[key] / after[key]
  if (!Number.isFinite(ratio) || ratio === 0) {
    if (Number.isFinite(after[key])) parts.push(`${name} is ${timeText(after[key])} with it`)
  } else if (ratio > 1 + SAME_SHARE) parts.push(`${name} is ${humanNumber(ratio)} times shorter with it`)
  else if (ratio < 1 - SAME_SHARE) parts.push(`${name} is ${humanNumber(1 / ratio)} times longer with it`)
  if (before.drops !== after.drops)
    parts.push(`drops go from ${exactCount(before.drops)} to ${exactCount(after.drops)}`)
  return parts.length === 0 ? 'no difference under this traffic; another one may show it (--traffic)' : parts.join('; ')
}

export function trialText(trial: Trial, options: TextOptions): string {
  const { findings, changes, traffic, seeds } = trial
  const [before, after] = [sideOf(trial.before), sideOf(trial.after)]
  const tail = tailKey(before, after)
  const facts = [
    ...findings.map((text, i) => [i === 0 ? 'finding' : '', text]),
    ...changes.map((change, i) => [i === 0 ? 'remedy' : '', changeText(change)]),
    ['traffic', `${traffic}, seeds ${seeds.join(', ')}`],
    ['so', verdictText(before, after)],
  ]
  const table = textTable(
    [{ head: '' }, { head: 'as it is', align: 'right' }, { head: 'with the remedy', align: 'right' }],
    ROWS.filter(([, key]) => !key.endsWith('CompletionPs') || key === 'p50CompletionPs' || key === tail).map(
      ([name, key, text]) => [name, text(before[key]), text(after[key])],
    ),
    options,
  )
  return `${textTable([{ head: '' }, { head: '' }], facts, options)}\n${table}`
}

export function trialJson(trial: Trial): object {
  const { before, after, ...rest } = trial
  return { schemaVersion: 1, ...rest, before: sideOf(before), after: sideOf(after), runs: { before, after } }
}
