/**
 * Session: one program at one end, from the exchange out of band to its last byte: makes and connects queue pairs as the
 * exchange asks for them, and lets their workers do what the program does. Sans-IO: a stream of bytes beside an endpoint.
 */
import { assert } from '../../core/base/assert.ts'
import { liveConnection, type LiveOptions } from '../../core/verbs/index.ts'
import type { Application, LiveEndpoint } from './endpoint.ts'
import type { Exchange, ExchangeFailure, ExchangeHost, PairRecord, Role } from './exchange.ts'
import { type LivePair, portOfPairs } from './live-pair.ts'
import { PerftestExchange } from './perftest.ts'
import { PingpongExchange } from './pingpong.ts'
import { type Program, type ProgramName, PROGRAMS } from './programs.ts'
import { type WorkFailure, Worker } from './worker.ts'

export interface SessionPlan {
  readonly program: ProgramName
  readonly role: Role
  /** Own address, 4 or 16 bytes, as the other end is to use it. */
  readonly ip: Uint8Array
  readonly pairs: number
  /** Requests of each queue pair. */
  readonly iterations: number
  readonly sizeBytes: number
  readonly mtuBytes: number
  /** Memory of each queue pair that the other end may use. */
  readonly memoryBytes: number
  readonly receives: number
  /** DSCP and ECN of all packets. */
  readonly trafficClass?: number
  readonly schemes?: Partial<LiveOptions>
  /** Requests outstanding, instead of the program's own number. */
  readonly depth?: number
  /** Source port of UDP; by default Linux's. */
  readonly port?: number
  /** Instead of the program's own exchange. */
  readonly exchange?: (host: ExchangeHost) => Exchange
}

export type SessionFailure =
  | ExchangeFailure
  | WorkFailure
  /** The other end has an address of a version of IP that this one has not. */
  | { readonly kind: 'address' }
  /** Nobody answers for the address of the other end. */
  | { readonly kind: 'unresolved' }

interface Joint {
  readonly live: LivePair
  readonly worker: Worker
  readonly record: PairRecord
}

const READS_MAX = 128

export class Session implements ExchangeHost, Application {
  /** Nothing to do between arrivals and timers. */
  readonly nextPs = Infinity
  readonly exchange: Exchange
  readonly #plan: SessionPlan
  readonly #program: Program
  readonly #endpoint: LiveEndpoint
  readonly #domain: number
  readonly #joints: Joint[] = []
  #failure: SessionFailure | null = null
  #nowPs = 0
  #startPs = NaN
  #endPs = NaN

