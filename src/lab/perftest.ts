/**
 * Perftest: work requests of one kind between pairs of hosts, so many under way on each queue pair, through the network
 * of a scenario; what the perftest tools measure on real NICs (ib_write_bw, ib_read_lat, ib_atomic_lat).
 * Latency of a request: from the call that posts it to its CQE, at the end that posted it.
 * Units: picoseconds, bytes. Bytes are counted and not moved.
 */
import { InputError, type Issue } from '../base/issue.ts'
import type { Scenario } from '../scenario/scenario.ts'
import {
  Completion,
  CompletionQueue,
  isAnswered,
  LOCAL_WRITE,
  type MemoryRegion,
  type Mode,
  type NicState,
  nicStateOf,
  OP_COMPARE_SWAP,
  OP_FETCH_ADD,
  OP_READ,
  OP_SEND,
  OP_SEND_IMMEDIATE,
  OP_SEND_INVALIDATE,
  OP_WRITE,
  OP_WRITE_IMMEDIATE,
  type Operation,
  type QueuePair,
  REMOTE_ATOMIC,
  REMOTE_READ,
  REMOTE_WRITE,
  STATUS_NAMES,
  SUCCESS,
} from '../verbs/index.ts'
import { DROP_REASONS } from '../fabric/counters.ts'
import { expectPlainIrn, perftestConnection } from './perftest-connection.ts'
import { type Background, type SharedValues, VerbsNetwork } from './verbs-network.ts'

/** What a work request may ask for, by the names users write. */
export const PERFTEST_OPERATIONS = {
  send: OP_SEND,
  'send-immediate': OP_SEND_IMMEDIATE,
  'send-invalidate': OP_SEND_INVALIDATE,
  write: OP_WRITE,
  'write-immediate': OP_WRITE_IMMEDIATE,
  read: OP_READ,
  'compare-and-swap': OP_COMPARE_SWAP,
  'fetch-and-add': OP_FETCH_ADD,
} as const satisfies Readonly<Record<string, Operation>>

export type PerftestOperation = keyof typeof PERFTEST_OPERATIONS

export interface PerftestPlan {
  readonly mode: Mode
  readonly operation: PerftestOperation
  /** Of each request; atomics have 8. */
  readonly sizeBytes: number
  /** On each queue pair. */
  readonly requests: number
  /** Under way on each queue pair, 1 or more. */
  readonly depth: number
  /** Receive WQEs that the other end keeps posted. */
  readonly receives: number
  /** Positions of hosts: who posts, and to whom; none: the first host to the last. */
  readonly pairs: readonly (readonly [from: number, to: number])[]
  /** Payload of a full packet; none: a path MTU that the scenario's frames have room for. */
  readonly mtuBytes?: number
  /** The scenario's workload runs beside; the first requests are posted when its warm-up is over. */
  readonly hasBackground: boolean
}

export interface PerftestResult {
  /** Who posted, and to whom. */
  readonly pairs: readonly (readonly [from: number, to: number])[]
  /** Payload of a full packet. */
  readonly mtuBytes: number
  /** Posted, of all that were to be. */
  readonly posted: number
  readonly asked: number
  /** By status, in words; "not done": the run was over, or stood still, before their CQEs. */
  readonly endings: Readonly<Record<string, number>>
  /** Of requests that ended well, in the order of their ends. */
  readonly latenciesPs: Float64Array
  /** When the first requests were posted. */
  readonly startPs: number
  /** From the first post to the last good end. */
  readonly elapsedPs: number
  /** Of requests that ended well. */
  readonly payloadBytes: number
  readonly retransmissions: number
  readonly timeouts: number
  readonly rnrNaks: number
  /** By reason, those that are not 0. */
  readonly drops: Readonly<Record<string, number>>
  readonly pauseFrames: number
  readonly packetHops: number
  readonly digest: string
  /** Around each queue pair; null: they send at line rate. */
  readonly congestion: string | null
  readonly cnps: number
  /** The scenario's own messages; null: it was left out. */
  readonly background: Background | null
  /** What IRN adds to the first of the queue pairs that post; all zero in RoCE mode. */
  readonly nicState: NicState
}

/** Events between two looks at the clock. */
const SLICE_EVENTS = 20_000
/** Without a CQE for so long it is over: and for as long as all that is under way would take, so many times. */
const STALL_PS = 100e9
const PATIENCE = 20
const ATOMIC_BYTES = 8
const RIGHTS = LOCAL_WRITE | REMOTE_WRITE | REMOTE_READ | REMOTE_ATOMIC

/** One end that posts, and the other. */
interface Lane {
  readonly to: number
  readonly pair: QueuePair
  readonly other: QueuePair
  readonly sent: CompletionQueue
  readonly received: CompletionQueue
  readonly local: MemoryRegion
  readonly remote: MemoryRegion
  readonly domain: number
  readonly postedPs: Float64Array
  posted: number
  ended: number
}

