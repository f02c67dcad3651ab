/**
 * Latency of RDMA and of TCP beside each other: probes before and under load, with both transports in classes of their
 * own or in one (Figure 8), and among incast bursts (Figure 6). Runs and measures: runs.ts.
 * The delays of hosts are inputs: their percentiles are those of the paper's idle testbed.
 * Source: [MS-Scale] section 5.4.
 */
import { humanNumber, humanRate, type LineFigure } from '../../../show/index.ts'
import { defineExperiment } from '../../core/experiment.ts'
import {
  ABOVE_ONE,
  between,
  bracket,
  type BracketInput,
  type Claim,
  exact,
  type FindingsFigure,
  type FindingsTable,
  meanCountText,
  readingOf,
} from '../../core/findings.ts'
import type { At, Measures, Size } from '../../core/plan.ts'
import { Runs, type ValueOf } from '../../core/runs.ts'
import { intervals, label, markOf, means, tableAt, texts } from '../../core/tables.ts'
import { controlText } from '../two-tier.ts'
import {
  burstsOf,
  latencyMeasures,
  latencyPoints,
  loadFromMs,
  SENDERS,
  SERVER_BPS,
  stepsOf,
  timesMs,
  type Transport,
} from './runs.ts'

type Step = ReturnType<typeof stepsOf>[number]
type Bursts = ReturnType<typeof burstsOf>[number]

const stepText = ({ control, bufferMb, tcpClass }: Step): string =>
  `${controlText(control)}, ${tcpClass === 'own' ? `${bufferMb} MB` : "TCP in RDMA's class"}`
const burstText = ({ burstKb, control, hosts }: Bursts): string =>
  burstKb === 0
    ? 'no bursts'
    : `${SENDERS} x ${burstKb} KB${control === 'none' ? ', PFC alone' : ''}${hosts === 'off' ? ', network alone' : ''}`

/** Runs from which the claims are judged. */
const JUDGED_STEPS = stepsOf('full').filter(({ tcpClass }) => tcpClass === 'own')
const JUDGED_BURSTS = burstsOf('full').filter(({ burstKb, hosts }) => burstKb > 0 && hosts === 'on')

/** Loaded over idle. */
const increaseOf = (transport: Transport, percentile: string) => (measures: Measures) =>
  measures[`${transport}Loaded${percentile}Us`]! / measures[`${transport}Idle${percentile}Us`]!

/** The highest 99th percentile of TCP in a slice of time, us. */
const spikeUs = (measures: Measures): number =>
  Math.max(...timesMs('bursts', 'full').map((_, slice) => measures[`tcpP99Slice${slice}Us`]!))

const stepTable = (runs: Runs, size: Size): FindingsTable =>
  tableAt(runs, stepsOf(size), {
    title: 'Idle to loaded (Figure 8), us',
    columns: [
      label('network', stepText),
      ...(
        [
          ['RDMA 99 %', 'rdma', 'P99'],
          ['RDMA 99.9 %', 'rdma', 'P99.9'],
          ['TCP 99 %', 'tcp', 'P99'],
        ] as const
      ).flatMap(([head, transport, percentile]) => [
        texts(head, (own) =>
          ['Idle', 'Loaded']
            .map((phase) => humanNumber(own.mean(`${transport}${phase}${percentile}Us`).mean))
            .join(' to '),
        ),
        intervals<Step>('loaded over idle', increaseOf(transport, percentile)),
      ]),
    ],
  })

const burstTable = (runs: Runs, size: Size): FindingsTable =>
  tableAt(runs, burstsOf(size), {
    title: 'Among incast bursts (Figure 6), us',
    columns: [
      label('bursts', burstText),
      intervals('RDMA 99 %', 'rdmaAllP99Us'),
      intervals('RDMA 99.9 %', 'rdmaAllP99.9Us'),
      intervals('TCP 99 %', 'tcpAllP99Us'),
      means('TCP 99 %, worst 5 ms', spikeUs, humanNumber),
      means('packets lost', 'drops', meanCountText),
      means('TCP probes after a timeout', 'tcpTimedOut', meanCountText),
      means('pause frames', 'pauseFrames', meanCountText),
    ],
  })

interface LatencyClaim extends Omit<BracketInput, 'readings'> {
  readonly of: ValueOf
}

/** Within this factor of the paper's value. */
const within = (value: number, factor: number) => ({
  paperValues: [value],
  band: between(value / factor, value * factor),
})

