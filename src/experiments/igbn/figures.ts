/**
 * Figures of lossy go-back-N: throughput over loss rate, by timeout and by scheme, and the shares of the causes of timeouts.
 * Source: [IGBN], Figures 2, 3, 6 and 7; hollow markers are values from its text.
 */
import type { Line, LineFigure } from '../../report/index.ts'
import type { Size } from '../core/old/plan.ts'
import { barOf, type FindingsFigure } from '../core/findings.ts'
import { REASONS } from './claims.ts'
import type { LossyEstimates } from './estimates.ts'
import { ALL_EXPOSED, type LossyScheme, modelThroughput, TAIL_EXPOSED } from './model.ts'
import { LOSSES, NAMES, randomCondition, SCHEMES, TIMEOUTS_MS, type TimeoutMs, timeoutText } from './runs.ts'

/** Values from the paper's text, percent. */
const PAPER: readonly {
  readonly scheme: LossyScheme
  readonly timeoutMs: TimeoutMs
  readonly loss: number
  readonly percent: number
}[] = [
  { scheme: 'go-back-n', timeoutMs: 100, loss: 0.0001, percent: 70 },
  { scheme: 'go-back-n', timeoutMs: 100, loss: 0.001, percent: 45 },
  { scheme: 'go-back-n', timeoutMs: 100, loss: 0.01, percent: 3 },
  { scheme: 'go-back-n', timeoutMs: 10, loss: 0.01, percent: 13.2 },
  { scheme: 'check-epsn', timeoutMs: 100, loss: 0.001, percent: 97.2 },
  { scheme: 'check-epsn', timeoutMs: 100, loss: 0.002, percent: 68 },
  { scheme: 'check-epsn', timeoutMs: 100, loss: 0.01, percent: 17.6 },
  { scheme: 'improved-gbn', timeoutMs: 100, loss: 0.01, percent: 64 },
  { scheme: 'improved-gbn', timeoutMs: 10, loss: 0.01, percent: 60 },
]
/** Percent of the lossless throughput, if the text gives it. */
export function paperOf(scheme: LossyScheme, timeoutMs: TimeoutMs, loss: number): number | undefined {
  return PAPER.find((each) => each.scheme === scheme && each.timeoutMs === timeoutMs && each.loss === loss)?.percent
}

const FIGURE_7: readonly LossyScheme[] = ['go-back-n', 'improved-gbn', 'check-epsn', 'send-twice']

/** Every figure. */
export function lossyFigures(estimates: LossyEstimates, size: Size): FindingsFigure[] {
  return [
    lossFigure(estimates, size),
    reasonFigure(estimates),
    ...TIMEOUTS_MS.map((timeoutMs, i) => schemesFigure(estimates, size, timeoutMs, 'abc'[i]!)),
    ...FIGURE_7.map((scheme, i) => timeoutsFigure(estimates, size, scheme, 'abcd'[i]!)),
  ]
}

function curve(
  estimates: LossyEstimates,
  size: Size,
  scheme: LossyScheme,
  timeoutMs: TimeoutMs,
  series: string,
): Line[] {
  const measured = LOSSES[size].map((loss) => {
    const { mean, low, high } = estimates.throughput(randomCondition(scheme, timeoutMs, loss))
    return { x: loss, y: mean, ...(Number.isNaN(low) ? {} : { low: Math.max(0, low), high }) }
  })
  const paper = PAPER.filter((each) => each.scheme === scheme && each.timeoutMs === timeoutMs)
    .filter(({ loss }) => LOSSES[size].includes(loss))
    .map(({ loss, percent }) => ({ x: loss, y: percent }))
  const reported: Line = { series: `${series}, paper`, of: series, isPaper: true, points: paper }
  return [{ series, points: measured }, ...(paper.length > 0 ? [reported] : [])]
}

const AXES = { xLabel: 'loss rate', xScale: 'log', yLabel: 'throughput (% of lossless)', fromZero: true } as const
const SUBTITLE = "means over all repetitions with 95 % bands; hollow: values from the paper's text"

function lossFigure(estimates: LossyEstimates, size: Size): FindingsFigure {
  const model = (name: string, path: typeof ALL_EXPOSED): Line => ({
    series: name,
    points: LOSSES[size].map((loss) => {
      return { x: loss, y: 100 * modelThroughput({ scheme: 'go-back-n', loss, timeoutMs: 100 }, path) }
    }),
  })
  const lines: LineFigure = {
    ...AXES,
    title: 'Go-Back-N on a network that loses packets, timeout 100 ms (Figure 2)',
    subtitle: SUBTITLE,
    lines: [
      ...curve(estimates, size, 'go-back-n', 100, 'simulated'),
      model('model: every packet exposed', ALL_EXPOSED),
      model('model: last NAK interval exposed', TAIL_EXPOSED),
    ],
  }
  return { name: 'figure-2', lines }
}

function reasonFigure(estimates: LossyEstimates): FindingsFigure {
  const condition = randomCondition('go-back-n', 100, 0.01)
  return {
    name: 'figure-3',
    bars: {
      title: 'Causes of timeouts of Go-Back-N at a loss of 1 % (Figure 3)',
      subtitle: 'shares over all repetitions with 95 % intervals',
      yLabel: 'share of timeouts (%)',
      groups: [...REASONS]
        .sort((a, b) => a.reason - b.reason)
        .map(({ reason, key, name, paper }) => ({
          label: `${reason}: ${name}`,
          series: 'share',
          ...barOf(estimates.share(condition, [key])),
          paper,
        })),
      showValues: true,
    },
  }
}

function schemesFigure(estimates: LossyEstimates, size: Size, timeoutMs: TimeoutMs, letter: string): FindingsFigure {
  return {
    name: `figure-6${letter}`,
    lines: {
      ...AXES,
      title: `Four recoveries, timeout ${timeoutText(timeoutMs)} (Figure 6${letter})`,
      subtitle: SUBTITLE,
      lines: SCHEMES.flatMap((scheme) => curve(estimates, size, scheme, timeoutMs, NAMES[scheme])),
    },
  }
}

function timeoutsFigure(estimates: LossyEstimates, size: Size, scheme: LossyScheme, letter: string): FindingsFigure {
  return {
    name: `figure-7${letter}`,
    lines: {
      ...AXES,
      title: `${NAMES[scheme]} with three timeouts (Figure 7${letter})`,
      subtitle: SUBTITLE,
      lines: TIMEOUTS_MS.flatMap((timeoutMs) => curve(estimates, size, scheme, timeoutMs, timeoutText(timeoutMs))),
    },
  }
}
