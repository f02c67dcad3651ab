/**
 * Link use: what each port sent per interval. A frame counts whole in the interval in which it starts.
 * useRatio: time its frames take on the wire, preamble and gap included, over the interval's length; by the line
 * above it may pass 1 by one frame.
 * With `busiest` one row per interval, of equal ports the first; there thinning leaves intervals out.
 */
import { text } from '../../core/base/params.ts'
import type { Port } from '../../core/fabric/link/port.ts'
import { type ColumnSpec, type Table, TableBuilder } from '../../core/results/table.ts'
import { rowLimit, sampleParams, tableName } from './limits.ts'
import { defineMetric, type Observer } from './metric.ts'
import { type LocatedPort, PORTS_HELP, selectPorts } from './port-selector.ts'
import { Totals } from './totals.ts'

const COLUMNS: readonly ColumnSpec[] = [
  { name: 'fromPs', type: 'integer' },
  { name: 'toPs', type: 'integer' },
  { name: 'node', type: 'integer' },
  { name: 'nodeName', type: 'text' },
  { name: 'port', type: 'integer' },
  { name: 'sentBytes', type: 'integer' },
  { name: 'sentFrames', type: 'integer' },
  { name: 'useRatio', type: 'number' },
]

export const linkUse = defineMetric({
  name: 'link-use',
  help: 'frame bytes and frames that ports sent, per interval',
  params: { ports: text({ default: 'all', help: `ports: ${PORTS_HELP}` }), ...sampleParams },
  create(values, context) {
    const name = tableName(values, 'link-use')
    const { isBusiest, ports } = selectPorts(values.ports, context, 'link-use.ports', () => true, 'port')
    const maxRows = rowLimit(values, context)
    const read = (into: Float64Array): void => {
      ports.forEach(({ port }, i) => {
        into[2 * i] = port.sentBytes
        into[2 * i + 1] = port.sentFrames
      })
    }
    const recorder = isBusiest ? new BusiestPort(name, ports, maxRows, read) : new EveryPort(name, ports, maxRows, read)
    return {
      name,
      intervalPs: values.interval,
      sample: (nowPs) => recorder.sample(nowPs),
      table: (nowPs) => recorder.table(nowPs),
    } satisfies Observer
  },
})

/** Two numbers per port: bytes, frames. */
type Reader = (into: Float64Array) => void

class EveryPort {
  readonly #name: string
  readonly #ports: readonly LocatedPort[]
  readonly #totals: Totals

  constructor(name: string, ports: readonly LocatedPort[], maxRows: number, read: Reader) {
    this.#name = name
    this.#ports = ports
    this.#totals = new Totals(2 * ports.length, 2 * maxRows, read)
  }

  sample(nowPs: number): void {
    this.#totals.sample(nowPs)
  }

  table(nowPs: number): Table {
    const builder = new TableBuilder(this.#name, COLUMNS)
    this.#totals.eachInterval(nowPs, (fromPs, toPs, before, after) => {
      this.#ports.forEach((located, i) => {
        const sentBytes = after[2 * i]! - before[2 * i]!
        addRow(builder, fromPs, toPs, located, sentBytes, after[2 * i + 1]! - before[2 * i + 1]!)
      })
    })
    return builder.build()
  }
}

class BusiestPort {
  readonly #ports: readonly LocatedPort[]
  readonly #builder: TableBuilder
  readonly #read: Reader
  #before: Float64Array
  #after: Float64Array
  #fromPs = 0

  constructor(name: string, ports: readonly LocatedPort[], maxRows: number, read: Reader) {
    this.#ports = ports
    this.#builder = new TableBuilder(name, COLUMNS, { maxRows })
    this.#read = read
    this.#before = new Float64Array(2 * ports.length)
    this.#after = new Float64Array(2 * ports.length)
  }

  sample(nowPs: number): void {
    if (nowPs <= this.#fromPs) return
    const after = this.#after
    this.#read(after)
    let best = 0
    let bestPs = -1
    this.#ports.forEach(({ port }, i) => {
      const usedPs = wirePs(port, after[2 * i]! - this.#before[2 * i]!, after[2 * i + 1]! - this.#before[2 * i + 1]!)
      if (usedPs > bestPs) {
        best = i
        bestPs = usedPs
      }
    })
    const sentBytes = after[2 * best]! - this.#before[2 * best]!
    const sentFrames = after[2 * best + 1]! - this.#before[2 * best + 1]!
    addRow(this.#builder, this.#fromPs, nowPs, this.#ports[best]!, sentBytes, sentFrames)
    this.#after = this.#before
    this.#before = after
    this.#fromPs = nowPs
  }

  /** Whole intervals only: a part of one has no fair winner. */
  table(_nowPs: number): Table {
    return this.#builder.build()
  }
}

function addRow(
  builder: TableBuilder,
  fromPs: number,
  toPs: number,
  located: LocatedPort,
  sentBytes: number,
  sentFrames: number,
): void {
  const { port, node, nodeName } = located
  const useRatio = wirePs(port, sentBytes, sentFrames) / (toPs - fromPs)
  builder.add(fromPs, toPs, node, nodeName, port.index, sentBytes, sentFrames, useRatio)
}

/** Time the frames take on the wire. The serialization table's entry for no bytes is preamble and gap. */
function wirePs(port: Port, sentBytes: number, sentFrames: number): number {
  return (sentBytes * 8e12) / port.rateBps + sentFrames * (port.transmitPs[0] ?? 0)
}
