/**
 * Figures as SVG text. Apart from the text reports, since drawing loads a plotting library.
 */
export { type Bar, type BarFigure, barFigure } from './bars.ts'
export { type CdfFigure, cdfFigure } from './distributions.ts'
export { markedFigure, type PointLook } from './drawing/marked-figure.ts'
export { levelMapFigure } from './level-map.ts'
export { type Line, type LineFigure, lineFigure, type LinePoint } from './lines.ts'
export type { NamedResult } from './measured-flows.ts'
export { type FigureOptions, resultFigures } from './result-figures.ts'
export { figuresOverTime } from './observed-figures.ts'
export type { ResultFigure } from './result-figure.ts'
export { type PlottedRow, type PlottedSweep, type SweepAxis, sweepFigures } from './sweep-figures.ts'
export { dropsByNode } from './total-figures.ts'
export { shownLines, type ShownLines, type TimeFigure, timeFigure, type TimeSeries } from './time.ts'
export type { FigureText } from './drawing/figure-text.ts'
export type { ScaleKind } from './drawing/ticks.ts'
