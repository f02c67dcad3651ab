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
import type { Result, ResultFile } from '../../core/results/index.ts'
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

/** Visible files in the folder. */
function seenIn(at: string): Tree {
  const names = readdirSync(at, { recursive: true, encoding: 'utf8', withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => path.relative(at, path.join(entry.parentPath, entry.name)))
    .filter((name) => !/^\.|\.lock$/.test(name))
  return Object.fromEntries(names.map((name) => [name, readFileSync(path.join(at, name), 'utf8')]))
}

/** Runs `act` and calls `onMoment` before every change that it makes to the folder. */
function atEveryMoment(onMoment: () => void, act: () => void): void {
  const stop = watchMoments(top, onMoment)
  try {
    act()
  } finally {
    stop()
  }
}

test('a result folder is named after scenario, seed and beginning of the digest', () => {
  const result = { name: 'a b', seed: 3, digest: '0123456789abcdef' } as Result
  expect(defaultFolder(result)).toBe(path.join('results', 'a-b-s3-01234567'))
})

test('results are the same only if scenario, summary and digest exist and are equal', () => {
  writeFolder(folder, 'out', filesOf(RUN), false)
  for (const name of ['scenario.yaml', 'summary.json', 'digest.txt']) {
    expect(standingOf(folder, 'out', filesOf({ ...RUN, [name]: 'of another run' }))).toBe('another result')
  }
  const withoutScenario = filesOf(RUN).filter((file) => file.path !== 'scenario.yaml')
  expect(standingOf(folder, 'out', withoutScenario)).toBe('another result')
  rmSync(path.join(folder, 'scenario.yaml'))
  expect(standingOf(folder, 'out', filesOf(RUN))).toBe('another result')
})

test('while a result is replaced, the digest exists only if all files are of one run, and old files are removed', () => {
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

test('a folder that another process creates while a result is written is not replaced', () => {
  const makeIt = (): void => {
    if (existsSync(folder)) return
    mkdirSync(folder)
    writeFileSync(path.join(folder, 'mine.txt'), 'mine')
  }
  expect(() => atEveryMoment(makeIt, () => writeFolder(folder, 'out', filesOf(RUN), true))).toThrow(
    '--out: expected a folder that does not exist yet, received something else in out (--force replaces only results)',
  )
  expect(seenIn(top)).toEqual({ [path.join('out', 'mine.txt')]: 'mine' })
  expect(readdirSync(top)).toEqual(['out'])
})

test('a folder with a partial summary but no digest is not a result', () => {
  mkdirSync(folder)
  writeFileSync(path.join(folder, 'summary.json'), '{"partial":true}')
  expect(mayHoldPartial(folder, 'out')).toBe(false)
  writeFileSync(path.join(folder, 'digest.txt'), '')
  expect(mayHoldPartial(folder, 'out')).toBe(true)
})

test('missing files of a result are added, and existing ones left alone', () => {
  writeFolder(folder, 'out', filesOf(RUN), false)
  addMissing(folder, 'out', filesOf({ 'flows.csv': 'other', 'series/rates.csv': 'r', 'cost.json': '{}' }))
  expect(seenIn(folder)).toEqual({ ...RUN, [path.join('series', 'rates.csv')]: 'r', 'cost.json': '{}' })
})

test('the message for a file that cannot be added shows its path', () => {
  writeFolder(folder, 'out', filesOf({ ...RUN, series: 'a file' }), false)
  expect(() => addMissing(folder, 'out', filesOf({ 'series/rates.csv': 'r' }))).toThrow(
    `${path.join('out', 'series', 'rates.csv')}: expected a file that can be written, received a path through a file`,
  )
})

test('a reader returns the bytes of each file, and undefined for a missing one', () => {
  writeFolder(folder, 'out', filesOf(RUN), false)
  const read = readerOf(top, 'out')
  const digest = read('digest.txt')
  expect(new TextDecoder().decode(digest)).toBe('1')
  // A buffer of their own, not a view into a shared one.
  expect(digest?.buffer.byteLength).toBe(1)
  expect(read('cost.json')).toBeUndefined()
})

test('a reader of a missing folder reports the folder, not a missing file in it', () => {
  expect(() => readerOf(top, 'nowhere')('result.json')).toThrow(
    'nowhere: expected a result folder, received no such file or folder',
  )
})

test('a file of a result that is too large is refused before it is read', () => {
  writeFolder(folder, 'out', filesOf(RUN), false)
  truncateSync(path.join(folder, 'flows.csv'), 600e6)
  expect(() => readerOf(top, 'out')('flows.csv')).toThrow(
    `${path.join('out', 'flows.csv')}: expected a file of a result, received a file of 600 MB (a file may have at most 268 MB)`,
  )
})

test('the message for a folder in place of a file of a result shows its path', () => {
  writeFolder(folder, 'out', filesOf({ ...RUN, 'flows.parquet/x': '' }), false)
  expect(() => readerOf(top, 'out')('flows.parquet')).toThrow(
    `${path.join('out', 'flows.parquet')}: expected a file of a result, received a folder`,
  )
})
