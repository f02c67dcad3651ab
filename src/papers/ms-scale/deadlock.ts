/**
 * Deadlock by flooding: two ToRs flood packets for dead servers, and PFC locks four switches in a network with up-down
 * routes. The six pauses of Figure 4 in their order, what ends the deadlock (nothing that servers do), and the remedies.
 * Ports have the names of the paper. Hosts 0 to 7 are S1 to S8. T2 and Lc bring the "other sources" of the incast at S5, of
 * which the figure shows none; port p5 of T1, to Lc, is ours, the other ports are derived from the text.
 * Nothing is random, so that seeds stand for phases: seed s has the incast begin 11 us and S4 37 us later than the seed
 * before.
 * Source: [MS-Scale] section 4.2, Figure 4.
 */
import { MS, US } from '../../core/base/index.ts'
import { exactCount, humanNumber } from '../../show/index.ts'
import { numberColumns, numbersOf, type Result, sum, tableOfKind, textsOf } from '../../core/results/index.ts'
import { defineExperiment } from '../core/experiment.ts'
import { ABOVE_ZERO, type Claim, claim, exact, type FindingsFigure, type FindingsTable } from '../core/findings.ts'
import { pointsAt, product } from '../core/grid.ts'
import type { Measures, Point, Size } from '../core/plan.ts'
import type { Runs, ValueOf } from '../core/runs.ts'
import { label, ranges, tableAt, texts } from '../core/tables.ts'

/** Ports that are paused, with the port that pauses them and the node and port index here, in the order of the steps. */
const STEPS = [
  { paused: 'La.p1', by: 'T1.p3', node: 10, port: 2 },
  { paused: 'T0.p2', by: 'La.p0', node: 8, port: 3 },
  { paused: 'S1', by: 'T0.p0', node: 0, port: 1 },
  { paused: 'Lb.p0', by: 'T0.p3', node: 11, port: 1 },
  { paused: 'T1.p4', by: 'Lb.p1', node: 9, port: 5 },
  { paused: 'S4', by: 'T1.p1', node: 3, port: 1 },
] as const
/** The circle's switches, by name here: T0, La, T1, Lb. */
const CIRCLE = ['switch 8', 'switch 10', 'switch 9', 'switch 11']
/** Pauses without traffic last some ten microseconds where nothing is locked. */
const LASTING_PS = 1 * MS
const CIRCLE_PORTS = '8:3, 10:2, 9:5, 11:1'

/** Restart of all servers, and its traffic afterwards. */
const PLANS = {
  small: { stopPs: 16 * MS, downPs: 9 * MS, upPs: 10 * MS, againPs: 12 * MS },
  full: { stopPs: 50 * MS, downPs: 20 * MS, upPs: 21 * MS, againPs: 25 * MS },
}

/** The runs, with their names in tables. */
const VARIANTS = {
  flood: 'flooding',
  restart: 'flooding, all servers restarted',
  aged: 'flooding, entries that age',
  cpu: 'option 1: to the CPU',
  longer: 'option 2: MAC entries outlive ARP entries',
  drop: 'option 3: lossless packets dropped',
  lossy: 'flooded packets in a lossy class',
  alive: 'all servers alive',
  hosts: 'flooding to host ports only',
  frameTime: 'flooding, a drop takes the time of a frame',
  endless: 'flooding, one black message and incast without end',
} as const
export type Variant = keyof typeof VARIANTS

/** Entries age 1e6 times as fast: 300 s in 300 us. */
const FAST = 'timeScale: 1e-6, resolveTime: 10us'
const MISSING = "macMissing: 'host 1, host 2'"
const TABLES: Readonly<Record<Variant, string>> = {
  flood: MISSING,
  restart: MISSING,
  aged: FAST,
  cpu: `${MISSING}, onIncomplete: cpu`,
  longer: `${FAST}, arpSeconds: 240`,
  drop: `${MISSING}, onIncomplete: drop-lossless`,
  lossy: `${MISSING}, floodClass: 0`,
  alive: '',
  hosts: `${MISSING}, floodPorts: hosts`,
  frameTime: `${MISSING}, headDrop: frame-time`,
  endless: MISSING,
}

