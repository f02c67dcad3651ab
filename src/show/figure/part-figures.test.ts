/**
 * Parts of completion times, as shares and as times: what each bar is long, read back from the drawing.
 */
import { expect, test } from 'vitest'
import { type Column, createTable, PARTS } from '../../core/results/index.ts'
import { flowsOf, legendOf } from './result-figures.test-drawing.ts'
import { type NamedResult, resultFigures } from './index.ts'
import { partColour } from './drawing/part-colours.ts'

/** Flows whose times are made of these parts, as shares. */
function explained(label: string, slowdowns: readonly number[], shares: Readonly<Record<string, number>>): NamedResult {
  const named = flowsOf(
    label,
    slowdowns.map((slowdown) => ({ sizeBytes: 1000, slowdown })),
  )
  const { flows } = named.result
  const numbers = (name: string): Float64Array =>
    flows.columns.find((column) => column.name === name)!.data as Float64Array
  const [startPs, receivedPs] = [numbers('startPs'), numbers('receivedPs')]
  const parts = PARTS.map(({ column }): Column => {
    const data = receivedPs.map((ps, row) => (shares[column] ?? 0) * (ps - startPs[row]!))
    return { name: column, type: 'number', data }
  })
  return { label, result: { ...named.result, flows: createTable('flows', [...flows.columns, ...parts]) } }
}

interface Piece {
  readonly fill: string
  readonly x: number
  readonly width: number
  readonly y: number
  readonly title: string
}

function piecesOf(name: string, results: readonly NamedResult[]): { readonly svg: string; readonly pieces: Piece[] } {
  const { svg } = resultFigures(results).find((figure) => figure.name === name)!
  const drawing = svg.split('<g transform="translate(0,').slice(1).join('')
  const pieces = [...drawing.matchAll(/<g aria-label="rect"[^>]* fill="(#\w+)"[^>]*>(.*?)<\/g>/g)].flatMap(
    ([, fill = '', inner = '']) =>
      Array.from(
        inner.matchAll(/<rect x="([\d.]+)" y="([\d.]+)" width="([\d.]+)"[^>]*><title>([^<]*)</g),
        ([, x, y, width, title]) => ({ fill, x: Number(x), width: Number(width), y: Number(y), title: title! }),
      ),
  )
  return { svg, pieces }
}

const PAUSED = { ownPs: 0.25, pausedPs: 0.75 }

test('two parts of one figure have two colours, in bars and legend', () => {
  const all = Object.fromEntries(PARTS.map(({ column }) => [column, 1 / PARTS.length]))
  for (const name of ['parts-by-slowdown', 'parts-time']) {
    const { svg, pieces } = piecesOf(name, [explained('a', [2, 4], all)])
    const shown = legendOf(svg)
    expect(shown).toHaveLength(11)
    expect(new Set(pieces.map(({ fill }) => fill)).size).toBe(shown.length)
  }
})

test('shares fill the bar; times are as long as they are, so that two results compare', () => {
  const results = [explained('fast', [2, 2], PAUSED), explained('slow', [6, 6], PAUSED)]
  const lengths = (name: string): number[] => {
    const { pieces } = piecesOf(name, results)
    return pieces.filter(({ fill }) => fill === partColour('pausedPs')).map(({ width }) => width)
  }
  const shares = lengths('parts-by-slowdown')
  expect(shares).toHaveLength(4)
  expect(Math.max(...shares) - Math.min(...shares)).toBeLessThan(0.1)
  const [fast, , slow] = lengths('parts-time').toSorted((a, b) => a - b)
  // A pixel is left between pieces.
  expect((slow! + 1) / (fast! + 1)).toBeCloseTo(3, 1)
})

test('bars begin at 0, which is the first tick of a linear axis', () => {
  const { svg, pieces } = piecesOf('parts-time', [explained('a', [2, 40], PAUSED)])
  const [first = 0] = pieces.map(({ x }) => x).toSorted((a, b) => a - b)
  const ticks = [...(/aria-label="x-axis tick label"[^>]*>(.*?)<\/g>/.exec(svg)?.[1] ?? '').matchAll(/>([^<]+)</g)]
  expect(ticks[0]![1]).toBe('0')
  expect(svg).toMatch(new RegExp(`aria-label="x-axis tick"[^>]*><path transform="translate\\(${first},`))
})

test('a piece says its name apart from its share and its time', () => {
  const { pieces } = piecesOf('parts-by-slowdown', [explained('a', [3, 3], PAUSED)])
  expect(pieces.filter(({ fill }) => fill === partColour('pausedPs')).map(({ title }) => title)).toEqual([
    expect.stringMatching(/^paused in the network: 75.0 %, [\d.]+ us a flow$/),
    expect.stringMatching(/^paused in the network: 75.0 %, [\d.]+ us a flow$/),
  ])
})
