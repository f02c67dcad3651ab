/**
 * Report of a sweep: verdict, a figure for each metric, the table of all points and the source, in this order.
 */
import {
  fileNameOf,
  numericAxis,
  type PlottedSweep,
  ratioFigure,
  type SweepAxis,
  sweepFigures,
} from '../../figure/sweep-figures.ts'
import type { ResultFigure } from '../../figure/result-figure.ts'
import { shellWord } from '../../../core/findings/index.ts'
import { runMetric, sweepTailNote } from '../../../core/results/index.ts'
import type { ReportedSweep } from '../../reported-sweep.ts'
import { markup, type Markup, NOTHING } from '../markup.ts'
import { type PageAssets, pageText } from '../page.ts'
import { dataTableMarkup } from '../parts/data-table.ts'
import { dataOf } from '../figures-section.ts'
import { factsMarkup } from '../parts/facts.ts'
import { pictureMarkup } from '../parts/picture.ts'
import { type PointsTable, pointsTable, shownMetrics } from './points-table.ts'
import { sweepVerdict } from './sweep-verdict.ts'

/** Lines or bars of a group, and values along the axis below them, that one figure shows. */
const SERIES_MAX = 12
const ALONG_MAX = 40

interface ThinnedSweep {
  readonly sweep: PlottedSweep
  /** Sentence on the rows that the figures leave out; "" if they have all. */
  readonly note: string
}

/** Keeps first and last value of every parameter that keeps two or more. */
export function thinnedSweep(sweep: PlottedSweep): ThinnedSweep {
  const varied = sweep.axes.filter(({ values }) => values.length > 1)
  const along = varied.find((axis) => numericAxis(axis) !== undefined) ?? varied[0]
  const kept = new Map(varied.map((axis) => [axis, axis === along ? evenly(axis.values, ALONG_MAX) : axis.values]))
  const others = varied.filter((axis) => axis !== along)
  const lengthOf = (axis: SweepAxis): number => kept.get(axis)!.length
  const count = (): number => others.reduce((product, axis) => product * lengthOf(axis), 1)
  while (count() > SERIES_MAX) {
    const [longest] = others.toSorted((a, b) => lengthOf(b) - lengthOf(a))
    if (longest === undefined) break
    kept.set(longest, evenly(longest.values, lengthOf(longest) - 1))
  }
  const allowed = varied.map((axis) => [axis.path, new Set(kept.get(axis))] as const)
  const rows = sweep.rows.filter(({ values }) => allowed.every(([path, set]) => set.has(values[path] ?? '')))
  if (rows.length === sweep.rows.length) return { sweep, note: '' }
  const axes = sweep.axes.map((axis) => ({ ...axis, values: kept.get(axis) ?? axis.values }))
  const parts = varied
    .filter((axis) => lengthOf(axis) < axis.values.length)
    .map((axis) => `${lengthOf(axis)} of ${axis.values.length} values of ${axis.path}`)
  const note = `Figures have room for ${rows.length} of ${sweep.rows.length} combinations: ${parts.join(', ')}, evenly chosen. The table has all.`
  return { sweep: { ...sweep, axes, rows }, note }
}

/** At most `most` of the values, evenly spaced by position, in their order; the last too if there are two or more. */
function evenly<T>(values: readonly T[], most: number): readonly T[] {
  if (values.length <= most) return values
  if (most < 2) return values.slice(0, 1)
  return Array.from({ length: most }, (_, i) => values[Math.round((i * (values.length - 1)) / (most - 1))]!)
}

const WIDTH = 560

/** Figures that stand open, in this order; the others are below them, closed. */
const FIRST_FIGURES = [
  'slowdown-p99',
  'slowdown-max',
  'slowdown-p50',
  'completion-p99',
  'completion-max',
  'goodput',
  'drops',
  'paused',
  'ecn-marks',
  'unfinished',
]

/** The report as one HTML file. */
export function sweepReport(reported: ReportedSweep, assets: PageAssets): string {
  const { sweep, version, seeds } = reported
  const points = pointsTable(reported)
  const { sweep: thin, note } = thinnedSweep(sweep)
  const drawn = sweepFigures(thin, { title: sweep.name, isUntitled: true, width: WIDTH })
  const sections = [
    { id: 'verdict', name: 'Verdict', content: sweepVerdict(reported) },
    { id: 'figures', name: 'Figures', content: figuresSection(reported, drawn, note) },
    { id: 'points', name: 'Points', content: pointsSection(points, reported) },
    { id: 'source', name: 'Source', content: sourceSection(reported) },
  ]
  const subtitle = `Sweep of rocelab ${version}, ${seeds.length === 1 ? `seed ${seeds[0]!}` : `seeds ${seeds.join(', ')}`}`
  const data = { charts: {}, figures: dataOf(drawn), runs: [], tables: { points: points.table } }
  return pageText({ title: sweep.name, subtitle, sections, data }, assets)
}

