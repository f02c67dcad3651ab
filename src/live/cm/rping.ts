/**
 * The two roles of rping above verbs, sans-IO. Client: SEND of the address of a source buffer, SEND of the address of a sink;
 * server: READ of the source, SEND, WRITE to the sink, SEND. The client compares both buffers.
 * Source: librdmacm 44 (rping), read from what it sends; spec of the message: address 8 bytes, key 4, length 4, big-endian.
 */
import {
  Completion,
  type CompletionQueue,
  type Device,
  LOCAL_WRITE,
  type MemoryRegion,
  OP_READ,
  OP_RECEIVE,
  OP_SEND,
  OP_WRITE,
  type QueuePair,
  REMOTE_READ,
  REMOTE_WRITE,
  SUCCESS,
} from '../../core/verbs/index.ts'

export const RPING_PORT = 7174
/** Longest buffer of rping, and the usual one. */
export const RPING_BYTES_MAX = 65_535
export const RPING_BYTES = 64
const MESSAGE_BYTES = 16
/** Letters of the buffers: from A to z, and round again. */
const LETTERS = { first: 65, count: 58 }

export type RpingRole = 'client' | 'server'

/** "protocol": a message that rping does not send there; "buffer": longer than ours; "data": what came back differs. */
export type RpingFailure = 'protocol' | 'buffer' | 'data' | 'status'

export interface RpingPlan {
  readonly role: RpingRole
  readonly device: Device
  readonly domain: number
  /** Not connected yet. */
  readonly pair: Pick<QueuePair, 'postSend' | 'postReceive'>
  /** For this pair alone, in both directions. */
  readonly completions: CompletionQueue
  /** Client: bytes of a buffer; server: longest that it takes. */
  readonly sizeBytes: number
  /** Client: pings until it has finished. */
  readonly count: number
}

/** A buffer of the other end. */
interface Remote {
  readonly remoteAddress: number
  readonly remoteKey: number
  readonly lengthBytes: number
}

/** Messages and completions that the program waits for. */
type Waiting = 'source' | 'read' | 'sink' | 'write' | 'first answer' | 'second answer' | 'nothing'

/** The content of the source buffer in a ping, as rping fills it. */
export function rpingData(ping: number, sizeBytes: number): Uint8Array {
  const text = `rdma-ping-${ping}: `
  const bytes = Uint8Array.from({ length: sizeBytes }, (_, at) =>
    at < text.length ? text.charCodeAt(at) : LETTERS.first + ((ping + at - text.length) % LETTERS.count),
  )
  if (sizeBytes > 0) bytes[sizeBytes - 1] = 0
  return bytes
}

export class Rping {
  /** Pings that are complete. */
  pings = 0
  failure: RpingFailure | null = null
  /** Client: all pings are complete. */
  isFinished = false
  readonly #plan: RpingPlan
  readonly #inbox: MemoryRegion
  readonly #outbox: MemoryRegion
  /** Client: source and sink. Server: where it reads to, twice. */
  readonly #source: MemoryRegion
  readonly #sink: MemoryRegion
  readonly #completion = new Completion()
  #waiting: Waiting = 'nothing'
  #lengthBytes = 0

  /** Registers its memory, zeroed, and posts a receive. */
  constructor(plan: RpingPlan) {
    this.#plan = plan
    const { device, domain, sizeBytes, role } = plan
    const region = (access: number, bytes: number): MemoryRegion => {
      return device.register(domain, access, new Uint8Array(bytes))
    }
    this.#inbox = region(LOCAL_WRITE, MESSAGE_BYTES)
    this.#outbox = region(0, MESSAGE_BYTES)
    const isClient = role === 'client'
    this.#source = region(isClient ? REMOTE_READ : LOCAL_WRITE, sizeBytes)
    this.#sink = isClient ? region(LOCAL_WRITE | REMOTE_WRITE, sizeBytes) : this.#source
    if (!isClient) this.#waiting = 'source'
    this.#receive()
  }

