/**
 * Timeline of a flow's life: a lane for each place, on the time axis of the run. Bars are parts of its time, thin lines the
 * way between two ports. Places across are shares of the width, so that it fits wherever it stands.
 */
import { humanDuration } from '../../../core/base/format.ts'
import { GRID, INK, SOFT_INK } from '../../figure/drawing/colours.ts'
import { axisFor, timeUnit } from '../../figure/drawing/ticks.ts'
import type { LifeLane, LifeSpan } from '../parts/life-lanes.ts'

const SVG = 'http://www.w3.org/2000/svg'
const LANE_PX = 36
const BAR_TOP_PX = 18
const BAR_PX = 12
const AXIS_PX = 40
const TICKS = 4
/** Share of the width at each end, where a label is not centred. */
const EDGE = 0.06

export const MOVING = 'under way'

/** @param label what a screen reader says in its place */
export function lifeTimeline(lanes: readonly LifeLane[], label: string): SVGSVGElement {
  const spans = lanes.flatMap((lane) => lane.spans)
  const [fromPs, toPs] = [spans[0]?.fromPs ?? 0, spans.reduce((latest, span) => Math.max(latest, span.toPs), 0)]
  const across = (ps: number): string => `${(100 * (ps - fromPs)) / (toPs - fromPs || 1)}%`
  const bottom = lanes.length * LANE_PX
  const drawing = svg('svg', { class: 'timeline', width: '100%', height: bottom + AXIS_PX, role: 'img' })
  drawing.setAttribute('aria-label', label)
  drawing.setAttribute('font-size', '12')
  drawing.setAttribute('font-family', 'Inter Variable, sans-serif')
  drawing.append(...axisParts(fromPs, toPs, bottom, across))
  lanes.forEach(({ where, spans: own }, i) => {
    const top = i * LANE_PX
    const heldPs = own.reduce((sum, span) => sum + (span.part === null ? 0 : span.toPs - span.fromPs), 0)
    const words = heldPs > 0 ? `${where}: ${humanDuration(heldPs)}` : where
    drawing.append(svg('text', { x: '0', y: top + 13, fill: INK }, words))
    drawing.append(...own.map((span) => spanShape(span, top + BAR_TOP_PX, across)))
  })
  return drawing
}

function spanShape({ part, fromPs, toPs }: LifeSpan, top: number, across: (ps: number) => string): SVGElement {
  const when = `${humanDuration(toPs - fromPs, 4)}, from ${humanDuration(fromPs, 5)} to ${humanDuration(toPs, 5)}`
  const title = svg('title', {}, `${part?.label ?? MOVING}: ${when}`)
  const [from, to] = [Number.parseFloat(across(fromPs)), Number.parseFloat(across(toPs))]
  const extent = { x: `${from}%`, width: `${to - from}%` }
  const shape =
    part === null
      ? svg('rect', { ...extent, y: top + BAR_PX / 2 - 1, height: 2, fill: SOFT_INK })
      : svg('rect', { ...extent, y: top, height: BAR_PX, fill: part.colour })
  shape.append(title)
  return shape
}

function axisParts(fromPs: number, toPs: number, bottom: number, across: (ps: number) => string): SVGElement[] {
  const [scale, unit] = timeUnit(toPs)
  const [from, to] = [fromPs / scale, toPs / scale]
  const axis = axisFor([from, to], { from, to, tickCount: TICKS })
  const ticks = axis.ticks.flatMap((tick) => {
    const [x, share] = [across(tick * scale), (tick - from) / (to - from || 1)]
    const anchor = share < EDGE ? 'start' : share > 1 - EDGE ? 'end' : 'middle'
    return [
      svg('line', { x1: x, x2: x, y1: 0, y2: bottom, stroke: GRID }),
      svg('text', { x, y: bottom + 15, 'text-anchor': anchor, fill: SOFT_INK }, axis.labelOf(tick)),
    ]
  })
  return [
    ...ticks,
    svg('line', { x1: '0', x2: '100%', y1: bottom, y2: bottom, stroke: SOFT_INK }),
    svg('text', { x: '50%', y: bottom + 33, 'text-anchor': 'middle', fill: SOFT_INK }, `time in the run (${unit})`),
  ]
}

export function svg<K extends 'svg' | 'rect' | 'line' | 'text' | 'title'>(
  name: K,
  attributes: Readonly<Record<string, string | number>>,
  text = '',
): SVGElementTagNameMap[K] {
  const made = document.createElementNS(SVG, name)
  for (const [key, value] of Object.entries(attributes)) made.setAttribute(key, String(value))
  if (text !== '') made.textContent = text
  return made
}
