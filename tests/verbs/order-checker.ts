/**
 * Order checker: runs a case and compares it with a reference that executes the requests one by one.
 * - Requests complete in posting order, successfully, each once.
 * - The k-th request that uses a Receive WQE completes the k-th one posted, with its bytes, length and immediate.
 * - When a completion of a SEND or of a WRITE with immediate is visible, or the effect of an atomic, everything written
 * before it is visible (IBTA o9-20). A READ returns the bytes written before it, and nothing from after a fence.
 * - Memory ends as in the reference.
 */
import { US } from '../../src/core/base/params.ts'
import {
  type Completion,
  type MemoryRegion,
  OP_COMPARE_SWAP,
  OP_FETCH_ADD,
  OP_READ,
  OP_RECEIVE,
  OP_RECEIVE_WRITE,
  OP_SEND_IMMEDIATE,
  OP_SEND_INVALIDATE,
  OP_WRITE,
  OP_WRITE_IMMEDIATE,
  SUCCESS,
} from '../../src/core/verbs/index.ts'
import { ALL_RIGHTS, VerbsPair, type VerbsSide } from '../support/verbs-pair.ts'
import {
  COUNTERS,
  FRESH_OFFSET,
  type PlannedCase,
  type PlannedRequest,
  RECEIVE_BYTES,
  STILL_BYTES,
  STILL_OFFSET,
} from './order-case.ts'

const TIME_MAX_PS = 3e12
const RECEIVES_MAX = 64

const takesReceive = (r: PlannedRequest) => r.operation <= OP_SEND_INVALIDATE || r.operation === OP_WRITE_IMMEDIATE
const isWrite = (r: PlannedRequest) => r.operation === OP_WRITE || r.operation === OP_WRITE_IMMEDIATE
const isAtomic = (r: PlannedRequest) => r.operation === OP_COMPARE_SWAP || r.operation === OP_FETCH_ADD
const payloadOf = (r: PlannedRequest) => Uint8Array.from({ length: r.lengthBytes }, (_, i) => (r.mark + i * 3) & 0xff)
const same = (a: Uint8Array, b: Uint8Array) => a.length === b.length && a.every((byte, i) => byte === b[i])

/** Requests of one side, the memory at the other, and the progress of the reference. */
class Direction {
  readonly requests: readonly PlannedRequest[]
  readonly from: VerbsSide
  readonly to: VerbsSide
  readonly problems: string[]
  readonly hasBytes: boolean
  /** At the requester: source of the data sent, and a destination for each READ. */
  readonly local: MemoryRegion
  readonly localAt: number[] = []
  /** At the responder. */
  readonly remote: MemoryRegion
  readonly receives: MemoryRegion
  readonly victims: MemoryRegion[] = []
  posted = 0
  /** Completions expected next. */
  #sendNext = 0
  #receiveNext = 0
  readonly #takers: readonly number[]
  receivesPosted = 0
  /** Atomics whose effect is visible. */
  #atomics = 0
  readonly #counterStates: readonly (readonly bigint[])[]
  readonly #atomicResults = new Map<number, bigint>()
  #repost: number[] = []