const STEP_CLAIMS: readonly LatencyClaim[] = [
  {
    id: 'rce.fig8.p99',
    of: increaseOf('rdma', 'P99'),
    ...within(400 / 50, 2),
    unit: ' x',
    why: 'The 50 us of the idle network are an input.',
  },
  {
    id: 'rce.fig8.p999',
    of: increaseOf('rdma', 'P99.9'),
    ...within(800 / 80, 2),
    unit: ' x',
    why: 'The 80 us of the idle network are an input.',
  },
  {
    id: 'rce.fig8.tcp-unchanged',
    of: increaseOf('tcp', 'P99'),
    band: between(0.9, 1.1),
    unit: ' of the idle network',
  },
  {
    id: 'rce.fig8.latency-is-congestion',
    of: increaseOf('rdma', 'P99'),
    band: ABOVE_ONE,
    unit: ' x at 99 %',
  },
]

const BURST_CLAIMS: readonly LatencyClaim[] = [
  { id: 'rce.fig6.rdma-p99', of: 'rdmaAllP99Us', ...within(90, 1.5), unit: ' us' },
  { id: 'rce.fig6.rdma-p999', of: 'rdmaAllP99.9Us', ...within(200, 1.5), unit: ' us' },
  { id: 'rce.fig6.tcp-p99', of: 'tcpAllP99Us', ...within(700, 2), unit: ' us' },
  {
    id: 'rce.fig6.tcp-spikes',
    of: (measures) => spikeUs(measures) / 1000,
    band: between(1, 10),
    unit: ' ms',
    why: 'In the worst 5 ms of a run. Spikes are probes that are lost and wait for the timeout, 5 ms here: a choice of ours.',
  },
  {
    id: 'rce.fig6.order',
    of: (measures) => measures['tcpAllP99Us']! / measures['rdmaAllP99.9Us']!,
    band: ABOVE_ONE,
    unit: ' times as long',
  },
]

function claims(runs: Runs): Claim[] {
  const each = <A extends At>(ats: readonly A[], name: (at: A) => string, rows: readonly LatencyClaim[]): Claim[] =>
    rows.map(({ id, of, band, ...words }) =>
      bracket(
        id,
        ats.map((at) => readingOf(name(at), runs.values(of, at))),
        band,
        words,
      ),
    )
  const rates = JUDGED_BURSTS.map((at) => humanRate(runs.mean('burstBps', at).mean))
  return [
    ...each(JUDGED_STEPS, stepText, STEP_CLAIMS),
    ...each(JUDGED_BURSTS, burstText, BURST_CLAIMS),
    exact('rce.fig6.setting', {
      holds: true,
      measured: `48 servers, ${rates.join(', ')} a server`,
      reason: `The traffic is set to ${humanRate(SERVER_BPS)}, half of it by TCP, from ${SENDERS} servers to one. The load of processors is not modelled.`,
    }),
  ]
}

type Line = LineFigure['lines'][number]

/** A percentile of probes over time. */
const overTime = (runs: Runs, series: string, times: readonly number[], of: string): Line => ({
  series,
  points: times.map((x, slice) => markOf(x, runs.mean(`${of}Slice${slice}Us`))),
})

/** The paper's values before and under load, each in the middle of its time. */
function printed(series: string, of: string, size: Size, idleUs: number, loadedUs: number): Line {
  const fromMs = loadFromMs(size)
  const points = [
    { x: fromMs / 2, y: idleUs },
    { x: (fromMs * 11) / 6, y: loadedUs },
  ]
  return { series, of, isPaper: true, points }
}