const us = (ps: number): string => `${ps / US}us`

function scenarioText(size: Size, seed: number, variant: Variant): string {
  const { stopPs, downPs, upPs, againPs } = PLANS[size]
  const incastPs = 11 * US * (seed - 1)
  const bluePs = 1 * MS + 37 * US * (seed - 1)
  const isRestart = variant === 'restart'
  const isEndless = variant === 'endless'
  const dead = `{kind: server-down, hosts: 'host 1, host 2', down: 0us${isRestart ? `, up: ${us(upPs)}` : ''}}`
  const all = isRestart ? `, {kind: server-down, hosts: all, down: ${us(downPs)}, up: ${us(upPs)}}` : ''
  const again = isRestart
    ? `- {kind: trace, tag: again, flows: [0 4 1MB ${us(againPs)}, 0 2 1MB ${us(againPs)}, 3 1 1MB ${us(againPs)}]}`
    : ''
  return `
name: ms-scale-deadlock-${variant}
topology:
  kind: graph
  nodes: 14
  switches: [8, 9, 10, 11, 12, 13]
  links:
    # T0: p0 S1, p1 S2, p2 La, p3 Lb. T1: p0 S3, p1 S4, p2 S5, p3 La, p4 Lb, p5 Lc. La and Lb: p0 T0, p1 T1.
    - 0 8 40Gbps 10ns
    - 1 8 40Gbps 10ns
    - 8 10 40Gbps 100ns
    - 8 11 40Gbps 100ns
    - 2 9 40Gbps 10ns
    - 3 9 40Gbps 10ns
    - 4 9 40Gbps 10ns
    - 9 10 40Gbps 100ns
    - 9 11 40Gbps 100ns
    - 5 12 40Gbps 10ns
    - 6 12 40Gbps 10ns
    - 7 12 40Gbps 10ns
    - 12 13 40Gbps 100ns
    - 9 13 40Gbps 100ns
  routes: ['8: 2,4 via 3', '9: 0 via 4', '9: 1 via 5', '8: 3 via 4']
switch:
  # XOFF at about 200 KB per port, XON two packets below.
  buffer: {kind: shared-buffer, size: 9MB, alpha: 1/43, xonOffset: 2172B}
  layer2: {kind: tables${TABLES[variant] === '' ? '' : `, ${TABLES[variant]}`}}
faults: [${variant === 'alive' ? '' : dead}${all}]
workload:
  - {kind: trace, tag: purple, flows: [0 2 1GB 0us]}
  - {kind: closed-loop, tag: black, pairs: [0 4], messageSize: ${isEndless ? '1GB' : '1MB'}}
  - {kind: closed-loop, tag: incast, pairs: [5 4, 6 4, 7 4], messageSize: 1MB, messages: ${isEndless ? 'off' : 8}, start: ${us(incastPs)}}
  - {kind: trace, tag: blue, flows: [3 1 1GB ${us(bluePs)}]}
  ${again}
measure: {stop: ${us(stopPs)}}
observe:
  - {kind: pause-intervals, maxRows: 1000000}
  - {kind: link-use, ports: "${CIRCLE_PORTS}", interval: 1ms}
`
}

const GRID = product({ variant: Object.keys(VARIANTS) as Variant[] })

/** Length of a column of the figures. */
const BIN_PS = 250 * US
const BINS = 24

