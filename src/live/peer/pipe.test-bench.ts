/** Bench: two sessions on endpoints that a scripted pipe joins, in simulated time, with a stream beside it. */
import { ipv4Bytes } from '../../core/wire/ip.ts'
import { LiveEndpoint } from './endpoint.ts'
import { Session, type SessionPlan } from './session.ts'

const US = 1e6
const DELAY_PS = 10 * US
export const IPV4 = [ipv4Bytes(0xc0000201), ipv4Bytes(0xc0000202)] as const
export const IPV6 = [1, 2].map((n) => Uint8Array.of(0x20, 1, 0xd, 0xb8, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, n))

/** A seeded source of numbers (xorshift). */
export function drawOf(seed: number): (below: number) => number {
  let state = (seed * 2654435761 + 1) >>> 0 || 1
  return (below) => {
    state ^= state << 13
    state ^= state >>> 17
    state ^= state << 5
    state >>>= 0
    return Math.floor((state / 2 ** 32) * below)
  }
}

/** Delays after which copies of a frame arrive; none: it is lost. */
export type Fate = (frame: Uint8Array, from: number) => readonly number[]

export const endpointOf = (index: 0 | 1, seed = 1): LiveEndpoint =>
  new LiveEndpoint({ mac: 0x520000000001 + index, ip4: IPV4[index], ip6: IPV6[index]!, draw: drawOf(seed + 7 * index) })

export class Pipe {
  nowPs = 0
  readonly endpoints: readonly [LiveEndpoint, LiveEndpoint]
  readonly sessions: readonly [client: Session, server: Session]
  readonly #fate: Fate
  #events: { atPs: number; run: () => void }[] = []

  constructor(plan: Omit<SessionPlan, 'role' | 'ip'>, ips: readonly Uint8Array[], fate: Fate = () => [0], seed = 1) {
    this.endpoints = [endpointOf(0, seed), endpointOf(1, seed)]
    this.sessions = [
      new Session(this.endpoints[0], { ...plan, role: 'client', ip: ips[0]! }),
      new Session(this.endpoints[1], { ...plan, role: 'server', ip: ips[1]! }),
    ]
    this.#fate = fate
  }

  get isDone(): boolean {
    return this.sessions.every((each) => each.isDone)
  }

  /** Runs until both are done, one has failed, or the time is over. */
  run(limitPs = 60e12): void {
    while (this.nowPs < limitPs && !this.isDone && this.sessions.every(({ failure }) => failure === null)) {
      this.#work()
      const next = Math.min(...this.endpoints.map(({ nextPs }) => nextPs), ...this.#events.map(({ atPs }) => atPs))
      if (next === Infinity) return
      this.nowPs = Math.max(this.nowPs, next)
      const due = this.#events.filter(({ atPs }) => atPs <= this.nowPs)
      this.#events = this.#events.filter(({ atPs }) => atPs > this.nowPs)
      due.forEach(({ run }) => run())
      this.endpoints.forEach((each) => each.onTime(this.nowPs))
    }
  }

  #work(): void {
    this.endpoints.forEach((endpoint, from) => {
      const to = this.endpoints[1 - from]!
      for (let frame = endpoint.pollFrame(this.nowPs); frame !== null; frame = endpoint.pollFrame(this.nowPs)) {
        const copy = frame
        for (const more of this.#fate(copy, from))
          this.#at(this.nowPs + DELAY_PS + more, () => to.onFrame(this.nowPs, copy))
      }
      const bytes = this.sessions[from]!.takeData(this.nowPs)
      const other = this.sessions[1 - from]!
      if (bytes.length > 0) this.#at(this.nowPs + DELAY_PS, () => other.onData(this.nowPs, bytes))
    })
  }

  #at(atPs: number, run: () => void): void {
    this.#events.push({ atPs, run })
    this.#events.sort((a, b) => a.atPs - b.atPs)
  }
}
