/**
 * What of the LDCP draft the runs decide, claim by claim, and what its other statements are held by.
 * "Very low", "almost no" and "remarkably" have no numbers in the draft; what counts here is said beside each claim.
 */
import { type Interval, interval95 } from '../results/index.ts'
import type { Measures, Outcome } from './experiment.ts'
import { type Band, type Claim, claimOf, type FindingsTable } from './findings.ts'
import { type Control, KMAX_BYTES, KMIN_BYTES } from './ldcp-controls.ts'
import { conditionOf, type Family, GRIDS } from './ldcp-runs.ts'
import { overSeeds, ratioOverSeeds } from './over-seeds.ts'

const FULL = GRIDS.full
const MORE: Band = { low: 1, high: Infinity }
const LESS: Band = { low: -Infinity, high: 1 }
const NONE: Band = { low: 0, high: 0 }
/** Loss that counts as almost none. */
const ALMOST_NONE: Band = { low: 0, high: 1e-4 }
const FRAME_BYTES = 1086
const BDP_PACKETS = 110

/** Runs of one family and scale. */
type At = readonly [family: Family, scale: number]
type ValueOf = (measures: Measures) => number

const named =
  (key: string): ValueOf =>
  (m) =>
    m[key] ?? NaN
/** Share of the packets sent that a full buffer took: of stable flows, as early drop takes the others. */
const fullShare: ValueOf = (m) => (m['fullDrops'] ?? NaN) / (m['dataPackets'] ?? NaN)

