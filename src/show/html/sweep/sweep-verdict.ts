/**
 * Verdict on a sweep: what was varied and how it ended in one sentence, the best and the worst combination by the numbers
 * that matter, and all that limits them.
 */
import type { Interval, MetricName } from '../../../core/results/index.ts'
import { runMetric, saysSomething } from '../../../core/results/index.ts'
import { combination, type PlottedRow, type SweepAxis } from '../../figure/sweep-figures.ts'
import { exactCount } from '../../../core/base/format.ts'
import { counted } from '../../../core/findings/index.ts'
import type { ReportedSweep } from '../../reported-sweep.ts'
import { cellText, spreadText } from '../cells.ts'
import { markup, type Markup, NOTHING } from '../markup.ts'
import type { ColumnFormat } from '../page-data.ts'

/** The metrics by which combinations are ranked. */
const RANKED: readonly (readonly [name: MetricName, better: 'low' | 'high'])[] = [
  ['slowdownP99', 'low'],
  ['slowdownMax', 'low'],
  ['completionP99Ps', 'low'],
  ['completionMaxPs', 'low'],
  ['goodputBps', 'high'],
  ['drops', 'low'],
  ['pausedPs', 'low'],
]
/** Values of a parameter that the sentence lists, and messages of failed runs that the page shows. */
const VALUES_MAX = 6
const FAILED_MAX = 5

/** How values of a metric are written. */
export function formatOf(name: MetricName): ColumnFormat {
  const { kind } = runMetric(name)
  return kind === 'count' ? 'mean' : kind
}

export function sweepVerdict(reported: ReportedSweep): Markup {
  const cards = RANKED.flatMap(([name, better]) => rankCard(reported, name, better) ?? [])
  const limits = limitsOf(reported)
  const list =
    limits.length === 0
      ? markup`<p class="calm">Every run ended as planned, and every flow finished.</p>`
      : markup`<ul class="oddities">
          ${limits}
        </ul>`
  return markup`<p class="lead">${sweepSentence(reported)}</p>
    ${cards.length === 0 ? NOTHING : markup`<dl class="numbers ranks">${cards}</dl>`} ${list}`
}

/** One sentence: the parameters, how many runs, and how they ended. */
export function sweepSentence({ sweep, seeds, limit, failed }: ReportedSweep): string {
  const { axes, rows } = sweep
  const runs = rows.length * seeds.length
  const withSeeds = seeds.length === 1 ? `seed ${seeds[0]!}` : `${seeds.length} seeds`
  const each = seeds.length > 1 && rows.length > 1 ? ' each' : ''
  const varied =
    axes.length === 0
      ? `${sweep.name} ran with ${withSeeds}`
      : `${sweep.name} with ${wordsOf(axes.map(axisText))}: ${counted(rows.length, 'combination')} with ${withSeeds}${each}`
  const [ended, stopped] = [sumOf(rows, ({ seeds: count }) => count), sumOf(rows, ({ stopped: count }) => count)]
  const missing = runs - ended - stopped - failed.length
  if (ended === runs) return `${varied}; ${runs === 1 ? 'the run' : `all ${exactCount(runs)} runs`} ended.`
  const parts = [
    `${exactCount(ended)} ended`,
    ...(stopped === 0 ? [] : [`${exactCount(stopped)} ${were(stopped)} stopped at the limit of ${limit}`]),
    ...(failed.length === 0 ? [] : [`${exactCount(failed.length)} failed`]),
    ...(missing <= 0 ? [] : [`${exactCount(missing)} ${were(missing)} not made`]),
  ]
  return `${varied}; of ${exactCount(runs)} runs ${wordsOf(parts)}.`
}

const were = (count: number): string => (count === 1 ? 'was' : 'were')

function sumOf(rows: readonly PlottedRow[], of: (row: PlottedRow) => number): number {
  return rows.reduce((sum, row) => sum + of(row), 0)
}

function axisText({ path, values }: SweepAxis): string {
  return values.length <= VALUES_MAX
    ? `${path} (${values.join(', ')})`
    : `${path} (${values.length} values from ${values[0]!} to ${values.at(-1)!})`
}

/** "a, b and c". */
function wordsOf(texts: readonly string[]): string {
  return texts.length < 2 ? texts.join('') : `${texts.slice(0, -1).join(', ')} and ${texts.at(-1)!}`
}

/** A row as the reader knows it: the values of what was varied. */
export function rowText(row: PlottedRow, { axes, name }: ReportedSweep['sweep']): string {
  const varied = axes.filter(({ values }) => values.length > 1)
  return varied.length === 0 ? name : combination(row, varied)
}

