/**
 * Task file: the points of one task of a cluster, as text: JSON lines, first what holds for all, then a point each.
 * Shape: FOLDER/cluster/JOB/task-INDEX.jsonl
 */
import path from 'node:path'
import { fileError, InputError } from '../../core/base/issue.ts'
import {
  countShape,
  flagShape,
  hasShape,
  objectOf,
  oneOf,
  parsedJson,
  recordOf,
  type Shaped,
  textOf,
  textShape,
} from '../../core/base/shape.ts'
import { pointLimitShape } from '../../lab/advice/sweep/point-limit.ts'
import { readStoredText } from '../files/input-file.ts'

/** What holds for all points of a task. */
const headerShape = objectOf({
  schemaVersion: oneOf(1),
  /** Key of the program that planned them (program-key.ts): another program does not run them. */
  program: textShape,
  /** summary: a line of the log is all that a point leaves; result: its whole result, in FOLDER/runs. */
  wants: oneOf('summary', 'result'),
  limit: pointLimitShape,
  keepsFlows: flagShape,
  /** Points that failed before run again. */
  retries: flagShape,
  /** Number of points that follow. */
  points: countShape,
})
export type TaskHeader = Shaped<typeof headerShape>

const pointShape = objectOf({
  key: textOf(/^[0-9a-f]{32}$/, '32 hex digits'),
  scenarioText: textShape,
  values: recordOf(textShape),
  seed: countShape,
})
export type TaskPoint = Shaped<typeof pointShape>

export interface Task {
  readonly header: TaskHeader
  readonly points: readonly TaskPoint[]
}

export function taskText(header: Omit<TaskHeader, 'schemaVersion' | 'points'>, points: readonly TaskPoint[]): string {
  const first: TaskHeader = { schemaVersion: 1, ...header, points: points.length }
  const lines = [
    first,
    ...points.map(({ key, scenarioText, values, seed }): TaskPoint => ({ key, values, seed, scenarioText })),
  ]
  return lines.map((line) => `${JSON.stringify(line)}\n`).join('')
}

/**
 * Reads a task file below a folder. Throws InputError for a file that is none, or is not complete.
 * @param shown the folder as the user named it
 */
export function readTask(folder: string, shown: string, file: string): Task {
  const what = 'a whole task that sweep or reproduce wrote with --on'
  const fail = (received: string): InputError =>
    fileError(path.join(shown, file), what, received, 'repeat the command that wrote it')
  const text = readStoredText(folder, shown, file, what)
  if (text === undefined) throw fail('no such file or folder')
  const [header, ...points] = text.split('\n').slice(0, -1).map(parsedJson)
  if (!hasShape(headerShape, header)) throw fail('another file')
  const whole = points.filter((point) => hasShape(pointShape, point))
  if (points.length === header.points && whole.length === points.length) return { header, points: whole }
  throw fail(`one of ${header.points} points with ${whole.length}`)
}
