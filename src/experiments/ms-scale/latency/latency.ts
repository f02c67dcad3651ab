/**
 * Latency of RDMA and of TCP beside each other: probes before and under load, with both transports in classes of their
 * own or in one (Figure 8), and among incast bursts (Figure 6). Runs and measures: runs.ts.
 * The delays of hosts are inputs: their percentiles are those of the paper's idle testbed.
 * Source: [MS-Scale] section 5.4.
 */
import { humanNumber, humanRate } from '../../../report/index.ts'
import { type Interval, interval95, sum } from '../../../results/index.ts'
import { defineExperiment } from '../../core/old/plan.ts'
import {
  ABOVE_ONE,
  bracketClaim,
  type Claim,
  type Findings,
  type FindingsTable,
  intervalText,
  meanCountText,
  type Reading,
  rightColumn,
} from '../../core/findings.ts'
import { overSeeds, sumOver, valuesOf } from '../../core/old/over-seeds.ts'
import type { Measures, Outcome, Size } from '../../core/old/plan.ts'
import { latencyFigures } from './figures.ts'
import {
  BURST_KB,
  BURSTS,
  BURSTS_ALONE,
  burstTimesMs,
  HOST_DELAYS,
  latencyMeasures,
  latencyPoints,
  NO_BURSTS,
  type Phase,
  SENDERS,
  SERVER_BPS,
  SHARED_STEPS,
  sliceKey,
  STEP_SHARES,
  STEPS,
  timeKey,
  type Transport,
  TRANSPORTS,
} from './runs.ts'

/** RDMA latencies of Figure 8, microseconds. */
const PRINTED_STEPS = [
  { id: 'rce.fig8.p99', share: 0.99, name: '99th', idleUs: 50, loadedUs: 400 },
  { id: 'rce.fig8.p999', share: 0.999, name: '99.9th', idleUs: 80, loadedUs: 800 },
] as const

/** Latencies of Figure 6, microseconds, and the factor within which they count as reproduced. */
const PRINTED_BURSTS = [
  { id: 'rce.fig6.rdma-p99', transport: 'rdma', share: 0.99, name: '99th', us: 90, factor: 1.5 },
  { id: 'rce.fig6.rdma-p999', transport: 'rdma', share: 0.999, name: '99.9th', us: 200, factor: 1.5 },
  { id: 'rce.fig6.tcp-p99', transport: 'tcp', share: 0.99, name: '99th', us: 700, factor: 2 },
] as const

const NAMES: Readonly<Record<Transport, string>> = { rdma: 'RDMA', tcp: 'TCP' }

const timeOf =
  (transport: Transport, phase: Phase, share: number) =>
  (measures: Measures): number =>
    measures[timeKey(transport, phase, share)] ?? NaN

/** Loaded over idle. */
const increaseOf =
  (transport: Transport, share: number) =>
  (measures: Measures): number =>
    timeOf(transport, 'Loaded', share)(measures) / timeOf(transport, 'Idle', share)(measures)

/** The highest 99th percentile of TCP in a slice of time, ms. */
function spikeMs(measures: Measures): number {
  return Math.max(...burstTimesMs('full').map((_, slice) => measures[sliceKey('tcp', 0.99, slice)] ?? NaN)) / 1000
}

function hostTable(outcomes: readonly Outcome[]): FindingsTable {
  return {
    title: 'Inputs: delays of hosts, and round trips in the idle network',
    columns: [
      { head: 'probes' },
      { head: 'one packet, up or down' },
      ...STEP_SHARES.map((share) => rightColumn(`${share * 100} %, us`)),
      { head: 'idle testbed of the paper' },
    ],
    rows: TRANSPORTS.map((transport) => [
      NAMES[transport],
      HOST_DELAYS[transport].slice(1, -1),
      ...STEP_SHARES.map((share) => intervalText(overSeeds(outcomes, NO_BURSTS, timeOf(transport, 'All', share)))),
      transport === 'rdma' ? '50 us at 99 %, 80 us at 99.9 %' : '500 us at 99 %',
    ]),
  }
}

