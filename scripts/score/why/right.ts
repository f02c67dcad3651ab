/**
 * Right: whether what is said is the cause. The rules, beside those of match.ts:
 *   - a workload is right if it has the tag of the truth
 *   - of what holds everywhere the kind decides
 * Kinds that name the same setting are one kind.
 */
import type { Cause } from '../counterfactual.ts'
import type { Names } from '../match.ts'
import type { Kind } from '../truth.ts'
import type { Said } from './answer.ts'

/** Kinds that may be said in place of the true one: both name nic.send.readRate, or the rate of a tier's links. */
const ALIKE: Partial<Readonly<Record<Kind, readonly string[]>>> = {
  'rate-cap': ['slow-sender'],
  'slow-sender': ['rate-cap'],
}

export const isKindRight = ({ kind: said }: Said, { kind }: Cause): boolean =>
  said === kind || (ALIKE[kind]?.includes(said) ?? false)

export function isRight(said: Said, cause: Cause, names: Names): boolean {
  if (cause.isGlobal) return isKindRight(said, cause)
  const { device, peer, workload } = said
  if (workload !== undefined && workload === cause.workload) return true
  if (device === undefined) return false
  const isDevice = cause.ports.length > 0 || cause.nodes.length > 0
  return isDevice && names.fits({ device, ...(peer !== undefined && { peer }) }, cause)
}
