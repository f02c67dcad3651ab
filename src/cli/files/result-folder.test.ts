import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  truncateSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { watchMoments } from '../../../tests/cli/moments.mjs'
import type { Result, ResultFile } from '../../results/index.ts'
import { addMissing, defaultFolder, mayHoldPartial, readerOf, standingOf, writeFolder } from './result-folder.ts'

let top = ''
let folder = ''
beforeEach(() => {
  top = mkdtempSync(path.join(tmpdir(), 'rocelab-result-'))
  folder = path.join(top, 'out')
})
afterEach(() => rmSync(top, { recursive: true }))

type Tree = Readonly<Record<string, string>>

const RUN: Tree = { 'digest.txt': '1', 'scenario.yaml': 'seed: 1', 'summary.json': '{"seed":1}', 'flows.csv': 'a' }

const filesOf = (tree: Tree): ResultFile[] =>
  Object.entries(tree).map(([name, text]) => ({ path: name, data: new TextEncoder().encode(text) }))

/** Files in the folder that users see. */
function seenIn(at: string): Tree {
  const names = readdirSync(at, { recursive: true, encoding: 'utf8', withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => path.relative(at, path.join(entry.parentPath, entry.name)))
    .filter((name) => !/^\.|\.lock$/.test(name))
  return Object.fromEntries(names.map((name) => [name, readFileSync(path.join(at, name), 'utf8')]))
}

/** Does something at every moment at which a kill would leave another disk behind. */
function atEveryMoment(onMoment: () => void, act: () => void): void {
  const stop = watchMoments(top, onMoment)
  try {
    act()
  } finally {
    stop()
  }
}

test('a result is named by its scenario, its seed and the beginning of its digest', () => {
  const result = { name: 'a b', seed: 3, digest: '0123456789abcdef' } as Result
  expect(defaultFolder(result)).toBe(path.join('results', 'a-b-s3-01234567'))
})

test('a result is the same only if scenario, summary and digest are, and all of them are there', () => {
  writeFolder(folder, 'out', filesOf(RUN), false)
  for (const name of ['scenario.yaml', 'summary.json', 'digest.txt']) {
    expect(standingOf(folder, 'out', filesOf({ ...RUN, [name]: 'of another run' }))).toBe('another result')
  }
  const withoutScenario = filesOf(RUN).filter((file) => file.path !== 'scenario.yaml')
  expect(standingOf(folder, 'out', withoutScenario)).toBe('another result')
  rmSync(path.join(folder, 'scenario.yaml'))
  expect(standingOf(folder, 'out', filesOf(RUN))).toBe('another result')
})

test('where the digest of a replaced result stands, all files are of one run; those of the old one alone are gone', () => {
  const old = { ...RUN, 'series/queues.csv': 'q' }
  const young = { 'digest.txt': '2', 'scenario.yaml': 'seed: 2', 'summary.json': '{"seed":2}', 'flows.csv': 'b' }
  writeFolder(folder, 'out', filesOf(old), false)
  const marked: Tree[] = []
  const look = (): void => {
    if (existsSync(path.join(folder, 'digest.txt'))) marked.push(seenIn(folder))
  }
  atEveryMoment(look, () => writeFolder(folder, 'out', filesOf(young), true))
  expect(marked.length).toBeGreaterThan(2)
  for (const tree of marked) expect([old, young]).toContainEqual(tree)
  expect(seenIn(folder)).toEqual(young)
})

test('a folder that somebody else makes while a result is written is not replaced', () => {
  const makeIt = (): void => {
    if (existsSync(folder)) return
    mkdirSync(folder)
    writeFileSync(path.join(folder, 'mine.txt'), 'mine')
  }
  expect(() => atEveryMoment(makeIt, () => writeFolder(folder, 'out', filesOf(RUN), true))).toThrow(
    '--out: expected a folder that is not there yet, received something else in out (not even --force replaces what is no result)',
  )
  expect(seenIn(top)).toEqual({ [path.join('out', 'mine.txt')]: 'mine' })
  expect(readdirSync(top)).toEqual(['out'])
})

test('a folder that only calls itself partial is no result', () => {
  mkdirSync(folder)
  writeFileSync(path.join(folder, 'summary.json'), '{"partial":true}')
  expect(mayHoldPartial(folder, 'out')).toBe(false)
  writeFileSync(path.join(folder, 'digest.txt'), '')
  expect(mayHoldPartial(folder, 'out')).toBe(true)
})

test('files that a result lacks are added, and those that are there are left alone', () => {
  writeFolder(folder, 'out', filesOf(RUN), false)
  addMissing(folder, 'out', filesOf({ 'flows.csv': 'other', 'series/rates.csv': 'r', 'cost.json': '{}' }))
  expect(seenIn(folder)).toEqual({ ...RUN, [path.join('series', 'rates.csv')]: 'r', 'cost.json': '{}' })
})

test('a file that cannot be added is told with its path', () => {
  writeFolder(folder, 'out', filesOf({ ...RUN, series: 'a file' }), false)
  expect(() => addMissing(folder, 'out', filesOf({ 'series/rates.csv': 'r' }))).toThrow(
    `${path.join('out', 'series', 'rates.csv')}: expected a file that can be written, received a path through a file`,
  )
})

test('a reader gives the bytes of each file, and nothing for one that is not there', () => {
  writeFolder(folder, 'out', filesOf(RUN), false)
  const read = readerOf(top, 'out')
  const digest = read('digest.txt')
  expect(new TextDecoder().decode(digest)).toBe('1')
  // Bytes of their own, and not a part of a buffer that others use too.
  expect(digest?.buffer.byteLength).toBe(1)
  expect(read('cost.json')).toBeUndefined()
})

test('a reader of a folder that is not there says so, and not which file is missing in it', () => {
  expect(() => readerOf(top, 'nowhere')('result.json')).toThrow(
    'nowhere: expected a result folder, received no such file or folder',
  )
})

test('a file of a result that is too large to be one is refused before it fills the memory', () => {
  writeFolder(folder, 'out', filesOf(RUN), false)
  truncateSync(path.join(folder, 'flows.csv'), 600e6)
  expect(() => readerOf(top, 'out')('flows.csv')).toThrow(
    `${path.join('out', 'flows.csv')}: expected a file of a result, received a file of 600 MB (a file may have at most 268 MB)`,
  )
})

test('a folder in the place of a file of a result is told with its path', () => {
  writeFolder(folder, 'out', filesOf({ ...RUN, 'flows.parquet/x': '' }), false)
  expect(() => readerOf(top, 'out')('flows.parquet')).toThrow(
    `${path.join('out', 'flows.parquet')}: expected a file of a result, received a folder`,
  )
})
