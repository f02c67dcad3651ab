/**
 * Exchange out of band: two programs tell each other their queue pairs over a stream of bytes, before RDMA traffic and after
 * it. Contracts and parts that the exchanges of all programs share; no sockets.
 */

/** A queue pair as its owner describes it to the other end. */
export interface PairRecord {
  readonly qp: number
  /** First PSN of its requests. */
  readonly psn: number
  /** 4 or 16 bytes. */
  readonly ip: Uint8Array
  /** Memory that the other end may use; key 0: none. */
  readonly key: number
  readonly address: number
  /** READs and atomics that it takes. */
  readonly reads: number
}

export interface ExchangeHost {
  /** Describes queue pair `index`, which is made when it is asked for first; null: there are too many. */
  local(index: number): PairRecord | null
  /** Describes the other end's queue pair `index`: it is to be connected with ours. */
  onRemote(index: number, record: PairRecord, mtuBytes: number): void
  /** This end has nothing more to do with RDMA. */
  readonly isWorkDone: boolean
  /** This end has posted all requests and has those of the other end: nothing but acknowledgements is missing. */
  readonly isAllPosted: boolean
  /** Figures of a report: bytes of a request, requests, MB/s at best and on average, million requests per second. */
  readonly figures: readonly [bigint, bigint, number, number, number]
}

/** Why an exchange failed. */
export type ExchangeFailure =
  | { readonly kind: 'version'; readonly ours: string; readonly theirs: string }
  | { readonly kind: 'content'; readonly expected: string; readonly received: string }
  | { readonly kind: 'closed'; readonly waitingFor: string }

export interface Exchange {
  /** Takes bytes of the stream, in pieces of any length. */
  onData(bytes: Uint8Array): void
  /** The other end has closed the stream. */
  onEnd(): void
  /** Looks whether work has ended meanwhile, and gives the bytes to be sent, which may be none. */
  takeData(): Uint8Array
  /** `closing`: traffic has ended; `ended`: the stream can be closed. */
  readonly stage: 'opening' | 'traffic' | 'closing' | 'ended' | 'failed'
  readonly failure: ExchangeFailure | null
  /** Messages of the other end that were whole and right. */
  readonly heard: number
}

export type Role = 'server' | 'client'

/** One message of each end. */
export interface Step {
  /** In words, for failures. */
  readonly name: string
  readonly bytes: number
  /** Makes our message; the server's is made after the client's was read. */
  write(): Uint8Array | null
  /** Reads the other end's; a failure: it is refused. */
  read(bytes: Uint8Array): ExchangeFailure | null
  /** Not to be begun (client) or answered (server) before this end's work has ended. */
  readonly isAfterWork?: boolean
}

/** The longest input that can wait: one message. */
const WAITING_BYTES_MAX = 4096

/** An exchange in steps, in each of which the client writes and the server answers. */
export abstract class SteppedExchange implements Exchange {
  stage: Exchange['stage'] = 'opening'
  failure: ExchangeFailure | null = null
  heard = 0
  protected readonly role: Role
  protected readonly host: ExchangeHost
  private waiting = new Uint8Array(0)
  private out: Uint8Array[] = []
  private step: Step | null = null
  private hasAsked = false

  constructor(role: Role, host: ExchangeHost) {
    this.role = role
    this.host = host
  }

  /** The step after those that are done; null: it was the last. */
  protected abstract next(): Step | null

  onData(bytes: Uint8Array): void {
    if (this.stage === 'ended' || this.stage === 'failed') return
    const joined = new Uint8Array(this.waiting.length + bytes.length)
    joined.set(this.waiting)
    joined.set(bytes, this.waiting.length)
    this.waiting = joined
    this.advance()
    if (this.waiting.length > WAITING_BYTES_MAX) this.refuse(contentFailure('nothing more', this.waiting))
  }

  onEnd(): void {
    this.advance()
    if (this.stage === 'ended' || this.stage === 'failed') return
    // A program that has nothing more to say ends before its last acknowledgement is here.
    if (this.step?.bytes === 0 && this.host.isAllPosted) return
    this.refuse({ kind: 'closed', waitingFor: this.step?.name ?? 'the first message' })
  }

  takeData(): Uint8Array {
    this.advance()
    const parts = this.out
    this.out = []
    return joinedBytes(parts)
  }

  protected refuse(failure: ExchangeFailure): void {
    this.stage = 'failed'
    this.failure = failure
    this.waiting = new Uint8Array(0)
  }

  private advance(): void {
    while (this.stage !== 'ended' && this.stage !== 'failed') {
      this.step ??= this.next()
      if (this.step === null) {
        this.stage = 'ended'
        return
      }
      if (!this.take(this.step)) return
    }
  }

  /** False: the step waits. */
  private take(step: Step): boolean {
    if (step.isAfterWork === true) {
      this.stage = this.host.isWorkDone ? 'closing' : 'traffic'
      if (!this.host.isWorkDone) return false
    }
    if (this.role === 'client' && !this.hasAsked && !this.send(step)) return false
    if (this.waiting.length < step.bytes) return false
    const theirs = this.waiting.slice(0, step.bytes)
    this.waiting = this.waiting.slice(step.bytes)
    const failure = step.read(theirs)
    if (failure !== null) {
      this.refuse(failure)
      return false
    }
    this.heard++
    if (this.role === 'server' && !this.send(step)) return false
    this.step = null
    this.hasAsked = false
    return true
  }

  private send(step: Step): boolean {
    const bytes = step.write()
    if (bytes === null) {
      this.refuse({ kind: 'content', expected: 'fewer queue pairs', received: 'one more' })
      return false
    }
    this.hasAsked = true
    if (bytes.length > 0) this.out.push(bytes)
    return true
  }
}

export const DONE: Uint8Array = Uint8Array.of(0x64, 0x6f, 0x6e, 0x65, 0)

/** Text and a NUL, filled up with NULs to a length. */
export function textBytes(text: string, bytes: number): Uint8Array {
  const out = new Uint8Array(bytes)
  for (let at = 0; at < text.length; at++) out[at] = text.charCodeAt(at)
  return out
}

/** Text before the first NUL, where all of it is ASCII that can be printed; others as a dot. */
export function textOf(bytes: Uint8Array): string {
  const end = bytes.indexOf(0)
  return [...bytes.subarray(0, end < 0 ? bytes.length : end)]
    .map((byte) => (byte >= 0x20 && byte < 0x7f ? String.fromCharCode(byte) : '.'))
    .join('')
}

export function contentFailure(expected: string, received: Uint8Array): ExchangeFailure {
  return { kind: 'content', expected, received: textOf(received).slice(0, 120) }
}

export const hex = (value: number, digits: number): string => value.toString(16).padStart(digits, '0')

function joinedBytes(parts: readonly Uint8Array[]): Uint8Array {
  const bytes = new Uint8Array(parts.reduce((sum, part) => sum + part.length, 0))
  let at = 0
  for (const part of parts) {
    bytes.set(part, at)
    at += part.length
  }
  return bytes
}
