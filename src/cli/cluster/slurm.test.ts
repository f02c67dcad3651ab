/** Output of Slurm's commands: tasks, jobs, limits, messages, and lines that are none of these. */
import { describe, expect, test } from 'vitest'
import { Failure } from '../failure.ts'
import { callCommand } from './command-call.ts'
import { indexText, jobsIn, pastJobIn, submittedIn, tasksIn, tasksMaxIn, wordsOf } from './slurm-answers.ts'
import { optionMistakes } from './slurm.ts'
import { Slurm } from './slurm.ts'

const shown = (output: string): string[] => tasksIn(output).map(({ index, state, why }) => `${index} ${state}: ${why}`)

describe('tasks', () => {
  test('are sorted by index, with their nodes', () => {
    expect(tasksIn('10|PENDING||Priority\n2|RUNNING|n[1-2]|None\n')).toEqual([
      { index: 2, state: 'running', why: 'on n[1-2]', node: 'n[1-2]' },
      { index: 10, state: 'waiting', why: 'waiting behind jobs of higher priority (Priority)' },
    ])
    expect(tasksIn('')).toEqual([])
  })

  test.each([
    ['0|PENDING||Resources', 'waiting: waiting for a free node (Resources)'],
    ['0|PENDING||None', 'waiting: waiting for the scheduler to look at it (None)'],
    [
      '0|PENDING||ReqNodeNotAvail, UnavailableNodes:n[2-3]',
      'waiting: waiting for nodes that are down, drained or reserved (ReqNodeNotAvail, UnavailableNodes:n[2-3])',
    ],
    [
      '0|PENDING||AssocGrpCPUMinutesLimit',
      'waiting: waiting, as its account or QOS has used up its share of computing time (AssocGrpCPUMinutesLimit)',
    ],
    [
      '0|PENDING||AssocGrpCpuLimit',
      'waiting: waiting, as its account or QOS uses all that its users may use together (AssocGrpCpuLimit)',
    ],
    [
      '0|PENDING||QOSMaxJobsPerUserLimit',
      'waiting: waiting, as its user has as many jobs running as the QOS allows (QOSMaxJobsPerUserLimit)',
    ],
    ['0|PENDING||MaxMemPerLimit', 'waiting: waiting at a limit of its account or QOS (MaxMemPerLimit)'],
    ['0|PENDING||A new | reason', 'waiting: waiting (A new | reason)'],
    ['0|PENDING||', 'waiting: waiting ()'],
    ['0|REQUEUED|n1|None', 'waiting: waiting for the scheduler to look at it (None)'],
    ['0|PENDING||JobHeldUser', 'held: held by its user (JobHeldUser)'],
    [
      '0|PENDING||launch_failed_requeued_held',
      'held: held, as it could not be started on its node (launch_failed_requeued_held)',
    ],
    ['0|PENDING||held for a reason of the site', 'held: held (held for a reason of the site)'],
    ['0|REQUEUE_HOLD||None', 'held: held (REQUEUE_HOLD)'],
    ['0|RUNNING|n1|JobHeldAdmin', 'running: on n1'],
    ['0|COMPLETING|n1|None', 'running: ending on n1'],
    ['0|COMPLETING||None', 'running: ending on no node'],
    ['0|SUSPENDED|n1|None', 'running: suspended on n1'],
    ['0|OUT_OF_MEMORY|n1|OutOfMemory', 'ended: stopped, as it used more memory than it had asked for (OUT_OF_MEMORY)'],
    ['0|CANCELLED||JobHeldUser', 'ended: cancelled (CANCELLED)'],
  ])('%s', (line, words) => expect(shown(`${line}\n`)).toEqual([`0 ${words}`]))

  test('a line for tasks that never ran and have ended is skipped', () => {
    expect(shown('N/A|CANCELLED||JobHeldUser\n1|COMPLETED|n1|None\n')).toHaveLength(1)
  })

  test.each([
    '0|DREAMING|n1|None',
    '0|constructor|n1|None',
    '[4-9%2]|PENDING||Resources',
    'N/A|PENDING||Resources',
    '-1|RUNNING|n1|None',
    '0|RUNNING|n1',
    'slurm_load_jobs error: Zero Bytes were transmitted or received',
    '\u001B[2J0|RUNNING|n1|None',
  ])('%s is a failure that shows the line', (line) => {
    const read = (): unknown => tasksIn(`1|RUNNING|n1|None\n${line}\n`)
    expect(read).toThrow(Failure)
    expect(read).toThrow(line.replace('\u001B', String.raw`\u001b`))
  })
})

describe('jobs', () => {
  test('have exactly the name', () => {
    const output = '7|PENDING|a.b\n7|COMPLETED|a.b\n8|RUNNING|a.b.c\n9|RUNNING|a|b\n'
    expect(jobsIn(output, 'a.b')).toEqual([
      { jobId: '7', isEnded: false },
      { jobId: '7', isEnded: true },
    ])
    expect(jobsIn('', 'a.b')).toEqual([])
    expect(jobsIn('CLUSTER: east\n7|PENDING|a.b\n', 'a.b')).toHaveLength(1)
    expect(() => jobsIn('7_[1-2]|PENDING|a.b\n', 'a.b')).toThrow('7_[1-2]|PENDING|a.b')
  })

  test('that ended long ago have the number of their array', () => {
    expect(pastJobIn('12_0|x\n12_[1-9%2]|x\n', 'x')).toBe('12')
    expect(pastJobIn('14|x\n9|y\n12|x\n', 'x')).toBe('12')
    expect(pastJobIn('14|xx\n', 'x')).toBeUndefined()
    expect(() => pastJobIn('Slurm is asleep\n', 'x')).toThrow('sacct gave a line')
  })

  test('just submitted have a number, behind any greeting and before the name of a cluster', () => {
    expect(submittedIn('123\n')).toBe('123')
    expect(submittedIn('Welcome to 2 clusters\n123;east\n\n')).toBe('123')
    expect(submittedIn('Submitted batch job 123\n')).toBeUndefined()
    expect(submittedIn('')).toBeUndefined()
  })
})

