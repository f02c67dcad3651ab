import { appendFileSync, existsSync, mkdirSync, readdirSync, readFileSync, truncateSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { numbersOf, readCsv } from '../../src/core/results/index.ts'
import type { FinishedPoint } from '../../src/lab/advice/sweep/finished-points.ts'
import { createFolder, ENDLESS, rocelab, SMALL, startRocelab, until } from './program.ts'

let at: ReturnType<typeof createFolder>
beforeEach(() => {
  at = createFolder({ 'small.yaml': SMALL })
})
afterEach(() => at.clear())

const file = (...names: string[]): string => path.join(at.folder, ...names)
const lines = (name: string): string[] => readFileSync(file(name), 'utf8').trimEnd().split('\n')
const LARGE = `name: large
topology: {kind: rails, rails: 64, groups: 4, hostsPerGroup: 2, spines: 1}
workload:
  - {kind: incast, senders: 4, receiver: 4, sizeEach: 1KB}
switch: {buffer: {size: 64MB}}
`
const SWEEP = ['sweep', 'small.yaml', '--param', 'workload.0.senders=1,2,4', '--seeds', '3', '--out', 'out']

describe('a sweep', () => {
  test('runs every combination with every seed and prints means with their intervals', () => {
    const { code, stdout, stderr } = rocelab(at.folder, ...SWEEP, '--param', 'congestion=none,dcqcn')
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' })
    expect(readdirSync(file('out')).toSorted()).toEqual(['points.jsonl', 'sweep.csv', 'sweep.json'])
    expect(lines('out/points.jsonl')).toHaveLength(18)
    const table = readCsv('sweep', readFileSync(file('out', 'sweep.csv'), 'utf8'))
    expect(table.rowCount).toBe(6)
    expect(Array.from(numbersOf(table, 'workload.0.senders'))).toEqual([1, 1, 2, 2, 4, 4])
    expect(Array.from(numbersOf(table, 'seeds'))).toEqual([3, 3, 3, 3, 3, 3])
    const [one = NaN, , , , four = NaN] = numbersOf(table, 'slowdownMean')
    expect(four).toBeGreaterThan(3 * one)
    expect(stdout).toMatch(/workload\.0\.senders +congestion +seeds +slowdown/)
  })

  test('gives the same on one thread and on four', () => {
    rocelab(at.folder, ...SWEEP, '--jobs', '1')
    rocelab(at.folder, ...SWEEP.slice(0, -1), 'other', '--jobs', '4')
    expect(readFileSync(file('other', 'sweep.csv'), 'utf8')).toBe(readFileSync(file('out', 'sweep.csv'), 'utf8'))
    expect(lines('other/points.jsonl').toSorted()).toEqual(lines('out/points.jsonl').toSorted())
  })

  test('prints one JSON object with --json', () => {
    const { stdout } = rocelab(at.folder, ...SWEEP, '--json')
    expect(JSON.parse(stdout)).toMatchObject({
      name: 'small',
      seeds: [1, 2, 3],
      partial: false,
      failed: [],
      folder: 'out',
    })
    expect(JSON.parse(readFileSync(file('out', 'sweep.json'), 'utf8'))).not.toHaveProperty('folder')
  })

  test('shows the number of seeds of a mean if some have no value', () => {
    // A link that loses a third: with these seeds some runs finish their one flow, and some do not.
    const lossy = 'faults=[{kind: bernoulli, probability: 0.33, links: all}]'
    const one = ['--set', 'workload.0.sizeEach=3KB', '--set', 'workload.0.senders=1', '--set', lossy]
    const args = ['sweep', 'small.yaml', ...one, '--param', 'qp.ackTimeout=off,20us', '--seeds', '8', '--out', 'out']
    const { code, stdout } = rocelab(at.folder, ...args)
    expect(code).toBe(0)
    const points = lines('out/points.jsonl').map((line) => JSON.parse(line) as FinishedPoint)
    const withNumber = points.filter(
      ({ values, summary }) => values['qp.ackTimeout'] === 'off' && summary.slowdown.mean !== null,
    ).length
    expect(withNumber).toBeGreaterThan(0)
    expect(withNumber).toBeLessThan(8)
    const table = readCsv('sweep', readFileSync(file('out', 'sweep.csv'), 'utf8'))
    expect(Array.from(numbersOf(table, 'seeds'))).toEqual([8, 8])
    expect(Array.from(numbersOf(table, 'slowdownMeanSeeds'))).toEqual([withNumber, 8])
    expect(Array.from(numbersOf(table, 'dropsSeeds'))).toEqual([8, 8])
    const [, , without = '', withTimeout = ''] = stdout.split('\n')
    expect(without).toContain(` (${withNumber} of 8)`)
    expect(withTimeout).not.toContain(' of 8)')
  })

  test('has columns for flows that were received and never acknowledged, and for flows never posted', () => {
    const args = ['--param', 'workload.0.senders=1,2', '--set', 'workload.0.repetitions=3', '--seeds', '2']
    const unmarked = [
      'qp={ackTimeout: 20us, retryLimit: 1}',
      'faults=[{kind: bernoulli, probability: 1, packets: control}]',
    ]
    const { stdout } = rocelab(
      at.folder,
      'sweep',
      'small.yaml',
      ...args,
      ...unmarked.flatMap((set) => ['--set', set]),
      '--out',
      'out',
    )
    expect(stdout).toMatch(/ unacknowledged +never posted$/m)
    const table = readCsv('sweep', readFileSync(file('out', 'sweep.csv'), 'utf8'))
    expect(Array.from(numbersOf(table, 'unfinished'))).toEqual([0, 0])
    expect(Array.from(numbersOf(table, 'unacknowledged'))).toEqual([1, 2])
    expect(Array.from(numbersOf(table, 'unposted'))).toEqual([2, 4])
    expect(Array.from(numbersOf(table, 'unpostedSeeds'))).toEqual([2, 2])
    expect(rocelab(at.folder, ...SWEEP.slice(0, -1), 'sound').stdout).not.toMatch(
      /unacknowledged|never posted|\d of \d/,
    )
  })

  test('runs only the points that have not finished', () => {
    rocelab(at.folder, ...SWEEP)
    const before = readFileSync(file('out', 'points.jsonl'), 'utf8')
    const again = rocelab(at.folder, ...SWEEP)
    expect(again).toMatchObject({ code: 0, stderr: 'rocelab: 9 of 9 points have finished already\n' })
    expect(readFileSync(file('out', 'points.jsonl'), 'utf8')).toBe(before)
    const more = rocelab(at.folder, ...SWEEP, '--param', 'pfc.quanta=65535,1000')
    expect(more.stderr).toBe('rocelab: 9 of 18 points have finished already\n')
  })

  test('replaces the tables of another sweep only with --force, and keeps its points', () => {
    rocelab(at.folder, ...SWEEP)
    const before = readFileSync(file('out', 'sweep.csv'), 'utf8')
    for (const other of [
      ['--set', 'workload.0.sizeEach=50KB'],
      ['--set', 'congestion=dcqcn'],
    ]) {
      const { code, stdout, stderr } = rocelab(at.folder, ...SWEEP, ...other)
      expect({ code, stdout }).toEqual({ code: 2, stdout: '' })
      expect(stderr).toMatch(
        /^--out: expected .*, received sweep\.csv and sweep\.json of another sweep in out, with 9 /,
      )
      expect(stderr).toMatch(/\(name another folder; --force replaces them and keeps the points\)\n$/)
    }
    expect(readFileSync(file('out', 'sweep.csv'), 'utf8')).toBe(before)
    const forced = [...SWEEP, '--set', 'workload.0.sizeEach=50KB', '--force']
    expect(rocelab(at.folder, ...forced)).toMatchObject({ code: 0, stderr: '' })
    expect(readFileSync(file('out', 'sweep.csv'), 'utf8')).not.toBe(before)
    expect(lines('out/points.jsonl')).toHaveLength(18)
    expect(rocelab(at.folder, ...forced).stderr).toBe('rocelab: 9 of 9 points have finished already\n')
  })

  test('resumes after a kill, over an incomplete line', async () => {
    // Messages of half a second each, so that the kill falls between points.
    const slow = [...SWEEP, '--jobs', '1', '--set', 'workload.0.sizeEach=40MB']
    const { child, ended } = startRocelab(at.folder, ...slow)
    await until(() => existsSync(file('out', 'points.jsonl')) && lines('out/points.jsonl').filter(Boolean).length >= 2)
    child.kill('SIGKILL')
    expect((await ended).code).toBe(null)
    const kept = lines('out/points.jsonl').length
    expect(kept).toBeLessThan(9)
    appendFileSync(file('out', 'points.jsonl'), '{"key":"0123456789abcdef","val')
    const { code, stderr } = rocelab(at.folder, ...slow)
    expect({ code, stderr }).toEqual({ code: 0, stderr: `rocelab: ${kept} of 9 points have finished already\n` })
    expect(lines('out/points.jsonl')).toHaveLength(9)
    for (const line of lines('out/points.jsonl')) expect(() => JSON.parse(line) as unknown).not.toThrow()
    // The table equals that of an uninterrupted sweep.
    rocelab(at.folder, ...slow.map((arg) => (arg === 'out' ? 'whole' : arg)))
    expect(readFileSync(file('out', 'sweep.csv'), 'utf8')).toBe(readFileSync(file('whole', 'sweep.csv'), 'utf8'))
  })

  test('ignores a last line without a line end', () => {
    rocelab(at.folder, ...SWEEP)
    truncateSync(file('out', 'points.jsonl'), readFileSync(file('out', 'points.jsonl')).length - 1)
    expect(rocelab(at.folder, ...SWEEP).stderr).toBe('rocelab: 8 of 9 points have finished already\n')
    expect(lines('out/points.jsonl')).toHaveLength(9)
  })

  test('runs a point again whose line is damaged, and reports it', () => {
    rocelab(at.folder, ...SWEEP)
    const whole = readFileSync(file('out', 'sweep.csv'), 'utf8')
    const [first = '', second = '', ...others] = lines('out/points.jsonl')
    const { key, values, seed } = JSON.parse(first) as FinishedPoint
    const cut = [JSON.stringify({ key }), second.slice(0, -9), JSON.stringify({ key, values, seed, summary: {} })]
    writeFileSync(file('out', 'points.jsonl'), `${[...cut, ...others].join('\n')}\n`)
    expect(rocelab(at.folder, ...SWEEP)).toMatchObject({
      code: 0,
      stderr:
        'rocelab: 3 lines of out/points.jsonl are damaged; they are ignored and their points run again\n' +
        'rocelab: 7 of 9 points have finished already\n',
    })
    expect(readFileSync(file('out', 'sweep.csv'), 'utf8')).toBe(whole)
    // Reported once: each point has a complete line now.
    expect(rocelab(at.folder, ...SWEEP).stderr).toBe('rocelab: 9 of 9 points have finished already\n')
  })

  test('reports mistakes that only the network shows before it runs a point', () => {
    const args = ['--param', 'workload.0.senders=2,99', '--param', 'congestion=none,dcqcn', '--out', 'out']
    const { code, stdout, stderr } = rocelab(at.folder, 'sweep', 'small.yaml', ...args)
    expect({ code, stdout }).toEqual({ code: 2, stdout: '' })
    expect(stderr).toMatch(/^--param workload\.0\.senders=99: workload\.0\.senders: expected at most 4, .*\n$/)
    expect(existsSync(file('out'))).toBe(false)
  })

  test('names the point at which a network of the file becomes too large', () => {
    writeFileSync(file('large.yaml'), LARGE)
    const wide = rocelab(at.folder, 'sweep', 'large.yaml', '--param', 'topology.groups=4,512')
    expect(wide).toMatchObject({ code: 2, stdout: '' })
    expect(wide.stderr).toMatch(/^large\.yaml:2:11: topology: expected at most .*; at topology\.groups=512\)\n$/)
    const other = ['--param', 'congestion=none,dcqcn', '--set', 'topology.groups=512']
    expect(rocelab(at.folder, 'sweep', 'large.yaml', ...other).stderr).toMatch(/fewer switches\)\n$/)
  })

  test('reports the mistakes of all points before it runs one', () => {
    const args = ['--param', 'workload.0.senders=1,x,y', '--param', 'congestion=none,dcqnc', '--out', 'out']
    const { code, stdout, stderr } = rocelab(at.folder, 'sweep', 'small.yaml', ...args)
    expect({ code, stdout }).toEqual({ code: 2, stdout: '' })
    expect(stderr.trimEnd().split('\n').toSorted()).toEqual([
      expect.stringContaining('--param congestion=dcqnc') as string,
      expect.stringContaining('--param workload.0.senders=x') as string,
      expect.stringContaining('--param workload.0.senders=y') as string,
    ])
    expect(existsSync(file('out'))).toBe(false)
  })

  test.each([
    [
      ['--param', 'qp.window=off', '--param', 'qp.window=1MB'],
      '--param: expected each path once, received qp.window twice',
    ],
    [
      ['--seeds', '1000000000'],
      '--seeds: expected at most 100000 seeds, received 1000000000 (for that one seed, write',
    ],
    [['--seeds', '1..1000000'], '--seeds: expected at most 100000 seeds, received 1..1000000'],
    [['--out', 'small.yaml'], 'small.yaml: expected a folder that can be written, received a file of that name'],
  ])('%j is reported in one line', (args, expected) => {
    const { code, stdout, stderr } = rocelab(at.folder, 'sweep', 'small.yaml', ...args)
    expect({ code, stdout }).toEqual({ code: 2, stdout: '' })
    expect(stderr).toContain(expected)
    expect(stderr.trimEnd().split('\n')).toHaveLength(1)
  })

  test('locks its folder: a second sweep reports the holder', async () => {
    writeFileSync(file('endless.yaml'), ENDLESS)
    const first = startRocelab(at.folder, 'sweep', 'endless.yaml', '--jobs', '1', '--out', 'out')
    await until(() => existsSync(file('out', 'sweep.lock')))
    const { code, stdout, stderr } = rocelab(at.folder, ...SWEEP)
    expect({ code, stdout }).toEqual({ code: 2, stdout: '' })
    expect(stderr).toMatch(
      /^--out: expected a folder that no other sweep is writing, received process \d+ on .* writing out \(/,
    )
    expect(stderr).toContain(`process ${first.child.pid} on `)
    first.child.kill('SIGKILL')
    await first.ended
    expect(existsSync(file('out', 'sweep.lock'))).toBe(true)
    expect(rocelab(at.folder, ...SWEEP)).toMatchObject({ code: 0, stderr: '' })
    expect(readdirSync(file('out')).toSorted()).toEqual(['points.jsonl', 'sweep.csv', 'sweep.json'])
  })

  test('never writes into a foreign folder', () => {
    mkdirSync(file('mine'))
    writeFileSync(file('mine', 'thesis.txt'), '')
    expect(rocelab(at.folder, ...SWEEP.slice(0, -1), 'mine').code).toBe(2)
    expect(readdirSync(file('mine'))).toEqual(['thesis.txt'])
  })
})
