/**
 * Claims of the LDCP draft that the runs decide.
 * Orders and numbers are judged by the interval of their mean; a behaviour has to hold in every seed.
 * "Very low", "almost no" and "remarkably" have no numbers in the draft; what counts here is said beside each claim.
 */
import { humanNumber } from '../../report/index.ts'
import { type Interval, interval95, mean } from '../../results/index.ts'
import type { Measures, Outcome } from '../core/plan.ts'
import {
  ABOVE_ONE,
  ABOVE_ZERO,
  type Band,
  BELOW_ONE,
  type Claim,
  type ClaimInput,
  claimOf,
  seedsClaim,
  intervalText,
} from '../core/findings.ts'
import { type Control, KMAX_BYTES, KMIN_BYTES } from './controls.ts'
import { conditionOf, type Family, GRIDS } from './runs.ts'
import { overSeeds, ratioOverSeeds, ratiosOf, valuesOf } from '../core/over-seeds.ts'

const FULL = GRIDS.full

/** Bands and how they are judged: the sign of a difference, or a share, by its mean; a behaviour in every seed. */
const MORE = { band: ABOVE_ONE, judge: 'mean' } as const
const LESS = { band: BELOW_ONE, judge: 'mean' } as const
const NINETY = { band: { low: 90, high: Infinity }, judge: 'mean' } as const
const LOSSES = { band: ABOVE_ZERO, judge: 'mean' } as const
const NONE = { band: { low: 0, high: 0 }, judge: 'every seed' } as const
const SOME = { band: { low: 1, high: Infinity }, judge: 'every seed' } as const

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
  const valuesAt = ([family, scale]: At, control: Control, valueOf: ValueOf): number[] =>
    valuesOf(outcomes, conditionOf(family, scale, control), valueOf)
  const ratiosAt = ([family, scale]: At, of: Control, to: Control, valueOf: ValueOf): number[] =>
    ratiosOf(outcomes, { of: conditionOf(family, scale, of), to: conditionOf(family, scale, to) }, valueOf)
  const kb: (key: string) => ValueOf = (key) => (m) => (m[key] ?? NaN) / 1000
  const use: ValueOf = (m) => m['use'] ?? NaN
  const direction = 'the direction; the draft gives no number'

  return [
    ...[...scales('long'), ...scales('churn')].flatMap((where) => [
      whileUsed(valuesAt(where, 'LDCP', use))({
        id: `ldcp.abs.low-queue [${name(where)}, mean]`,
        statement: 'The queue is very low',
        paper: 'very low',
        measured: at(where, 'LDCP', kb('meanQueueBytes')),
        unit: ' KB',
        band: { low: 0, high: (KMIN_BYTES + 5 * FRAME_BYTES) / 1000 },
        tolerance: 'K_min and five packets, ours',
      }),
      whileUsed(valuesAt(where, 'LDCP', use))({
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
      seedsClaim({
        id: `ldcp.intro.stable-low-queue [${name(where)}, use]`,
        statement: 'Adjusting the window with every ACK preserves utilisation',
        paper: 'preserved',
        values: valuesAt(where, 'LDCP', (m) => (m['use'] ?? NaN) * 100),
        unit: ' %',
        ...NINETY,
      }),
      seedsClaim({
        id: `ldcp.intro.stable-low-queue [${name(where)}, spread over DCTCP's]`,
        statement: 'and stabilises the queue: its standard deviation is below that of DCTCP at the same marking',
        paper: 'stabilised',
        values: ratiosAt(where, 'LDCP', 'DCTCP', named('sdQueueBytes')),
        unit: ' x',
        ...LESS,
      }),
    ]),
    ...[...scales('churn'), ...scales('incast'), ...scales('cluster'), ...scales('many')].map((where) =>
      claimOf({
        id: `${where[0] === 'churn' ? 'ldcp.fs.stable-seldom-loss' : 'ldcp.abs.almost-no-loss'} [${name(where)}]`,
        statement: 'Almost no packet is lost without PFC (those of fast starts that are dropped on purpose aside)',
        paper: 'almost none',
        measured: at(where, 'LDCP', fullShare),
        band: ALMOST_NONE,
        tolerance: 'a share of 0.0001 of the packets sent',
      }),
    ),
    ...scales('many').map((where) =>
      claimOf({
        id: `ldcp.abs.almost-no-loss [${name(where)}, behind the start]`,
        statement: 'and none on the way to the receiver when the starts are over',
        paper: 'almost none',
        measured: at(where, 'LDCP', named('lateLossShare')),
        band: ALMOST_NONE,
        tolerance: 'a share of 0.0001 of the packets on that way',
      }),
    ),
    ...scales('cluster').flatMap((where) => [
      seedsClaim({
        id: `ldcp.abs.pfc-free [${name(where)}, pauses]`,
        statement: 'PFC is not needed: nothing is paused',
        paper: 'PFC-free',
        values: valuesAt(where, 'LDCP', named('pauseFrames')),
        ...NONE,
      }),
      seedsClaim({
        id: `ldcp.abs.pfc-free [${name(where)}, FCT over DCQCN's with PFC]`,
        statement: 'and flows are no slower for it, on average',
        paper: 'not slower',
        values: ratiosAt(where, 'LDCP', 'DCQCN with PFC', named('meanFctPs')),
        unit: ' x',
        band: BELOW_ONE,
        judge: 'every seed',
      }),
    ]),
    seedsClaim({
      id: 'ldcp.abs.full-speed-start [slowest of five sizes]',
      statement: 'A flow of up to a BDP on an idle path takes no longer than it has to',
      paper: 'full speed',
      values: valuesAt(['idle', 1], 'LDCP', named('shortSlowdownMost')),
      unit: ' x its ideal',
      band: { low: 0, high: 1.1 },
      judge: 'mean',
    }),
    seedsClaim({
      id: 'ldcp.abs.full-speed-start [slow start over LDCP]',
      statement: 'and less than one that starts slowly',
      paper: 'less',
      values: ratiosAt(['idle', 1], 'DCTCP, slow start', 'LDCP', named('meanFctPs')),
      unit: ' x',
      ...MORE,
    }),
    ...manyClaims(outcomes, at, ratio, ratiosAt),
    ...(
      [
        ['first fall of the window', 'reactionPs'],
        ['highest queue', 'overshootBytes'],
        ['queue below K_max again', 'settlePs'],
      ] as const
    ).map(([what, key]) =>
      seedsClaim({
        id: `ldcp.pawa.faster-than-dctcp [${what}, DCTCP over LDCP]`,
        statement:
          'A window that every mark moves reacts faster than one that is cut once per round trip, from the same start',
        paper: 'faster',
        values: ratiosAt(['step', 4], 'DCTCP', 'LDCP, capable start', named(key)),
        unit: ' x',
        ...MORE,
      }),
    ),
    ...[8, 32].flatMap((scale) => {
      const where: At = ['long', scale]
      return [
        claimOf({
          id: `ldcp.pawa.desync [${name(where)}, correlation less that of ECN-TCP]`,
          statement: 'Flows are desynchronised: windows go less with each other than where the first mark halves them',
          paper: 'desynchronised',
          measured: differenceOf(outcomes, where, named('windowCorrelation')),
          band: { low: -Infinity, high: 0 },
          tolerance: direction,
        }),
        claimOf({
          id: `ldcp.pawa.desync [${name(where)}, spread over that of ECN-TCP]`,
          statement: 'and a window fluctuates less (standard deviation over mean)',
          paper: 'reduced',
          measured: ratio(where, 'LDCP', 'ECN-TCP', named('windowVariation')),
          unit: ' x',
          band: BELOW_ONE,
          tolerance: direction,
        }),
      ]
    }),
    ...scales('churn').flatMap((where) => [
      seedsClaim({
        id: `ldcp.fs.protects-long [${name(where)}, share]`,
        statement: 'Long flows keep what short ones that start at full speed leave them',
        paper: 'without adverse impacts',
        values: valuesAt(where, 'LDCP', (m) => (m['longShare'] ?? NaN) * 100),
        unit: ' %',
        ...NINETY,
      }),
      seedsClaim({
        id: `ldcp.fs.protects-long [${name(where)}, over a start that is not dropped]`,
        statement: 'and more than where the first round trip is ECN-capable',
        paper: 'more',
        values: ratiosAt(where, 'LDCP', 'LDCP, capable start', named('longShare')),
        unit: ' x',
        ...MORE,
      }),
    ]),
    ...scales('incast').flatMap((where) => [
      seedsClaim({
        id: `ldcp.fs.without-aqm-large-queue [${name(where)}, highest queue without over with]`,
        statement: 'Without early drop the bursts of first round trips build a much larger queue',
        paper: 'excessively large',
        values: ratiosAt(where, 'LDCP, no early drop', 'LDCP', named('mostQueueBytes')),
        unit: ' x',
        ...MORE,
      }),
      seedsClaim({
        id: `ldcp.fs.without-aqm-large-queue [${name(where)}, lost to a full buffer]`,
        statement: 'and packets are lost all the same',
        paper: 'dropped',
        values: valuesAt(where, 'LDCP, no early drop', named('fullDrops')),
        unit: ' packets',
        ...LOSSES,
      }),
      seedsClaim({
        id: `ldcp.unic.last-ecn-capable [${name(where)}, with]`,
        statement: 'With the last packet of a fast start ECN-capable no flow waits for a timeout',
        paper: 'prevented',
        values: valuesAt(where, 'LDCP', named('timeouts')),
        unit: ' timeouts',
        ...NONE,
      }),
      seedsClaim({
        id: `ldcp.unic.last-ecn-capable [${name(where)}, without]`,
        statement: 'and without that some do',
        paper: 'needs to wait',
        values: valuesAt(where, 'LDCP, last incapable', named('timeouts')),
        unit: ' timeouts',
        ...SOME,
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
        ).map(([what, key, held]) =>
          seedsClaim({
            id: `ldcp.pcc.outperforms [${name(where)}, ${what} ${other}]`,
            statement: 'LDCP on a commercial NIC is better in throughput and latency',
            paper: 'remarkably',
            values: ratiosAt(where, 'LDCP-PCC', other, named(key)),
            unit: ' x',
            ...held,
          }),
        ),
      ),
    ),
  ]
}

/** Hundreds and thousands of flows. */
function manyClaims(
  outcomes: readonly Outcome[],
  at: (where: At, control: Control, valueOf: ValueOf) => Interval,
  ratio: (where: At, of: Control, to: Control, valueOf: ValueOf) => Interval,
  ratiosAt: (where: At, of: Control, to: Control, valueOf: ValueOf) => number[],
): Claim[] {
  /** The most flows of each seed of which no more than a packet in 1000 is lost. */
  const endured = (control: Control): Map<number, number> => {
    const bySeed = new Map<number, number>()
    for (const scale of FULL.many.scales) {
      for (const { condition, seed, measures } of outcomes) {
        if (condition !== conditionOf('many', scale, control)) continue
        const most = bySeed.get(seed) ?? 0
        bySeed.set(seed, (measures['lateLossShare'] ?? NaN) <= 1e-3 ? Math.max(most, scale) : most)
      }
    }
    return bySeed
  }
  const dctcp = endured('DCTCP')
  const flows = (control: Control, side: 1 | -1): Claim => {
    const own = endured(control)
    const order = side === 1 ? `${control} more than DCTCP` : `${control} fewer than DCTCP`
    return seedsClaim({
      id: `ldcp.intro.cw-below-one [${control}]`,
      statement: `Windows below one packet endure far more flows, of which no more than a packet in 1000 is lost: ${order}`,
      paper: 'LDCP, then DCTCP, then TCP',
      values: [...own].map(([seed, most]) => most - (dctcp.get(seed) ?? NaN)),
      band: side === 1 ? ABOVE_ZERO : { low: -Infinity, high: 0, isOpen: true },
      judge: 'mean',
      unit: ' flows more',
      why: `Differences seed by seed: ${control} endures ${intervalText(interval95(own.values()))}, DCTCP ${intervalText(interval95(dctcp.values()))}. Tried are ${FULL.many.scales.join(', ')} flows.`,
    })
  }
  const at1000: At = ['many', 1000]
  return [
    flows('LDCP', 1),
    flows('LDCP, gamma 1/16', 1),
    flows('TCP', -1),
    ...[1400, 2000].map((scale) =>
      seedsClaim({
        id: `ldcp.intro.cw-below-one [many ${scale}, loss of DCTCP over LDCP]`,
        statement: 'and lose less beyond that',
        paper: 'less',
        values: ratiosAt(['many', scale], 'DCTCP', 'LDCP', named('lateLossShare')),
        unit: ' x',
        ...MORE,
      }),
    ),
    claimOf({
      id: 'ldcp.sub1.need [many 1000, queue with a window of 1 over LDCP]',
      statement: 'With a thousand flows a window of one packet each makes a large queue, and smaller windows do not',
      paper: 'large',
      measured: ratio(at1000, 'LDCP, window of 1 at least', 'LDCP', named('meanQueueBytes')),
      unit: ' x',
      band: ABOVE_ONE,
      tolerance: 'the direction; the draft gives no number',
    }),
    claimOf({
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

/** A queue is low in earnest only where the link is used. */
const LEAST_USE = 0.9

/** A claim about the queue of a link, which is not reproduced where the link is idle, however short the queue. */
function whileUsed(uses: readonly number[]): (input: ClaimInput) => Claim {
  const used = mean(uses)
  return (input) => {
    const claim = claimOf({
      ...input,
      tolerance: `${input.tolerance}, with ${LEAST_USE * 100} % of the link used or more`,
    })
    return used >= LEAST_USE
      ? claim
      : {
          ...claim,
          verdict: 'not reproduced',
          reason: `${claim.reason} Of the link ${humanNumber(used * 100)} % are used: the queue is short because it is idle.`,
        }
  }
}
