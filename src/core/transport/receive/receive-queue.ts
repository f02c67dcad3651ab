/**
 * Receive queue: the Receive WQEs of a QP's responder, each reposted some time after its SEND is complete.
 * Units: picoseconds; SENDs are numbered from 0.
 * Source: IBTA 9.7.5.2.8, [IRN] B.3.
 */
export class ReceiveQueue {
  /** When each WQE is available again, a ring indexed by the number of its SEND. */
  private readonly freePs: Float64Array
  private readonly repostPs: number
  /** SENDs completed. */
  private sends = 0

  constructor(wqes: number, repostPs: number) {
    this.freePs = new Float64Array(wqes)
    this.repostPs = repostPs
  }

  /** Whether a WQE is available for the next SEND. */
  hasNext(nowPs: number): boolean {
    return this.hasFor(nowPs, this.sends)
  }

  /** Whether a WQE is available for the SEND of this number. */
  hasFor(nowPs: number, send: number): boolean {
    const freePs = this.freePs
    return send - this.sends < freePs.length && freePs[send % freePs.length]! <= nowPs
  }

  /** Completes `sends` more SENDs. */
  consume(nowPs: number, sends: number): void {
    const freePs = this.freePs
    for (let i = 0; i < sends; i++) freePs[this.sends++ % freePs.length] = nowPs + this.repostPs
  }

  /** WQEs available. */
  credits(nowPs: number): number {
    const freePs = this.freePs
    let credits = 0
    for (let i = 0; i < freePs.length; i++) if (freePs[i]! <= nowPs) credits++
    return credits
  }
}