/** Times are NaN for what has not happened. */
function measure(result: Result, { scenario }: Pick<Point, 'scenario'>): Measures {
  const { flows, counters, pauseCircle } = result
  const pauses = tableOfKind(result, 'pause-intervals')!
  const [startsPs, endsPs, nodes, ports] = numberColumns(pauses, ['startPs', 'endPs', 'node', 'port'])
  const rowsOf = ({ node, port }: (typeof STEPS)[number]): number[] =>
    [...startsPs.keys()].filter((row) => nodes[row] === node && ports[row] === port)
  const steps = STEPS.map(rowsOf)
  const tags = textsOf(flows, 'tag')
  const received = numbersOf(flows, 'receivedPs')
  const starts = numbersOf(flows, 'startPs')
  const delivered = numbersOf(flows, 'deliveredBytes')
  const incastPs = received.filter((_ps, row) => tags[row] === 'incast')
  // While pauses come and go, four of them may hold at the instant of the stop: a deadlock has lasted.
  const heldPs = pauseCircle === null ? 0 : result.simulatedPs - pauseCircle.sincePs
  const isCircle = heldPs >= LASTING_PS && CIRCLE.every((name) => pauseCircle!.nodes.includes(name))
  const lockedPs = isCircle ? pauseCircle!.sincePs : NaN
  const layer2 = counters.layer2 ?? {}
  const { againPs } = PLANS[scenario.measure.stop === PLANS.full.stopPs ? 'full' : 'small']
  const firstUs = steps.map((rows) => (rows.length === 0 ? NaN : startsPs[rows[0]!]! / US))
  return {
    ...Object.fromEntries(STEPS.map(({ paused }, i) => [`first.${paused}.us`, firstUs[i]!])),
    isCircle: isCircle ? 1 : 0,
    lockedMs: lockedPs / MS,
    incastEndMs: incastPs.some(Number.isNaN) ? NaN : Math.max(...incastPs) / MS,
    lateBlackMessages: received.filter((ps, row) => tags[row] === 'black' && ps > scenario.measure.stop! - 1 * MS)
      .length,
    againBytes: sum(delivered.filter((_bytes, row) => starts[row]! >= againPs)),
    circleBytesAtEnd: circleBytes(result, againPs),
    incomplete: layer2['incomplete'] ?? 0,
    floods: layer2['floods'] ?? 0,
    toCpu: layer2['to CPU'] ?? 0,
    refusedByCpu: layer2['refused by CPU'] ?? 0,
    ...pausedShares(steps, startsPs, endsPs),
  }
}

/** Bytes that the four links of the circle carry from a time on, to the end. */
function circleBytes(result: Result, fromPs: number): number {
  const use = tableOfKind(result, 'link-use')!
  const bytes = numbersOf(use, 'sentBytes')
  return sum(numbersOf(use, 'fromPs').map((ps, row) => (ps >= fromPs ? bytes[row]! : 0)))
}

/** Share of each bin in which the port of a step is paused. */
function pausedShares(steps: readonly (readonly number[])[], startsPs: Float64Array, endsPs: Float64Array): Measures {
  const shares: Record<string, number> = {}
  STEPS.forEach(({ paused }, i) => {
    for (let bin = 0; bin < BINS; bin++) {
      const [from, to] = [bin * BIN_PS, (bin + 1) * BIN_PS]
      const heldPs = sum(
        steps[i]!.map((row) => Math.max(0, Math.min(to, endsPs[row]!) - Math.max(from, startsPs[row]!))),
      )
      shares[`paused.${paused}.${bin}`] = heldPs / BIN_PS
    }
  })
  return shares
}

type Values = (variant: Variant, of: ValueOf) => number[]

/** "83.3", or the range over seeds; "-" where it has not happened in some seed. */
function spread(values: readonly number[]): string {
  if (values.some(Number.isNaN)) return '-'
  const [least, most] = [Math.min(...values), Math.max(...values)].map((value) => humanNumber(value))
  return least === most ? least! : `${least} to ${most}`
}

