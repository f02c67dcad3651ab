/**
 * Finished points: which points of a sweep a log holds. A point counts when its line is whole: it has values, the seed
 * of the plan, and a summary with every field that is of that seed. Any other point is run again.
 */
import { isRunJson, type RunJson } from '../../results/index.ts'
import type { PointLimit } from './point-limit.ts'
import type { Point } from './points.ts'

/** A finished point as the log has it. */
export interface FinishedPoint {
  readonly key: string
  readonly values: Readonly<Record<string, string>>
  readonly seed: number
  readonly summary: RunJson
  /** The limit that it exceeded: its summary is of what was run until then, and in no mean. */
  readonly stopped?: PointLimit
}

export interface LoggedPoints {
  /** Points of the plan, by key. */
  readonly finished: ReadonlyMap<string, FinishedPoint>
  /** How many points are of no plan of ours: of another scenario, other values or another program. */
  readonly others: number
  /** Lines that hold no whole point and that no whole line of the same point makes up for. */
  readonly damaged: number
}

/** Sorts the lines of a log by what they are to a plan; `undefined` is a line that is no JSON. */
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

/** The key stands for the whole scenario; its values may be written in another way than those of the plan. */
function isFinished(line: unknown, { seed }: Point): line is FinishedPoint {
  const { seed: foundSeed, values, summary } = line as Partial<FinishedPoint>
  const hasValues = typeof values === 'object' && Object.values(values ?? { none: null }).every(isText)
  return foundSeed === seed && hasValues && isRunJson(summary) && summary.seed === seed
}

function isText(value: unknown): boolean {
  return typeof value === 'string'
}
