/** Packet rows: the packets of connections as tables of some rows each, in a second reading of their file. */
import { type Column, createTable, type Table } from '../../core/results/index.ts'
import { addressText, opcodeName } from '../../core/wire/index.ts'
import type { ConnectionFacts } from './decoded.ts'
import { keyOf } from './flows/pairs.ts'
import type { DecodeObserver } from './observer.ts'
import type { Packet } from './packet.ts'

/** Rows of a table. */
const ROWS_MAX = 10_000
type Row = Readonly<Record<string, number | string>>

const COLUMNS = {
  frame: 'integer',
  timePs: 'number',
  connection: 'integer',
  source: 'text',
  destination: 'text',
  destinationQp: 'integer',
  service: 'text',
  opcode: 'text',
  psn: 'integer',
  sizeBytes: 'integer',
  payloadBytes: 'integer',
  dscp: 'integer',
  ecn: 'integer',
  isAckRequested: 'integer',
  syndrome: 'number',
  msn: 'number',
  icrc: 'text',
  note: 'text',
} as const satisfies Readonly<Record<string, Column['type']>>

export class PacketRows implements DecodeObserver {
  readonly #connections = new Map<string, ConnectionFacts[]>()
  readonly #onRows: (table: Table) => void
  #rows: Row[] = []

  /** @param onRows takes a table of at most 10,000 rows; all have the same columns */
  constructor(connections: readonly ConnectionFacts[], onRows: (table: Table) => void) {
    this.#onRows = onRows
    for (const connection of connections)
      for (const { source, destination, destinationQp } of connection.directions) {
        const key = keyOf(source, destination, destinationQp)
        this.#connections.set(key, [...(this.#connections.get(key) ?? []), connection])
      }
  }

  /** A table without rows. */
  static empty(): Table {
    return tableOf([])
  }

  onPacket({ roce, record, frame, timePs, psn }: Packet, key: string, note: string): void {
    const connection = this.#connections.get(key)?.find((one) => one.startPs <= timePs && timePs <= one.endPs)
    if (connection === undefined) return
    const { bth, headers, ip, service, payloadBytes, icrc } = roce
    const [source, destination] = [addressText(ip.source), addressText(ip.destination)]
    this.#rows.push({
      frame,
      timePs,
      connection: connection.number,
      source,
      destination,
      destinationQp: bth.destinationQp,
      service,
      opcode: service === 'cnp' ? 'CNP' : opcodeName(bth.opcode & 31),
      psn,
      sizeBytes: record.sizeBytes,
      payloadBytes,
      dscp: ip.dscp,
      ecn: ip.ecn,
      isAckRequested: bth.isAckRequested ? 1 : 0,
      syndrome: headers.aeth?.syndrome ?? NaN,
      msn: headers.aeth?.msn ?? NaN,
      icrc,
      note,
    })
    if (this.#rows.length >= ROWS_MAX) this.end()
  }

  /** Gives away the rows that are left. */
  end(): void {
    if (this.#rows.length > 0) this.#onRows(tableOf(this.#rows))
    this.#rows = []
  }
}

function tableOf(rows: readonly Row[]): Table {
  const columns = Object.entries(COLUMNS).map(([name, type]): Column => {
    if (type === 'text') return { name, type, data: rows.map((row) => String(row[name])) }
    return { name, type, data: Float64Array.from(rows, (row) => Number(row[name])) }
  })
  return createTable('packets', columns)
}
