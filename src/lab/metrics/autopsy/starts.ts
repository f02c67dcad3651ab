/**
 * Starts: frames that have started and changes of what a sender may send, which are not looked at yet. The event loop only
 * appends to it, so that its code and that which follows the rows take turns seldom; whoever needs what follows from the
 * rows works through them first.
 * Shape: rows of WIDTH doubles, oldest first. Units: picoseconds.
 */

/** Fields of a row. */
export const ORDINAL_AT = 0
export const DIRECTION_AT = 1
/** Port times eight, and the class of the packet there. */
export const PORT_AT = 2
/** Bits that say what the packet is, and where. */
export const BITS_AT = 3
/** One past the highest PSN that its sender has sent, this packet included. */
export const HIGHEST_AT = 4
export const START_PS_AT = 5
/** Until the last bit has left. */
export const TRANSMIT_PS_AT = 6
/** Until the last bit has left that the other end waits for. */
export const REACH_PS_AT = 7
/** Time until the receive pipeline that it is about to reach has processed what it holds; 0: there is none. */
export const BACKLOG_PS_AT = 8
/** In the same field, of a data packet that leaves its host. */
export const PSN_AT = 8
export const WIDTH = 9
const ROWS = 512
export const LOSS_WIDTH = 4

/** Bits of BITS_AT. */
export const IS_DATA = 1
export const IS_AGAIN = 2
export const AT_HOST = 4
/** It can be marked, and it has been. */
export const IS_MARKABLE = 8
export const IS_MARKED = 16
/** Its link leads to a host, whose receive pipeline stands still. */
export const TO_HOST = 32
export const IS_STANDING = 64
/**
 * The row is a sender's new state, with IS_AGAIN while a retransmission is pending. It has the state at PORT_AT, when that ends
 * by itself at TRANSMIT_PS_AT, and at HIGHEST_AT the way in which a loss was found that begins now, or -1.
 */
export const IS_STATE = 128

/** It may be the packet that completes a message. */
export const MAY_COMPLETE = 512

export class Starts {
  readonly rows = new Float64Array(WIDTH * ROWS)
  /** Losses: the double of the row before which it counts, queue pair, origin, PSN or LOST_REPLY. */
  readonly losses = new Int32Array(LOSS_WIDTH * ROWS)
  lossEnd = 0
  /** Doubles in use. */
  end = 0
  /** Those up to the last state. */
  due = 0

  get isFull(): boolean {
    return this.end === WIDTH * ROWS
  }

  /** A packet of a queue pair is lost, after the last row and before all that follow it. @returns whether there was room */
  noteLoss(pair: number, origin: number, psn: number): boolean {
    if (this.lossEnd === LOSS_WIDTH * ROWS) return false
    this.losses[this.lossEnd++] = this.end
    this.losses[this.lossEnd++] = pair
    this.losses[this.lossEnd++] = origin
    this.losses[this.lossEnd++] = psn
    return true
  }

  /** Room for a row, for the caller to fill in. */
  next(): number {
    const at = this.end
    this.end = at + WIDTH
    return at
  }

  /** Forgets the rows before this double, and the losses before this number among theirs. */
  drop(before: number, lossBefore: number): void {
    this.losses.copyWithin(0, lossBefore, this.lossEnd)
    this.lossEnd -= lossBefore
    for (let loss = 0; loss < this.lossEnd; loss += LOSS_WIDTH) this.losses[loss]! -= before
    if (before < this.end) this.rows.copyWithin(0, before, this.end)
    this.end -= before
    this.due = 0
  }
}
