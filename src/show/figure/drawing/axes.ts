/**
 * Axes as marks: rules across the drawing, tick labels, and a label in the middle of each axis.
 */
import { axisX, axisY, gridX, gridY, type Markish, type PlotOptions } from '@observablehq/plot'
import { FONT_SIZE, textWidth } from './frame.ts'
import type { Axis } from './ticks.ts'

interface Scales {
  readonly x?: Axis
  readonly y: Axis
}

/** Room for the labels on the left: tick labels, tick, and the axis label standing upright beside them. */
export function leftMargin(y: Axis): number {
  const widest = y.ticks.reduce((most, tick) => Math.max(most, textWidth(y.labelOf(tick))), 0)
  return Math.ceil(widest) + 14 + FONT_SIZE * 2
}

/** Grid and axes for two measured directions; `x` is left out where groups stand there. */
export function axisMarks(scales: Scales, labels: { readonly x?: string; readonly y: string }): Markish[] {
  const { x, y } = scales
  const marks: Markish[] = [
    gridY([...y.ticks], { strokeOpacity: 0.14 }),
    axisY([...y.ticks], {
      // As `text`: through `tickFormat` Plot leaves out some labels of log axes.
      text: (value: unknown) => y.labelOf(Number(value)),
      label: labels.y,
      labelAnchor: 'center',
      labelArrow: 'none',
      labelOffset: leftMargin(y) - FONT_SIZE,
      tickSize: 4,
    }),
  ]
  if (x !== undefined) {
    marks.push(
      gridX([...x.ticks], { strokeOpacity: 0.07 }),
      axisX([...x.ticks], {
        text: (value: unknown) => x.labelOf(Number(value)),
        label: labels.x ?? null,
        labelAnchor: 'center',
        labelArrow: 'none',
        labelOffset: 40,
        tickSize: 4,
      }),
    )
  }
  return marks
}

/** Scale options and margins for two measured directions. */
export function axisOptions(x: Axis, y: Axis): PlotOptions {
  const last = x.ticks.at(-1)
  return {
    x: { type: x.kind, domain: [...x.domain] },
    y: { type: y.kind, domain: [...y.domain] },
    marginLeft: leftMargin(y),
    marginRight: Math.max(16, last === undefined ? 0 : textWidth(x.labelOf(last)) / 2 + 4),
    marginTop: 10,
    marginBottom: 46,
  }
}
