/**
 * Exchanges killed at every moment, simulated in this process: the folder is copied before each operation on it, and the
 * copies are made to look like those of a dead process.
 */
import { spawnSync } from 'node:child_process'
import {
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { hostname, tmpdir } from 'node:os'
import path from 'node:path'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { currentName, exchangeFiles, namesOf, settleFolder } from '../../src/cli/files/exchange.ts'
import { writeWhole } from '../../src/cli/files/files.ts'
import { writeReport } from '../../src/cli/files/report-folder.ts'
import {
  claimFolder,
  fileName,
  holdsWhole,
  mayHoldPartial,
  standingOf,
  writeFolder,
} from '../../src/cli/files/result-folder.ts'
import { clearTemporary, isTemporary, temporaryName } from '../../src/cli/files/temporary.ts'
import { watchMoments } from './moments.mjs'

let top = ''
let folder = ''
beforeEach(() => {
  top = mkdtempSync(path.join(tmpdir(), 'rocelab-exchange-'))
  folder = path.join(top, 'watched', 'out')
  mkdirSync(folder, { recursive: true })
})
afterEach(() => rmSync(top, { recursive: true, force: true }))

/** Process id of a process that has ended. */
const gone = spawnSync(process.execPath, ['--version']).pid
type Tree = Readonly<Record<string, string>>

function treeOf(at: string): Tree {
  const names = readdirSync(at, { recursive: true, encoding: 'utf8', withFileTypes: true })
  const files = names.filter((entry) => entry.isFile()).map((entry) => path.join(entry.parentPath, entry.name))
  return Object.fromEntries(files.toSorted().map((file) => [path.relative(at, file), readFileSync(file, 'utf8')]))
}

/** The files without temporary files and locks. */
function visibleIn(at: string): Tree {
  return Object.fromEntries(Object.entries(treeOf(at)).filter(([name]) => !/^\.|\.lock$/.test(name)))
}

function put(tree: Tree, at = folder): void {
  for (const [name, text] of Object.entries(tree)) {
    mkdirSync(path.dirname(path.join(at, name)), { recursive: true })
    writeFileSync(path.join(at, name), text)
  }
}

/** Copies of the folder before every operation of `act` on it, and after the last. */
function photograph(act: () => void): readonly string[] {
  const photos: string[] = []
  const take = (): void => {
    const photo = path.join(top, 'photos', String(photos.length))
    cpSync(path.dirname(folder), photo, { recursive: true })
    asOfGone(photo)
    photos.push(path.join(photo, 'out'))
  }
  const stop = watchMoments(path.dirname(folder), take)
  try {
    act()
  } finally {
    stop()
  }
  take()
  return photos
}

/** Replaces the id of this process by that of a dead one, in names and locks. */
function asOfGone(at: string): void {
  for (const entry of readdirSync(at, { withFileTypes: true })) {
    const file = path.join(at, entry.name.replace(`.tmp-${process.pid}.`, `.tmp-${gone}.`))
    renameSync(path.join(at, entry.name), file)
    if (entry.isDirectory()) asOfGone(file)
    else if (entry.name.endsWith('.lock'))
      writeFileSync(file, readFileSync(file, 'utf8').replace(`"pid":${process.pid},`, `"pid":${gone},`))
  }
}

const OLD: Tree = { 'a.txt': 'old a', 'both/x': 'old x', 'both/y': 'old y', 'gone/z': 'old z', mark: 'old' }
const NEW: Tree = { 'a.txt': 'new a', 'both/x': 'new x', 'fresh/w': 'new w', mark: 'new' }
const given = Object.entries(NEW).map(([name, data]) => ({ path: name, data }))
const names = [...new Set([...Object.keys(OLD), ...Object.keys(NEW)])]

/** The files as a reader finds them. */
function read(at: string): Tree {
  const files = names
    .map((name) => [name, path.join(at, currentName(at, 'out', name))] as const)
    .filter(([, file]) => existsSync(file))
  return Object.fromEntries(files.map(([name, file]) => [name, readFileSync(file, 'utf8')]))
}

describe('an exchange of all files', () => {
  test('shows all old files or all new ones whenever it is killed, and is completed by the next', () => {
    put(OLD)
    const photos = photograph(() => exchangeFiles(folder, 'out', given, () => true))
    expect(treeOf(folder)).toEqual(NEW)
    const seen = photos.map((photo, index) => {
      const tree = read(photo)
      const isOld = tree['mark'] === 'old'
      expect(tree).toEqual(isOld ? OLD : NEW)
      // If the mark is in place, all files are.
      const isMarked = existsSync(path.join(photo, 'mark'))
      expect([undefined, OLD, NEW]).toContainEqual(isMarked ? visibleIn(photo) : undefined)
      expect(namesOf(photo).every((name) => !name.startsWith('.') && !name.endsWith('.lock'))).toBe(true)
      // The next exchange or settleFolder completes or cleans up.
      const isNextExchange = index % 4 === 0
      if (isNextExchange) exchangeFiles(photo, 'out', [{ path: 'mark', data: 'third' }], () => false)
      else settleFolder(photo, 'out')
      expect(treeOf(photo)).toEqual(isNextExchange ? { ...tree, mark: 'third' } : tree)
      expect(readdirSync(photo).filter((name) => name.startsWith('.') || name.endsWith('.lock'))).toEqual([])
      return isOld
    })
    const change = seen.indexOf(false)
    expect(change).toBeGreaterThan(5)
    expect(seen.length - change).toBeGreaterThan(5)
    expect(seen.slice(change)).not.toContain(true)
  })

  test('may exchange a file for a folder, and a folder for a file', () => {
    put({ a: 'old', 'b/x': 'old', mark: 'old' })
    const files = ['a/x', 'b', 'mark'].map((name) => ({ path: name, data: 'new' }))
    const photos = photograph(() => exchangeFiles(folder, 'out', files, () => true))
    for (const photo of photos) {
      settleFolder(photo, 'out')
      const tree = treeOf(photo)
      expect(tree).toEqual(
        tree['mark'] === 'old' ? { a: 'old', 'b/x': 'old', mark: 'old' } : { 'a/x': 'new', b: 'new', mark: 'new' },
      )
    }
    expect(treeOf(folder)).toEqual({ 'a/x': 'new', b: 'new', mark: 'new' })
  })

  test('is refused during that of another program, and changes nothing', () => {
    put(OLD)
    const held = { pid: process.ppid, host: 'elsewhere', started: '1' }
    writeFileSync(path.join(folder, 'program.lock'), JSON.stringify(held))
    expect(() => exchangeFiles(folder, 'out', given, () => true)).toThrow(
      '--out: expected a folder that no other program is writing, received process ',
    )
    expect(() => settleFolder(folder, 'out')).toThrow('on elsewhere writing out')
    rmSync(path.join(folder, 'program.lock'))
    expect(treeOf(folder)).toEqual(OLD)
  })

  test('changes nothing if it cannot write its files', () => {
    put(OLD)
    const impossible = [{ path: 'x', data: 'x' }, { path: 'x/y', data: 'y' }, ...given]
    expect(() => exchangeFiles(folder, 'out', impossible, () => true)).toThrow(/ENOTDIR|EEXIST|EISDIR/)
    expect(treeOf(folder)).toEqual(OLD)
    expect(readdirSync(folder).filter((name) => name.startsWith('.'))).toEqual([])
  })
})

describe('a report', () => {
  test('keeps other files in its folder, except those named as outdated', () => {
    put({ 'mine.txt': 'mine', 'report.txt': 'old', 'old.txt': 'old', 'figures/a.svg': 'old' })
    writeReport(
      folder,
      'out',
      [
        { path: 'figures/b.svg', text: 'new' },
        { path: 'report.txt', text: 'new' },
      ],
      ['old.txt'],
    )
    expect(treeOf(folder)).toEqual({
      'figures/a.svg': 'old',
      'figures/b.svg': 'new',
      'mine.txt': 'mine',
      'report.txt': 'new',
    })
    writeReport(path.join(folder, 'none'), 'out', [])
    expect(existsSync(path.join(folder, 'none'))).toBe(false)
  })

  test('that cannot be written is reported with its folder', () => {
    put({ 'file.txt': '' })
    expect(() => writeReport(path.join(folder, 'file.txt'), 'out', [{ path: 'a', text: '' }])).toThrow(
      'out: expected a folder that can be written',
    )
  })
})

describe('a single file', () => {
  test('is old or new whenever it is killed, and the next write leaves no temporary file', () => {
    put({ 'a.txt': 'old' })
    for (const photo of photograph(() => writeWhole(path.join(folder, 'a.txt'), 'new'))) {
      expect(['old', 'new']).toContain(readFileSync(path.join(photo, 'a.txt'), 'utf8'))
      writeWhole(path.join(photo, 'a.txt'), 'third')
      expect(treeOf(photo)).toEqual({ 'a.txt': 'third' })
    }
  })
})

describe('temporary names', () => {
  test('name their process, and are removed once it is dead', () => {
    const ours = temporaryName('a')
    expect([ours, 'a', '.tmp-1', '.tmp-x.host-a'].map(isTemporary)).toEqual([true, false, false, false])
    const [, host = ''] = /^\.tmp-\d+\.(\w+)-a$/.exec(ours) ?? []
    // The beginning of a long name; eight digits of a hash make the difference.
    expect(host.slice(0, -8)).toBe(
      hostname()
        .replace(/[^A-Za-z0-9]/g, '')
        .slice(0, 12),
    )
    expect(host).toMatch(/[0-9a-f]{8}$/)
    expect(ours).toBe(`.tmp-${process.pid}.${host}-a`)
    const dead = `.tmp-${gone}.${host}`
    const kept = [`.tmp-${process.ppid}.${host}-a`, `.tmp-${gone}.elsewhere-a`, '.tmp-mine', 'a']
    put(Object.fromEntries([`${dead}-a`, `${dead}-b`, ours, ...kept].map((name) => [name, ''])))
    clearTemporary(folder, 'b')
    expect(readdirSync(folder)).toHaveLength(6)
    clearTemporary(folder, 'a')
    expect(readdirSync(folder).toSorted()).toEqual(kept.toSorted())
    put({ [`${dead}-folder/x`]: '', [`${dead}-b`]: '' })
    clearTemporary(folder)
    expect(readdirSync(folder).toSorted()).toEqual(kept.toSorted())
    clearTemporary(path.join(folder, 'nowhere'))
  })

  test('do not exceed the longest file name', () => {
    const long = 'x'.repeat(255)
    expect(temporaryName(long).length).toBeLessThan(100)
    put({ [temporaryName(long)]: '' })
    clearTemporary(folder, long)
    expect(readdirSync(folder)).toEqual([])
  })
})

describe('a result folder', () => {
  const bytes = (text: string): Uint8Array => new TextEncoder().encode(text)
  const filesOf = (seed: number, isPartial = false) =>
    [
      ['digest.txt', `${seed}`],
      ['summary.json', JSON.stringify({ seed, partial: isPartial })],
      ['scenario.yaml', `seed: ${seed}`],
      ['series/a.csv', 'a'],
    ].map(([name = '', text = '']) => ({ path: name, data: bytes(text) }))

  test('is free, the same, another result or foreign', () => {
    const standing = (seed = 1): string => standingOf(folder, 'out', filesOf(seed))
    expect(standing()).toBe('free')
    writeFolder(folder, 'out', filesOf(1), false)
    expect([standing(), standing(2)]).toEqual(['same', 'another result'])
    rmSync(path.join(folder, 'series'), { recursive: true })
    expect([standing(), standing(2)]).toEqual(['same without some files', 'another result'])
    rmSync(path.join(folder, 'digest.txt'))
    expect(standing()).toBe('foreign')
    rmSync(folder, { recursive: true })
    expect(standing()).toBe('free')
    symlinkSync('nowhere', folder)
    expect(standing()).toBe('foreign')
    rmSync(folder)
    writeFileSync(folder, '')
    expect(standing()).toBe('foreign')
  })

  test('is claimed if it is free, or a result that may be replaced', () => {
    claimFolder(folder, 'out', false)
    writeFolder(folder, 'out', filesOf(1), false)
    expect(() => claimFolder(folder, 'out', false)).toThrow('received a result in out (--force replaces it)')
    claimFolder(folder, 'out', true)
    rmSync(path.join(folder, 'summary.json'))
    expect(() => claimFolder(folder, 'out', true)).toThrow('something else in out (--force replaces only results')
    expect(() => writeFolder(folder, 'out', filesOf(1), false)).toThrow('something else in out')
    expect(() => claimFolder(path.join(folder, 'digest.txt'), 'out', true)).toThrow('received a file of that name')
    expect(() => claimFolder(path.join(folder, 'digest.txt', 'x'), 'x', true)).toThrow(
      'a path through the file digest.txt',
    )
  })

  test('is complete unless its summary is marked partial', () => {
    const states = (): readonly boolean[] => [holdsWhole(folder, 'out'), mayHoldPartial(folder, 'out')]
    expect(states()).toEqual([false, true])
    writeFolder(folder, 'out', filesOf(1), false)
    expect(states()).toEqual([true, false])
    writeFolder(folder, 'out', filesOf(1, true), true)
    expect(states()).toEqual([false, true])
    writeFileSync(path.join(folder, 'summary.json'), 'null')
    expect(states()).toEqual([true, false])
    writeFileSync(path.join(folder, 'summary.json'), '{')
    expect(states()).toEqual([true, false])
    rmSync(path.join(folder, 'digest.txt'))
    expect(states()).toEqual([false, false])
    rmSync(folder, { recursive: true })
    expect(states()).toEqual([false, true])
    writeFileSync(folder, '')
    expect(mayHoldPartial(folder, 'out')).toBe(false)
  })

  test('is written complete or not at all under a new name', () => {
    rmSync(folder, { recursive: true })
    for (const photo of photograph(() => writeFolder(folder, 'out', filesOf(1), false))) {
      const standing = standingOf(photo, 'out', filesOf(1))
      expect(standing).toBe(existsSync(photo) ? 'same' : 'free')
      if (standing === 'free') writeFolder(photo, 'out', filesOf(1), false)
      expect(treeOf(path.dirname(photo))).toEqual(treeOf(path.dirname(folder)))
    }
    const file = path.join(folder, 'digest.txt')
    expect(() => writeFolder(path.join(file, 'x'), 'x', filesOf(1), true)).toThrow('x: expected a folder that can be')
    rmSync(folder, { recursive: true })
    const impossible = [
      { path: 'x', data: bytes('') },
      { path: 'x/y', data: bytes('') },
    ]
    expect(() => writeFolder(folder, 'out', impossible, false)).toThrow('out: expected a folder that can be written')
    expect(readdirSync(path.dirname(folder))).toEqual([])
  })

  test('has a name of plain characters', () => {
    expect(fileName('a b/c')).toBe('a-b-c')
    expect(fileName('..hidden--')).toBe('hidden')
    expect(fileName('///')).toBe('scenario')
    expect(fileName('x'.repeat(99))).toHaveLength(80)
  })
})
