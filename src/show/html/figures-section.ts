/**
 * Figures of runs: the field's own, several runs side by side in each. Every figure is a picture that needs no script;
 * those over time come with their values, so that a page can zoom into them.
 */
import {
  type NamedResult,
  type ResultFigure,
  resultFigures,
  shownLines,
  type ShownLines,
  figuresOverTime,
  type TimeFigure,
} from '../figure/index.ts'
import type { FigureData } from '../figure/drawing/figure-table.ts'
import { sizeBinCount } from '../figure/grouped-figures.ts'
import { measuredFlowsOf } from '../figure/measured-flows.ts'
import { markup, type Markup, NOTHING } from './markup.ts'
import type { ChartData, ChartLine } from './page-data.ts'
import { pictureMarkup } from './parts/picture.ts'

/** Pixels of a figure at its natural size: two stand side by side on a wide screen. */
const WIDTH = 560
const WIDE_WIDTH = 1000
/** Spans of time that keep their highest and lowest value for a closer look. */
const SPANS = 1500
/** Lines that a chart offers besides its own, and the points of all these together. */
const OTHERS_MAX = 120
const OTHER_POINTS = 12_000

interface Group {
  readonly id: string
  readonly heading: string
  /** Beginnings of the names of figures, with the words above each. */
  readonly figures: readonly (readonly [name: string, heading: string])[]
}

const GROUPS: readonly Group[] = [
  {
    id: 'figures-jobs',
    heading: 'Jobs',
    figures: [
      ['job-timeline', 'Ranks over time, and the critical path'],
      ['job-round', 'The iteration that took longest'],
    ],
  },
  {
    id: 'figures-parts',
    heading: 'Where the time went',
    figures: [
      ['parts-by-slowdown', 'Parts of the completion time, by slowdown'],
      ['parts-time', 'Parts of the completion time as times, by slowdown'],
    ],
  },
  {
    id: 'figures-flows',
    heading: 'Completion and slowdown',
    figures: [
      ['slowdown-by-size', 'Slowdown by flow size'],
      ['slowdown-by-tag', 'Slowdown by tag'],
      ['slowdown-tail', 'Flows with at least this slowdown (1 - CDF)'],
      ['completion-tail', 'Flows that take at least this long (1 - CDF)'],
    ],
  },
  {
    id: 'figures-pauses',
    heading: 'Queues and pauses',
    figures: [
      ['queue-depth', 'Queue depth over time'],
      ['queue-depth-cdf', 'Distribution of queue depths'],
      ['pauses', 'Ports paused by PFC over time'],
      ['servers', 'Servers over time'],
      ['pause-timeline', 'Who paused whom, and when'],
      ['pause-tree', 'Tree of pauses at its fullest'],
    ],
  },
  {
    id: 'figures-rates',
    heading: 'Goodput, rates and links',
    figures: [
      ['goodput-by-tag', 'Goodput by tag'],
      ['fairness-by-tag', 'Fairness within each tag'],
      ['goodput', 'Goodput over time'],
      ['pair-goodput', 'Goodput of queue pairs over time'],
      ['rates', 'Sending rates over time'],
      ['rates-window', 'Windows over time'],
      ['rates-rtt', 'Round trips over time'],
      ['rates-marks', 'Marks that ACKs echo over time'],
      ['rates-cnps', 'CNPs over time'],
      ['link-use', 'Use of links over time'],
    ],
  },
  {
    id: 'figures-drops',
    heading: 'Drops',
    figures: [
      ['drops-by-cause', 'Drops by cause'],
      ['drops-by-place', 'Drops by device'],
    ],
  },
]

/** Figures that are wider than a column. */
const WIDE = /^(pause-(timeline|tree)|job-|parts-)/

export interface Figures {
  readonly content: Markup
  /** Headings of the groups and figures on the page, by id. */
  readonly headings: ReadonlyMap<string, string>
  readonly charts: Readonly<Record<string, ChartData>>
  /** Values of figures without a chart, by name. */
  readonly data: Readonly<Record<string, FigureData>>
}

