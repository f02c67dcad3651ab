/**
 * Flow log: one row per message, in pages that may leave memory when their messages are over.
 */
import { type Column, columnInParts, type ColumnType, type Table } from '../../core/results/table.ts'
import { type ByteStore, FlowPages } from './flow-pages.ts'
import { STATUS } from './status.ts'

/** Index of each column in a row. */
const COLUMNS = {
  source: 0,
  destination: 1,
  sizeBytes: 2,
  startPs: 3,
  receivedPs: 4,
  acknowledgedPs: 5,
  idealPs: 6,
  idealAcknowledgedPs: 7,
  trafficClass: 8,
  sourcePort: 9,
  destinationPort: 10,
  pair: 11,
  messageOfPair: 12,
  // Counts of a queue pair that had one message; NaN: it had several, or still counts.
  retransmissions: 13,
  timeouts: 14,
  // Known when the message is over, and of others where a result is made.
  deliveredBytes: 15,
  status: 16,
  operation: 17,
  tag: 18,
} as const
/** Columns of texts, by their numbers in a list of words. */
type WordColumn = 'status' | 'operation' | 'tag'
type NumberColumn = Exclude<keyof typeof COLUMNS, WordColumn>
/** Columns that are known when a message is posted. */
type PostedColumns = Readonly<
  Record<
    Exclude<NumberColumn, 'receivedPs' | 'acknowledgedPs' | 'retransmissions' | 'timeouts' | 'deliveredBytes'>,
    number
  >
>

/** Columns of the result's table, in its order. */
const SHOWN: readonly (readonly [name: NumberColumn | WordColumn | 'flow' | 'measured', type: ColumnType])[] = [
  ['flow', 'integer'],
  ['source', 'integer'],
  ['destination', 'integer'],
  ['sizeBytes', 'integer'],
  ['startPs', 'integer'],
  ['receivedPs', 'number'],
  ['acknowledgedPs', 'number'],
  ['idealPs', 'number'],
  ['idealAcknowledgedPs', 'number'],
  ['trafficClass', 'integer'],
  ['sourcePort', 'integer'],
  ['destinationPort', 'integer'],
  ['pair', 'integer'],
  ['retransmissions', 'number'],
  ['timeouts', 'number'],
  ['deliveredBytes', 'number'],
  ['measured', 'integer'],
  ['operation', 'text'],
  ['tag', 'text'],
  ['status', 'text'],
]

/** Words in the order in which they first came, and their numbers. */
class Words {
  readonly list: string[] = []
  readonly #numbers = new Map<string, number>()

  numberOf(word: string): number {
    const known = this.#numbers.get(word)
    if (known !== undefined) return known
    this.#numbers.set(word, this.list.length)
    return this.list.push(word) - 1
  }
}

export class FlowLog {
  readonly #pages: FlowPages
  readonly #hasStore: boolean
  readonly #words: Readonly<Record<WordColumn, Words>> = {
    status: new Words(),
    operation: new Words(),
    tag: new Words(),
  }

  /** @param store of rows of messages that are over; null: all stay in memory */
  constructor(store: ByteStore | null = null) {
    this.#pages = new FlowPages(Object.keys(COLUMNS).length, store)
    this.#hasStore = store !== null
  }

  get count(): number {
    return this.#pages.count
  }

  /** In the order of their first messages. */
  get tags(): readonly string[] {
    return this.#words.tag.list
  }

  /** Adds the row of a message that is posted, and returns its number. */
  add(operation: string, tag: string, posted: PostedColumns): number {
    const row = this.#pages.add()
    this.setWord('operation', row, operation)
    this.setWord('tag', row, tag)
    this.set('source', row, posted.source)
    this.set('destination', row, posted.destination)
    this.set('sizeBytes', row, posted.sizeBytes)
    this.set('startPs', row, posted.startPs)
    this.set('idealPs', row, posted.idealPs)
    this.set('idealAcknowledgedPs', row, posted.idealAcknowledgedPs)
    this.set('trafficClass', row, posted.trafficClass)
    this.set('sourcePort', row, posted.sourcePort)
    this.set('destinationPort', row, posted.destinationPort)
    this.set('pair', row, posted.pair)
    this.set('messageOfPair', row, posted.messageOfPair)
    return row
  }

  get(name: NumberColumn, row: number): number {
    return this.#pages.get(COLUMNS[name], row)
  }

  set(name: NumberColumn, row: number, value: number): void {
    this.#pages.set(COLUMNS[name], row, value)
  }

  word(name: WordColumn, row: number): string {
    return this.#words[name].list[this.#pages.get(COLUMNS[name], row)]!
  }

  setWord(name: WordColumn, row: number, word: string): void {
    this.#pages.set(COLUMNS[name], row, this.#words[name].numberOf(word))
  }

  /** The message of the row is finished. */
  finish(row: number): void {
    this.set('deliveredBytes', row, this.get('sizeBytes', row))
    this.setWord('status', row, STATUS.finished)
  }

  /** Nothing about the message of the row will change, unless it turns out to be the only one of its queue pair. */
  close(row: number): void {
    this.#pages.close(row)
  }

  /**
   * The result's `flows` table: a copy, or with a store a view of the log, which must not change any more.
   * @param isMeasured whether a message that starts at that time is
   */
  table(isMeasured: (startPs: number) => boolean): Table {
    const rowCount = this.count
    const columns = SHOWN.map((spec): Column => {
      const [name, type] = spec
      const read = (from: number, to: number, into?: Float64Array): Column => {
        if (name === 'flow')
          return { name, type: 'integer', data: Float64Array.from({ length: to - from }, (_, i) => from + i) }
        if (name === 'measured') {
          const data = this.#pages.read(COLUMNS.startPs, from, to)
          return { name, type: 'integer', data: data.map((startPs) => (isMeasured(startPs) ? 1 : 0)) }
        }
        const data = this.#pages.read(COLUMNS[name], from, to, into)
        if (type !== 'text') return { name, type, data }
        const { list } = this.#words[name as WordColumn]
        return { name, type, data: Array.from(data, (number) => list[number]!) }
      }
      return this.#hasStore ? columnInParts({ name, type }, rowCount, read) : read(0, rowCount)
    })
    return { name: 'flows', kind: 'flows', rowCount, columns }
  }
}
