/**
 * Closed loop over connections: each keeps a number of messages under way and posts the next when one is finished.
 * First messages go out at the start, connection by connection, as many rounds as may be outstanding.
 */
import { NEVER_PS } from '../base/params.ts'
import type { Message, Source, Waiting } from './workload.ts'

/** Two host positions. */
export interface Pair {
  readonly source: number
  readonly destination: number
}

/** Messages under way in all, at most: what a table of them can hold. */
export const IN_FLIGHT_MAX = 2 ** 24 - 1

export interface Loop {
  /** One connection per entry, numbered from 0. */
  readonly connections: readonly Pair[]
  readonly sizeBytes: number
  /** Messages under way on each connection, 1 or more. */
  readonly outstanding: number
  /** Messages on each connection in all; null: no end. */
  readonly messages: number | null
  readonly startPs: number
  /** No message is posted from this time on. */
  readonly untilPs: number
  readonly label: (out: Message) => void
}

/** A source that runs the loop. */
export function createLoopSource(loop: Loop): Source {
  return new LoopSource(loop)
}

class LoopSource implements Source {
  nextStartPs: number
  readonly #loop: Loop
  /** Per connection: messages posted or waiting in the ring. */
  readonly #posted: Float64Array
  /** Connection of each message under way, by message number. */
  readonly #connectionOf = new Map<number, number>()
  /** Ring of connections that may post, with the time since when, in order of time. */
  readonly #readyConnection: Int32Array
  readonly #readyPs: Float64Array
  #head = 0
  #length = 0
  #messageNumber = 0

  get leftBytes(): number {
    const { messages, connections, sizeBytes } = this.#loop
    return messages === null ? Infinity : (messages * connections.length - this.#messageNumber) * sizeBytes
  }

  constructor(loop: Loop) {
    this.#loop = loop
    const count = loop.connections.length
    const rounds = Math.min(loop.outstanding, loop.messages ?? Infinity)
    this.#posted = new Float64Array(count)
    this.#readyConnection = new Int32Array(count * rounds)
    this.#readyPs = new Float64Array(count * rounds)
    for (let round = 0; round < rounds; round++) {
      for (let connection = 0; connection < count; connection++) this.#makeReady(loop.startPs, connection)
    }
    this.nextStartPs = this.#firstReadyPs()
  }

  take(out: Message): void {
    const connection = this.#readyConnection[this.#head]!
    const { source, destination } = this.#loop.connections[connection]!
    this.#loop.label(out)
    out.startPs = this.nextStartPs
    out.source = source
    out.destination = destination
    out.sizeBytes = this.#loop.sizeBytes
    out.connection = connection
    this.#connectionOf.set(this.#messageNumber++, connection)
    this.#head = (this.#head + 1) % this.#readyPs.length
    this.#length--
    this.nextStartPs = this.#firstReadyPs()
  }

  onComplete(nowPs: number, messageNumber: number): void {
    const connection = this.#connectionOf.get(messageNumber)
    if (connection === undefined) return
    this.#connectionOf.delete(messageNumber)
    this.#makeReady(nowPs, connection)
    this.nextStartPs = this.#firstReadyPs()
  }

  waiting(nowPs: number): readonly Waiting[] {
    const { messages, untilPs, connections } = this.#loop
    if (messages === null || nowPs >= untilPs) return []
    const left = Array.from(connections, (_, connection) => messages - this.#posted[connection]!)
    for (let i = 0; i < this.#length; i++) left[this.#readyConnection[(this.#head + i) % this.#readyPs.length]!]!++
    const behind = connections.map(() => -1)
    // Numbers go up, so that the last one seen from behind is the first.
    for (const [number, connection] of [...this.#connectionOf].toReversed()) behind[connection] = number
    return connections.flatMap((_, connection) => {
      const hasBegun = left[connection]! < messages
      return hasBegun && left[connection]! > 0 ? [{ behind: behind[connection]!, messages: left[connection]! }] : []
    })
  }

  #makeReady(timePs: number, connection: number): void {
    const { messages, untilPs } = this.#loop
    if (timePs >= untilPs || this.#posted[connection]! >= (messages ?? Infinity)) return
    this.#posted[connection]!++
    const slot = (this.#head + this.#length++) % this.#readyPs.length
    this.#readyConnection[slot] = connection
    this.#readyPs[slot] = timePs
  }

  #firstReadyPs(): number {
    return this.#length > 0 ? this.#readyPs[this.#head]! : NEVER_PS
  }
}
