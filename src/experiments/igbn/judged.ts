/**
 * Makers of claims for lossy go-back-N.
 * Tolerances are those of claims.json: percentage points give a band, an order is the sign of a difference with its
 * 95 % interval, and a statement that holds or does not has to hold in every seed.
 */
import type { Interval } from '../../results/index.ts'
import { ABOVE_ZERO, type Claim, type ClaimInput, claimOf, seedsClaim, type SeedsInput } from '../core/findings.ts'

/** `whyNot` is the explanation if the claim is not reproduced. */
interface WhyNot {
  readonly whyNot?: string
}

export function judged({ whyNot, ...input }: ClaimInput & WhyNot): Claim {
  const claim = claimOf(input)
  return claim.verdict === 'reproduced' || whyNot === undefined ? claim : claimOf({ ...input, why: whyNot })
}

/** A statement that has to hold in every seed. */
export function inEverySeed(input: Omit<SeedsInput, 'judge'>): Claim {
  return seedsClaim({ ...input, judge: 'every seed' })
}

/** A value in percent with a tolerance in percentage points. */
export const points = (value: number, tolerance: number) => ({
  paper: `${value} %`,
  unit: ' %',
  band: { low: value - tolerance, high: value + tolerance },
  tolerance: `${tolerance} percentage points`,
})

/** A difference in percentage points whose sign decides. */
export const ABOVE = { unit: ' points', band: ABOVE_ZERO, tolerance: 'the sign' }

/** An order of two conditions: the sign of `measured` decides, and the seeds in which `values` are positive are counted. */
export function above(
  input: Pick<ClaimInput, 'id' | 'statement' | 'paper' | 'why'> &
    WhyNot & { readonly measured: Interval; readonly values: readonly number[] },
): Claim {
  return judged({ ...ABOVE, ...input })
}