export function ldcpClaims(outcomes: readonly Outcome[]): Claim[] {
  const at = ([family, scale]: At, control: Control, valueOf: ValueOf): Interval =>
    overSeeds(outcomes, conditionOf(family, scale, control), valueOf)
  const ratio = ([family, scale]: At, of: Control, to: Control, valueOf: ValueOf): Interval =>
    ratioOverSeeds(outcomes, { of: conditionOf(family, scale, of), to: conditionOf(family, scale, to) }, valueOf)
  const scales = (family: Family): At[] => FULL[family].scales.map((scale) => [family, scale])
  const name = ([family, scale]: At): string => `${family} ${scale}`
  const row = (input: Omit<Parameters<typeof claimOf>[0], 'unit'> & { unit?: string }): Claim => claimOf(input)
  const kb: (key: string) => ValueOf = (key) => (m) => (m[key] ?? NaN) / 1000
  const direction = 'the direction; the draft gives no number'

  return [
    ...[...scales('long'), ...scales('churn')].flatMap((where) => [
      row({
        id: `ldcp.abs.low-queue [${name(where)}, mean]`,
        statement: 'The queue is very low',
        paper: 'very low',
        measured: at(where, 'LDCP', kb('meanQueueBytes')),
        unit: ' KB',
        band: { low: 0, high: (KMIN_BYTES + 5 * FRAME_BYTES) / 1000 },
        tolerance: 'K_min and five packets, ours',
      }),
      row({
        id: `ldcp.abs.low-queue [${name(where)}, 99 %]`,
        statement: 'The queue is very low',
        paper: 'very low',
        measured: at(where, 'LDCP', kb('p99QueueBytes')),
        unit: ' KB',
        band: { low: 0, high: KMAX_BYTES / 1000 },
        tolerance: 'K_max, ours',
      }),
    ]),
    ...scales('long').flatMap((where) => [
      row({
        id: `ldcp.intro.stable-low-queue [${name(where)}, use]`,
        statement: 'Adjusting the window with every ACK preserves utilisation',
        paper: 'preserved',
        measured: at(where, 'LDCP', (m) => (m['use'] ?? NaN) * 100),
        unit: ' %',
        band: { low: 90, high: Infinity },
        tolerance: 'ours',
      }),
      row({
        id: `ldcp.intro.stable-low-queue [${name(where)}, spread over DCTCP's]`,
        statement: 'and stabilises the queue: its standard deviation is below that of DCTCP at the same marking',
        paper: 'stabilised',
        measured: ratio(where, 'LDCP', 'DCTCP', named('sdQueueBytes')),
        unit: ' x',
        band: LESS,
        tolerance: direction,
      }),
    ]),
    ...[...scales('churn'), ...scales('incast'), ...scales('cluster')].map((where) =>
      row({
        id: `${where[0] === 'churn' ? 'ldcp.fs.stable-seldom-loss' : 'ldcp.abs.almost-no-loss'} [${name(where)}]`,
        statement: 'Almost no packet is lost without PFC (those of fast starts that are dropped on purpose aside)',
        paper: 'almost none',
        measured: at(where, 'LDCP', fullShare),
        band: ALMOST_NONE,
        tolerance: 'a share of 0.0001 of the packets sent',
      }),
    ),
    ...scales('cluster').flatMap((where) => [
      row({
        id: `ldcp.abs.pfc-free [${name(where)}, pauses]`,
        statement: 'PFC is not needed: nothing is paused',
        paper: 'PFC-free',
        measured: at(where, 'LDCP', named('pauseFrames')),
        band: NONE,
        tolerance: 'exact',
      }),
      row({
        id: `ldcp.abs.pfc-free [${name(where)}, FCT over DCQCN's with PFC]`,
        statement: 'and flows are no slower for it, on average',
        paper: 'not slower',
        measured: ratio(where, 'LDCP', 'DCQCN with PFC', named('meanFctPs')),
        unit: ' x',
        band: LESS,
        tolerance: direction,
      }),
    ]),
    row({
      id: 'ldcp.abs.full-speed-start [slowest of five sizes]',
      statement: 'A flow of up to a BDP on an idle path takes no longer than it has to',
      paper: 'full speed',
      measured: at(['idle', 1], 'LDCP', named('shortSlowdownMost')),
      unit: ' x its ideal',
      band: { low: 1, high: 1.1 },
      tolerance: '10 %',
    }),
    row({
      id: 'ldcp.abs.full-speed-start [slow start over LDCP]',
      statement: 'and less than one that starts slowly',
      paper: 'less',
      measured: ratio(['idle', 1], 'DCTCP, slow start', 'LDCP', named('meanFctPs')),
      unit: ' x',
      band: MORE,
      tolerance: direction,
    }),
    ...manyClaims(outcomes, row, at, ratio),
    ...(
      [
        ['first fall of the window', 'reactionPs'],
        ['highest queue', 'overshootBytes'],
        ['queue below K_max again', 'settlePs'],
      ] as const
    ).map(([what, key]) =>
      row({
        id: `ldcp.pawa.faster-than-dctcp [${what}, DCTCP over LDCP]`,
        statement:
          'A window that every mark moves reacts faster than one that is cut once per round trip, from the same start',
        paper: 'faster',
        measured: ratio(['step', 4], 'DCTCP', 'LDCP, capable start', named(key)),
        unit: ' x',
        band: MORE,
        tolerance: direction,
      }),
    ),
    ...[8, 32].flatMap((scale) => {
      const where: At = ['long', scale]
      return [
        row({
          id: `ldcp.pawa.desync [${name(where)}, correlation less that of ECN-TCP]`,
          statement: 'Flows are desynchronised: windows go less with each other than where the first mark halves them',
          paper: 'desynchronised',
          measured: differenceOf(outcomes, where, named('windowCorrelation')),
          band: { low: -Infinity, high: 0 },
          tolerance: direction,
        }),
        row({
          id: `ldcp.pawa.desync [${name(where)}, spread over that of ECN-TCP]`,
          statement: 'and a window fluctuates less (standard deviation over mean)',
          paper: 'reduced',
          measured: ratio(where, 'LDCP', 'ECN-TCP', named('windowVariation')),
          unit: ' x',
          band: LESS,
          tolerance: direction,
        }),
      ]
    }),
    ...scales('churn').flatMap((where) => [
      row({
        id: `ldcp.fs.protects-long [${name(where)}, share]`,
        statement: 'Long flows keep what short ones that start at full speed leave them',
        paper: 'without adverse impacts',
        measured: at(where, 'LDCP', (m) => (m['longShare'] ?? NaN) * 100),
        unit: ' %',
        band: { low: 90, high: Infinity },
        tolerance: '10 %',
      }),
      row({
        id: `ldcp.fs.protects-long [${name(where)}, over a start that is not dropped]`,
        statement: 'and more than where the first round trip is ECN-capable',
        paper: 'more',
        measured: ratio(where, 'LDCP', 'LDCP, capable start', named('longShare')),
        unit: ' x',
        band: MORE,
        tolerance: direction,
      }),
    ]),
    ...scales('incast').flatMap((where) => [
      row({
        id: `ldcp.fs.without-aqm-large-queue [${name(where)}, highest queue without over with]`,
        statement: 'Without early drop the bursts of first round trips build a much larger queue',
        paper: 'excessively large',
        measured: ratio(where, 'LDCP, no early drop', 'LDCP', named('mostQueueBytes')),
        unit: ' x',
        band: MORE,
        tolerance: direction,
      }),
      row({
        id: `ldcp.fs.without-aqm-large-queue [${name(where)}, lost to a full buffer]`,
        statement: 'and packets are lost all the same',
        paper: 'dropped',
        measured: at(where, 'LDCP, no early drop', named('fullDrops')),
        unit: ' packets',
        band: MORE,
        tolerance: 'one or more',
      }),
      row({
        id: `ldcp.unic.last-ecn-capable [${name(where)}, with]`,
        statement: 'With the last packet of a fast start ECN-capable no flow waits for a timeout',
        paper: 'prevented',
        measured: at(where, 'LDCP', named('timeouts')),
        unit: ' timeouts',
        band: NONE,
        tolerance: 'exact',
      }),
      row({
        id: `ldcp.unic.last-ecn-capable [${name(where)}, without]`,
        statement: 'and without that some do',
        paper: 'needs to wait',
        measured: at(where, 'LDCP, last incapable', named('timeouts')),
        unit: ' timeouts',
        band: MORE,
        tolerance: 'one or more',
      }),
    ]),
    ...scales('cluster').flatMap((where) =>
      (['DCQCN with PFC', 'TIMELY with PFC'] as const).flatMap((other) =>
        (
          [
            ['goodput over', 'goodputBps', MORE],
            ['large flows, rate over', 'largeBps', MORE],
            ['small flows, slowdown over', 'shortSlowdown', LESS],
            ['small flows, 99 % slowdown over', 'shortSlowdownP99', LESS],
          ] as const
        ).map(([what, key, band]) =>
          row({
            id: `ldcp.pcc.outperforms [${name(where)}, ${what} ${other}]`,
            statement: 'LDCP on a commercial NIC is better in throughput and latency',
            paper: 'remarkably',
            measured: ratio(where, 'LDCP-PCC', other, named(key)),
            unit: ' x',
            band,
            tolerance: direction,
          }),
        ),
      ),
    ),
  ]
}

