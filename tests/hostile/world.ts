/**
 * World: two live endpoints with several connections between them, over IPv4 and IPv6, in simulated time, and an attacker on
 * the path who sees every frame and adds others. A connection that has failed, or is old, is made anew by both ends.
 */
import { LiveEndpoint } from '../../src/live/peer/endpoint.ts'
import { portOfPairs } from '../../src/live/peer/live-pair.ts'
import type { ManagementAgent } from '../../src/live/party.ts'
import { drawOf, IPV4, IPV6 } from '../../src/live/peer/pipe.test-bench.ts'
import { liveConnection } from '../../src/core/verbs/index.ts'
import { type Draw, User } from './user.ts'

const US = 1e6
const MS = 1e9
const DELAY_PS = 5 * US
export const MACS = [0x520000000001, 0x520000000002] as const

export interface Frame {
  readonly bytes: Uint8Array
  /** End that it goes to. */
  readonly to: 0 | 1
  readonly isForged: boolean
}

/** Sees an honest frame before it arrives; gives frames that arrive before it and after it. */
export type Attacker = (frame: Frame, world: World) => readonly [before: readonly Frame[], after: readonly Frame[]]

export interface WorldOptions {
  readonly seed: number
  readonly connections: number
  readonly attacker: Attacker
  readonly agents?: readonly [ManagementAgent, ManagementAgent]
  /** Connections are made anew after this number of completions. */
  readonly lifetime?: number
  /** Called with the time that an endpoint took for a frame. */
  readonly onFrameTime?: (ns: number) => void
}

export class Link {
  readonly users: readonly [User, User]
  constructor(users: readonly [User, User]) {
    this.users = users
  }
}

export class World {
  nowPs = 0
  readonly endpoints: readonly [LiveEndpoint, LiveEndpoint]
  readonly domains: readonly [number, number]
  readonly links: Link[] = []
  /** Connections that were made. */
  made = 0
  forged = 0
  honest = 0
  completions = 0
  broken: string | null = null
  readonly #options: WorldOptions
  readonly #draw: Draw
  #flying: { readonly atPs: number; readonly frame: Frame }[] = []
  #head = 0

