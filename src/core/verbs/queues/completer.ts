/**
 * HOT. Completer: writes the CQEs of one queue pair's send and receive work requests, and records whether one was lost.
 * Source: IBTA 11.4.2.1 (contents of a CQE).
 */
import type { Completion, CompletionQueue, CompletionUser } from './completion-queue.ts'
import { OP_RECEIVE } from './operation.ts'
import type { PrematureCompletion } from './premature-completions.ts'
import type { ReceiveQueue, ReceiveWqe } from './receive-queue.ts'
import type { SendQueue, SendWqe } from './send-queue.ts'
import { FLUSHED, SUCCESS, type Status } from './status.ts'

export class Completer {
  /** A CQE of this queue pair was lost, and the overrun has not been reported. */
  isOverrun = false
  private readonly qp: number
  private readonly sends: CompletionQueue
  private readonly receives: CompletionQueue

  constructor(qp: number, sends: CompletionQueue, receives: CompletionQueue) {
    this.qp = qp
    this.sends = sends
    this.receives = receives
  }

  attach(user: CompletionUser): void {
    this.sends.attach(user)
    if (this.receives !== this.sends) this.receives.attach(user)
  }

  detach(user: CompletionUser): void {
    this.sends.detach(user)
    this.receives.detach(user)
  }

  /** Reports overruns to all users of the completion queues concerned. */
  reportOverruns(): void {
    this.isOverrun = false
    if (this.sends.hasOverrun) this.sends.reportOverrun()
    if (this.receives.hasOverrun) this.receives.reportOverrun()
  }

  onSend(wqe: SendWqe, status: Status): void {
    const entry = this.begin(this.sends, wqe.id, status, status !== SUCCESS)
    if (entry === null) return
    entry.operation = wqe.operation
    entry.lengthBytes = wqe.lengthBytes
  }

  onReceived(wqe: ReceiveWqe, completion: Readonly<PrematureCompletion>): void {
    const entry = this.begin(this.receives, wqe.id, SUCCESS, completion.isSolicited)
    if (entry === null) return
    entry.operation = completion.operation
    entry.lengthBytes = completion.lengthBytes
    entry.hasImmediate = completion.hasImmediate
    entry.immediate = completion.immediate
    entry.invalidatedKey = completion.invalidateKey
  }

  /** Completes all WQEs in order as flushed, but `failed` with `status` (IBTA 10.3.1.6). */
  flushSends(queue: SendQueue, failed: SendWqe | null, status: Status): void {
    while (!queue.isEmpty) {
      const wqe = queue.at(queue.head)
      queue.head++
      this.onSend(wqe, wqe === failed ? status : FLUSHED)
    }
  }

  /** @param first status of the oldest WQE, if it is at fault */
  flushReceives(queue: ReceiveQueue, first: Status | null): void {
    let status = first ?? FLUSHED
    while (!queue.isEmpty) {
      this.onReceiveFailed(queue.at(queue.head), status)
      status = FLUSHED
      queue.drop()
    }
  }

  onReceiveFailed(wqe: ReceiveWqe, status: Status): void {
    const entry = this.begin(this.receives, wqe.id, status, true)
    if (entry === null) return
    entry.operation = OP_RECEIVE
    entry.lengthBytes = 0
  }

  private begin(queue: CompletionQueue, id: number, status: Status, isSolicited: boolean): Completion | null {
    const entry = queue.push(isSolicited)
    if (entry === null) {
      this.isOverrun = true
      return null
    }
    entry.id = id
    entry.status = status
    entry.qp = this.qp
    entry.hasImmediate = false
    entry.invalidatedKey = -1
    return entry
  }
}
