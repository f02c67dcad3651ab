/**
 * Right: whether what is said of a run is so. The rules:
 *   - the position is right by the rules of match.ts; "the fabric" is right where all of its switches do the same
 *   - the kind is right if it is the injected one, or another one that the given counters do not tell from it
 *   - a circle of pauses is right by any of its switches
 */
import { VENDORS } from '../../../src/lab/metrics/counters/vendors.ts'
import type { Names } from '../match.ts'
import type { Cause } from '../counterfactual.ts'
import type { Kind } from '../truth.ts'
import type { Damage } from './damage.ts'
import type { Said, SaidKind } from './said.ts'
import { VENDORS_OF } from './vendors.ts'

/** That which would tell a pair of kinds apart. */
type Teller = 'watermarks or settings' | 'whole intervals' | 'packets out of sequence'

/** Kinds that look alike, fixed before the first score. Nothing else excuses a wrong kind. */
export const ALIKE: readonly { readonly truth: Kind; readonly said: SaidKind; readonly without: Teller }[] = [
  { truth: 'alpha', said: 'incast', without: 'watermarks or settings' },
  { truth: 'alpha', said: 'unknown', without: 'watermarks or settings' },
  // A storm that no two polls have between them paused for a part of an interval, as a slow receiver does.
  { truth: 'pause-storm', said: 'slow-receiver', without: 'whole intervals' },
  // Packets that are sent again fill ports, and hosts that do not count what comes behind a gap cannot tell these from others.
  { truth: 'reordering', said: 'incast', without: 'packets out of sequence' },
  { truth: 'reordering', said: 'oversubscription', without: 'packets out of sequence' },
]

/** A whole interval of polls of 1 ms, wherever the polls are. */
const WHOLE_PS = 2e9

/** Whether hosts or switches, or some of them where each has a vendor of its own, have a counter. */
function hasCounter(damage: Damage, devices: 'hosts' | 'switches', name: string): boolean {
  if (damage.vendors === undefined) return VENDORS[damage[devices]].has(name)
  const vendors = new Set(Object.values(damage.vendors))
  return VENDORS_OF[devices].some(({ vendor, says }) => vendors.has(vendor) && says.has(name))
}

export function isKindRight(kind: SaidKind, truth: Cause, damage: Damage): boolean {
  const lacks: Readonly<Record<Teller, boolean>> = {
    'watermarks or settings':
      !(damage.hasWatermarks && hasCounter(damage, 'switches', 'sharedMax')) && !damage.hasSettings,
    'packets out of sequence': !hasCounter(damage, 'hosts', 'outOfSequence'),
    'whole intervals': truth.spanPs !== undefined && truth.spanPs < WHOLE_PS,
  }
  return (
    kind === truth.kind || ALIKE.some((pair) => pair.truth === truth.kind && pair.said === kind && lacks[pair.without])
  )
}

export function isPositionRight(position: string, truth: Cause, names: Names): boolean {
  if (position === '') return truth.kind === 'reordering'
  return truth.kind === 'deadlock'
    ? names.isAtNode({ device: position }, truth)
    : names.fits({ device: position }, truth)
}

export interface Graded extends Said {
  /** Position of the cause that it names right, in position and kind; -1: none. */
  readonly names: number
  /** Position of a cause of which the position is right; -1: none. */
  readonly isAt: number
  /** Neither right nor wrong: pauses that the healthy fabric has, too. */
  readonly isTolerated: boolean
}

/** Bursts of fabrics in which headroom is too small do pause their ports (fabrics.ts): to name them is not wrong. */
const TOLERATED: Partial<Readonly<Record<Kind, readonly SaidKind[]>>> = {
  'small-headroom': ['incast', 'oversubscription', 'unknown'],
}

export function graded(said: Said, causes: readonly Cause[], names: Names, damage: Damage): Graded {
  const isAt = (cause: Cause): boolean => isPositionRight(said.position, cause, names)
  const rightBy = (isKind: (cause: Cause) => boolean): number =>
    causes.findIndex((cause) => isAt(cause) && isKind(cause))
  // Where two causes are at one port, that of the kind is meant, before one that looks like it.
  const exact = rightBy(({ kind }) => kind === said.kind)
  const right = exact >= 0 ? exact : rightBy((cause) => isKindRight(said.kind, cause, damage))
  return {
    ...said,
    names: right,
    isAt: right >= 0 ? right : causes.findIndex(isAt),
    isTolerated: right < 0 && causes.some(({ kind }) => TOLERATED[kind]?.includes(said.kind) === true),
  }
}
