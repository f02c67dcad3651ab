/**
 * PortTotals: what happened at each port of a switch over the whole run: how long it sent data, where queues stood when they
 * marked packets, when pauses began there, and when packets were dropped for want of room. They tell, of a port that others
 * wait for, whether more arrives than it can send, or its thresholds are unlike its load.
 * Shape: a row of FIELDS doubles a port. Units: picoseconds, bytes.
 */
import { type ColumnSpec, type Table, TableBuilder } from '../../results/table.ts'

const SENT_PS = 0
const FIRST_PS = 1
const LAST_PS = 2
/** Counts, each followed by the sum of a value. */
const MARKS = 3
const PAUSES = 5
const DROPS = 7
const FIELDS = 9

const COLUMNS: readonly ColumnSpec[] = [
  { name: 'node', type: 'integer' },
  { name: 'nodeName', type: 'text' },
  { name: 'port', type: 'integer' },
  { name: 'sentPs', type: 'integer' },
  { name: 'firstPs', type: 'integer' },
  { name: 'lastPs', type: 'integer' },
  { name: 'marks', type: 'integer' },
  { name: 'markedWaitPs', type: 'integer' },
  { name: 'pauses', type: 'integer' },
  { name: 'pausedAtBytes', type: 'integer' },
  { name: 'drops', type: 'integer' },
  { name: 'droppedAtBytes', type: 'integer' },
]

export class PortTotals {
  readonly #rows: Float64Array

  constructor(ports: number) {
    this.#rows = new Float64Array(FIELDS * ports)
  }

  /** A data packet leaves. */
  send(port: number, startPs: number, endPs: number): void {
    const at = port * FIELDS
    if (this.#rows[at + SENT_PS] === 0) this.#rows[at + FIRST_PS] = startPs
    this.#rows[at + SENT_PS]! += endPs - startPs
    this.#rows[at + LAST_PS] = endPs
  }

  /** A packet that was marked here had waited so long. */
  mark(port: number, waitPs: number): void {
    this.#count(port, MARKS, waitPs)
  }

  /** A pause began here, while so much waited. */
  pause(port: number, queueBytes: number): void {
    this.#count(port, PAUSES, queueBytes)
  }

  drop(port: number, queueBytes: number): void {
    this.#count(port, DROPS, queueBytes)
  }

  /** Ports that sent data, with the means over marks, pauses and drops; 0: there were none. */
  table(name: string, portOf: (port: number) => { node: number; name: string; index: number }): Table {
    const builder = new TableBuilder(name, COLUMNS)
    const rows = this.#rows
    for (let port = 0; port * FIELDS < rows.length; port++) {
      const at = port * FIELDS
      if (rows[at + SENT_PS] === 0) continue
      const { node, name: nodeName, index } = portOf(port)
      const mean = (of: number): number[] => {
        const count = rows[at + of]!
        return [count, count === 0 ? 0 : Math.round(rows[at + of + 1]! / count)]
      }
      const times = [rows[at + SENT_PS]!, rows[at + FIRST_PS]!, rows[at + LAST_PS]!]
      builder.add(node, nodeName, index, ...times, ...mean(MARKS), ...mean(PAUSES), ...mean(DROPS))
    }
    return builder.build()
  }

  /** Counts an event, and adds its value to the field that follows. */
  #count(port: number, field: number, value: number): void {
    this.#rows[port * FIELDS + field]! += 1
    this.#rows[port * FIELDS + field + 1]! += value
  }
}
