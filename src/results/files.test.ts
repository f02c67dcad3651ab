import { expect, test } from 'vitest'
import { exampleResult } from './example.ts'
import { readResult, resultFiles } from './files.ts'

const EXTRAS = { scenarioText: 'name: example\n', cost: { cpuSeconds: 1, wallSeconds: 2, peakRssBytes: 3 } }

test('a result written as files reads back equal', async () => {
  const result = exampleResult()
  const stored = await readResult(resultFiles(result, EXTRAS))
  expect(stored).toEqual({ result, ...EXTRAS })
})

test('files have the promised names and, without the cost, the same bytes each time', () => {
  const files = resultFiles(exampleResult(), { scenarioText: '' })
  expect(files.map((file) => file.path)).toEqual([
    'scenario.yaml',
    'summary.json',
    'result.json',
    'digest.txt',
    'flows.parquet',
    'flows.csv',
    'series/queue%20depth.parquet',
    'series/queue%20depth.csv',
  ])
  expect(resultFiles(exampleResult(), { scenarioText: '' })).toEqual(files)
})

test('a missing, broken or foreign file is an input error', async () => {
  const files = resultFiles(exampleResult(), EXTRAS)
  const without = files.filter((file) => file.path !== 'flows.parquet')
  await expect(readResult(without)).rejects.toThrow('flows.parquet: expected a file of a result')
  const head = (text: string) =>
    files.map((file) => (file.path === 'result.json' ? { ...file, data: new TextEncoder().encode(text) } : file))
  await expect(readResult(head('{'))).rejects.toThrow('result.json: expected JSON')
  await expect(readResult(head('{"schemaVersion": 2}'))).rejects.toThrow('expected schemaVersion 1, received 2')
})
