/**
 * Worker: what a program does with one queue pair: the work that it posts, the completions and the memory that it looks at,
 * until it has done its share.
 * Source: behaviour of perftest 4.5+0.17 and ibv_rc_pingpong (rdma-core 44), with real memory and bytes that are checked.
 */
import { assert, CHECKED } from '../../core/base/assert.ts'
import {
  Completion,
  CompletionQueue,
  type Device,
  LOCAL_WRITE,
  type MemoryRegion,
  OP_FETCH_ADD,
  OP_READ,
  OP_SEND,
  type QueuePair,
  REMOTE_ATOMIC,
  REMOTE_READ,
  REMOTE_WRITE,
  type Status,
  SUCCESS,
} from '../../core/verbs/index.ts'
import type { Role } from './exchange.ts'
import type { Program } from './programs.ts'

export interface WorkerPlan {
  readonly program: Program
  readonly role: Role
  readonly iterations: number
  readonly sizeBytes: number
  /** Memory that the other end may use. */
  readonly memoryBytes: number
  /** Receives that are kept posted. */
  readonly receives: number
}

/** Why a worker cannot go on. */
export type WorkFailure =
  | { readonly kind: 'status'; readonly status: Status }
  /** Bytes that arrived are not those that this program sends, or an atomic was done twice or not at all. */
  | { readonly kind: 'bytes'; readonly message: number }

/** perftest lets the offsets of short WRITEs and READs go round in a page. */
const PAGE_BYTES = 4096
const LINE_BYTES = 64
const PINGPONG_BYTE = 0x7b
const ALL_RIGHTS = LOCAL_WRITE | REMOTE_WRITE | REMOTE_READ | REMOTE_ATOMIC

/** Byte at an offset of memory that is sent or read. */
export const patternAt = (offset: number): number => (offset * 31 + (offset >> 8) + 7) & 0xff

export class Worker {
  /** Memory that the other end may use, and where receives are put. */
  readonly open: MemoryRegion
  /** Memory that is sent from, or read into. */
  readonly own: MemoryRegion
  readonly completions = { sends: 0, receives: 0 }
  failure: WorkFailure | null = null
  readonly #plan: WorkerPlan
  readonly #sends: CompletionQueue
  readonly #receives: CompletionQueue
  readonly #entry = new Completion()
  #pair: QueuePair | null = null
  #remote = { key: 0, address: 0 }
  #posted = 0
  /** WRITEs of the other end that were seen in memory. */
  #seen = 0
  #lastOriginal: bigint | null = null

  constructor(device: Device, domain: number, plan: WorkerPlan) {
    const { program, role, sizeBytes, memoryBytes, receives } = plan
    this.#plan = plan
    this.#sends = new CompletionQueue(program.depth + 16)
    this.#receives = new CompletionQueue(2 * receives + 16)
    this.open = device.register(domain, ALL_RIGHTS, new Uint8Array(memoryBytes))
    this.own = device.register(domain, LOCAL_WRITE, new Uint8Array(Math.max(sizeBytes, 8 * program.depth)))
    const source = program.operation === OP_READ ? this.open : this.own
    const isSource = program.operation === OP_READ ? role === 'server' : program.operation !== OP_FETCH_ADD
    if (isSource && source.bytes !== null)
      for (let at = 0; at < source.bytes.length; at++)
        source.bytes[at] = program.exchange === 'pingpong' ? PINGPONG_BYTE : patternAt(at)
    if (program.behaviour === 'watch') this.own.bytes?.fill(0)
  }

  get queues(): {
    sendCompletions: CompletionQueue
    receiveCompletions: CompletionQueue
    sendDepth: number
    receiveDepth: number
  } {
    const { program, receives } = this.#plan
    return {
      sendCompletions: this.#sends,
      receiveCompletions: this.#receives,
      sendDepth: program.depth + 8,
      receiveDepth: Math.max(1, receives),
    }
  }

