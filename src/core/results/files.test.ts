import { expect, test } from 'vitest'
import { InputError } from '../base/issue.ts'
import { exampleResult } from './example.test-data.ts'
import { readResult, type ResultFile, resultFiles, type ResultReader } from './files.ts'

const EXTRAS = { scenarioText: 'name: example\n', cost: { cpuSeconds: 1, wallSeconds: 2, peakRssBytes: 3 } }

/** Files in memory, in place of a folder. */
const readerOf =
  (files: readonly ResultFile[]): ResultReader =>
  (path) =>
    files.find((file) => file.path === path)?.data

test('a result written as files reads back equal', async () => {
  const result = exampleResult()
  const stored = await readResult(readerOf(resultFiles(result, EXTRAS)))
  expect(stored).toEqual({ result, ...EXTRAS, scenarioList: expect.any(Function) as unknown })
})

test('a result has the long lists of its scenario as files, and gives back no other file as one', async () => {
  const lists = [{ name: 'scenario.workload.0.flows.list', text: '0 1 1KB 0ps\n' }]
  const files = resultFiles(exampleResult(), { ...EXTRAS, scenarioLists: lists })
  expect(files.map((file) => file.path).slice(0, 2)).toEqual(['scenario.yaml', 'scenario.workload.0.flows.list'])
  const { scenarioList } = await readResult(readerOf(files))
  expect(scenarioList('scenario.workload.0.flows.list')).toBe('0 1 1KB 0ps\n')
  for (const name of ['scenario.workload.1.flows.list', 'digest.txt', '../scenario.a.list'])
    expect(scenarioList(name)).toBeUndefined()
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
  const bytesOf = (all: readonly ResultFile[]) => all.map(({ path, data }) => [path, data])
  expect(bytesOf(resultFiles(exampleResult(), { scenarioText: '' }))).toEqual(bytesOf(files))
})

test('a missing, broken or foreign file is an input error', async () => {
  const files = resultFiles(exampleResult(), EXTRAS)
  const without = files.filter((file) => file.path !== 'flows.parquet')
  await expect(readResult(readerOf(without))).rejects.toThrow('flows.parquet: expected a file of a result')
  const head = (text: string) =>
    readerOf(
      files.map((file) => (file.path === 'result.json' ? { ...file, data: new TextEncoder().encode(text) } : file)),
    )
  await expect(readResult(head('{'))).rejects.toThrow('result.json: expected JSON')
  await expect(readResult(head('{"schemaVersion": 2}'))).rejects.toThrow('expected schemaVersion 1, received 2')
  await expect(readResult(head('null'))).rejects.toThrow('result.json: expected an object, received null')
  await expect(readResult(head('{"schemaVersion": 1}'))).rejects.toThrow(
    'result.json: version: expected a text, received nothing',
  )
})

test('a damaged table is an input error, wherever it was cut', async () => {
  const files = resultFiles(exampleResult(), EXTRAS)
  const whole = files.find((file) => file.path === 'flows.parquet')?.data ?? new Uint8Array()
  const readWith = async (data: Uint8Array): Promise<unknown> =>
    readResult(readerOf(files.map((file) => (file.path === 'flows.parquet' ? { ...file, data } : file)))).catch(
      (error: unknown) => error,
    )
  expect(whole.length).toBeGreaterThan(1000)
  for (const length of [0, 3, 100, whole.length >> 1, whole.length - 1]) {
    const error = await readWith(whole.slice(0, length))
    expect(error, `${length} bytes`).toBeInstanceOf(InputError)
    expect(String(error)).toContain('flows.parquet: expected a whole Parquet file, received one that cannot be read: ')
  }
})