export class Perftest {
  readonly #plan: PerftestPlan
  readonly #network: VerbsNetwork
  readonly #pairs: PerftestPlan['pairs']
  readonly #lanes: readonly Lane[]
  readonly #laneOf = new Map<QueuePair, Lane>()
  readonly #latenciesPs: number[] = []
  readonly #endings: Record<string, number> = {}
  readonly #completion = new Completion()
  readonly #sizeBytes: number
  readonly #stallPs: number
  readonly #startPs: number
  #lastGoodPs = 0
  #lastEndPs = 0
  #isOver = false

  /**
   * @param isChecked conservation laws at instants all over the run: advance() throws a Bug for a broken one.
   * @throws InputError for pairs that the network has not, or packets that its frames do not hold.
   */
  constructor(scenario: Scenario, plan: PerftestPlan, isChecked = false) {
    this.#plan = plan
    this.#sizeBytes = isAtomic(plan.operation) ? ATOMIC_BYTES : plan.sizeBytes
    this.#network = new VerbsNetwork(scenario, {
      ...(plan.mtuBytes === undefined ? {} : { mtuBytes: plan.mtuBytes }),
      hasBackground: plan.hasBackground,
      isChecked,
      onActivity: (nowPs, pair) => {
        const lane = this.#laneOf.get(pair)
        if (lane !== undefined) this.#look(nowPs, lane)
      },
    })
    const hosts = this.#network.hostCount
    this.#pairs = plan.pairs.length === 0 ? [[0, hosts - 1]] : plan.pairs
    expectHosts(this.#pairs, hosts)
    const bytesPs = (this.#sizeBytes * 8e12) / this.#network.slowestHostBps
    this.#stallPs = Math.max(STALL_PS, PATIENCE * bytesPs * plan.depth * this.#pairs.length)
    if (plan.mode === 'irn') expectPlainIrn(scenario)
    const values = perftestConnection(scenario, this.#network, plan)
    this.#lanes = this.#pairs.map(([from, to]) => this.#connect(from, to, values))
    for (const lane of this.#lanes) for (let id = 0; id < plan.receives; id++) this.#receive(lane)
    this.#startPs = plan.hasBackground ? scenario.measure.warmUp : 0
    this.#lastGoodPs = this.#lastEndPs = this.#startPs
    if (this.#startPs === 0) this.#begin(0)
    else this.#network.at(this.#startPs, (nowPs) => this.#begin(nowPs))
    this.#watch()
  }

  /** Share of the requests that have ended. */
  get fraction(): number {
    return this.#isOver ? 1 : this.#ended / (this.#plan.requests * this.#lanes.length)
  }

  get nowPs(): number {
    return this.#network.nowPs
  }

  get events(): number {
    return this.#network.network.events
  }

  get packetHops(): number {
    return this.#network.network.fabric.counters.packetHops
  }

  /** Runs some milliseconds of work; true while there is more. */
  advance(): boolean {
    if (this.#isOver) return false
    if (!this.#network.advance(SLICE_EVENTS)) this.#isOver = true
    return !this.#isOver
  }

  /** What there is so far. */
  result(): PerftestResult {
    const { fabric } = this.#network.network
    const posted = this.#lanes.reduce((sum, lane) => sum + lane.posted, 0)
    const left = posted - this.#ended
    const sum = (of: (pair: QueuePair) => number): number =>
      this.#lanes.reduce((total, { pair, other }) => total + of(pair) + of(other), 0)
    return {
      pairs: this.#pairs,
      mtuBytes: this.#network.mtuBytes,
      posted,
      asked: this.#plan.requests * this.#lanes.length,
      endings: { ...this.#endings, ...(left > 0 ? { 'not done': left } : {}) },
      latenciesPs: Float64Array.from(this.#latenciesPs),
      startPs: this.#startPs,
      elapsedPs: this.#lastGoodPs - this.#startPs,
      payloadBytes: this.#latenciesPs.length * this.#sizeBytes,
      retransmissions: sum(
        ({ requester, responder }) => requester.retransmissions + responder.responses.retransmissions,
      ),
      timeouts: sum(
        ({ requester, responder }) =>
          requester.space.timeouts + requester.reads.timeouts + (responder.responses.space?.timeouts ?? 0),
      ),
      rnrNaks: sum(({ requester }) => requester.rnrNaks),
      drops: Object.fromEntries(
        DROP_REASONS.map((reason, i) => [reason, fabric.counters.drops[i]!] as const).filter(([, count]) => count > 0),
      ),
      pauseFrames: fabric.counters.pauseFrames,
      packetHops: fabric.counters.packetHops,
      digest: fabric.digest.text(),
      congestion: this.#network.congestionName,
      cnps: this.#network.cnpsSent,
      background: this.#network.background,
      nicState: nicStateOf(this.#lanes[0]!.pair),
    }
  }

  close(): void {
    this.#network.close()
  }

  get #ended(): number {
    return this.#lanes.reduce((sum, lane) => sum + lane.ended, 0)
  }

  /** The first requests. */
  #begin(nowPs: number): void {
    for (const lane of this.#lanes) this.#postMore(nowPs, lane)
    this.#network.wake()
  }

  #connect(from: number, to: number, values: SharedValues): Lane {
    const { depth, receives, requests } = this.#plan
    const end = (host: number, capacity: number) => {
      const device = this.#network.device(host)
      const domain = device.allocateDomain()
      const completions = new CompletionQueue(capacity)
      const pair = device.createQueuePair({
        domain,
        sendCompletions: completions,
        receiveCompletions: completions,
        sendDepth: depth,
        receiveDepth: Math.max(1, receives),
      })
      const region = device.register(domain, RIGHTS, null, Math.max(this.#sizeBytes, ATOMIC_BYTES))
      return { host, domain, completions, pair, region }
    }
    const [a, b] = [end(from, depth), end(to, Math.max(1, receives))]
    this.#network.connect(a, b, values)
    const lane: Lane = {
      to,
      pair: a.pair,
      other: b.pair,
      sent: a.completions,
      received: b.completions,
      local: a.region,
      remote: b.region,
      domain: b.domain,
      postedPs: new Float64Array(requests),
      posted: 0,
      ended: 0,
    }
    this.#laneOf.set(a.pair, lane)
    this.#laneOf.set(b.pair, lane)
    return lane
  }

  /** Ends it when nothing has ended for too long. */
  #watch(): void {
    this.#network.at(this.#lastEndPs + this.#stallPs, (nowPs) => {
      if (nowPs < this.#lastEndPs + this.#stallPs) this.#watch()
      else this.#network.network.halt()
    })
  }

  /** Takes what has ended, and posts what may follow. */
  #look(nowPs: number, lane: Lane): void {
    const completion = this.#completion
    while (lane.received.poll(completion)) if (completion.status === SUCCESS) this.#receive(lane)
    let mayPost = lane.pair.state === 'ready to send'
    while (lane.sent.poll(completion)) {
      lane.ended++
      this.#lastEndPs = nowPs
      const name = STATUS_NAMES[completion.status]
      this.#endings[name] = (this.#endings[name] ?? 0) + 1
      if (completion.status !== SUCCESS) {
        mayPost = false
        continue
      }
      this.#lastGoodPs = nowPs
      this.#latenciesPs.push(nowPs - lane.postedPs[completion.id]!)
    }
    // At this very packet, so that a result is the same however the run was sliced.
    if (this.#ended === this.#plan.requests * this.#lanes.length) this.#network.network.halt()
    // Nothing before its time: packets of the connection may come earlier.
    if (mayPost && nowPs >= this.#startPs) this.#postMore(nowPs, lane)
  }

  #postMore(nowPs: number, lane: Lane): void {
    const { depth, requests } = this.#plan
    while (lane.posted - lane.ended < depth && lane.posted < requests) this.#post(nowPs, lane)
  }

  #receive({ other, remote }: Lane): void {
    other.postReceive({ id: 0, region: remote, address: remote.address, lengthBytes: remote.lengthBytes })
  }

  #post(nowPs: number, lane: Lane): void {
    const id = lane.posted++
    const { local, remote, to, domain } = lane
    const operation = PERFTEST_OPERATIONS[this.#plan.operation]
    lane.postedPs[id] = nowPs
    // Each such SEND takes a key away, which has to be there before.
    const invalidateKey =
      operation === OP_SEND_INVALIDATE ? this.#network.device(to).register(domain, RIGHTS, null, 1).key : 0
    lane.pair.postSend(nowPs, {
      id,
      operation,
      region: local,
      address: local.address,
      lengthBytes: this.#sizeBytes,
      remoteAddress: remote.address,
      remoteKey: remote.key,
      immediate: id,
      invalidateKey,
      compare: 0n,
      swap: 1n,
    })
  }
}

function isAtomic(operation: PerftestOperation): boolean {
  return isAnswered(PERFTEST_OPERATIONS[operation]) && operation !== 'read'
}

function expectHosts(pairs: PerftestPlan['pairs'], hostCount: number): void {
  const issues = pairs.flatMap(([from, to]): Issue[] => {
    if (from < hostCount && to < hostCount && from !== to) return []
    const expected = `two different hosts 0 to ${hostCount - 1}`
    return [{ path: 'pairs', expected, received: `"${from} ${to}"`, hint: '' }]
  })
  if (issues.length > 0) throw new InputError(issues)
}
