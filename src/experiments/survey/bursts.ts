/**
 * Bursts: flows of 64 KB to 1 MB that start together to one host, under DCTCP with slow start, which the survey criticises,
 * under DCQCN, and under DCTCP with a full initial window, which shows the effect of slow start.
 * Networks and schemes are those of the tables (runs.ts): PFC with DCQCN, none with DCTCP.
 * Source: [Survey] IV-B. Sizes, numbers of flows and times between bursts are ours.
 */
import { createRandomStreams, NS, US } from '../../base/index.ts'
import { exp, ln } from '../../base/math.ts'
import { humanNumber } from '../../report/index.ts'
import { completionsOf, mean, type Result, sum, summarize } from '../../results/index.ts'
import { parseScenario } from '../../scenario/index.ts'
import type { Measures, Outcome, Point, Size } from '../core/old/plan.ts'
import { ABOVE_ONE, barOf, type Claim, type FindingsFigure, type FindingsTable, seedsClaim } from '../core/findings.ts'
import { overSeeds, ratiosOf } from '../core/old/over-seeds.ts'
import { SCHEMES, schemeText } from './runs.ts'

const ARMS = ['DCTCP', 'DCTCP, full window', 'DCQCN'] as const
type Arm = (typeof ARMS)[number]

interface Grid {
  /** Flows of a burst, each from another host. */
  readonly flows: readonly number[]
  readonly bursts: number
}

const GRIDS: Readonly<Record<Size, Grid>> = {
  small: { flows: [1, 7], bursts: 2 },
  full: { flows: [1, 2, 4, 7], bursts: 40 },
}
const HOSTS = 7
const RECEIVER = 7
const LEAST_BYTES = 64_000
const MOST_BYTES = 1_000_000
/** Long enough for a burst to finish before the next one. */
const BETWEEN_US = 10_000
/** A round trip, within which the flows of a burst start. */
const TOGETHER_NS = 8000

const conditionOf = (flows: number, arm: Arm): string => `bursts of ${flows}: ${arm}`
export const isBurstCondition = (condition: string): boolean => condition.startsWith('bursts of')

export function burstPoints(size: Size, seed: number): Point[] {
  const { flows, bursts } = GRIDS[size]
  return flows.flatMap((count) => {
    const trace = `{kind: trace, flows: ${JSON.stringify(flowsOf(count, bursts, seed))}}`
    return ARMS.map((arm): Point => {
      const condition = conditionOf(count, arm)
      const name = condition.toLowerCase().replaceAll(/[^a-z0-9]+/g, '-')
      const scheme = SCHEMES.find(({ row }) => row === (arm === 'DCQCN' ? 'DCQCN' : 'DCTCP'))!
      const text = schemeText(arm === 'DCTCP, full window' ? { ...scheme, congestion: 'dctcp' } : scheme, {
        isPfc: scheme.isPfc,
        workload: trace,
        observe: '',
      })
      return { condition, seed, scenario: parseScenario(`name: ${name}\nseed: ${seed}\n${text.trim()}\n`) }
    })
  })
}

/** Flows of the bursts, the same for every scheme: hosts drawn without repetition, sizes log-uniform. */
function flowsOf(count: number, bursts: number, seed: number): string[] {
  const random = createRandomStreams(seed).stream(`survey/bursts/${count}`)
  const [least, most] = [ln(LEAST_BYTES), ln(MOST_BYTES)]
  return Array.from({ length: bursts }, (_, burst) => {
    const hosts = Array.from({ length: HOSTS }, (__, host) => host)
    return Array.from({ length: count }, () => {
      const [host] = hosts.splice(random.below(hosts.length), 1)
      const sizeBytes = Math.round(exp(least + random.uniform() * (most - least)))
      const startNs = (burst * BETWEEN_US * US) / NS + random.below(TOGETHER_NS)
      return `${host} ${RECEIVER} ${sizeBytes}B ${startNs}ns`
    })
  }).flat()
}

