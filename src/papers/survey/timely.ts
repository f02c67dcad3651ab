/**
 * Fairness and delay of schemes that react to delay only: long flows under TIMELY and under patched TIMELY with different
 * start times at one link; how evenly they share it, and how long its queue is, by the number of flows.
 * Source: [Survey] IV-C, which cites the result without an example. The link has 10 Gb/s, for which both schemes have
 * published parameters.
 */
import { createRandomStreams, GBPS, MS, NS, US } from '../../core/base/index.ts'
import { humanNumber } from '../../show/index.ts'
import {
  jainIndex,
  mean,
  numbersOf,
  type Result,
  standardDeviation,
  sum,
  type Table,
  tableOfKind,
} from '../../core/results/index.ts'
import { type Claim, exact, type FindingsTable } from '../core/findings.ts'
import { pointsAt, product } from '../core/grid.ts'
import type { Measures, Point, Size } from '../core/plan.ts'
import type { Runs } from '../core/runs.ts'
import { label, tableAt, texts } from '../core/tables.ts'

const SCHEMES = ['timely', 'patched-timely'] as const
const NAMES = { timely: 'TIMELY', 'patched-timely': 'patched TIMELY' }

/** Flows start at random times in the first fifth of the warm-up. */
const GRIDS = {
  small: { flows: [2, 8], warmUpMs: 40, stopMs: 60 },
  full: { flows: [2, 4, 8, 16, 32], warmUpMs: 500, stopMs: 1000 },
}
const LINE_BPS = 10 * GBPS

/** Jain's index from which shares count as fair. */
const FAIR = 0.95
/** A delay counts as guaranteed if it is within this share of its mean for every number of flows. */
const STEADY = 0.2

const example = 'long-flows'

export function timelyPoints(size: Size, seed: number): Point[] {
  const { flows: counts, warmUpMs, stopMs } = GRIDS[size]
  return pointsAt(product({ example: [example], flows: counts, scheme: SCHEMES }), seed, ({ flows, scheme }) => {
    const random = createRandomStreams(seed).stream(`survey/timely/${flows}`)
    const startNs = (): number => random.below((warmUpMs * MS) / NS / 5)
    const trace = Array.from({ length: flows }, (_, i) => `${1 + i} 0 10GB ${startNs()}ns`)
    return `
name: ${flows}-long-flows-${scheme}
topology: {kind: star, hosts: ${1 + flows}, linkRate: 10Gbps, linkDelay: 1us}
congestion: ${scheme}
switch: {buffer: {kind: shared-buffer, size: 9MB}}
qp: {ackInterval: 16, retryLimit: off}
workload: [{kind: trace, flows: ${JSON.stringify(trace)}}]
measure: {warmUp: ${warmUpMs}ms, stop: ${stopMs}ms}
observe:
  - {kind: pair-goodput, interval: ${stopMs - warmUpMs}ms}
  - {kind: queue-depth, ports: "${1 + flows}:1", interval: 10us}
`
  })
}

export function timelyMeasures(result: Result): Measures {
  // Samples at the end of the window count too.
  const measured = (table: Table, time: string, column: string): Float64Array => {
    const timePs = numbersOf(table, time)
    return numbersOf(table, column).filter((_, row) => timePs[row]! >= result.windowFromPs)
  }
  const rates = measured(tableOfKind(result, 'pair-goodput')!, 'fromPs', 'goodputBps')
  const queueBytes = measured(tableOfKind(result, 'queue-depth')!, 'timePs', 'queueBytes')
  const delaysUs = queueBytes.map((bytes) => (bytes * 8e12) / LINE_BPS / US)
  return {
    jain: jainIndex(Array.from(rates)),
    goodputBps: sum(rates),
    queueUs: mean(delaysUs),
    queueSpreadUs: standardDeviation(delaysUs),
    pauses: result.counters.pauseFrames,
  }
}

export function timelyTable(runs: Runs, size: Size): FindingsTable {
  const { flows, stopMs, warmUpMs } = GRIDS[size]
  return tableAt(runs, product({ example: [example], flows }), {
    title: `Delay-based schemes: long flows at a link of 10 Gb/s, ${stopMs - warmUpMs} ms after ${warmUpMs} of warm-up`,
    columns: [
      label('flows', (at) => at.flows, 'right'),
      ...SCHEMES.flatMap((scheme) =>
        [
          { head: "Jain's index", of: 'jain' },
          { head: 'queueing delay, us', of: 'queueUs' },
        ].map(({ head, of }) =>
          texts(`${NAMES[scheme]}, ${head}`, (own) => humanNumber(own.mean(of, { scheme }).mean)),
        ),
      ),
    ],
  })
}

/** The claim for runs of full size. */
export function timelyClaims(runs: Runs): Claim[] {
  const { flows } = GRIDS.full
  const range = (values: readonly number[]): string =>
    `${humanNumber(Math.min(...values))} to ${humanNumber(Math.max(...values))}`
  return SCHEMES.map((scheme) => {
    const [indexes, delaysUs] = ['jain', 'queueUs'].map((of) =>
      flows.map((count) => runs.mean(of, { example, flows: count, scheme }).mean),
    ) as [number[], number[]]
    const middle = mean(delaysUs)
    const isFair = Math.min(...indexes) >= FAIR
    const isGuaranteed = delaysUs.every((delayUs) => Math.abs(delayUs - middle) <= STEADY * middle)
    const verdicts = `${isFair ? 'fair' : 'not fair'}, ${isGuaranteed ? 'a guaranteed delay' : 'no guaranteed delay'}`
    return exact('srv.timely-not-fair', {
      check: NAMES[scheme],
      holds: !(isFair && isGuaranteed),
      measured: `Jain's index ${range(indexes)}, queueing delay ${range(delaysUs)} us with ${flows[0]} to ${flows.at(-1)} flows: ${verdicts}`,
      reason:
        `Fair: an index of ${FAIR} or more with every number of flows. Guaranteed: a mean delay within ${STEADY * 100} % of the same value. Both criteria are ours. ` +
        'Two schemes can support the statement that none gives both, but not prove it.',
    })
  })
}
