/** Figures of the experiment ms-scale-latency: percentiles over time as the paper's, and distributions. */
import type { LineFigure } from '../../../report/index.ts'
import type { FindingsFigure } from '../../core/findings.ts'
import { overSeeds } from '../../core/old/over-seeds.ts'
import type { Outcome, Size } from '../../core/old/plan.ts'
import {
  BURST_SHARES,
  BURSTS,
  BURSTS_ALONE,
  burstTimesMs,
  loadFromMs,
  NO_BURSTS,
  SHARED_STEPS,
  sliceKey,
  STEPS,
  stepTimesMs,
  timeKey,
  type Transport,
} from './runs.ts'

type Line = LineFigure['lines'][number]

/** A percentile over time. */
function overTime(
  outcomes: readonly Outcome[],
  timesMs: readonly number[],
  series: string,
  {
    condition,
    transport,
    share,
  }: { readonly condition: string; readonly transport: Transport; readonly share: number },
): Line {
  const points = timesMs.map((x, slice) => {
    const { mean, low, high } = overSeeds(outcomes, condition, (m) => m[sliceKey(transport, share, slice)] ?? NaN)
    return { x, y: mean, low, high }
  })
  return { series, points }
}

/** The paper's values before and under load. */
function printed(series: string, of: string, size: Size, [idleUs, loadedUs]: readonly [number, number]): Line {
  const [from, end] = [loadFromMs(size), loadFromMs(size) * (8 / 3)]
  return {
    series,
    of,
    isPaper: true,
    points: [
      { x: from / 2, y: idleUs },
      { x: (from + end) / 2, y: loadedUs },
    ],
  }
}

function stepFigures(outcomes: readonly Outcome[], size: Size): FindingsFigure[] {
  const times = stepTimesMs(size)
  const [pfc, dcqcn] = [STEPS[0]!, STEPS[2]!]
  const [sharedPfc, sharedDcqcn] = SHARED_STEPS as readonly [string, string]
  const rdma = (condition: string, share: number): Line =>
    overTime(outcomes, times, `${condition}: ${share * 100} %`, { condition, transport: 'rdma', share })
  const tcp = (condition: string, series: string): Line =>
    overTime(outcomes, times, series, { condition, transport: 'tcp', share: 0.99 })
  const axes = { xLabel: 'time (ms)', yLabel: 'round trip (us)', yScale: 'log' } as const
  const from = `the load begins at ${loadFromMs(size)} ms; means over seeds with 95 % intervals`
  return [
    {
      name: 'rdma',
      lines: {
        title: 'RDMA probes before and under load (Figure 8)',
        subtitle: from,
        ...axes,
        lines: [
          rdma(pfc, 0.999),
          rdma(pfc, 0.99),
          rdma(dcqcn, 0.999),
          rdma(dcqcn, 0.99),
          printed('paper: 99.9 %', `${pfc}: 99.9 %`, size, [80, 800]),
          printed('paper: 99 %', `${pfc}: 99 %`, size, [50, 400]),
        ],
      },
    },
    {
      name: 'tcp',
      lines: {
        title: 'TCP probes beside the load of RDMA: 99 % (Figure 8)',
        subtitle: from,
        ...axes,
        lines: [
          tcp(sharedPfc, sharedPfc),
          tcp(sharedDcqcn, sharedDcqcn),
          tcp(pfc, 'PFC, a class of its own'),
          tcp(dcqcn, 'PFC and DCQCN, a class of its own'),
          printed('paper, a class of its own', 'PFC, a class of its own', size, [500, 500]),
        ],
      },
    },
  ]
}

/** Part of the probes that take longer than a time. */
function tail(outcomes: readonly Outcome[], series: string, condition: string, transport: Transport): Line {
  const points = BURST_SHARES.map((share) => ({
    x: overSeeds(outcomes, condition, (m) => m[timeKey(transport, 'All', share)] ?? NaN).mean,
    y: 1 - share,
  }))
  return { series, points }
}

function burstFigures(outcomes: readonly Outcome[], size: Size): FindingsFigure[] {
  const [few, middle, many] = BURSTS as readonly [string, string, string]
  const alone = BURSTS_ALONE[1]!
  const tails = (name: string, label: string, transport: Transport, paper: readonly Line[]): FindingsFigure => ({
    name,
    lines: {
      title: `${label} probes among incast bursts (Figure 6)`,
      subtitle: 'part of the probes that take longer; means over seeds',
      xLabel: 'round trip (us)',
      yLabel: 'part of the probes',
      xScale: 'log',
      yScale: 'log',
      lines: [
        tail(outcomes, `${middle}, without hosts`, alone, transport),
        tail(outcomes, NO_BURSTS, NO_BURSTS, transport),
        ...[few, middle, many].map((condition) => tail(outcomes, condition, condition, transport)),
        ...paper,
      ],
    },
  })
  const first = outcomes.filter(({ seed }) => seed === outcomes[0]?.seed)
  const times = burstTimesMs(size)
  const line = (series: string, condition: string, transport: Transport, share: number): Line =>
    overTime(first, times, series, { condition, transport, share })
  return [
    tails('bursts-rdma', 'RDMA', 'rdma', [
      {
        series: 'paper',
        of: middle,
        isPaper: true,
        points: [
          { x: 90, y: 0.01 },
          { x: 200, y: 0.001 },
        ],
      },
    ]),
    tails('bursts-tcp', 'TCP', 'tcp', [{ series: 'paper', of: middle, isPaper: true, points: [{ x: 700, y: 0.01 }] }]),
    {
      name: 'bursts-time',
      lines: {
        title: 'Percentiles over time among incast bursts (Figure 6)',
        subtitle: 'one run in slices; the paper: RDMA 90 and 200 us, TCP 700 us and spikes of some ms',
        xLabel: 'time (ms)',
        yLabel: 'round trip (us)',
        yScale: 'log',
        lines: [
          line('TCP 99 %, 40 x 200 KB', many, 'tcp', 0.99),
          line('TCP 99 %, 40 x 50 KB', middle, 'tcp', 0.99),
          line('RDMA 99.9 %, 40 x 50 KB', middle, 'rdma', 0.999),
          line('RDMA 99 %, 40 x 50 KB', middle, 'rdma', 0.99),
        ],
      },
    },
  ]
}

/** Lines of conditions that were not run are left out. */
export function latencyFigures(outcomes: readonly Outcome[], size: Size): FindingsFigure[] {
  return [...stepFigures(outcomes, size), ...burstFigures(outcomes, size)].map((figure) => {
    if (!('lines' in figure)) return figure
    const lines = figure.lines.lines.filter(({ points }) => points.some(({ y }) => !Number.isNaN(y)))
    return { ...figure, lines: { ...figure.lines, lines } }
  })
}
