/**
 * Slurm, the scheduler of a cluster: submits arrays of tasks, finds them again, and says where each task is. It calls Slurm's
 * commands, which are the same for all versions, and knows nothing of the work that tasks do.
 *
 * Every call has a time limit, since commands hang while the controller is away. An error is a Failure in plain words.
 *
 * Numbers of jobs are not names: a controller that dies loses jobs of its last seconds, and gives their numbers to the next
 * ones. So a job is known by its name too, where a method takes one.
 *
 * Source: sbatch(1), squeue(1), scancel(1), scontrol(1), sacct(1) of Slurm 22.05; tests/cluster/ runs a real one.
 */
import { setTimeout as delay } from 'node:timers/promises'
import { assert } from '../../core/base/assert.ts'
import { EXIT_BUG, EXIT_INPUT, Failure } from '../failure.ts'
import { callCommand, type Outcome } from './command-call.ts'
import {
  type ClusterTask,
  indexText,
  JOB_FORMAT,
  jobsIn,
  pastJobIn,
  submittedIn,
  TASK_FORMAT,
  tasksIn,
  tasksMaxIn,
  wordsOf,
} from './slurm-answers.ts'

/** Why an option is not the user's to give. By long and short name. */
const TAKEN: readonly (readonly [long: string, short: string, reason: string])[] = [
  ['array', 'a', 'the array is made by rocelab'],
  ['job-name', 'J', 'the name is given by rocelab, which finds its job by it'],
  ['output', 'o', 'the output goes to files that rocelab reads'],
  ['chdir', 'D', 'the folder is set by rocelab'],
  ['open-mode', '', 'a requeued task adds to its output'],
  ['requeue', '', 'tasks are always requeued when their node dies'],
  ['no-requeue', '', 'tasks are always requeued when their node dies'],
  ['parsable', '', 'it is always given'],
  ['wrap', '', 'the script is made by rocelab'],
  ['wait', 'W', 'the submission would not return before the last task has ended'],
  ['test-only', '', 'nothing would be submitted'],
  ['clusters', 'M', 'set SLURM_CLUSTERS, so that all commands use the same cluster'],
  ['help', 'h', 'nothing would be submitted'],
  ['usage', '', 'nothing would be submitted'],
  ['version', 'V', 'nothing would be submitted'],
]

/**
 * Mistakes in options of sbatch, a sentence each. A word that is neither an option nor the value of the option before it would
 * be taken for the script.
 */
export function optionMistakes(words: readonly string[]): string[] {
  return words.flatMap((word, i) => {
    const before = words[i - 1]
    if (!word.startsWith('-') || word === '-') {
      const isValue = word !== ':' && before !== undefined && before.startsWith('-') && !before.includes('=')
      return isValue ? [] : [`"${word}" is neither an option of sbatch nor the value of one`]
    }
    if (word === '--') return ['"--" ends the options of sbatch; leave it out']
    const taken = TAKEN.find(([long, short]) => isOption(word, long, short))
    return taken === undefined ? [] : [`${word}: not possible here, as ${taken[2]}`]
  })
}

function isOption(word: string, long: string, short: string): boolean {
  if (!word.startsWith('--')) return short !== '' && word[1] === short
  // sbatch takes abbreviations; those that may mean another option too it refuses itself.
  return long.startsWith(word.slice(2).split('=')[0] ?? '')
}

/** An array of tasks that run the same script, each with its index in SLURM_ARRAY_TASK_ID. */
export interface ArrayJob {
  /** By which the job is found again; unique among the user's jobs. Letters, digits, "_", "." and "-". */
  readonly name: string
  /** The batch script; its first line is "#!/bin/sh". */
  readonly script: string
  /** Number of tasks; their indexes are 0 to tasks - 1. */
  readonly tasks: number
  /** Tasks that run at the same time at most; no limit by default. */
  readonly concurrent?: number
  /** File for the output of each task: %A is the job's number, %a the index, %% a percent sign. A requeued task adds to it. */
  readonly output: string
  /** The user's own options of sbatch, such as a partition, in words. */
  readonly options: readonly string[]
  /** Folder in which the tasks run. */
  readonly directory: string
}

