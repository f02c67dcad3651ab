/**
 * Listed claims: the claims of the papers, in their order. Statement, the paper's value and the tolerance stand here once;
 * experiments name a claim by its id.
 */
import { assert } from '../../core/base/assert.ts'
import json from '../claims.json' with { type: 'json' }

export interface Listed {
  readonly id: string
  /** Section of the paper. */
  readonly section: string
  readonly statement: string
  /** The paper's value, as short text. */
  readonly paper: string
  /** result: comes from runs; rule: the program implements it; input: what runs are given, or what follows from that alone. */
  readonly nature: 'result' | 'rule' | 'input'
  /** How it is judged. */
  readonly judge: 'band' | 'sign' | 'every seed' | 'exact' | 'none'
  readonly tolerance: string
  /** The band cannot fail in the direction that matters, and why. */
  readonly weak?: string
  /** The reason why an input has its value, if it is not simply a setting that is the paper's. */
  readonly setBy?: string
  /** At most one of the fields below; without one the claim has checks in experiments. */
  /** File and name of a test, with the name in words where it is a template of vitest ("%i packets"). */
  readonly test?: readonly string[]
  readonly notMeasured?: string
  readonly contradictory?: string
  readonly repeats?: string
  readonly pending?: string
}

/** As claims.json has it: nature, paper and tolerance only where they are not the usual ones. */
type Written = Omit<Listed, 'id' | 'nature' | 'paper' | 'tolerance'> &
  Partial<Pick<Listed, 'nature' | 'paper' | 'tolerance'>>

const USUAL_TOLERANCES: Readonly<Record<Exclude<Listed['judge'], 'band'>, string>> = {
  'every seed': 'in every seed',
  exact: 'exact',
  sign: 'sign of the difference',
  none: 'none',
}

export const LISTED: readonly Listed[] = Object.entries(json as Readonly<Record<string, Written>>).map(
  ([id, written]) => {
    const tolerance = written.tolerance ?? (written.judge === 'band' ? undefined : USUAL_TOLERANCES[written.judge])
    assert(tolerance !== undefined, `the band of the claim ${id} has a tolerance`)
    return { id, nature: 'result', paper: 'holds', ...written, tolerance }
  },
)

const byId = new Map(LISTED.map((claim) => [claim.id, claim]))

/** Undefined for expectations of our own. */
export function listedClaim(id: string): Listed | undefined {
  return byId.get(id)
}
