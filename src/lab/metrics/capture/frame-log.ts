/**
 * Frame log: the frames of a capture, in memory: the first `maxRows` of them; the rest is counted.
 * Frames are added when they are noticed, an incoming one at its end, and sorted by the time of their first bit.
 */
import type { Column, Table } from '../../../core/results/table.ts'
import { type ColumnSpec, createTable, TableBuilder } from '../../../core/results/table.ts'
import { leftOutColumn } from '../event-log.ts'
import type { LocatedPort } from '../port-selector.ts'
import type { CaptureFile } from '../packet-frames.ts'
import { PackedFrames } from './packed-frames.ts'

const COLUMNS: readonly ColumnSpec[] = [
  { name: 'timePs', type: 'integer' },
  { name: 'node', type: 'integer' },
  { name: 'nodeName', type: 'text' },
  { name: 'port', type: 'integer' },
  { name: 'direction', type: 'text' },
  { name: 'kind', type: 'text' },
  { name: 'pair', type: 'integer' },
  { name: 'psn', type: 'integer' },
  { name: 'sizeBytes', type: 'integer' },
  { name: 'encodedBytes', type: 'integer' },
  { name: 'comment', type: 'text' },
]
const FCS_BYTES = 4

interface FrameLogOptions {
  readonly name: string
  readonly ports: readonly LocatedPort[]
  readonly maxRows: number
  readonly snapBytes: number | null
  readonly hasFcs: boolean
}

export class FrameLog {
  readonly #options: FrameLogOptions
  readonly frames = new PackedFrames()
  readonly #seen: Float64Array
  readonly #leftOut: Float64Array

  constructor(options: FrameLogOptions) {
    this.#options = options
    this.#seen = new Float64Array(options.ports.length)
    this.#leftOut = new Float64Array(options.ports.length)
  }

  /** It takes no more frames. */
  get isFull(): boolean {
    return this.frames.count >= this.#options.maxRows
  }

  /** Counts a frame at a port. @returns whether there is room to add it */
  hasRoom(port: number): boolean {
    this.#seen[port]!++
    if (!this.isFull) return true
    this.#leftOut[port]!++
    return false
  }

  table(): Table {
    const builder = new TableBuilder(this.#options.name, COLUMNS)
    const notes = this.frames.notes()
    for (const number of this.frames.order()) {
      const frame = this.frames.frameOf(number, notes)
      const { port, node, nodeName } = this.#options.ports[frame.port]!
      builder.add(
        frame.timePs,
        node,
        nodeName,
        port.index,
        frame.direction,
        frame.kind,
        frame.pair,
        frame.psn,
        frame.sizeBytes,
        frame.head.length + frame.zeroBytes + frame.tail.length + FCS_BYTES,
        frame.comment,
      )
    }
    const table = builder.build()
    const leftOut = this.#leftOut.reduce((sum, count) => sum + count, 0)
    const columns: readonly Column[] = [...table.columns, leftOutColumn(table.rowCount, leftOut)]
    return createTable(table.name, columns)
  }

  /** Content of a capture file: the frames up to now. */
  capture(): CaptureFile {
    const { ports, snapBytes, hasFcs } = this.#options
    const order = this.frames.order()
    const notes = this.frames.notes()
    return {
      ports: ports.map(({ port, nodeName }, i) => ({
        name: `${nodeName} port ${port.index}`,
        rateBps: port.rateBps,
        seen: this.#seen[i]!,
        leftOut: this.#leftOut[i]!,
      })),
      frames: { count: order.length, at: (index) => this.frames.frameOf(order[index]!, notes) },
      snapBytes,
      hasFcs,
    }
  }
}