function rankCard({ sweep, seeds }: ReportedSweep, name: MetricName, better: 'low' | 'high'): Markup | undefined {
  if (!saysSomething(name, sweep.rows)) return undefined
  const ranked = sweep.rows.flatMap((row) => {
    const interval = row.metrics[name]
    return interval === undefined || !Number.isFinite(interval.mean) ? [] : [{ row, interval }]
  })
  const sign = better === 'low' ? 1 : -1
  const sorted = ranked.toSorted((a, b) => sign * (a.interval.mean - b.interval.mean))
  const [best, worst] = [sorted[0], sorted.at(-1)]
  if (best === undefined || worst === undefined) return undefined
  const { head } = runMetric(name)
  const textOf = ({ mean, low, high }: Interval): string => cellText(mean, formatOf(name)) + spreadText(mean, low, high)
  if (best.interval.mean === worst.interval.mean) {
    return markup`<div>
      <dt>${head}</dt>
      <dd>
        <strong>${textOf(best.interval)}</strong>
        <small>${ranked.length === 1 ? 'the only combination' : `the same at all ${ranked.length} combinations`}</small>
      </dd>
    </div> `
  }
  const ties = ranked.filter(({ interval }) => interval.mean === best.interval.mean).length
  const among = ties > 1 ? ` and ${ties - 1} more` : ''
  return markup`<div>
    <dt>${head}</dt>
    <dd>
      <strong>${textOf(best.interval)}</strong>
      <small>best: ${rowText(best.row, sweep)}${among}</small>
      <span class="worst">${textOf(worst.interval)}</span>
      <small>worst: ${rowText(worst.row, sweep)}</small>
      <small>${apartText(best.interval, worst.interval, seeds.length)}</small>
    </dd>
  </div> `
}

/** Whether the seeds tell two values apart. */
function apartText(best: Interval, worst: Interval, seedCount: number): string {
  if (seedCount === 1) return 'one seed, so no interval'
  const isKnown = [best, worst].every(({ low, high }) => Number.isFinite(low) && Number.isFinite(high))
  if (!isKnown) return 'too few seeds ended for intervals'
  const areApart = best.high < worst.low || worst.high < best.low
  return areApart ? 'their 95 % intervals do not overlap' : 'their 95 % intervals overlap'
}

/** Reasons to trust the numbers less, the most serious first: failed runs, an unfinished sweep, a single seed. */
function limitsOf({ sweep, seeds, isPartial, failed, limit, cut, folder }: ReportedSweep): Markup[] {
  const { rows } = sweep
  const fault = markup`<b class="fault">Fault</b> `
  const items: Markup[] = failed.slice(0, FAILED_MAX).map(({ values, seed, message }) => {
    const at = [...Object.entries(values).map(([path, value]) => `${path}=${value}`), `seed ${seed}`].join(', ')
    return markup`<li>${fault}The run at ${at} failed: ${message.replace(/^rocelab: /, '')}</li> `
  })
  const sentence = (text: string): void => void items.push(markup`<li>${text} <a href="#points">Points</a></li> `)
  if (failed.length > FAILED_MAX) {
    sentence(`${failed.length - FAILED_MAX} more runs failed; sweep.json in ${folder} has their messages.`)
  }
  if (isPartial) sentence('The sweep was interrupted: the means are of the runs that had ended.')
  const stopped = rows.filter((row) => row.stopped > 0)
  if (stopped.length > 0) {
    sentence(
      `Runs of ${counted(stopped.length, 'combination')} were stopped at ${limit} and are in no mean, first ${rowText(stopped[0]!, sweep)}: what is left is the faster part.`,
    )
  }
  const empty = rows.filter((row) => row.seeds === 0)
  if (empty.length > 0) {
    sentence(`${counted(empty.length, 'combination')} without any run that ended, first ${rowText(empty[0]!, sweep)}.`)
  }
  if (cut !== undefined) sentence(`${counted(cut.runs, 'run')} ${were(cut.runs)} partial: ${cut.reason}.`)
  const unfinished = rows.filter(({ metrics }) => (metrics.unfinished?.mean ?? 0) > 0)
  if (unfinished.length > 0) {
    const worst = unfinished.toSorted((a, b) => b.metrics.unfinished!.mean - a.metrics.unfinished!.mean)[0]!
    sentence(
      `Flows did not finish at ${counted(unfinished.length, 'combination')}, most at ${rowText(worst, sweep)}: ${cellText(worst.metrics.unfinished!.mean, 'mean')} a run. They are in no completion time.`,
    )
  }
  if (rows.length > 1 && seeds.length < 3) {
    sentence(
      seeds.length === 1
        ? 'One seed gives no interval: a difference may be chance.'
        : 'Intervals of two seeds are too wide to be useful.',
    )
  }
  return items
}
