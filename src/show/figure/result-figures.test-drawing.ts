/**
 * Reads the content of a drawn figure back from its SVG, in the units of its axes; and results to draw.
 */
import { type Column, createTable, type Result, type Table } from '../../core/results/index.ts'
import { exampleResult } from '../../core/results/example.test-data.ts'
import { type FigureOptions, type NamedResult, resultFigures } from './index.ts'

export interface DrawnPoint {
  readonly x: number
  readonly y: number
}

/** A line: its unbroken pieces from left to right, each of its corners. */
export interface DrawnLine {
  readonly colour: string
  readonly dashes: string
  readonly pieces: readonly (readonly DrawnPoint[])[]
}

/** Pixels to the units of a linear axis, by its first tick label and its last. */
function unitsOf(svg: string, axis: 'x' | 'y'): (px: number) => number {
  const group = new RegExp(`aria-label="${axis}-axis tick label"[^>]*>(.*?)</g>`).exec(svg)?.[1] ?? ''
  const ticks = [...group.matchAll(/translate\(([-\d.]+),([-\d.]+)\)">([^<]+)</g)].map(([, x, y, label]) => ({
    px: Number(axis === 'x' ? x : y),
    value: Number(label),
  }))
  const [first, last] = [ticks[0]!, ticks.at(-1)!]
  return (px) => first.value + ((px - first.px) / (last.px - first.px)) * (last.value - first.value)
}

type Pixel = readonly [x: number, y: number]

/** Without the points that repeat the one before: a step of no height has three in one place. */
function corners(points: readonly Pixel[]): Pixel[] {
  return points.filter(([x, y], i) => i === 0 || x !== points[i - 1]![0] || y !== points[i - 1]![1])
}

/** Lines of a figure whose axes are linear, in the order in which they are drawn. */
export function drawnLines(svg: string): DrawnLine[] {
  const [x, y] = [unitsOf(svg, 'x'), unitsOf(svg, 'y')]
  return [...svg.matchAll(/<g aria-label="line"([^>]*)><path d="([^"]*)"/g)].map(([, look = '', path = '']) => ({
    colour: /stroke="(#\w+)"/.exec(look)?.[1] ?? '',
    dashes: /stroke-dasharray="([^"]*)"/.exec(look)?.[1] ?? 'solid',
    pieces: path
      .split('M')
      .filter((piece) => piece !== '')
      .map((piece) =>
        corners([...piece.matchAll(/([-\d.]+),([-\d.]+)/g)].map(([, px, py]) => [Number(px), Number(py)] as const)).map(
          ([px, py]) => ({ x: x(px), y: y(py) }),
        ),
      ),
  }))
}

/** Labels of the legend, in its order. */
export function legendOf(svg: string): string[] {
  const [before = ''] = svg.split('<g transform="translate(0,')
  return [...before.matchAll(/font-size="13" fill="#1f2328">([^<]*)</g)].map(([, label]) => label as string)
}

export const subtitleOf = (svg: string): string =>
  [...svg.matchAll(/font-size="13" fill="#57606a">([^<]*)</g)].map(([, text]) => text as string).join(' ')

/** The figure of that name. */
export function figureOf(name: string, results: readonly NamedResult[], options: FigureOptions = {}): string {
  const figures = resultFigures(results, options)
  const found = figures.find((figure) => figure.name === name)
  if (found === undefined) throw new Error(`no figure ${name} among ${figures.map((figure) => figure.name).join(', ')}`)
  return found.svg
}

/** A table of numbers and texts, by rows. */
export function tableOf(
  name: string,
  columns: readonly string[],
  rows: readonly (readonly (number | string)[])[],
  kind = name,
): Table {
  return createTable(
    name,
    columns.map((column, i): Column => {
      const data = rows.map((row) => row[i]!)
      if (data.some((value) => typeof value === 'string')) return { name: column, type: 'text', data: data.map(String) }
      return { name: column, type: 'number', data: Float64Array.from(data as number[]) }
    }),
    kind,
  )
}

/** A result that observed these tables. */
export function observed(label: string, series: readonly Table[], observe: readonly unknown[] = []): NamedResult {
  return { label, result: { ...exampleResult(), scenario: { observe }, series } }
}

/** Flows of a size and a slowdown each; NaN: it did not finish. */
export function flowsOf(
  label: string,
  flows: readonly { readonly sizeBytes: number; readonly slowdown: number; readonly tag?: string }[],
): NamedResult {
  const example = exampleResult()
  const number = (name: string, data: readonly number[]): Column => ({
    name,
    type: 'number',
    data: Float64Array.from(data),
  })
  const text = (name: string, data: readonly string[]): Column => ({ name, type: 'text', data })
  const times = flows.map(({ slowdown }) => slowdown * 1e6)
  const table = createTable('flows', [
    number(
      'sizeBytes',
      flows.map(({ sizeBytes }) => sizeBytes),
    ),
    number(
      'startPs',
      flows.map(() => 0),
    ),
    number('receivedPs', times),
    number('acknowledgedPs', times),
    number(
      'idealPs',
      flows.map(() => 1e6),
    ),
    number(
      'idealAcknowledgedPs',
      flows.map(() => 1e6),
    ),
    number(
      'measured',
      flows.map(() => 1),
    ),
    text(
      'tag',
      flows.map(({ tag = '' }) => tag),
    ),
    text(
      'status',
      flows.map(({ slowdown }) => (Number.isNaN(slowdown) ? 'retry limit' : 'finished')),
    ),
  ])
  const result: Result = { ...example, flows: table, series: [] }
  return { label, result }
}
