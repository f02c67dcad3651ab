/**
 * Frames of one direction that wait: until a time, or behind later packets.
 * Units: picoseconds.
 */
import { assert, CHECKED } from '../../core/base/assert.ts'

interface Waiting {
  readonly duePs: number
  readonly frame: Uint8Array
}

interface Held {
  readonly frame: Uint8Array
  readonly latestPs: number
  behind: number
}

/** Frames that wait in one direction, 1 MB to 60 MB of them; what comes on top is lost, as in the buffer of a switch. */
export const FRAMES_MAX = 16_384

export class FrameQueue {
  /** Frames lost for lack of room. */
  drops = 0
  /** By time; of one time, in the order in which they were added. */
  readonly #waiting: Waiting[] = []
  #held: Held[] = []

  add(duePs: number, frame: Uint8Array): void {
    if (this.#isFull) return
    let at = this.#waiting.length
    while (at > 0 && this.#waiting[at - 1]!.duePs > duePs) at--
    this.#waiting.splice(at, 0, { duePs, frame })
    if (CHECKED) assert(duePs <= (this.#waiting[at + 1]?.duePs ?? Infinity), 'frame queue: a frame is before its time')
  }

  /** Holds a frame until `behind` packets have passed it, at most until `latestPs`. */
  hold(frame: Uint8Array, behind: number, latestPs: number): void {
    assert(behind > 0, 'frame queue: a frame is held behind none')
    if (!this.#isFull) this.#held.push({ frame, behind, latestPs })
  }

  /** A packet has been added: those that wait behind it. */
  passed(duePs: number): void {
    if (this.#held.length === 0) return
    for (const held of this.#held) held.behind--
    this.#release(duePs, ({ behind }) => behind === 0)
  }

  /** The next frame that is due, or null. */
  take(nowPs: number): Uint8Array | null {
    if (this.#held.length > 0) this.#release(nowPs, ({ latestPs }) => latestPs <= nowPs)
    const first = this.#waiting[0]
    if (first === undefined || first.duePs > nowPs) return null
    this.#waiting.shift()
    return first.frame
  }

  get nextPs(): number {
    return this.#held.reduce((nextPs, { latestPs }) => Math.min(nextPs, latestPs), this.#waiting[0]?.duePs ?? Infinity)
  }

  get #isFull(): boolean {
    const isFull = this.#waiting.length + this.#held.length >= FRAMES_MAX
    if (isFull) this.drops++
    return isFull
  }

  #release(duePs: number, isFree: (held: Held) => boolean): void {
    const free = this.#held.filter((held) => isFree(held))
    this.#held = this.#held.filter((held) => !isFree(held))
    for (const { frame } of free) this.add(duePs, frame)
    if (CHECKED)
      assert(this.#waiting.length + this.#held.length <= FRAMES_MAX, 'frame queue: more frames than have room')
  }
}
