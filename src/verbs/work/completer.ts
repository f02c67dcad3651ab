/**
 * HOT. Completer: writes the CQEs of one queue pair, of its sends and of its receives, and knows when one was lost.
 * Source: IBTA 11.4.2.1 (what a CQE says).
 */
import type { Completion, CompletionQueue, CompletionUser } from './completion-queue.ts'
import { OP_RECEIVE } from './operation.ts'
import type { PrematureCompletion } from './premature-completions.ts'
import type { ReceiveQueue, ReceiveWqe } from './receive-queue.ts'
import type { SendQueue, SendWqe } from './send-queue.ts'
import { FLUSHED, SUCCESS, type Status } from './status.ts'

export class Completer {
  /** A CQE of ours was lost, and nobody has been told yet. */
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

  /** Tells everybody who completes where a CQE was lost. */
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

  /** Everything posted ends, in order, as flushed, but `failed` with `status` (IBTA 10.3.1.6). */
  flushSends(queue: SendQueue, failed: SendWqe | null, status: Status): void {
    while (!queue.isEmpty) {
      const wqe = queue.at(queue.head)
      queue.head++
      this.onSend(wqe, wqe === failed ? status : FLUSHED)
    }
  }

  /** @param first of the oldest, if it is at fault. */
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
