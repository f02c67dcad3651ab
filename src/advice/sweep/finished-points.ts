/**
 * Finished points: the points of a sweep that a log holds. A line counts as a finished point if it has values, the seed
 * of the plan, and a complete summary with that seed. Any other point is run again.
 */
import { isRunJson, type RunJson } from '../../results/index.ts'
import type { PointLimit } from './point-limit.ts'
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

export interface LoggedPoints {
  /** Points of the plan, by key. */
  readonly finished: ReadonlyMap<string, FinishedPoint>
  /** Points that are not in the plan: from another scenario, other values or another version of the program. */
  readonly others: number
  /** Damaged lines, except those whose point another line holds complete. */
  readonly damaged: number
}

/** Compares the lines of a log with a plan; `undefined` stands for a line that is not JSON. */
export function findPoints(planned: readonly Point[], lines: readonly unknown[]): LoggedPoints {
  const byKey = new Map(planned.map((point) => [point.key, point]))
  const finished = new Map<string, FinishedPoint>()
  const others = new Set<string>()
  const damaged: (string | undefined)[] = []
  for (const line of lines) {
    const { key } = (line ?? {}) as Partial<FinishedPoint>
    const point = byKey.get(key ?? '')
    if (typeof key !== 'string') damaged.push(undefined)
    else if (point === undefined) others.add(key)
    else if (isFinished(line, point)) finished.set(key, line)
    else damaged.push(key)
  }
  const left = damaged.filter((key) => key === undefined || !finished.has(key))
  return { finished, others: others.size, damaged: left.length }
}

/** Values are not compared, as the key covers the whole scenario and the same value can be written in several ways. */
function isFinished(line: unknown, { seed }: Point): line is FinishedPoint {
  const { seed: foundSeed, values, summary } = line as Partial<FinishedPoint>
  const hasValues = typeof values === 'object' && Object.values(values ?? { none: null }).every(isText)
  return foundSeed === seed && hasValues && isRunJson(summary) && summary.seed === seed
}

function isText(value: unknown): boolean {
  return typeof value === 'string'
}
