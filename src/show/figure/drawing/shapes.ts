/**
 * Shapes of markers, drawn alike in a figure and in its legend.
 */
import type { SymbolType } from '@observablehq/plot'

/** A marker's outline: corners in units of its half width; a circle where there are none. */
export type Shape = readonly (readonly [x: number, y: number])[]

const turned = (shape: Shape): Shape => shape.map(([x, y]) => [x, -y])
const TRIANGLE: Shape = [
  [0, -1.2],
  [1.15, 0.8],
  [-1.15, 0.8],
]
const THIN = 0.36
const PLUS: Shape = [
  [-THIN, -1.2],
  [THIN, -1.2],
  [THIN, -THIN],
  [1.2, -THIN],
  [1.2, THIN],
  [THIN, THIN],
  [THIN, 1.2],
  [-THIN, 1.2],
  [-THIN, THIN],
  [-1.2, THIN],
  [-1.2, -THIN],
  [-THIN, -THIN],
]
const CIRCLE: Shape = []
/** The shapes of series, in their order. */
export const SHAPES: readonly Shape[] = [
  CIRCLE,
  [
    [-0.9, -0.9],
    [0.9, -0.9],
    [0.9, 0.9],
    [-0.9, 0.9],
  ],
  TRIANGLE,
  [
    [0, -1.3],
    [1.1, 0],
    [0, 1.3],
    [-1.1, 0],
  ],
  turned(TRIANGLE),
  PLUS,
  PLUS.map(([x, y]) => [(x - y) * Math.SQRT1_2, (x + y) * Math.SQRT1_2]),
]

/** The three path commands used here of the plotting library's path type, which it does not export. */
interface Pen {
  moveTo(x: number, y: number): void
  lineTo(x: number, y: number): void
  closePath(): void
}

/** The shape as the plotting library wants it; the size of a marker there is the area of a circle of its radius. */
export function symbolOf(shape: Shape): SymbolType {
  if (shape.length === 0) return 'circle'
  return {
    draw(context: Pen, size: number) {
      const radius = Math.sqrt(size / Math.PI)
      shape.forEach(([x, y], i) => {
        if (i === 0) context.moveTo(x * radius, y * radius)
        else context.lineTo(x * radius, y * radius)
      })
      context.closePath()
    },
  }
}

/** The outline as the points of an SVG polygon around a centre; for shapes with corners. */
export function cornersOf(shape: Shape, centre: { readonly x: number; readonly y: number }, radius: number): string {
  const at = (value: number): number => Math.round(value * 100) / 100
  return shape.map(([x, y]) => `${at(centre.x + x * radius)},${at(centre.y + y * radius)}`).join(' ')
}
