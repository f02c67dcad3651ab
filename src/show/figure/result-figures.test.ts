import { expect, test } from 'vitest'
import {
  drawnLines,
  figureOf,
  flowsOf,
  legendOf,
  observed,
  subtitleOf,
  tableOf,
} from './result-figures.test-drawing.ts'
import { resultFigures } from './index.ts'

const QUEUE = ['timePs', 'nodeName', 'port', 'trafficClass', 'queueBytes']
const us = 1e6
const queueRow = (atUs: number, port: number, queueBytes: number) =>
  [atUs * us, 'switch', port, -1, queueBytes] as const
/** Depths of one port, 1 us apart. */
const queueOf = (label: string, ...depths: number[]) =>
  observed(label, [
    tableOf(
      'queue-depth',
      QUEUE,
      depths.map((depth, i) => queueRow(i, 1, depth)),
    ),
  ])
const near = (value: number): number => Math.round(value * 10) / 10

test('the busiest port is one line, whichever port it is at each sample', () => {
  const rows = [queueRow(0, 1, 1000), queueRow(1, 2, 6000), queueRow(2, 1, 2000), queueRow(3, 3, 3000)]
  const table = tableOf('queues', QUEUE, rows, 'queue-depth')
  const busiest = { kind: 'queue-depth', ports: 'busiest', table: 'queues' }
  const svg = figureOf('queue-depth', [observed('a', [table], [busiest])])
  const lines = drawnLines(svg)
  expect(lines).toHaveLength(1)
  // Up and down at each sample, and no value longer than to the next one.
  const corners = lines[0]!.pieces.map((piece) => piece.map(({ x, y }) => [near(x), near(y)]))
  expect(corners).toEqual([
    [
      [0, 1],
      [1, 1],
      [1, 6],
      [2, 6],
      [2, 2],
      [3, 2],
      [3, 3],
    ],
  ])
  expect(subtitleOf(svg)).toBe('busiest port')
  // For chosen ports the same rows are three lines.
  expect(drawnLines(figureOf('queue-depth', [observed('a', [table], [{ ...busiest, ports: 'all' }])]))).toHaveLength(3)
})

test('no line spans a gap in its samples', () => {
  const always = Array.from({ length: 12 }, (_, i) => queueRow(i, 1, 1000))
  const seen = [1, 2, 3, 7, 9, 10]
  const rows = [...always, ...seen.map((at) => queueRow(at, 2, 6000))].toSorted((a, b) => a[0] - b[0])
  const svg = figureOf('queue-depth', [observed('a', [tableOf('queue-depth', QUEUE, rows)])])
  const [whole, broken] = drawnLines(svg)
  expect(whole!.pieces).toHaveLength(1)
  const spans = broken!.pieces.map((piece) => [near(piece[0]!.x), near(piece.at(-1)!.x)])
  // A sample without neighbours is a dot.
  expect(spans).toEqual([
    [1, 3],
    [7, 7],
    [9, 10],
  ])
})

test('no line spans a gap either where there are more samples than can be seen', () => {
  const count = 60_000
  const isSeen = (i: number): boolean => i < 20_000 || i >= 45_000
  const rows = Array.from({ length: count }, (_, i) => i).flatMap((i) => [
    queueRow(i, 1, 1000),
    ...(isSeen(i) ? [queueRow(i, 2, 5000 + (i % 7))] : []),
  ])
  const svg = figureOf('queue-depth', [observed('a', [tableOf('queue-depth', QUEUE, rows)])])
  const [whole, broken] = drawnLines(svg)
  expect(whole!.pieces).toHaveLength(1)
  expect(broken!.pieces).toHaveLength(2)
  const [before, after] = broken!.pieces.map((piece) => [piece[0]!.x, piece.at(-1)!.x])
  expect([before![1]! > 19.8, before![1]! < 20.1, after![0]! > 44.9, after![0]! < 45.2]).toEqual([
    true,
    true,
    true,
    true,
  ])
})

test('an interval holds its value from its begin to its end, and none is drawn between intervals apart', () => {
  const columns = ['fromPs', 'toPs', 'host', 'goodputBps']
  const rows = [
    [0, 2 * us, -1, 10e9],
    [2 * us, 4 * us, -1, 30e9],
    [6 * us, 8 * us, -1, 20e9],
  ]
  const svg = figureOf('goodput', [observed('a', [tableOf('goodput', columns, rows)])])
  const [line] = drawnLines(svg)
  const corners = line!.pieces.map((piece) => piece.map(({ x, y }) => [near(x), near(y)]))
  expect(corners).toEqual([
    [
      [0, 10],
      [2, 10],
      [2, 30],
      [4, 30],
    ],
    [
      [6, 20],
      [8, 20],
    ],
  ])
})

