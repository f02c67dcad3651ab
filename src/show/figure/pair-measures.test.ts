/**
 * Figures of queue pairs: round trips, marks and CNPs, by the rows that the observer `rates` records.
 */
import { expect, test } from 'vitest'
import { drawnLines, figureOf, observed, tableOf } from './result-figures.test-drawing.ts'
import { resultFigures } from './index.ts'

const us = 1e6
const COLUMNS = ['timePs', 'pair', 'source', 'destination', 'rateBps', 'windowPackets', 'rttPs']
const COUNTS = ['acks', 'markedAcks', 'cnps']

interface Sample {
  readonly atUs: number
  readonly pair?: number
  readonly rttUs?: number
  readonly acks?: number
  readonly markedAcks?: number
  readonly cnps?: number
}

function ratesOf(label: string, samples: readonly Sample[]) {
  const rows = samples.map(({ atUs, pair = 0, rttUs = NaN, acks = 0, markedAcks = 0, cnps = 0 }) => [
    atUs * us,
    pair,
    1,
    2,
    10e9,
    NaN,
    rttUs * us,
    acks,
    markedAcks,
    cnps,
  ])
  return observed(label, [tableOf('rates', [...COLUMNS, ...COUNTS], rows)])
}

/** Corners of each piece of a line, rounded to hundredths. */
const piecesOf = (svg: string, line = 0): number[][][] =>
  drawnLines(svg)[line]!.pieces.map((piece) =>
    piece.map(({ x, y }) => [Math.round(x * 10) / 10, Math.round(y * 100) / 100]),
  )
const namesOf = (samples: readonly Sample[]): string[] =>
  resultFigures([ratesOf('a', samples)])
    .map(({ name }) => name)
    .filter((name) => name.startsWith('rates'))

test('marks are the share of the ACKs between two samples, and nothing where there were none', () => {
  const svg = figureOf('rates-marks', [
    ratesOf('a', [
      { atUs: 0 },
      { atUs: 1, acks: 10, markedAcks: 5 },
      { atUs: 2, acks: 20, markedAcks: 15 },
      // No ACK came.
      { atUs: 3, acks: 20, markedAcks: 15 },
      { atUs: 4, acks: 40, markedAcks: 20 },
    ]),
  ])
  expect(piecesOf(svg)).toEqual([
    [
      [0, 0.5],
      [1, 0.5],
      [1, 1],
      [2, 1],
    ],
    [
      [3, 0.25],
      [4, 0.25],
    ],
  ])
})

test('a queue pair that opens between two samples has its marks from the sample before', () => {
  const rows = [
    { atUs: 0, pair: 0 },
    { atUs: 5, pair: 0, acks: 2, markedAcks: 2 },
    { atUs: 5, pair: 1, acks: 4, markedAcks: 1 },
  ]
  const svg = figureOf('rates-marks', [ratesOf('a', rows)])
  expect(piecesOf(svg, 1)).toEqual([
    [
      [0, 0.25],
      [5, 0.25],
    ],
  ])
})

test('CNPs are counted up, with whole numbers on the axis', () => {
  const samples = [{ atUs: 0 }, { atUs: 1, cnps: 2 }, { atUs: 2, cnps: 3 }]
  const svg = figureOf('rates-cnps', [ratesOf('a', samples)])
  expect(piecesOf(svg)).toEqual([
    [
      [0, 0],
      [1, 0],
      [1, 2],
      [2, 2],
      [2, 3],
    ],
  ])
  const ticks = /aria-label="y-axis tick label"[^>]*>(.*?)<\/g>/.exec(svg)?.[1] ?? ''
  expect([...ticks.matchAll(/>([^<]+)</g)].map(([, label]) => label)).toEqual(['0', '1', '2', '3'])
})

test('the round trip of a queue pair begins with its first', () => {
  const svg = figureOf('rates-rtt', [ratesOf('a', [{ atUs: 0 }, { atUs: 1, rttUs: 4 }, { atUs: 2, rttUs: 6 }])])
  expect(piecesOf(svg)).toEqual([
    [
      [1, 4],
      [2, 4],
      [2, 6],
    ],
  ])
})

test('counts of nothing have no figure, and in that of others no line', () => {
  const none = [{ atUs: 0 }, { atUs: 1, acks: 9 }]
  const some = [{ atUs: 0 }, { atUs: 1, acks: 9, markedAcks: 3, cnps: 1 }]
  expect(namesOf(none)).toEqual(['rates'])
  expect(namesOf(some)).toEqual(['rates', 'rates-marks', 'rates-cnps'])
  for (const name of ['rates-marks', 'rates-cnps']) {
    expect(drawnLines(figureOf(name, [ratesOf('none', none), ratesOf('some', some)]))).toHaveLength(1)
  }
})

test('results of older versions, without these columns, have rates and windows alone', () => {
  const columns = COLUMNS.slice(0, -1)
  const old = tableOf('rates', columns, [
    [0, 0, 1, 2, 10e9, 3],
    [us, 0, 1, 2, 10e9, 4],
  ])
  const names = resultFigures([observed('a', [old])]).map(({ name }) => name)
  expect(names.filter((name) => name.startsWith('rates'))).toEqual(['rates', 'rates-window'])
})
