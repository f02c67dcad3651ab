/**
 * Rule: a check of a fabric by the files of its devices. At each place it fires, holds, or cannot tell because a value is
 * unknown. A rule is one definition in a file of its group, and one line in index.ts.
 */
import type { FabricKind, Values } from '../../../core/findings/index.ts'
import type { Fabric } from '../../devices/joins/index.ts'
import type { Saying } from './saying.ts'

/** Headroom that a lossless class of a port needs, from tables that devices ship or by the formula. */
export interface HeadroomNeed {
  /** Smallest and largest that are known for such a port; Infinity: no largest. */
  readonly leastBytes: number
  readonly mostBytes: number
  /** Where it is from. */
  readonly basis: string
  /** Whether less is a mistake for certain; otherwise more may be needed, too. */
  readonly isSure: boolean
}

export interface HeadroomPort {
  readonly platform: string
  readonly rateBps: number
  readonly cableM: number
  readonly mtuBytes: number
  /** Whether groups share a pool of headroom, for which switches ship other rows; absent: no. */
  readonly hasSharedHeadroom?: boolean
}

export interface RuleContext {
  readonly fabric: Fabric
  readonly headroomNeed: (port: HeadroomPort) => HeadroomNeed
}

export interface Rule {
  /** Findings that it makes; the first names it. */
  readonly kinds: readonly Pick<FabricKind, 'rule' | 'id' | 'severity'>[]
  check(context: RuleContext, say: Saying): void
}

/** A rule that makes findings of one kind. */
export function defineRule<V extends Values>(
  kind: FabricKind<V>,
  check: (context: RuleContext, say: Saying, kind: FabricKind<V>) => void,
): Rule {
  return { kinds: [kind], check: (context, say) => check(context, say, kind) }
}