function stepTable(outcomes: readonly Outcome[]): FindingsTable {
  const us = (condition: string, transport: Transport, phase: Phase, share: number): string =>
    humanNumber(overSeeds(outcomes, condition, timeOf(transport, phase, share)).mean)
  const both = (condition: string, transport: Transport, share: number): string =>
    `${us(condition, transport, 'Idle', share)} to ${us(condition, transport, 'Loaded', share)}`
  const times = (condition: string, transport: Transport, share: number): string =>
    intervalText(overSeeds(outcomes, condition, increaseOf(transport, share)))
  return {
    title: 'Idle to loaded (Figure 8), us',
    columns: [
      { head: 'network' },
      rightColumn('RDMA 99 %'),
      rightColumn('loaded over idle'),
      rightColumn('RDMA 99.9 %'),
      rightColumn('loaded over idle'),
      rightColumn('TCP 99 %'),
      rightColumn('loaded over idle'),
    ],
    rows: shown(outcomes, [...STEPS, ...SHARED_STEPS]).map((condition) => [
      condition,
      both(condition, 'rdma', 0.99),
      times(condition, 'rdma', 0.99),
      both(condition, 'rdma', 0.999),
      times(condition, 'rdma', 0.999),
      both(condition, 'tcp', 0.99),
      times(condition, 'tcp', 0.99),
    ]),
  }
}

function burstTable(outcomes: readonly Outcome[]): FindingsTable {
  const us = (condition: string, transport: Transport, share: number): string =>
    intervalText(overSeeds(outcomes, condition, timeOf(transport, 'All', share)))
  const count = (condition: string, key: string): string =>
    meanCountText(overSeeds(outcomes, condition, (m) => m[key] ?? NaN).mean)
  return {
    title: 'Among incast bursts (Figure 6), us',
    columns: [
      { head: 'bursts' },
      rightColumn('RDMA 99 %'),
      rightColumn('RDMA 99.9 %'),
      rightColumn('TCP 99 %'),
      rightColumn('TCP 99 %, worst 5 ms'),
      rightColumn('packets lost'),
      rightColumn('TCP probes after a timeout'),
      rightColumn('pause frames'),
    ],
    rows: shown(outcomes, [NO_BURSTS, ...BURSTS, ...BURSTS_ALONE]).map((condition) => [
      condition,
      us(condition, 'rdma', 0.99),
      us(condition, 'rdma', 0.999),
      us(condition, 'tcp', 0.99),
      humanNumber(overSeeds(outcomes, condition, spikeMs).mean * 1000),
      count(condition, 'drops'),
      count(condition, 'tcpTimedOut'),
      count(condition, 'pauseFrames'),
    ]),
  }
}

/** Conditions that were run. */
function shown(outcomes: readonly Outcome[], conditions: readonly string[]): string[] {
  return conditions.filter((condition) => outcomes.some((each) => each.condition === condition))
}

/** One reading per condition. */
function readingsOf(
  outcomes: readonly Outcome[],
  conditions: readonly string[],
  valueOf: (measures: Measures) => number,
): Reading[] {
  return conditions.map((name) => {
    const values = valuesOf(outcomes, name, valueOf)
    return { name, measured: interval95(values), values }
  })
}

