/**
 * The survey's worked examples and tables: [Survey] Figures 4 to 6, 8 to 11, 13 and 14 and Tables I to III.
 * Examples of a single queue pair are driven by hand (figures.ts, rates.ts, paths.ts), those of a network are run (runs.ts).
 * The survey's statements on DCTCP and TIMELY that have no example are run as well (bursts.ts, timely.ts).
 * Source: [Survey].
 */
import { humanRate } from '../../report/index.ts'
import { claimsInEachSeed } from '../core/old/each-seed.ts'
import { defineExperiment } from '../core/old/plan.ts'
import type { Outcome, Size } from '../core/old/plan.ts'
import { barOf, type Claim, exactClaim, type Findings, type FindingsTable } from '../core/findings.ts'
import { overSeeds } from '../core/old/over-seeds.ts'
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
      statement: 'f1, alone on its ingress, gets more than f2 and f3, which share an ingress',
      paper: 'f1 before f2 = f3',
      measured: `${humanRate(f1!)}, ${humanRate(f2!)}, ${humanRate(f3!)}; with an ingress each ${apart.map((each) => humanRate(each)).join(', ')}`,
      holds: f1! > 1.2 * f2! && Math.abs(f2! - f3!) < 0.05 * f2! && Math.max(...apart) < 1.1 * Math.min(...apart),
      reason:
        'f1 at least a fifth above f2, f2 and f3 within 5 %; with an ingress each, all within 10 %. Only complete messages count. ' +
        'The text says egress 2, but ingress 2 must be meant.',
    }),
    exactClaim({
      id: 'srv.fig6.hol',
      statement: 'A pause at egress 1 delays f2, which goes to egress 2',
      paper: 'f2 is affected',
      measured: `f2 ${humanRate(held)} with PFC, as slow as f1 (${humanRate(slow)}); ${humanRate(free)} without`,
      holds: held < free / 2 && held < 1.2 * slow,
      reason:
        'f2 at less than half of its goodput without PFC, and at most a fifth above f1, although its egress is idle.',
    }),
  ]
}

/** Marked arrivals as bitmaps of the two flows, from the runs that send growing parts of Figure 8(a). */
function markedBitmaps(outcomes: readonly Outcome[]): Record<'S1' | 'S2', string> {
  const marks = PREFIXES.map(
    (packets) => overSeeds(outcomes, figure8Of(packets), (measures) => measures['marks'] ?? NaN).mean,
  )
  const before = [0, ...PREFIXES]
  const bits = Array.from(ARRIVALS, (name, i) => {
    // The shortest run with this packet, and the marks that it adds to the previous run.
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
    statement: 'Above the threshold the switch marks packets 4 and 5 of S1 and b and c of S2',
    paper: SENDERS.map(({ name, marks }) => `${name} ${marks}`).join(', '),
    measured: SENDERS.map(({ name }) => `${name} ${bitmaps[name]}`).join(', '),
    holds: SENDERS.every(({ name, marks }) => bitmaps[name] === marks),
    reason:
      `Exact. The packets reach the switch as ${Array.from(ARRIVALS).join(' ')}; runs that send only the first of them show which ones are marked. ` +
      'The caption names c and d, but S2 sends a to c: b and c are meant, as in (b) and (d).',
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
          title: 'PFC: unfair shares and head-of-line blocking',
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
  "The survey's examples have no numbers in the text. Ours are: five packets in Figure 4; in Figures 5 and 6 " +
    'links of 40 Gb/s and 1 us and persistent flows; in Tables I to III eight hosts on one switch with 240 KB per port, which pauses at 216 KB, links of 2 us, ' +
    'a timeout of 320 us without PFC, for DCTCP the start of TCP with ten packets and a marking step at 70 KB, and for MP-RDMA one at 20 KB.',
  'In the worked examples and the incasts of the tables only marks between two thresholds are random: examples driven by hand are the same for every seed.',
  'Bursts and long flows at one link are not in the survey, which cites other papers on DCTCP and TIMELY. Ours are: bursts every 10 ms of flows that start within a round trip, sizes log-uniform, each flow on its own connection; ' +
    'and for TIMELY links of 10 Gb/s and 1 us, 9 MB at the switch, flows that start at line rate at random times in the first 100 ms, both schemes with the parameters of their papers, an RTT sample for each 16 KB.',
  'Figure 3 shows completion queues and memory regions, which the verbs have and scenarios do not; mp-rdma.test.ts covers Figure 12, the bitmap of the receiver of MP-RDMA.',
]

export const surveyExamples = defineExperiment({
  name: 'survey-examples',
  title: "The survey's worked examples with the schemes of this program",
  source: '[Survey] Figures 4 to 6, 8 to 11, 13 and 14, Tables I to III, sections IV-B and IV-C',
  help:
    'Retransmissions of go-back-0, go-back-N and selective retransmission; the effect of marks on TCP, DCTCP and DCQCN, to the digit; rate recovery ' +
    'of QCN and DCQCN; the window of MP-RDMA over several paths; unfairness and head-of-line blocking of PFC; and signals, starts and ' +
    'losses of the schemes of the three tables in an incast. Further runs for statements without an example: bursts of flows under DCTCP with slow start and ' +
    'under DCQCN, and fairness and delay of long flows under TIMELY and patched TIMELY.',
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
