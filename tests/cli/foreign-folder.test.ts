/**
 * Folders from anybody: what stands in them changes and shows nothing outside them, and ends no command in a stack trace.
 */
import { spawnSync } from 'node:child_process'
import {
  existsSync,
  lstatSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  symlinkSync,
  truncateSync,
  writeFileSync,
} from 'node:fs'
import path from 'node:path'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { InputError } from '../../src/core/base/issue.ts'
import { AttemptLogs, createAttemptLog } from '../../src/cli/cluster/attempt-logs.ts'
import { ClusterJobs } from '../../src/cli/cluster/cluster-jobs.ts'
import { currentName, exchangeFiles, settleFolder } from '../../src/cli/files/exchange.ts'
import { lockFolder } from '../../src/cli/files/folder-lock.ts'
import { addMissing, claimFolder, holdsWhole, readerOf, writeFolder } from '../../src/cli/files/result-folder.ts'
import { RunCache } from '../../src/cli/files/run-cache.ts'
import { PointLog } from '../../src/cli/sweep/point-log.ts'
import { readReportedSweep } from '../../src/cli/sweep/stored-sweep.ts'
import { SweepFlows } from '../../src/cli/sweep/sweep-flows.ts'
import { createFolder, rocelab, SMALL } from './program.ts'

let at: ReturnType<typeof createFolder>
let folder = ''
beforeEach(() => {
  at = createFolder({ 'victim/deep/file': 'precious', 'victim/file': 'precious', 'small.yaml': SMALL })
  folder = path.join(at.folder, 'out')
  mkdirSync(folder)
})
afterEach(() => at.clear())

/** Names, kinds and texts of all that is below a folder. */
function treeOf(top: string): string[] {
  const entries = readdirSync(top, { withFileTypes: true })
  return entries
    .toSorted((a, b) => (a.name < b.name ? -1 : 1))
    .flatMap((entry) => {
      const file = path.join(top, entry.name)
      if (entry.isDirectory()) return [file, ...treeOf(file)]
      return [`${file} ${entry.isFile() ? readFileSync(file, 'utf8') : 'no file'}`]
    })
}

/** Refused as a mistake of the input, with everything as it was. */
function expectRefused(act: () => unknown): void {
  const before = treeOf(at.folder)
  expect(act).toThrow(InputError)
  expect(treeOf(at.folder)).toEqual(before)
}

function put(name: string, text: string): void {
  const file = path.join(folder, name)
  mkdirSync(path.dirname(file), { recursive: true })
  writeFileSync(file, text)
}

function putJournal(text: string): void {
  put('.incoming/.journal.json', text)
  put('.incoming/evil.txt', 'evil')
  put('kept.txt', 'kept')
}

const ONE = [{ path: 'new.txt', data: 'new' }]