  /** Client: the pair is connected. */
  start(nowPs: number): void {
    if (this.#plan.role === 'client') this.#ping(nowPs)
  }

  /** Takes completions and posts what follows. */
  advance(nowPs: number): void {
    while (this.failure === null && this.#plan.completions.poll(this.#completion)) this.#onCompletion(nowPs)
  }

  /** Withdraws its memory: the connection has ended. */
  close(): void {
    for (const { key } of [this.#inbox, this.#outbox, this.#source, this.#sink]) this.#plan.device.invalidate(key)
  }

  /** Data of a server's last READ, or the source of a client. */
  get data(): Uint8Array {
    return (this.#source.bytes ?? new Uint8Array(0)).slice(0, this.#lengthBytes)
  }

  #onCompletion(nowPs: number): void {
    const { status, operation, lengthBytes } = this.#completion
    if (status !== SUCCESS) {
      this.failure = 'status'
      return
    }
    if (operation !== OP_RECEIVE) {
      this.#onDone(nowPs)
      return
    }
    const remote = this.#remoteOf(lengthBytes)
    this.#receive()
    if (remote === null) this.failure = 'protocol'
    else this.#onMessage(nowPs, remote)
  }

  #onMessage(nowPs: number, remote: Remote): void {
    switch (this.#waiting) {
      case 'source':
        this.#transfer(nowPs, OP_READ, 'read', remote)
        break
      case 'sink':
        this.#transfer(nowPs, OP_WRITE, 'write', remote)
        break
      case 'first answer':
        this.#sendAbout(nowPs, this.#sink, 'second answer')
        break
      case 'second answer':
        this.#onPong(nowPs)
        break
      default:
        this.failure = 'protocol'
    }
  }

  /** A READ or a WRITE is complete. */
  #onDone(nowPs: number): void {
    const isRead = this.#waiting === 'read'
    if (!isRead && this.#waiting !== 'write') return
    if (!isRead) this.pings++
    this.#sendAbout(nowPs, null, isRead ? 'sink' : 'source')
  }

  #onPong(nowPs: number): void {
    const { sizeBytes, count } = this.#plan
    const [source, sink] = [this.#source.bytes, this.#sink.bytes]
    for (let at = 0; at < sizeBytes; at++) if (source?.[at] !== sink?.[at]) this.failure = 'data'
    if (this.failure !== null) return
    this.pings++
    this.isFinished = this.pings >= count
    if (this.isFinished) this.#waiting = 'nothing'
    else this.#ping(nowPs)
  }

  #ping(nowPs: number): void {
    const { sizeBytes } = this.#plan
    this.#source.bytes?.set(rpingData(this.pings, sizeBytes))
    this.#sink.bytes?.fill(0)
    this.#lengthBytes = sizeBytes
    this.#sendAbout(nowPs, this.#source, 'first answer')
  }

  #transfer(nowPs: number, operation: typeof OP_READ | typeof OP_WRITE, next: Waiting, remote: Remote): void {
    if (remote.lengthBytes > this.#plan.sizeBytes) {
      this.failure = 'buffer'
      return
    }
    if (operation === OP_READ) this.#lengthBytes = remote.lengthBytes
    const { address } = this.#source
    this.#waiting = next
    this.#post(this.#plan.pair.postSend(nowPs, { id: 1, operation, region: this.#source, address, ...remote }))
  }

  /** SENDs a message about a buffer; null: one of zeros. */
  #sendAbout(nowPs: number, region: MemoryRegion | null, next: Waiting): void {
    const bytes = this.#outbox.bytes ?? new Uint8Array(MESSAGE_BYTES)
    const view = new DataView(bytes.buffer)
    view.setBigUint64(0, BigInt(region?.address ?? 0))
    view.setUint32(8, region?.key ?? 0)
    view.setUint32(12, region?.lengthBytes ?? 0)
    this.#waiting = next
    const { address } = this.#outbox
    const what = { region: this.#outbox, address, lengthBytes: MESSAGE_BYTES, isUnsignalled: true }
    this.#post(this.#plan.pair.postSend(nowPs, { id: 2, operation: OP_SEND, ...what }))
  }

  #receive(): void {
    const { address } = this.#inbox
    this.#post(this.#plan.pair.postReceive({ id: 3, region: this.#inbox, address, lengthBytes: MESSAGE_BYTES }))
  }

  #post(result: string): void {
    if (result !== 'posted') this.failure = 'protocol'
  }

  /** The buffer that a message names; null: it is no message of rping. */
  #remoteOf(lengthBytes: number): Remote | null {
    const bytes = this.#inbox.bytes
    if (bytes === null || lengthBytes !== MESSAGE_BYTES) return null
    const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength)
    const address = view.getBigUint64(0)
    if (address > BigInt(Number.MAX_SAFE_INTEGER)) return null
    return { remoteAddress: Number(address), remoteKey: view.getUint32(8), lengthBytes: view.getUint32(12) }
  }
}
