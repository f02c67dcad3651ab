/**
 * Each seed: claims that are made of the runs of all seeds together, and have to hold in those of every one alone.
 */
import type { Outcome } from './experiment.ts'
import { type Claim, JUDGED_SEEDS } from './findings.ts'

/**
 * The claims of all runs. One that is reproduced stays so where each of the first ten seeds shows it too; fewer seeds
 * are too few to say, but where they show the same.
 * @param claimsOf gives the same claims in the same order, whatever runs there are.
 */
export function claimsInEachSeed(
  outcomes: readonly Outcome[],
  claimsOf: (outcomes: readonly Outcome[]) => readonly Claim[],
): Claim[] {
  const seeds = [...new Set(outcomes.map(({ seed }) => seed))].slice(0, JUDGED_SEEDS)
  const alone = seeds.map((seed) => claimsOf(outcomes.filter((outcome) => outcome.seed === seed)))
  return claimsOf(outcomes).map((claim, i) =>
    inEach(
      claim,
      alone.map((claims) => claims[i]!),
    ),
  )
}

function inEach(claim: Claim, alone: readonly Claim[]): Claim {
  if (claim.verdict !== 'reproduced') return claim
  const held = alone.filter(({ verdict }) => verdict === 'reproduced').length
  const isOne = alone.length > 1 && new Set(alone.map(({ measured }) => measured)).size === 1
  if (held === alone.length && (alone.length === JUDGED_SEEDS || isOne)) return claim
  const isAgainst = alone.some(({ verdict }) => verdict === 'not reproduced')
  const few = `It has to be ${JUDGED_SEEDS} seeds, and ${alone.length} are too few to say.`
  return {
    ...claim,
    measured: `${claim.measured}; holds in ${held} of ${alone.length} seeds`,
    verdict: isAgainst ? 'not reproduced' : 'undecided',
    reason: held === alone.length ? `${claim.reason} ${few}` : `${claim.reason} It has to hold in every seed.`,
  }
}
