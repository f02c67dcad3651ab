/**
 * Claims drawn from the runs of all seeds together that also have to hold for each seed alone.
 */
import type { Outcome } from './plan.ts'
import type { Claim } from '../findings.ts'

/**
 * Judges the claims over all runs. A claim counts as reproduced only if the runs of every single seed reproduce it too.
 * @param claimsOf returns the same claims in the same order for any set of runs.
 */
export function claimsInEachSeed(
  outcomes: readonly Outcome[],
  claimsOf: (outcomes: readonly Outcome[]) => readonly Claim[],
): Claim[] {
  const seeds = [...new Set(outcomes.map(({ seed }) => seed))]
  const alone = seeds.map((seed) => claimsOf(outcomes.filter((outcome) => outcome.seed === seed)))
  return claimsOf(outcomes).map((claim, i) =>
    inEach(
      claim,
      alone.map((claims) => claims[i]!),
    ),
  )
}

function inEach(claim: Claim, alone: readonly Claim[]): Claim {
  const seeds = { held: alone.filter(({ verdict }) => verdict === 'reproduced').length, of: alone.length }
  const isKept = claim.verdict !== 'reproduced' || seeds.held === seeds.of
  return {
    ...claim,
    seeds,
    ...(isKept ? {} : { verdict: 'not reproduced', reason: `${claim.reason} It has to hold in every seed.` }),
  }
}