describe('a journal', () => {
  const names = [
    '../victim',
    '..',
    '.',
    '',
    '/etc',
    'a/../../victim',
    'a/..',
    './victim',
    'a//b',
    'a\0b',
    '.hidden/x',
    'a\\b/c',
  ]
  const journals = [
    ...names.map((name) => JSON.stringify({ leaving: [name], coming: ['evil.txt'] })),
    ...[...names, 'a\\b', '.journal.json'].map((name) => JSON.stringify({ leaving: [], coming: [name, 'evil.txt'] })),
    '{"leaving": [".incoming"], "coming": []}',
    '',
    'no JSON',
    'null',
    '1',
    '[]',
    '{}',
    '{"leaving": 1, "coming": []}',
    '{"leaving": [1], "coming": []}',
    '{"leaving": [], "coming": null}',
    '{"leaving": {}, "coming": []}',
    '{"leaving": []}',
    '{"coming": [[]]}',
  ]

  test.each(journals)('that no exchange can have written is refused, and nothing is touched: %j', (text) => {
    expect.hasAssertions()
    putJournal(text)
    expectRefused(() => settleFolder(folder, 'out'))
    expectRefused(() => exchangeFiles(folder, 'out', ONE, () => true))
    expectRefused(() => currentName(folder, 'out', 'kept.txt'))
    expectRefused(() => claimFolder(folder, 'out', true))
    expectRefused(() => readerOf(at.folder, 'out')('result.json'))
  })

  test('follows no link out of the folder', () => {
    const outside = path.join(at.folder, 'victim')
    putJournal(JSON.stringify({ leaving: [], coming: ['evil.txt', 'linked/file'] }))
    symlinkSync(outside, path.join(folder, 'linked'))
    put('.incoming/linked/file', 'evil')
    expectRefused(() => settleFolder(folder, 'out'))
    // Without evil.txt the removals would be over.
    putJournal(JSON.stringify({ leaving: ['linked'], coming: ['gone.txt', 'linked/file'] }))
    expectRefused(() => settleFolder(folder, 'out'))
    putJournal(JSON.stringify({ leaving: ['linked/file', 'linked'], coming: ['evil.txt'] }))
    expectRefused(() => settleFolder(folder, 'out'))
    // The link itself may leave.
    putJournal(JSON.stringify({ leaving: ['linked'], coming: ['evil.txt', 'linked/file'] }))
    settleFolder(folder, 'out')
    expect(readFileSync(path.join(folder, 'linked', 'file'), 'utf8')).toBe('evil')
    expect(treeOf(outside).filter((line) => line.endsWith('precious'))).toHaveLength(2)
  })

  test('and what comes with it are no links', () => {
    expect.hasAssertions()
    putJournal(JSON.stringify({ leaving: [], coming: ['file'] }))
    symlinkSync(path.join(at.folder, 'victim', 'file'), path.join(folder, '.incoming', 'file'))
    expectRefused(() => settleFolder(folder, 'out'))
  })

  test('is looked for in a folder that is no link, and files without a journal stay', () => {
    expect.hasAssertions()
    symlinkSync(path.join(at.folder, 'victim'), path.join(folder, '.incoming'))
    expectRefused(() => settleFolder(folder, 'out'))
    expectRefused(() => claimFolder(folder, 'out', true))
    const other = path.join(at.folder, 'other')
    mkdirSync(path.join(other, '.incoming', 'deep'), { recursive: true })
    writeFileSync(path.join(other, '.incoming', 'deep', 'file'), 'precious')
    expectRefused(() => settleFolder(other, 'other'))
  })

  test.each([
    [['run', 'small.yaml', '--out', 'out', '--force']],
    [['plot', 'out', '--out', 'out']],
    [['reproduce', 'igbn', '--out', 'out']],
    [['sweep', 'small.yaml', '--seeds', '2', '--out', 'out']],
    [['report', 'out']],
  ])('is refused by %j with one line', (words) => {
    putJournal('{"leaving": ["../victim"], "coming": ["evil.txt"]}')
    const before = treeOf(at.folder)
    const { code, stderr } = rocelab(at.folder, ...words)
    expect({ code, lines: stderr.trim().split('\n').length }).toEqual({ code: 2, lines: 1 })
    expect(stderr).not.toMatch(/bug:|\n\s+at /)
    expect(treeOf(at.folder)).toEqual(before)
  })
})

