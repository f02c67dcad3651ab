/**
 * A real Slurm on one machine: munged, slurmctld and a slurmd per node, with folders, ports and keys of its own, so that
 * several clusters can run side by side and nothing of the machine's own Slurm is read or written.
 * Nodes have no cgroups and no database. Slurm notices a dead node after about 26 s (SlurmdTimeout 10 s).
 * Which process belongs to which node: slurmd runs in a folder of the node, and slurmstepd inherits it; it writes over its own
 * command line and environment. Processes of jobs descend from slurmstepd and have SLURMD_NODENAME.
 */
import { type ChildProcess, execFile, spawn } from 'node:child_process'
import { accessSync, chmodSync, closeSync, constants, existsSync, mkdirSync, mkdtempSync, openSync } from 'node:fs'
import { readFileSync, rmSync, writeFileSync } from 'node:fs'
import { randomBytes } from 'node:crypto'
import { createServer } from 'node:net'
import { hostname, userInfo } from 'node:os'
import path from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { familyOf, kill, killFamily, type Process } from './processes.ts'

export interface ClusterOptions {
  /** Nodes are named n1, n2 and so on; 2 by default. */
  readonly nodes?: number
  /** Processors of each node; 1 by default. May be more than the machine has. */
  readonly cpusPerNode?: number
  /** Settings of slurm.conf that are added, or replace those of the rig: { MaxArraySize: '8' }. */
  readonly configuration?: Readonly<Record<string, string>>
}

const START_LIMIT_MS = 30_000
const STOP_LIMIT_MS = 10_000
const COMMAND_LIMIT_MS = 20_000
const FOLDERS = [...(process.env['PATH'] ?? '').split(path.delimiter), '/usr/sbin', '/usr/local/sbin', '/sbin']
/** Free ports are looked for below those that the system gives to outgoing connections. */
const PORTS = { lowest: 12_000, highest: 30_000 }

export class SlurmCluster {
  /** Holds everything of the cluster; removed at its end. */
  readonly folder: string
  /** Variables of a process that uses this cluster. */
  readonly env: NodeJS.ProcessEnv
  readonly nodes: readonly string[]
  readonly #daemons = new Map<string, ChildProcess>()
  /** If the tests end without stop(). */
  readonly #onExit = (): void => {
    for (const { pid } of this.#family()) kill(pid)
  }

  /** Whether Slurm's commands and daemons are on this machine. */
  static isInstalled(): boolean {
    return ['munged', 'slurmctld', 'slurmd', 'sbatch'].every((name) => executable(name) !== undefined)
  }

  /** Path of a command of Slurm. Throws if there is none. */
  static pathOf(command: string): string {
    const file = executable(command)
    if (file === undefined) throw new Error(`there is no ${command} on this machine`)
    return file
  }

  /** Starts a cluster, and waits until its nodes are idle. Throws with the ends of the logs if they do not become so. */
  static async start(options: ClusterOptions = {}): Promise<SlurmCluster> {
    const nodes = Array.from({ length: options.nodes ?? 2 }, (_, i) => `n${i + 1}`)
    const cluster = new SlurmCluster(nodes)
    try {
      await cluster.#start(options)
    } catch (error) {
      const logs = cluster.#logTails()
      await cluster.stop()
      throw new Error(`the Slurm cluster does not start:\n${logs}`, { cause: error })
    }
    return cluster
  }

