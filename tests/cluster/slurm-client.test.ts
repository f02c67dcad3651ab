/**
 * The client of the scheduler against a real Slurm: submission, states, cancelling, limits, and what it says and does when
 * answers are lost or the controller is away.
 */
import { chmodSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { type ArrayJob, Slurm } from '../../src/cli/cluster/slurm.ts'
import { SlurmCluster } from './slurm-cluster.ts'

const isInstalled = SlurmCluster.isInstalled()
if (!isInstalled) console.warn('the client of Slurm: skipped, there is no Slurm on this machine')

describe.skipIf(!isInstalled)('the client of Slurm', () => {
  let cluster: SlurmCluster
  let slurm: Slurm
  /** For files of the tests; while it holds "broken", nodes cannot start tasks. */
  let folder: string

  beforeAll(async () => {
    folder = mkdtempSync(path.join(tmpdir(), 'rocelab-slurm-'))
    const prolog = script(path.join(folder, 'prolog'), `test ! -e ${folder}/broken`)
    cluster = await SlurmCluster.start({ configuration: { MaxArraySize: '8', Prolog: prolog } })
    slurm = new Slurm({ environment: cluster.env })
  })
  afterAll(async () => {
    await cluster?.stop()
    rmSync(folder, { recursive: true, force: true })
  })

  const arrayOf = (name: string, command: string, rest: Partial<ArrayJob> = {}): ArrayJob => ({
    name,
    script: `#!/bin/sh\n${command}\n`,
    tasks: 3,
    output: path.join(folder, '%A.%a.log'),
    options: [],
    directory: folder,
    ...rest,
  })

  /** States with reasons, a line per task. */
  const shown = async (job: string): Promise<string[]> =>
    (await slurm.tasks(job)).map(({ index, state, why }) => `${index} ${state}: ${why}`)

  const untilShown = async (job: string, ...lines: RegExp[]): Promise<string[]> => {
    let seen: string[] = []
    const isSo = async (): Promise<boolean> => {
      seen = await shown(job)
      return seen.length === lines.length && lines.every((line, i) => line.test(seen[i]!))
    }
    await cluster.until(`${job} is ${lines.map(String).join(', ')}`, isSo).catch((error: unknown) => {
      throw new Error(`last seen: ${seen.join('\n')}`, { cause: error })
    })
    return seen
  }

  /** Numbers of all jobs of a name that the controller knows. */
  const jobsOf = async (name: string): Promise<string[]> => {
    const lines = await cluster.exec('squeue', '-h', '-t', 'all', `--name=${name}`, '-o', '%F')
    return [...new Set(lines.split('\n').filter(Boolean))]
  }

  /** An environment in which a command of Slurm is another script; REAL in it is the real command. */
  const shimmed = (command: string, text: string): NodeJS.ProcessEnv => {
    const bin = mkdtempSync(path.join(folder, 'bin-'))
    script(path.join(bin, command), text.replaceAll('REAL', SlurmCluster.pathOf(command)))
    return { ...cluster.env, PATH: `${bin}:${cluster.env['PATH']!}` }
  }

  test('an array waits, runs and ends, and its tasks have folder, index, environment and output', async () => {
    const environment = { ...cluster.env, FROM_USER: 'as on the login node' }
    const command = `echo "$SLURM_ARRAY_TASK_ID $FROM_USER $(pwd)"; node -e 'console.log(1 + 1)'; until test -e go; do sleep 0.1; done`
    const job = await new Slurm({ environment }).submit(arrayOf('rl.first', command, { tasks: 4, concurrent: 2 }))
    const enough = /^\d waiting: waiting, as enough tasks of its array run \(JobArrayTaskLimit\)$/
    const tasks = await untilShown(job, /^0 running: on n\d$/, /^1 running: on n\d$/, enough, enough)
    expect(
      tasks
        .slice(0, 2)
        .map((line) => line.slice(-2))
        .toSorted(),
    ).toEqual(['n1', 'n2'])
    expect((await slurm.tasks(job))[0]!.node).toMatch(/^n[12]$/)
    expect(await slurm.tasks(job, 'another-name')).toEqual([])
    expect(await slurm.find('rl.first')).toBe(job)
    writeFileSync(path.join(folder, 'go'), '')
    await untilShown(job)
    expect(await slurm.find('rl.first')).toBe(job)
    const ended = await slurm.endedTasks(job)
    expect(ended.map(({ index, why }) => `${index} ${why}`)).toEqual(
      [0, 1, 2, 3].map((index) => `${index} ended without an error (COMPLETED)`),
    )
    expect(readFileSync(path.join(folder, `${job}.3.log`), 'utf8')).toBe(`3 as on the login node ${folder}\n2\n`)
  })

  test('a name that was never submitted is not found, and a job that never was has no tasks', async () => {
    expect(await slurm.find('rl.never')).toBeUndefined()
    expect(await slurm.tasks('4000000')).toEqual([])
    await slurm.cancel('4000000')
  })

  test('a job is submitted once, however often', async () => {
    const array = arrayOf('rl.once', 'true', { options: ['--hold'] })
    const job = await slurm.submit(array)
    expect(await slurm.submit(array)).toBe(job)
    const held = /^\d held: held by its user \(JobHeldUser\)$/
    await untilShown(job, held, held, held)
    expect(await jobsOf('rl.once')).toEqual([job])
    await slurm.cancel(job, 'another-name')
    expect(await shown(job)).toHaveLength(3)
    await slurm.cancel(job, 'rl.once')
    await untilShown(job)
    await slurm.cancel(job)
    expect(await slurm.find('rl.once')).toBe(job)
  })

  test('running tasks are cancelled', async () => {
    const job = await slurm.submit(arrayOf('rl.cancelled', 'exec sleep 1000'))
    await untilShown(job, /running/, /running/, /^2 waiting: waiting for a free node \(Resources\)$/)
    await slurm.cancel(job, 'rl.cancelled')
    await untilShown(job)
    expect((await slurm.endedTasks(job)).map(({ why }) => why)).toContain('cancelled (CANCELLED)')
    await cluster.until('no sleep is left', async () => cluster.processesOf('sleep 1000').length === 0)
  })

  test('tasks that could not be started are held, and run when they are released', async () => {
    writeFileSync(path.join(folder, 'broken'), '')
    const job = await slurm.submit(arrayOf('rl.held', 'exec sleep 1000', { tasks: 2 }))
    const held = /^\d held: held, as it could not be started on its node \(launch failed requeued held\)$/
    await untilShown(job, held, held)
    rmSync(path.join(folder, 'broken'))
    await cluster.resumeNodes()
    await slurm.release(job, [0, 1])
    await untilShown(job, /^0 (running|waiting)/, /^1 (running|waiting)/)
    await cluster.until('both run', async () => {
      await cluster.hurryRequeued()
      return (await slurm.tasks(job)).every(({ state }) => state === 'running')
    })
    await slurm.release(job, [1])
    await slurm.cancel(job)
    await untilShown(job)
    await slurm.release(job, [0, 1])
    expect(await shown(job)).toEqual([])
  })

  test('an array has as many tasks as the limit says, and no more', async () => {
    const { tasksMax } = await slurm.limits()
    expect(tasksMax).toBe(8)
    const options = ['--hold']
    const job = await slurm.submit(arrayOf('rl.most', 'true', { tasks: tasksMax, options }))
    expect(await slurm.tasks(job)).toHaveLength(8)
    await slurm.cancel(job)
    await expect(slurm.submit(arrayOf('rl.more', 'true', { tasks: tasksMax + 1, options }))).rejects.toThrow(
      'sbatch: Batch job submission failed: Invalid job array specification',
    )
  })

  test('a refusal has the words of Slurm, and exit code 2', async () => {
    const refused = slurm.submit(arrayOf('rl.refused', 'true', { options: ['-p', 'nowhere'] }))
    await expect(refused).rejects.toMatchObject({
      name: 'Failure',
      exitCode: 2,
      message:
        'sbatch: invalid partition specified: nowhere; Batch job submission failed: Invalid partition name specified',
    })
  })

  test.each([
    ['comes too late', 'REAL "$@" >/dev/null; sleep 1000'],
    ['never comes', 'REAL "$@" >/dev/null; kill -9 $$'],
    ['is another', 'REAL "$@" >/dev/null; echo welcome to the cluster'],
    ['is an error', 'REAL "$@" >/dev/null; echo "sbatch: error: Socket timed out on send/recv operation" >&2; exit 1'],
  ])('a submission whose answer %s is found by its name', async (how, text) => {
    const name = `rl.${how.replaceAll(' ', '-')}`
    const lossy = new Slurm({ environment: shimmed('sbatch', text), timeLimitMs: 4000 })
    const job = await lossy.submit(arrayOf(name, 'true', { options: ['--hold'] }))
    expect(await jobsOf(name)).toEqual([job])
    expect(await lossy.submit(arrayOf(name, 'true', { options: ['--hold'] }))).toBe(job)
    expect(await jobsOf(name)).toEqual([job])
    await slurm.cancel(job)
  })

  test('a submission that never reached Slurm is a failure, and may be repeated', async () => {
    const array = arrayOf('rl.unsent', 'true', { options: ['--hold'] })
    const silent = new Slurm({ environment: shimmed('sbatch', 'kill -9 $$') })
    await expect(silent.submit(array)).rejects.toThrow(
      'sbatch was killed by SIGKILL\nno job was found under the name rl.unsent; submit again',
    )
    const job = await slurm.submit(array)
    expect(await jobsOf('rl.unsent')).toEqual([job])
    await slurm.cancel(job)
  })

  test('a job that the controller has forgotten is found among the ended ones', async () => {
    const job = await slurm.find('rl.first')
    expect(job).toBeDefined()
    const forgetful = new Slurm({ environment: shimmed('squeue', 'exit 0') })
    expect(await forgetful.find('rl.first')).toBe(job)
    expect(await forgetful.find('rl.never')).toBeUndefined()
  })

  test('output that it does not understand is a failure that shows the line', async () => {
    const odd = new Slurm({ environment: shimmed('squeue', 'echo "1|DREAMING|n1|None"') })
    await expect(odd.tasks('1')).rejects.toThrow('does not understand: 1|DREAMING|n1|None')
  })

  test('a machine without Slurm says so', async () => {
    mkdirSync(path.join(folder, 'empty'))
    const none = new Slurm({ environment: { ...cluster.env, PATH: path.join(folder, 'empty') } })
    await expect(none.limits()).rejects.toMatchObject({
      exitCode: 2,
      message: 'there is no scontrol on this machine: run this on a login node of a Slurm cluster',
    })
  })

  test('while the controller is away, calls end within their time limit; a submission lost with it is known as such', async () => {
    const array = arrayOf('rl.away', 'true', { options: ['--hold'] })
    // The answer is lost, and with it the controller.
    const controller = cluster.processesOf('slurmctld -D').join(' ')
    const environment = shimmed('sbatch', `REAL "$@" >/dev/null; kill -9 ${controller}; exit 1`)
    const hasty = new Slurm({ environment, timeLimitMs: 2000 })
    await expect(hasty.submit(array)).rejects.toThrow(
      /^sbatch failed without a message\nwhether the job was submitted is not known: squeue/,
    )
    const isAway = /^squeue (did not answer within 2 s; the scheduler may be down or busy|: .*Unable to contact)/
    await expect(hasty.tasks('1')).rejects.toThrow(isAway)
    await expect(hasty.find('rl.away')).rejects.toThrow(isAway)
    await expect(hasty.submit(array)).rejects.toThrow(isAway)
    await cluster.startController()
    const job = await slurm.submit(array)
    expect(await jobsOf('rl.away')).toEqual([job])
  })
})

/** Writes an executable shell script and returns its path. */
function script(file: string, text: string): string {
  writeFileSync(file, `#!/bin/sh\n${text}\n`)
  chmodSync(file, 0o755)
  return file
}
