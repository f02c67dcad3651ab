/**
 * The sender of selective repeat once more, slow and obvious: the authors' modules line by line, with a set of numbers
 * for a bitmap. Its only addition is the rule on NACKs that say nothing (sender.ts).
 */
import { NO_PSN, type SenderState } from './sender.ts'

/** What can be told from outside: the window, and the packet that goes again next, or -1. */
export const stateOf = ({ una, nxt, inRecovery, doRtx, rtx }: Omit<SenderState, 'rec'>) => ({
  una,
  nxt,
  inRecovery,
  next: doRtx && rtx >= una ? rtx : -1,
})

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

  constructor(cap: number) {
    this.#cap = cap
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
    if (cumulative > this.rec) this.inRecovery = this.doRtx = this.findHole = false
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
      if (hasNew && this.nxt - this.una < this.#cap) psn = this.nxt++
    }
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
    // "If the call emitted nothing but set doRtx, call it once more."
    return psn === NO_PSN && this.doRtx ? this.txFree(hasNew) : psn
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
