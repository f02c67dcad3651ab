/**
 * Line: what stands between two ends and takes frames from both, without sockets and clocks. Names of directions are those
 * of the first end: `out` leaves it, `in` goes to it.
 * Units: picoseconds of a clock that never goes back.
 */
export type Direction = 'in' | 'out'

export interface Line {
  /** Takes a frame. The bytes may be used again by the caller. */
  onFrame(nowPs: number, direction: Direction, frame: Uint8Array): void
  /** The next frame that is due in a direction, or null. */
  pollFrame(nowPs: number, direction: Direction): Uint8Array | null
  /** When a frame may be due next; Infinity: not before something arrives. */
  readonly nextPs: number
}

export const DIRECTIONS: readonly Direction[] = ['in', 'out']

export const opposite = (direction: Direction): Direction => (direction === 'in' ? 'out' : 'in')

/** A line on which nothing happens. */
export class PlainLine implements Line {
  readonly nextPs = Infinity
  readonly #frames: Readonly<Record<Direction, Uint8Array[]>> = { in: [], out: [] }

  onFrame(_nowPs: number, direction: Direction, frame: Uint8Array): void {
    this.#frames[direction].push(frame.slice())
  }

  pollFrame(_nowPs: number, direction: Direction): Uint8Array | null {
    return this.#frames[direction].shift() ?? null
  }
}
