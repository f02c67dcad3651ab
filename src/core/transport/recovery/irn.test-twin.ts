/**
 * Naive second implementation of IRN's sender: the authors' modules receiveAck, txFree and timeout line by line, with a
 * set of numbers as bitmap. Its only addition: a SACK below the window, from a stale NACK, is ignored.
 */
import { NO_PSN } from './irn.test-bench.ts'

export class LiteralSender {
  una = 0
  nxt = 0
  rtx = 0
  rec = -1
  inRecovery = false
  doRtx = false
  findHole = false
  #sack = new Set<number>()
  readonly #cap: number
  readonly #exitsByProgress: boolean

  /**
   * @param exitsByProgress a duplicate ACK does not end recovery, as in irn.ts; the modules require only `cum > rec`.
   */
  constructor(cap: number, exitsByProgress = false) {
    this.#cap = cap
    this.#exitsByProgress = exitsByProgress
  }

  receiveAck(cumulative: number, sack: number | null): void {
    if (cumulative > this.nxt) this.nxt = cumulative
    const isNew = cumulative > this.una
    if (isNew) {
      this.una = cumulative
      this.#sack = new Set([...this.#sack].filter((psn) => psn >= cumulative))
    }
    const isNack = sack !== null && sack > this.una && sack < this.nxt
    if (isNack) {
      const above = [...this.#sack].some((psn) => psn > sack)
      this.#sack.add(sack)
      if (this.inRecovery) {
        if (this.doRtx && this.rtx === sack) {
          this.doRtx = false
          this.findHole = true
        } else if (!this.doRtx && !above) this.findHole = true
      }
    }
    if (cumulative > this.rec && (isNew || !this.#exitsByProgress)) this.inRecovery = this.doRtx = this.findHole = false
    if (isNew) {
      if (this.inRecovery && (this.rtx < this.una || (this.rtx === this.una && this.doRtx))) this.again()
    } else if (!this.inRecovery && isNack && this.una < this.nxt) this.again()
  }

  txFree(hasNew: boolean): number {
    let psn = NO_PSN
    if (this.doRtx && this.rtx >= this.una) {
      if (this.rtx === this.una) this.inRecovery = true
      psn = this.rtx
      this.rec = this.nxt - 1
      this.doRtx = false
      this.findHole = true
    } else {
      this.doRtx = false
      if (this.maySendNew(hasNew)) psn = this.nxt++
    }
    this.look()
    // "If the call emitted nothing but set doRtx, call it once more."
    return psn === NO_PSN && this.doRtx ? this.txFree(hasNew) : psn
  }

  /** The last part of txFree: the next hole, if one is to be searched for. */
  look(): void {
    if (this.findHole) {
      let hole = this.rtx >= this.una ? this.rtx + 1 : this.una
      const top = Math.max(-1, ...this.#sack)
      while (hole < top && this.#sack.has(hole)) hole++
      if (hole < top) {
        this.rtx = hole
        this.doRtx = true
      }
      this.findHole = false
    }
  }

  maySendNew(hasNew: boolean): boolean {
    return hasNew && this.nxt - this.una < this.#cap
  }

  /** Returns the packet that txFree would send. */
  next(hasNew: boolean): number {
    const copy = Object.assign(new LiteralSender(this.#cap, this.#exitsByProgress), this)
    copy.#sack = new Set(this.#sack)
    return copy.txFree(hasNew)
  }

  timeout(): void {
    this.again()
  }

  private again(): void {
    this.rtx = this.una
    this.doRtx = true
    this.findHole = false
  }
}
