/**
 * Starts: frames that have started and are not looked at yet. The event loop only appends to it, so that V8 compiles the
 * loop as it does without an observer; whoever needs what follows from the rows works through them first.
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
export const WIDTH = 9
const ROWS = 1024

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

export class Starts {
  readonly rows = new Float64Array(WIDTH * ROWS)
  /** Doubles in use. */
  end = 0

  get isFull(): boolean {
    return this.end === WIDTH * ROWS
  }

  /** Room for a row, for the caller to fill in. */
  next(): number {
    const at = this.end
    this.end = at + WIDTH
    return at
  }
}
