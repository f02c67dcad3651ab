/**
 * Claim state: what became of a claim, by the verdicts on all its checks. An input is no check, since agreement with it
 * means nothing; of runs that are cut short only directions are judged.
 */
import type { ClaimState } from '../../../show/index.ts'
import type { Verdict } from '../findings.ts'

/** @param verdicts at least one. */
export function claimState(verdicts: readonly Verdict[]): ClaimState {
  const judged: readonly Verdict[] = verdicts.filter((verdict) => verdict !== 'input' && verdict !== 'not judged')
  const isAny = (verdict: Verdict): boolean => judged.includes(verdict)
  if (judged.length === 0) return verdicts.includes('input') ? 'input' : 'not judged'
  const held = judged.filter((verdict) => verdict === 'reproduced' || verdict === 'direction only').length
  const open = judged.filter((verdict) => verdict === 'undecided' || verdict === 'direction undecided').length
  if (held === judged.length) return isAny('direction only') ? 'direction only' : 'reproduced'
  if (held > 0) return 'partly'
  if (open === judged.length) return isAny('undecided') ? 'undecided' : 'direction undecided'
  return isAny('not reproduced') ? 'not reproduced' : 'other direction'
}
