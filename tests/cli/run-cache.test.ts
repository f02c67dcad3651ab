import { existsSync, mkdirSync, readdirSync, rmSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { runKey } from '../../src/cli/sweep/program-key.ts'
import { RunCache } from '../../src/cli/files/run-cache.ts'
import { temporaryName } from '../../src/cli/files/temporary.ts'
import { run } from '../../src/lab/index.ts'
import { formatScenario, parseScenario } from '../../src/lab/scenario/index.ts'
import { createFolder, SMALL } from './program.ts'

let at: ReturnType<typeof createFolder>
beforeEach(() => {
  at = createFolder()
})
afterEach(() => at.clear())

const scenario = parseScenario(SMALL)
const text = formatScenario(scenario)
const key = runKey(text)

test('a stored result is found again, complete', async () => {
  const result = run(scenario)
  const cache = new RunCache(path.join(at.folder, 'runs'), 'runs')
  expect(await cache.find(key)).toBeUndefined()
  cache.add(key, text, result)
  expect(await cache.find(key)).toEqual(result)
  expect(await cache.find(runKey(formatScenario({ ...scenario, seed: 2 })))).toBeUndefined()
})

test('a result that is damaged, or of another schema, is not found, and is replaced by the next', async () => {
  const folder = path.join(at.folder, 'runs')
  const cache = new RunCache(folder, 'runs')
  const result = run(scenario)
  for (const [name, damage] of [
    ['flows.parquet', 'PAR1'],
    ['result.json', '{'],
    ['result.json', '{"schemaVersion": 2}'],
  ] as const) {
    cache.add(key, text, result)
    expect(await cache.find(key)).toEqual(result)
    writeFileSync(path.join(folder, key, name), damage)
    expect(await cache.find(key)).toBeUndefined()
  }
  rmSync(path.join(folder, key, 'result.json'))
  expect(await cache.find(key)).toBeUndefined()
  cache.add(key, text, result)
  expect(await cache.find(key)).toEqual(result)
  // Tables are stored as Parquet only.
  expect(readdirSync(path.join(folder, key)).filter((name) => name.endsWith('.csv'))).toEqual([])
})

test('clearing removes temporary files of dead processes of this machine', () => {
  const folder = path.join(at.folder, 'runs')
  mkdirSync(path.join(folder, temporaryName(key)), { recursive: true })
  mkdirSync(path.join(folder, `${key}0`))
  new RunCache(folder, 'runs').clear()
  expect(readdirSync(folder)).toEqual([`${key}0`])
})

test('clearing removes results and nothing else', () => {
  const folder = path.join(at.folder, 'runs')
  mkdirSync(folder)
  writeFileSync(path.join(folder, 'mine.txt'), '')
  const cache = new RunCache(folder, 'runs')
  cache.add(key, text, run(scenario))
  cache.clear()
  expect(readdirSync(folder)).toEqual(['mine.txt'])
})

test('an empty cache leaves no folder', () => {
  const folder = path.join(at.folder, 'runs')
  const cache = new RunCache(folder, 'runs')
  cache.add(key, text, run(scenario))
  cache.clear()
  cache.clear()
  expect(existsSync(folder)).toBe(false)
})
