/**
 * Lost queue pairs: a host that went down has lost its half of each, and sends and answers nothing for it any more.
 */
import type { CompletionSink, QueuePair } from '../pairs/queue-pair.ts'

/** The NIC of the half that is lost. */
interface LosingNic {
  readonly position: number
  readonly sink: CompletionSink
  /** Brings a queue pair's entry in the round robin up to date. */
  refresh(pair: QueuePair): void
}

/** Ends the half of a queue pair at this NIC; where it posted the messages, these end. */
export function losePair(nic: LosingNic, nowPs: number, pair: QueuePair): void {
  pair.isReset = true
  if (pair.source === nic.position) {
    pair.sender.isFailed = true
    pair.sender.close()
    nic.refresh(pair)
  } else pair.receiver.close()
  const requester = pair.isRead ? pair.destination : pair.source
  if (requester === nic.position && pair.verbs === null) nic.sink.onFailed(nowPs, pair)
}