type Row = (input: Parameters<typeof claimOf>[0]) => Claim

/** Hundreds and thousands of flows. */
function manyClaims(
  outcomes: readonly Outcome[],
  row: Row,
  at: (where: At, control: Control, valueOf: ValueOf) => Interval,
  ratio: (where: At, of: Control, to: Control, valueOf: ValueOf) => Interval,
): Claim[] {
  const endured = (control: Control): Interval => {
    const bySeed = new Map<number, number>()
    for (const scale of FULL.many.scales) {
      for (const { condition, seed, measures } of outcomes) {
        if (condition !== conditionOf('many', scale, control)) continue
        const most = bySeed.get(seed) ?? 0
        bySeed.set(seed, (measures['lateLossShare'] ?? NaN) <= 1e-3 ? Math.max(most, scale) : most)
      }
    }
    return interval95(bySeed.values())
  }
  const flows = (control: Control, band: Band, tolerance: string): Claim =>
    row({
      id: `ldcp.intro.cw-below-one [${control}]`,
      statement: 'Windows below one packet endure far more flows: most of which no more than a packet in 1000 is lost',
      paper: 'LDCP, then DCTCP, then TCP',
      measured: endured(control),
      unit: ' flows',
      band,
      tolerance,
      why: `Of ${FULL.many.scales.join(', ')} flows.`,
    })
  const dctcp = endured('DCTCP').mean
  const at1000: At = ['many', 1000]
  return [
    flows('LDCP', { low: dctcp * 1.001, high: Infinity }, 'more than DCTCP'),
    flows('LDCP, gamma 1/16', { low: dctcp * 1.001, high: Infinity }, 'more than DCTCP'),
    flows('TCP', { low: 0, high: dctcp * 0.999 }, 'fewer than DCTCP'),
    row({
      id: 'ldcp.intro.cw-below-one [many 2000, loss of DCTCP over LDCP]',
      statement: 'and lose less beyond that',
      paper: 'less',
      measured: ratio(['many', 2000], 'DCTCP', 'LDCP', named('lateLossShare')),
      unit: ' x',
      band: MORE,
      tolerance: 'the direction; the draft gives no number',
    }),
    row({
      id: 'ldcp.sub1.need [many 1000, queue with a window of 1 over LDCP]',
      statement: 'With a thousand flows a window of one packet each makes a large queue, and smaller windows do not',
      paper: 'large',
      measured: ratio(at1000, 'LDCP, window of 1 at least', 'LDCP', named('meanQueueBytes')),
      unit: ' x',
      band: MORE,
      tolerance: 'the direction; the draft gives no number',
    }),
    row({
      id: 'ldcp.sub1.need [many 1000, queue over packets of all windows less a BDP]',
      statement: 'that is, what the path does not hold of one packet each',
      paper: 'N packets less the BDP',
      measured: at(
        at1000,
        'LDCP, window of 1 at least',
        (m) => (m['meanQueueBytes'] ?? NaN) / ((1000 - BDP_PACKETS) * FRAME_BYTES),
      ),
      unit: ' x',
      band: { low: 0.9, high: 1.1 },
      tolerance: '10 %',
    }),
  ]
}