const outcomeTable = (runs: Runs): FindingsTable =>
  tableAt(runs, GRID, {
    title: 'Outcome of each variant',
    columns: [
      label('variant', ({ variant }) => VARIANTS[variant]),
      {
        head: 'deadlock at the end',
        cell: (_, own) => {
          const [locked, all] = [own.sum('isCircle'), own.outcomes.length]
          return locked === 0 ? 'no' : locked === all ? 'T0, La, T1, Lb' : `in ${locked} of ${all} seeds`
        },
      },
      texts('locked at, ms', (own) => spread(own.values('lockedMs'))),
      texts('incast ends, ms', (own) => spread(own.values('incastEndMs'))),
      ranges('packets flooded', 'floods', exactCount),
      ranges('packets to the CPU', 'toCpu', exactCount),
      ranges('black messages in the last ms', 'lateBlackMessages', exactCount),
    ],
  })

/** Share of time that each port of a step is paused, over time; the first seed. */
const pauseFigure = (values: Values): FindingsFigure => ({
  name: 'flooding',
  lines: {
    title: `Who pauses whom: ${VARIANTS.flood}`,
    subtitle: `share of ${BIN_PS / MS} ms in which the port may not send; the first seed; S4 begins at 1 ms`,
    xLabel: 'time (ms)',
    yLabel: 'share of time paused',
    fromZero: true,
    lines: STEPS.map(({ paused, by }, step) => ({
      series: `${step + 1}: ${by} pauses ${paused}`,
      points: Array.from({ length: BINS }, (_, bin) => ({
        x: ((bin + 0.5) * BIN_PS) / MS,
        y: values('flood', `paused.${paused}.${bin}`)[0]!,
      })),
    })),
  },
})

/** In the branches 1, 2, 3 and 4, 5, 6 each pause comes after the one before, and step 4 after step 2, of which it is a result. */
function stepClaims(values: Values): Claim[] {
  const first = STEPS.map(({ paused }) => values('flood', `first.${paused}.us`))
  const CAUSES = [null, 0, 1, 1, 3, 4] as const
  return STEPS.map((_, i) => {
    const cause = CAUSES[i]!
    const after = first[i]!.map((timeUs, seed) => (cause === null ? timeUs : timeUs - first[cause]![seed]!))
    const behind = cause === null ? 'after the start' : `after step ${cause + 1}`
    return claim(`rce.deadlock.step${i + 1}`, after, ABOVE_ZERO, {
      unit: ` us ${behind}`,
      why: `First pause at ${spread(first[i]!)} us.`,
    })
  })
}

function deadlockClaims(values: Values, size: Size): Claim[] {
  const { stopPs, downPs, againPs } = PLANS[size]
  const locked = values('flood', 'lockedMs')
  const ended = values('flood', 'incastEndMs')
  const stuck = values('restart', (m) => (m['isCircle'] === 1 ? m['circleBytesAtEnd']! + m['againBytes']! : NaN))
  return [
    exact('rce.deadlock.forms', {
      holds: values('flood', 'isCircle').map((is) => is === 1),
      measured: `locked at ${spread(locked)} ms`,
      reason:
        'Each switch is paused by the next, whose buffer holds what came from it for a port that is paused too; found at the end of the run, and counted if it has held for 1 ms.',
    }),
    exact('rce.deadlock.survives-congestion-end', {
      holds: locked.map((ms, seed) => ended[seed]! > ms),
      measured: `locked at ${spread(locked)} ms, incast until ${spread(ended)} ms, locked at ${stopPs / MS} ms`,
      reason: 'All four pauses hold without a break from before the last packet of the incast to the end of the run.',
    }),
    exact('rce.deadlock.survives-restart', {
      holds: stuck.map((bytes) => bytes === 0),
      measured: `${spread(stuck)} B on the four links and at the receivers of new messages`,
      reason: `All servers are down from ${downPs / MS} ms, lose their queue pairs, and come back with their links; S1 and S4 send again from ${againPs / MS} ms. Counted from then to the end.`,
    }),
  ]
}