  constructor(options: WorldOptions) {
    this.#options = options
    this.#draw = drawOf(options.seed + 77)
    const endpointOf = (index: 0 | 1): LiveEndpoint => {
      const agent = options.agents?.[index]
      const addresses = { mac: MACS[index], ip4: IPV4[index], ip6: IPV6[index]! }
      return new LiveEndpoint({ ...addresses, draw: drawOf(options.seed + 7 * index), ...(agent && { agent }) })
    }
    this.endpoints = [endpointOf(0), endpointOf(1)]
    this.domains = [this.endpoints[0].device.allocateDomain(), this.endpoints[1].device.allocateDomain()]
    for (let n = 0; n < options.connections; n++) this.links.push(this.#connect(n))
    this.endpoints.forEach((endpoint, end) => {
      endpoint.application = { nextPs: Infinity, advance: (nowPs) => this.#advance(nowPs, end as 0 | 1) }
    })
  }

  /** Runs until this number of frames is delivered, or nothing is left to do. */
  run(frames: number): void {
    const end = this.honest + this.forged + frames
    while (this.honest + this.forged < end && this.broken === null) if (!this.#step()) return
  }

  /** No more work is posted, and what is outstanding ends. */
  finish(): void {
    for (const { users } of this.links) for (const user of users) user.isStopped = true
    for (let n = 0; n < 1e5 && this.links.some(({ users }) => users.some((user) => user.outstanding > 0)); n++)
      if (!this.#step()) return
    this.checkAll()
  }

  checkAll(): void {
    for (const { users } of this.links)
      for (const user of users) {
        user.check()
        this.broken ??= user.broken
      }
  }

  /** The user of a queue pair. */
  userOf(end: 0 | 1, qp: number): User | undefined {
    return this.links.map(({ users }) => users[end]).find(({ live }) => live?.number === qp)
  }

  #step(): boolean {
    this.endpoints.forEach((_endpoint, from) => this.#poll(from as 0 | 1))
    const next = this.#flying[this.#head]
    const nextPs = Math.min(next?.atPs ?? Infinity, ...this.endpoints.map((endpoint) => endpoint.nextPs))
    if (nextPs === Infinity) return false
    this.nowPs = Math.max(this.nowPs, nextPs)
    for (const endpoint of this.endpoints) if (endpoint.nextPs <= this.nowPs) endpoint.onTime(this.nowPs)
    if (next === undefined || next.atPs > this.nowPs) return true
    this.#head++
    if (this.#head === 1024) {
      this.#flying.splice(0, this.#head)
      this.#head = 0
    }
    this.#deliver(next.frame)
    return true
  }

  #deliver(frame: Frame): void {
    if (frame.isForged) this.forged++
    else this.honest++
    const endpoint = this.endpoints[frame.to]
    const { onFrameTime } = this.#options
    const start = onFrameTime === undefined ? 0n : process.hrtime.bigint()
    endpoint.onFrame(this.nowPs, frame.bytes)
    onFrameTime?.(Number(process.hrtime.bigint() - start))
    this.#poll(frame.to)
    if ((this.honest + this.forged) % 64 === 0) this.#renew()
  }

  #poll(from: 0 | 1): void {
    const endpoint = this.endpoints[from]
    for (let bytes = endpoint.pollFrame(this.nowPs); bytes !== null; bytes = endpoint.pollFrame(this.nowPs)) {
      const frame = { bytes, to: (1 - from) as 0 | 1, isForged: false }
      const [before, after] = this.#options.attacker(frame, this)
      for (const each of [...before, frame, ...after]) this.#flying.push({ atPs: this.nowPs + DELAY_PS, frame: each })
    }
  }

  #advance(nowPs: number, end: 0 | 1): void {
    for (const { users } of this.links) users[end].advance(nowPs)
  }

  /** Failed and old connections are made anew. */
  #renew(): void {
    this.links.forEach(({ users }, at) => {
      for (const user of users) {
        user.advance(this.nowPs)
        user.check()
        this.broken ??= user.broken === null ? null : `${user.broken} (${user.log.slice(-3).join('; ')})`
      }
      const done = users.reduce((sum, user) => sum + user.completions, 0)
      if (done < (this.#options.lifetime ?? Infinity) && !users.some((user) => user.hasFailed)) return
      this.completions += done
      for (const user of users) user.close()
      this.links[at] = this.#connect(at)
    })
  }

  #connect(at: number): Link {
    this.made++
    const users = ([0, 1] as const).map((end) => {
      return new User(this.endpoints[end], this.domains[end], drawOf(this.#draw(2 ** 31)))
    }) as unknown as readonly [User, User]
    const addresses = at % 2 === 0 ? IPV4 : IPV6
    const psns = [this.#draw(2 ** 24), this.#draw(2 ** 24)]
    users.forEach((user, end) => {
      const [live, other] = [user.live!, users[1 - end]!.live!]
      live.modify(this.nowPs, 'init')
      user.begin(users[1 - end]!)
      const partner = { ip: addresses[1 - end]!, port: portOfPairs(live.number, other.number), trafficClass: 2 }
      this.endpoints[end]!.setPartner(this.nowPs, live, partner)
      const values = {
        remoteQp: other.number,
        mtuBytes: 1024,
        sendPsn: psns[end]!,
        receivePsn: psns[1 - end]!,
        readsOut: 4,
        readsIn: 4,
        ackTimeoutPs: 2 * MS,
        rnrRetryLimit: 7,
        rnrTimerCode: 1,
      }
      const schemes = at % 3 === 2 ? { congestion: { kind: 'dcqcn' } } : {}
      live.modify(this.nowPs, 'ready to receive', liveConnection(values, schemes, this.endpoints[end]!.order))
      live.modify(this.nowPs, 'ready to send')
    })
    for (const user of users) user.advance(this.nowPs)
    return new Link(users)
  }
}
