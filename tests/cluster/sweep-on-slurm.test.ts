/**
 * Sweeps on a real Slurm, of which any part dies: whatever happens, the gathered tables are those of a sweep on one machine,
 * byte by byte, no point is lost or counted twice, nothing hangs and nothing is left running.
 */
import { type ChildProcess, execFileSync, spawn } from 'node:child_process'
import {
  chmodSync,
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest'
import { ROOT, type Ended } from '../cli/program.ts'
import { SlurmCluster } from './slurm-cluster.ts'

const isInstalled = SlurmCluster.isInstalled()
if (!isInstalled) console.warn('sweeps on Slurm: skipped, there is no Slurm on this machine')

/** Some 0.3 s a point. */
const SCENARIO = `name: story
topology: {kind: star, hosts: 9}
congestion: dcqcn
pfc: {classes: [3]}
workload:
  - {kind: incast, senders: 4, total: 128MB, repetitions: 2}
`
const POINTS = 8
const SWEEP = ['sweep', 'story.yaml', '--param', 'workload.0.senders=2,4,6,8', '--seeds', '2', '--quiet']
/** Two points a task. */
const ON = [...SWEEP, '--on', 'slurm', '--task-points', '2']

describe.skipIf(!isInstalled)('a sweep on Slurm', () => {
  let cluster: SlurmCluster
  let folder: string
  let expected: readonly Buffer[]

  beforeAll(async () => {
    cluster = await SlurmCluster.start()
    folder = mkdtempSync(path.join(tmpdir(), 'rocelab-on-slurm-'))
    writeFileSync(path.join(folder, 'story.yaml'), SCENARIO)
    const { code, stderr } = await done(...SWEEP, '--out', 'here')
    if (code !== 0) throw new Error(stderr)
    expected = tablesIn('here')
  })
  afterAll(async () => {
    await cluster?.stop()
    if (folder !== undefined) rmSync(folder, { recursive: true, force: true })
  })
  afterEach(async () => {
    for (const node of cluster.nodes) await cluster.startNode(node).catch(() => undefined)
    await cluster.resumeNodes()
    const left = [await tasksOf(), cluster.processesOf('task-')].flat()
    if (left.length === 0) return
    await cluster.exec('scancel', '--partition=lab')
    throw new Error(`left running: ${left.join('; ')}`)
  })

  interface Started {
    readonly child: ChildProcess
    readonly ended: Promise<Ended>
  }

  /** Starts the program in the folder as a user of the cluster. */
  const program = (...args: string[]): Started => programWith({}, ...args)
  const programWith = (variables: Readonly<Record<string, string>>, ...args: string[]): Started => {
    const main = variables['MAIN'] ?? path.join(ROOT, 'dist', 'cli', 'main.js')
    const env = { ...cluster.env, ...variables }
    const child = spawn(process.execPath, [main, ...args], { cwd: folder, env, stdio: ['ignore', 'pipe', 'pipe'] })
    let [stdout, stderr] = ['', '']
    child.stdout.setEncoding('utf8').on('data', (text: string) => (stdout += text))
    child.stderr.setEncoding('utf8').on('data', (text: string) => (stderr += text))
    const ended = new Promise<Ended>((resolve, reject) => {
      child.on('error', reject)
      child.on('close', (code) => resolve({ code, stdout, stderr }))
    })
    return { child, ended }
  }
  const done = async (...args: string[]): Promise<Ended> => program(...args).ended

  const tablesIn = (out: string): Buffer[] =>
    ['sweep.csv', 'sweep.json'].map((name) => readFileSync(path.join(folder, out, name)))
  const tasksOf = async (): Promise<string[]> => {
    const text = await cluster.exec('squeue', '-h', '-r', '-o', '%K %T %r')
    return text.split('\n').filter(Boolean)
  }
  /** Finished points in the logs of attempts. */
  const linesIn = (out: string): string[] => {
    const logs = path.join(folder, out, 'cluster', 'logs')
    if (!existsSync(logs)) return []
    const names = readdirSync(logs)
    return names.flatMap((name) =>
      readFileSync(path.join(logs, name), 'utf8')
        .split('\n')
        .slice(0, -1)
        .filter((line) => line.includes('"summary"')),
    )
  }
  /** Repeats the command until everything has finished; waits of requeued tasks are cut. */
  const gathered = async (out: string): Promise<Ended> => {
    const started = program(...ON, '--out', out, '--wait')
    let ended: Ended | undefined
    void started.ended.then((end) => (ended = end))
    await cluster.until(
      'the sweep has ended',
      async () => {
        // As an administrator does after the controller has lost track of tasks.
        for (const step of ['resumeNodes', 'releaseHeld', 'hurryRequeued'] as const)
          await cluster[step]().catch(() => undefined)
        await delay(300)
        return ended !== undefined
      },
      90_000,
    )
    return started.ended
  }
  const expectSame = (out: string): void => {
    expect(tablesIn(out).map(String)).toEqual(expected.map(String))
    const keys = linesIn(out).map((line) => (JSON.parse(line) as { readonly key: string }).key)
    expect(new Set(keys).size).toBe(POINTS)
  }

  test('submits, says where its tasks are, submits nothing twice, and gathers', async () => {
    const loud = ON.filter((word) => word !== '--quiet')
    const first = await done(...loud, '--out', 'plain')
    expect(first.code).toBe(0)
    expect(first.stderr).toMatch(
      /^rocelab: job \d+ \(rocelab-story-[0-9a-f]{8}\): 8 points in 4 tasks\nrocelab: repeat/,
    )
    let running: number[] = []
    await cluster.until('two tasks run their programs', async () => {
      running = ['task-0.jsonl', 'task-1.jsonl'].flatMap((task) => cluster.processesOf(task).slice(0, 1))
      return running.length === 2
    })
    // They stand still while one looks.
    for (const pid of running) process.kill(pid, 'SIGSTOP')
    const status = await done(...ON, '--out', 'plain', '--status')
    expect(status.stdout).toMatch(/^\d of 8 points finished, \d are with tasks\ntasks 2 running, 2 waiting\n/)
    expect(status.stdout).toMatch(/ {2}1 running on n1\n/)
    const asked = JSON.parse((await done(...ON, '--out', 'plain', '--status', '--json')).stdout) as object
    expect(asked).toMatchObject({ points: POINTS, failed: 0, open: 0, jobs: [{ isCancelled: false }], failures: [] })
    const again = await done(...ON, '--out', 'plain')
    expect(again.code).toBe(0)
    for (const pid of running) process.kill(pid, 'SIGCONT')
    expect(await gathered('plain')).toMatchObject({ code: 0 })
    expectSame('plain')
    expect(linesIn('plain')).toHaveLength(POINTS)
    expect((await done(...ON, '--out', 'plain', '--status')).stdout).toBe('8 of 8 points finished\ntasks none\n')
  })

  test('whose program is killed in a task, and then its node, and then slurmd alone, loses nothing', async () => {
    expect((await done(...ON, '--out', 'killed')).code).toBe(0)
    let victim: number | undefined
    await cluster.until('the first task runs its program', async () => {
      ;[victim] = cluster.processesOf('task-0.jsonl')
      return victim !== undefined
    })
    process.kill(victim!, 'SIGKILL')
    await cluster.until('a third task runs', async () => (await tasksOf()).some((line) => line.startsWith('2 RUNNING')))
    await cluster.killNode('n1')
    await cluster.declareDown('n1')
    await cluster.startNode('n1')
    await cluster.killDaemon('n2')
    await cluster.declareDown('n2')
    await cluster.startNode('n2')
    await cluster.resumeNodes()
    expect(await gathered('killed')).toMatchObject({ code: 0 })
    expectSame('killed')
  })

  test('that is waited for submits again what a dead task left, and waits for nodes as long as it takes', async () => {
    const started = program(...SWEEP, '--on', 'slurm', '--task-points', '8', '--out', 'again', '--wait')
    let victims: number[] = []
    await cluster.until('the task runs its program', async () => {
      victims = cluster.processesOf('task-0.jsonl')
      return victims.length > 0
    })
    await cluster.exec('scontrol', 'update', 'nodename=n1,n2', 'state=drain', 'reason=test')
    for (const pid of victims) process.kill(pid, 'SIGKILL')
    await cluster.until('a task waits', async () => (await tasksOf()).some((line) => line.includes('PENDING')))
    // Longer than the command counts submissions in vain.
    await delay(5000)
    await cluster.resumeNodes()
    expect(await started.ended).toMatchObject({ code: 0 })
    expectSame('again')
  })

  test('whose controller dies while tasks wait, and right after they began, goes on', async () => {
    // Tasks that ended before are saved, so that the controller does not take them for running when it comes back.
    await cluster.stopController()
    await cluster.startController()
    expect((await done(...ON, '--out', 'controller')).code).toBe(0)
    await cluster.killController()
    await cluster.startController()
    await cluster.resumeNodes()
    await cluster.releaseHeld()
    expect(await gathered('controller')).toMatchObject({ code: 0 })
    expectSame('controller')
  })

  test('whose submission is killed before and after its answer is submitted once', async () => {
    const real = SlurmCluster.pathOf('sbatch')
    for (const [name, text] of [
      ['before', 'touch "$MARK"; sleep 30'],
      ['after', `${real} "$@"; touch "$MARK"; sleep 30`],
    ] as const) {
      const bin = mkdtempSync(path.join(folder, 'bin-'))
      writeFileSync(path.join(bin, 'sbatch'), `#!/bin/sh\n${text}\n`)
      chmodSync(path.join(bin, 'sbatch'), 0o755)
      const mark = path.join(bin, 'mark')
      const started = programWith({ PATH: `${bin}:${cluster.env['PATH']!}`, MARK: mark }, ...ON, '--out', name)
      await cluster.until('sbatch was called', async () => existsSync(mark))
      started.child.kill('SIGKILL')
      await started.ended
      expect(await gathered(name)).toMatchObject({ code: 0 })
      expectSame(name)
      expect(linesIn(name)).toHaveLength(POINTS)
      const folders = readdirSync(path.join(folder, name, 'cluster')).filter((each) => each.startsWith('rocelab-'))
      expect(folders).toHaveLength(name === 'before' ? 2 : 1)
    }
    for (const pid of cluster.processesOf('sleep 30')) process.kill(pid, 'SIGKILL')
  })

  test('that is cancelled keeps what has finished, and goes on with the rest', async () => {
    expect((await done(...ON, '--out', 'cancelled')).code).toBe(0)
    await cluster.until('a point has finished', async () => linesIn('cancelled').length > 0)
    const { stdout, code } = await done(...ON, '--out', 'cancelled', '--cancel')
    expect(code).toBe(0)
    expect(stdout).toMatch(/^\d of 8 points finished/)
    await cluster.until('all tasks have ended', async () => (await tasksOf()).length === 0)
    const kept = linesIn('cancelled').length
    expect(kept).toBeGreaterThan(0)
    expect(kept).toBeLessThan(POINTS)
    expect(await gathered('cancelled')).toMatchObject({ code: 0 })
    expectSame('cancelled')
    expect(linesIn('cancelled')).toHaveLength(POINTS)
  })

  test('as a reproduction gives the same report', async () => {
    const loud = ['reproduce', 'livelock', '--seeds', '2']
    const on = [...loud, '--on', 'slurm', '--task-points', '3', '--out', 'report']
    expect((await done(...loud, '--out', 'report-here', '--quiet')).code).toBe(0)
    // The nodes take no task until one has looked.
    await cluster.exec('scontrol', 'update', 'nodename=n1,n2', 'state=drain', 'reason=test')
    const first = await done(...on)
    expect(first).toMatchObject({ code: 0, stdout: '' })
    expect(first.stderr).toMatch(/^rocelab: job \d+ \(rocelab-livelock-\w+\): \d+ runs in \d+ tasks\n/)
    const status = await done(...on, '--status')
    expect(status).toMatchObject({ code: 0, stderr: '' })
    expect(status.stdout).toMatch(/^0 of \d+ runs finished, \d+ are with tasks\ntasks \d+ waiting\n/)
    await cluster.resumeNodes()
    const { code, stdout } = await done(...on, '--wait')
    expect(code).toBe(0)
    expect(stdout).toMatch(/\nreport in report\n$/)
    const files = readdirSync(path.join(folder, 'report-here')).toSorted()
    expect(readdirSync(path.join(folder, 'report')).toSorted()).toEqual(files)
    for (const name of files) {
      expect(
        readFileSync(path.join(folder, 'report', name)).equals(readFileSync(path.join(folder, 'report-here', name))),
        name,
      ).toBe(true)
    }
    expect((await done(...on, '--status')).stdout).toBe('all runs have finished; report in report\n')
  })

  test('planned by another build of the program is refused by its tasks', async () => {
    const other = path.join(folder, 'other')
    mkdirSync(other)
    cpSync(path.join(ROOT, 'dist'), path.join(other, 'dist'), { recursive: true })
    cpSync(path.join(ROOT, 'package.json'), path.join(other, 'package.json'))
    execFileSync('ln', ['-s', path.join(ROOT, 'node_modules'), path.join(other, 'node_modules')])
    const main = path.join(other, 'dist', 'cli', 'main.js')
    await cluster.exec('scontrol', 'update', 'nodename=n1,n2', 'state=drain', 'reason=test')
    expect((await programWith({ MAIN: main }, ...ON, '--out', 'rebuilt').ended).code).toBe(0)
    writeFileSync(path.join(other, 'dist', '.stamp'), 'another build')
    await cluster.resumeNodes()
    await cluster.until('all tasks have ended', async () => (await tasksOf()).length === 0)
    expect(linesIn('rebuilt')).toEqual([])
    const [job = ''] = readdirSync(path.join(folder, 'rebuilt', 'cluster')).filter((each) =>
      each.startsWith('rocelab-'),
    )
    const output = readFileSync(path.join(folder, 'rebuilt', 'cluster', job, 'output-0.txt'), 'utf8')
    expect(output).toMatch(/task-0\.jsonl were planned by another build of rocelab; repeat the command/)
    expect(await gathered('rebuilt')).toMatchObject({ code: 0 })
    expectSame('rebuilt')
  })
})