  constructor(endpoint: LiveEndpoint, plan: SessionPlan) {
    this.#endpoint = endpoint
    this.#plan = plan
    const own = PROGRAMS[plan.program]
    this.#program = { ...own, depth: plan.depth ?? own.depth }
    this.#domain = endpoint.device.allocateDomain()
    const { role, pairs, mtuBytes } = plan
    const barriers = this.#program.hasSecondBarrier ? 2 : 1
    this.exchange =
      plan.exchange?.(this) ??
      (this.#program.exchange === 'pingpong'
        ? new PingpongExchange(role, this, mtuBytes)
        : new PerftestExchange(role, this, { pairs, mtuBytes, barriers, closing: this.#program.closing }))
    endpoint.application = this
  }

  get workers(): readonly Worker[] {
    return this.#joints.map(({ worker }) => worker)
  }

  get livePairs(): readonly LivePair[] {
    return this.#joints.map(({ live }) => live)
  }

  get failure(): SessionFailure | null {
    return this.#failure ?? this.exchange.failure
  }

  /** Rises with what comes from the other end: messages of the exchange, and packets for queue pairs of this session. */
  get heard(): number {
    return this.#joints.reduce((sum, { live }) => sum + live.counts.received, this.exchange.heard)
  }

  /** Everything is done, at this end and, as far as the exchange says it, at the other. */
  get isDone(): boolean {
    return this.failure === null && this.exchange.stage === 'ended' && this.isWorkDone
  }

  get isWorkDone(): boolean {
    return this.#joints.length > 0 && this.#joints.every(({ worker }) => worker.isDone)
  }

  get isAllPosted(): boolean {
    return this.#joints.length > 0 && this.#joints.every(({ worker }) => worker.isAllPosted)
  }

  /** From the first post to the last completion; NaN: not done. */
  get elapsedPs(): number {
    return this.#endPs - this.#startPs
  }

  get figures(): readonly [bigint, bigint, number, number, number] {
    const { sizeBytes, iterations, pairs } = this.#plan
    const seconds = this.elapsedPs / 1e12
    const requests = iterations * pairs
    const isKnown = seconds > 0
    const average = isKnown ? (sizeBytes * requests) / seconds / 2 ** 20 : 0
    return [BigInt(sizeBytes), BigInt(requests), average, average, isKnown ? requests / seconds / 1e6 : 0]
  }

  onData(nowPs: number, bytes: Uint8Array): void {
    this.#nowPs = nowPs
    this.exchange.onData(bytes)
    this.advance(nowPs)
  }

  onEnd(nowPs: number): void {
    this.#nowPs = nowPs
    this.exchange.onEnd()
    this.advance(nowPs)
  }

  takeData(nowPs: number): Uint8Array {
    this.#nowPs = nowPs
    return this.exchange.takeData()
  }

  advance(nowPs: number): void {
    this.#nowPs = nowPs
    const isClient = this.#plan.role === 'client'
    const waits = isClient || this.#program.behaviour === 'watch'
    if (this.failure !== null || (waits && this.exchange.stage === 'opening')) return
    if (Number.isNaN(this.#startPs) && isClient) this.#startPs = nowPs
    for (const { worker, live } of this.#joints) {
      worker.advance(nowPs)
      if (worker.failure !== null) this.#failure = worker.failure
      else if (live.partner !== null && this.#endpoint.station.hasFailed(live.partner.ip))
        this.#failure = { kind: 'unresolved' }
    }
    if (Number.isNaN(this.#endPs) && this.isWorkDone) this.#endPs = nowPs
    assert(!(this.elapsedPs < 0), 'session: it ends before it begins')
  }

  local(index: number): PairRecord | null {
    const found = this.#joints[index]
    if (found !== undefined) return found.record
    assert(index === this.#joints.length, 'session: queue pairs are not made one after the other')
    const { ip, iterations, sizeBytes, memoryBytes, receives, role } = this.#plan
    const { device } = this.#endpoint
    const program = this.#program
    const worker = new Worker(device, this.#domain, { program, role, iterations, sizeBytes, memoryBytes, receives })
    const live = this.#endpoint.createPair({ domain: this.#domain, ...worker.queues })
    if (live === null) return null
    live.modify(this.#nowPs, 'init')
    worker.begin(live.pair)
    const isAnswered = program.operation >= PROGRAMS.ib_read_bw.operation
    const record: PairRecord = {
      qp: live.number,
      psn: this.#endpoint.draw(2 ** 24),
      ip,
      key: worker.open.key,
      address: worker.open.address,
      reads: isAnswered ? READS_MAX : 1,
    }
    this.#joints.push({ live, worker, record })
    return record
  }

  onRemote(index: number, record: PairRecord, mtuBytes: number): void {
    // A server learns of the client's queue pair before it has described its own.
    const own = this.local(index)
    const joint = this.#joints[index]
    if (own === null || joint === undefined) return
    const { live, worker } = joint
    if (this.#endpoint.station.ownFor(record.ip) === null) {
      this.#failure = { kind: 'address' }
      return
    }
    const { trafficClass = 0, schemes = {}, port = portOfPairs(live.number, record.qp) } = this.#plan
    this.#endpoint.setPartner(this.#nowPs, live, { ip: record.ip, port, trafficClass })
    const values = {
      remoteQp: record.qp,
      mtuBytes,
      sendPsn: own.psn,
      receivePsn: record.psn,
      readsOut: Math.min(READS_MAX, Math.max(1, record.reads)),
      readsIn: READS_MAX,
    }
    live.modify(this.#nowPs, 'ready to receive', liveConnection(values, schemes, this.#endpoint.order))
    live.modify(this.#nowPs, 'ready to send')
    worker.aim(record.key, record.address)
  }
}
