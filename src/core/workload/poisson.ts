/**
 * Poisson: every host posts messages at random, independently of what became of earlier ones (open loop).
 * Rate of a host: load * its link rate / 8 / mean message bytes. The load counts payload, or with loadBasis wire all
 * bytes that whole messages take on the wire: headers, preamble and gap of every packet and the RETH of a WRITE, but no
 * retransmissions, ACKs or READ requests.
 * One random stream per host; each message draws its destination, its size and the gap to the next one, in this order.
 * Messages of all hosts come in order of time, ties by host number. Times are rounded to whole picoseconds.
 */
import { inputError, InputError } from '../base/issue.ts'
import { choice, countOrOff, duration, NEVER_PS, ratio, variant } from '../base/params.ts'
import type { RandomStream } from '../base/random.ts'
import { applyLabels, labelParams, sizeIssues, streamName } from './labels.ts'
import { createSizes, sizeDistributions, type SizeDistribution } from './sizes/index.ts'
import { defineWorkload, type Message, type Source, type WorkloadContext } from './workload.ts'

const params = {
  load: ratio({
    default: 0.7,
    min: 1e-6,
    max: 4,
    help: "offered load per host, as a part of its link's rate",
    source: '[IRN] section 4.1: 70%',
  }),
  loadBasis: choice(['payload', 'wire'], {
    default: 'payload',
    help: 'bytes that the load counts: payload only, or with headers, preamble and gap of every packet',
    source: '[IRN] does not say; 70% of payload is 75.6% on the wire with 1106 bytes per 1024',
  }),
  sizes: variant(sizeDistributions, {
    default: 'heavy-tailed',
    help: 'distribution of message sizes',
    source: '[IRN] section 4.1',
  }),
  destinations: choice(['uniform', 'other-rack', 'same-rack'], {
    default: 'uniform',
    help: 'each message goes to a random other host: any, one on another switch, or one on the same switch',
    source: '[IRN] section 4.1: random',
  }),
  flows: countOrOff({
    default: null,
    min: 1,
    help: 'number of messages in all, over all hosts; off: until measure.generate',
  }),
  start: duration({ default: 0, help: 'time from which messages arrive' }),
  ...labelParams('background'),
}

export const poisson = defineWorkload({
  name: 'poisson',
  help: 'open-loop arrivals at every host: Poisson process, sizes from a distribution',
  source: '[IRN] section 4.1',
  params,
  create(values, context) {
    const sizes = createSizes(values.sizes, 'sizes')
    const issues = sizeIssues('sizes', values, sizes.largestBytes)
    if (issues.length > 0) throw new InputError(issues)
    const targets = new Targets(values.destinations, context)
    const { payloadBytes, overheadBytes, writeOverheadBytes } = context
    const meanBytes =
      values.loadBasis === 'wire'
        ? sizes.meanWireBytes(payloadBytes, overheadBytes) + (values.operation === 'write' ? writeOverheadBytes : 0)
        : sizes.meanBytes
    const meanGapsPs = context.hostRateBps.map((rateBps) => (meanBytes * 8e12) / (values.load * rateBps))
    const name = streamName('poisson', values.tag, context)
    const streams = meanGapsPs.map((_, host) => context.random.stream(`${name}/${host}`))
    const flows = values.flows ?? Infinity
    const label = (out: Message): void => applyLabels(out, values)
    return new PoissonSource({
      sizes,
      targets,
      meanGapsPs,
      streams,
      flows,
      label,
      startPs: values.start,
      untilPs: context.generateUntilPs,
    })
  },
})

interface Arrivals {
  readonly sizes: SizeDistribution
  readonly targets: Targets
  readonly meanGapsPs: readonly number[]
  readonly streams: readonly RandomStream[]
  readonly flows: number
  readonly label: (out: Message) => void
  readonly startPs: number
  readonly untilPs: number
}

class PoissonSource implements Source {
  nextStartPs: number = NEVER_PS
  readonly #arrivals: Arrivals
  /** Per host: time of its next message. */
  readonly #timePs: Float64Array
  /** Binary heap of hosts by (time, host). */
  readonly #heap: Int32Array
  #left: number

