/**
 * A command killed between any two of its writes, or during one: readers find either the complete old state or the complete
 * new one, nothing incomplete looks like a result, no finished work is lost, and the next run removes the leftovers.
 */
import { cpSync, existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { settleFolder } from '../../src/cli/files/exchange.ts'
import { claimFolder, readerOf } from '../../src/cli/files/result-folder.ts'
import { readResult } from '../../src/core/results/index.ts'
import { killAt, litterIn, photograph, type Photos, stableTreeOf, treeOf } from './killed.ts'
import { createFolder, rocelab, SMALL } from './program.ts'

let at: ReturnType<typeof createFolder>
let photos: Photos | undefined
beforeEach(() => {
  at = createFolder({ 'small.yaml': SMALL })
})
afterEach(() => {
  at.clear()
  photos?.clear()
  photos = undefined
})

const file = (...names: string[]): string => path.join(at.folder, ...names)

/** Copies of the folder during a command; the last is its end. */
function shoot(...args: string[]): readonly string[] {
  photos = photograph(at.folder, ...args)
  const end = path.join(path.dirname(photos.folders[0] ?? at.folder), 'end')
  cpSync(at.folder, end, { recursive: true })
  return [...photos.folders, end]
}

async function digestIn(folder: string): Promise<string | undefined> {
  return (await readResult(readerOf(folder, '.'))).result.digest
}

/** Visible files in a folder, with their contents. */
function seenIn(folder: string): Readonly<Record<string, string>> {
  return Object.fromEntries(Object.entries(stableTreeOf(folder)).filter(([name]) => !/(?:^|\/)\.|\.lock$/.test(name)))
}

/** Starting the program takes long, so the next run is tried on one copy in this many. */
const STRIDE = 3
const onStride = (_: string, index: number): boolean => index % STRIDE === 0

/** The observer adds a file in a subfolder, which the other result does not have. */
const OBSERVED = ['--set', 'observe=[rates, queue-depth]']
const QUEUES = ['--seed', '2', '--set', 'observe=[queue-depth]']

describe('a run that is killed', () => {
  test('leaves no result or a complete one under a new name', async () => {
    const folders = shoot('run', 'small.yaml', '--out', 'deep/out', ...OBSERVED)
    expect(folders.length).toBeGreaterThan(20)
    const whole = stableTreeOf(file('deep'))
    for (const folder of folders) {
      const isThere = existsSync(path.join(folder, 'deep', 'out'))
      expect([undefined, whole]).toContainEqual(isThere ? stableTreeOf(path.join(folder, 'deep')) : undefined)
    }
    for (const folder of folders.filter(onStride)) {
      const out = path.join(folder, 'deep', 'out')
      if (!existsSync(out)) rocelab(folder, 'run', 'small.yaml', '--out', 'deep/out', '--quiet', ...OBSERVED)
      expect(stableTreeOf(path.join(folder, 'deep'))).toEqual(whole)
      expect(litterIn(folder)).toEqual([])
      expect(await digestIn(out)).toBe(await digestIn(file('deep', 'out')))
    }
  })

  test('leaves the complete old result or the complete new one where it replaces a result', async () => {
    const force = ['run', 'small.yaml', '--out', 'out', '--force', '--quiet', ...QUEUES]
    rocelab(at.folder, 'run', 'small.yaml', '--out', 'out', ...OBSERVED)
    const old = { digest: await digestIn(file('out')), tree: stableTreeOf(file('out')) }
    const folders = shoot(...force)
    const young = { digest: await digestIn(file('out')), tree: stableTreeOf(file('out')) }
    expect(Object.keys(old.tree)).toContain('series/rates.csv')
    expect(Object.keys(young.tree)).not.toContain('series/rates.csv')
    const seen: (string | undefined)[] = []
    for (const folder of folders) {
      const out = path.join(folder, 'out')
      // Readers of rocelab, and readers that look for the mark, get one of them.
      const digest = await digestIn(out)
      const isOnStride = seen.push(digest) % STRIDE === 0
      const isMarked = existsSync(path.join(out, 'digest.txt'))
      expect([undefined, old.tree, young.tree]).toContainEqual(isMarked ? seenIn(out) : undefined)
      // Without --force the next run completes the exchange, then refuses to replace the result.
      expect(() => claimFolder(out, 'out', false)).toThrow('--force replaces it')
      expect(litterIn(out)).toEqual([])
      expect(seenIn(out)).toEqual(digest === old.digest ? old.tree : young.tree)
      if (!isOnStride) continue
      expect(rocelab(folder, ...force)).toMatchObject({ code: 0, stderr: '' })
      expect(stableTreeOf(out)).toEqual(young.tree)
      expect(litterIn(folder)).toEqual([])
    }
    // The old result, then the new one, with several copies of each.
    const change = seen.indexOf(young.digest)
    expect(change).toBeGreaterThan(10)
    expect(seen.length - change).toBeGreaterThan(10)
    expect(seen.slice(change).every((digest) => digest === young.digest)).toBe(true)
  })

  test('leaves an empty folder empty, or with a complete result', async () => {
    mkdirSync(file('out'))
    const run = ['run', 'small.yaml', '--out', 'out', '--quiet', ...QUEUES]
    const folders = shoot(...run)
    const whole = stableTreeOf(file('out'))
    for (const folder of folders.filter(onStride)) {
      const out = path.join(folder, 'out')
      const isWhole = existsSync(path.join(out, '.incoming')) || existsSync(path.join(out, 'digest.txt'))
      if (!isWhole) rocelab(folder, ...run)
      expect(() => claimFolder(out, 'out', false)).toThrow('received a result in out')
      expect(stableTreeOf(out)).toEqual(whole)
      expect(await digestIn(out)).toBe(await digestIn(file('out')))
    }
  })

  test('leaves exactly the state that the copy of that moment shows', () => {
    const force = ['run', 'small.yaml', '--out', 'out', '--force', '--quiet', ...QUEUES]
    rocelab(at.folder, 'run', 'small.yaml', '--out', 'out', ...OBSERVED)
    const before = mkdtempSync(path.join(tmpdir(), 'rocelab-before-'))
    try {
      cpSync(at.folder, before, { recursive: true })
      const folders = shoot(...force)
      for (const share of [0.2, 0.5, 0.7, 0.9]) {
        const index = Math.floor(share * folders.length)
        rmSync(at.folder, { recursive: true })
        cpSync(before, at.folder, { recursive: true })
        killAt(at.folder, photos?.moments[index] ?? 0, ...force)
        expect(stableTreeOf(at.folder)).toEqual(stableTreeOf(folders[index] ?? ''))
      }
    } finally {
      rmSync(before, { recursive: true })
    }
  })
})

describe('a sweep that is killed', () => {
  const sweep = (sizes: string): string[] => {
    const values = ['--param', `workload.0.sizeEach=${sizes}`, '--seeds', '2', '--jobs', '1', '--out', 'out']
    return ['sweep', 'small.yaml', ...values]
  }
  const tablesOf = (tree: Readonly<Record<string, string>>): unknown => [tree['sweep.csv'], tree['sweep.json']]
  const linesIn = (folder: string): string[] => {
    const log = path.join(folder, 'out', 'points.jsonl')
    const text = existsSync(log) ? readFileSync(log, 'utf8') : ''
    return text
      .slice(0, text.lastIndexOf('\n') + 1)
      .split('\n')
      .slice(0, -1)
  }

  test('loses no point that was synced to the disk, and its tables are those of one sweep', () => {
    rocelab(at.folder, ...sweep('1KB'))
    const old = seenIn(file('out'))
    const folders = shoot(...sweep('1KB,2KB'))
    const young = seenIn(file('out'))
    let kept = 2
    for (const [index, folder] of folders.entries()) {
      const lines = linesIn(folder)
      expect(lines.length).toBeGreaterThanOrEqual(kept)
      kept = lines.length
      for (const line of lines) expect(() => JSON.parse(line) as unknown).not.toThrow()
      const out = path.join(folder, 'out')
      const seen = seenIn(out)
      const isMarked = 'sweep.json' in seen
      expect([undefined, tablesOf(old), tablesOf(young)]).toContainEqual(isMarked ? tablesOf(seen) : undefined)
      expect(isMarked || existsSync(path.join(out, '.incoming'))).toBe(true)
      if (index % STRIDE !== 0) continue
      const { code, stderr } = rocelab(folder, ...sweep('1KB,2KB'))
      expect(code).toBe(0)
      expect(stderr.split('\n')[0]).toBe(`rocelab: ${kept} of 4 points have finished already`)
      // With one thread, points finish in order.
      expect(seenIn(out)).toEqual(young)
      expect(litterIn(out)).toEqual([])
    }
    expect(kept).toBe(4)
  })

  test('leaves a new folder that the next sweep can use', () => {
    const folders = shoot(...sweep('1KB'))
    const young = seenIn(file('out'))
    expect(folders.length).toBeGreaterThan(20)
    for (const folder of folders.filter(onStride)) {
      expect(rocelab(folder, ...sweep('1KB')).code).toBe(0)
      expect(seenIn(path.join(folder, 'out'))).toEqual(young)
      expect(litterIn(folder)).toEqual([])
    }
  })
})

test('a killed report is the old or the new one, and its finished runs are kept', async () => {
  const reproduce = (seeds: string, ...more: string[]): string[] => [
    'reproduce',
    'livelock',
    '--seeds',
    seeds,
    '--out',
    'out',
    '--quiet',
    ...more,
  ]
  rocelab(at.folder, ...reproduce('1'))
  cpSync(file('out', 'livelock.csv'), file('one-seed.csv'))
  const old = seenIn(file('out'))
  const more = reproduce('1,2', '--from', 'one-seed.csv')
  const folders = shoot(...more)
  const young = seenIn(file('out'))
  expect(young).not.toEqual(old)
  let runs = 0
  const inFlight: string[] = []
  for (const folder of folders) {
    const out = path.join(folder, 'out')
    const isIncoming = existsSync(path.join(out, '.incoming'))
    if (isIncoming) {
      cpSync(folder, `${folder}-again`, { recursive: true })
      inFlight.push(`${folder}-again`)
    }
    settleFolder(out, 'out')
    const { runs: _, ...seen } = Object.fromEntries(
      Object.entries(seenIn(out)).filter(([name]) => !name.startsWith('runs/')),
    )
    const isOld = seen['report.txt'] === old['report.txt']
    expect(seen).toEqual(isOld ? old : young)
    expect(isIncoming && isOld).toBe(false)
    if (!isOld) continue
    const cached = existsSync(path.join(out, 'runs')) ? readdirSync(path.join(out, 'runs')) : []
    const results = cached.filter((name) => /^[0-9a-f]{32}$/.test(name))
    expect(results.length).toBeGreaterThanOrEqual(runs)
    runs = results.length
    for (const name of results) expect(await digestIn(path.join(out, 'runs', name))).toMatch(/^[0-9a-f]{16}$/)
  }
  expect(runs).toBeGreaterThan(3)
  expect(inFlight.length).toBeGreaterThan(5)
  for (const folder of [inFlight[0]!, inFlight.at(-1)!]) {
    expect(rocelab(folder, ...more).code).toBe(0)
    expect(seenIn(path.join(folder, 'out'))).toEqual(young)
    expect(litterIn(folder)).toEqual([])
  }
})

test('after a kill, figures and single files are old or new', () => {
  rocelab(at.folder, 'run', 'small.yaml', '--out', 'a', ...OBSERVED)
  rocelab(at.folder, 'run', 'small.yaml', '--out', 'b', '--seed', '2', ...OBSERVED)
  rocelab(at.folder, 'plot', 'a', '--out', 'figures')
  const old = seenIn(file('figures'))
  const figures = shoot('plot', 'b', '--out', 'figures', '--force')
  const young = seenIn(file('figures'))
  expect(Object.keys(young).length).toBeGreaterThan(3)
  for (const folder of figures) {
    settleFolder(path.join(folder, 'figures'), 'figures')
    const seen = seenIn(path.join(folder, 'figures'))
    expect([JSON.stringify(old), JSON.stringify(young)]).toContain(JSON.stringify(seen))
  }
  photos?.clear()
  writeFileSync(file('schema.json'), '{}')
  const schemas = shoot('schema', '--out', 'schema.json', '--force')
  expect(schemas.length).toBeGreaterThan(2)
  for (const folder of schemas) {
    const text = readFileSync(path.join(folder, 'schema.json'), 'utf8')
    expect(['{}', readFileSync(file('schema.json'), 'utf8')]).toContain(text)
    rocelab(folder, 'schema', '--out', 'schema.json', '--force')
    expect(treeOf(folder)['schema.json']).toBe(treeOf(at.folder)['schema.json'])
    expect(litterIn(folder)).toEqual([])
  }
})
