/**
 * Charts of queue pairs beside a flow: the measures that a run observed, of the queue pairs with most samples.
 */
import { expect, test } from 'vitest'
import { observed, tableOf } from '../figure/result-figures.test-drawing.ts'
import { pairCharts } from './pair-charts.ts'

const COLUMNS = ['timePs', 'pair', 'source', 'destination', 'rateBps', 'windowPackets', 'rttPs']
const COUNTS = ['acks', 'markedAcks', 'cnps']
const ms = 1e9

/** Queue pair `pair` from host `pair` to host 9, seen `samples` times, 1 ms apart. */
function rowsOf(pair: number, samples: number, windowPackets = NaN): number[][] {
  return Array.from({ length: samples }, (_, i) => [
    (i + 1) * ms,
    pair,
    pair,
    9,
    25e9,
    windowPackets,
    i === 0 ? NaN : 8e6,
    4 * i,
    i,
    0,
  ])
}
const chartsOf = (rows: readonly (readonly number[])[]) =>
  pairCharts(observed('a', [tableOf('rates', [...COLUMNS, ...COUNTS], rows)]).result)

test('each measure that was seen has its line, in the units of its axis', () => {
  const { measures, pairs } = chartsOf(rowsOf(3, 3, 7))
  // No CNP came.
  expect(measures.map(({ id, timeUnit }) => [id, timeUnit])).toEqual([
    ['rates', 'ms'],
    ['rates-window', 'ms'],
    ['rates-rtt', 'ms'],
    ['rates-marks', 'ms'],
  ])
  expect(pairs).toHaveLength(1)
  expect(pairs[0]).toMatchObject({ source: 3, destination: 9 })
  const { lines } = pairs[0]!
  expect(lines['rates']).toEqual({ series: 'QP 3', x: [1, 2, 3], y: [25, 25, 25] })
  expect(lines['rates-window']!.y).toEqual([7, 7, 7])
  expect(lines['rates-rtt']).toEqual({ series: 'QP 3', x: [2, 3], y: [8, 8] })
  expect(lines['rates-marks']).toMatchObject({ x: [1, 2, 3], y: [0.25, 0.25, 0.25] })
})

test('the queue pairs with most samples are kept, each by few points', () => {
  const rows = [...Array.from({ length: 70 }, (_, pair) => rowsOf(pair, 3)).flat(), ...rowsOf(70, 3000)]
  const { pairs } = chartsOf(rows.toSorted((a, b) => a[0]! - b[0]!))
  expect(pairs).toHaveLength(60)
  expect(pairs[0]!.source).toBe(70)
  expect(pairs[0]!.lines['rates']!.x.length).toBeLessThanOrEqual(210)
})

test('a run that did not observe rates has none', () => {
  expect(pairCharts(observed('a', []).result)).toEqual({ measures: [], pairs: [] })
})
