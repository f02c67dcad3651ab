/**
 * Task file: the points of one task of a cluster, as text: JSON lines, first what holds for all, then a point each.
 * Shape: FOLDER/cluster/JOB/task-INDEX.jsonl
 */
import { readFileSync } from 'node:fs'
import path from 'node:path'
import { InputError } from '../../base/issue.ts'
import type { PointLimit } from '../../advice/sweep/point-limit.ts'
import { fileMistake } from '../files/files.ts'

/** What holds for all points of a task. */
export interface TaskHeader {
  readonly schemaVersion: 1
  /** Key of the program that planned them (program-key.ts): another program does not run them. */
  readonly program: string
  /** summary: a line of the log is all that a point leaves; result: its whole result, in FOLDER/runs. */
  readonly wants: 'summary' | 'result'
  readonly limit: PointLimit
  readonly keepsFlows: boolean
  /** Points that failed before run again. */
  readonly retries: boolean
  /** Number of points that follow. */
  readonly points: number
}

export interface TaskPoint {
  readonly key: string
  readonly scenarioText: string
  readonly values: Readonly<Record<string, string>>
  readonly seed: number
}

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

/** Reads a task file. Throws InputError for a file that is none, or is not complete. */
export function readTask(directory: string, file: string): Task {
  let text = ''
  try {
    text = readFileSync(path.resolve(directory, file), 'utf8')
  } catch (error) {
    throw fileMistake(error, file, 'a task that sweep or reproduce wrote with --on')
  }
  const lines = text.split('\n').slice(0, -1).map(parsed)
  const [header, ...points] = lines
  if (isHeader(header) && points.length === header.points && points.every(isPoint)) return { header, points }
  const received = isHeader(header)
    ? `one of ${header.points} points with ${points.filter(isPoint).length}`
    : 'another file'
  const hint = 'repeat the command that wrote it'
  throw new InputError([
    { path: '', file, expected: 'a whole task that sweep or reproduce wrote with --on', received, hint },
  ])
}

function parsed(line: string): unknown {
  try {
    return JSON.parse(line)
  } catch {
    return undefined
  }
}

function isHeader(line: unknown): line is TaskHeader {
  const { schemaVersion, program, wants, limit, points } = (line ?? {}) as Partial<TaskHeader>
  const isKnown = schemaVersion === 1 && typeof program === 'string' && (wants === 'summary' || wants === 'result')
  return isKnown && typeof limit === 'object' && Number.isInteger(points)
}

function isPoint(line: unknown): line is TaskPoint {
  const { key, scenarioText, values, seed } = (line ?? {}) as Partial<TaskPoint>
  const hasTexts = /^[0-9a-f]{32}$/.test(key ?? '') && typeof scenarioText === 'string'
  return hasTexts && typeof values === 'object' && values !== null && Number.isInteger(seed)
}