test('the most tasks of an array are the lowest of three limits', () => {
  const config = (array: number, jobs: number, scheduler: string): string =>
    `Configuration data as of today\nMaxArraySize            = ${array}\nMaxJobCount             = ${jobs}\n` +
    `SchedulerParameters     = ${scheduler}\n`
  expect(tasksMaxIn(config(1001, 10_000, '(null)'))).toBe(1001)
  expect(tasksMaxIn(config(1001, 500, '(null)'))).toBe(500)
  expect(tasksMaxIn(config(1001, 10_000, 'bf_continue,max_array_tasks=100,defer'))).toBe(100)
  expect(() => tasksMaxIn('MaxJobCount = 10000\n')).toThrow('no MaxArraySize')
})

test('messages are in the words of Slurm, one line, and at most five', () => {
  expect(wordsOf('sbatch: error: invalid partition\nsbatch: fatal: no\u0007\n', 'sbatch')).toBe(
    String.raw`sbatch: invalid partition; no\u0007`,
  )
  expect(wordsOf('\n', 'squeue')).toBe('squeue failed without a message')
  expect(wordsOf('a\nb\nc\nd\ne\nf\n', 'squeue')).toBe('squeue: b; c; d; e; f')
})

test('indexes are written as ranges', () => {
  expect(indexText([3, 1, 2, 7, 7, 9, 10])).toBe('1-3,7,9-10')
  expect(indexText([0])).toBe('0')
})

describe('options of the user', () => {
  test('may be all that changes nothing of the program', () => {
    const words = [
      '-p',
      'long',
      '--mem=4G',
      '--time',
      '1:00:00',
      '-A',
      'lab',
      '--exclusive',
      '-n1',
      '--hold',
      '--export=A,B',
    ]
    expect(optionMistakes(words)).toEqual([])
  })

  test.each([
    [['--array=0-3'], '--array=0-3: not possible here, as the array is made by rocelab'],
    [['--arr', '0-3'], '--arr: not possible here, as the array is made by rocelab'],
    [['-a0-3'], '-a0-3: not possible here, as the array is made by rocelab'],
    [['--wait'], '--wait: not possible here, as the submission would not return before the last task has ended'],
    [['-p', 'long', 'script.sh'], '"script.sh" is neither an option of sbatch nor the value of one'],
    [['--mem=4G', 'script.sh'], '"script.sh" is neither an option of sbatch nor the value of one'],
    [['-n', ':'], '":" is neither an option of sbatch nor the value of one'],
    [['--'], '"--" ends the options of sbatch; leave it out'],
  ])('%j', (words, mistake) => expect(optionMistakes(words)).toEqual([mistake]))

  test('are refused all at once, before anything is called', async () => {
    const slurm = new Slurm({ environment: { PATH: '' } })
    const job = { name: 'x', script: '#!/bin/sh\n', tasks: 1, output: '/dev/null', directory: '/' }
    await expect(slurm.submit({ ...job, options: ['-a', '1', '-W'] })).rejects.toMatchObject({
      exitCode: 2,
      message: expect.stringMatching(/^-a: .*\n-W: /) as string,
    })
  })
})

describe('a call', () => {
  const call = (script: string, rest: { input?: string; timeLimitMs?: number } = {}) =>
    callCommand({ command: '/bin/sh', args: ['-c', script], environment: {}, timeLimitMs: 20_000, ...rest })

  test('gives exit code and output', async () => {
    expect(await call('cat; echo no >&2; exit 3', { input: 'yes' })).toEqual({
      kind: 'exited',
      code: 3,
      stdout: 'yes',
      stderr: 'no\n',
    })
  })

  test('that leaves its input unread is judged by its exit code', async () => {
    expect(await call('exit 0', { input: 'x'.repeat(1 << 20) })).toMatchObject({ kind: 'exited', code: 0 })
  })

  test('ends at its time limit, although a child holds its output', async () => {
    expect(await call('sleep 1000 & sleep 1000', { timeLimitMs: 100 })).toEqual({ kind: 'timeout' })
  })

  test('that is killed, missing or not a program says so', async () => {
    expect(await call('kill -9 $$')).toEqual({ kind: 'killed', signal: 'SIGKILL' })
    const other = { args: [], environment: {}, timeLimitMs: 20_000 }
    expect(await callCommand({ ...other, command: '/no/such/command' })).toEqual({ kind: 'missing' })
    expect(await callCommand({ ...other, command: '/' })).toEqual({ kind: 'unstarted', reason: 'EACCES' })
  })

  test('with too long an environment could not be started', async () => {
    const environment = { LONG: 'x'.repeat(1 << 22) }
    const outcome = await callCommand({ command: '/bin/true', args: [], environment, timeLimitMs: 20_000 })
    expect(outcome).toEqual({ kind: 'unstarted', reason: 'E2BIG' })
  })
})