/** Name of a metric's figure, and the heading of a figure. */
type OfFigure = readonly [metric: string, heading: string]

function figuresSection({ sweep }: ReportedSweep, drawn: readonly ResultFigure[], note: string): Markup {
  const ofMetrics = shownMetrics(sweep).map((metric): OfFigure => [fileNameOf(metric), runMetric(metric).head])
  const ratios = ofMetrics.map(([name, head]): [string, OfFigure] => [
    ratioFigure(name),
    [name, `${head}, ratio to ${sweep.baseline}`],
  ])
  const known = new Map([...ratios, ...ofMetrics.map((one): [string, OfFigure] => [one[0], one])])
  if (drawn.length === 0) return markup`<p>There is nothing to draw: no run has ended.</p>`
  const pictures = drawn.map(({ name, svg }) => {
    const [metric, heading] = known.get(name) ?? [name, name]
    return {
      metric,
      content: pictureMarkup({ id: `figure-${name}`, heading, svg, label: `${heading}: ${sweep.name}` }),
    }
  })
  const rankOf = ({ metric }: { readonly metric: string }): number => FIRST_FIGURES.indexOf(metric)
  const first = pictures.filter((one) => rankOf(one) >= 0).toSorted((a, b) => rankOf(a) - rankOf(b))
  const others = pictures.filter((one) => rankOf(one) < 0)
  const gridOf = (some: typeof pictures): Markup =>
    markup`<div class="figures">${some.map(({ content }) => content)}</div>`
  return markup`${note === '' ? NOTHING : markup`<p class="note">${note}</p>`} ${gridOf(first)}
    ${
      others.length === 0
        ? NOTHING
        : markup`<details class="more">
            <summary>${others.length} more ${others.length === 1 ? 'metric' : 'metrics'}</summary>
            ${gridOf(others)}
          </details>`
    }`
}

function pointsSection({ table, note }: PointsTable, { sweep, seeds }: ReportedSweep): Markup {
  const means =
    seeds.length > 1 ? 'Means over the seeds that ended, with half of their 95 % intervals. ' : 'One run each. '
  const tailNote = sweepTailNote(sweep.rows)
  const base = sweep.baseline === '' ? '' : `/ base: over ${sweep.baseline}, seed by seed. `
  return markup`<p class="note">${means}${base}${tailNote === '' ? '' : `${tailNote}. `}Press a head to sort. ${note}</p>
    ${dataTableMarkup({ id: 'points', caption: `Points of ${sweep.name}`, table, words: ['combination', 'combinations'] })}`
}

function sourceSection({ sweep, folder, version, seeds, scenario, options, digests }: ReportedSweep): Markup {
  const facts = [
    ['scenario', scenario?.file ?? 'not kept'],
    ['settings', scenario === undefined ? 'not kept' : scenario.sets.join(', ') || 'none'],
    ['seeds', seeds.join(', ')],
    ['rocelab', version],
    ['folder', folder],
  ] as const
  const axes = sweep.axes.map(({ path, values }) => markup`<li><code>${path}</code>: ${values.join(', ')}</li> `)
  const digestCount = digests.reduce((sum, each) => sum + Object.keys(each).length, 0)
  const settings = (scenario?.sets ?? []).map((set) => `--set ${shellWord(set)}`)
  const command = [
    'rocelab sweep',
    shellWord(scenario?.file ?? 'SCENARIO'),
    ...settings,
    ...options.map(shellWord),
  ].join(' ')
  const first = Object.entries(digests[0] ?? {})[0]
  return markup`<div class="source">
    ${factsMarkup(facts)}
    ${axes.length === 0 ? NOTHING : markup`<ul class="axes">${axes}</ul>`}
    <p>
      ${
        scenario === undefined
          ? 'This makes the sweep again, from its scenario, which was not kept:'
          : 'This makes the sweep again, with the same digests:'
      }
      <code>${command}</code>
    </p>
    <p>
      ${
        first === undefined
          ? 'Digests are in points.jsonl of the folder.'
          : `The digests of all ${digestCount} runs are in sweep.json of the folder; the first, of seed ${first[0]}, is ${first[1]}.`
      }
    </p>
  </div> `
}