export function burstMeasures(result: Result): Measures {
  const { completionPs, slowdown } = completionsOf(result)
  const summary = summarize(result)
  return {
    meanFctUs: mean(Array.from(completionPs, (timePs) => timePs / US)),
    meanSlowdown: mean(slowdown),
    drops: sum(Object.values(result.counters.drops)),
    timeouts: summary.timeouts,
    pauses: result.counters.pauseFrames,
    finished: summary.flows.finished,
  }
}

const fctUs = (measures: Measures): number => measures['meanFctUs'] ?? NaN

export function burstTable(outcomes: readonly Outcome[], size: Size): FindingsTable {
  const of = (condition: string, key: string): number =>
    overSeeds(outcomes, condition, (measures) => measures[key] ?? NaN).mean
  return {
    title: `Bursts to one host: ${GRIDS[size].bursts}, with flows of 64 KB to 1 MB`,
    columns: [
      { head: 'flows of a burst', align: 'right' },
      { head: 'scheme' },
      { head: 'completion, mean', align: 'right' },
      { head: 'slowdown, mean', align: 'right' },
      { head: 'packets lost', align: 'right' },
      { head: 'timeouts', align: 'right' },
      { head: 'pause frames', align: 'right' },
    ],
    rows: GRIDS[size].flows.flatMap((count) =>
      ARMS.map((arm) => {
        const condition = conditionOf(count, arm)
        return [
          String(count),
          arm === 'DCTCP' ? 'DCTCP, slow start' : arm,
          `${humanNumber(of(condition, 'meanFctUs'))} us`,
          ...['meanSlowdown', 'drops', 'timeouts', 'pauses'].map((key) => humanNumber(of(condition, key))),
        ]
      }),
    ),
  }
}

/** Claims on bursts, for runs of full size. */
export function burstClaims(outcomes: readonly Outcome[]): Claim[] {
  return GRIDS.full.flows.map((count) =>
    seedsClaim({
      id: `srv.dctcp-slowstart-limit [bursts of ${count}]`,
      statement: 'DCTCP, which has slow start, takes longer than DCQCN for bursts of storage traffic',
      paper: 'DCQCN before DCTCP',
      values: ratiosOf(outcomes, { of: conditionOf(count, 'DCTCP'), to: conditionOf(count, 'DCQCN') }, fctUs),
      unit: ' x the completion time',
      band: ABOVE_ONE,
      judge: 'mean',
    }),
  )
}

/** Remark on the runs of full size. */
export function burstRemark(outcomes: readonly Outcome[]): string {
  const us = (count: number, arm: Arm): string => humanNumber(overSeeds(outcomes, conditionOf(count, arm), fctUs).mean)
  const of = (count: number): string =>
    `${us(count, 'DCTCP')} us with slow start, ${us(count, 'DCTCP, full window')} with a full window and ${us(count, 'DCQCN')} with DCQCN`
  return (
    `Slow start costs DCTCP time if a flow is alone: ${of(1)}. If several flows start together, their windows fill the link and it costs less: ${of(7)} for seven. ` +
    'DCQCN starts at line rate, but the marks of the first packets cut its rates, and bursts end before the rates recover; so it is slower than DCTCP in all bursts of more than one flow.'
  )
}

export function burstFigure(outcomes: readonly Outcome[], size: Size): FindingsFigure {
  return {
    name: 'bursts',
    bars: {
      title: 'Bursts of flows of 64 KB to 1 MB to one host',
      subtitle: 'mean completion time on links of 40 Gb/s; means over seeds with 95 % intervals',
      yLabel: 'completion time (us)',
      groups: GRIDS[size].flows.flatMap((count) =>
        ARMS.map((arm) => ({
          label: count === 1 ? '1 flow' : `${count} flows`,
          series: arm === 'DCTCP' ? 'DCTCP, slow start' : arm,
          ...barOf(overSeeds(outcomes, conditionOf(count, arm), fctUs)),
        })),
      ),
      showValues: true,
    },
  }
}
