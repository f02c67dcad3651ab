/**
 * Seeds of the score. Those of scoring were fixed before any rule of explanations was tuned; tuning has its own.
 */

/** Runs that are scored: with something injected, or with nothing. */
export const FORMS = ['incident', 'healthy'] as const
export type Form = (typeof FORMS)[number]

/** From and to, both included. */
export interface SeedRange {
  readonly from: number
  readonly to: number
}

/**
 * Reserved for scoring: nobody looks at one of these runs to change a rule. Those below were scored once, and rules were
 * changed after it.
 */
export const SCORED: Readonly<Record<Form, SeedRange>> = {
  incident: { from: 301, to: 600 },
  healthy: { from: 101, to: 200 },
}

/** The same for the localiser, fixed before its first score: nobody runs one of them while its rules are made. */
export const ORIGINS_SCORED: Readonly<Record<Form, SeedRange>> = {
  incident: { from: 1, to: 400 },
  healthy: { from: 1, to: 300 },
}

/** Tuning uses seeds from here on. */
export const TUNING_FROM = 10_000
