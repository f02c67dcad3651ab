/**
 * Options of a sweep: --keep flows, --point-limit, --baseline.
 */
import { existsSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import type { FinishedPoint } from '../../src/lab/advice/sweep/finished-points.ts'
import { temporaryName } from '../../src/cli/files/temporary.ts'
import { numbersOf, readCsv, readParquet, textsOf } from '../../src/core/results/index.ts'
import { createFolder, rocelab, SMALL, startRocelab, until } from './program.ts'

let at: ReturnType<typeof createFolder>
beforeEach(() => {
  at = createFolder({ 'small.yaml': SMALL })
})
afterEach(() => at.clear())

const file = (...names: string[]): string => path.join(at.folder, ...names)
const pointsOf = (folder: string): FinishedPoint[] =>
  readFileSync(file(folder, 'points.jsonl'), 'utf8')
    .trimEnd()
    .split('\n')
    .map((line) => JSON.parse(line) as FinishedPoint)
/** Files in the flows folder of a sweep. */
const partsOf = (folder: string): string[] =>
  readdirSync(file(folder, 'flows'), { recursive: true, encoding: 'utf8' })
    .filter((name) => name.includes('part'))
    .toSorted()
const SWEEP = ['sweep', 'small.yaml', '--param', 'workload.0.senders=1,2,4', '--seeds', '3', '--out', 'out']

describe('--keep flows', () => {
  const KEEP = [...SWEEP, '--keep', 'flows']

  test('writes the flows of every point into a folder named by values and seed', async () => {
    const alpha = ['--param', 'switch.buffer.alpha=1/64,1']
    const { code, stdout, stderr } = rocelab(at.folder, ...KEEP, ...alpha)
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' })
    expect(stdout).toMatch(/\nflows in out\/flows\nsweep in out\n$/)
    const parts = partsOf('out')
    expect(parts).toHaveLength(3 * 2 * 3)
    // A slash in a value is encoded, not a folder.
    const some = path.join('workload.0.senders=4', 'switch.buffer.alpha=1%2F64', 'seed=2', 'part.parquet')
    expect(parts).toContain(some)
    rocelab(at.folder, 'run', 'small.yaml', '--set', 'switch.buffer.alpha=1/64', '--seed', '2', '--out', 'one')
    const [kept, run] = await Promise.all(
      [file('out', 'flows', some), file('one', 'flows.parquet')].map((name) =>
        readParquet(new Uint8Array(readFileSync(name)), 'flows'),
      ),
    )
    expect(kept).toEqual(run)
    expect(textsOf(kept!, 'status')).toEqual(['finished', 'finished', 'finished', 'finished'])
  })

  test('runs again only the points whose flows are missing', () => {
    rocelab(at.folder, ...SWEEP)
    expect(existsSync(file('out', 'flows'))).toBe(false)
    expect(rocelab(at.folder, ...KEEP)).toMatchObject({ code: 0, stderr: '' })
    expect(partsOf('out')).toHaveLength(9)
    const [first = ''] = partsOf('out')
    rmSync(file('out', 'flows', first))
    expect(rocelab(at.folder, ...KEEP).stderr).toBe('rocelab: 8 of 9 points have finished already\n')
    expect(existsSync(file('out', 'flows', first))).toBe(true)
  })

  test('survives a kill: no part is incomplete, and the same command makes the others', async () => {
    const slow = [...KEEP, '--jobs', '1', '--set', 'workload.0.sizeEach=40MB']
    const { child, ended } = startRocelab(at.folder, ...slow)
    await until(() => existsSync(file('out', 'flows')) && partsOf('out').length >= 2)
    child.kill('SIGKILL')
    await ended
    const before = partsOf('out').filter((name) => name.endsWith('part.parquet'))
    expect(before.length).toBeLessThan(9)
    for (const name of before) {
      expect((await readParquet(new Uint8Array(readFileSync(file('out', 'flows', name))))).rowCount).toBeGreaterThan(0)
    }
    // Parts that were being written at a power failure, and one that another machine may be writing.
    const beside = file('out', 'flows', path.dirname(before[0] ?? ''))
    const torn = path.join(beside, temporaryName('part').replace(`-${process.pid}.`, `-${child.pid}.`))
    const theirs = path.join(beside, `.tmp-${child.pid}.elsewhere-part`)
    for (const part of [torn, theirs]) writeFileSync(part, 'PAR1')
    expect(rocelab(at.folder, ...slow).code).toBe(0)
    expect([torn, theirs].map((part) => existsSync(part))).toEqual([false, true])
    rmSync(theirs)
    expect(partsOf('out')).toHaveLength(9)
  })

  test('a part of another point with the same name is not reused', () => {
    rocelab(at.folder, ...KEEP)
    const [one = '', , , four = ''] = partsOf('out')
    writeFileSync(file('out', 'flows', four), readFileSync(file('out', 'flows', one)))
    const { code, stderr } = rocelab(at.folder, ...KEEP)
    expect(code).toBe(2)
    expect(stderr).toContain(
      'received flows of another sweep in out/flows, with 1 files that do not belong to this one',
    )
    expect(rocelab(at.folder, ...KEEP, '--force')).toMatchObject({
      code: 0,
      stderr: 'rocelab: 8 of 9 points have finished already\n',
    })
  })

  test('with --force the flows of another sweep are removed, so that the folder is one table', () => {
    rocelab(at.folder, ...KEEP)
    const other = ['sweep', 'small.yaml', '--param', 'congestion=none,dcqcn', '--keep', 'flows', '--out', 'out']
    expect(rocelab(at.folder, ...other).code).toBe(2)
    expect(partsOf('out')).toHaveLength(9)
    expect(rocelab(at.folder, ...other, '--force').code).toBe(0)
    expect(readdirSync(file('out', 'flows')).toSorted()).toEqual(['congestion=dcqcn', 'congestion=none'])
  })

  test('refuses a value that is too long for a file name, before it runs anything', () => {
    const long = `workload.0.tag=a,${'x'.repeat(250)}`
    const { code, stderr } = rocelab(at.folder, ...KEEP, '--param', long)
    expect(code).toBe(2)
    expect(stderr).toMatch(/^--param workload\.0\.tag: expected values that fit a folder name \(255 bytes\)/)
    expect(existsSync(file('out'))).toBe(false)
  })
})

describe('--point-limit', () => {
  // One sender needs 11 us and 392 packet-hops, four need 37 us and four times as many.
  test.each([
    ['30us', { simulatedPs: 3e7 }],
    ['1000hops', { packetHops: 1000 }],
  ])('%s stops the points that go further, and no mean includes them', (limit, exceeded) => {
    const { code, stdout, stderr } = rocelab(at.folder, ...SWEEP, '--point-limit', limit, '--json')
    expect(code).toBe(0)
    expect(stderr).toMatch(
      /^rocelab: 3 of 9 points exceeded .* and were stopped, first workload\.0\.senders=4, seed 1;/,
    )
    const json = JSON.parse(stdout) as { rows: { seeds: number; stopped: number }[]; stopped: object[] }
    expect(json).toMatchObject({ pointLimit: exceeded, partial: false })
    expect(json.rows.map(({ seeds, stopped }) => [seeds, stopped])).toEqual([
      [3, 0],
      [3, 0],
      [0, 3],
    ])
    expect(json.stopped).toHaveLength(3)
    expect(json.stopped[0]).toMatchObject({ seed: 1, values: { 'workload.0.senders': '4' }, exceeded })
    const table = readCsv('sweep', readFileSync(file('out', 'sweep.csv'), 'utf8'))
    expect(Array.from(numbersOf(table, 'stopped'))).toEqual([0, 0, 3])
    expect(Array.from(numbersOf(table, 'slowdownMean')).map(Number.isNaN)).toEqual([false, false, true])
  })

  test('stops exactly at the limit, not at the end of a slice', () => {
    rocelab(at.folder, ...SWEEP, '--point-limit', '1000hops')
    const [stopped] = pointsOf('out').filter((point) => point.stopped !== undefined)
    expect(stopped?.summary).toMatchObject({ packetHops: 1001, partial: true })
    rocelab(at.folder, ...SWEEP.slice(0, -1), 'time', '--point-limit', '30us')
    for (const { stopped: limit, summary } of pointsOf('time')) {
      expect(summary.simulatedPs).toBeLessThanOrEqual(3e7)
      expect(summary.partial).toBe(limit !== undefined)
    }
  })

  test('does not stop a point that needs exactly the limit', () => {
    rocelab(at.folder, ...SWEEP)
    const most = Math.max(...pointsOf('out').map(({ summary }) => summary.packetHops))
    const args = SWEEP.slice(0, -1)
    rocelab(at.folder, ...args, 'exact', '--point-limit', `${most}hops`)
    expect(pointsOf('exact').filter((point) => point.stopped !== undefined)).toEqual([])
    rocelab(at.folder, ...args, 'less', '--point-limit', `${most - 2}hops`)
    expect(pointsOf('less').filter((point) => point.stopped !== undefined).length).toBeGreaterThan(0)
  })

  test('a higher limit runs stopped points again; the same one and a lower one do not', () => {
    rocelab(at.folder, ...SWEEP, '--point-limit', '30us')
    expect(rocelab(at.folder, ...SWEEP, '--point-limit', '30us').stderr).toMatch(
      /^rocelab: 9 of 9 points have finished already/,
    )
    expect(rocelab(at.folder, ...SWEEP, '--point-limit', '25us').stderr).toMatch(
      /^rocelab: 9 of 9 points have finished already/,
    )
    const more = rocelab(at.folder, ...SWEEP, '--point-limit', '1ms')
    expect(more.stderr).toBe('rocelab: 6 of 9 points have finished already\n')
    // The points are finished now, and count whatever the limit.
    expect(rocelab(at.folder, ...SWEEP, '--point-limit', '30us').stderr).toBe(
      'rocelab: 9 of 9 points have finished already\n',
    )
  })

  test('writes no flows of stopped points', () => {
    rocelab(at.folder, ...SWEEP, '--keep', 'flows', '--point-limit', '30us')
    expect(partsOf('out').filter((name) => name.includes('senders=4'))).toEqual([])
    expect(partsOf('out')).toHaveLength(6)
  })
})

describe('--baseline', () => {
  const CONTROLS = ['sweep', 'small.yaml', '--param', 'congestion=none,dcqcn', '--out', 'out']

  test('shows next to each mean its ratio to the points with that value', () => {
    const args = ['--param', 'workload.0.senders=2,4', '--seeds', '3', '--baseline', 'workload.0.senders=2']
    const { code, stdout, stderr } = rocelab(at.folder, ...CONTROLS, ...args, '--columns', 'slowdownMean')
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' })
    expect(stdout).toMatch(/seeds +slowdown +\/ base\n/)
    expect(stdout).toContain('/ base: ratio to workload.0.senders=2, mean of the pairs with equal seeds')
    const table = readCsv('sweep', readFileSync(file('out', 'sweep.csv'), 'utf8'))
    const slowdown = numbersOf(table, 'slowdownMean')
    const ratio = numbersOf(table, 'slowdownMeanRatio')
    expect(ratio[0]).toBe(1)
    expect(ratio[1]).toBeCloseTo(slowdown[1]! / slowdown[0]!, 3)
    expect(ratio[1]).toBeGreaterThan(1.5)
    const json = JSON.parse(readFileSync(file('out', 'sweep.json'), 'utf8')) as object
    expect(json).toMatchObject({ baseline: { 'workload.0.senders': '2' } })
  })

  test('warns below three seeds', () => {
    const two = rocelab(at.folder, ...CONTROLS, '--seeds', '2', '--baseline', 'congestion=none')
    expect(two.stderr).toMatch(/^rocelab: intervals of 2 seeds are too wide to be useful; use three seeds or more/)
    const alone = [...CONTROLS.slice(0, -1), 'alone']
    expect(rocelab(at.folder, ...alone, '--baseline', 'congestion=none').stderr).toMatch(
      /^rocelab: one seed gives no interval; use three seeds or more/,
    )
    expect(rocelab(at.folder, ...alone, '--quiet')).toMatchObject({ code: 0, stderr: '' })
  })

  test('is refused before anything runs if the sweep does not have it', () => {
    const { code, stdout, stderr } = rocelab(at.folder, ...CONTROLS, '--baseline', 'congestion=timely')
    expect({ code, stdout }).toEqual({ code: 2, stdout: '' })
    expect(stderr).toBe('--baseline: expected one of congestion\'s values: none, dcqcn, received "timely"\n')
    expect(existsSync(file('out'))).toBe(false)
  })
})

test('--csv prints what sweep.csv has', () => {
  const { stdout } = rocelab(at.folder, ...SWEEP, '--csv')
  expect(stdout).toBe(readFileSync(file('out', 'sweep.csv'), 'utf8'))
})
