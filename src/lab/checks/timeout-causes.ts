/**
 * Timeout causes: classifies every timeout by the packet it waited for, from the real losses and not from the view of an
 * endpoint. Keeps a few PSNs for each QP that lost something, whatever the number of losses.
 * Invariant: the counts add up to the timeouts of all QPs.
 * Source: [IGBN] III-A, reasons 1 to 4; our choice among several
 *   losses: data that the receiver still misses before ACKs and NAKs, and of two losses in the repair of one packet the
 *   later one.
 * PSNs are unbounded here.
 */
import { INTS } from '../../core/base/memory.ts'
import type { LossWatch } from '../../core/fabric/watch.ts'
import type { Network } from '../../core/fabric/network.ts'
import { BROADCAST, COPY, FLAGS, DIRECTION, KIND, PFC, PSN } from '../../core/fabric/packets.ts'
import type { QueuePair } from '../../core/fabric/pairs/queue-pair.ts'
import { unwrapPsn } from '../../core/transport/psn.ts'
import { ACK, CNP, DATA, LAST, NAK, READ_REQUEST } from '../../core/transport/segment.ts'

/** Reason 1: the last packet of a message, so that no later packet showed the receiver the gap. */
const LAST_PACKET = 0
/** Reason 2: the ACK of the last packet of a message. */
const LAST_ACK = 1
/** Reason 3: the NAK for the missing packet. */
const NAK_LOST = 2
/** Reason 4: the missing packet, a second time after it was reported. */
const TWICE = 3
/** A READ request, or its repetition. */
const READ_LOST = 4
/** Another loss: an ACK within a message, or a packet that was lost once and not reported. */
const OTHER = 5
/** No loss: an ACK or NAK is late, or was never sent. */
const NONE = 6

export const TIMEOUT_CAUSES: readonly string[] = [
  'last packet lost',
  'last ACK lost',
  'NAK lost',
  'packet lost twice',
  'READ request lost',
  'other loss',
  'no loss',
]

/** Losses of a QP: PSNs, -1 for none. */
class Losses {
  /** Highest data packet. */
  dataPsn = -1
  /** Highest data packet that ends a message, since the last timeout. */
  lastPsn = -1
  /** Data packet that the receiver had reported, since the last timeout. */
  resentPsn = -1
  /** NAK, by the PSN it names, since the last timeout. */
  nakPsn = -1
  /** The NAK was lost after the resent packet. */
  isNakLater = false
  /** Highest ACK, by the PSN it acknowledges. */
  ackPsn = -1
  /** READ request, by the first PSN it asks for. */
  requestPsn = -1
  /** The sender's `una` when an ACK or NAK was last lost. */
  ackUna = -1
}

export class TimeoutCauses implements LossWatch {
  /** Timeouts, by cause. */
  readonly counts = new Float64Array(TIMEOUT_CAUSES.length)
  readonly #network: Network
  readonly #losses: (Losses | undefined)[] = []

  constructor(network: Network) {
    this.#network = network
    network.pairs.onRelease.push(({ id }) => {
      if (this.#losses[id] !== undefined) this.#losses[id] = undefined
    })
  }

  onLoss(packet: number): void {
    const kind = INTS[packet | KIND]!
    // Flooded copies are no losses: the packet itself goes on, or is lost by itself.
    if (kind === PFC || kind === CNP || kind === BROADCAST || kind === COPY) return
    const pair = this.#network.pairs.byNumber[INTS[packet | DIRECTION]! >> 1]!
    const losses = (this.#losses[pair.id] ??= new Losses())
    const { expectedPsn } = pair.receiver
    if (kind === DATA) {
      const psn = unwrapPsn(INTS[packet | PSN]!, expectedPsn)
      if (psn > losses.dataPsn) losses.dataPsn = psn
      if ((INTS[packet | FLAGS]! & LAST) !== 0 && psn > losses.lastPsn) losses.lastPsn = psn
      if (psn === pair.receiver.reportedPsn) {
        losses.resentPsn = psn
        losses.isNakLater = false
      }
      return
    }
    // The NAK of a READ request: the request that it misses was lost before.
    if ((INTS[packet | DIRECTION]! & 1) === 0) return
    const { una } = pair.sender
    losses.ackUna = una
    if (kind === NAK) {
      losses.nakPsn = unwrapPsn(INTS[packet | PSN]!, expectedPsn)
      losses.isNakLater = true
    } else if (kind === ACK) losses.ackPsn = Math.max(losses.ackPsn, unwrapPsn(INTS[packet | PSN]!, una))
    else if (kind === READ_REQUEST) losses.requestPsn = unwrapPsn(INTS[packet | PSN]!, expectedPsn)
  }

  onTimeout(pair: QueuePair, isReader: boolean): void {
    const losses = this.#losses[pair.id]
    if (losses === undefined) {
      this.counts[NONE]!++
      return
    }
    this.counts[isReader ? readerCause(pair, losses) : senderCause(pair, losses)]!++
    // Later timeouts are explained by later losses.
    losses.lastPsn = -1
    losses.resentPsn = -1
    losses.nakPsn = -1
  }
}

function senderCause(pair: QueuePair, losses: Losses): number {
  const { sender, receiver } = pair
  const missing = receiver.expectedPsn
  if (losses.dataPsn >= missing) {
    // A scheme that goes back further resends packets below the missing one too.
    if (receiver.reportedPsn < missing) return losses.lastPsn >= missing ? LAST_PACKET : OTHER
    const isNakLost = losses.nakPsn >= missing
    const isLostAgain = losses.resentPsn >= missing
    if (isNakLost && (losses.isNakLater || !isLostAgain)) return NAK_LOST
    return isLostAgain ? TWICE : OTHER
  }
  if (losses.ackPsn >= sender.una) {
    const next = losses.ackPsn + 1
    const isLast = next === sender.end || (next < sender.end && sender.firstPsnOf(next) === next)
    return isLast ? LAST_ACK : OTHER
  }
  return losses.ackUna === sender.una ? OTHER : NONE
}

function readerCause({ receiver }: QueuePair, losses: Losses): number {
  const missing = receiver.expectedPsn
  if (losses.requestPsn >= missing) {
    losses.requestPsn = -1
    return READ_LOST
  }
  if (losses.dataPsn < missing) return NONE
  if (receiver.reportedPsn >= missing) return losses.resentPsn >= missing ? TWICE : OTHER
  return losses.lastPsn >= missing ? LAST_PACKET : OTHER
}
