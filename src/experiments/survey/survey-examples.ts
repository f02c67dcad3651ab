/**
 * The survey's worked examples and tables as this program has them: [Survey] Figures 4 to 6, 8 to 11, 13 and 14 and Tables I to III.
 * What a single queue pair shows is driven by hand (survey-figures.ts, survey-rates.ts, survey-paths.ts), what takes a network is run (survey-runs.ts).
 * What S1 says of DCTCP and of TIMELY without an example is run as well (survey-bursts.ts, survey-timely.ts).
 * Source: [Survey].
 */
import { humanRate } from '../../report/index.ts'
import { claimsInEachSeed } from '../core/each-seed.ts'
import { defineExperiment } from '../core/experiment.ts'
import type { Outcome, Size } from '../core/plan.ts'
import { barOf, type Claim, exactClaim, type Findings, type FindingsTable } from '../core/findings.ts'
import { overSeeds } from '../core/over-seeds.ts'
import { figure8, figure8Notification, figures4And14, SENDERS } from './figures.ts'
import { figure11, figure13 } from './paths.ts'
import { figure9, figure10 } from './rates.ts'
import { ARRIVALS, FIGURE_5, FIGURE_6, figure8Of, measure, measuredMs, points, PREFIXES } from './runs.ts'
import {
  burstClaims,
  burstFigure,
  burstMeasures,
  burstPoints,
  burstRemark,
  burstTable,
  isBurstCondition,
} from './bursts.ts'
import { shownBy, tableClaims, tablesTable } from './tables.ts'
import {
  isTimelyCondition,
  timelyClaims,
  timelyFigures,
  timelyMeasures,
  timelyPoints,
  timelyRemark,
  timelyTable,
} from './timely.ts'

const FLOWS = ['f1', 'f2', 'f3'] as const

const rateOf = (outcomes: readonly Outcome[], condition: string, flow: string) =>
  overSeeds(outcomes, condition, (measures) => measures[`${flow} Bps`] ?? NaN)

function pfcTable(outcomes: readonly Outcome[], size: Size): FindingsTable {
  const conditions = [FIGURE_5.shared, FIGURE_5.apart, FIGURE_6.pfc, FIGURE_6.free]
  return {
    title: `Figures 5 and 6: payload per second over ${measuredMs(size)} ms`,
    columns: [{ head: 'figure' }, ...FLOWS.map((head) => ({ head, align: 'right' as const }))],
    rows: conditions.map((condition) => [
      condition,
      ...FLOWS.map((flow) => humanRate(rateOf(outcomes, condition, flow).mean)),
    ]),
  }
}

function pfcClaims(outcomes: readonly Outcome[]): Claim[] {
  const bps = (condition: string, flow: string): number => rateOf(outcomes, condition, flow).mean
  const [f1, f2, f3] = FLOWS.map((flow) => bps(FIGURE_5.shared, flow))
  const apart = FLOWS.map((flow) => bps(FIGURE_5.apart, flow))
  const held = bps(FIGURE_6.pfc, 'f2')
  const free = bps(FIGURE_6.free, 'f2')
  const slow = bps(FIGURE_6.pfc, 'f1')
  return [
    exactClaim({
      id: 'srv.fig5.unfair',
      statement: 'f1, alone on its ingress, gets more than f2 and f3, which share one',
      paper: 'f1 before f2 = f3',
      measured: `${humanRate(f1!)}, ${humanRate(f2!)}, ${humanRate(f3!)}; with an ingress each ${apart.map((each) => humanRate(each)).join(', ')}`,
      holds: f1! > 1.2 * f2! && Math.abs(f2! - f3!) < 0.05 * f2! && Math.max(...apart) < 1.1 * Math.min(...apart),
      reason:
        'f1 a fifth above f2, f2 and f3 within 5 %; with an ingress each all within 10 %. Only whole messages count. ' +
        'The text names egress 2 where ingress 2 must be meant.',
    }),
    exactClaim({
      id: 'srv.fig6.hol',
      statement: 'A pause at egress 1 holds up f2, which goes to egress 2',
      paper: 'f2 is affected',
      measured: `f2 ${humanRate(held)} with PFC, as slow as f1 (${humanRate(slow)}); ${humanRate(free)} without`,
      holds: held < free / 2 && held < 1.2 * slow,
      reason:
        'f2 at less than half of what it has without PFC, and no more than a fifth above f1, with its egress idle.',
    }),
  ]
}

/** Of the runs that send the beginning of Figure 8(a): which arrivals were marked, as bitmaps of the two flows. */
function markedBitmaps(outcomes: readonly Outcome[]): Record<'S1' | 'S2', string> {
  const marks = PREFIXES.map(
    (packets) => overSeeds(outcomes, figure8Of(packets), (measures) => measures['marks'] ?? NaN).mean,
  )
  const before = [0, ...PREFIXES]
  const bits = Array.from(ARRIVALS, (name, i) => {
    // The shortest run that has this packet, and what it has more than the run before.
    const run = PREFIXES.findIndex((packets) => i < packets)
    const more = marks[run]! - (marks[run - 1] ?? 0)
    const packets = PREFIXES[run]! - before[run]!
    return { name, bit: more === packets ? '1' : more === 0 ? '0' : '?' }
  })
  const of = (isMine: (name: string) => boolean): string =>
    bits
      .filter(({ name }) => isMine(name))
      .map(({ bit }) => bit)
      .join('')
  return { S1: of((name) => /\d/.test(name)), S2: of((name) => /[a-z]/.test(name)) }
}