function stepClaims(outcomes: readonly Outcome[]): Claim[] {
  const shared = SHARED_STEPS.map(
    (condition) =>
      `${condition}: ${humanNumber(overSeeds(outcomes, condition, increaseOf('tcp', 0.99)).mean)} times that of the idle network`,
  )
  return [
    ...PRINTED_STEPS.map(({ id, share, name, idleUs, loadedUs }) =>
      bracketClaim({
        id,
        statement: `The ${name} percentile of the RDMA latency rises from ${idleUs} us to ${loadedUs} us under load`,
        paper: `${humanNumber(loadedUs / idleUs)} x: ${idleUs} to ${loadedUs} us`,
        readings: readingsOf(outcomes, STEPS, increaseOf('rdma', share)),
        paperValues: [loadedUs / idleUs],
        band: { low: loadedUs / idleUs / 2, high: (2 * loadedUs) / idleUs },
        unit: ' x',
        tolerance: 'loaded over idle within a factor of 2',
        why: `The ${idleUs} us of the idle network are an input.`,
      }),
    ),
    bracketClaim({
      id: 'rce.fig8.tcp-unchanged',
      statement: 'The 99th percentile of the TCP latency does not change when the RDMA load starts',
      paper: '500 us, unchanged',
      readings: readingsOf(outcomes, STEPS, increaseOf('tcp', 0.99)),
      paperValues: [],
      band: { low: 0.9, high: 1.1 },
      unit: ' of the idle network',
      tolerance: '10 %',
      why: `The control, with TCP in the class of RDMA: ${shared.join('; ')}.`,
    }),
    bracketClaim({
      id: 'rce.fig8.latency-is-congestion',
      statement: 'Lossless does not mean low latency: the latency of RDMA rises with congestion',
      paper: 'holds',
      readings: readingsOf(outcomes, STEPS, increaseOf('rdma', 0.99)),
      paperValues: [],
      band: ABOVE_ONE,
      unit: ' x at 99 %',
      tolerance: 'sign of the difference',
      why: `Packets lost in these runs: ${sum(STEPS.map((each) => sumOver(outcomes, each, (m) => m['drops'] ?? NaN)))}.`,
    }),
  ]
}

function burstClaims(outcomes: readonly Outcome[]): Claim[] {
  const alone = (transport: Transport, share: number): string =>
    BURSTS_ALONE.map((each) => humanNumber(overSeeds(outcomes, each, timeOf(transport, 'All', share)).mean)).join(', ')
  const idle = (transport: Transport, share: number): string =>
    humanNumber(overSeeds(outcomes, NO_BURSTS, timeOf(transport, 'All', share)).mean)
  const marginOf = (m: Measures): number => timeOf('tcp', 'All', 0.99)(m) / timeOf('rdma', 'All', 0.999)(m)
  return [
    ...PRINTED_BURSTS.map(({ id, transport, share, name, us, factor }) =>
      bracketClaim({
        id,
        statement: `With bursty incast and at most 350 Mb/s a server the ${name} percentile of the ${NAMES[transport]} latency is ${us} us`,
        paper: `${us} us`,
        readings: readingsOf(outcomes, BURSTS, timeOf(transport, 'All', share)),
        paperValues: [us],
        band: { low: us / factor, high: us * factor },
        unit: ' us',
        tolerance: `within a factor of ${factor}`,
        why: `Hosts without bursts: ${idle(transport, share)} us, an input. Bursts without hosts: ${alone(transport, share)} us with ${BURST_KB.join(', ')} KB.`,
      }),
    ),
    bracketClaim({
      id: 'rce.fig6.tcp-spikes',
      statement: 'The 99th percentile of the TCP latency has spikes of several milliseconds',
      paper: 'several ms',
      readings: readingsOf(outcomes, BURSTS, spikeMs),
      paperValues: [],
      band: { low: 1, high: 10 },
      unit: ' ms',
      tolerance: '1 to 10 ms, in the worst 5 ms of a run',
      why: 'Spikes are probes that are lost and wait for the timeout, 5 ms here: a choice of ours.',
    }),
    bracketClaim({
      id: 'rce.fig6.order',
      statement: 'Even the 99.9th percentile of RDMA is far below the 99th of TCP',
      paper: 'RDMA p99, RDMA p99.9, TCP p99',
      readings: readingsOf(outcomes, BURSTS, marginOf),
      paperValues: [],
      band: ABOVE_ONE,
      unit: ' times as long',
      tolerance: 'sign of the difference',
      why: `Without the delays of hosts: ${BURSTS_ALONE.map((each) => humanNumber(overSeeds(outcomes, each, marginOf).mean)).join(', ')} times with ${BURST_KB.join(', ')} KB.`,
    }),
    setting(outcomes),
  ]
}

