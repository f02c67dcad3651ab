/**
 * Figures of lossy go-back-N: throughput over loss rate, by timeout and by scheme, and the shares of the causes of timeouts.
 * Source: [IGBN], Figures 2, 3, 6 and 7; hollow markers are values from its text.
 */
import type { Line } from '../../report/index.ts'
import { barOf, type FindingsFigure } from '../core/findings.ts'
import type { Size } from '../core/plan.ts'
import type { Runs } from '../core/runs.ts'
import { markOf } from '../core/tables.ts'
import { paperPercent } from './comparisons.ts'
import { percentOf, throughput } from './estimates.ts'
import { ALL_EXPOSED, modelPercent, TAIL_EXPOSED } from './model.ts'
import { LOSSES, lossyAt, NAMES, REASONS, type Scheme, SCHEMES, TIMEOUTS_MS, timeoutText } from './runs.ts'

const FIGURE_7: readonly Scheme[] = ['go-back-n', 'improved-gbn', 'check-epsn', 'send-twice']
const EXPOSED = [
  { name: 'model: every packet exposed', packets: ALL_EXPOSED },
  { name: 'model: last NAK interval exposed', packets: TAIL_EXPOSED },
]

export function lossyFigures(runs: Runs, size: Size): FindingsFigure[] {
  const curve = (series: string, scheme: Scheme, timeoutMs: number): Line[] => {
    const ats = LOSSES[size].map((loss) => lossyAt(scheme, timeoutMs, loss))
    const paper = ats.flatMap((at) => {
      const y = paperPercent(at)
      return y === undefined ? [] : [{ x: at.loss, y }]
    })
    return [
      { series, points: ats.map((at) => markOf(at.loss, throughput(runs, at))) },
      ...(paper.length > 0 ? [{ series: `${series}, paper`, of: series, isPaper: true, points: paper }] : []),
    ]
  }
  const models = EXPOSED.map(({ name, packets }): Line => {
    const points = LOSSES[size].map((loss) => ({ x: loss, y: modelPercent(loss, 100, packets) }))
    return { series: name, points }
  })
  return [
    lossFigure('2', 'Go-Back-N on a network that loses packets, timeout 100 ms', [
      ...curve('simulated', 'go-back-n', 100),
      ...models,
    ]),
    reasonFigure(runs),
    ...TIMEOUTS_MS.map((timeoutMs, i) =>
      lossFigure(
        `6${'abc'[i]}`,
        `Four recoveries, timeout ${timeoutText(timeoutMs)}`,
        SCHEMES.flatMap((scheme) => curve(NAMES[scheme], scheme, timeoutMs)),
      ),
    ),
    ...FIGURE_7.map((scheme, i) =>
      lossFigure(
        `7${'abcd'[i]}`,
        `${NAMES[scheme]} with three timeouts`,
        TIMEOUTS_MS.flatMap((timeoutMs) => curve(timeoutText(timeoutMs), scheme, timeoutMs)),
      ),
    ),
  ]
}

function lossFigure(number: string, title: string, lines: readonly Line[]): FindingsFigure {
  return {
    name: `figure-${number}`,
    lines: {
      title: `${title} (Figure ${number})`,
      subtitle: "means over all repetitions with 95 % bands; hollow: values from the paper's text",
      xLabel: 'loss rate',
      xScale: 'log',
      yLabel: 'throughput (% of lossless)',
      fromZero: true,
      lines,
    },
  }
}

function reasonFigure(runs: Runs): FindingsFigure {
  const at = lossyAt('go-back-n', 100, 0.01)
  return {
    name: 'figure-3',
    bars: {
      title: 'Causes of timeouts of Go-Back-N at a loss of 1 % (Figure 3)',
      subtitle: 'shares over all repetitions with 95 % intervals',
      yLabel: 'share of timeouts (%)',
      groups: REASONS.map(({ reason, key, cause, percent }) => ({
        label: `${reason}: ${cause}`,
        series: 'share',
        ...barOf(percentOf(runs, [key, at], ['timeouts', at])),
        paper: percent,
      })),
      showValues: true,
    },
  }
}
