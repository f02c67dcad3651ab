/**
 * Seeds of the score. Those of scoring are fixed before any rule is tuned; tuning has its own.
 */

/** Runs that are scored: with something injected, with nothing, or slow by their load alone. */
export const FORMS = ['incident', 'healthy', 'loaded'] as const
export type Form = (typeof FORMS)[number]

/** From and to, both included. */
export interface SeedRange {
  readonly from: number
  readonly to: number
}

export const NO_SEEDS: SeedRange = { from: 1, to: 0 }

/** Reserved for scoring, fixed before the rules: nobody looks at one of these runs to change a rule. */
export const WHY_SCORED: Readonly<Record<Form, SeedRange>> = {
  incident: { from: 1, to: 600 },
  healthy: { from: 1, to: 100 },
  loaded: { from: 1, to: 100 },
}

/** The same for the localiser, fixed before its first score: nobody runs one of them while its rules are made. */
export const ORIGINS_SCORED: Readonly<Record<Form, SeedRange>> = {
  incident: { from: 1, to: 400 },
  healthy: { from: 1, to: 300 },
  loaded: NO_SEEDS,
}

/** Tuning uses seeds from here on. */
export const TUNING_FROM = 10_000
