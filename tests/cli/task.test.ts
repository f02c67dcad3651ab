/**
 * Tasks without a scheduler: what sweep writes with --on files, run by hand, gathers to the tables of a sweep on this machine.
 */
import { appendFileSync, existsSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { createFolder, ENDLESS, inFlight, rocelab, SMALL, startRocelab, until } from './program.ts'

let at: ReturnType<typeof createFolder>
beforeEach(() => {
  at = createFolder({ 'small.yaml': SMALL })
})
afterEach(() => at.clear())

const SWEEP = ['sweep', 'small.yaml', '--param', 'workload.0.senders=1,2,4', '--seeds', '2', '--quiet']
const ON = [...SWEEP, '--out', 'out', '--on', 'files', '--task-points', '4']
const file = (...names: string[]): string => path.join(at.folder, ...names)
const textOf = (...names: string[]): string => readFileSync(file(...names), 'utf8')
const tables = (out: string): string[] => ['sweep.csv', 'sweep.json'].map((name) => textOf(out, name))

/** Task files, relative to the folder. */
function tasks(out = 'out'): string[] {
  const names = readdirSync(file(out, 'cluster'), { recursive: true, encoding: 'utf8' })
  return names
    .filter((name) => /task-\d+\.jsonl$/.test(name) && !name.startsWith('logs'))
    .toSorted()
    .map((name) => path.join(out, 'cluster', name))
}
const logs = (out = 'out'): string[] =>
  readdirSync(file(out, 'cluster', 'logs')).map((name) => path.join(out, 'cluster', 'logs', name))

describe('tasks of a sweep', () => {
  test('run one by one, in any order, are the sweep', () => {
    rocelab(at.folder, ...SWEEP, '--out', 'here')
    const { code, stderr } = rocelab(at.folder, ...ON.filter((word) => word !== '--quiet'))
    expect(code).toBe(0)
    expect(stderr).toMatch(
      /^rocelab: 6 points in 2 tasks: out\/cluster\/rocelab-small-[0-9a-f]{8}\/task-\*\.jsonl\nrocelab: run each/,
    )
    expect(tasks()).toHaveLength(2)
    for (const task of tasks().toReversed()) {
      expect(rocelab(at.folder, 'task', task)).toEqual({
        code: 0,
        stdout: '',
        stderr: 'rocelab: 3 of 3 points finished\n',
      })
    }
    expect(rocelab(at.folder, ...ON).code).toBe(0)
    expect(tables('out')).toEqual(tables('here'))
    // The same command on this machine has nothing to do either.
    expect(rocelab(at.folder, ...SWEEP, '--out', 'out', '--csv').stdout).toBe(textOf('here', 'sweep.csv'))
  })

  test('that have ended run no point again, and points that any log holds are left out', () => {
    rocelab(at.folder, ...ON)
    const [first = ''] = tasks()
    rocelab(at.folder, 'task', first)
    expect(rocelab(at.folder, 'task', first).stderr).toBe('rocelab: 0 of 3 points finished, 3 had ended before\n')
    rocelab(at.folder, ...ON)
    expect(tasks()).toHaveLength(3)
    const latest = tasks().filter(
      (task) => textOf(task).split('\n').length === 5 && path.dirname(task) !== path.dirname(first),
    )
    expect(latest).toHaveLength(1)
  })

  test('keep their flows, if the sweep does', () => {
    rocelab(at.folder, ...SWEEP, '--out', 'here', '--keep', 'flows')
    rocelab(at.folder, ...ON, '--keep', 'flows')
    for (const task of tasks()) rocelab(at.folder, 'task', task, '--jobs', '2')
    expect(rocelab(at.folder, ...ON, '--keep', 'flows').code).toBe(0)
    expect(tables('out')).toEqual(tables('here'))
    const flowsOf = (out: string): string[] =>
      readdirSync(file(out, 'flows'), { recursive: true, encoding: 'utf8' }).toSorted()
    expect(flowsOf('out')).toEqual(flowsOf('here'))
  })

  test('that were cut off, are none, or are of another build are refused', () => {
    rocelab(at.folder, ...ON)
    const [first = '', second = ''] = tasks()
    writeFileSync(file(first), textOf(first).split('\n').slice(0, 3).join('\n') + '\n')
    const cut = rocelab(at.folder, 'task', first)
    expect(cut.code).toBe(2)
    expect(cut.stderr).toContain(
      'expected a whole task that sweep or reproduce wrote with --on, received one of 3 points with 2',
    )
    writeFileSync(file(second), textOf(second).replace(/"program":"\w{4}/, '"program":"0000'))
    const foreign = rocelab(at.folder, 'task', second)
    expect(foreign.code).toBe(2)
    expect(foreign.stderr).toContain('were planned by another build of rocelab; repeat the command')
    expect(rocelab(at.folder, 'task', 'small.yaml')).toMatchObject({ code: 2 })
    expect(rocelab(at.folder, 'task', 'nowhere.jsonl').stderr).toContain('received no such file or folder')
    expect(existsSync(file('out', 'cluster', 'logs'))).toBe(false)
  })

  test('a line that a full disk cut off is ignored, and its point runs again', () => {
    rocelab(at.folder, ...SWEEP, '--out', 'here')
    rocelab(at.folder, ...ON)
    for (const task of tasks()) rocelab(at.folder, 'task', task)
    const [log = ''] = logs()
    writeFileSync(file(log), textOf(log).slice(0, -20))
    for (const task of tasks()) rocelab(at.folder, 'task', task)
    appendFileSync(file(log), '{"key":')
    expect(rocelab(at.folder, ...ON).code).toBe(0)
    expect(tables('out')).toEqual(tables('here'))
  })

  test('a point that fails is recorded, not run again, and run again with --retry', () => {
    const failing = [
      'sweep',
      'small.yaml',
      '--param',
      'workload.0.sizeEach=1KB,2KB',
      '--out',
      'failed',
      '--on',
      'files',
    ]
    const on = [...failing, '--task-points', '9', '--quiet']
    rocelab(at.folder, ...on)
    const [first = ''] = tasks('failed')
    // A scenario that the program that planned it would not have written.
    writeFileSync(file(first), textOf(first).replace('scenarioText":"', 'scenarioText":"nonsense: 1\\n'))
    expect(rocelab(at.folder, 'task', first)).toMatchObject({
      code: 0,
      stderr: 'rocelab: 1 of 2 points finished, 1 failed\n',
    })
    const again = rocelab(at.folder, ...on)
    expect(again.code).toBe(2)
    expect(again.stderr).toMatch(/failed at workload\.0\.sizeEach=1KB, seed 1:\n {2}nonsense: expected one of the keys/)
    expect(tasks('failed')).toHaveLength(1)
    rocelab(at.folder, ...on, '--retry')
    const [retry = ''] = tasks('failed').filter((task) => task !== first)
    expect(rocelab(at.folder, 'task', retry).stderr).toBe('rocelab: 1 of 1 points finished\n')
    expect(rocelab(at.folder, ...on).code).toBe(0)
  })

  test('end in order at SIGTERM, and keep what has finished', async () => {
    writeFileSync(file('endless.yaml'), ENDLESS)
    rocelab(at.folder, 'sweep', 'endless.yaml', '--out', 'endless', '--on', 'files', '--task-points', '1', '--quiet')
    const [only = ''] = tasks('endless')
    const { child, ended } = startRocelab(at.folder, 'task', only)
    await inFlight(child)
    await until(() => existsSync(file('endless', 'cluster', 'logs')))
    child.kill('SIGTERM')
    const { code, stderr } = await ended
    expect(code).toBe(143)
    expect(stderr).toMatch(/0 of 1 points finished\n$/)
  })
})

test('options that need a cluster, or do not go together, are mistakes, all at once', () => {
  const refused = (...words: string[]): string[] => {
    const { code, stderr } = rocelab(at.folder, 'sweep', 'small.yaml', '--out', 'no', ...words)
    expect(code).toBe(2)
    return stderr.trimEnd().split('\n')
  }
  expect(refused('--wait', '--task-points', '3')).toEqual([
    '--task-points: expected a run on a cluster (--on slurm), received none',
    '--wait: expected a run on a cluster (--on slurm), received none',
  ])
  expect(refused('--on', 'files', '--status', '--cancel', '--task-points', '1', '--task-minutes', '1')).toEqual([
    '--status: expected --on slurm, received --on files, which calls no scheduler',
    '--cancel: expected --on slurm, received --on files, which calls no scheduler',
    '--task-points: expected a number of points or a time, received both',
    '--status: expected --status or --cancel, received both',
  ])
  expect(refused('--on', 'slurm', '--sbatch', '--comment="half')).toEqual([
    '--sbatch: expected quotes in pairs, received --comment="half',
  ])
  rmSync(file('no'), { recursive: true, force: true })
})
