/**
 * Deadlock by flooding: two ToRs flood packets for dead servers, and PFC locks four switches in a network with up-down
 * routes. The six pauses of Figure 4 in their order, what ends the deadlock (nothing that servers do), and the remedies.
 * Source: [MS-Scale] section 4.2, Figure 4. Runs: deadlock-runs.ts.
 */
import { MS } from '../../base/index.ts'
import { exactCount, humanNumber } from '../../report/index.ts'
import {
  type Claim,
  exactClaim,
  type Findings,
  type FindingsFigure,
  rightColumn,
  seedsClaim,
} from '../core/findings.ts'
import { defineExperiment } from '../core/experiment.ts'
import type { Size } from '../core/plan.ts'
import type { Runs, ValueOf } from '../core/runs.ts'
import { BIN_PS, BINS, measure, PLANS, points, shareName, STEPS, type Variant, VARIANTS } from './deadlock-runs.ts'

type Values = (variant: Variant, of: ValueOf) => number[]

function conclude(runs: Runs, size: Size): Findings {
  const values: Values = (variant, of) => runs.values(of, { variant })
  return {
    tables: [stepTable(values), outcomeTable(values)],
    figures: [pauseFigure(values, 'flooding', 'flood'), pauseFigure(values, 'dropped', 'drop')],
    claims: [...stepClaims(values), ...deadlockClaims(values, size), ...remedyClaims(values, size)],
    remarks: remarks(values),
  }
}

/** "83.3", or the range over seeds; "-" where it has not happened in some seed. */
function spread(values: readonly number[], digits = 3): string {
  if (values.some(Number.isNaN)) return '-'
  const [least, most] = [Math.min(...values), Math.max(...values)].map((value) => humanNumber(value, digits))
  return least === most ? least! : `${least} to ${most}`
}

const firstOf = (paused: string): string => `first.${paused}.us`

function stepTable(values: Values): Findings['tables'][number] {
  const shown = ['flood', 'aged', 'lossy', 'drop'] as const
  return {
    title: 'First pause of each port, us',
    columns: [{ head: 'step' }, { head: 'pause' }, ...shown.map((variant) => rightColumn(VARIANTS[variant]))],
    rows: STEPS.map(({ paused, by }, i) => [
      String(i + 1),
      `${by} pauses ${paused}`,
      ...shown.map((variant) => spread(values(variant, firstOf(paused)))),
    ]),
  }
}

function outcomeTable(values: Values): Findings['tables'][number] {
  const counts = (variant: Variant, key: string): string => {
    const all = values(variant, key)
    const [least, most] = [Math.min(...all), Math.max(...all)]
    return least === most ? exactCount(least) : `${exactCount(least)} to ${exactCount(most)}`
  }
  return {
    title: 'Outcome of each variant',
    columns: [
      { head: 'variant' },
      { head: 'deadlock at the end' },
      rightColumn('locked at, ms'),
      rightColumn('incast ends, ms'),
      rightColumn('packets flooded'),
      rightColumn('packets to the CPU'),
      rightColumn('black messages in the last ms'),
    ],
    rows: (Object.keys(VARIANTS) as Variant[]).map((variant) => {
      const circles = values(variant, 'isCircle')
      const locked = circles.filter((is) => is === 1).length
      return [
        VARIANTS[variant],
        locked === 0 ? 'no' : locked === circles.length ? 'T0, La, T1, Lb' : `in ${locked} of ${circles.length} seeds`,
        spread(values(variant, 'lockedMs')),
        spread(values(variant, 'incastEndMs')),
        counts(variant, 'floods'),
        counts(variant, 'toCpu'),
        counts(variant, 'lateBlackMessages'),
      ]
    }),
  }
}

/** Share of time that each port of a step is paused, over time; the first seed. */
function pauseFigure(values: Values, name: string, variant: Variant): FindingsFigure {
  return {
    name,
    lines: {
      title: `Who pauses whom: ${VARIANTS[variant]}`,
      subtitle: `share of ${BIN_PS / MS} ms in which the port may not send; the first seed; S4 begins at 1 ms`,
      xLabel: 'time (ms)',
      yLabel: 'share of time paused',
      fromZero: true,
      lines: STEPS.map(({ paused, by }, step) => ({
        series: `${step + 1}: ${by} pauses ${paused}`,
        points: Array.from({ length: BINS }, (_, bin) => ({
          x: ((bin + 0.5) * BIN_PS) / MS,
          y: values(variant, shareName(paused, bin))[0]!,
        })),
      })),
    },
  }
}

/** In the branches 1, 2, 3 and 4, 5, 6 each pause comes after the one before, and step 4 after step 2, of which it is a result. */
function stepClaims(values: Values): Claim[] {
  const first = STEPS.map(({ paused }) => values('flood', firstOf(paused)))
  const CAUSES = [null, 0, 1, 1, 3, 4] as const
  return STEPS.map((_, i) => {
    const cause = CAUSES[i]!
    const after = first[i]!.map((us, seed) => (cause === null ? us : us - first[cause]![seed]!))
    const behind = cause === null ? 'after the start' : `after step ${cause + 1}`
    return seedsClaim({
      id: `rce.deadlock.step${i + 1}`,
      values: after,
      // S4 may have been paused by the same packet as its neighbour in the figure.
      band: { low: 0, high: Infinity, isOpen: true },
      judge: 'every seed',
      unit: ` us ${behind}`,
      why: `First pause at ${spread(first[i]!)} us.`,
    })
  })
}