test('every result has a line, also the one with the shortest queues', () => {
  const ports = (label: string, depth: number) => {
    const rows = [0, 1, 2].flatMap((at) => [1, 2, 3, 4, 5, 6, 7, 8, 9].map((port) => queueRow(at, port, depth + port)))
    return observed(label, [tableOf('queue-depth', QUEUE, rows)])
  }
  for (const count of [2, 3, 8, 11]) {
    const results = Array.from({ length: count }, (_, i) => ports(`scheme-${i}`, i === 0 ? 10 : 1e6 * i))
    const svg = figureOf('queue-depth', results)
    const each = Math.max(1, Math.floor(8 / count))
    const expected = results.flatMap(({ label }) => Array.from({ length: each }, () => label))
    expect(legendOf(svg).map((label) => label.split(':')[0])).toEqual(expected)
    expect(drawnLines(svg)).toHaveLength(count * each)
    expect(subtitleOf(svg)).toBe(
      `${count * each} of ${count * 9} lines: the ${each === 1 ? 'highest peak' : `${each} highest peaks`} of each result`,
    )
  }
})

test('two observers of one kind have a figure each', () => {
  const tables = ['queue-depth', 'slow'].map((name) =>
    tableOf(name, QUEUE, [queueRow(0, 1, 1), queueRow(1, 1, 2)], 'queue-depth'),
  )
  const names = resultFigures([observed('a', tables)]).map(({ name }) => name)
  expect(names.filter((name) => name.startsWith('queue'))).toEqual([
    'queue-depth',
    'queue-depth-cdf',
    'queue-depth-slow',
    'queue-depth-slow-cdf',
  ])
})

test('the spread of queues: the share of samples that are at most so deep', () => {
  const [line] = drawnLines(figureOf('queue-depth-cdf', [queueOf('a', 0, 0, 1000, 4000, 2000)]))
  const [piece] = line!.pieces
  const at = (kilobytes: number): number => near(piece!.findLast(({ x }) => x <= kilobytes + 0.01)!.y)
  expect([0, 1, 2, 4].map(at)).toEqual([0.4, 0.6, 0.8, 1])
})

const PAUSES = ['startPs', 'endPs', 'isOpen', 'node', 'tier', 'leftOut']
const OLD_PAUSES = 'pause-intervals/without-peers'

test('pauses over time: how many hold, by tier; what is open at the end holds to the end', () => {
  const rows = [
    [10 * us, 30 * us, 0, 1, 0, 0],
    [20 * us, 40 * us, 0, 2, 0, 0],
    [25 * us, 50 * us, 1, 9, 1, 3],
  ]
  const svg = figureOf('pauses', [observed('a', [tableOf('pause-intervals', PAUSES, rows, OLD_PAUSES)])])
  expect(legendOf(svg)).toEqual(['hosts', 'switches of tier 1'])
  const [hosts, switches] = drawnLines(svg).map(({ pieces }) => pieces[0]!)
  const at = (piece: typeof hosts, time: number): number => near(piece!.findLast(({ x }) => x <= time + 0.05)!.y)
  expect([5, 15, 25, 35, 45].map((time) => at(hosts, time))).toEqual([0, 1, 2, 1, 0])
  expect([20, 30, 50].map((time) => at(switches, time))).toEqual([0, 1, 1])
  // Both lines go to the end of the run.
  expect([hosts, switches].map((piece) => near(piece!.at(-1)!.x))).toEqual([50, 50])
  expect(subtitleOf(svg)).toContain('a: 3 later pauses were not recorded')
})

test('a result without a pause has a line at zero beside one with pauses', () => {
  const results = [[[10 * us, 30 * us, 0, 1, 0, 0]], []].map((rows, i) =>
    observed(`r${i}`, [tableOf('pause-intervals', PAUSES, rows, OLD_PAUSES)]),
  )
  const svg = figureOf('pauses', results)
  expect(legendOf(svg)).toEqual(['r0', 'r1'])
  const highest = drawnLines(svg).map(({ pieces }) => Math.max(...pieces.flat().map(({ y }) => near(y))))
  expect(highest).toEqual([1, 0])
})

