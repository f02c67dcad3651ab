/**
 * Verbs pair: two devices with a connected queue pair each, a pipe in each direction that carries bytes, and a clock that
 * jumps from event to event. Every packet is written to bytes and parsed again at the other end.
 * Each side sends on a line of its own, one packet at a time; ACKs do not wait for it.
 * Vocabulary: a.post, b.receive, run, a.done, b.done, toB.rule(...).
 */
import { assert } from '../../src/core/base/assert.ts'
import { NEVER_PS, US } from '../../src/core/base/params.ts'
import { CE, DATA, NOT_ECT, READ_REQUEST } from '../../src/core/transport/segment.ts'
import type { OrderSource } from '../../src/core/transport/timers.ts'
import {
  type ConnectionValues,
  CONNECTION_DEFAULTS,
  Completion,
  CompletionQueue,
  decodePacket,
  Device,
  encodePacket,
  LOCAL_WRITE,
  type MemoryRegion,
  type QueuePair,
  type ReceiveWork,
  REMOTE_ATOMIC,
  REMOTE_READ,
  REMOTE_WRITE,
  type Schemes,
  type SendWork,
  type SharedReceiveQueue,
  VerbsPacket,
} from '../../src/core/verbs/index.ts'
import { FORMAT_IRN, FORMAT_LSN, FORMAT_ROCE } from '../../src/core/wire/index.ts'

export const ALL_RIGHTS = LOCAL_WRITE | REMOTE_WRITE | REMOTE_READ | REMOTE_ATOMIC
const LINE_PS_PER_BYTE = 200

/** A packet in flight, as a rule sees it. A rule changes the last three. */
export interface VerbsPassage {
  readonly packet: Readonly<VerbsPacket>
  readonly count: number
  readonly startPs: number
  /** 0: lost, 2: doubled. */
  copies: number
  /** Held back this long. */
  latePs: number
  /** Marked, if it can be. */
  isMarked: boolean
}
export type VerbsRule = (passage: VerbsPassage) => void

interface Flying {
  readonly bytes: Uint8Array
  /** ECN codepoint of the IP header. */
  readonly ecn: number
  /** The packet itself, on a path that carries no bytes. */
  readonly packet: VerbsPacket | null
  readonly arrivalPs: number
  readonly order: number
}

/** One direction. */
export class VerbsPath {
  sent = 0
  lost = 0
  doubled = 0
  late = 0
  readonly #delayPs: number
  readonly #format: number
  readonly #isDirect: boolean
  readonly #draw: () => number
  readonly #rules: VerbsRule[] = []
  #flying: Flying[] = []

  constructor(delayPs: number, format: number, isDirect: boolean, draw: () => number) {
    this.#delayPs = delayPs
    this.#format = format
    this.#isDirect = isDirect
    this.#draw = draw
  }

  rule(rule: VerbsRule): void {
    this.#rules.push(rule)
  }

  get faults(): number {
    return this.lost + this.doubled + this.late
  }

  get next(): Flying | undefined {
    return this.#flying[0]
  }

  take(): Flying {
    return this.#flying.shift()!
  }