function holdsIn(values: readonly number[], is: (value: number) => boolean): { holds: boolean; seeds: Claim['seeds'] } {
  const held = values.filter(is).length
  return { holds: values.length > 0 && held === values.length, seeds: { held, of: values.length } }
}

function deadlockClaims(values: Values, size: Size): Claim[] {
  const { stopPs, downPs, againPs } = PLANS[size]
  const locked = values('flood', 'lockedMs')
  const ended = values('flood', 'incastEndMs')
  const survives = holdsIn(
    locked.map((ms, seed) => ended[seed]! - ms),
    (ms) => ms > 0,
  )
  const stuck = values('restart', (m) => (m['isCircle'] === 1 ? m['circleBytesAtEnd']! + m['againBytes']! : NaN))
  const restarted = holdsIn(stuck, (bytes) => bytes === 0)
  const circles = holdsIn(values('flood', 'isCircle'), (is) => is === 1)
  return [
    {
      ...exactClaim({
        id: 'rce.deadlock.forms',
        measured: `locked at ${spread(locked)} ms`,
        holds: circles.holds,
        reason:
          'Each switch is paused by the next, whose buffer holds what came from it for a port that is paused too; found at the end of the run, and counted if it has held for 1 ms.',
      }),
      seeds: circles.seeds!,
    },
    {
      ...exactClaim({
        id: 'rce.deadlock.survives-congestion-end',
        measured: `locked at ${spread(locked)} ms, incast until ${spread(ended)} ms, locked at ${stopPs / MS} ms`,
        holds: circles.holds && survives.holds,
        reason: 'All four pauses hold without a break from before the last packet of the incast to the end of the run.',
      }),
      seeds: survives.seeds!,
    },
    {
      ...exactClaim({
        id: 'rce.deadlock.survives-restart',
        measured: `${spread(stuck)} B on the four links and at the receivers of new messages`,
        holds: restarted.holds,
        reason: `All servers are down from ${downPs / MS} ms, lose their queue pairs, and come back with their links; S1 and S4 send again from ${againPs / MS} ms. Counted from then to the end.`,
      }),
      seeds: restarted.seeds!,
    },
  ]
}

function remedyClaims(values: Values, size: Size): Claim[] {
  const prevents = (id: string, variant: Variant, more: string): Claim => {
    const circles = values(variant, 'isCircle')
    const late = values(variant, 'lateBlackMessages')
    const { seeds } = holdsIn(circles, (is) => is === 0)
    const isFree = circles.every((is) => is === 0) && late.every((count) => count > 0)
    return {
      ...exactClaim({
        id,
        measured: `no circle in ${seeds!.held} of ${seeds!.of} seeds; ${more}`,
        holds: isFree && values('flood', 'isCircle').every((is) => is === 1),
        reason: 'The same run with flooding locks; here black messages still arrive in the last millisecond.',
      }),
      seeds: seeds!,
    }
  }
  const floodsAt = (variant: Variant): string => spread(values(variant, 'floods'))
  const perSecond = values('cpu', (m) => m['toCpu']! / (PLANS[size].stopPs / 1e12))
  const refused = values('cpu', (m) => (100 * m['refusedByCpu']!) / m['toCpu']!)
  return [
    prevents(
      'rce.deadlock.opt1-cpu',
      'cpu',
      `${floodsAt('cpu')} packets flooded, ${spread(perSecond)} packets/s for CPUs that take 200/s: ${spread(refused)} % refused`,
    ),
    prevents('rce.deadlock.opt3-prevents', 'drop', `${floodsAt('drop')} packets flooded`),
    prevents('rce.deadlock.no-bcast-in-lossless', 'lossy', `${floodsAt('lossy')} packets flooded in class 0`),
  ]
}

function remarks(values: Values): string[] {
  const isFree = (variant: Variant): boolean => values(variant, 'isCircle').every((is) => is === 0)
  return [
    'Nothing in this experiment is random; seeds shift the begin of the incast and of S4. The paper names ports in its text and prints no times, ' +
      'rates or sizes: 40 Gb/s, XOFF at about 200 KB, messages of 1 MB for the black traffic and the incast, and servers that are dead from the ' +
      'start with MAC entries that have aged out are ours. T2 and Lc, which bring the incast, are not in the figure.',
    'The circle does not close with the first pauses. While black packets leave by T1.p2 the pauses come and go within microseconds; it locks when ' +
      'T1.p3 holds purple packets only, in a gap between two black messages. With one black message and an incast without end ' +
      `${isFree('endless') ? 'it does not lock within the run' : 'it locks too'}.`,
    `Two readings of the flooding decide: with copies for host ports only ${isFree('hosts') ? 'nothing locks' : 'it locks too'}; ` +
      `with copies that keep an uplink busy for the time of a frame when they are dropped ${isFree('frameTime') ? 'nothing locks either' : 'it locks too'}.`,
    'Where entries age (1e6 times as fast as in the paper: 300 s become 300 us), nothing is missing at the start: the servers die, their MAC entries age ' +
      'out, and the deadlock follows. With ARP entries of 240 s (option 2) no packet finds an incomplete entry; packets for dead servers go to the CPU.',
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
  conclude,
})
