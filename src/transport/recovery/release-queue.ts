/**
 * HOT. Release queue: packets that were let go and wait for the line, each with its path: new ones, and ones that are
 * sent again. They leave in the order in which they were let go, but that a new one may be held up by the sender.
 * Units: unbounded PSNs, of which the last 24 bits are kept. Invariant: gone + waiting new ones = let go, in 30 bits.
 */
import { IntQueue } from '../int-queue.ts'
import { PSN_MASK, unwrapPsn } from '../psn.ts'

const COUNT_MASK = 0x3fff_ffff

export class ReleaseQueue {
  /** The first that is to be sent again, or -1. */
  resendPsn = -1
  private readonly paths = new IntQueue()
  /** Three integers each: PSN, path, and how many new packets had been let go before. */
  private readonly again = new IntQueue()
  /** New packets let go so far, and how many of them have left. */
  private letGo = 0
  private gone = 0

  /** New packets that wait. */
  get length(): number {
    return this.paths.length
  }

  /** A new packet was let go before the first that is to be sent again. */
  get isNewFirst(): boolean {
    if (this.resendPsn < 0) return false
    const ahead = (this.again.third - this.gone) & COUNT_MASK
    return ahead > 0 && ahead <= this.paths.length
  }

  pushNew(path: number): void {
    this.paths.push(path)
    this.letGo = (this.letGo + 1) & COUNT_MASK
  }

  /** Path of the first new packet, which leaves; there is one. */
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

  /** Path of the packet that is sent again, which leaves. */
  shiftAgain(una: number): number {
    this.again.shift()
    const path = this.again.shift()
    this.again.shift()
    this.acknowledge(una)
    return path
  }

  /** Drops what is acknowledged from the front of what is to be sent again. */
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
