/**
 * Cluster flags: options of the commands whose points may run on a cluster.
 */
import type { FlagsOf } from '../command.ts'
import { choiceFlag, givenFlag, repeatedFlag, valueFlag } from '../flags.ts'
import { InputError, inputError, type Issue } from '../../core/base/issue.ts'
import { anyText, wholeNumber } from '../parsers.ts'

/** Time that a task should take, minutes. */
export const TASK_MINUTES = 10

export const clusterFlags = {
  on: choiceFlag(['slurm', 'files'], 'Run on a Slurm cluster, or write task files for another engine'),
  sbatch: repeatedFlag('OPTIONS', anyText, 'Options of sbatch, such as "--partition=long --mem=4G"; may be repeated'),
  taskMinutes: valueFlag(
    'N',
    wholeNumber(1, 100_000),
    `Time that a task should take [default = ${TASK_MINUTES}]; the first point is timed for it`,
  ),
  taskPoints: valueFlag('N', wholeNumber(1, 100_000), 'Points of a task; none is timed then'),
  wait: givenFlag('Stay until the tasks have ended, with progress'),
  status: givenFlag('Say what has finished and where the rest is; submit nothing'),
  cancel: givenFlag('End the tasks; what has finished is kept'),
  retry: givenFlag('Run points again that failed in a task'),
}
export type ClusterFlags = FlagsOf<typeof clusterFlags>

/** Throws InputError for flags that do not go together, each mistake once. */
export function expectClusterFlags(flags: ClusterFlags & { readonly jobs?: number }): void {
  const issues: Issue[] = []
  const wrong = (name: string, expected: string, received: string): void => {
    issues.push({ path: name, expected, received, hint: '' })
  }
  const { on, sbatch, taskMinutes, taskPoints, wait, status, cancel, retry } = flags
  const given = { sbatch, 'task-minutes': taskMinutes, 'task-points': taskPoints, wait, status, cancel, retry }
  for (const [name, value] of Object.entries(given)) {
    if (on === undefined && value !== undefined) wrong(`--${name}`, 'a run on a cluster (--on slurm)', 'none')
  }
  for (const [name, value] of Object.entries({ sbatch, wait, status, cancel })) {
    if (on === 'files' && value !== undefined) wrong(`--${name}`, '--on slurm', '--on files, which calls no scheduler')
  }
  if (on !== undefined && flags.jobs !== undefined) {
    wrong('--jobs', 'no --on, as a task takes the processors that it is given', `--on ${on}`)
  }
  if (taskMinutes !== undefined && taskPoints !== undefined) {
    wrong('--task-points', 'a number of points or a time', 'both')
  }
  if (status === true && cancel === true) wrong('--status', '--status or --cancel', 'both')
  if (wait === true && (status === true || cancel === true)) {
    wrong('--wait', 'no --status or --cancel', status === true ? '--status' : '--cancel')
  }
  if (issues.length > 0) throw new InputError(issues)
}

/** Words of options, at blanks that are not in quotes. Throws InputError for a quote that does not end. */
export function wordsOf(texts: readonly string[]): string[] {
  return texts.flatMap((text) => {
    const words = text.match(/(?:[^\s"']+|"[^"]*"|'[^']*')+/g) ?? []
    const isWhole = words.join('').length === text.replaceAll(/\s+(?=(?:[^"']|"[^"]*"|'[^']*')*$)/g, '').length
    if (!isWhole) {
      throw inputError('--sbatch', 'quotes in pairs', text)
    }
    return words.map((word) => word.replaceAll(/"([^"]*)"|'([^']*)'/g, '$1$2'))
  })
}

/** Processors that sbatch gives to each task; 1 unless options say more. */
export function processorsAsked(options: readonly string[]): number {
  let count = 1
  options.forEach((word, i) => {
    const joined = /^(?:--cpus-per-task=|-c=?)(\d+)$/.exec(word)?.[1]
    const apart = word === '-c' || word === '--cpus-per-task' ? options[i + 1] : undefined
    const asked = Number(joined ?? apart ?? NaN)
    if (Number.isInteger(asked) && asked > 0) count = asked
  })
  return count
}
