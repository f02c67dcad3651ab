/**
 * Reads the output of Slurm's commands. Each is asked for with an explicit format; a line of another form is a Failure that
 * shows it, since a guess about a cluster's jobs may submit or cancel the wrong thing.
 */
import { escapeControls } from '../../core/base/control-characters.ts'
import { EXIT_BUG, Failure } from '../failure.ts'
import { endedWords, heldWords, isHeldReason, waitingWords } from './slurm-reasons.ts'

export type TaskState = 'waiting' | 'running' | 'held' | 'ended'

/** A task of an array as the scheduler knows it. */
export interface ClusterTask {
  readonly index: number
  readonly state: TaskState
  /** In words: why it waits, where it runs, how it ended. Slurm's own code stands in parentheses. */
  readonly why: string
  /** Node, or nodes in Slurm's notation, that it runs or ran on. */
  readonly node?: string
}

/** A job in the list of a user's jobs. */
export interface ListedJob {
  readonly jobId: string
  readonly isEnded: boolean
}

/** Format for tasksIn: index, state, nodes, reason. */
export const TASK_FORMAT = '%K|%T|%N|%r'
/** Format for jobsIn: number of the array or job, state, name. */
export const JOB_FORMAT = '%F|%T|%j'

/** Characters of a line that is not understood that are shown. */
const SHOWN_CHARS = 300

/** States of a task that has a node, with words that go before "on n1". */
const RUNNING: Readonly<Record<string, string>> = {
  RUNNING: '',
  COMPLETING: 'ending ',
  CONFIGURING: 'about to begin ',
  SIGNALING: '',
  RESIZING: '',
  STAGE_OUT: 'ending ',
  SUSPENDED: 'suspended ',
  STOPPED: 'stopped for a time ',
}
const WAITING: ReadonlySet<string> = new Set(['PENDING', 'REQUEUED', 'REQUEUE_FED'])
const HELD: ReadonlySet<string> = new Set(['REQUEUE_HOLD', 'SPECIAL_EXIT', 'RESV_DEL_HOLD'])

/** Number of a submitted job in the output of sbatch --parsable; undefined if there is none. A cluster's name may follow. */
export function submittedIn(output: string): string | undefined {
  return output
    .split('\n')
    .map((line) => /^(\d+)(?:;\S+)?$/.exec(line.trim())?.[1])
    .findLast((id) => id !== undefined)
}

/**
 * Tasks in the output of squeue -r with TASK_FORMAT, by index. Tasks that were cancelled together before they ran may be left
 * as one line without an index; it is skipped.
 */
export function tasksIn(output: string): ClusterTask[] {
  return linesOf(output)
    .flatMap((line) => {
      const [, index, state, node, reason] = /^(\d+|N\/A)\|(\w+)\|([^|]*)\|(.*)$/.exec(line) ?? []
      if (index === undefined || state === undefined || reason === undefined) throw unexpected('squeue', line)
      const known = stateOf(state, node ?? '', reason)
      if (known === undefined) throw unexpected('squeue', line)
      if (index === 'N/A') {
        if (known.state !== 'ended') throw unexpected('squeue', line)
        return []
      }
      const task = { index: Number(index), state: known.state, why: known.why }
      return [node === undefined || node === '' ? task : { ...task, node }]
    })
    .toSorted((a, b) => a.index - b.index)
}

function stateOf(state: string, node: string, reason: string): Pick<ClusterTask, 'state' | 'why'> | undefined {
  if (HELD.has(state)) return { state: 'held', why: heldWords(reason === 'None' ? state : reason) }
  if (WAITING.has(state)) {
    if (isHeldReason(reason)) return { state: 'held', why: heldWords(reason) }
    return { state: 'waiting', why: waitingWords(reason) }
  }
  const running = Object.hasOwn(RUNNING, state) ? RUNNING[state] : undefined
  if (running !== undefined) return { state: 'running', why: `${running}${node === '' ? 'on no node' : `on ${node}`}` }
  const why = endedWords(state)
  return why === undefined ? undefined : { state: 'ended', why }
}

/** Jobs with exactly this name in the output of squeue with JOB_FORMAT. */
export function jobsIn(output: string, name: string): ListedJob[] {
  return linesOf(output).flatMap((line) => {
    const [, jobId, state, listed] = /^(\d+)\|(\w+)\|(.*)$/.exec(line) ?? []
    if (jobId === undefined || state === undefined) throw unexpected('squeue', line)
    return listed === name ? [{ jobId, isEnded: endedWords(state) !== undefined }] : []
  })
}

/**
 * Number of the array with exactly this name in the output of sacct -P -o JobID,JobName; undefined if there is none. With an
 * accounting database tasks are listed as 12_3, or 12_[4-9] if they never ran. Without one (sacct -c) each has a number of
 * its own, of which the array's is the smallest.
 */
export function pastJobIn(output: string, name: string): string | undefined {
  const numbers = linesOf(output).flatMap((line) => {
    const [, jobId, listed] = /^(\d+)(?:_\S+)?\|(.*)$/.exec(line) ?? []
    if (jobId === undefined) throw unexpected('sacct', line)
    return listed === name ? [Number(jobId)] : []
  })
  return numbers.length === 0 ? undefined : String(Math.min(...numbers))
}

/** Most tasks of one array, from the output of scontrol show config. */
export function tasksMaxIn(output: string): number {
  const setting = (pattern: RegExp, line: string): number => {
    const value = Number(pattern.exec(output)?.[1])
    if (!Number.isSafeInteger(value)) throw unexpected('scontrol', `no ${line} in the output of scontrol show config`)
    return value
  }
  // Indexes are less than MaxArraySize and begin at 0.
  const limits = [setting(/^MaxArraySize\s*=\s*(\d+)\s*$/m, 'MaxArraySize')]
  limits.push(setting(/^MaxJobCount\s*=\s*(\d+)\s*$/m, 'MaxJobCount'))
  const lower = /^SchedulerParameters\s*=.*\bmax_array_tasks=(\d+)/m.exec(output)?.[1]
  if (lower !== undefined) limits.push(Number(lower))
  return Math.min(...limits)
}

/** Slurm's own words for an error, at most the last five messages, behind the command's name. */
export function wordsOf(stderr: string, command: string): string {
  const lines = linesOf(stderr).map((line) => line.replace(/^\w+: (error|fatal): /, '').trim())
  if (lines.length === 0) return `${command} failed without a message`
  return `${command}: ${escapeControls(lines.slice(-5).join('; '))}`
}

/** Indexes as Slurm writes them: "0-3,7". */
export function indexText(indexes: readonly number[]): string {
  const ranges: [number, number][] = []
  for (const index of [...new Set(indexes)].toSorted((a, b) => a - b)) {
    const last = ranges.at(-1)
    if (last?.[1] === index - 1) last[1] = index
    else ranges.push([index, index])
  }
  return ranges.map(([first, last]) => (first === last ? String(first) : `${first}-${last}`)).join(',')
}

/** Lines that say something; a heading with the cluster's name stands above those of squeue if SLURM_CLUSTERS is set. */
function linesOf(output: string): string[] {
  return output.split('\n').filter((line) => line.trim() !== '' && !/^CLUSTER: \S+$/.test(line))
}

function unexpected(command: string, line: string): Failure {
  const shown = escapeControls(line.slice(0, SHOWN_CHARS))
  return new Failure(`${command} gave a line that rocelab does not understand: ${shown}`, EXIT_BUG)
}
