/**
 * Picture: one known picture of AI traffic, with its runs and what it expects of them. An experiment is made of several.
 */
import { numbersOf, type Result, sum, tableOfKind, textsOf } from '../../core/results/index.ts'
import type { Findings } from '../core/findings.ts'
import { pointsAt } from '../core/grid.ts'
import { dropsOf } from '../core/measures.ts'
import type { At, Measures, Point, Size } from '../core/point.ts'
import type { Runs } from '../core/runs.ts'

export interface Picture {
  /** Value of the axis `picture`. */
  readonly name: string
  readonly points: (size: Size, seed: number) => Point[]
  /** Measures besides those of every run. */
  readonly more: (point: Point) => Measures
  readonly conclude: (runs: Runs, size: Size) => Omit<Findings, 'figures'> & Partial<Findings>
}

/** A picture by its points and the scenario of each, without name and seed; its functions know its axes. */
export function definePicture<A extends At>(picture: {
  readonly name: string
  readonly points: (size: Size) => readonly A[]
  readonly textOf: (at: A, size: Size) => string
  readonly more?: (at: A, point: Point) => Measures
  readonly conclude: (runs: Runs, size: Size) => Omit<Findings, 'figures'> & Partial<Findings>
}): Picture {
  const { name, textOf, conclude } = picture
  const ownOf = new WeakMap<At, A>()
  return {
    name,
    points(size, seed) {
      const ats = picture.points(size).map((own) => {
        const at = { picture: name, ...own }
        ownOf.set(at, own)
        return at
      })
      return pointsAt(ats, seed, (at) => `name: ${name}\n${textOf(ownOf.get(at)!, size)}`)
    },
    more: (point) => picture.more?.(ownOf.get(point.at)!, point) ?? {},
    conclude,
  }
}

/** The time of the jobs with a tag, or of all, from the first packet to the last acknowledgement; and what else happened meanwhile. */
export function jobMeasures(result: Result, tag?: string): Measures {
  const { counters } = result
  const [startPs, donePs] = roundsOf(result, tag)
  return {
    timePs: Math.max(...donePs) - Math.min(...startPs),
    drops: dropsOf(result),
    resent: counters.retransmissions,
    pauses: counters.pauseFrames,
    pausedPs: sum(Object.values(counters.pausedPs)),
    marks: counters.ecnMarks,
    cnps: counters.cnps,
    packetHops: counters.packetHops,
  }
}

/** Begins and ends of iterations, ps. */
export function roundsOf(result: Result, tag?: string): readonly [startPs: number[], donePs: number[]] {
  const rounds = tableOfKind(result, 'collectives')!
  const tags = textsOf(rounds, 'tag')
  const isOwn = (row: number): boolean => tag === undefined || tags[row] === tag
  const of = (name: string): number[] => [...numbersOf(rounds, name)].filter((_, row) => isOwn(row))
  return [of('startPs'), of('donePs')]
}
