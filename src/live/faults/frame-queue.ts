/**
 * Frames of one direction that wait: until a time, or behind later packets.
 * Units: picoseconds.
 */
interface Waiting {
  readonly duePs: number
  readonly frame: Uint8Array
}

interface Held {
  readonly frame: Uint8Array
  readonly latestPs: number
  behind: number
}

export class FrameQueue {
  /** By time; of one time, in the order in which they were added. */
  readonly #waiting: Waiting[] = []
  #held: Held[] = []

  add(duePs: number, frame: Uint8Array): void {
    let at = this.#waiting.length
    while (at > 0 && this.#waiting[at - 1]!.duePs > duePs) at--
    this.#waiting.splice(at, 0, { duePs, frame })
  }

  /** Holds a frame until `behind` packets have passed it, at most until `latestPs`. */
  hold(frame: Uint8Array, behind: number, latestPs: number): void {
    this.#held.push({ frame, behind, latestPs })
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
    return Math.min(this.#waiting[0]?.duePs ?? Infinity, ...this.#held.map(({ latestPs }) => latestPs))
  }

  #release(duePs: number, isFree: (held: Held) => boolean): void {
    for (const held of this.#held) if (isFree(held)) this.add(duePs, held.frame)
    this.#held = this.#held.filter((held) => !isFree(held))
  }
}
