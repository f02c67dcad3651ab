/**
 * Fairness and delay of schemes that react to delay only: long flows under TIMELY and under patched TIMELY with different
 * start times at one link; how evenly they share it, and how long its queue is, by the number of flows.
 * Source: [Survey] IV-C, which cites the result without an example. The link has 10 Gb/s, for which both schemes have
 * published parameters.
 */
import { createRandomStreams, GBPS, MS, NS, US } from '../../base/index.ts'
import type { Line } from '../../report/index.ts'
import { humanNumber } from '../../report/index.ts'
import { mean, numbersOf, type Result, standardDeviation, sum } from '../../results/index.ts'
import { parseScenario } from '../../scenario/index.ts'
import type { Measures, Outcome, Point, Size } from '../core/old/plan.ts'
import { type Claim, exactClaim, type FindingsFigure, type FindingsTable } from '../core/findings.ts'
import { overSeeds } from '../core/old/over-seeds.ts'

const SCHEMES = [
  { name: 'TIMELY', congestion: 'timely' },
  { name: 'patched TIMELY', congestion: 'patched-timely' },
] as const
type Scheme = (typeof SCHEMES)[number]['name']

interface Grid {
  readonly flows: readonly number[]
  /** Warm-up; flows start at random times in its first fifth. */
  readonly warmUpMs: number
  readonly stopMs: number
}

const GRIDS: Readonly<Record<Size, Grid>> = {
  small: { flows: [2, 8], warmUpMs: 40, stopMs: 60 },
  full: { flows: [2, 4, 8, 16, 32], warmUpMs: 500, stopMs: 1000 },
}
const LINE_BPS = 10 * GBPS

/** Jain's index from which shares count as fair. */
const FAIR = 0.95
/** A delay counts as guaranteed if it is within this share of its mean for every number of flows. */
const STEADY = 0.2

const conditionOf = (flows: number, scheme: Scheme): string => `${flows} long flows: ${scheme}`
export const isTimelyCondition = (condition: string): boolean => condition.includes(' long flows: ')

export function timelyPoints(size: Size, seed: number): Point[] {
  const { flows, warmUpMs, stopMs } = GRIDS[size]
  return flows.flatMap((count) => {
    const random = createRandomStreams(seed).stream(`survey/timely/${count}`)
    const startNs = (): number => random.below((warmUpMs * MS) / NS / 5)
    const trace = Array.from({ length: count }, (_, i) => `${1 + i} 0 10GB ${startNs()}ns`)
    return SCHEMES.map(({ name, congestion }): Point => {
      const condition = conditionOf(count, name)
      const scenario = parseScenario(`
name: ${condition.toLowerCase().replaceAll(/[^a-z0-9]+/g, '-')}
seed: ${seed}
topology: {kind: star, hosts: ${1 + count}, linkRate: 10Gbps, linkDelay: 1us}
congestion: ${congestion}
switch: {buffer: {kind: shared-buffer, size: 9MB}}
qp: {ackInterval: 16, retryLimit: off}
workload: [{kind: trace, flows: ${JSON.stringify(trace)}}]
measure: {warmUp: ${warmUpMs}ms, stop: ${stopMs}ms}
observe:
  - {kind: pair-goodput, interval: ${stopMs - warmUpMs}ms}
  - {kind: queue-depth, ports: "${1 + count}:1", interval: 10us}
`)
      return { condition, seed, scenario }
    })
  })
}

export function timelyMeasures(result: Result): Measures {
  const [goodput, queue] = result.series
  const { windowFromPs } = result
  const from = numbersOf(goodput!, 'fromPs')
  const rates = numbersOf(goodput!, 'goodputBps').filter((_, row) => from[row]! >= windowFromPs)
  const timePs = numbersOf(queue!, 'timePs')
  const delaysUs = numbersOf(queue!, 'queueBytes')
    .filter((_, row) => timePs[row]! >= windowFromPs)
    .map((bytes) => (bytes * 8e12) / LINE_BPS / US)
  return {
    jain: jainOf(rates),
    goodputBps: sum(rates),
    queueUs: mean(delaysUs),
    queueSpreadUs: standardDeviation(delaysUs),
    pauses: result.counters.pauseFrames,
  }
}

/** Jain's index: 1 if all shares are equal, 1 / n if one flow has everything. */
export function jainOf(values: Iterable<number>): number {
  const all = [...values]
  const total = sum(all)
  return (total * total) / (all.length * sum(all.map((value) => value * value)))
}

const of = (outcomes: readonly Outcome[], flows: number, scheme: Scheme, key: string) =>
  overSeeds(outcomes, conditionOf(flows, scheme), (measures) => measures[key] ?? NaN)

