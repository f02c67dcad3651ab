/**
 * Claims drawn from the runs of all seeds together that also have to hold for each seed alone.
 */
import type { Claim } from './findings.ts'
import type { Runs } from './runs.ts'

/**
 * Judges the claims over all runs. A claim counts as reproduced only if the runs of every single seed reproduce it too.
 * @param claimsOf returns the same claims in the same order for any set of runs.
 */
export function claimsInEachSeed(runs: Runs, claimsOf: (runs: Runs) => readonly Claim[]): Claim[] {
  const alone = runs.bySeed().map(claimsOf)
  return claimsOf(runs).map((claim, i): Claim => {
    const held = alone.filter((claims) => claims[i]!.verdict === 'reproduced').length
    const seeds = { held, of: alone.length }
    if (claim.verdict !== 'reproduced' || held === alone.length) return { ...claim, seeds }
    return { ...claim, seeds, verdict: 'not reproduced', reason: `${claim.reason} It has to hold in every seed.` }
  })
}
