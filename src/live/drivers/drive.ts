/**
 * Driver: lets a party live on a link, by a monotonic clock. It waits by setTimeout where the next thing to do is 1 ms away
 * or more, by setImmediate where it is nearer, and does nothing while there is nothing to do.
 */
import type { Party } from '../party.ts'
import type { FrameLink } from './frame-link.ts'

const MS_PS = 1e9
/** The longest wait of a timer of Node. */
const WAIT_MS_MAX = 2 ** 30

export class Drive {
  readonly #party: Party
  readonly #link: FrameLink
  readonly #afterwards: (nowPs: number) => void
  readonly #startNs = process.hrtime.bigint()
  #timer: NodeJS.Timeout | undefined
  #immediate: NodeJS.Immediate | undefined
  #isWorking = false
  #isStopped = false

  /** @param afterwards called after each turn of work: what has become of the party can be looked at. */
  constructor(party: Party, link: FrameLink, afterwards: (nowPs: number) => void = () => {}) {
    this.#party = party
    this.#link = link
    this.#afterwards = afterwards
    link.onFrame = (frame) => {
      if (this.#isStopped) return
      party.onFrame(this.nowPs, frame)
      this.wake()
    }
    this.wake()
  }

  /** Picoseconds since the driver was made. */
  get nowPs(): number {
    return Number(process.hrtime.bigint() - this.#startNs) * 1000
  }

  /** The party may have something to do: frames that are due leave, timers that have ended are served. */
  wake(): void {
    if (this.#isStopped || this.#isWorking) return
    this.#isWorking = true
    clearTimeout(this.#timer)
    clearImmediate(this.#immediate)
    if (this.#party.nextPs <= this.nowPs) this.#party.onTime(this.nowPs)
    for (let frame = this.#poll(); frame !== null; frame = this.#poll()) this.#link.send(frame)
    this.#afterwards(this.nowPs)
    this.#isWorking = false
    this.#wait()
  }

  stop(): void {
    this.#isStopped = true
    clearTimeout(this.#timer)
    clearImmediate(this.#immediate)
  }

  #poll(): Uint8Array | null {
    return this.#party.pollFrame(this.nowPs)
  }

  #wait(): void {
    if (this.#isStopped || this.#party.nextPs === Infinity) return
    const waitMs = (this.#party.nextPs - this.nowPs) / MS_PS
    if (waitMs < 1) this.#immediate = setImmediate(() => this.wake())
    else this.#timer = setTimeout(() => this.wake(), Math.min(WAIT_MS_MAX, Math.floor(waitMs)))
  }
}