/** LDCP less ECN-TCP, seed by seed. */
function differenceOf(outcomes: readonly Outcome[], [family, scale]: At, valueOf: ValueOf): Interval {
  const of = (control: Control): Map<number, number> =>
    new Map(
      outcomes
        .filter(({ condition }) => condition === conditionOf(family, scale, control))
        .map(({ seed, measures }) => [seed, valueOf(measures)]),
    )
  const others = of('ECN-TCP')
  return interval95([...of('LDCP')].map(([seed, value]) => value - (others.get(seed) ?? NaN)))
}

/** Statements of the draft that define a rule, and the test that holds it: file and name. */
export const RULES = [
  ['ldcp.mark.below, ldcp.mark.linear, ldcp.mark.above', 'src/fabric/formulas.test.ts', 'T-RED-1'],
  ['ldcp.mark.linear (frequency)', 'src/fabric/ecn.test.ts', 'is drawn from in between'],
  ['ldcp.pawa.increase, ldcp.pawa.decrease', 'src/transport/congestion/ldcp.test.ts', 'T-LDCP-1'],
  ['ldcp.pawa.delayed', 'src/transport/congestion/ldcp.test.ts', 'T-LDCP-2'],
  ['ldcp.pawa.delayed (receiver)', 'src/transport/held-ack.test.ts', 'T-LDCP-2'],
  ['ldcp.sub1.timer, ldcp.sub1.increase, ldcp.sub1.decrease', 'src/transport/congestion/ldcp.test.ts', 'T-LDCP-3'],
  ['ldcp.fs.iw', 'src/transport/congestion/ldcp.test.ts', 'as many packets as the first window has leave'],
  ['ldcp.fs.drop-over-K', 'src/fabric/ecn.test.ts', 'T-WRED-1: a packet that cannot be marked is dropped'],
  [
    'ldcp.fs.ecn-fields, ldcp.fs.stable-drop-only-full',
    'src/fabric/ecn.test.ts',
    'T-WRED-1: one that can is marked there, and kept',
  ],
  ['ldcp.unic.last-ecn-capable', 'src/transport/congestion/ldcp.test.ts', 'T-LDCP-4'],
  [
    'ldcp.fs.cw-estimate, ldcp.unic.transition-loss',
    'src/transport/congestion/ldcp.test.ts',
    'T-LDCP-5: the loss of PSN 37',
  ],
  ['ldcp.unic.transition-full', 'src/transport/congestion/ldcp.test.ts', 'T-LDCP-5: without a loss'],
  ['ldcp.unic.second-rtt-ecn', 'src/transport/congestion/ldcp.test.ts', 'the window slides while it lasts'],
  ['ldcp.pcc.md-per-cnp, ldcp.pcc.ai-per-rtt', 'src/transport/congestion/ldcp-pcc.test.ts', 'T-LDCP-6'],
  [
    'ldcp.pcc.ai-per-rtt (requests)',
    'src/transport/congestion/ldcp-pcc.test.ts',
    'the first goes with the first packet, the next with the answer',
  ],
] as const

export function rulesTable(): FindingsTable {
  return {
    title: 'Rules of the draft that tests hold',
    columns: [{ head: 'claim' }, { head: 'held by' }, { head: 'test' }],
    rows: RULES.map(([claim, file, test]) => [claim, file, test]),
  }
}