describe('a link out of a folder', () => {
  const linked = (name: string, to = 'victim'): void => {
    mkdirSync(path.dirname(path.join(folder, name)), { recursive: true })
    symlinkSync(path.join(at.folder, to), path.join(folder, name))
  }
  const key = '0'.repeat(32)
  const point = { key, values: {}, seed: 1 }

  test('is followed by no log', () => {
    expect.hasAssertions()
    linked('points.jsonl', 'victim/file')
    expectRefused(() => new PointLog(folder, 'out'))
    linked('cluster/logs/a.jsonl', 'victim/file')
    expectRefused(() => new AttemptLogs(folder, 'out').next())
    linked('cluster/jobs.jsonl', 'victim/file')
    expectRefused(() => new ClusterJobs(folder, 'out').all())
    expectRefused(() => new ClusterJobs(folder, 'out').submitted('rocelab-a', '1'))
  })

  test('is followed by no folder of logs', () => {
    expect.hasAssertions()
    linked('cluster')
    expectRefused(() => createAttemptLog(folder, 'out', 'task'))
    expectRefused(() => new AttemptLogs(folder, 'out').next())
    expectRefused(() => new ClusterJobs(folder, 'out'))
  })

  test('is followed by no cache and no flows', () => {
    linked('runs')
    expectRefused(() => new RunCache(path.join(folder, 'runs'), 'out/runs'))
    linked(`results/${key}`)
    const cache = new RunCache(path.join(folder, 'results'), 'out/results')
    expectRefused(() => cache.holds(key))
    linked('flows')
    expectRefused(() => new SweepFlows(folder, 'out'))
    const other = path.join(at.folder, 'other')
    mkdirSync(path.join(other, 'flows'), { recursive: true })
    symlinkSync(path.join(at.folder, 'victim'), path.join(other, 'flows', 'seed=1'))
    const flows = new SweepFlows(other, 'other')
    expectRefused(() => flows.write(point, new Uint8Array(1)))
    expectRefused(() => flows.holds(point))
    writeFileSync(path.join(at.folder, 'victim', 'part.parquet'), '')
    expect(flows.foreign({ name: '', axes: [], seeds: [], points: [], key: '' })).toEqual([])
  })

  test('is followed by no file of a result', () => {
    expect.hasAssertions()
    const data = new Uint8Array(1)
    const files = ['digest.txt', 'summary.json', 'scenario.yaml', 'series/a'].map((name) => ({ path: name, data }))
    writeFolder(folder, 'out', files.slice(0, 3), false)
    linked('series')
    expectRefused(() => readerOf(at.folder, 'out')('series/file'))
    expectRefused(() => addMissing(folder, 'out', files))
    linked('result.json', 'victim/file')
    expectRefused(() => readerOf(at.folder, 'out')('result.json'))
  })

  test('may stay in the folder', () => {
    put('real.txt', 'text')
    symlinkSync('real.txt', path.join(folder, 'link.txt'))
    expect(Buffer.from(readerOf(at.folder, 'out')('link.txt') ?? []).toString()).toBe('text')
  })
})

/** A system program, which may be missing. */
const MAKE_PIPE = 'mkfifo'

/** Makes a named pipe, by a system program. */
function pipeAt(name: string): void {
  mkdirSync(path.dirname(path.join(folder, name)), { recursive: true })
  expect(spawnSync(MAKE_PIPE, [path.join(folder, name)]).status).toBe(0)
}

describe('anything but a regular file', () => {
  test('is opened by no reader: it would wait for a writer', () => {
    expect.hasAssertions()
    for (const name of [
      'points.jsonl',
      'cluster/logs/a.jsonl',
      'cluster/jobs.jsonl',
      'sweep.json',
      'result.json',
      'summary.json',
    ])
      pipeAt(name)
    put('digest.txt', '')
    expectRefused(() => new PointLog(folder, 'out'))
    expectRefused(() => new AttemptLogs(folder, 'out').next())
    expectRefused(() => new ClusterJobs(folder, 'out').all())
    expectRefused(() => readReportedSweep(at.folder, 'out'))
    expectRefused(() => readerOf(at.folder, 'out')('result.json'))
    expectRefused(() => readerOf(at.folder, 'out')('summary.json'))
    expectRefused(() => holdsWhole(folder, 'out'))
  })

  test("a lock that is a folder or a pipe is nobody's, and stays", () => {
    mkdirSync(path.join(folder, 'sweep.lock'))
    expectRefused(() => lockFolder(folder, 'out', 'sweep'))
    pipeAt('reproduce.lock')
    expectRefused(() => lockFolder(folder, 'out', 'reproduce'))
    expect(lstatSync(path.join(folder, 'reproduce.lock')).isFIFO()).toBe(true)
  })

  test.each(['{"pid": 1e20, "host": "a", "started": ""}', '{"pid": -1}', 'null', '[]', '\0'])(
    'a lock of %j is stale',
    (text) => {
      put('sweep.lock', text)
      lockFolder(folder, 'out', 'sweep').release()
      expect(existsSync(path.join(folder, 'sweep.lock'))).toBe(false)
    },
  )

  test('and no file without a bound is read', () => {
    put('points.jsonl', '')
    truncateSync(path.join(folder, 'points.jsonl'), 2 ** 40)
    expect(() => new PointLog(folder, 'out')).toThrow(InputError)
    expect(rocelab(at.folder, 'task', '/dev/zero')).toMatchObject({ code: 2 })
  })
})
