/**
 * Point series: kinds of points on a chart, each with a shape of its own, as in its picture.
 */
import uPlot from 'uplot'
import { SHAPES } from '../../figure/drawing/shapes.ts'
import type { LineLook } from '../page-data.ts'

const STEP_WIDTH = 1.2

/** @param colour as the page shows it */
export function pointSeries({ shape, radius, isStep }: LineLook, colour: string): Omit<uPlot.Series, 'label' | 'show'> {
  const steps = isStep ? uPlot.paths.stepped?.({ align: 1 }) : undefined
  return {
    stroke: colour,
    width: STEP_WIDTH,
    paths: steps ?? (() => null),
    points: { show: true, fill: colour, stroke: colour, size: 2 * radius, width: 0, paths: pointPaths(shape, radius) },
  }
}

function pointPaths(shape: number, radius: number): uPlot.Series.Points.PathBuilder {
  const outline = SHAPES[shape] ?? []
  return (plot, index, first, last) => {
    const path = new Path2D()
    const r = radius * devicePixelRatio
    const [times, values = []] = [plot.data[0], plot.data[index]]
    for (let i = first; i <= last; i++) {
      const value = values[i]
      if (typeof value !== 'number') continue
      const [x, y] = [plot.valToPos(times[i]!, 'x', true), plot.valToPos(value, 'y', true)]
      if (outline.length === 0) {
        path.moveTo(x + r, y)
        path.arc(x, y, r, 0, 2 * Math.PI)
      } else outline.forEach(([dx, dy], k) => path[k === 0 ? 'moveTo' : 'lineTo'](x + dx * r, y + dy * r))
      path.closePath()
    }
    return { stroke: null, fill: path, flags: 3 }
  }
}