  /** Takes its queue pair, in the state "init", and posts receives. */
  begin(pair: QueuePair): void {
    this.#pair = pair
    if (this.#plan.program.operation !== OP_SEND) return
    for (let n = 0; n < this.#plan.receives; n++) this.#postReceive()
  }

  /** Memory of the other end. */
  aim(key: number, address: number): void {
    this.#remote = { key, address }
  }

  get isDone(): boolean {
    const { program, role, iterations } = this.#plan
    const { sends, receives } = this.completions
    if (program.behaviour !== 'stream') return sends >= iterations && this.isAllPosted
    if (role === 'client') return sends >= iterations
    return program.operation !== OP_SEND || receives >= iterations
  }

  /** All is posted, and all of the other end's has come: only completions of what was posted are missing. */
  get isAllPosted(): boolean {
    const { program, role, iterations } = this.#plan
    const { behaviour, operation } = program
    const isSender = behaviour !== 'stream' || role === 'client'
    const hears = behaviour === 'ping' || (behaviour === 'stream' && role === 'server' && operation === OP_SEND)
    const heard = behaviour === 'watch' ? this.#seen : hears ? this.completions.receives : iterations
    return (!isSender || this.#posted >= iterations) && heard >= iterations
  }

  advance(nowPs: number): void {
    this.#pollSends()
    this.#pollReceives()
    if (this.#plan.program.behaviour === 'watch') this.#look()
    while (this.failure === null && this.#mayPost()) if (!this.#post(nowPs)) return
  }

  #mayPost(): boolean {
    const { program, role, iterations } = this.#plan
    const { sends, receives } = this.completions
    if (this.#posted >= iterations || this.#posted - sends >= program.depth) return false
    if (program.behaviour === 'stream') return role === 'client'
    const isFirst = role === (program.behaviour === 'ping' ? 'client' : 'server')
    const heard = program.behaviour === 'ping' ? receives : this.#seen
    return isFirst ? heard === this.#posted : heard > this.#posted
  }

  #post(nowPs: number): boolean {
    const { program, sizeBytes } = this.#plan
    const id = this.#posted
    const { key: remoteKey, address } = this.#remote
    const isAtomic = program.operation === OP_FETCH_ADD
    const offset = program.behaviour === 'stream' && !isAtomic ? offsetOf(id, sizeBytes) : 0
    if (program.behaviour === 'watch' && this.own.bytes !== null) this.own.bytes[sizeBytes - 1] = (id + 1) & 0xff
    const result = this.#pair?.postSend(nowPs, {
      id,
      operation: program.operation,
      region: this.own,
      address: this.own.address + (isAtomic ? 8 * (id % program.depth) : 0),
      lengthBytes: sizeBytes,
      remoteKey,
      remoteAddress: address + offset,
      ...(isAtomic ? { swap: 1n } : {}),
    })
    if (result !== 'posted') return false
    this.#posted++
    if (CHECKED) this.#expectCounts()
    return true
  }

  #expectCounts(): void {
    const { program, iterations } = this.#plan
    const open = this.#posted - this.completions.sends
    assert(this.#posted <= iterations, 'worker: more requests are posted than were asked for')
    assert(
      open >= 0 && open <= program.depth,
      'worker: more completions than requests, or more requests than have room',
    )
    assert(this.#seen <= iterations, 'worker: more WRITEs are seen than were to come')
  }

  #pollSends(): void {
    const entry = this.#entry
    while (this.failure === null && this.#sends.poll(entry)) {
      if (entry.status !== SUCCESS) this.failure = { kind: 'status', status: entry.status }
      else if (this.#plan.program.operation === OP_FETCH_ADD && !this.#isNextOriginal(entry.id))
        this.failure = { kind: 'bytes', message: entry.id }
      else this.completions.sends++
    }
    if (CHECKED) this.#expectCounts()
  }

  /** Every addition of 1 finds the sum of those before it: each is done once. */
  #isNextOriginal(id: number): boolean {
    const at = this.own.address + 8 * (id % this.#plan.program.depth)
    const original = (BigInt(this.own.high(at)) << 32n) | BigInt(this.own.low(at))
    const isNext = this.#lastOriginal === null || original === BigInt.asUintN(64, this.#lastOriginal + 1n)
    this.#lastOriginal = original
    return isNext
  }

  #pollReceives(): void {
    const entry = this.#entry
    while (this.failure === null && this.#receives.poll(entry)) {
      const message = this.completions.receives
      if (entry.status !== SUCCESS) this.failure = { kind: 'status', status: entry.status }
      else if (!this.#isAsSent(entry.lengthBytes)) this.failure = { kind: 'bytes', message }
      else this.completions.receives++
      this.#postReceive()
    }
  }

  /** pingpong sends one byte value; memory is cleared after each message, so that the next one has to be whole. */
  #isAsSent(lengthBytes: number): boolean {
    const { program } = this.#plan
    const { bytes } = this.open
    if (program.exchange !== 'pingpong' || bytes === null) return true
    const found = bytes.subarray(0, lengthBytes)
    const isRight = lengthBytes === this.#plan.sizeBytes && found.every((byte) => byte === PINGPONG_BYTE)
    found.fill(0)
    return isRight
  }

  #look(): void {
    const { role, iterations, sizeBytes } = this.#plan
    const byte = this.open.bytes?.[sizeBytes - 1]
    if (this.#seen >= iterations || (role === 'server' && this.#posted === this.#seen)) return
    if (byte === ((this.#seen + 1) & 0xff)) this.#seen++
  }

  #postReceive(): void {
    const { memoryBytes } = this.#plan
    this.#pair?.postReceive({ id: 0, region: this.open, address: this.open.address, lengthBytes: memoryBytes })
  }
}

/** Where in the other end's memory request `id` begins. */
export function offsetOf(id: number, sizeBytes: number): number {
  const stepBytes = Math.ceil(sizeBytes / LINE_BYTES) * LINE_BYTES
  return stepBytes * (id % Math.max(1, Math.floor(PAGE_BYTES / stepBytes)))
}
