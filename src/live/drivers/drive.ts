/**
 * Driver: lets a party live on a link, by a monotonic clock. Frames are answered at once, but timers are served at the end of
 * a round of the event loop, after sockets have been read: an ACK that has arrived counts before the timeout that it ends,
 * however long this process was not running. It waits by setTimeout where the next thing to do is 1 ms away or more, by
 * setImmediate where it is nearer, and does nothing while there is nothing to do.
 */
import type { Party } from '../party.ts'
import type { FrameLink } from './frame-link.ts'

const MS_PS = 1e9
/** The longest wait of a timer of Node. */
const WAIT_MS_MAX = 2 ** 30
/** Datagrams that Node reads from a socket in one round: where as many arrived, more may be waiting. */
const READ_FRAMES = 32
/** Full rounds for which timers wait at most: the socket's memory holds no more frames. */
const FULL_ROUNDS_MAX = 64

export class Drive {
  readonly #party: Party
  readonly #link: FrameLink
  readonly #afterwards: (nowPs: number) => void
  readonly #startNs = process.hrtime.bigint()
  #timer: NodeJS.Timeout | undefined
  #immediate: NodeJS.Immediate | undefined
  /** Frames that arrived in this round. */
  #frames = 0
  /** Rounds one after the other that may not have read all that had arrived. */
  #fullRounds = 0
  /** All frames that had arrived at this time have been read, unless the last round was a full one. */
  #readPs = 0
  #isStopped = false

  /** @param afterwards called after each round of work: what has become of the party can be looked at. */
  constructor(party: Party, link: FrameLink, afterwards: (nowPs: number) => void = () => {}) {
    this.#party = party
    this.#link = link
    this.#afterwards = afterwards
    link.onFrame = (frame) => {
      if (this.#isStopped) return
      this.#frames++
      party.onFrame(this.nowPs, frame)
      this.#send()
      this.wake()
    }
    this.wake()
  }

  /** Picoseconds since the driver was made. */
  get nowPs(): number {
    return Number(process.hrtime.bigint() - this.#startNs) * 1000
  }

  /** The party may have something to do: in this round, frames that are due leave and timers that have ended are served. */
  wake(): void {
    if (!this.#isStopped) this.#immediate ??= setImmediate(() => this.#work())
  }

  stop(): void {
    this.#isStopped = true
    clearTimeout(this.#timer)
    clearImmediate(this.#immediate)
  }

  #work(): void {
    this.#immediate = undefined
    clearTimeout(this.#timer)
    this.#fullRounds = this.#frames < READ_FRAMES ? 0 : this.#fullRounds + 1
    this.#frames = 0
    const isBehind = this.#fullRounds > 0 && this.#fullRounds < FULL_ROUNDS_MAX
    if (!isBehind && this.#party.nextPs <= this.#readPs) this.#party.onTime(this.nowPs)
    this.#send()
    this.#afterwards(this.nowPs)
    this.#readPs = this.nowPs
    if (isBehind) this.wake()
    else this.#wait()
  }

  #send(): void {
    for (let frame = this.#poll(); frame !== null; frame = this.#poll()) this.#link.send(frame)
  }

  #poll(): Uint8Array | null {
    return this.#party.pollFrame(this.nowPs)
  }

  #wait(): void {
    if (this.#isStopped || this.#party.nextPs === Infinity) return
    const waitMs = (this.#party.nextPs - this.nowPs) / MS_PS
    if (waitMs < 1) this.wake()
    else this.#timer = setTimeout(() => this.#onTimer(), Math.min(WAIT_MS_MAX, Math.floor(waitMs)))
  }

  /** In a round of the event loop timers are before sockets, and these are before immediates. */
  #onTimer(): void {
    this.#readPs = this.nowPs
    this.wake()
  }
}