  constructor(plan: PlannedCase, at: 0 | 1, pair: VerbsPair, problems: string[]) {
    this.requests = plan.requests[at]
    ;[this.from, this.to] = at === 0 ? [pair.a, pair.b] : [pair.b, pair.a]
    this.problems = problems
    this.hasBytes = plan.hasBytes
    const register = (side: VerbsSide, length: number) =>
      side.device.register(side.domain, ALL_RIGHTS, plan.hasBytes ? new Uint8Array(length) : null, length)
    let localBytes = 0
    let remoteBytes = FRESH_OFFSET
    for (const request of this.requests) {
      this.localAt.push(localBytes)
      localBytes += Math.max(8, request.lengthBytes)
      if (isWrite(request)) remoteBytes = Math.max(remoteBytes, request.remoteOffset + request.lengthBytes)
    }
    this.local = register(this.from, localBytes)
    this.remote = register(this.to, remoteBytes)
    this.receives = register(this.to, RECEIVE_BYTES * RECEIVES_MAX)
    for (const [k, request] of this.requests.entries()) {
      this.victims.push(register(this.to, 16))
      if (request.operation !== OP_READ && !isAtomic(request))
        this.local.bytes?.set(payloadOf(request), this.localAt[k])
    }
    if (this.remote.bytes !== null) {
      for (let i = 0; i < STILL_BYTES; i++) this.remote.bytes[STILL_OFFSET + i] = (i * 13) & 0xff
    }
    this.#takers = [...this.requests.keys()].filter((k) => takesReceive(this.requests[k]!))
    this.#counterStates = this.#followAtomics()
    for (let k = 0; k < Math.min(plan.firstReceives, this.#room(plan)); k++) this.postReceive()
  }

  get isDone(): boolean {
    return this.posted === this.requests.length && this.from.pair.outstanding === 0
  }

  #room(plan: PlannedCase): number {
    return this.to.shared === null ? plan.receiveDepth : plan.sharedDepth!
  }

  /** Posts as many requests as the send queue accepts. */
  post(nowPs: number): void {
    while (this.posted < this.requests.length) {
      const k = this.posted
      const request = this.requests[k]!
      const { operation, lengthBytes, immediate, compare, swap, isFenced, isUnsignalled } = request
      const result = this.from.pair.postSend(nowPs, {
        id: k,
        operation,
        lengthBytes,
        immediate,
        isFenced,
        isUnsignalled,
        region: this.local,
        compare: operation === OP_COMPARE_SWAP ? compare : 0n,
        swap,
        address: this.local.address + this.localAt[k]!,
        remoteAddress: this.remote.address + request.remoteOffset,
        remoteKey: this.remote.key,
        invalidateKey: this.victims[k]!.key,
      })
      if (result !== 'posted') return
      this.posted++
    }
  }

  postReceive(): void {
    const id = this.receivesPosted
    if (id >= this.#takers.length) return
    const address = this.receives.address + (id % RECEIVES_MAX) * RECEIVE_BYTES
    const work = { id, region: this.receives, address, lengthBytes: RECEIVE_BYTES }
    const isPosted = this.to.shared === null ? this.to.pair.postReceive(work) === 'posted' : this.to.shared.post(work)
    if (isPosted) this.receivesPosted++
  }

  /** Receive WQEs are posted late, one by one. */
  tick(nowPs: number, plan: PlannedCase): void {
    this.#repost = this.#repost.filter((ps) => {
      if (ps > nowPs) return true
      this.postReceive()
      return false
    })
    if (this.#repost.length === 0 && this.receivesPosted < this.#takers.length) this.#repost.push(nowPs + plan.repostPs)
  }

  get nextRepostPs(): number {
    return Math.min(Infinity, ...this.#repost)
  }

  /** Compares everything that is visible now. */
  look(): void {
    while (this.#receiveNext < this.to.received.length) this.#onReceived(this.to.received[this.#receiveNext]!)
    this.#lookAtCounters()
    while (this.#sendNext < this.from.done.length) this.#onSent(this.from.done[this.#sendNext]!)
  }

  finish(): void {
    const { requests } = this
    const signalled = requests.filter((request) => !request.isUnsignalled).length
    if (this.#sendNext !== signalled) this.#say(`${this.#sendNext} of ${signalled} completions`)
    if (this.#receiveNext !== this.#takers.length) this.#say(`${this.#receiveNext} of ${this.#takers.length} receives`)
    this.#expectWritten(requests.length, 'at the end')
    if (this.hasBytes && this.#atomics !== this.#counterStates.length - 1) this.#say('atomics are missing')
    for (const [k, { operation }] of requests.entries()) {
      if (this.victims[k]!.isValid === (operation === OP_SEND_INVALIDATE)) this.#say(`key of ${k} is wrong`)
    }
  }

  #say(problem: string): void {
    this.problems.push(`${this.from.name}: ${problem}`)
  }

  #onReceived(completion: Completion): void {
    const k = this.#takers[this.#receiveNext]
    const request = k === undefined ? undefined : this.requests[k]
    const at = this.#receiveNext++
    if (request === undefined || k === undefined) {
      this.#say('a receive too many')
      return
    }
    const hasImmediate = request.operation === OP_SEND_IMMEDIATE || request.operation === OP_WRITE_IMMEDIATE
    const good =
      completion.id === at &&
      completion.status === SUCCESS &&
      completion.operation === (request.operation === OP_WRITE_IMMEDIATE ? OP_RECEIVE_WRITE : OP_RECEIVE) &&
      completion.lengthBytes === request.lengthBytes &&
      completion.hasImmediate === hasImmediate &&
      (!hasImmediate || completion.immediate === request.immediate) &&
      completion.invalidatedKey === (request.operation === OP_SEND_INVALIDATE ? this.victims[k]!.key : -1)
    if (!good) this.#say(`receive ${at} for request ${k} is ${JSON.stringify(completion)}`)
    if (this.hasBytes && request.operation !== OP_WRITE_IMMEDIATE) {
      const start = (at % RECEIVES_MAX) * RECEIVE_BYTES
      const there = this.receives.bytes!.subarray(start, start + request.lengthBytes)
      if (!same(there, payloadOf(request))) this.#say(`the bytes of SEND ${k} are not in its buffer`)
    }
    this.#expectWritten(request.operation === OP_WRITE_IMMEDIATE ? k + 1 : k, `behind receive ${at}`)
  }

  #onSent(completion: Completion): void {
    this.#sendNext++
    const before = this.from.done[this.#sendNext - 2]?.id ?? -1
    const k = completion.id
    const request = this.requests[k]
    if (request === undefined || completion.status !== SUCCESS) {
      this.#say(`request ${k} ended with ${completion.status}`)
      return
    }
    for (let skipped = before + 1; skipped < k; skipped++) {
      if (!this.requests[skipped]!.isUnsignalled) this.#say(`request ${k} is done before ${skipped}`)
    }
    if (k <= before || request.isUnsignalled) this.#say(`request ${k} is done where it should not be`)
    if (!this.hasBytes) return
    const at = this.localAt[k]!
    if (request.operation === OP_READ) {
      if (!same(this.local.bytes!.subarray(at, at + request.lengthBytes), this.#expectedAt(k)))
        this.#say(`READ ${k} brought something else`)
    } else if (isAtomic(request)) {
      const value = new DataView(this.local.bytes!.buffer).getBigUint64(at, true)
      if (value !== this.#atomicResults.get(k)) this.#say(`atomic ${k} says ${value}`)
    } else if (isWrite(request)) this.#expectWritten(k + 1, `with the completion of ${k}`)
  }

  /** Bytes that a READ must return: those written last before it. */
  #expectedAt(k: number): Uint8Array {
    const { remoteOffset, lengthBytes } = this.requests[k]!
    for (let before = k - 1; before >= 0; before--) {
      const request = this.requests[before]!
      if (isWrite(request) && request.remoteOffset === remoteOffset && request.lengthBytes === lengthBytes) {
        return payloadOf(request)
      }
    }
    return Uint8Array.from({ length: lengthBytes }, (_, i) => ((remoteOffset - STILL_OFFSET + i) * 13) & 0xff)
  }

  /** All WRITEs before request `end` are in memory, except where later ones may have overwritten them. */
  #expectWritten(end: number, when: string): void {
    if (!this.hasBytes) return
    for (let k = 0; k < end; k++) {
      const request = this.requests[k]!
      if (!isWrite(request) || request.lengthBytes === 0) continue
      const isOver = this.requests.some(
        (r, i) => i > k && isWrite(r) && r.remoteOffset === request.remoteOffset && r.lengthBytes > 0,
      )
      if (isOver) continue
      const there = this.remote.bytes!.subarray(request.remoteOffset, request.remoteOffset + request.lengthBytes)
      if (!same(there, payloadOf(request))) this.#say(`WRITE ${k} is not there ${when}`)
    }
  }

  /** The values that the counters pass through. */
  #followAtomics(): bigint[][] {
    const states = [Array.from({ length: COUNTERS }, () => 0n)]
    for (const [k, request] of this.requests.entries()) {
      if (!isAtomic(request)) continue
      const state = [...states.at(-1)!]
      const counter = request.remoteOffset / 8
      const value = state[counter]!
      this.#atomicResults.set(k, value)
      if (request.operation === OP_FETCH_ADD) state[counter] = BigInt.asUintN(64, value + request.swap)
      else if (value === request.compare) state[counter] = request.swap
      states.push(state)
    }
    return states
  }

  #lookAtCounters(): void {
    if (!this.hasBytes) return
    const view = new DataView(this.remote.bytes!.buffer)
    const now = Array.from({ length: COUNTERS }, (_, i) => view.getBigUint64(8 * i, true))
    const isNow = (state: readonly bigint[]) => state.every((value, i) => value === now[i])
    const before = this.#atomics
    const found = this.#counterStates.findIndex((state, at) => at >= before && isNow(state))
    if (found < 0) {
      this.#say(`the counters were never ${now.join(' ')} behind ${before} atomics`)
      this.#atomics = this.#counterStates.length - 1
      return
    }
    this.#atomics = found
    if (found > before) {
      const seen = [...this.requests.keys()].filter((k) => isAtomic(this.requests[k]!))[found - 1]!
      this.#expectWritten(seen, `behind atomic ${seen}`)
    }
    // Atomics that change nothing cannot be distinguished.
    while (this.#atomics + 1 < this.#counterStates.length && isNow(this.#counterStates[this.#atomics + 1]!))
      this.#atomics++
  }
}

export interface OrderReport {
  readonly problems: readonly string[]
  readonly faults: number
  readonly retransmissions: number
  readonly earlyDrops: number
  readonly rnrNaks: number
  readonly packets: number
}

export function runOrderCase(plan: PlannedCase): OrderReport {
  const pair = new VerbsPair({
    values: plan.values,
    psns: plan.psns,
    sendDepth: plan.sendDepth,
    receiveDepth: plan.receiveDepth,
    ...(plan.sharedDepth === null ? {} : { sharedDepth: plan.sharedDepth }),
  })
  pair.toB.rule(plan.rules[0])
  pair.toA.rule(plan.rules[1])
  const problems: string[] = []
  const directions = [new Direction(plan, 0, pair, problems), new Direction(plan, 1, pair, problems)]
  try {
    for (;;) {
      for (const direction of directions) {
        direction.tick(pair.nowPs, plan)
        direction.post(pair.nowPs)
        direction.look()
      }
      if (problems.length > 0) break
      const isStepped = pair.step(TIME_MAX_PS)
      if (isStepped) continue
      if (directions.every((direction) => direction.isDone)) break
      const nextPs = Math.min(...directions.map((direction) => direction.nextRepostPs))
      if (nextPs === Infinity || pair.nowPs >= TIME_MAX_PS) {
        problems.push('it does not end')
        break
      }
      pair.nowPs = Math.max(nextPs, pair.nowPs + US)
    }
  } catch (error) {
    problems.push(String(error))
  }
  if (problems.length === 0) for (const direction of directions) direction.finish()
  const halves = [pair.a.pair, pair.b.pair].filter((qp) => qp.state === 'ready to send')
  const sum = (of: (qp: (typeof halves)[number]) => number) => halves.reduce((total, qp) => total + of(qp), 0)
  return {
    problems,
    faults: pair.toA.faults + pair.toB.faults,
    retransmissions: sum((qp) => qp.requester.retransmissions + qp.responder.responses.retransmissions),
    earlyDrops: sum((qp) => qp.responder.earlyDrops),
    rnrNaks: sum((qp) => qp.requester.rnrNaks),
    packets: pair.toA.sent + pair.toB.sent,
  }
}
