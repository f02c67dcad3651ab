/**
 * PortTotals: what happened at each port of a switch over the whole run: how long it sent data, where queues stood when they
 * marked packets, when pauses began there, and when packets were dropped for want of room. They tell, of a port that others
 * wait for, whether more arrives than it can send, or its thresholds are unlike its load.
 * Shape: a row of FIELDS doubles a port. Units: picoseconds, bytes.
 */
import type { Sent } from './roots.ts'
import { type ColumnSpec, type Table, TableBuilder } from '../../../core/results/table.ts'

/** Counts, each followed by the sum of a value. */
const MARKS = 0
const PAUSES = 2
const DROPS = 4
const FIELDS = 6

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

/** Node of a port, its name, and the local index of the port. */
export interface PortName {
  readonly node: number
  readonly name: string
  readonly index: number
}

export class PortTotals {
  readonly #rows: Float64Array

  constructor(ports: number) {
    this.#rows = new Float64Array(FIELDS * ports)
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

  /** Ports of switches that sent data, with the means over marks, pauses and drops; 0: there were none. */
  table(name: string, sentOf: (port: number) => Sent, portOf: (port: number) => PortName): Table {
    const builder = new TableBuilder(name, COLUMNS)
    const rows = this.#rows
    for (let port = 0; port * FIELDS < rows.length; port++) {
      const { sentPs, firstPs, lastPs } = sentOf(port)
      if (sentPs === 0) continue
      const { node, name: nodeName, index } = portOf(port)
      const mean = (of: number): number[] => {
        const count = rows[port * FIELDS + of]!
        return [count, count === 0 ? 0 : Math.round(rows[port * FIELDS + of + 1]! / count)]
      }
      builder.add(node, nodeName, index, sentPs, firstPs, lastPs, ...mean(MARKS), ...mean(PAUSES), ...mean(DROPS))
    }
    return builder.build()
  }

  /** Counts an event, and adds its value to the field that follows. */
  #count(port: number, field: number, value: number): void {
    this.#rows[port * FIELDS + field]! += 1
    this.#rows[port * FIELDS + field + 1]! += value
  }
}
