/**
 * Ends of a range: where a paper gives one range for several numbers, "4 to 7 %", and not the number of each. A band over
 * the whole range holds each of them and lets all stand at one end of it; so the least of them has to be near the low
 * end as well, and the most near the high end, by the tolerance that widens the range.
 */
import { type Band, bracketClaim, type Claim, type ClaimInput, type Reading } from './findings.ts'

/** One number of a range. */
export interface RangeCell extends Pick<ClaimInput, 'cutShort'> {
  readonly check: string
  readonly readings: readonly Reading[]
}

interface RangeInput extends Pick<ClaimInput, 'id' | 'statement' | 'paper' | 'tolerance' | 'unit'> {
  /** The paper's range, and the range that counts for each number. */
  readonly low: number
  readonly high: number
  readonly band: Band
  /** The numbers, each in the same readings. */
  readonly cells: readonly RangeCell[]
}

/** A check of each number, and "least" and "most" if the runs are not cut short. */
export function rangeClaims({ low, high, band, cells, ...input }: RangeInput): Claim[] {
  const own = cells.map((cell) => bracketClaim({ ...input, ...cell, band, paperValues: [low, high] }))
  if (cells.some(({ cutShort }) => cutShort !== undefined)) return own
  const ends = [
    { check: 'least', end: low, near: { low: band.low, high: 2 * low - band.low }, sign: 1 },
    { check: 'most', end: high, near: { low: 2 * high - band.high, high: band.high }, sign: -1 },
  ]
  const all = cells.map(({ readings }) => readings)
  return [
    ...own,
    ...ends.map(({ check, end, near, sign }) =>
      bracketClaim({ ...input, check, readings: extremes(all, sign), paperValues: [end], band: near }),
    ),
  ]
}

/** In each reading the number with the smallest mean, or with sign -1 the largest. */
function extremes(of: readonly (readonly Reading[])[], sign: number): Reading[] {
  return (of[0] ?? []).map((_, reading) =>
    of
      .map((readings) => readings[reading]!)
      .reduce((known, other) => (sign * other.measured.mean < sign * known.measured.mean ? other : known)),
  )
}