test('lines can be distinguished without their colour, in the drawing as in the legend', () => {
  const results = Array.from({ length: 30 }, (_, i) => queueOf(`r${i}`, i, i + 1))
  const svg = figureOf('queue-depth', results)
  const [legend = '', drawing = ''] = svg.split('<g transform="translate(0,')
  // A line and its marker, without colours and places; corners of a marker are named from its first one.
  const swatches = [...legend.matchAll(/<line ([^>]*)\/><(circle|polygon)([^>]*)\/>/g)].map(
    ([, line, mark, position]) => {
      const corners = [...(position as string).matchAll(/([\d.]+),([\d.]+)/g)].map(([, x, y]) => [Number(x), Number(y)])
      const outline = corners.map(([x, y]) => [near(x! - corners[0]![0]!), near(y! - corners[0]![1]!)].join())
      return [/dasharray="[^"]*"/.exec(line as string)?.[0], mark, ...outline].join(' ')
    },
  )
  expect(swatches).toHaveLength(30)
  expect(new Set(swatches).size).toBe(30)
  expect(drawnLines(svg).map(({ dashes }) => dashes)).toEqual(
    [...legend.matchAll(/<line ([^>]*)\/>/g)].map(
      ([, look]) => /dasharray="([^"]*)"/.exec(look as string)?.[1] ?? 'solid',
    ),
  )
  expect([...drawing.matchAll(/<g aria-label="dot"/g)]).toHaveLength(30)
})

test('unfinished flows count in every share, and the figure says how many they are', () => {
  const flows = [1, 2, 3, NaN].map((slowdown) => ({ sizeBytes: 1000, slowdown }))
  const svg = figureOf('slowdown', [flowsOf('a', flows), flowsOf('b', flows.slice(0, 3))])
  const [a, b] = drawnLines(svg).map(({ pieces }) => pieces[0]!)
  expect([near(a!.at(-1)!.y * 10), near(b!.at(-1)!.y)]).toEqual([7.5, 1])
  const shares = [...new Set(a!.map(({ y }) => Math.round(y * 100) / 100))]
  expect(shares).toEqual([0, 0.25, 0.5, 0.75])
  // The curve of unfinished flows runs to the edge of the drawing, the other to its last value.
  const edge = Number(/aria-label="rule"[^>]*><line x1="[\d.]+" x2="([\d.]+)"/.exec(svg)?.[1])
  const ends = [...svg.matchAll(/<g aria-label="line"[^>]*><path d="[^"]*L([\d.]+),[\d.]+"/g)].map(([, x]) => Number(x))
  expect([ends[0], ends[1]! < edge]).toEqual([edge, true])
  expect(subtitleOf(svg)).toMatch(
    /^measured flows that did not finish: a 1 of 4, b 0 of 3; unfinished flows count as slowest/,
  )
})

test('the tail is the share of flows that are at least so slow, to the last one', () => {
  const flows = Array.from({ length: 1000 }, (_, i) => ({ sizeBytes: 1000, slowdown: 1 + i }))
  const svg = figureOf('slowdown-tail', [flowsOf('a', flows)])
  const labels = /aria-label="y-axis tick label"[^>]*>(.*?)<\/g>/.exec(svg)?.[1]
  expect([...labels!.matchAll(/>([^<]+)</g)].map(([, label]) => label)).toEqual(['10⁻³', '10⁻²', '10⁻¹', '1'])
  const path = /<g aria-label="line"[^>]*><path d="([^"]*)"/.exec(svg)![1]!
  const [first, ...rest] = [...path.matchAll(/,([\d.]+)/g)].map(([, y]) => Number(y))
  // From 1 at the top to 1 in 1000 at the bottom.
  expect([first, rest.at(-1)]).toEqual([10, 314])
  // A decade of the share has as much of the line as another: the last ten flows are there one by one.
  expect(rest.filter((y) => y > 213).length).toBeGreaterThanOrEqual(10)
})

test('messages that were never posted are no flows, and the figure tells of them', () => {
  const { label, result } = flowsOf('a', [{ sizeBytes: 1, slowdown: 2 }])
  const svg = figureOf('slowdown', [{ label, result: { ...result, unposted: { 'retry limit': 5 } } }])
  expect(subtitleOf(svg)).toContain('and 5 messages that wait for others were never posted')
})

test('a result of which nothing finished is drawn beside others', () => {
  const done = flowsOf(
    'done',
    [1, 2, 4].map((slowdown) => ({ sizeBytes: 1000, slowdown })),
  )
  const stuck = flowsOf(
    'stuck',
    [NaN, NaN].map((slowdown) => ({ sizeBytes: 1000, slowdown })),
  )
  const svg = figureOf('slowdown', [done, stuck])
  expect(legendOf(svg)).toEqual(['done', 'stuck'])
  expect(
    drawnLines(svg)[1]!
      .pieces.flat()
      .map(({ y }) => near(y)),
  ).toEqual([0, 0])
  expect(resultFigures([stuck]).map(({ name }) => name)).toEqual(['drops-by-cause'])
})

