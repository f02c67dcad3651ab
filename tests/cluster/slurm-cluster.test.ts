/**
 * The tests' own Slurm: it starts, runs jobs, its parts can die and come back, and nothing of it is left at its end.
 */
import { existsSync } from 'node:fs'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { familyOf } from './processes.ts'
import { SlurmCluster } from './slurm-cluster.ts'

const isInstalled = SlurmCluster.isInstalled()
if (!isInstalled) console.warn('the Slurm cluster of the tests: skipped, there is no Slurm on this machine')

const leftOver = (folder: string): number =>
  familyOf((process) => [process.command, process.environment, process.folder].some((text) => text.includes(folder)))
    .length

describe.skipIf(!isInstalled)('a Slurm cluster', () => {
  let cluster: SlurmCluster
  beforeAll(async () => {
    cluster = await SlurmCluster.start({ configuration: { MaxArraySize: '12' } })
  })
  afterAll(async () => {
    await cluster?.stop()
  })

  /** Submits a script and returns the job's number. */
  const submit = async (script: string, ...options: string[]): Promise<string> => {
    const all = ['--parsable', '--requeue', '-o', '/dev/null', ...options, '--wrap', script]
    return (await cluster.exec('sbatch', ...all)).trim()
  }
  const tasksOf = async (job: string): Promise<string[]> => {
    const lines = await cluster.exec('squeue', '-h', '-r', '-t', 'all', '-j', job, '-o', '%K %T %r')
    return lines.trim().split('\n').toSorted()
  }
  const isSo = async (job: string, tasks: readonly RegExp[]): Promise<boolean> => {
    const found = await tasksOf(job)
    return found.length === tasks.length && tasks.every((task, i) => task.test(found[i]!))
  }
  const untilSo = async (job: string, ...tasks: RegExp[]): Promise<void> =>
    cluster.until(`${job} is ${tasks.map(String).join(', ')}`, async () => isSo(job, tasks))

  const stateOf = async (node: string): Promise<string> =>
    (await cluster.exec('sinfo', '-h', '-n', node, '-o', '%T')).trim()

  test('has the settings that it was given, and runs a task on each node', async () => {
    expect(await cluster.exec('scontrol', 'show', 'config')).toMatch(/^MaxArraySize\s*= 12$/m)
    const job = await submit(
      `sleep 0.1; echo $SLURMD_NODENAME > ${cluster.folder}/ran.$SLURM_ARRAY_TASK_ID`,
      '--array=0-1',
    )
    await untilSo(job, /^0 COMPLETED/, /^1 COMPLETED/)
    expect([0, 1].map((task) => existsSync(`${cluster.folder}/ran.${task}`))).toEqual([true, true])
  })

  test('a node dies with its jobs, comes back, and the requeued task runs again at once', async () => {
    // The second process has nothing of the cluster in its environment.
    const job = await submit(`env -i sleep 4${process.pid} & sleep 3${process.pid}`, '-w', 'n1', '--array=0-0')
    await cluster.until('both are there', async () => cluster.processesOf(String(process.pid)).length >= 2)
    await cluster.killNode('n1')
    expect(cluster.processesOf(String(process.pid))).toEqual([])
    await cluster.declareDown('n1')
    await cluster.startNode('n1')
    await untilSo(job, /^0 PENDING BeginTime/)
    await cluster.hurryRequeued()
    await untilSo(job, /^0 RUNNING/)
    await cluster.exec('scancel', job)
    await untilSo(job, /^0 CANCELLED/)
  })

  test('slurmd alone dies, and its job runs on', async () => {
    const job = await submit(`sleep 5${process.pid}`, '-w', 'n2', '--array=0-0')
    await untilSo(job, /^0 RUNNING/)
    await cluster.until('it runs', async () => cluster.processesOf(`sleep 5${process.pid}`).length > 0)
    const [before] = cluster.processesOf(`sleep 5${process.pid}`)
    await cluster.killDaemon('n2')
    await cluster.startNode('n2')
    expect(cluster.processesOf(`sleep 5${process.pid}`)).toContain(before)
    await cluster.exec('scancel', job)
    await untilSo(job, /^0 CANCELLED/)
  })

  test('the controller dies and comes back with its jobs', async () => {
    // It comes last, so what is saved with it has the ends of all jobs before; the controller would run those again.
    const kept = await submit('sleep 1000', '--array=0-1', '--hold', '--job-name=kept')
    await cluster.saved('kept')
    await cluster.killController()
    await expect(cluster.exec('scontrol', 'ping')).rejects.toThrow('DOWN')
    await cluster.startController()
    await untilSo(kept, /^0 PENDING JobHeld/, /^1 PENDING JobHeld/)
    await cluster.exec('scancel', kept)
  })

  test('drained nodes are resumed', async () => {
    await cluster.exec('scontrol', 'update', 'nodename=n1', 'state=drain', 'reason=test')
    await cluster.resumeNodes()
    await cluster.until('n1 is idle', async () => (await stateOf('n1')) === 'idle')
    expect(await cluster.exec('sinfo', '-h', '-t', 'drain,down', '-o', '%N')).toBe('')
  })

  test('nothing is left of a cluster and its jobs after its end, and another runs on', async () => {
    const other = await SlurmCluster.start({ nodes: 1 })
    await other.exec('sbatch', '--wrap', 'env -i sleep 1000 & sleep 1000')
    await other.until('the job runs', async () => other.processesOf('sleep 1000').length >= 2)
    expect(leftOver(other.folder)).toBeGreaterThan(5)
    await other.stop()
    expect(leftOver(other.folder)).toBe(0)
    expect(existsSync(other.folder)).toBe(false)
    expect(await cluster.exec('scontrol', 'ping')).toContain('is UP')
  })

  test('a cluster that cannot start says why', async () => {
    const start = SlurmCluster.start({ configuration: { SelectType: 'select/none-such' } })
    await expect(start).rejects.toThrow(/does not start[^]*none-such/)
  })
})
