/**
 * Goodput of queue pairs: payload bytes that each delivered per interval; who gets how much of a shared link, and when
 * that becomes fair. A byte counts when it is accepted in order, as in `goodput`.
 * Invariant: the intervals of a queue pair join, and their sums are what it delivered, also where samples are thinned.
 */
import { text } from '../../core/base/params.ts'
import type { Network } from '../../core/fabric/network.ts'
import type { QueuePair } from '../../core/fabric/pairs/queue-pair.ts'
import { type ColumnSpec, numbersOf, type Table, TableBuilder } from '../../core/results/table.ts'
import { rowLimit, sampleParams, tableName } from './limits.ts'
import { defineMetric } from './metric.ts'
import { OpenPairs } from './open-pairs.ts'
import { PAIRS_HELP, type PairSelection, selectPairs } from './pair-selector.ts'

const COLUMNS: readonly ColumnSpec[] = [
  { name: 'fromPs', type: 'integer' },
  { name: 'toPs', type: 'integer' },
  { name: 'pair', type: 'integer' },
  { name: 'source', type: 'integer' },
  { name: 'destination', type: 'integer' },
  { name: 'payloadBytes', type: 'integer' },
  { name: 'goodputBps', type: 'number' },
]
const SAMPLES: readonly ColumnSpec[] = [
  { name: 'timePs', type: 'integer' },
  { name: 'pair', type: 'integer' },
  { name: 'bytes', type: 'integer' },
]

export const pairGoodput = defineMetric({
  name: 'pair-goodput',
  help: 'delivered payload of queue pairs per interval, from the first byte of each to its last',
  params: { pairs: text({ default: 'all', help: `queue pairs: ${PAIRS_HELP}` }), ...sampleParams },
  create(values, context) {
    const name = tableName(values, 'pair-goodput')
    const { network } = context
    const selection = selectPairs(values.pairs, network, 'pair-goodput.pairs')
    const delivered = new Delivered(network, selection, values.interval, rowLimit(values, context))
    return {
      name,
      intervalPs: values.interval,
      sample: (nowPs) => delivered.sample(nowPs),
      table: (nowPs) => delivered.table(name, nowPs),
    }
  },
})

/** One interval of one queue pair. */
interface Interval {
  readonly fromPs: number
  readonly toPs: number
  readonly pair: Counted
  readonly bytes: number
}

/** Facts of a queue pair that outlive its release. */
interface Counted {
  readonly id: number
  readonly source: number
  readonly destination: number
  /** Payload that it has delivered. */
  readonly bytes: number
}

class Delivered {
  readonly #network: Network
  readonly #selection: PairSelection
  readonly #intervalPs: number
  readonly #open: OpenPairs
  /** Bytes delivered by each queue pair at a sample, while it is open and has delivered any. */
  readonly #samples: TableBuilder
  /** Sample that saw a queue pair done, by its number. */
  readonly #donePs = new Map<number, number>()
  /** Chosen queue pairs that were released, by number. */
  readonly #released = new Map<number, Counted>()

  constructor(network: Network, selection: PairSelection, intervalPs: number, maxRows: number) {
    this.#network = network
    this.#selection = selection
    this.#intervalPs = intervalPs
    this.#open = new OpenPairs(network, (pair) => pair.receiver.deliveredMessages > 0)
    this.#samples = new TableBuilder('samples', SAMPLES, { maxRows })
    network.pairs.onRelease.push((pair) => {
      if (selection.isChosen(pair)) this.#released.set(pair.id, countedOf(pair))
    })
  }

  sample(nowPs: number): void {
    const isKept = this.#samples.beginSample()
    this.#open.each((pair, isDone) => {
      if (!this.#selection.isChosen(pair)) return
      if (isDone) this.#donePs.set(pair.id, nowPs)
      const deliveredBytes = pair.receiver.delivered.bytes
      if (isKept && !isDone && deliveredBytes !== 0) this.#samples.add(nowPs, pair.id, deliveredBytes)
    })
  }

  table(name: string, nowPs: number): Table {
    const builder = new TableBuilder(name, COLUMNS)
    const intervals = this.#intervals(nowPs)
    intervals.sort((a, b) => a.fromPs - b.fromPs || a.pair.id - b.pair.id)
    for (const { fromPs, toPs, pair, bytes } of intervals) {
      const { id, source, destination } = pair
      builder.add(fromPs, toPs, id, source, destination, bytes, (bytes * 8e12) / (toPs - fromPs))
    }
    return builder.build()
  }

  #intervals(nowPs: number): Interval[] {
    const samples = this.#samples.build()
    const times = numbersOf(samples, 'timePs')
    const pairs = numbersOf(samples, 'pair')
    const counts = numbersOf(samples, 'bytes')
    /** By pair: end of its last interval, and the count there. */
    const last = new Map<number, { atPs: number; bytes: number }>()
    const intervals: Interval[] = []
    const extend = (id: number, beforePs: number, atPs: number, bytes: number): void => {
      const { atPs: fromPs, bytes: before } = last.get(id) ?? { atPs: beforePs, bytes: 0 }
      if (atPs > fromPs) intervals.push({ fromPs, toPs: atPs, pair: this.#countedAt(id), bytes: bytes - before })
      last.set(id, { atPs, bytes })
    }
    // A queue pair's first bytes came since the sample before, which had nothing of it.
    const stepPs = this.#intervalPs * this.#samples.keptEvery
    const sampleBefore = (atPs: number): number => (Math.ceil(atPs / stepPs) - 1) * stepPs
    for (let row = 0; row < samples.rowCount; row++) {
      const atPs = times[row]!
      extend(pairs[row]!, sampleBefore(atPs), atPs, counts[row]!)
    }
    for (let id = 0; id < this.#network.pairs.count; id++) {
      const pair = this.#countedAt(id)
      const { bytes } = pair
      if (bytes === (last.get(id)?.bytes ?? 0)) continue
      const endPs = Math.min(nowPs, this.#donePs.get(pair.id) ?? nowPs)
      extend(pair.id, sampleBefore(endPs), endPs, bytes)
    }
    const lastPs = new Map<number, number>()
    for (const { pair, toPs, bytes } of intervals) if (bytes !== 0) lastPs.set(pair.id, toPs)
    return intervals.filter(({ pair, toPs }) => toPs <= lastPs.get(pair.id)!)
  }
  /** No bytes: it is not chosen. */
  #countedAt(id: number): Counted {
    const pair = this.#network.pairs.byNumber[id]!
    if (pair !== null && this.#selection.isChosen(pair)) return countedOf(pair)
    return this.#released.get(id) ?? { id, source: -1, destination: -1, bytes: 0 }
  }
}

function countedOf({ id, source, destination, receiver }: QueuePair): Counted {
  return { id, source, destination, bytes: receiver.delivered.bytes }
}
