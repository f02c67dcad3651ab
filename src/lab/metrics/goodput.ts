/**
 * Goodput: payload bytes delivered per interval, in all and per receiving host. A byte counts when it is accepted in
 * order. What a go-back-0 restart throws away is taken back, so such an interval may be negative and a livelock sums
 * up to nothing.
 */
import { flag } from '../../core/base/params.ts'
import type { Network } from '../../core/fabric/network.ts'
import { type ColumnSpec, TableBuilder } from '../../core/results/table.ts'
import { rowLimit, sampleParams, tableName } from './limits.ts'
import { defineMetric } from './metric.ts'
import { OpenPairs } from './open-pairs.ts'
import { Totals } from './totals.ts'

const COLUMNS: readonly ColumnSpec[] = [
  { name: 'fromPs', type: 'integer' },
  { name: 'toPs', type: 'integer' },
  { name: 'host', type: 'integer' },
  { name: 'payloadBytes', type: 'integer' },
  { name: 'goodputBps', type: 'number' },
]
/** In place of a host's position: all hosts together. */
const ALL_HOSTS = -1

export const goodput = defineMetric({
  name: 'goodput',
  help: 'delivered payload per interval; host -1 is all hosts together',
  params: {
    perHost: flag({ default: false, help: 'also a row for each receiving host' }),
    ...sampleParams,
  },
  create(values, context) {
    const name = tableName(values, 'goodput')
    const delivered = new DeliveredBytes(context.network)
    const width = values.perHost ? 1 + context.network.hostCount : 1
    const totals = new Totals(width, rowLimit(values, context), (into) => delivered.read(into))
    return {
      name,
      intervalPs: values.interval,
      sample: (nowPs) => totals.sample(nowPs),
      table(nowPs) {
        const builder = new TableBuilder(name, COLUMNS)
        totals.eachInterval(nowPs, (fromPs, toPs, before, after) => {
          for (let i = 0; i < width; i++) {
            const payloadBytes = after[i]! - before[i]!
            const host = i === 0 ? ALL_HOSTS : i - 1
            builder.add(fromPs, toPs, host, payloadBytes, (payloadBytes * 8e12) / (toPs - fromPs))
          }
        })
        return builder.build()
      },
    }
  },
})

/** Payload bytes delivered so far: the sum, then by host position as far as there is room. */
class DeliveredBytes {
  readonly #pairs: OpenPairs
  /** Bytes of pairs that are done. */
  readonly #doneBytes: Float64Array
  readonly #hostOf: Int32Array

  constructor(network: Network) {
    this.#pairs = new OpenPairs(network, (pair) => pair.receiver.deliveredMessages > 0)
    this.#doneBytes = new Float64Array(1 + network.hostCount)
    this.#hostOf = network.hostOf
  }

  read(into: Float64Array): void {
    const done = this.#doneBytes
    into.fill(0)
    this.#pairs.each((pair, isDone) => {
      const bytes = pair.receiver.delivered.bytes
      const column = 1 + this.#hostOf[pair.destination]!
      const sums = isDone ? done : into
      sums[0]! += bytes
      if (column < sums.length) sums[column]! += bytes
    })
    for (let i = 0; i < into.length; i++) into[i]! += done[i]!
  }
}