  private constructor(nodes: readonly string[]) {
    process.once('exit', this.#onExit)
    // A short name: the path of a socket has at most 107 bytes.
    this.folder = mkdtempSync('/tmp/rl-')
    // Programs of any user reach munged's socket.
    chmodSync(this.folder, 0o755)
    this.nodes = nodes
    const outer = Object.entries(process.env).filter(([name]) => !/^(SLURM|SBATCH|SQUEUE|SACCT|SCANCEL)/.test(name))
    this.env = { ...Object.fromEntries(outer), SLURM_CONF: path.join(this.folder, 'slurm.conf') }
  }

  async #start(options: ClusterOptions): Promise<void> {
    const ports = await freePorts(this.nodes.length + 1)
    for (const name of ['state', 'log', 'run', ...this.nodes]) mkdirSync(path.join(this.folder, name))
    writeFileSync(path.join(this.folder, 'munge.key'), randomBytes(1024), { mode: 0o400 })
    writeFileSync(this.env['SLURM_CONF']!, configuration(this.folder, this.nodes, ports, options))
    const run = path.join(this.folder, 'run')
    this.#spawn('munged', this.folder, [
      '--foreground',
      '--force',
      `--key-file=${path.join(this.folder, 'munge.key')}`,
      `--seed-file=${path.join(this.folder, 'munge.seed')}`,
      `--socket=${path.join(run, 'munge.socket')}`,
      `--pid-file=${path.join(run, 'munged.pid')}`,
    ])
    await this.until('munged listens', async () => existsSync(path.join(run, 'munge.socket')))
    this.#spawn('slurmctld', path.join(this.folder, 'state'), ['-D', '-f', this.env['SLURM_CONF']!])
    for (const name of this.nodes) this.#startDaemon(name)
    const areIdle = async (): Promise<boolean> => {
      const ended = ['munged', 'slurmctld', ...this.nodes].filter((name) => !this.#daemons.has(name))
      if (ended.length > 0) throw new Error(`ended at once: ${ended.join(', ')}`)
      const idle = await this.#exec(1000, 'sinfo', '-h', '-N', '-t', 'idle', '-o', '%N').catch(() => '')
      return wordsOf(idle).length === this.nodes.length
    }
    await this.until('all nodes are idle', areIdle)
  }

  /** Runs a command of Slurm to its end and returns its output. Throws with its messages if it fails or takes too long. */
  async exec(command: string, ...args: string[]): Promise<string> {
    return this.#exec(COMMAND_LIMIT_MS, command, ...args)
  }

  async #exec(timeout: number, command: string, ...args: string[]): Promise<string> {
    const options = { env: this.env, cwd: this.folder, timeout, killSignal: 'SIGKILL', maxBuffer: 1 << 26 } as const
    return new Promise((resolve, reject) => {
      execFile(SlurmCluster.pathOf(command), args, options, (error, stdout, stderr) => {
        if (error === null) resolve(stdout)
        else reject(new Error(`${command} ${args.join(' ')}: ${stdout}${stderr || error.message}`, { cause: error }))
      })
    })
  }

  /** Waits until it holds. Throws after the limit, with the ends of the logs. */
  async until(text: string, holds: () => Promise<boolean>, limitMs = START_LIMIT_MS): Promise<void> {
    const endMs = performance.now() + limitMs
    while (!(await holds())) {
      if (performance.now() > endMs) throw new Error(`not so within ${limitMs} ms: ${text}\n${this.#logTails()}`)
      await delay(50)
    }
  }

  /** Process ids of all that is below this cluster and holds a text in its command line or environment. */
  processesOf(text: string): number[] {
    return this.#family()
      .filter(({ command, environment }) => command.includes(text) || environment.includes(text))
      .map(({ pid }) => pid)
  }

  /** Kills a node at once: slurmd, slurmstepd and everything of its jobs. */
  async killNode(name: string): Promise<void> {
    const left = await killFamily((one) => this.#isOfNode(one, name), STOP_LIMIT_MS)
    if (left.length > 0) throw new Error(`left of node ${name}: ${linesOf(left)}`)
    await this.#ended(name)
  }

  /**
   * The controller takes a node for down at once, which it would notice by itself after about 26 s, and requeues or ends its
   * jobs. The node is in service again when its slurmd starts.
   */
  async declareDown(name: string): Promise<void> {
    await this.exec('scontrol', 'update', `nodename=${name}`, 'state=down', 'reason=no answer')
  }

  /** Kills slurmd of a node alone; its jobs run on. */
  async killDaemon(name: string): Promise<void> {
    this.#daemon(name).kill('SIGKILL')
    await this.#ended(name)
  }

  /** Starts slurmd of a node again, and waits until the controller finds it in service. */
  async startNode(name: string): Promise<void> {
    this.#startDaemon(name)
    await this.until(`${name} is in service`, async () => {
      const state = await this.exec('sinfo', '-h', '-n', name, '-o', '%T')
      return /^(idle|mixed|allocated|completing)$/.test(state.trim())
    })
  }

  /**
   * Waits until the controller has saved a job of this name, which it does up to 5 s after the job came. Without it, a job
   * is lost when the controller dies, and its number is given to the next one.
   */
  async saved(name: string): Promise<void> {
    const file = path.join(this.folder, 'state', 'job_state')
    await this.until(`${name} is saved`, async () => existsSync(file) && readFileSync(file, 'latin1').includes(name))
  }

  /** Kills the controller; jobs run on. */
  async killController(): Promise<void> {
    this.#daemon('slurmctld').kill('SIGKILL')
    await this.#ended('slurmctld')
    // It has a helper process, which ends when it notices.
    await killFamily(({ folder }) => folder === path.join(this.folder, 'state'), STOP_LIMIT_MS)
  }

  /** Stops the controller, which saves what it knows; jobs run on. */
  async stopController(): Promise<void> {
    this.#daemon('slurmctld').kill('SIGTERM')
    await this.#ended('slurmctld')
  }

  /** Starts the controller again with the state that was saved, and waits until it knows the nodes that run. */
  async startController(): Promise<void> {
    this.#spawn('slurmctld', path.join(this.folder, 'state'), ['-D', '-f', this.env['SLURM_CONF']!])
    await this.until('the controller knows the nodes', async () => {
      const unknown = await this.exec('sinfo', '-h', '-N', '-t', 'unknown', '-o', '%N').catch(() => undefined)
      return unknown !== undefined && !wordsOf(unknown).some((name) => this.#daemons.has(name))
    })
  }

  /** Returns nodes to service that are drained or down. */
  async resumeNodes(): Promise<void> {
    const names = await this.exec('sinfo', '-h', '-N', '-t', 'drain,down', '-o', '%N')
    for (const name of new Set(wordsOf(names))) {
      await this.exec('scontrol', 'update', `nodename=${name}`, 'state=resume')
    }
  }

  /** Takes the wait away that requeued tasks have before they may begin: 120 s. */
  async hurryRequeued(): Promise<void> {
    for (const task of await this.#waitingFor(/^BeginTime/)) {
      await this.exec('scontrol', 'update', `JobId=${task}`, 'StartTime=now')
    }
  }

  /** Releases tasks that are held because they could not be launched. */
  async releaseHeld(): Promise<void> {
    for (const task of await this.#waitingFor(/^launch.failed/)) await this.exec('scontrol', 'release', task)
  }

  /** Ends everything of this cluster, jobs too, and removes its folder. Throws if something does not end. */
  async stop(): Promise<void> {
    const left = await killFamily((one) => this.#isOurs(one), STOP_LIMIT_MS)
    if (left.length > 0) throw new Error(`left running: ${linesOf(left)}`)
    for (const name of this.#daemons.keys()) await this.#ended(name)
    process.off('exit', this.#onExit)
    rmSync(this.folder, { recursive: true, force: true, maxRetries: 5 })
  }

  async #waitingFor(reason: RegExp): Promise<string[]> {
    const lines = await this.exec('squeue', '-h', '-r', '-t', 'PENDING', '-o', '%i %r')
    const tasks = lines.split('\n').map((line) => /^(\S+) (.*)$/.exec(line))
    return tasks.flatMap((task) => (task !== null && reason.test(task[2]!) ? [task[1]!] : []))
  }

  #startDaemon(name: string): void {
    this.#spawn(name, path.join(this.folder, name), ['-D', '-f', this.env['SLURM_CONF']!, '-N', name], 'slurmd')
  }

  #spawn(name: string, cwd: string, args: readonly string[], command = name): void {
    if (this.#daemons.has(name)) throw new Error(`${name} is running already`)
    const log = openSync(path.join(this.folder, 'log', `${name}.out`), 'a')
    const child = spawn(SlurmCluster.pathOf(command), args, { cwd, env: this.env, stdio: ['ignore', log, log] })
    closeSync(log)
    child.on('error', () => this.#daemons.delete(name))
    child.on('exit', () => this.#daemons.delete(name))
    this.#daemons.set(name, child)
  }

  #daemon(name: string): ChildProcess {
    const daemon = this.#daemons.get(name)
    if (daemon === undefined) throw new Error(`${name} is not running`)
    return daemon
  }

  async #ended(name: string): Promise<void> {
    await this.until(`${name} has ended`, async () => !this.#daemons.has(name), STOP_LIMIT_MS)
  }

  #family(): Process[] {
    return familyOf((one) => this.#isOurs(one))
  }

  #isOurs({ command, environment, folder }: Process): boolean {
    return [command, environment, `${folder}/`].some((text) => text.includes(`${this.folder}/`))
  }

  #isOfNode(process: Process, name: string): boolean {
    const isInFolder = process.folder === path.join(this.folder, name)
    return isInFolder || (this.#isOurs(process) && process.environment.includes(`SLURMD_NODENAME=${name}\n`))
  }

  /** The last lines of each log. */
  #logTails(): string {
    return ['munged', 'slurmctld', ...this.nodes]
      .map((name) => path.join(this.folder, 'log', `${name}.out`))
      .filter((file) => existsSync(file))
      .map((file) => `${file}:\n${readFileSync(file, 'utf8').trimEnd().split('\n').slice(-12).join('\n')}`)
      .join('\n')
  }
}

/** slurm.conf; why each setting is so stands beside it. */
function configuration(
  folder: string,
  nodes: readonly string[],
  ports: readonly number[],
  options: ClusterOptions,
): string {
  const host = hostname().split('.')[0]!
  const user = userInfo().username
  const settings: Record<string, string> = {
    ClusterName: 'lab',
    SlurmctldHost: `${host}(127.0.0.1)`,
    SlurmctldPort: String(ports[0]),
    SlurmUser: user,
    SlurmdUser: user,
    AuthType: 'auth/munge',
    AuthInfo: `socket=${folder}/run/munge.socket`,
    CredType: 'cred/munge',
    StateSaveLocation: `${folder}/state`,
    SlurmdSpoolDir: `${folder}/spool.%n`,
    SlurmctldPidFile: `${folder}/run/slurmctld.pid`,
    SlurmdPidFile: `${folder}/run/slurmd.%n.pid`,
    // Without cgroups: processes of a job are found by /proc.
    ProctrackType: 'proctrack/linuxproc',
    TaskPlugin: 'task/none',
    JobAcctGatherType: 'jobacct_gather/none',
    MpiDefault: 'none',
    SelectType: 'select/cons_tres',
    SelectTypeParameters: 'CR_CPU',
    // Without a database: ended jobs are written to a file, which sacct -c reads.
    AccountingStorageType: 'accounting_storage/none',
    JobCompType: 'jobcomp/filetxt',
    JobCompLoc: `${folder}/log/jobcomp.log`,
    // Dead nodes are noticed soon (defaults: 300 and 120 s).
    SlurmdTimeout: '10',
    SlurmctldTimeout: '10',
    KillWait: '5',
    ReturnToService: '2',
    // More processors than the machine has are allowed.
    SlurmdParameters: 'config_overrides',
    // Without it, the scheduler looks every 2 to 3 s.
    SchedulerParameters: 'batch_sched_delay=0,sched_interval=1',
    ...options.configuration,
  }
  const cpus = options.cpusPerNode ?? 1
  const lines = nodes.map(
    (name, i) =>
      `NodeName=${name} NodeHostname=${host} NodeAddr=127.0.0.1 Port=${ports[i + 1]!} CPUs=${cpus} RealMemory=2000 State=UNKNOWN`,
  )
  const partition = `PartitionName=lab Nodes=${nodes.join(',')} Default=YES MaxTime=INFINITE State=UP`
  return [...Object.entries(settings).map(([key, value]) => `${key}=${value}`), ...lines, partition, ''].join('\n')
}

/** Ports that nobody listens at, one behind the other. */
async function freePorts(count: number): Promise<number[]> {
  for (let attempt = 0; attempt < 100; attempt++) {
    const first = PORTS.lowest + (randomBytes(4).readUInt32BE() % (PORTS.highest - PORTS.lowest))
    const ports = Array.from({ length: count }, (_, i) => first + i)
    const free = await Promise.all(ports.map(isFree))
    if (free.every(Boolean)) return ports
  }
  throw new Error('no free ports')
}

async function isFree(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const server = createServer()
    server.once('error', () => resolve(false))
    server.listen(port, '0.0.0.0', () => server.close(() => resolve(true)))
  })
}

/** Path of an executable; undefined if there is none. Daemons are in folders that are not on every PATH. */
function executable(name: string): string | undefined {
  return FOLDERS.map((folder) => path.join(folder, name)).find((file) => {
    try {
      accessSync(file, constants.X_OK)
      return true
    } catch {
      return false
    }
  })
}

const wordsOf = (text: string): string[] => text.split(/\s+/).filter(Boolean)
const linesOf = (left: readonly Process[]): string =>
  left.map(({ pid, command, folder }) => `${pid} ${command} (in ${folder})`).join('\n')
