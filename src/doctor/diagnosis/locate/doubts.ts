/**
 * Doubts: origins of pauses that may be consequences of others. They are possible, and none is named.
 * Source: docs/models/localiser-losses.md.
 */
import { ALL_PRIORITIES } from '../../../core/device-model/index.ts'
import type { Series } from '../../devices/series/index.ts'
import type { Fabric } from './fabric.ts'
import { MINOR_SHARE, RESENT_SHARE } from './limits.ts'
import { outOfSequenceShare } from './losses.ts'
import { CONFIDENCES, type Confidence, type Missing, type Origin, type OriginKind } from './origin.ts'

/** Hosts that hold their switch hold it for nobody else, and a circle holds itself. */
const FIRST: ReadonlySet<OriginKind> = new Set(['storm', 'slow-receiver', 'deadlock'])
const FULL: ReadonlySet<OriginKind> = new Set(['incast', 'oversubscription'])

/** The origins of pauses with their confidence beside each other. */
export function doubted(fabric: Fabric, series: Series, origins: readonly Origin[]): Origin[] {
  const first = origins.filter(({ kind }) => FIRST.has(kind))
  return origins.map((origin): Origin => {
    if (FIRST.has(origin.kind)) return origin
    const others = first.filter(({ priority }) => priority === origin.priority)
    if (origin.blame < MINOR_SHARE || others.some((one) => mayExplain(one, origin)))
      return { ...origin, confidence: 'low' }
    if (origin.kind === 'noisy-host') return ofCounted(origin, origin.device, hasCount(series, origin.device))
    return FULL.has(origin.kind) ? withoutResent(fabric, series, origin) : origin
  })
}

/**
 * Whether an origin may be the reason of another one. A deadlock is the reason of all pauses around it until it is broken. The
 * frames that a storm or a slow receiver has held fill ports at the same time and later: only a port that was full before has
 * a reason of its own.
 */
const mayExplain = (first: Origin, { fromNs, peer }: Origin): boolean =>
  first.kind === 'deadlock' || first.device === peer || fromNs >= first.fromNs

/**
 * Go-back-N resends all that follows a packet which is lost or overtaken: a port that is full of what its receivers drop as
 * out of sequence is no origin, and of receivers that do not count it nobody knows.
 */
function withoutResent(fabric: Fabric, series: Series, origin: Origin): Origin {
  const { devices } = fabric
  const isToHost = devices.get(origin.peer)?.isHost === true
  const receivers = [...devices.values()].filter(({ isHost, name }) => isHost && (!isToHost || name === origin.peer))
  const share = outOfSequenceShare(fabric, series, receivers)
  const counted = ofCounted(origin, isToHost ? origin.peer : '', share !== undefined)
  return share !== undefined && share >= RESENT_SHARE ? { ...origin, confidence: 'low' } : counted
}

/** Whether a sender counts the NAKs by which it would send again. */
const hasCount = (series: Series, host: string): boolean =>
  series.total(host, '', ALL_PRIORITIES, 'seqNaks') !== undefined

/** Medium at most where the host does not count what would tell that packets are sent again. */
function ofCounted(origin: Origin, host: string, isCounted: boolean): Origin {
  if (isCounted) return origin
  const missing: Missing = { what: 'readings', device: host }
  return { ...origin, confidence: atMost('medium', origin.confidence), raise: [...origin.raise, missing] }
}

const atMost = (limit: Confidence, confidence: Confidence): Confidence =>
  CONFIDENCES[Math.max(CONFIDENCES.indexOf(limit), CONFIDENCES.indexOf(confidence))]!