  send(nowPs: number, packet: VerbsPacket): void {
    const passage: VerbsPassage = { packet, count: this.sent++, startPs: nowPs, copies: 1, latePs: 0, isMarked: false }
    for (const rule of this.#rules) rule(passage)
    if (passage.copies === 0) this.lost++
    if (passage.copies > 1) this.doubled++
    if (passage.latePs > 0) this.late++
    const bytes = new Uint8Array(5000)
    const length = encodePacket(packet, this.#format, bytes)
    for (let copy = 0; copy < passage.copies; copy++) {
      const arrivalPs = nowPs + this.#delayPs + (copy === 0 ? passage.latePs : 0)
      const ecn = passage.isMarked && packet.ecn !== NOT_ECT ? CE : packet.ecn
      const itself = this.#isDirect ? copyOf(packet) : null
      this.#flying.push({ bytes: bytes.subarray(0, length), ecn, packet: itself, arrivalPs, order: this.#draw() })
    }
    this.#flying.sort((a, b) => a.arrivalPs - b.arrivalPs || a.order - b.order)
  }
}

/** A packet as it arrives where it is not written to bytes: no bit on the wire marks the repetition of a READ request. */
function copyOf(packet: VerbsPacket): VerbsPacket {
  const copy = Object.assign(new VerbsPacket(0), packet, { payload: packet.payload.slice() })
  if (copy.kind === READ_REQUEST) copy.kind = DATA
  return copy
}

export interface VerbsPairOptions {
  /** Values of both ends, except for those of one side only. */
  readonly values?: Partial<ConnectionValues>
  readonly delayPs?: number
  readonly sendDepth?: number
  readonly receiveDepth?: number
  /** Receive WQEs of a shared receive queue at B. */
  readonly sharedDepth?: number
  readonly completionDepth?: number
  readonly observer?: VerbsObserver
  /** First PSN of A, and of B. */
  readonly psns?: readonly [number, number]
  readonly isConnected?: boolean
  /** False: completions are polled by the test only. */
  readonly isPolled?: boolean
  /** Rules may make packets malformed: those are dropped unread. */
  readonly isHostile?: boolean
  /** Packets are passed as they are, not as bytes. */
  readonly isDirect?: boolean
  /** Schemes of each end; by default those of the values. */
  readonly schemesOf?: (connection: ConnectionValues, order: OrderSource) => Schemes
}

/** Observer of packets. */
export interface VerbsObserver {
  onArrival?(side: VerbsSide, packet: Readonly<VerbsPacket>): void
  onAfter?(side: VerbsSide): void
}

/** One end. */
export class VerbsSide {
  readonly name: 'A' | 'B'
  readonly device: Device
  readonly domain: number
  readonly sendCompletions: CompletionQueue
  readonly receiveCompletions: CompletionQueue
  readonly shared: SharedReceiveQueue | null
  readonly pair: QueuePair
  /** Completions polled so far, in order. */
  readonly done: Completion[] = []
  readonly received: Completion[] = []
  /** When the line is free. */
  freePs = 0
  readonly #now: () => number

  constructor(name: 'A' | 'B', o: VerbsPairOptions, draw: () => number, now: () => number) {
    this.name = name
    this.#now = now
    this.device = new Device({ draw }, name === 'A' ? 0x10_0000 : 0x7f00_0000_0000)
    this.domain = this.device.allocateDomain()
    this.sendCompletions = new CompletionQueue(o.completionDepth ?? 4096)
    this.receiveCompletions = new CompletionQueue(o.completionDepth ?? 4096)
    const isShared = name === 'B' && o.sharedDepth !== undefined
    this.shared = isShared ? this.device.createSharedReceiveQueue(this.domain, o.sharedDepth!) : null
    this.pair = this.device.createQueuePair({
      domain: this.domain,
      sendCompletions: this.sendCompletions,
      receiveCompletions: this.receiveCompletions,
      sendDepth: o.sendDepth ?? 256,
      receiveDepth: o.receiveDepth ?? 256,
      ...(this.shared === null ? {} : { shared: this.shared }),
    })
  }

  /** Registers memory of `lengthBytes` bytes. */
  memory(lengthBytes: number, access = ALL_RIGHTS): MemoryRegion {
    return this.device.register(this.domain, access, new Uint8Array(lengthBytes))
  }

  post(work: SendWork): void {
    const result = this.pair.postSend(this.#now(), work)
    assert(result === 'posted', 'a work request is not taken')
  }

  receive(work: ReceiveWork): void {
    if (this.shared === null) assert(this.pair.postReceive(work) === 'posted', 'a receive is not taken')
    else assert(this.shared.post(work), 'the shared queue is full')
  }

  poll(): void {
    const completion = new Completion()
    while (this.sendCompletions.poll(completion)) this.done.push(Object.assign(new Completion(), completion))
    while (this.receiveCompletions.poll(completion)) this.received.push(Object.assign(new Completion(), completion))
  }

  /** "id:status" of the requests that are done. */
  get log(): string[] {
    return this.done.map(({ id, status }) => `${id}:${status}`)
  }

  get receiveLog(): string[] {
    return this.received.map(({ id, status }) => `${id}:${status}`)
  }
}

export class VerbsPair {
  nowPs = 0
  readonly a: VerbsSide
  readonly b: VerbsSide
  /** From A to B, and back. */
  readonly toB: VerbsPath
  readonly toA: VerbsPath
  /** Opcode and PSN of the packets that A sent, and that B sent. */
  readonly log: string[] = []
  /** Packets that could not be read. */
  unread = 0
  readonly #isHostile: boolean
  readonly #isPolled: boolean
  readonly values: ConnectionValues
  readonly #observer: VerbsObserver
  readonly #format: number
  readonly #packet: VerbsPacket

  constructor(o: VerbsPairOptions = {}) {
    let orders = 0
    const draw = () => ++orders
    this.a = new VerbsSide('A', o, draw, () => this.nowPs)
    this.b = new VerbsSide('B', o, draw, () => this.nowPs)
    const values = { ...CONNECTION_DEFAULTS, ...o.values, remoteQp: this.b.pair.number }
    this.values = values
    this.#observer = o.observer ?? {}
    this.#isHostile = o.isHostile ?? false
    this.#isPolled = o.isPolled ?? true
    this.#packet = new VerbsPacket(values.mtuBytes)
    const lsn = values.lsnWindowBytes === null ? 0 : FORMAT_LSN
    this.#format = (values.mode === 'irn' ? FORMAT_IRN : FORMAT_ROCE) | lsn
    this.toB = new VerbsPath(o.delayPs ?? US, this.#format, o.isDirect ?? false, draw)
    this.toA = new VerbsPath(o.delayPs ?? US, this.#format, o.isDirect ?? false, draw)
    if (o.isConnected === false) return
    const [sendPsn, receivePsn] = o.psns ?? [0, 0]
    for (const [side, other, own] of [
      [this.a, this.b, { sendPsn, receivePsn }],
      [this.b, this.a, { sendPsn: receivePsn, receivePsn: sendPsn }],
    ] as const) {
      const { pair } = side
      assert(pair.modify(0, 'init'), 'no init')
      const plain = { ...values, ...own, remoteQp: other.pair.number }
      const agreed = o.schemesOf === undefined ? plain : { ...plain, schemes: o.schemesOf(plain, { draw }) }
      assert(pair.modify(0, 'ready to receive', agreed), 'not ready to receive')
      assert(pair.modify(0, 'ready to send'), 'not ready to send')
    }
  }

  /** Runs until nothing is left to do, or until then. True: nothing is left. */
  run(limitPs = NEVER_PS): boolean {
    while (this.step(limitPs));
    const isCalm = this.#next() === null
    if (limitPs !== NEVER_PS && this.nowPs < limitPs && !isCalm) this.nowPs = limitPs
    return isCalm
  }

  /** The next thing that happens, unless it lies behind the limit. */
  step(limitPs = NEVER_PS): boolean {
    const next = this.#next()
    if (next === null || next.ps > limitPs) return false
    this.nowPs = Math.max(this.nowPs, next.ps)
    next.act()
    for (const side of [this.a, this.b]) {
      if (this.#isPolled) side.poll()
      this.#observer.onAfter?.(side)
    }
    return true
  }

  #next(): { readonly ps: number; readonly act: () => void } | null {
    let best: { ps: number; order: number; act: () => void } | null = null
    const consider = (ps: number, order: number, act: () => void) => {
      if (ps === NEVER_PS) return
      const at = Math.max(ps, this.nowPs)
      if (best === null || at < best.ps || (at === best.ps && order < best.order)) best = { ps: at, order, act }
    }
    for (const side of [this.a, this.b]) {
      const path = side === this.a ? this.toA : this.toB
      const flying = path.next
      if (flying !== undefined) consider(flying.arrivalPs, flying.order, () => this.#arrive(side, path.take()))
      const { nextTimeoutPs, nextTimeoutOrder } = side.pair
      consider(nextTimeoutPs, nextTimeoutOrder, () => {
        side.pair.onTimeout(this.nowPs)
        this.#drain(side)
      })
      const sendPs = side.pair.nextSendPs
      consider(sendPs === NEVER_PS ? sendPs : Math.max(sendPs, side.freePs), Infinity, () => this.#send(side))
    }
    return best
  }

  #arrive(side: VerbsSide, flying: Flying): void {
    const packet = flying.packet ?? this.#packet
    if (flying.packet === null && !decodePacket(flying.bytes, flying.bytes.length, this.#format, packet)) {
      assert(this.#isHostile, 'what was written cannot be read')
      this.unread++
      return
    }
    packet.ecn = flying.ecn
    this.#observer.onArrival?.(side, packet)
    side.pair.onSegment(this.nowPs, packet)
    this.#drain(side)
  }

  /** Answers leave at once. */
  #drain(side: VerbsSide): void {
    while (side.pair.hasReply) assert(this.#transmit(side) >= 0, 'an answer is due and does not come')
  }

  #send(side: VerbsSide): void {
    const bytes = this.#transmit(side)
    // A key was taken away behind the queue pair's back: it finds out when it wants to send, and has nothing then.
    if (bytes < 0) assert(side.pair.nextSendPs > this.nowPs, 'a queue pair does not send at the time it announced')
    else side.freePs = this.nowPs + (bytes + 66) * LINE_PS_PER_BYTE
  }

  /** Bytes of payload, or -1: there was nothing to send. */
  #transmit(side: VerbsSide): number {
    const packet = this.#packet
    if (!side.pair.pollTransmit(this.nowPs, packet)) return -1
    this.log.push(`${side.name} ${packet.opcode} ${packet.psn}`)
    const path = side === this.a ? this.toB : this.toA
    path.send(this.nowPs, packet)
    return packet.payloadBytes
  }
}
