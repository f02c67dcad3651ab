/**
 * Timeout causes: says of every timeout what it waited for, from what was really lost and not from what an end can see.
 * Remembers a few PSNs per QP that lost something, whatever the number of losses; does nothing where nothing is lost.
 * Invariant: the counts add up to the timeouts of all QPs.
 * Source: [IGBN] III-A, reasons 1 to 4; which of several losses counts is ours:
 *   what the receiver still misses goes before what it answered, and of two losses of one packet's repair the later one.
 * PSNs are unbounded here. Units: none.
 */
import { INTS } from '../../base/memory.ts'
import type { LossWatch } from '../../fabric/watch.ts'
import type { Network } from '../../fabric/network.ts'
import { FLAGS, FLOW, KIND, PFC, PSN } from '../../fabric/packets.ts'
import type { QueuePair } from '../../fabric/nic/queue-pair.ts'
import { unwrapPsn } from '../../transport/psn.ts'
import { ACK, CNP, DATA, LAST, NAK, READ_REQUEST } from '../../transport/segment.ts'

/** Reason 1: the last packet of a message, so that nothing behind it told the receiver. */
const LAST_PACKET = 0
/** Reason 2: the ACK of the last packet of a message. */
const LAST_ACK = 1
/** Reason 3: the NAK of the packet that is missing. */
const NAK_LOST = 2
/** Reason 4: the packet that is missing, again after it was reported. */
const TWICE = 3
/** A request of a READ, or its repetition. */
const READ_LOST = 4
/** Something else that was waited for: an ACK between, or a packet that was lost once and not reported. */
const OTHER = 5
/** Nothing that was waited for: an answer that is late, or never came. */
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

/** What a QP lost: PSNs, -1 for none. */
class Losses {
  /** Highest data packet. */
  dataPsn = -1
  /** Highest data packet that ends a message, since the last timeout. */
  lastPsn = -1
  /** Data packet that the receiver had reported, since the last timeout. */
  resentPsn = -1
  /** NAK, by the PSN it names, since the last timeout. */
  nakPsn = -1
  /** Of the two above the NAK was lost later. */
  isNakLater = false
  /** Highest ACK, by the PSN it acknowledges. */
  ackPsn = -1
  /** READ request, by the first PSN it asks for. */
  requestPsn = -1
  /** What the sender had acknowledged when an answer was lost last. */
  answerUna = -1
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
    if (kind === PFC || kind === CNP) return
    const pair = this.#network.pairs.byNumber[INTS[packet | FLOW]! >> 1]!
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
    if ((INTS[packet | FLOW]! & 1) === 0) return
    const { una } = pair.sender
    losses.answerUna = una
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
    // What comes now is answered for by what is lost from now on.
    losses.lastPsn = -1
    losses.resentPsn = -1
    losses.nakPsn = -1
  }
}

function senderCause(pair: QueuePair, losses: Losses): number {
  const { sender, receiver } = pair
  const missing = receiver.expectedPsn
  if (losses.dataPsn >= missing) {
    // Behind the missing packet for a scheme that goes back further.
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
  return losses.answerUna === sender.una ? OTHER : NONE
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