export function timelyTable(outcomes: readonly Outcome[], size: Size): FindingsTable {
  const { flows, stopMs, warmUpMs } = GRIDS[size]
  return {
    title: `Delay-based schemes: long flows at a link of 10 Gb/s, ${stopMs - warmUpMs} ms after ${warmUpMs} of warm-up`,
    columns: [
      { head: 'scheme' },
      { head: 'flows', align: 'right' },
      { head: "Jain's index", align: 'right' },
      { head: 'goodput, Gb/s', align: 'right' },
      { head: 'queueing delay, us', align: 'right' },
      { head: 'spread over time, us', align: 'right' },
      { head: 'pause frames', align: 'right' },
    ],
    rows: SCHEMES.flatMap(({ name }) =>
      flows.map((count) => [
        name,
        String(count),
        humanNumber(of(outcomes, count, name, 'jain').mean),
        humanNumber(of(outcomes, count, name, 'goodputBps').mean / GBPS),
        humanNumber(of(outcomes, count, name, 'queueUs').mean),
        humanNumber(of(outcomes, count, name, 'queueSpreadUs').mean),
        humanNumber(of(outcomes, count, name, 'pauses').mean),
      ]),
    ),
  }
}

/** The claim for runs of full size. */
export function timelyClaims(outcomes: readonly Outcome[]): Claim[] {
  return SCHEMES.map(({ name }) => {
    const indexes = GRIDS.full.flows.map((count) => of(outcomes, count, name, 'jain').mean)
    const delaysUs = GRIDS.full.flows.map((count) => of(outcomes, count, name, 'queueUs').mean)
    const middle = mean(delaysUs)
    const isFair = Math.min(...indexes) >= FAIR
    const isGuaranteed = delaysUs.every((delayUs) => Math.abs(delayUs - middle) <= STEADY * middle)
    const range = (values: readonly number[]): string =>
      `${humanNumber(Math.min(...values))} to ${humanNumber(Math.max(...values))}`
    return exactClaim({
      id: `srv.timely-not-fair [${name}]`,
      statement: 'A scheme that uses delay only does not give both fairness and a guaranteed delay',
      paper: 'not both',
      measured: `Jain's index ${range(indexes)}, queueing delay ${range(delaysUs)} us with ${GRIDS.full.flows[0]} to ${GRIDS.full.flows.at(-1)} flows: ${isFair ? 'fair' : 'not fair'}, ${isGuaranteed ? 'a guaranteed delay' : 'no guaranteed delay'}`,
      holds: !(isFair && isGuaranteed),
      reason:
        `Fair: an index of ${FAIR} or more with every number of flows. Guaranteed: a mean delay within ${STEADY * 100} % of the same value with every number. Both criteria are ours. ` +
        'Two schemes can support the statement that none gives both, but not prove it.',
    })
  })
}

/** Remark on the runs of full size. */
export function timelyRemark(outcomes: readonly Outcome[]): string {
  const { flows } = GRIDS.full
  const [fewest, most] = [flows[0]!, flows.at(-1)!]
  const each = (scheme: Scheme, key: string): string =>
    flows.map((count) => humanNumber(of(outcomes, count, scheme, key).mean)).join(', ')
  return (
    `Long flows under TIMELY keep unequal rates: Jain's index is ${each('TIMELY', 'jain')} with ${flows.join(', ')} flows. ` +
    `Patched TIMELY gives equal rates at the cost of a delay that grows with the number of flows, ${humanNumber(of(outcomes, fewest, 'patched TIMELY', 'queueUs').mean)} us with ${fewest} and ${humanNumber(of(outcomes, most, 'patched TIMELY', 'queueUs').mean)} us with ${most}.`
  )
}

export function timelyFigures(outcomes: readonly Outcome[], size: Size): FindingsFigure[] {
  const lines = (key: string): Line[] =>
    SCHEMES.map(({ name }) => ({
      series: name,
      points: GRIDS[size].flows.map((count) => {
        const { mean: y, low, high } = of(outcomes, count, name, key)
        return { x: count, y, ...(Number.isNaN(low) ? {} : { low, high }) }
      }),
    }))
  const axes = { xLabel: 'long flows', xScale: 'log', fromZero: true } as const
  const subtitle = 'flows with different start times at a link of 10 Gb/s; means over seeds with 95 % bands'
  return [
    {
      name: 'timely-fairness',
      lines: {
        ...axes,
        title: 'Fairness of delay-based schemes at one link',
        subtitle,
        yLabel: "Jain's index",
        lines: lines('jain'),
      },
    },
    {
      name: 'timely-delay',
      lines: {
        ...axes,
        title: 'Queueing delay by the number of flows',
        subtitle,
        yLabel: 'queueing delay (us)',
        lines: lines('queueUs'),
      },
    },
  ]
}
