/**
 * Deadlock by flooding: two ToRs flood packets for dead servers, and PFC locks four switches in a network with up-down
 * routes. The six pauses of Figure 4 in their order, what ends the deadlock (nothing that servers do), and the remedies.
 * Source: [MS-Scale] section 4.2, Figure 4. Runs: deadlock-runs.ts.
 */
import { MS } from '../../base/index.ts'
import { exactCount, humanNumber } from '../../report/index.ts'
import {
  ABOVE_ZERO,
  type Claim,
  claim,
  exact,
  type FindingsFigure,
  type FindingsTable,
  rightColumn,
} from '../core/findings.ts'
import { defineExperiment } from '../core/experiment.ts'
import type { Size } from '../core/plan.ts'
import type { Runs, ValueOf } from '../core/runs.ts'
import { label, ranges, tableAt } from '../core/tables.ts'
import { BIN_PS, BINS, GRID, measure, PLANS, points, STEPS, type Variant, VARIANTS } from './deadlock-runs.ts'

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
      { ...rightColumn('locked at, ms'), cell: (_, own) => spread(own.values('lockedMs')) },
      { ...rightColumn('incast ends, ms'), cell: (_, own) => spread(own.values('incastEndMs')) },
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
    const after = first[i]!.map((us, seed) => (cause === null ? us : us - first[cause]![seed]!))
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
    exact(
      'rce.deadlock.forms',
      values('flood', 'isCircle').map((is) => is === 1),
      {
        measured: `locked at ${spread(locked)} ms`,
        reason:
          'Each switch is paused by the next, whose buffer holds what came from it for a port that is paused too; found at the end of the run, and counted if it has held for 1 ms.',
      },
    ),
    exact(
      'rce.deadlock.survives-congestion-end',
      locked.map((ms, seed) => ended[seed]! > ms),
      {
        measured: `locked at ${spread(locked)} ms, incast until ${spread(ended)} ms, locked at ${stopPs / MS} ms`,
        reason: 'All four pauses hold without a break from before the last packet of the incast to the end of the run.',
      },
    ),
    exact(
      'rce.deadlock.survives-restart',
      stuck.map((bytes) => bytes === 0),
      {
        measured: `${spread(stuck)} B on the four links and at the receivers of new messages`,
        reason: `All servers are down from ${downPs / MS} ms, lose their queue pairs, and come back with their links; S1 and S4 send again from ${againPs / MS} ms. Counted from then to the end.`,
      },
    ),
  ]
}

function remedyClaims(values: Values, size: Size): Claim[] {
  const doesLock = values('flood', 'isCircle').every((is) => is === 1)
  const prevents = (id: string, variant: Variant, more: string): Claim => {
    const circles = values(variant, 'isCircle')
    return exact(
      id,
      values(variant, (m) => m['isCircle']! + (m['lateBlackMessages'] === 0 ? 1 : 0)).map((n) => doesLock && n === 0),
      {
        measured: `no circle in ${circles.filter((is) => is === 0).length} of ${circles.length} seeds; ${more}`,
        reason: 'The same run with flooding locks; here black messages still arrive in the last millisecond.',
      },
    )
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
  points,
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
