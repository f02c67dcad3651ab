/**
 * Hub: joins two ends whose network is UDP datagrams, each an Ethernet frame without FCS, as QEMU's `-netdev dgram` sends
 * them. A line between the ends says what becomes of the frames.
 */
import { DIRECTIONS, type Line } from '../faults/line.ts'
import { DatagramLink } from './datagram-link.ts'

/** UDP ports of the loopback address. */
export interface HubEnd {
  /** Where the end sends its frames to. */
  readonly localPort: number
  /** Where the end takes frames, and sends them from. */
  readonly remotePort: number
}

/** The longest wait of a timer of Node. */
const WAIT_MS_MAX = 2 ** 30

export class Hub {
  readonly #line: Line
  readonly #links: readonly [DatagramLink, DatagramLink]
  readonly #startNs = process.hrtime.bigint()
  #timer: NodeJS.Timeout | undefined
  #isOpen = true

  /** Rejects with the error of Node if a port cannot be had: EADDRINUSE. */
  static async open(first: HubEnd, second: HubEnd, line: Line): Promise<Hub> {
    const one = await DatagramLink.open(first.localPort, first.remotePort)
    try {
      return new Hub([one, await DatagramLink.open(second.localPort, second.remotePort)], line)
    } catch (error) {
      await one.close()
      throw error
    }
  }

  private constructor(links: readonly [DatagramLink, DatagramLink], line: Line) {
    this.#links = links
    this.#line = line
    links.forEach((link, at) => {
      link.onFrame = (frame) => {
        this.#line.onFrame(this.nowPs, at === 0 ? 'out' : 'in', frame)
        this.#work()
      }
    })
  }

  /** Time since the hub was opened. */
  get nowPs(): number {
    return Number(process.hrtime.bigint() - this.#startNs) * 1000
  }

  async close(): Promise<void> {
    this.#isOpen = false
    clearTimeout(this.#timer)
    await Promise.all(this.#links.map((link) => link.close()))
  }

  #work(): void {
    if (!this.#isOpen) return
    for (const direction of DIRECTIONS) {
      const to = this.#links[direction === 'in' ? 0 : 1]
      let frame = this.#line.pollFrame(this.nowPs, direction)
      for (; frame !== null; frame = this.#line.pollFrame(this.nowPs, direction)) to.send(frame)
    }
    clearTimeout(this.#timer)
    this.#timer = undefined
    if (this.#line.nextPs === Infinity) return
    const waitMs = Math.ceil((this.#line.nextPs - this.nowPs) / 1e9)
    this.#timer = setTimeout(() => this.#work(), Math.min(WAIT_MS_MAX, Math.max(0, waitMs)))
  }
}
