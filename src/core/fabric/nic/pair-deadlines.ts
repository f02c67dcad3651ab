/**
 * HOT. Deadlines of queue pairs: what their NIC does when one of either half may be due, such as a retransmission
 * timeout or the end of an RNR wait. A deadline that moves leaves its event in the queue; a stale event has no
 * effect.
 * Units: picoseconds.
 */
import type { Fabric } from '../fabric.ts'
import type { Receiver } from '../../transport/receive/receiver.ts'
import type { CompletionSink, QueuePair } from '../pairs/queue-pair.ts'
import type { SingleWake } from './single-wake.ts'

/** The NIC of a half whose deadline may have passed. */
export interface DeadlineNic {
  readonly position: number
  readonly sink: CompletionSink
  readonly singleWake: SingleWake | null
  readonly mayDoze: 0 | 1
  kick(): void
  /** Queues the ACKs, NAKs and requests that a receiver owes. */
  drain(pair: QueuePair, receiver: Receiver): void
  /** Brings a queue pair's entry in the round robin up to date. */
  refresh(pair: QueuePair): void
  /** Queues an RTT request. */
  probe(pair: QueuePair): void
}

/** Deadline of the half that receives data. */
export function onReceiverDeadline(nic: DeadlineNic, fabric: Fabric, pair: QueuePair): void {
  const { queue } = fabric
  const { nowPs } = queue
  if (!pair.receiverTimers.disarm(nowPs, queue.currentOrder)) return
  if (pair.receiverTimers.isDue(nowPs, queue.currentOrder)) {
    const timeouts = pair.receiver.timeouts
    pair.receiver.onTimeout(nowPs)
    if (pair.receiver.timeouts > timeouts) reportTimeout(fabric, pair, true)
    if (pair.verbs !== null) pair.verbs.far.follow(nowPs, nic.position)
    else if (pair.receiver.isFailed) nic.sink.onFailed(nowPs, pair)
    nic.drain(pair, pair.receiver)
  }
  pair.armReceiver(queue)
  nic.kick()
}

/** Deadline of the half that sends data. */
export function onSenderDeadline(nic: DeadlineNic, fabric: Fabric, pair: QueuePair): void {
  const { queue } = fabric
  const { nowPs } = queue
  if (!pair.senderTimers.disarm(nowPs, queue.currentOrder)) return
  if (pair.senderTimers.isDue(nowPs, queue.currentOrder)) {
    const before = pair.sender.nextSendPs
    const timeouts = pair.sender.timeouts
    nic.singleWake?.hold(pair.sender)
    pair.sender.onTimeout(nowPs)
    nic.singleWake?.follow(pair)
    if (pair.sender.timeouts > timeouts) reportTimeout(fabric, pair, false)
    if (pair.sender.isFailed) {
      nic.refresh(pair)
      if (pair.verbs === null) nic.sink.onFailed(nowPs, pair)
      else {
        pair.verbs.near.follow(nowPs, nic.position)
        nic.kick()
      }
    } else if (pair.sender.nextSendPs !== before) {
      nic.refresh(pair)
      nic.kick()
    }
    if (pair.sender.congestion.isProbeDue) {
      nic.probe(pair)
      nic.kick()
    }
  }
  pair.armSender(queue, nic.mayDoze)
}

function reportTimeout({ losses }: Fabric, pair: QueuePair, isReader: boolean): void {
  if (losses !== null) losses.onTimeout(pair, isReader)
}