function markClaim(outcomes: readonly Outcome[]): Claim {
  const bitmaps = markedBitmaps(outcomes)
  return exactClaim({
    id: 'srv.fig8a.marks',
    statement: 'Over the threshold the switch marks packets 4 and 5 of S1 and b and c of S2',
    paper: SENDERS.map(({ name, marks }) => `${name} ${marks}`).join(', '),
    measured: SENDERS.map(({ name }) => `${name} ${bitmaps[name]}`).join(', '),
    holds: SENDERS.every(({ name, marks }) => bitmaps[name] === marks),
    reason:
      `Exact. The packets reach the switch as ${Array.from(ARRIVALS).join(' ')}; which of them are marked is told by runs that send only ` +
      'the first of them. The caption names c and d, but S2 sends a to c: b and c are meant, as in (b) and (d).',
  })
}

function conclude(outcomes: readonly Outcome[], size: Size): Findings {
  const driven = [figures4And14(), figure8(), figure8Notification(), figure9(), figure10(), figure11(), figure13()]
  const shown = shownBy(outcomes)
  return {
    tables: [
      ...driven.flatMap(({ tables }) => tables),
      pfcTable(outcomes, size),
      tablesTable(shown),
      burstTable(outcomes, size),
      timelyTable(outcomes, size),
    ],
    figures: [
      {
        name: 'pfc',
        bars: {
          title: 'PFC: unfair shares, and a flow held up by another',
          subtitle: 'payload per second on links of 40 Gb/s; Figure 6: f1 ends on a link of 10 Gb/s',
          yLabel: 'goodput (Gb/s)',
          groups: [FIGURE_5.shared, FIGURE_5.apart, FIGURE_6.pfc, FIGURE_6.free].flatMap((label) =>
            FLOWS.filter((flow) => !Number.isNaN(rateOf(outcomes, label, flow).mean)).map((series) => {
              const { mean, low, high, count } = rateOf(outcomes, label, series)
              return { label, series, ...barOf({ mean: mean / 1e9, low: low / 1e9, high: high / 1e9, count }) }
            }),
          ),
          showValues: true,
        },
      },
      burstFigure(outcomes, size),
      ...timelyFigures(outcomes, size),
    ],
    claims: [
      ...driven.flatMap(({ claims }) => claims),
      ...claimsInEachSeed(outcomes, (some) => [markClaim(some), ...pfcClaims(some), ...tableClaims(shownBy(some))]),
      ...(size === 'full' ? [...burstClaims(outcomes), ...claimsInEachSeed(outcomes, timelyClaims)] : []),
    ],
    remarks: size === 'full' ? [...REMARKS, burstRemark(outcomes), timelyRemark(outcomes)] : REMARKS,
  }
}

const REMARKS = [
  'S1 draws its examples without numbers, and the drawings are not in its text. Ours are: five packets in Figure 4; in Figure 5 and 6 ' +
    'links of 40 Gb/s and 1 us and flows that go on; in Tables I to III eight hosts on one switch of 240 KB a port, which pauses at 216 KB, links of 2 us, ' +
    'a timeout of 320 us where there is no PFC, and for DCTCP the start of TCP with ten packets and a step of 70 KB, for MP-RDMA one of 20 KB.',
  'Nothing in the worked examples and the incasts of the tables is random but marks between two thresholds: what is driven by hand is the same for every seed.',
  'Bursts and long flows at one link are not in S1, which has DCTCP and TIMELY judged by other papers. Ours are: bursts 10 ms apart of flows that start within a round trip, sizes log-uniform, each flow on a connection of its own; ' +
    'and for TIMELY links of 10 Gb/s and 1 us, 9 MB at the switch, flows that start at line rate at random in the first 100 ms, both schemes with the parameters of their papers, a round-trip time for each 16 KB.',
  'Figure 3 is about completion queues and memory regions, which the verbs have and scenarios have not; Figure 12, the bitmap of the receiver of MP-RDMA, is held by mp-rdma.test.ts.',
]

export const surveyExamples = defineExperiment({
  name: 'survey-examples',
  title: "The survey's worked examples, driven by the schemes that are here",
  source: '[Survey] Figures 4 to 6, 8 to 11, 13 and 14, Tables I to III, sections IV-B and IV-C',
  help:
    'What go-back-0, go-back-N and selective retransmission send again; what marks do to a TCP window, to DCTCP and to DCQCN, to the digit; how a rate ' +
    'comes back by halves; what many paths do to one window; how PFC shares unfairly and holds up a flow that is not in the way; and which signals, starts and ' +
    'losses the schemes of the three tables show in an incast. Beside them, what S1 says of schemes without an example: how bursts of flows fare under DCTCP with slow start and ' +
    'under DCQCN, and how evenly and with what delay long flows share a link under TIMELY and patched TIMELY.',
  sizes: {
    small: 'Figures 5 and 6 over 2 ms; few bursts, and long flows cut short',
    full: 'Figures 5 and 6 over 20 ms; 40 bursts of each kind, long flows over a second',
  },
  points: (size, seed) => [...points(size, seed), ...burstPoints(size, seed), ...timelyPoints(size, seed)],
  measure: (result, { condition }) => {
    if (isBurstCondition(condition)) return burstMeasures(result)
    return isTimelyCondition(condition) ? timelyMeasures(result) : measure(result)
  },
  conclude,
})