function setting(outcomes: readonly Outcome[]): Claim {
  const rates = BURSTS.map((condition): Interval => overSeeds(outcomes, condition, (m) => m['burstBps'] ?? NaN))
  return {
    id: 'rce.fig6.setting',
    check: '',
    statement: 'A peak of about 350 Mb/s a server, several Gb/s for each pair, incast bursts',
    paper: '20,000 servers, 350 Mb/s, 20 to 30 % CPU',
    measured: `48 servers, ${rates.map(({ mean }) => humanRate(mean)).join(', ')} a server`,
    verdict: 'input',
    reason: `The traffic is set to ${humanRate(SERVER_BPS)}, half of it by TCP, from ${SENDERS} servers to one. The load of processors is not modelled.`,
  }
}

const REMARKS = [
  'The delays of hosts are inputs. One packet takes a lognormal time up or down, and a probe has five of them: its sender down, the receiver up and down, and the sender up, counted ' +
    'once more down (docs/models/host-delay.md). For RDMA (NIC, PCIe and application) both parameters follow from the two percentiles of the idle testbed in Figure 8. For TCP the paper has one, ' +
    '500 us: the same form, ten times as long. Load traffic and bursts pass no host delays, so that bursts leave in step, the hardest case for the network.',
  'Ours, as the paper prints none: the bursts (40 senders drawn at random to a random receiver, 10, 50 and 200 KB each, at a fixed interval that makes 175 Mb/s a server by RDMA and as much by TCP), ' +
    'weights of 3 to 1 between the classes, a probe per server and transport in some 50 us, a timeout of 5 ms for TCP, whose probes each have a connection of their own, NewReno, and no delayed ACKs. ' +
    'The bursts were chosen before the first run and not changed after it.',
]

/** Remarks on the runs of full size. */
function seen(outcomes: readonly Outcome[]): string[] {
  const us = (condition: string, transport: Transport, phase: Phase, share: number): string =>
    humanNumber(overSeeds(outcomes, condition, timeOf(transport, phase, share)).mean)
  const [pfc, , rates] = STEPS as readonly [string, string, string]
  const [few, middle, many] = BURSTS as readonly [string, string, string]
  return [
    `Figure 8: with PFC alone the 99th percentile of RDMA rises to ${us(pfc, 'rdma', 'Loaded', 0.99)} us, with DCQCN to ${us(rates, 'rdma', 'Loaded', 0.99)} us; the paper's 400 us lie between. ` +
      `Its tail is longer: 800 us at 99.9 %, twice as much, and here ${us(pfc, 'rdma', 'Loaded', 0.999)} and ${us(rates, 'rdma', 'Loaded', 0.999)} us. TCP does not notice in a class of its own, and waits with RDMA in the same.`,
    `Figure 6: a server's port is busy with bursts for less than a hundredth of the time, so that the 99th percentile of RDMA is that of hosts and of the beginnings of bursts (${us(few, 'rdma', 'All', 0.99)} and ${us(middle, 'rdma', 'All', 0.99)} us), ` +
      `and the 99.9th the time that a burst takes to leave (${us(few, 'rdma', 'All', 0.999)} and ${us(middle, 'rdma', 'All', 0.999)} us); the printed 200 us lie between bursts of 10 and of 50 KB. ` +
      `The 99th percentile of TCP is that of the kernel; 700 us need a busy host, as the paper says of them, or bursts that are lost. Bursts of 200 KB overrun the buffer that the lossy class may take, and they fill that of the lossless one until it pauses: ` +
      `RDMA loses nothing and then waits longer than TCP at these percentiles (${us(many, 'rdma', 'All', 0.99)} against ${us(many, 'tcp', 'All', 0.99)} us), whose losses show in the few probes that wait for a timeout. ` +
      "Without the delays of hosts even the 99.9th percentile of RDMA is above the 99th of TCP: the paper's order is that of hosts.",
  ]
}

function conclude(outcomes: readonly Outcome[], size: Size): Findings {
  return {
    tables: [hostTable(outcomes), stepTable(outcomes), burstTable(outcomes)],
    figures: latencyFigures(outcomes, size),
    claims: size === 'full' ? [...stepClaims(outcomes), ...burstClaims(outcomes)] : [],
    remarks: size === 'full' ? [...REMARKS, ...seen(outcomes)] : REMARKS,
  }
}

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
  conclude,
})
