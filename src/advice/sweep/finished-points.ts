/**
 * Finished points: the points of a sweep that a log holds. A line counts as a finished point if it has values, the seed
 * of the plan, and a complete summary with that seed. Any other point is run again.
 * Lines may come from several logs, in any order, and a point may have several: whichever finished last, the outcome is the
 * same, as runs are deterministic.
 */
import { isRunJson, type RunJson } from '../../results/index.ts'
import { isBeyond, type PointLimit } from './point-limit.ts'
import type { Point } from './points.ts'

/** A line of the log. */
export interface FinishedPoint {
  readonly key: string
  readonly values: Readonly<Record<string, string>>
  readonly seed: number
  readonly summary: RunJson
  /** The limit that the run exceeded: its summary ends there and is excluded from all means. */
  readonly stopped?: PointLimit
}

/** A line of the log for a point that could not be run to its end. */
export interface FailedLine {
  readonly key: string
  readonly failed: {
    /** The scenario is at fault, not the program. */
    readonly isInput: boolean
    readonly message: string
  }
}

export interface LoggedPoints {
  /** Points of the plan, by key. */
  readonly finished: ReadonlyMap<string, FinishedPoint>
  /** Points of the plan that failed and have not finished, by key. */
  readonly failed: ReadonlyMap<string, FailedLine['failed']>
  /** Points of the plan that were computed more than once, with different outcomes. */
  readonly different: number
  /** Points that are not in the plan: from another scenario, other values or another version of the program. */
  readonly others: number
  /** Damaged lines, except those whose point another line holds complete. */
  readonly damaged: number
}

/** Compares the lines of a log with a plan; `undefined` stands for a line that is not JSON. */
export function findPoints(planned: readonly Pick<Point, 'key' | 'seed'>[], lines: readonly unknown[]): LoggedPoints {
  const byKey = new Map(planned.map((point) => [point.key, point]))
  const finished = new Map<string, FinishedPoint>()
  const failed = new Map<string, FailedLine['failed']>()
  const different = new Set<string>()
  const others = new Set<string>()
  const damaged: (string | undefined)[] = []
  for (const line of lines) {
    const { key } = (line ?? {}) as Partial<FinishedPoint>
    const point = byKey.get(key ?? '')
    if (typeof key !== 'string') damaged.push(undefined)
    else if (point === undefined) others.add(key)
    else if (isFailed(line)) failed.set(key, line.failed)
    else if (isFinished(line, point)) {
      const known = finished.get(key)
      if (known === undefined || isMore(line, known)) finished.set(key, line)
      else if (isOther(line, known)) different.add(key)
    } else damaged.push(key)
  }
  for (const key of finished.keys()) failed.delete(key)
  const left = damaged.filter((key) => key === undefined || !finished.has(key))
  return { finished, failed, different: different.size, others: others.size, damaged: left.length }
}

/** Whether a logged point need not run: it finished, with its flows if they are kept, or would be stopped again. */
export function mayStay({ stopped }: FinishedPoint, limit: PointLimit, hasFlows: boolean): boolean {
  return stopped === undefined ? hasFlows : isBeyond(stopped, limit)
}

/** Whether a point was run further than before: to its end, or to a later limit. */
function isMore({ stopped }: FinishedPoint, { stopped: before }: FinishedPoint): boolean {
  if (before === undefined) return false
  return stopped === undefined || !isBeyond(before, stopped)
}

/** Whether two runs to the end had different outcomes. */
function isOther(a: FinishedPoint, b: FinishedPoint): boolean {
  const isWhole = a.stopped === undefined && b.stopped === undefined
  return isWhole && JSON.stringify(a.summary) !== JSON.stringify(b.summary)
}

function isFailed(line: unknown): line is FailedLine {
  const { failed } = line as Partial<FailedLine>
  return typeof failed === 'object' && typeof failed.message === 'string' && typeof failed.isInput === 'boolean'
}

/** Values are not compared, as the key covers the whole scenario and the same value can be written in several ways. */
function isFinished(line: unknown, { seed }: Pick<Point, 'seed'>): line is FinishedPoint {
  const { seed: foundSeed, values, summary } = line as Partial<FinishedPoint>
  const hasValues = typeof values === 'object' && Object.values(values ?? { none: null }).every(isText)
  return foundSeed === seed && hasValues && isRunJson(summary) && summary.seed === seed
}

function isText(value: unknown): boolean {
  return typeof value === 'string'
}
