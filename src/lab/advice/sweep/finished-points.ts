/**
 * Finished points: the points of a sweep that a log holds. A line counts as a finished point if it has values, the seed
 * of the plan, and a complete summary with that seed. Any other point is run again.
 * Lines may come from several logs, in any order, and a point may have several: whichever finished last, the outcome is the
 * same, as runs are deterministic.
 */
import {
  countShape,
  flagShape,
  hasShape,
  objectOf,
  optional,
  recordOf,
  type Shape,
  textShape,
} from '../../../core/base/shape.ts'
import { type RunJson, runJsonShape } from '../../../core/results/index.ts'
import { isBeyond, type PointLimit, pointLimitShape } from './point-limit.ts'
import type { Point } from './points.ts'

/** A line of the log. */
export interface FinishedPoint {
  readonly key: string
  readonly values: Readonly<Record<string, string>>
  readonly seed: number
  readonly summary: RunJson
  /** The limit that the run exceeded: its summary ends there and is excluded from all means. */
  readonly stopped?: PointLimit | undefined
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
    const { key } = (line ?? {}) as { readonly key?: unknown }
    const point = typeof key === 'string' ? byKey.get(key) : undefined
    if (typeof key !== 'string') damaged.push(undefined)
    else if (point === undefined) others.add(key)
    else if (hasShape(failedShape, line)) failed.set(key, line.failed)
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

const failedShape: Shape<FailedLine> = objectOf<FailedLine>({
  key: textShape,
  failed: objectOf<FailedLine['failed']>({ isInput: flagShape, message: textShape }),
})

/** Values are not compared, as the key covers the whole scenario and the same value can be written in several ways. */
const finishedShape: Shape<FinishedPoint> = objectOf<FinishedPoint>({
  key: textShape,
  values: recordOf(textShape),
  seed: countShape,
  summary: runJsonShape,
  stopped: optional(pointLimitShape),
})

function isFinished(line: unknown, { seed }: Pick<Point, 'seed'>): line is FinishedPoint {
  return hasShape(finishedShape, line) && line.seed === seed && line.summary.seed === seed
}
