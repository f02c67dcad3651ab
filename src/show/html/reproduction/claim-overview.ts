/**
 * Claim overview: every number of ours in one picture, a row for each claim, on a scale on which the band of values that
 * count as the paper's reaches from -1 to 1. Claims about a direction have no such band and are not in it.
 */
import type { ReportedCheck, ReportedReproduction } from '../../reported-reproduction.ts'
import { markup, type Markup, NOTHING } from '../markup.ts'
import { claimId, toneOf } from './claims-section.ts'

const LABEL_PX = 250
const PLOT_PX = 470
const ROW_PX = 20
const TOP_PX = 26
/** Widths of half a band to both sides of its middle that the picture shows; beyond, a mark stands at the edge. */
const REACH = 3

interface Mark {
  readonly check: ReportedCheck
  /** 0 in the middle of the band, 1 and -1 at its ends. */
  readonly at: number
}

/** The picture as a figure; nothing for fewer than two numbers with a band. */
export function claimOverview({ claims, isOurs }: Pick<ReportedReproduction, 'claims' | 'isOurs'>): Markup {
  const rows = claims.flatMap(({ id, checks }) => {
    const marks = checks.flatMap((check) => markOf(check) ?? [])
    return marks.length === 0 ? [] : [{ id, marks }]
  })
  const count = rows.reduce((sum, { marks }) => sum + marks.length, 0)
  if (count < 2) return NOTHING
  const heightPx = TOP_PX + rows.length * ROW_PX
  const heading = isOurs ? 'Our numbers and the bands expected' : "Our numbers and the paper's bands"
  const label = `${heading}: ${count} numbers, each on a scale on which its band reaches from -1 to 1`
  const lines = rows.map(({ id, marks }, row) => rowMarkup(id, marks, TOP_PX + (row + 0.5) * ROW_PX))
  const bandPx = xOf(1) - xOf(-1)
  return markup`<figure id="figure-overview" class="wide">
    <figcaption>${heading}</figcaption>
    <p class="note">
      A row for each claim, a mark for each number: <span class="mark good">●</span> reproduced,
      <span class="mark open">○</span> undecided, <span class="mark bad">✕</span> not reproduced,
      <span class="mark aside">·</span> an input. The middle of the band is at 0, its ends are at -1 and 1; marks at the
      edge lie further out. A number in its band fails where its claim asks for more, such as every seed. Claims about a
      direction have no band and are not here.
    </p>
    <div class="scroll" role="region" aria-label="${heading}" tabindex="0">
      <svg
        class="overview"
        viewBox="0 0 ${LABEL_PX + PLOT_PX} ${heightPx}"
        width="${LABEL_PX + PLOT_PX}"
        height="${heightPx}"
        role="group"
        aria-label="${label}"
      >
        <g class="scale">
          ${[-REACH, -1, 0, 1, REACH].map(
            (value) => markup`<text x="${xOf(value)}" y="14" text-anchor="middle">${value}</text>`,
          )}
          <rect class="band" x="${xOf(-1)}" y="${TOP_PX - 4}" width="${bandPx}" height="${heightPx - TOP_PX + 4}" />
          <line class="middle" x1="${xOf(0)}" x2="${xOf(0)}" y1="${TOP_PX - 4}" y2="${heightPx}" />
        </g>
        ${lines}
      </svg>
    </div>
  </figure> `
}

/** Undefined without a number or a band with two ends that differ. */
function markOf(check: ReportedCheck): Mark | undefined {
  const { mean = NaN, bandLow = NaN, bandHigh = NaN } = check.range ?? {}
  const half = (bandHigh - bandLow) / 2
  const at = (mean - (bandLow + bandHigh) / 2) / half
  return half > 0 && Number.isFinite(at) ? { check, at } : undefined
}

function xOf(at: number): number {
  const share = (Math.min(REACH, Math.max(-REACH, at)) + REACH) / (2 * REACH)
  return Math.round((LABEL_PX + 14 + share * (PLOT_PX - 28)) * 10) / 10
}

function rowMarkup(id: string, marks: readonly Mark[], y: number): Markup {
  const drawn = marks.map(({ check, at }) => {
    const { verdict, measured, paper } = check
    const name = check.check === '' ? id : `${id} [${check.check}]`
    return markup`<g class="mark ${toneOf(verdict)}" transform="translate(${xOf(at)},${y})">
      <title>${name}: paper ${paper}, here ${measured}, ${verdict}</title>
      ${shapeOf(verdict)}
    </g> `
  })
  return markup`<g>
    <a href="#${claimId(id)}"><text x="${LABEL_PX - 8}" y="${y + 4}" text-anchor="end">${id}</text></a>
    <line class="row" x1="${LABEL_PX}" x2="${LABEL_PX + PLOT_PX}" y1="${y}" y2="${y}" />
    ${drawn}
  </g> `
}

/** Shapes differ, for readers who do not see their colours. */
function shapeOf(verdict: string): Markup {
  const tone = toneOf(verdict)
  if (tone === 'good') return markup`<circle r="4" />`
  if (tone === 'open') return markup`<circle class="hollow" r="4" />`
  return tone === 'bad' ? markup`<path d="M-4,-4L4,4M-4,4L4,-4" />` : markup`<circle r="2" />`
}
