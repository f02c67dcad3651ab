/**
 * User: an honest program at one end of a connection. It keeps requests of all kinds outstanding, knows what each may change,
 * and holds every completion and every byte of its memory against that. Its expectations come from what it posted and from
 * fixed patterns, not from the queue pair.
 */
import {
  Completion,
  CompletionQueue,
  LOCAL_WRITE,
  type MemoryRegion,
  OP_COMPARE_SWAP,
  OP_FETCH_ADD,
  OP_READ,
  OP_RECEIVE,
  OP_SEND_IMMEDIATE,
  OP_WRITE,
  OP_WRITE_IMMEDIATE,
  type Operation,
  REMOTE_ATOMIC,
  REMOTE_READ,
  REMOTE_WRITE,
  SUCCESS,
} from '../../src/core/verbs/index.ts'
import type { LiveEndpoint } from '../../src/live/peer/endpoint.ts'
import type { LivePair } from '../../src/live/peer/live-pair.ts'

/** A number from 0 to `below` - 1. */
export type Draw = (below: number) => number

export const DEPTH = 6
const SLOT_BYTES = 2560
const RECEIVES = 12
const RECEIVE_BYTES = 1200
const GUARD_BYTES = 64
const GUARD = 0x5c
const OPERATIONS: readonly Operation[] = [
  OP_WRITE,
  OP_READ,
  OP_SEND_IMMEDIATE,
  OP_FETCH_ADD,
  OP_WRITE_IMMEDIATE,
  OP_COMPARE_SWAP,
]

/** Regions of a user, by what others may do with them: `open` is written, `shown` read, `counter` added to, the rest closed. */
const LAYOUT = {
  open: { access: LOCAL_WRITE | REMOTE_WRITE, bytes: DEPTH * SLOT_BYTES },
  shown: { access: REMOTE_READ, bytes: 4096 },
  counter: { access: LOCAL_WRITE | REMOTE_ATOMIC, bytes: 16 },
  source: { access: 0, bytes: 4096 },
  sink: { access: LOCAL_WRITE, bytes: DEPTH * SLOT_BYTES },
  inbox: { access: LOCAL_WRITE, bytes: RECEIVES * (RECEIVE_BYTES + GUARD_BYTES) },
  secret: { access: 0, bytes: 512 },
} as const
type RegionName = keyof typeof LAYOUT
const NAMES = Object.keys(LAYOUT) as RegionName[]
/** Regions whose bytes change by nothing that arrives. */
const CONSTANT: readonly RegionName[] = ['shown', 'source', 'secret']
/** Regions that no other end may use. */
const CLOSED: readonly RegionName[] = ['source', 'sink', 'inbox', 'secret']

const patternAt = (at: number): number => (at * 131 + (at >> 7) * 17 + 3) & 0xff

interface Posted {
  readonly id: number
  readonly operation: Operation
  readonly slot: number
  /** In the other end's memory, and in `source`. */
  readonly offset: number
  readonly lengthBytes: number
  readonly immediate: number
}

const isTelling = ({ operation }: Posted): boolean =>
  operation === OP_SEND_IMMEDIATE || operation === OP_WRITE_IMMEDIATE

export class User {
  live: LivePair | null = null
  /** One line for each completion: what was done, as this end sees it. */
  readonly log: string[] = []
  /** Packets of other makers that looked right have come, by what they are: what follows may be theirs. */
  readonly forged = { requests: false, responses: false, acks: false }
  /** The law that was broken first. */
  broken: string | null = null
  completions = 0
  /** A completion has said that the queue pair is in error. */
  hasFailed = false
  readonly regions: Readonly<Record<RegionName, MemoryRegion>>
  readonly #memory: Uint8Array
  readonly #shadow: Uint8Array
  readonly #at: Readonly<Record<RegionName, number>>
  readonly #sends = new CompletionQueue(DEPTH + 8)
  readonly #receives = new CompletionQueue(RECEIVES + 8)
  readonly #entry = new Completion()
  readonly #posted: Posted[] = []
  readonly #waiting: number[] = []
  readonly #draw: Draw
  readonly #endpoint: LiveEndpoint
  #other: User | null = null
  #next = 0
  #nextReceive = 0
  /** Numbers of SENDs and WRITEs with immediate that have come. */
  #heard = 0
  #announced = 0
  #additions = 0
  /** Posting has ended: what is outstanding completes. */
  isStopped = false

