/**
 * Meter of `rocelab perf`: looks at a session after each packet and timer, and notes when requests were complete. Its figures
 * are those of perftest, with MB of 2^20 bytes; the latency of WRITE and SEND is half a round trip.
 */
import { knownQuantile, mean, quantileOfSorted, sortedValues } from '../../core/results/quantiles.ts'
import type { Application, LiveEndpoint } from '../peer/endpoint.ts'
import { type Program, type ProgramName, PROGRAMS } from '../peer/programs.ts'
import type { Session } from '../peer/session.ts'

/** The peak is the best of any time at least so long. perftest's is that of two requests, which says little of an event loop. */
const PEAK_PS = 10e9
const MB = 2 ** 20

export interface BandwidthFigures {
  readonly peakMBps: number
  readonly averageMBps: number
  /** Millions of requests each second. */
  readonly mpps: number
}

export interface LatencyFigures {
  readonly minUs: number
  readonly maxUs: number
  /** Median. */
  readonly typicalUs: number
  readonly averageUs: number
  readonly stdevUs: number
  readonly p99Us: number
  readonly p999Us: number
}

/** A test's completions; of very long ones the first are kept. */
const SAMPLES_MAX = 2 ** 22

export class PerfMeter implements Application {
  readonly nextPs = Infinity
  completed = 0
  readonly #session: Session
  readonly #program: Program
  readonly #sizeBytes: number
  /** When, and how many requests were complete by then. */
  readonly #samples: (readonly [atPs: number, count: number])[] = []

  /** Comes between a session and its endpoint. */
  constructor(
    endpoint: LiveEndpoint,
    session: Session,
    { program, sizeBytes }: { readonly program: ProgramName; readonly sizeBytes: number },
  ) {
    this.#session = session
    this.#program = PROGRAMS[program]
    this.#sizeBytes = sizeBytes
    endpoint.application = this
  }

  /** Requests one after the other, or many outstanding. */
  get kind(): 'latency' | 'bandwidth' {
    return this.#program.depth === 1 ? 'latency' : 'bandwidth'
  }

  advance(nowPs: number): void {
    this.#session.advance(nowPs)
    const isPing = this.#program.behaviour === 'ping'
    let count = 0
    for (const { completions } of this.#session.workers) count += isPing ? completions.receives : completions.sends
    if (count > this.completed && this.#samples.length < SAMPLES_MAX) this.#samples.push([nowPs, count])
    this.completed = count
  }

  /** @param elapsedPs from the first post to the last completion; NaN: not done */
  bandwidth(elapsedPs: number): BandwidthFigures {
    const samples = this.#samples
    const [first, last] = [samples[0], samples.at(-1)]
    const spanPs = Number.isNaN(elapsedPs) && first !== undefined ? last![0] - first[0] : elapsedPs
    const rate = spanPs > 0 ? (this.completed / spanPs) * 1e12 : 0
    let peak = rate
    for (let from = 0, to = 0; to < samples.length; to++) {
      while (from + 1 < to && samples[to]![0] - samples[from + 1]![0] >= PEAK_PS) from++
      const lengthPs = samples[to]![0] - samples[from]![0]
      if (lengthPs >= PEAK_PS) peak = Math.max(peak, ((samples[to]![1] - samples[from]![1]) / lengthPs) * 1e12)
    }
    return {
      peakMBps: (peak * this.#sizeBytes) / MB,
      averageMBps: (rate * this.#sizeBytes) / MB,
      mpps: rate / 1e6,
    }
  }

  /** The first request is left out. */
  latency(): LatencyFigures {
    const legs = this.#program.behaviour === 'stream' ? 1 : 2
    const times = this.#samples.slice(1).map(([atPs, count], at) => {
      const [beforePs, before] = this.#samples[at]!
      return (atPs - beforePs) / (count - before) / legs / 1e6
    })
    const sorted = sortedValues(times)
    const averageUs = mean(times)
    const squares = times.map((time) => (time - averageUs) ** 2)
    return {
      minUs: sorted[0] ?? NaN,
      maxUs: sorted.at(-1) ?? NaN,
      typicalUs: quantileOfSorted(sorted, 0.5),
      averageUs,
      stdevUs: Math.sqrt(mean(squares)),
      p99Us: knownQuantile(sorted, 0.99),
      p999Us: knownQuantile(sorted, 0.999),
    }
  }
}
