/**
 * Receive queue: the Receive WQEs of a QP's responder, each posted again some time after its SEND is whole.
 * Units: picoseconds; SENDs are numbered from 0.
 * Source: IBTA 9.7.5.2.8, [IRN] B.3.
 */
export class ReceiveQueue {
  /** When each WQE is free again, a ring by the number of its SEND. */
  private readonly freePs: Float64Array
  private readonly repostPs: number
  /** SENDs that are whole. */
  private sends = 0

  constructor(wqes: number, repostPs: number) {
    this.freePs = new Float64Array(wqes)
    this.repostPs = repostPs
  }

  /** A WQE waits for the next SEND. */
  hasNext(nowPs: number): boolean {
    return this.hasFor(nowPs, this.sends)
  }

  /** A WQE waits for the SEND of this number. */
  hasFor(nowPs: number, send: number): boolean {
    const freePs = this.freePs
    return send - this.sends < freePs.length && freePs[send % freePs.length]! <= nowPs
  }

  /** So many SENDs more are whole. */
  consume(nowPs: number, sends: number): void {
    const freePs = this.freePs
    for (let i = 0; i < sends; i++) freePs[this.sends++ % freePs.length] = nowPs + this.repostPs
  }

  /** WQEs that wait. */
  credits(nowPs: number): number {
    const freePs = this.freePs
    let credits = 0
    for (let i = 0; i < freePs.length; i++) if (freePs[i]! <= nowPs) credits++
    return credits
  }
}
