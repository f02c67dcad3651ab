/**
 * HOT. Release queue: packets that were released and wait for the line, each with its path: new packets and
 * retransmissions. They leave in the order of release, except that the sender may hold up a new one.
 * Units: unbounded PSNs, of which the low 24 bits are kept. Invariant: sent + waiting new packets = released, in 30
 * bits.
 */
import { IntQueue } from '../int-queue.ts'
import { PSN_MASK, unwrapPsn } from '../psn.ts'

const COUNT_MASK = 0x3fff_ffff

export class ReleaseQueue {
  /** PSN of the first retransmission, or -1. */
  resendPsn = -1
  private readonly paths = new IntQueue()
  /** Three integers each: PSN, path, and the number of new packets released before. */
  private readonly again = new IntQueue()
  /** New packets released so far, and how many of them have left. */
  private letGo = 0
  private gone = 0

  /** New packets waiting. */
  get length(): number {
    return this.paths.length
  }

  /** A new packet was released before the first retransmission. */
  get isNewFirst(): boolean {
    if (this.resendPsn < 0) return false
    const ahead = (this.again.third - this.gone) & COUNT_MASK
    return ahead > 0 && ahead <= this.paths.length
  }

  pushNew(path: number): void {
    this.paths.push(path)
    this.letGo = (this.letGo + 1) & COUNT_MASK
  }

  /** Removes the first new packet, which must exist; returns its path. */
  shiftNew(): number {
    this.gone = (this.gone + 1) & COUNT_MASK
    return this.paths.shift()
  }

  pushAgain(psn: number, path: number, una: number): void {
    this.again.push(psn & PSN_MASK)
    this.again.push(path)
    this.again.push(this.letGo)
    if (this.resendPsn < 0) this.acknowledge(una)
  }

  /** Removes the first retransmission; returns its path. */
  shiftAgain(una: number): number {
    this.again.shift()
    const path = this.again.shift()
    this.again.shift()
    this.acknowledge(una)
    return path
  }

  /** Drops acknowledged packets from the front of the retransmissions. */
  acknowledge(una: number): void {
    const { again } = this
    this.resendPsn = -1
    while (again.length > 0 && this.resendPsn < 0) {
      const psn = unwrapPsn(again.first, una)
      if (psn >= una) this.resendPsn = psn
      else {
        again.shift()
        again.shift()
        again.shift()
      }
    }
  }

  clear(): void {
    this.again.clear()
    this.resendPsn = -1
    while (this.paths.length > 0) this.shiftNew()
  }
}
