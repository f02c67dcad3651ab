/**
 * Hop rows: the way of each packet that completed a message, a row a hop: when it could have left each port, when it did,
 * who paused the port meanwhile, and the queue pairs whose frames left it first.
 */
import type { Origin } from '../pauses/origins.ts'
import { type Column, createTable, type Table } from '../../../core/results/table.ts'
import { leftOutColumn } from '../event-log.ts'
import type { PortName } from './port-totals.ts'

/** Queue pairs that are named; the rest is the sum of the others. */
export const NAMED = 3

/** Integers of a row: queue pair, message, hop, port, origin of pauses, then the queue pairs that are named. */
const INTEGERS = 5 + NAMED
/** Doubles: ready, start, time onto the link, paused, paused by the origin, then the times of the queue pairs. */
const DOUBLES = 5 + NAMED
const CHUNK_ROWS = 1024

export interface HopRow {
  readonly pair: number
  readonly message: number
  /** 0 at the NIC. */
  readonly hop: number
  readonly port: number
  /** When it was in the port's queue; at the NIC, when it left. */
  readonly queuedPs: number
  readonly startPs: number
  readonly wirePs: number
  readonly pausedPs: number
  /** Origin of the longest part of the pauses, and that part; -1: not paused. */
  readonly origin: number
  readonly originPs: number
  /** The queue pairs whose frames took most of the time, most first: number and time, NAMED at most. */
  readonly before: readonly (readonly [pair: number, spanPs: number])[]
}

/** Names for the numbers of a row. */
interface HopNames {
  readonly origins: readonly Origin[]
  /** Node and local index of a port. */
  readonly portOf: (port: number) => PortName
}

export class HopRows {
  readonly #maxRows: number
  readonly #integers: Int32Array[] = []
  readonly #doubles: Float64Array[] = []
  #count = 0
  #leftOut = 0

  constructor(maxRows: number) {
    this.#maxRows = maxRows
  }

  /** Whether a row that is added is kept. */
  get isOpen(): boolean {
    return this.#count < this.#maxRows
  }

  /** Counts rows that are not kept. */
  leaveOut(rows: number): void {
    this.#leftOut += rows
  }

  add(row: HopRow): void {
    const at = this.#count++ % CHUNK_ROWS
    if (at === 0) {
      this.#integers.push(new Int32Array(INTEGERS * CHUNK_ROWS).fill(-1))
      this.#doubles.push(new Float64Array(DOUBLES * CHUNK_ROWS))
    }
    const integers = this.#integers.at(-1)!
    const doubles = this.#doubles.at(-1)!
    const [integerAt, doubleAt] = [at * INTEGERS, at * DOUBLES]
    integers[integerAt] = row.pair
    integers[integerAt + 1] = row.message
    integers[integerAt + 2] = row.hop
    integers[integerAt + 3] = row.port
    integers[integerAt + 4] = row.origin
    doubles[doubleAt] = row.queuedPs
    doubles[doubleAt + 1] = row.startPs
    doubles[doubleAt + 2] = row.wirePs
    doubles[doubleAt + 3] = row.pausedPs
    doubles[doubleAt + 4] = row.originPs
    for (let i = 0; i < row.before.length; i++) {
      const [pair, spanPs] = row.before[i]!
      integers[integerAt + 5 + i] = pair
      doubles[doubleAt + 5 + i] = spanPs
    }
  }

  table(name: string, { origins, portOf }: HopNames): Table {
    const field = (chunks: readonly (Int32Array | Float64Array)[], width: number, index: number): Float64Array => {
      const data = new Float64Array(this.#count)
      for (let row = 0; row < data.length; row++)
        data[row] = chunks[Math.floor(row / CHUNK_ROWS)]![(row % CHUNK_ROWS) * width + index]!
      return data
    }
    const integer = (index: number): Float64Array => field(this.#integers, INTEGERS, index)
    const double = (index: number): Float64Array => field(this.#doubles, DOUBLES, index)
    const integers = (title: string, data: Float64Array): Column => ({ name: title, type: 'integer', data })
    const texts = (title: string, data: readonly string[]): Column => ({ name: title, type: 'text', data })
    const ports = Array.from(integer(3), portOf)
    const [queuedPs, startPs, pausedPs] = [double(0), double(1), double(3)]
    const named = Array.from({ length: NAMED }, (_, i) => ({ pair: integer(5 + i), spanPs: double(5 + i) }))
    const aheadPs = startPs.map((start, row) => start - queuedPs[row]! - pausedPs[row]!)
    return createTable(name, [
      integers('pair', integer(0)),
      integers('message', integer(1)),
      integers('hop', integer(2)),
      integers(
        'node',
        Float64Array.from(ports, ({ node }) => node),
      ),
      texts(
        'nodeName',
        ports.map((port) => port.name),
      ),
      integers(
        'port',
        Float64Array.from(ports, ({ index }) => index),
      ),
      integers('queuedPs', queuedPs),
      integers('startPs', startPs),
      integers('wirePs', double(2)),
      integers('pausedPs', pausedPs),
      texts(
        'pausedBy',
        Array.from(integer(4), (origin) => origins[origin]?.name ?? ''),
      ),
      integers('pausedByPs', double(4)),
      integers('queuePs', aheadPs),
      ...named.flatMap(({ pair, spanPs }, i) => [
        integers(`before${i + 1}`, pair),
        integers(`before${i + 1}Ps`, spanPs),
      ]),
      integers(
        'beforeOthersPs',
        aheadPs.map((ahead, row) => named.reduce((left, { spanPs }) => left - spanPs[row]!, ahead)),
      ),
      leftOutColumn(this.#count, this.#leftOut),
    ])
  }
}