function remedyClaims(values: Values, size: Size): Claim[] {
  const doesLock = values('flood', 'isCircle').every((is) => is === 1)
  const prevents = (id: string, variant: Variant, more: string): Claim => {
    const circles = values(variant, 'isCircle')
    return exact(id, {
      holds: values(variant, (m) => m['isCircle']! + (m['lateBlackMessages'] === 0 ? 1 : 0)).map(
        (n) => doesLock && n === 0,
      ),
      measured: `no circle in ${circles.filter((is) => is === 0).length} of ${circles.length} seeds; ${more}`,
      reason: 'The same run with flooding locks; here black messages still arrive in the last millisecond.',
    })
  }
  const flooded = (variant: Variant): string => `${spread(values(variant, 'floods'))} packets flooded`
  const perSecond = spread(values('cpu', (m) => m['toCpu']! / (PLANS[size].stopPs / 1e12)))
  const refused = spread(values('cpu', (m) => (100 * m['refusedByCpu']!) / m['toCpu']!))
  return [
    prevents(
      'rce.deadlock.opt1-cpu',
      'cpu',
      `${flooded('cpu')}, ${perSecond} packets/s for CPUs that take 200/s: ${refused} % refused`,
    ),
    prevents('rce.deadlock.opt3-prevents', 'drop', flooded('drop')),
    prevents('rce.deadlock.no-bcast-in-lossless', 'lossy', `${flooded('lossy')} in class 0`),
  ]
}

function remarks(values: Values): string[] {
  const lockText = (variant: Variant, free: string): string =>
    values(variant, 'isCircle').every((is) => is === 0) ? free : 'it locks too'
  return [
    'Nothing here is random; seeds shift the begin of the incast and of S4. The paper prints no times, rates or sizes: 40 Gb/s, XOFF at about 200 KB, ' +
      'messages of 1 MB for the black traffic and the incast, servers that are dead from the start with MAC entries that have aged out, and T2 and Lc, which bring the incast, are ours.',
    'The circle does not close with the first pauses. While black packets leave by T1.p2 the pauses come and go within microseconds; it locks when ' +
      'T1.p3 holds purple packets only, in a gap between two black messages. With one black message and an incast without end ' +
      `${lockText('endless', 'it does not lock within the run')}.`,
    `Two readings of the flooding decide: with copies for host ports only ${lockText('hosts', 'nothing locks')}; ` +
      `with copies that keep an uplink busy for the time of a frame when they are dropped ${lockText('frameTime', 'nothing locks either')}.`,
    'Where entries age, 1e6 times as fast as in the paper, nothing is missing at the start: the servers die, their MAC entries age out, and the deadlock follows. ' +
      'With ARP entries of 240 s (option 2) no packet finds an incomplete entry; packets for dead servers go to the CPU.',
  ]
}

export const deadlock = defineExperiment({
  name: 'ms-scale-deadlock',
  title: 'PFC deadlock by flooding in a network with up-down routes',
  source: '[MS-Scale] section 4.2, Figure 4',
  help:
    'Servers S2 and S3 are dead, and their ToR switches know their MAC addresses but not their ports any more. S1 sends to S3 and S5 by La, S4 to S2 ' +
    'by Lb, and others congest S5. The switches flood the packets for the dead servers, and four of them pause each other in a circle. The runs show ' +
    'the pauses in the order of the paper, that neither the end of the congestion nor a restart of all servers ends the deadlock, and the remedies.',
  sizes: {
    small: '16 ms, restart at 9 ms',
    full: '50 ms, restart at 20 ms',
  },
  points: (size, seed) => pointsAt(GRID, seed, ({ variant }) => scenarioText(size, seed, variant)),
  measure,
  conclude: (runs, size) => {
    const values: Values = (variant, of) => runs.values(of, { variant })
    return {
      tables: [outcomeTable(runs)],
      figures: [pauseFigure(values)],
      claims: [...stepClaims(values), ...deadlockClaims(values, size), ...remedyClaims(values, size)],
      remarks: remarks(values),
    }
  },
})