export interface SlurmOptions {
  /** Environment of Slurm's commands, and of tasks; that of this process by default. */
  readonly environment?: NodeJS.ProcessEnv
  /** Longest call of a command, in milliseconds; 30,000 by default. */
  readonly timeLimitMs?: number
}

const TIME_LIMIT_MS = 30_000
/** Waits before each look for a job whose submission gave no answer: the controller may still be about to enter it. */
const LOOK_WAITS_MS = [0, 1000, 2000]
/** How far back sacct looks for an ended job. */
const PAST = 'now-14days'
/** Variables that change what Slurm's commands print, list or wait for, against the options given here. */
const CHANGING =
  /^(SQUEUE_|SACCT_|SCANCEL_|SCONTROL_|SBATCH_(WAIT|CLUSTERS|ARRAY_INX|JOB_NAME|OUTPUT|NO_REQUEUE|OPEN_MODE)$)/
/** Messages of a command that had no answer of the controller: the request may have been carried out. */
const UNANSWERED = /timed out|unable to contact|socket|communication|zero bytes|connection|protocol|unexpected message/i
/** Messages about jobs and tasks that have ended, which is no error for a caller who cancels or looks. */
const GONE = /invalid job id|already (finished|completing or completed)|: no error$/i

/** The scheduler of the cluster on whose login node this program runs. */
export class Slurm {
  readonly #environment: NodeJS.ProcessEnv
  readonly #timeLimitMs: number

  constructor(options: SlurmOptions = {}) {
    const all = Object.entries(options.environment ?? process.env)
    this.#environment = Object.fromEntries(all.filter(([name]) => !CHANGING.test(name)))
    this.#timeLimitMs = options.timeLimitMs ?? TIME_LIMIT_MS
  }

  /**
   * Submits an array and returns its number. If a job of this name is known already, its number is returned instead, so that a
   * submission may be repeated: there is never a second job. If sbatch gives no answer, the job is looked for by its name; if
   * it is not found, nothing is repeated here, since a slow controller may still enter it.
   *
   * A task has the whole environment of this process (--export=ALL): PATH with node, and the variables of loaded modules, as
   * on the login node. Without it, Slurm builds the environment of a fresh login on the node, which is slow, may hold the
   * task, and need not have node. The user's options may say otherwise (--export), and have the last word on all that is
   * not set here.
   * A task that loses its node is requeued (--requeue) and appends to its output (--open-mode=append).
   *
   * Throws Failure: exit code 2 if Slurm or this class refuses the options, 1 if Slurm does not answer.
   */
  async submit(job: ArrayJob): Promise<string> {
    assertName(job.name)
    assert(Number.isInteger(job.tasks) && job.tasks > 0, 'an array without tasks')
    assert(
      job.concurrent === undefined || (Number.isInteger(job.concurrent) && job.concurrent > 0),
      'an array of which no task may run',
    )
    expectOptions(job.options)
    const known = await this.find(job.name)
    if (known !== undefined) return known
    const outcome = await this.#call('sbatch', submitArgs(job), job.script)
    const number = outcome.kind === 'exited' && outcome.code === 0 ? submittedIn(outcome.stdout) : undefined
    if (number !== undefined) return number
    if (!mayHaveSubmitted(outcome)) throw this.#failure('sbatch', outcome, EXIT_INPUT)
    return this.#lookFor(job.name, outcome)
  }

