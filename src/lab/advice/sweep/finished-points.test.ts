import { expect, test } from 'vitest'
import { run } from '../../index.ts'
import { runJson, summarize } from '../../../core/results/index.ts'
import { parseScenario } from '../../scenario/index.ts'
import { type FinishedPoint, findPoints } from './finished-points.ts'
import type { Point } from './points.ts'

const text = `name: pair
topology: {kind: star, hosts: 2}
workload: [{kind: incast, senders: 1, sizeEach: 1KB}]
`
const result = run(parseScenario(text))
/** The summary written to JSON and read back. */
const summary = JSON.parse(JSON.stringify(runJson(result, summarize(result)))) as FinishedPoint['summary']
const point: Point = { id: 0, key: 'a', values: { 'qp.window': '1MB' }, seed: 1, scenarioText: text }
const line: FinishedPoint = { key: 'a', values: point.values, seed: 1, summary }

test('a complete line is a finished point', () => {
  const { finished, others, damaged } = findPoints([point], [line])
  expect([...finished]).toEqual([['a', line]])
  expect({ others, damaged }).toEqual({ others: 0, damaged: 0 })
})

test('a line without any one of its fields is not a finished point', () => {
  const cuts = [
    ...Object.keys(line).map((name) => ({ ...line, [name]: undefined })),
    ...Object.keys(summary).map((name) => ({ ...line, summary: { ...summary, [name]: undefined } })),
    ...Object.keys(summary.flows).map((name) => ({
      ...line,
      summary: { ...summary, flows: { ...summary.flows, [name]: undefined } },
    })),
    ...Object.keys(summary.completionPs).map((name) => ({
      ...line,
      summary: { ...summary, completionPs: { ...summary.completionPs, [name]: undefined } },
    })),
  ]
  expect(cuts.length).toBeGreaterThan(40)
  for (const cut of cuts) {
    // JSON omits an undefined field.
    const { finished, damaged } = findPoints([point], [JSON.parse(JSON.stringify(cut)) as unknown])
    expect([finished.size, damaged], JSON.stringify(cut)).toEqual([0, 1])
  }
})

test.each([
  ['only the key', { key: 'a' }],
  ['another seed', { ...line, seed: 2 }],
  ['a summary of another seed', { ...line, summary: { ...summary, seed: 2 } }],
  ['values that are no texts', { ...line, values: { 'qp.window': 1 } }],
  ['values that are nothing', { ...line, values: null }],
  ['a summary that is nothing', { ...line, summary: null }],
  ['a summary that is a list', { ...line, summary: [] }],
  ['another schema', { ...line, summary: { ...summary, schemaVersion: 2 } }],
  ['a digest that was cut', { ...line, summary: { ...summary, digest: summary.digest.slice(1) } }],
  ['a count that is a fraction', { ...line, summary: { ...summary, cnps: 0.5 } }],
  ['a count below zero', { ...line, summary: { ...summary, cnps: -1 } }],
  ['counts that are texts', { ...line, summary: { ...summary, drops: { all: '1' } } }],
  ['times that are texts', { ...line, summary: { ...summary, pausedPs: { host: '1' } } }],
  ['a number that is a text', { ...line, summary: { ...summary, goodputBps: '1' } }],
  ['a flag that is a number', { ...line, summary: { ...summary, partial: 0 } }],
  ['a failure that is nothing', { key: 'a', failed: null }],
  ['a failure without a message', { key: 'a', failed: { isInput: true } }],
  ['a limit that is nothing', { ...line, stopped: null }],
  ['a limit that is a text', { ...line, stopped: { simulatedPs: '1ms' } }],
  ['a key that is a number', { ...line, key: 1 }],
  ['no JSON', undefined],
  ['nothing', null],
  ['a number', 5],
])('a line with %s is none', (_, damagedLine) => {
  expect(findPoints([point], [damagedLine])).toMatchObject({ others: 0, damaged: 1 })
  expect(findPoints([point], [damagedLine]).finished.size).toBe(0)
})

test('a damaged line does not hide a complete one of the same point, before or after it', () => {
  for (const lines of [
    [line, { key: 'a' }],
    [{ key: 'a' }, line],
  ]) {
    const { finished, damaged } = findPoints([point], lines)
    expect([finished.size, damaged]).toEqual([1, 0])
  }
})

test('values may be written differently than in the plan, and points of other sweeps are counted once each', () => {
  const { finished, others } = findPoints([point], [{ ...line, values: {} }, { key: 'b' }, { key: 'b' }, { key: 'c' }])
  expect([finished.size, others]).toEqual([1, 2])
})