  constructor(arrivals: Arrivals) {
    const { streams, meanGapsPs, startPs } = arrivals
    this.#arrivals = arrivals
    this.#left = arrivals.flows
    this.#timePs = Float64Array.from(
      streams,
      (stream, host) => startPs + Math.round(stream.exponential(meanGapsPs[host]!)),
    )
    this.#heap = Int32Array.from(streams, (_, host) => host)
    for (let slot = (streams.length >> 1) - 1; slot >= 0; slot--) this.#sink(slot)
    this.#lookAhead()
  }

  take(out: Message): void {
    const { sizes, targets, streams, meanGapsPs } = this.#arrivals
    const host = this.#heap[0]!
    const stream = streams[host]!
    this.#arrivals.label(out)
    out.startPs = this.nextStartPs
    out.source = host
    out.destination = targets.draw(host, stream)
    out.sizeBytes = sizes.sample(stream)
    out.connection = -1
    this.#timePs[host]! += Math.round(stream.exponential(meanGapsPs[host]!))
    this.#sink(0)
    this.#left--
    this.#lookAhead()
  }

  /** By the mean of their sizes. */
  get leftBytes(): number {
    return this.#left * this.#arrivals.sizes.meanBytes
  }

  onComplete(): void {
    // Open loop: what became of a message changes nothing.
  }

  #lookAhead(): void {
    const timePs = this.#timePs[this.#heap[0]!]!
    this.nextStartPs = this.#left > 0 && timePs < this.#arrivals.untilPs ? timePs : NEVER_PS
  }

  #isBefore(a: number, b: number): boolean {
    const difference = this.#timePs[a]! - this.#timePs[b]!
    return difference < 0 || (difference === 0 && a < b)
  }

  #sink(slot: number): void {
    const heap = this.#heap
    const host = heap[slot]!
    for (;;) {
      let child = 2 * slot + 1
      if (child >= heap.length) break
      if (child + 1 < heap.length && this.#isBefore(heap[child + 1]!, heap[child]!)) child++
      if (!this.#isBefore(heap[child]!, host)) break
      heap[slot] = heap[child]!
      slot = child
    }
    heap[slot] = host
  }
}

/** Random destinations. Hosts are laid out rack by rack, so that a rack is an interval to stay in or to leave out. */
class Targets {
  readonly #byRack: Int32Array
  /** Per host: its place in #byRack, and the interval of its rack (or, for any destination, of itself). */
  readonly #locate: Int32Array
  readonly #first: Int32Array
  readonly #length: Int32Array
  readonly #isInside: boolean

  constructor(reach: 'uniform' | 'other-rack' | 'same-rack', context: WorkloadContext) {
    const { hostCount } = context
    if (hostCount < 2) throw inputError('destinations', 'a topology with two hosts or more', `${hostCount}`)
    const racks = reach === 'uniform' ? Array.from({ length: hostCount }, (_, host) => [host]) : context.racks
    this.#isInside = reach === 'same-rack'
    this.#byRack = Int32Array.from(racks.flat())
    this.#locate = new Int32Array(hostCount)
    this.#first = new Int32Array(hostCount)
    this.#length = new Int32Array(hostCount)
    let first = 0
    for (const rack of racks) {
      if (this.#isInside && rack.length < 2) {
        throw inputError('destinations', 'two hosts or more in every rack for same-rack', `a rack of ${rack.length}`)
      }
      rack.forEach((host, position) => {
        this.#locate[host] = first + position
        this.#first[host] = first
        this.#length[host] = rack.length
      })
      first += rack.length
    }
    if (racks.length < 2 && reach === 'other-rack') {
      throw inputError('destinations', 'two racks or more for other-rack', `${racks.length}`)
    }
  }

  draw(host: number, stream: RandomStream): number {
    const first = this.#first[host]!
    const length = this.#length[host]!
    if (this.#isInside) {
      const index = first + stream.below(length - 1)
      return this.#byRack[index < this.#locate[host]! ? index : index + 1]!
    }
    const index = stream.below(this.#byRack.length - length)
    return this.#byRack[index < first ? index : index + length]!
  }
}
