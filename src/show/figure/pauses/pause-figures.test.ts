/** Figures of pauses: who pauses whom, in the order of the spread, readable for thousands of ports. */
import { describe, expect, test } from 'vitest'
import { run } from '../../../lab/index.ts'
import { type Column, createTable, type Result, type Table } from '../../../core/results/index.ts'
import { oldKind } from '../../../core/results/stored/old-kinds.ts'
import { parseScenario } from '../../../lab/scenario/index.ts'
import { resultFigures } from '../index.ts'
import { mostAtOnce, sharesOf, stagesOf } from '../../pauses/pause-stages.ts'
import { fullestTree } from './tree-vertices.ts'

function tableOf(name: string, rows: readonly Readonly<Record<string, number | string>>[]): Table {
  const columns = Object.keys(rows[0]!).map((column): Column => {
    const data = rows.map((row) => row[column]!)
    return typeof data[0] === 'string'
      ? { name: column, type: 'text', data: data.map(String) }
      : { name: column, type: 'integer', data: Float64Array.from(data.map(Number)) }
  })
  return createTable(name, columns)
}

const observed = run(
  parseScenario(`
name: spread
topology: {kind: leaf-spine, leaves: 3, spines: 1, hostsPerLeaf: 8, hostRate: 100Gbps, fabricRate: 400Gbps}
congestion: none
pfc: {classes: [3]}
switch: {buffer: {kind: shared-buffer, size: 1500KB}}
workload: [{kind: incast, senders: 20, receiver: 0, sizeEach: 500KB}]
observe: [pause-intervals, {kind: pause-tree, interval: 10us}, {kind: server-state, interval: 50us}, {kind: deadlock, interval: 50us}]`),
)
const withSeries = (series: readonly Table[]): Result => ({ ...observed, series })
const figureOf = (name: string, ...results: readonly Result[]): string => {
  const figures = resultFigures(results.map((result, k) => ({ label: `run ${k}`, result })))
  return (
    figures.find((figure) => figure.name === name)?.svg ?? `none of ${figures.map((figure) => figure.name).join(' ')}`
  )
}
const wordsOf = (svg: string): string => svg.replace(/<[^>]*>/g, ' ')

test('a run that observed pauses has a timeline, a tree and its servers', () => {
  const timeline = wordsOf(figureOf('pause-timeline', observed))
  for (const words of ['host, paused by leaf', 'spine, paused by leaf', 'leaf, paused by spine', 'time (us)']) {
    expect(timeline).toContain(words)
  }
  const tree = wordsOf(figureOf('pause-tree', observed))
  expect(tree).toContain('leaf 0')
  expect(tree).toContain('3 hops')
  expect(wordsOf(figureOf('servers', observed))).toContain('waiting, not paused')
})

test('of several results each has its timeline, and servers have a line each', () => {
  expect(wordsOf(figureOf('pause-timeline-2', observed, observed))).toContain('run 1')
  expect(wordsOf(figureOf('servers', observed, observed))).toContain('servers available')
})

test('an older result, which does not say who asked for a pause, has no timeline', () => {
  const old = observed.series.map((table) => {
    const columns = table.columns.filter(({ name }) => !['peerName', 'peerTier'].includes(name))
    return createTable(table.name, columns, oldKind(columns))
  })
  expect(figureOf('pause-timeline', withSeries(old))).toContain('none of')
  expect(figureOf('pauses', withSeries(old))).toContain('<svg')
})

describe('thousands of ports', () => {
  const pauses = Array.from({ length: 6000 }, (_, k) => {
    const tier = k % 3
    const word = ['host', 'tor', 'leaf']
    return {
      startPs: (tier + 1) * 1e6 + k * 1000,
      endPs: 50e6,
      isOpen: 0,
      node: k,
      nodeName: `${word[tier]!} ${k}`,
      port: 1,
      peerNode: 10_000,
      trafficClass: 3,
      tier,
      peerName: `${word[(tier + 1) % 3]!} 7`,
      peerTier: (tier + 1) % 3,
      leftOut: 0,
    }
  })
  const table = tableOf('pause-intervals', pauses)

  test('are few rows of the timeline, with the number of those left out', () => {
    const svg = figureOf('pause-timeline', withSeries([table]))
    expect(wordsOf(svg)).toContain('and 1,988 more')
    expect(Number(/ height="(\d+)/.exec(svg)![1])).toBeLessThan(1000)
    expect(svg.length).toBeLessThan(500_000)
  })

  test('stand by stage, in the order in which the stages begin', () => {
    const stages = stagesOf(table)
    expect(stages.map(({ label }) => label)).toEqual([
      'host, paused by tor',
      'tor, paused by leaf',
      'leaf, paused by host',
    ])
    expect(stages.map(({ ports }) => ports.length)).toEqual([2000, 2000, 2000])
  })

  test('are few boxes of the tree, which counts all hosts', () => {
    const rows = [
      { node: 1, nodeName: 'tor 0', peerNode: 0, peerName: 'host 0', parent: -1, depth: 1, tier: 1 },
      ...Array.from({ length: 60 }, (_, k) => ({
        node: 10 + k,
        nodeName: `leaf ${k}`,
        peerNode: 1,
        peerName: 'tor 0',
        parent: 0,
        depth: 2,
        tier: 2,
      })),
      ...Array.from({ length: 3000 }, (_, k) => ({
        node: 100 + k,
        nodeName: `host ${k}`,
        peerNode: 10 + (k % 60),
        peerName: `leaf ${k % 60}`,
        parent: 1 + (k % 60),
        depth: 3,
        tier: 0,
      })),
    ].map((row) => ({ timePs: 5e6, rootKind: 'host', rootNode: 0, rootName: 'host 0', sincePs: 1e6, ...row }))
    const tree = tableOf('pause-tree', rows)
    expect(fullestTree(tree)).toMatchObject({ pauses: 3061, hosts: 3000, roots: [{ label: 'host 0', hosts: 3000 }] })
    const svg = figureOf('pause-tree', withSeries([tree]))
    expect(wordsOf(svg)).toContain('3,000 hosts held up')
    expect(wordsOf(svg)).toContain('and 55 more')
    expect(Number(/ height="(\d+)/.exec(svg)![1])).toBeLessThan(1500)
  })
})

test('shares of a bin: two classes paused at once count once, and what lies outside does not', () => {
  const port = {
    label: '',
    firstPs: 0,
    totalPs: 0,
    spans: [
      [-50, 50],
      [120, 150],
      [130, 150],
      [390, 900],
    ] as const,
  }
  expect([...sharesOf(port, 0, 400, 4)]).toEqual([0.5, 0.5, 0, expect.closeTo(0.1)])
})

test('two classes of a port count once among the ports paused at once, and a pause that begins where another ends does not add', () => {
  const port = (...spans: (readonly [number, number])[]) => ({ label: '', firstPs: 0, totalPs: 0, spans })
  expect(mostAtOnce([port([0, 10], [5, 20]), port([20, 30]), port([8, 9])])).toBe(2)
})