test('many tags: those with most flows of each result, and the figure says so', () => {
  const flows = Array.from({ length: 12 }, (_, i) => i).flatMap((i) =>
    Array.from({ length: i + 1 }, () => ({ sizeBytes: 1, slowdown: 1 + i, tag: `t${i}` })),
  )
  const svg = figureOf('slowdown', [flowsOf('a', flows), flowsOf('b', flows)])
  expect(legendOf(svg)).toEqual(
    ['a', 'b'].flatMap((label) => ['t8', 't9', 't10', 't11'].map((tag) => `${label}, ${tag}`)),
  )
  expect(subtitleOf(svg)).toContain('of each result the tags with most flows, 4 at most')
  // All flows of a tag are equally slow here: each curve goes straight up, farther right for each tag.
  const positions = drawnLines(svg).map(({ pieces }) => [...new Set(pieces.flat().map(({ x }) => x))])
  expect(positions.map((some) => some.length)).toEqual([1, 1, 1, 1, 1, 1, 1, 1])
  expect(new Set(positions.flat()).size).toBe(4)
})

test('a figure has the size that was asked for, and grows only when it has no room for its axis', () => {
  const results = [queueOf('a', 1, 2), queueOf('b', 2, 3)]
  const sizeOf = (options: { width: number; height: number }) =>
    /width="(\d+)" height="([\d.]+)"/
      .exec(figureOf('queue-depth', results, options))!
      .slice(1)
      .map(Number)
  expect(sizeOf({ width: 800, height: 450 })).toEqual([800, 450])
  expect(sizeOf({ width: 400, height: 100 })[1]).toBeGreaterThan(150)
  // The label of the axis on the left is 24 letters long.
  const flows = [flowsOf('a', [{ sizeBytes: 1, slowdown: 2 }])]
  const tail = figureOf('slowdown-tail', flows, { width: 400, height: 100 })
  expect(Number(/height="([\d.]+)"/.exec(tail)?.[1])).toBeGreaterThan(220)
  expect(figureOf('queue-depth', results, { title: 'Mine' })).toContain('>Mine</text>')
})

test('all figures of two results, at a glance', () => {
  const named = (label: string, factor: number) => {
    const { result } = flowsOf(
      label,
      [1, 2, 4, NaN].map((slowdown, i) => ({ sizeBytes: 10, slowdown, tag: `t${i % 2}` })),
    )
    const rows = [0, 1, 2].flatMap((at) => [queueRow(at, 1, factor * at), queueRow(at, 2, factor)])
    const pauses = [[10 * us, 30 * us, 0, 1, 0, 0]]
    return {
      label,
      result: { ...result, series: [tableOf('queue-depth', QUEUE, rows), tableOf('p', PAUSES, pauses, OLD_PAUSES)] },
    }
  }
  const figures = resultFigures([named('a', 1e3), named('b', 1e6)])
  const seen = figures.map(({ name, svg }) => `${name}: ${legendOf(svg).join(' | ')}; ${subtitleOf(svg)}`)
  expect(seen.join('\n')).toMatchInlineSnapshot(`
    "completion: a, t0 | a, t1 | b, t0 | b, t1; each: 1 of 4 measured flows did not finish; unfinished flows count as slowest, and their curve runs level to the edge; percentiles in the summary leave them out
    completion-tail: a, t0 | a, t1 | b, t0 | b, t1; each: 1 of 4 measured flows did not finish; unfinished flows count as slowest, and their curve runs level to the edge; percentiles in the summary leave them out
    slowdown: a, t0 | a, t1 | b, t0 | b, t1; each: 1 of 4 measured flows did not finish; unfinished flows count as slowest, and their curve runs level to the edge; percentiles in the summary leave them out
    slowdown-tail: a, t0 | a, t1 | b, t0 | b, t1; each: 1 of 4 measured flows did not finish; unfinished flows count as slowest, and their curve runs level to the edge; percentiles in the summary leave them out
    goodput-by-tag: a | b; payload delivered, over the time from a tag's first start to its last end
    fairness-by-tag: a | b; between the flows of a tag: 1 where all have the same goodput, 1/n where one of n has everything
    drops-by-cause: a | b; 
    queue-depth: a: switch port 1 | a: switch port 2 | b: switch port 1 | b: switch port 2; 
    queue-depth-cdf: a: switch port 1 | a: switch port 2 | b: switch port 1 | b: switch port 2; 
    pauses: a | b; ports that PFC pauses, counted once for each paused traffic class"
  `)
})