  constructor(endpoint: LiveEndpoint, domain: number, draw: Draw) {
    this.#endpoint = endpoint
    this.#draw = draw
    let bytes = GUARD_BYTES
    const at = {} as Record<RegionName, number>
    for (const name of NAMES) {
      at[name] = bytes
      bytes += LAYOUT[name].bytes + GUARD_BYTES
    }
    this.#at = at
    this.#memory = new Uint8Array(bytes).fill(GUARD)
    const regions = {} as Record<RegionName, MemoryRegion>
    for (const name of NAMES) {
      const view = this.#memory.subarray(at[name], at[name] + LAYOUT[name].bytes)
      for (let n = 0; n < view.length; n++) view[n] = CONSTANT.includes(name) ? patternAt(n) : 0
      regions[name] = endpoint.device.register(domain, LAYOUT[name].access, view)
    }
    this.regions = regions
    this.#shadow = this.#memory.slice()
    const queues = { sendCompletions: this.#sends, receiveCompletions: this.#receives }
    this.live = endpoint.createPair({ domain, ...queues, sendDepth: DEPTH, receiveDepth: RECEIVES })
  }

  /** Begins, with the queue pair ready to send. */
  begin(other: User): void {
    this.#other = other
    for (let n = 0; n < RECEIVES; n++) this.#postReceive()
  }

  get outstanding(): number {
    return this.#posted.length
  }

  advance(nowPs: number): void {
    const entry = this.#entry
    while (this.#sends.poll(entry)) this.#onSend(entry)
    while (this.#receives.poll(entry)) this.#onReceive(entry)
    if (this.live === null || this.isStopped || this.hasFailed) return
    while (this.#posted.length < DEPTH && this.#post(nowPs));
  }

  /** Holds the memory against what may have changed. */
  check(): void {
    const { live } = this
    for (const name of ['open', 'counter'] as const) {
      const [from, to] = [this.#at[name], this.#at[name] + LAYOUT[name].bytes]
      this.#shadow.set(this.#memory.subarray(from, to), from)
    }
    const end = Buffer.compare(this.#memory, this.#shadow) === 0 ? 0 : this.#memory.length
    for (let at = 0; at < end; at++) {
      if (this.#memory[at] === this.#shadow[at]) continue
      if (this.#mayChange(at)) this.#shadow[at] = this.#memory[at]!
      else this.#break(`byte ${at} of memory changed, in ${this.#nameOf(at)}`)
    }
    // Without remote rights, no packet can invalidate a key.
    if (live !== null && CLOSED.some((name) => !this.regions[name].isValid))
      this.#break('a closed region was invalidated')
    // Receives are always posted, so a queue pair in error has completed one as failed.
    if (live?.state === 'error' && !this.hasFailed) this.#break('in error without a completion that says so')
    if (live?.state === 'error' && this.#posted.length > 0) this.#break('in error with requests outstanding')
  }

  close(): void {
    if (this.live !== null) this.#endpoint.destroyPair(this.live)
    this.live = null
    for (const name of NAMES) this.#endpoint.device.invalidate(this.regions[name].key)
  }

  #post(nowPs: number): boolean {
    const other = this.#other!
    const id = this.#next
    const operation = OPERATIONS[this.#draw(OPERATIONS.length)]!
    const isAtomic = operation >= OP_COMPARE_SWAP
    const isMessage = operation === OP_SEND_IMMEDIATE
    const lengthBytes = isAtomic ? 8 : this.#draw(isMessage ? RECEIVE_BYTES : SLOT_BYTES + 1)
    const slot = id % DEPTH
    const isLong = lengthBytes > 0 && this.#draw(4) > 0
    const post: Posted = {
      id,
      operation,
      slot,
      offset: isAtomic ? (operation === OP_FETCH_ADD ? 0 : 8) : this.#draw(1000),
      lengthBytes: isLong || isAtomic ? lengthBytes : Math.min(lengthBytes, 64),
      immediate: this.#announced,
    }
    const isRead = operation >= OP_READ
    const remote = isAtomic ? 'counter' : operation === OP_READ ? 'shown' : 'open'
    const remoteAt = operation === OP_WRITE || operation === OP_WRITE_IMMEDIATE ? slot * SLOT_BYTES : post.offset
    const local = isRead ? this.regions.sink : this.regions.source
    const result = this.live!.pair.postSend(nowPs, {
      id,
      operation,
      region: local,
      address: local.address + (isRead ? slot * SLOT_BYTES : post.offset),
      lengthBytes: post.lengthBytes,
      remoteKey: other.regions[remote].key,
      remoteAddress: other.regions[remote].address + remoteAt,
      immediate: this.#announced,
      swap: operation === OP_FETCH_ADD ? 1n : BigInt(id),
      compare: 2n ** 60n,
    })
    if (result !== 'posted') return false
    if (operation === OP_SEND_IMMEDIATE || operation === OP_WRITE_IMMEDIATE) this.#announced++
    this.#next++
    this.#posted.push(post)
    return true
  }

  #onSend({ id, status, operation }: Completion): void {
    const post = this.#posted.shift()
    this.completions++
    this.log.push(`send ${id} ${operation} ${status}`)
    if (post === undefined || post.id !== id || post.operation !== operation) {
      this.#break(`request ${id} completes where ${post?.id ?? 'none'} was next`)
      return
    }
    if (status !== SUCCESS) this.hasFailed = true
    else if (this.hasFailed) this.#break(`request ${id} succeeds after one that failed`)
    else this.#verify(post)
    const from = this.#at.sink + post.slot * SLOT_BYTES
    this.#shadow.set(this.#memory.subarray(from, from + SLOT_BYTES), from)
  }

  /** A request has succeeded: what it read is what was there, what it wrote is there. */
  #verify({ operation, slot, offset, lengthBytes, id }: Posted): void {
    const other = this.#other!
    if (this.forged.responses || other.forged.requests) return
    const sinkAt = this.#at.sink + slot * SLOT_BYTES
    if (operation === OP_FETCH_ADD) {
      if (this.forged.acks) return
      const found = new DataView(this.#memory.buffer).getBigUint64(sinkAt, true)
      if (found !== BigInt(this.#additions++)) this.#break(`addition ${id} found ${found}`)
      return
    }
    const isWrite = operation === OP_WRITE || operation === OP_WRITE_IMMEDIATE
    if (operation !== OP_READ && (!isWrite || this.forged.acks)) return
    const found = operation === OP_READ ? this.#memory : other.#memory
    const at = operation === OP_READ ? sinkAt : other.#at.open + slot * SLOT_BYTES
    for (let n = 0; n < lengthBytes; n++)
      if (found[at + n] !== patternAt(offset + n)) return this.#break(`byte ${n} of request ${id} is wrong`)
  }

  #onReceive({ id, status, lengthBytes, operation, immediate }: Completion): void {
    const expected = this.#waiting.shift()
    this.completions++
    this.log.push(`receive ${id} ${operation} ${status} ${lengthBytes}`)
    if (id !== expected) this.#break(`receive ${id} completes where ${expected ?? 'none'} was next`)
    else if (status !== SUCCESS) this.hasFailed = true
    else if (this.hasFailed) this.#break(`receive ${id} succeeds after one that failed`)
    else if (lengthBytes > (operation === OP_RECEIVE ? RECEIVE_BYTES : LAYOUT.open.bytes))
      this.#break(`receive ${id} has ${lengthBytes} bytes`)
    const at = this.#at.inbox + (id % RECEIVES) * (RECEIVE_BYTES + GUARD_BYTES)
    const { acks, responses } = this.#other!.forged
    if (status === SUCCESS && !this.forged.requests && !acks && !responses) {
      if (immediate !== this.#heard++) this.#break(`message ${immediate} comes as ${this.#heard - 1}`)
      const sent = this.#other!.#posted.find((post) => isTelling(post) && post.immediate === immediate)
      // The bytes of a WRITE are held against it when it completes.
      const isRight = (_: unknown, n: number): boolean => this.#memory[at + n] === patternAt((sent?.offset ?? 0) + n)
      // An end that has failed has no requests any more, though some are on the way.
      const isOver = sent === undefined && this.#other!.hasFailed
      if (!isOver && sent?.lengthBytes !== lengthBytes) this.#break(`message ${immediate} has ${lengthBytes} bytes`)
      else if (!isOver && operation === OP_RECEIVE && !Array.from({ length: lengthBytes }, isRight).every(Boolean))
        this.#break(`bytes of message ${immediate} are wrong`)
    }
    this.#shadow.set(this.#memory.subarray(at, at + RECEIVE_BYTES), at)
    if (status === SUCCESS) this.#postReceive()
  }

  #postReceive(): void {
    const { inbox } = this.regions
    const id = this.#nextReceive
    const address = inbox.address + (id % RECEIVES) * (RECEIVE_BYTES + GUARD_BYTES)
    const work = { id, region: inbox, address, lengthBytes: RECEIVE_BYTES }
    if (this.live?.pair.postReceive(work) !== 'posted') return
    this.#nextReceive++
    this.#waiting.push(id)
  }

  #nameOf(at: number): string {
    return NAMES.find((name) => at >= this.#at[name] && at < this.#at[name] + LAYOUT[name].bytes) ?? 'a guard'
  }

  /** Memory that others may write, slots of requests that read, and buffers of receives that wait. */
  #mayChange(at: number): boolean {
    const name = this.#nameOf(at)
    if (name === 'open' || name === 'counter') return true
    if (name === 'sink') {
      const inSlot = at - this.#at.sink
      return this.#posted.some(
        ({ operation, slot, lengthBytes }) =>
          operation >= OP_READ && inSlot >= slot * SLOT_BYTES && inSlot < slot * SLOT_BYTES + lengthBytes,
      )
    }
    if (name !== 'inbox') return false
    const number = Math.floor((at - this.#at.inbox) / (RECEIVE_BYTES + GUARD_BYTES))
    const within = (at - this.#at.inbox) % (RECEIVE_BYTES + GUARD_BYTES)
    return within < RECEIVE_BYTES && this.#waiting.some((id) => id % RECEIVES === number)
  }

  #break(law: string): void {
    this.broken ??= law
  }
}
