/**
 * Each seed: claims that are made of the runs of all seeds together, and have to hold in those of every one alone.
 */
import type { Outcome } from './plan.ts'
import type { Claim } from './findings.ts'

/**
 * The claims of all runs. One that is reproduced stays so where each seed that was run shows it too.
 * @param claimsOf gives the same claims in the same order, whatever runs there are.
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
