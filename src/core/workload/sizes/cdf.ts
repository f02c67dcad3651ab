/**
 * Sizes by a cumulative distribution: points (bytes, percent), straight lines between them.
 * A point list starts at 0 percent, ends at 100, and falls in neither column; its mean is the trapezoid sum.
 * Two points of one size are a step: that share of the messages has this size. Two of one percent are a gap: no message has a
 * size between.
 * One that ends at 1 is in fractions, as half of the published files are: no list in percent ends there.
 */
import { InputError, type Issue } from '../../base/issue.ts'
import { list, text } from '../../base/params.ts'
import { parseQuantity } from '../../base/units.ts'
import { defineSizes, piecewise, type SizeDistribution } from './sizes.ts'

/** Bytes, and percent of the messages that are not larger. */
export type CdfPoint = readonly [bytes: number, percent: number]

export const cdf = defineSizes({
  name: 'cdf',
  help: 'sizes by points of their cumulative distribution, linear between points',
  source: 'the form of the published traces; HPCC traffic generator',
  params: {
    points: list(
      text({ help: '"BYTES PERCENT": bytes, and percent of the messages up to that size, for example "10KB 15"' }),
      {
        minItems: 2,
        help: 'points, falling in neither column, from 0 percent to 100; or from 0 to 1, as fractions. Two points of one size are a step: "1KB 0" and "1KB 36" give 36 percent of the messages 1KB',
      },
    ),
  },
  create(values) {
    const issues: Issue[] = []
    const points: CdfPoint[] = []
    values.points.forEach((line, index) => {
      const point = parsePoint(line)
      const previous = points.at(-1)
      if (point === undefined) {
        const hint = 'for example "10000 15" or "10KB 15"'
        issues.push({
          path: `points.${index}`,
          expected: '"BYTES PERCENT" with percent 0 to 100',
          received: `"${line}"`,
          hint,
        })
        return
      }
      points.push(point)
      if (previous === undefined) return
      for (const [column, what] of [
        [0, 'bytes'],
        [1, 'percent'],
      ] as const) {
        if (point[column] >= previous[column]) continue
        const expected = `${what} of at least ${previous[column]}, as at the point before`
        issues.push({ path: `points.${index}`, expected, received: `${point[column]}`, hint: '' })
      }
    })
    // Ends are judged where they could be read.
    if (parsePoint(values.points[0] ?? '') !== undefined && points[0]![1] !== 0) {
      issues.push({
        path: 'points.0',
        expected: '0 percent at the first point',
        received: `${points[0]![1]}`,
        hint: 'begin with the smallest size and 0',
      })
    }
    const [largestBytes, last] = parsePoint(values.points.at(-1) ?? '') ?? []
    if (largestBytes !== undefined && largestBytes < 1) {
      const path = `points.${values.points.length - 1}`
      issues.push({ path, expected: '1 byte or more at the last point', received: `${largestBytes}`, hint: '' })
    }
    if (last !== undefined && last !== 1 && last !== 100) {
      const path = `points.${values.points.length - 1}`
      issues.push({
        path,
        expected: '100 percent (or 1, of fractions) at the last point',
        received: `${last}`,
        hint: '',
      })
    }
    if (issues.length > 0) throw new InputError(issues)
    return fromCdf(points, last)
  },
})

/** The distribution with straight lines between these points; the last one is at `full`: 100 percent, or 1. */
export function fromCdf(points: readonly CdfPoint[], full = 100): SizeDistribution {
  return piecewise(
    points.slice(1).flatMap(([highBytes, percent], index) => {
      const [lowBytes, before] = points[index]!
      const weight = (percent - before) / full
      return weight === 0 ? [] : [{ weight, lowBytes, highBytes, shape: 'uniform' }]
    }),
  )
}

function parsePoint(line: string): CdfPoint | undefined {
  const words = line.trim().split(/\s+/)
  const [bytesText, percentText] = words
  if (words.length !== 2 || bytesText === undefined || percentText === undefined) return undefined
  const bytes = /^\d+(\.\d+)?$/.test(bytesText) ? Number(bytesText) : parseQuantity('size', bytesText)
  const percent = /^\d+(\.\d+)?$/.test(percentText) ? Number(percentText) : NaN
  return bytes !== undefined && Number.isFinite(bytes) && percent >= 0 && percent <= 100 ? [bytes, percent] : undefined
}
