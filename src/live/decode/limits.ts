/**
 * Limits of the memory of a direction: a fixed amount is shared by the directions that are followed at one time, so that a few
 * have enough for exact answers, and very many have little each.
 */

export interface Limits {
  /** Intervals of PSNs in a set. */
  intervals: number
  /** Requests that are remembered, for NAKs that name them; also memory keys, and round trips that are open. */
  requests: number
  /** Places of a finding. */
  sights: number
}

interface Range {
  readonly least: number
  readonly most: number
  /** Shared by all. */
  readonly all: number
}

const RANGES: Readonly<Record<keyof Limits, Range>> = {
  intervals: { least: 8, most: 256, all: 2 ** 19 },
  requests: { least: 16, most: 256, all: 2 ** 19 },
  sights: { least: 1, most: 8, all: 2 ** 16 },
}

/** Those of a direction that has no other beside it. */
export const MOST: Readonly<Limits> = limitsOf(1)

/** @param directions how many are followed */
export function limitsOf(directions: number): Limits {
  const share = ({ least, most, all }: Range): number =>
    Math.max(least, Math.min(most, Math.floor(all / Math.max(1, directions))))
  return { intervals: share(RANGES.intervals), requests: share(RANGES.requests), sights: share(RANGES.sights) }
}