  /** Looks for a job whose submission had this outcome. */
  async #lookFor(name: string, outcome: Outcome): Promise<string> {
    const { message } = this.#failure('sbatch', outcome, EXIT_BUG)
    for (const waitMs of LOOK_WAITS_MS) {
      await delay(waitMs)
      let found: string | undefined
      try {
        found = await this.find(name)
      } catch (error) {
        if (!(error instanceof Failure)) throw error
        const look = 'whether the job was submitted is not known'
        throw new Failure(
          `${message}\n${look}: ${error.message}\nsubmit again later: a job of this name is found`,
          EXIT_BUG,
        )
      }
      if (found !== undefined) return found
    }
    throw new Failure(`${message}\nno job was found under the name ${name}; submit again`, EXIT_BUG)
  }

  /**
   * Number of this user's job with exactly this name: one that has not ended, else one that the controller, the accounting
   * database or the list of ended jobs still knows. Undefined: none. Throws Failure if Slurm does not answer.
   */
  async find(name: string): Promise<string | undefined> {
    assertName(name)
    const args = ['-h', '-t', 'all', `--user=${userId()}`, `--name=${name}`, '-o', JOB_FORMAT]
    const jobs = jobsIn(await this.#output('squeue', args), name)
    const newestFirst = jobs.toSorted((a, b) => Number(b.jobId) - Number(a.jobId))
    const job = newestFirst.find(({ isEnded }) => !isEnded) ?? newestFirst[0]
    return job?.jobId ?? this.#findPast(name)
  }

  /** Many clusters have no accounting or keep it from users, so that failures here mean that nothing is known. */
  async #findPast(name: string): Promise<string | undefined> {
    const wanted = ['-n', '-P', `--user=${userId()}`, `--name=${name}`, '-o', 'JobID,JobName']
    for (const source of [['-X', '-S', PAST], ['-c']]) {
      const outcome = await this.#call('sacct', [...source, ...wanted])
      if (outcome.kind === 'exited' && outcome.code === 0) return pastJobIn(outcome.stdout, name)
    }
    return undefined
  }

  /**
   * Tasks of an array that have not ended, by index; none if the scheduler does not know the job any more.
   * @param name if given, a job of another name under this number is none of this array
   */
  async tasks(jobId: string, name?: string): Promise<readonly ClusterTask[]> {
    return (await this.#tasks(jobId, name)).filter(({ state }) => state !== 'ended')
  }

  /** Tasks that have ended and that the controller still remembers (for five minutes by default), with how they ended. */
  async endedTasks(jobId: string, name?: string): Promise<readonly ClusterTask[]> {
    return (await this.#tasks(jobId, name)).filter(({ state }) => state === 'ended')
  }

  async #tasks(jobId: string, name: string | undefined): Promise<ClusterTask[]> {
    assertNumber(jobId)
    const args = ['-h', '-r', '-t', 'all', '-j', jobId, ...named(name), '-o', TASK_FORMAT]
    const outcome = await this.#call('squeue', args)
    if (isGone(outcome)) return []
    return tasksIn(this.#stdout('squeue', outcome))
  }

  /**
   * Cancels an array; returns when Slurm has accepted it. Tasks get SIGTERM, and SIGKILL after a time. No error if it has ended.
   * @param name if given, a job of another name under this number is left alone
   */
  async cancel(jobId: string, name?: string): Promise<void> {
    assertNumber(jobId)
    const outcome = await this.#call('scancel', [...named(name), jobId])
    if (!isGone(outcome)) this.#stdout('scancel', outcome)
  }

  /** Lets held tasks start. Those that have ended or are not held stay as they are. */
  async release(jobId: string, indexes: readonly number[]): Promise<void> {
    assertNumber(jobId)
    if (indexes.length === 0) return
    const outcome = await this.#call('scontrol', ['release', `${jobId}_[${indexText(indexes)}]`])
    if (!isGone(outcome)) this.#stdout('scontrol', outcome)
  }

  /**
   * Checks, before anything is done, that Slurm answers and that nothing is wrong with the user's options of sbatch, as far as
   * can be seen without a job. Throws Failure like `submit`.
   */
  async check(options: readonly string[]): Promise<void> {
    expectOptions(options)
    await this.limits()
  }

  /** Limits of this cluster: tasksMax is the most tasks of one array. Limits of users and accounts show at submission. */
  async limits(): Promise<{ readonly tasksMax: number }> {
    return { tasksMax: tasksMaxIn(await this.#output('scontrol', ['show', 'config'])) }
  }

  async #output(command: string, args: readonly string[]): Promise<string> {
    return this.#stdout(command, await this.#call(command, args))
  }

  /** The output of a command that succeeded; throws Failure otherwise. */
  #stdout(command: string, outcome: Outcome): string {
    if (outcome.kind === 'exited' && outcome.code === 0) return outcome.stdout
    throw this.#failure(command, outcome, EXIT_BUG)
  }

  async #call(command: string, args: readonly string[], input = ''): Promise<Outcome> {
    return callCommand({ command, args, environment: this.#environment, timeLimitMs: this.#timeLimitMs, input })
  }

  /** @param refusedCode exit code of the failure if the command itself refuses */
  #failure(command: string, outcome: Outcome, refusedCode: number): Failure {
    if (outcome.kind === 'missing') {
      return new Failure(
        `there is no ${command} on this machine: run this on a login node of a Slurm cluster`,
        EXIT_INPUT,
      )
    }
    if (outcome.kind === 'timeout') {
      const waited = `${command} did not answer within ${this.#timeLimitMs / 1000} s`
      return new Failure(`${waited}; the scheduler may be down or busy: try again later`, EXIT_BUG)
    }
    if (outcome.kind === 'killed') return new Failure(`${command} was killed by ${outcome.signal}`, EXIT_BUG)
    if (outcome.kind === 'unstarted') return new Failure(`${command} could not be started: ${outcome.reason}`, EXIT_BUG)
    if (outcome.code === 0) return new Failure(`${command} gave no number of a job`, EXIT_BUG)
    const words = wordsOf(outcome.stderr, command)
    return new Failure(words, UNANSWERED.test(outcome.stderr) ? EXIT_BUG : refusedCode)
  }
}

function expectOptions(options: readonly string[]): void {
  const mistakes = optionMistakes(options)
  if (mistakes.length > 0) throw new Failure(mistakes.join('\n'), EXIT_INPUT)
}

/** The program's own settings stand last, where they win over the user's. */
function submitArgs(job: ArrayJob): string[] {
  const limit = job.concurrent === undefined ? '' : `%${job.concurrent}`
  return [
    '--export=ALL',
    ...job.options,
    `--job-name=${job.name}`,
    `--array=0-${job.tasks - 1}${limit}`,
    `--output=${job.output}`,
    `--chdir=${job.directory}`,
    '--requeue',
    '--open-mode=append',
    '--parsable',
  ]
}

/** Whether there may be a job although sbatch has not given its number. */
function mayHaveSubmitted(outcome: Outcome): boolean {
  if (outcome.kind === 'exited') {
    return outcome.code === 0 || outcome.stderr.trim() === '' || UNANSWERED.test(outcome.stderr)
  }
  return outcome.kind === 'timeout' || outcome.kind === 'killed'
}

function isGone(outcome: Outcome): boolean {
  if (outcome.kind !== 'exited' || outcome.code === 0) return false
  const lines = outcome.stderr.split('\n').filter((line) => line.trim() !== '')
  return lines.length > 0 && lines.every((line) => GONE.test(line.trim()))
}

const named = (name: string | undefined): string[] => {
  if (name === undefined) return []
  assertName(name)
  return [`--name=${name}`]
}

/** Slurm's commands take lists of names, parted by commas. */
function assertName(name: string): void {
  assert(/^[A-Za-z0-9_][\w.-]*$/.test(name), 'a name of a job that Slurm does not take as one')
}

function assertNumber(jobId: string): void {
  assert(/^\d+$/.test(jobId), 'a number of a job that is none')
}

/** By number, since a user need not have an entry in the machine's own list. */
function userId(): number {
  const id = process.getuid?.()
  if (id === undefined) throw new Failure('Slurm clusters run Linux: run this on a login node of one', EXIT_INPUT)
  return id
}
