/**
 * Figures of runs: the field's own, several runs side by side in each. Every figure is a picture that needs no script;
 * those over time come with their values, so that a page can zoom into them.
 */
import { type NamedResult, type ResultFigure, resultFigures, shownLines, figuresOverTime } from '../figure/index.ts'
import { numbersOf } from '../../results/index.ts'
import { markup, type Markup, raw } from './markup.ts'
import type { ChartData } from './page-data.ts'

/** Pixels of a figure at its natural size: two stand side by side on a wide screen. */
const WIDTH = 560
/** Spans of time that keep their highest and lowest value for a closer look. */
const SPANS = 1500

interface Group {
  readonly id: string
  readonly heading: string
  /** Beginnings of the names of figures, with the words above each. */
  readonly figures: readonly (readonly [name: string, heading: string])[]
}

const GROUPS: readonly Group[] = [
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
      ['queue-depth-cdf', 'Distribution of queue depths'],
      ['queue-depth', 'Queue depth over time'],
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
      ['rates-window', 'Windows over time'],
      ['rates', 'Sending rates over time'],
      ['link-use', 'Use of links over time'],
    ],
  },
  {
    id: 'figures-drops',
    heading: 'Drops',
    figures: [
      ['drops-by-cause', 'Drops by cause'],
      ['drops-by-place', 'Drops by place'],
    ],
  },
]

/** Figures that are wider than a column. */
const WIDE = /^pause-(timeline|tree)/

export interface Figures {
  readonly content: Markup
  /** Ids of the groups and figures on the page. */
  readonly ids: ReadonlySet<string>
  readonly charts: Readonly<Record<string, ChartData>>
}

/** All figures that the results have something for. */
export function figuresOf(results: readonly NamedResult[], title: string): Figures {
  const style = { title, isUntitled: true, width: WIDTH }
  const bySize = sizesOf(results) > 1 ? resultFigures(results, { ...style, by: 'size' }) : []
  const byTag = tagsOf(results) > 1 ? resultFigures(results, { ...style, by: 'tag' }) : []
  const drawn = [...bySize, ...byTag, ...resultFigures(results, style)]
  const charts = Object.fromEntries(figuresOverTime(results, style).map(({ name, figure }) => [name, chartOf(figure)]))
  const ids = new Set<string>()
  const rest = new Set(drawn)
  const groups = GROUPS.flatMap(({ id, heading, figures }) => {
    const own = figures.flatMap(([beginning, words]) =>
      [...rest].flatMap((figure) => {
        if (!isOf(figure, beginning)) return []
        rest.delete(figure)
        ids.add(figureId(figure)).add(id)
        return [figureMarkup(figure, words + partOf(figure.name, beginning), title)]
      }),
    )
    if (own.length === 0) return []
    return [
      markup`<h3 id="${id}">${heading}</h3>
        <div class="figures">${own}</div> `,
    ]
  })
  return { content: markup`${groups}`, ids, charts }
}

const isOf = ({ name }: ResultFigure, beginning: string): boolean =>
  name === beginning || name.startsWith(`${beginning}-`)

export const figureId = ({ name }: Pick<ResultFigure, 'name'>): string => `figure-${name}`

/** ", p95": what the name of a figure has behind that of its kind. */
function partOf(name: string, beginning: string): string {
  return name === beginning ? '' : `, ${name.slice(beginning.length + 1)}`
}

function figureMarkup(figure: ResultFigure, heading: string, title: string): Markup {
  // Read out: the picture has no words of its own for those who do not see it.
  const svg = figure.svg.replace(/ aria-label="[^"]*"/, markup` aria-label="${heading}: ${title}"`.html)
  return markup`<figure
    id="${figureId(figure)}"
    class="${WIDE.test(figure.name) ? 'wide' : 'half'}"
    data-name="${figure.name}"
  >
    <figcaption>${heading}</figcaption>
    <div class="scroll" role="region" aria-label="${heading}" tabindex="0">${raw(svg)}</div>
  </figure> `
}

function sizesOf(results: readonly NamedResult[]): number {
  return new Set(results.flatMap(({ result }) => Array.from(new Set(numbersOf(result.flows, 'sizeBytes'))))).size
}

function tagsOf(results: readonly NamedResult[]): number {
  const tags = new Set<unknown>()
  for (const { result } of results) {
    for (const column of result.flows.columns) if (column.name === 'tag') for (const tag of column.data) tags.add(tag)
  }
  return tags.size
}

function chartOf(figure: Parameters<typeof shownLines>[0] & { yLabel: string; isStep?: boolean }): ChartData {
  const { unit, lines } = shownLines(figure, SPANS)
  return {
    timeUnit: unit,
    yLabel: figure.yLabel,
    isStep: figure.isStep === true,
    lines: lines.map(({ series, points }) => ({
      series,
      x: points.map(({ x }) => rounded(x)),
      y: points.map(({ y }) => (Number.isFinite(y) ? rounded(y) : null)),
    })),
  }
}

/** As many digits as can be seen on a screen, and some for a closer look. */
export function rounded(value: number): number {
  return Number(value.toPrecision(7))
}
