/**
 * Joint watch: several observers of one sender, each of which sees everything.
 */
import type { MessageOperation, Segment } from '../../core/transport/segment.ts'
import type { SenderWatch, WatchableSender } from '../../core/transport/send/watched-sender.ts'

/** Adds an observer to a sender; several are called in the order in which they were added. */
export function watchSender(sender: WatchableSender, watch: SenderWatch): void {
  const before = sender.watch
  sender.watch = before === null ? watch : new JointWatch(before, watch)
}

class JointWatch implements SenderWatch {
  readonly #first: SenderWatch
  readonly #second: SenderWatch

  constructor(first: SenderWatch, second: SenderWatch) {
    this.#first = first
    this.#second = second
  }

  onQueued(): void {
    this.#first.onQueued()
    this.#second.onQueued()
  }

  onPosted(packets: number, operation: MessageOperation, cause: number): void {
    this.#first.onPosted(packets, operation, cause)
    this.#second.onPosted(packets, operation, cause)
  }

  onState(): void {
    this.#first.onState()
    this.#second.onState()
  }

  onReply(segment: Readonly<Segment>): void {
    this.#first.onReply(segment)
    this.#second.onReply(segment)
  }
}