function figures(runs: Runs, size: Size): FindingsFigure[] {
  const steps = stepsOf(size).filter(({ bufferMb, tcpClass }) => bufferMb === 9 && tcpClass === 'own')
  const axes = { xLabel: 'time (ms)', yLabel: 'round trip (us)', yScale: 'log' } as const
  const burst = (burstKb: number): Runs =>
    new Runs(runs.where({ traffic: 'bursts', hosts: 'on', control: 'dcqcn', burstKb }).outcomes.slice(0, 1))
  const burstTimes = timesMs('bursts', size)
  return [
    {
      name: 'steps',
      lines: {
        title: 'Probes of RDMA and TCP before and under load (Figure 8)',
        subtitle: `the load begins at ${loadFromMs(size)} ms; means over seeds with 95 % intervals`,
        ...axes,
        lines: [
          ...steps.flatMap((at) =>
            [
              { name: 'RDMA 99.9 %', of: 'rdmaP99.9' },
              { name: 'RDMA 99 %', of: 'rdmaP99' },
              { name: 'TCP 99 %', of: 'tcpP99' },
            ].map(({ name, of }) =>
              overTime(runs.where(at), `${name}, ${controlText(at.control)}`, timesMs('step', size), of),
            ),
          ),
          printed('paper: RDMA 99.9 %', 'RDMA 99.9 %, PFC', size, 80, 800),
          printed('paper: RDMA 99 %', 'RDMA 99 %, PFC', size, 50, 400),
          printed('paper: TCP 99 %', 'TCP 99 %, PFC', size, 500, 500),
        ],
      },
    },
    {
      name: 'bursts',
      lines: {
        title: 'Percentiles over time among incast bursts (Figure 6)',
        subtitle: 'one run in slices; the paper: RDMA 90 and 200 us, TCP 700 us and spikes of some ms',
        ...axes,
        lines: [
          overTime(burst(200), 'TCP 99 %, 40 x 200 KB', burstTimes, 'tcpP99'),
          overTime(burst(50), 'TCP 99 %, 40 x 50 KB', burstTimes, 'tcpP99'),
          overTime(burst(50), 'RDMA 99.9 %, 40 x 50 KB', burstTimes, 'rdmaP99.9'),
          overTime(burst(50), 'RDMA 99 %, 40 x 50 KB', burstTimes, 'rdmaP99'),
        ],
      },
    },
  ]
}

const SEEN = [
  "Figure 8: the paper's percentiles under load lie between those with PFC alone and those with DCQCN. Its tail is longer: 800 us at 99.9 %, twice as much as at 99 %, and here hardly more.",
  "Figure 6: a server's port is busy with bursts for less than a hundredth of the time, so that the 99th percentile of RDMA is that of hosts and of the beginnings of bursts, " +
    'and the 99.9th the time that a burst takes to leave; the printed 200 us lie between bursts of 10 and of 50 KB. The 99th percentile of TCP is that of the kernel; 700 us need a busy host, as the paper says of them, or bursts that are lost. ' +
    'Bursts of 200 KB overrun the buffer that the lossy class may take, and fill that of the lossless one until it pauses: RDMA loses nothing and then waits longer than TCP at these percentiles. ' +
    "Without the delays of hosts even the 99.9th percentile of RDMA is above the 99th of TCP: the paper's order is that of hosts.",
]

export const latency = defineExperiment({
  name: 'ms-scale-latency',
  title: 'Latency of RDMA and of TCP: idle, under load, and among incast bursts',
  source: '[MS-Scale] section 5.4, Figures 6 and 8',
  help:
    'Two ToRs of 24 servers joined by four leaves, all links 40 Gb/s. Every server sends probes of 512 bytes over RDMA, in a lossless class, and over TCP, in a lossy one, and each packet takes a declared time in the hosts. ' +
    'First the network is idle; then 20 servers of each ToR send to those of the other by eight connections as fast as they can. As a control TCP moves into the class of RDMA. ' +
    'Other runs have incast bursts of both transports at 350 Mb/s a server, with the delays of hosts and without.',
  sizes: {
    small: 'PFC alone, 8 ms of which 5 under load; bursts for 10 ms',
    full: 'PFC with and without DCQCN and two sizes of buffers, 80 ms of which 50 under load; bursts for 100 ms',
  },
  points: latencyPoints,
  measure: latencyMeasures,
  conclude: (runs, size) => ({
    tables: [stepTable(runs, size), burstTable(runs, size)],
    figures: figures(runs, size),
    claims: size === 'full' ? claims(runs) : [],
    remarks: [
      'The delays of hosts are inputs. One packet takes a lognormal time up or down, and a probe has five of them (docs/models/host-delay.md). For RDMA (NIC, PCIe and application) both parameters follow from the two percentiles of the idle testbed in Figure 8, 50 and 80 us. ' +
        'For TCP the paper has one, 500 us: the same form, ten times as long. Load traffic and bursts pass no host delays, so that bursts leave in step, the hardest case for the network.',
      'Ours, as the paper prints none: the bursts (40 senders drawn at random to a random receiver, 10, 50 and 200 KB each, at a fixed interval that makes 175 Mb/s a server by RDMA and as much by TCP), ' +
        'weights of 3 to 1 between the classes, a probe per server and transport in some 50 us, a timeout of 5 ms for TCP, whose probes each have a connection of their own, NewReno, and no delayed ACKs. ' +
        'The bursts were chosen before the first run and not changed after it.',
      ...(size === 'full' ? SEEN : []),
    ],
  }),
})