/** All figures that the results have something for. */
export function figuresOf(results: readonly NamedResult[], title: string): Figures {
  const style = { title, isUntitled: true, width: WIDTH, wideWidth: WIDE_WIDTH }
  const bySize = sizeBinCount(results.map(measuredFlowsOf)) > 1 ? resultFigures(results, { ...style, by: 'size' }) : []
  const byTag = tagsOf(results) > 1 ? resultFigures(results, { ...style, by: 'tag' }) : []
  const drawn = [...bySize, ...byTag, ...resultFigures(results, style)]
  const charts = Object.fromEntries(figuresOverTime(results, style).map(({ name, figure }) => [name, chartOf(figure)]))
  const headings = new Map<string, string>()
  const groups = GROUPS.flatMap(({ id, heading, figures }) => {
    const own = figures.flatMap(([beginning, words]) =>
      drawn
        .filter((figure) => kindOf(figure) === beginning)
        .map((figure) => {
          const name = words + partOf(figure.name, beginning)
          headings.set(figureId(figure), name).set(id, heading)
          return figureMarkup(figure, name, title)
        }),
    )
    if (own.length === 0) return []
    return [
      markup`<h3 id="${id}">${heading}</h3>
        <div class="figures">${own}</div> `,
    ]
  })
  return { content: markup`${groups}`, headings, charts, data: dataOf(drawn) }
}

/** The values of figures, by name. */
export function dataOf(figures: readonly ResultFigure[]): Record<string, FigureData> {
  return Object.fromEntries(figures.flatMap(({ name, data }) => (data === undefined ? [] : [[name, data]])))
}

const KINDS = GROUPS.flatMap(({ figures }) => figures.map(([name]) => name)).toSorted((a, b) => b.length - a.length)

/** The longest beginning that a figure's name has; undefined: a report has no place for it. */
function kindOf({ name }: ResultFigure): string | undefined {
  return KINDS.find((kind) => name === kind || name.startsWith(`${kind}-`))
}

export const figureId = ({ name }: Pick<ResultFigure, 'name'>): string => `figure-${name}`

/** ", p95": what the name of a figure has behind that of its kind. */
function partOf(name: string, beginning: string): string {
  return name === beginning ? '' : `, ${name.slice(beginning.length + 1)}`
}

function figureMarkup(figure: ResultFigure, heading: string, title: string): Markup {
  const unit = figure.xUnitPs === undefined ? NOTHING : markup` data-x-unit-ps="${figure.xUnitPs}"`
  return pictureMarkup({
    id: figureId(figure),
    heading,
    svg: figure.svg,
    label: `${heading}: ${title}`,
    isWide: WIDE.test(figure.name),
    attributes: markup` data-name="${figure.name}"${unit}`,
  })
}

function tagsOf(results: readonly NamedResult[]): number {
  const tags = new Set<unknown>()
  for (const { result } of results) {
    for (const column of result.flows.columns) if (column.name === 'tag') for (const tag of column.data) tags.add(tag)
  }
  return tags.size
}

function chartOf(figure: TimeFigure): ChartData {
  const shown = shownLines(figure, SPANS)
  const { unit, lines } = shown
  const others = (figure.others ?? []).slice(0, OTHERS_MAX)
  // A span has four points.
  const otherSpans = Math.floor(OTHER_POINTS / 4 / Math.max(1, others.length))
  const isThinned = figure.lines.some(({ timePs }, i) => timePs.length > lines[i]!.points.length)
  const notes = [
    ...(figure.subtitle === undefined ? [] : [figure.subtitle]),
    ...(others.length < (figure.others ?? []).length ? [`${others.length} others can be added`] : []),
    ...(isThinned ? [`drawn by the lowest and highest value of each of ${SPANS} spans of time`] : []),
  ]
  return {
    timeUnit: unit,
    note: notes.join('; '),
    yLabel: figure.yLabel,
    isStep: figure.isStep === true,
    lines: lines.map(chartLine),
    others: shownLines({ lines: others }, otherSpans, shown).lines.map(chartLine),
  }
}

export function chartLine({ series, points }: ShownLines['lines'][number]): ChartLine {
  return {
    series,
    x: points.map(({ x }) => rounded(x)),
    y: points.map(({ y }) => (Number.isFinite(y) ? rounded(y) : null)),
  }
}

/** The words above figures of that name. */
export function headingOf(name: string): string {
  return GROUPS.flatMap(({ figures }) => figures).find(([beginning]) => beginning === name)?.[1] ?? name
}

/** As many digits as can be seen on a screen, and some for a closer look. */
function rounded(value: number): number {
  return Number(value.toPrecision(7))
}
