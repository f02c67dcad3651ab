/**
 * Bursts: flows of 64 KB to 1 MB that start together to one host, under DCTCP with slow start, which the survey criticises,
 * under DCQCN, and under DCTCP with a full initial window, which shows the effect of slow start.
 * Networks and schemes are those of the tables (runs.ts).
 * Source: [Survey] IV-B. Sizes, numbers of flows and times between bursts are ours.
 */
import { createRandomStreams, NS, US } from '../../core/base/index.ts'
import { exp, ln } from '../../core/base/math.ts'
import { completionsOf, mean, type Result, summarize } from '../../core/results/index.ts'
import { ABOVE_ONE, type Claim, claim, type FindingsFigure } from '../core/findings.ts'
import { pointsAt, product } from '../core/grid.ts'
import { dropsOf } from '../core/measures.ts'
import type { Measures, Point, Size } from '../core/plan.ts'
import type { Runs } from '../core/runs.ts'
import { barsAt } from '../core/tables.ts'
import { LINES, schemeText } from './runs.ts'

const SCHEMES = ['dctcp', 'dctcp-full-window', 'dcqcn'] as const
const SERIES = { dctcp: 'DCTCP, slow start', 'dctcp-full-window': 'DCTCP, full window', dcqcn: 'DCQCN' }

/** Flows of a burst, each from another host, and the number of bursts. */
const GRIDS = { small: { flows: [1, 7], bursts: 2 }, full: { flows: [1, 2, 4, 7], bursts: 40 } }
const HOSTS = 7
const RECEIVER = 7
const LEAST_BYTES = 64_000
const MOST_BYTES = 1_000_000
/** Long enough for a burst to finish before the next one. */
const BETWEEN_US = 10_000
/** A round trip, within which the flows of a burst start. */
const TOGETHER_NS = 8000

const example = 'bursts'
const atsOf = (size: Size) => product({ example: [example], flows: GRIDS[size].flows, scheme: SCHEMES })

export function burstPoints(size: Size, seed: number): Point[] {
  return pointsAt(atsOf(size), seed, ({ flows, scheme }) => {
    const trace = `{kind: trace, flows: ${JSON.stringify(flowsOf(flows, GRIDS[size].bursts, seed))}}`
    return `name: bursts-of-${flows}-${scheme}\n${schemeText(scheme, LINES[scheme].pfc, trace)}`
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
  const { timeouts, flows } = summarize(result)
  return {
    meanFctUs: mean(Array.from(completionPs, (timePs) => timePs / US)),
    meanSlowdown: mean(slowdown),
    drops: dropsOf(result),
    timeouts,
    pauses: result.counters.pauseFrames,
    finished: flows.finished,
  }
}

export function burstFigure(runs: Runs, size: Size): FindingsFigure {
  return {
    name: 'bursts',
    bars: {
      title: 'Bursts of flows of 64 KB to 1 MB to one host',
      subtitle: 'mean completion time on links of 40 Gb/s; means over seeds with 95 % intervals',
      yLabel: 'completion time (us)',
      groups: barsAt(runs, atsOf(size), 'meanFctUs', ({ flows, scheme }) => ({
        label: flows === 1 ? '1 flow' : `${flows} flows`,
        series: SERIES[scheme],
      })),
      showValues: true,
    },
  }
}

/** Claims on bursts, for runs of full size. */
export function burstClaims(runs: Runs): Claim[] {
  return GRIDS.full.flows.map((flows) =>
    claim(
      'srv.dctcp-slowstart-limit',
      runs.ratios('meanFctUs', { example, flows, scheme: 'dctcp' }, { example, flows, scheme: 'dcqcn' }),
      ABOVE_ONE,
      { check: `bursts of ${flows}`, unit: ' x the completion time' },
    ),
  )
}
