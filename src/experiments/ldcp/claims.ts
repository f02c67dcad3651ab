/**
 * Claims of the LDCP draft that the runs decide.
 * Orders and numbers are judged by the interval of their mean; a behaviour has to hold in every seed.
 * "Very low", "almost no" and "remarkably" have no numbers in the draft; the criterion is part of each claim.
 */
import { humanNumber } from '../../report/index.ts'
import { mean } from '../../results/index.ts'
import {
  ABOVE_ONE,
  ABOVE_ZERO,
  type Band,
  BELOW_ONE,
  type Claim,
  type ClaimInput,
  claimOf,
  seedsClaim,
} from '../core/findings.ts'
import type { Outcome } from '../core/plan.ts'
import { KMAX_BYTES, KMIN_BYTES } from './controls.ts'
import { manyClaims } from './many-claims.ts'
import { type At, named, Runs, scalesOf, type ValueOf } from './over-runs.ts'

/** Bands with their judges: the sign of a difference, or a share, by its mean; a behaviour in every seed. */
const MORE = { band: ABOVE_ONE, judge: 'mean' } as const
const LESS = { band: BELOW_ONE, judge: 'mean' } as const
const NINETY = { band: { low: 90, high: Infinity }, judge: 'mean' } as const
const LOSSES = { band: ABOVE_ZERO, judge: 'mean' } as const
const NONE = { band: { low: 0, high: 0 }, judge: 'every seed' } as const
const SOME = { band: { low: 1, high: Infinity }, judge: 'every seed' } as const

/** Share of packets lost that counts as almost none. */
const ALMOST_NONE: Band = { low: 0, high: 1e-4 }
const FRAME_BYTES = 1086

/** Share of the packets sent that were dropped at a full buffer, which excludes early drops of fast starts. */
const fullShare: ValueOf = (m) => (m['fullDrops'] ?? NaN) / (m['dataPackets'] ?? NaN)
const use: ValueOf = named('use')
const kb: (key: string) => ValueOf = (key) => (m) => (m[key] ?? NaN) / 1000
const nameOf = ([family, scale]: At): string => `${family} ${scale}`
const DIRECTION = 'the direction; the draft gives no number'

export function ldcpClaims(outcomes: readonly Outcome[]): Claim[] {
  const runs = new Runs(outcomes)
  return [
    ...queueClaims(runs),
    ...steadyClaims(runs),
    ...lossClaims(runs),
    ...pfcFreeClaims(runs),
    ...startClaims(runs),
    ...manyClaims(runs),
    ...stepClaims(runs),
    ...desyncClaims(runs),
    ...churnClaims(runs),
    ...incastClaims(runs),
    ...pccClaims(runs),
  ]
}

/** The queue with long flows, and with short ones arriving beside them. */
function queueClaims(runs: Runs): Claim[] {
  return [...scalesOf('long'), ...scalesOf('churn')].flatMap((where) => [
    whileUsed(runs.valuesAt(where, 'LDCP', use))({
      id: `ldcp.abs.low-queue [${nameOf(where)}, mean]`,
      statement: 'The queue is very low',
      paper: 'very low',
      measured: runs.at(where, 'LDCP', kb('meanQueueBytes')),
      unit: ' KB',
      band: { low: 0, high: (KMIN_BYTES + 5 * FRAME_BYTES) / 1000 },
      tolerance: 'K_min and five packets, ours',
    }),
    whileUsed(runs.valuesAt(where, 'LDCP', use))({
      id: `ldcp.abs.low-queue [${nameOf(where)}, 99 %]`,
      statement: 'The queue is very low',
      paper: 'very low',
      measured: runs.at(where, 'LDCP', kb('p99QueueBytes')),
      unit: ' KB',
      band: { low: 0, high: KMAX_BYTES / 1000 },
      tolerance: 'K_max, ours',
    }),
  ])
}

/** Utilisation and steadiness with long flows. */
function steadyClaims(runs: Runs): Claim[] {
  return scalesOf('long').flatMap((where) => [
    seedsClaim({
      id: `ldcp.intro.stable-low-queue [${nameOf(where)}, use]`,
      statement: 'Adjusting the window with every ACK preserves utilisation',
      paper: 'preserved',
      values: runs.valuesAt(where, 'LDCP', (m) => (m['use'] ?? NaN) * 100),
      unit: ' %',
      ...NINETY,
    }),
    seedsClaim({
      id: `ldcp.intro.stable-low-queue [${nameOf(where)}, spread over DCTCP's]`,
      statement: 'The queue is stable: its standard deviation is below that of DCTCP with the same marking',
      paper: 'stabilised',
      values: runs.ratiosAt(where, 'LDCP', 'DCTCP', named('sdQueueBytes')),
      unit: ' x',
      ...LESS,
    }),
  ])
}

/** Losses without PFC. */
function lossClaims(runs: Runs): Claim[] {
  return [
    ...[...scalesOf('churn'), ...scalesOf('incast'), ...scalesOf('cluster'), ...scalesOf('many')].map((where) =>
      claimOf({
        id: `${where[0] === 'churn' ? 'ldcp.fs.stable-seldom-loss' : 'ldcp.abs.almost-no-loss'} [${nameOf(where)}]`,
        statement: 'Almost no packet is lost without PFC, apart from early drops of fast starts',
        paper: 'almost none',
        measured: runs.at(where, 'LDCP', fullShare),
        band: ALMOST_NONE,
        tolerance: 'a share of 0.0001 of the packets sent',
      }),
    ),
    ...scalesOf('many').map((where) =>
      claimOf({
        id: `ldcp.abs.almost-no-loss [${nameOf(where)}, behind the start]`,
        statement: 'Almost no packet to the receiver is lost after the starts',
        paper: 'almost none',
        measured: runs.at(where, 'LDCP', named('lateLossShare')),
        band: ALMOST_NONE,
        tolerance: 'a share of 0.0001 of the packets to the receiver',
      }),
    ),
  ]
}

/** A cluster without PFC, against DCQCN with it. */
function pfcFreeClaims(runs: Runs): Claim[] {
  return scalesOf('cluster').flatMap((where) => [
    seedsClaim({
      id: `ldcp.abs.pfc-free [${nameOf(where)}, pauses]`,
      statement: 'PFC is not needed: nothing is paused',
      paper: 'PFC-free',
      values: runs.valuesAt(where, 'LDCP', named('pauseFrames')),
      ...NONE,
    }),
    seedsClaim({
      id: `ldcp.abs.pfc-free [${nameOf(where)}, FCT over DCQCN's with PFC]`,
      statement: 'Flows are no slower than with PFC, on average',
      paper: 'not slower',
      values: runs.ratiosAt(where, 'LDCP', 'DCQCN with PFC', named('meanFctPs')),
      unit: ' x',
      band: BELOW_ONE,
      judge: 'every seed',
    }),
  ])
}

/** A flow that starts at full speed on an idle path. */
function startClaims(runs: Runs): Claim[] {
  return [
    seedsClaim({
      id: 'ldcp.abs.full-speed-start [slowest of five sizes]',
      statement: 'A flow of up to a BDP on an idle path takes its ideal time',
      paper: 'full speed',
      values: runs.valuesAt(['idle', 1], 'LDCP', named('shortSlowdownMost')),
      unit: ' x its ideal',
      band: { low: 0, high: 1.1 },
      judge: 'mean',
    }),
    seedsClaim({
      id: 'ldcp.abs.full-speed-start [slow start over LDCP]',
      statement: 'It takes less time than a flow with slow start',
      paper: 'less',
      values: runs.ratiosAt(['idle', 1], 'DCTCP, slow start', 'LDCP', named('meanFctPs')),
      unit: ' x',
      ...MORE,
    }),
  ]
}

/** Reaction to four flows that join a long one. */
function stepClaims(runs: Runs): Claim[] {
  return (
    [
      ['first fall of the window', 'reactionPs'],
      ['highest queue', 'overshootBytes'],
      ['queue below K_max again', 'settlePs'],
    ] as const
  ).map(([what, key]) =>
    seedsClaim({
      id: `ldcp.pawa.faster-than-dctcp [${what}, DCTCP over LDCP]`,
      statement:
        'A window that changes with every mark reacts faster than one that is cut once per round trip, from the same start',
      paper: 'faster',
      values: runs.ratiosAt(['step', 4], 'DCTCP', 'LDCP, capable start', named(key)),
      unit: ' x',
      ...MORE,
    }),
  )
}

/** Windows of long flows against those of ECN-TCP, which the first mark halves. */
function desyncClaims(runs: Runs): Claim[] {
  return [8, 32].flatMap((scale) => {
    const where: At = ['long', scale]
    return [
      claimOf({
        id: `ldcp.pawa.desync [${nameOf(where)}, correlation less that of ECN-TCP]`,
        statement: 'Flows are desynchronised: windows are less correlated than if the first mark halves them',
        paper: 'desynchronised',
        measured: runs.difference(where, 'LDCP', 'ECN-TCP', named('windowCorrelation')),
        band: { low: -Infinity, high: 0 },
        tolerance: DIRECTION,
      }),
      claimOf({
        id: `ldcp.pawa.desync [${nameOf(where)}, spread over that of ECN-TCP]`,
        statement: 'A window fluctuates less (standard deviation over mean) than if the first mark halves it',
        paper: 'reduced',
        measured: runs.ratio(where, 'LDCP', 'ECN-TCP', named('windowVariation')),
        unit: ' x',
        band: BELOW_ONE,
        tolerance: DIRECTION,
      }),
    ]
  })
}

/** Long flows beside short ones that start at full speed. */
function churnClaims(runs: Runs): Claim[] {
  return scalesOf('churn').flatMap((where) => [
    seedsClaim({
      id: `ldcp.fs.protects-long [${nameOf(where)}, share]`,
      statement: 'Long flows get the bandwidth that short ones starting at full speed leave',
      paper: 'without adverse impacts',
      values: runs.valuesAt(where, 'LDCP', (m) => (m['longShare'] ?? NaN) * 100),
      unit: ' %',
      ...NINETY,
    }),
    seedsClaim({
      id: `ldcp.fs.protects-long [${nameOf(where)}, over a start that is not dropped]`,
      statement: 'Long flows get more than if the first round trip is ECN-capable',
      paper: 'more',
      values: runs.ratiosAt(where, 'LDCP', 'LDCP, capable start', named('longShare')),
      unit: ' x',
      ...MORE,
    }),
  ])
}

/** Bursts of first round trips, with and without early drop and a last packet that is ECN-capable. */
function incastClaims(runs: Runs): Claim[] {
  return scalesOf('incast').flatMap((where) => [
    seedsClaim({
      id: `ldcp.fs.without-aqm-large-queue [${nameOf(where)}, highest queue without over with]`,
      statement: 'Without early drop the bursts of first round trips build a much larger queue',
      paper: 'excessively large',
      values: runs.ratiosAt(where, 'LDCP, no early drop', 'LDCP', named('mostQueueBytes')),
      unit: ' x',
      ...MORE,
    }),
    seedsClaim({
      id: `ldcp.fs.without-aqm-large-queue [${nameOf(where)}, lost to a full buffer]`,
      statement: 'Without early drop packets are lost all the same',
      paper: 'dropped',
      values: runs.valuesAt(where, 'LDCP, no early drop', named('fullDrops')),
      unit: ' packets',
      ...LOSSES,
    }),
    seedsClaim({
      id: `ldcp.unic.last-ecn-capable [${nameOf(where)}, with]`,
      statement: 'With the last packet of a fast start ECN-capable no flow waits for a timeout',
      paper: 'prevented',
      values: runs.valuesAt(where, 'LDCP', named('timeouts')),
      unit: ' timeouts',
      ...NONE,
    }),
    seedsClaim({
      id: `ldcp.unic.last-ecn-capable [${nameOf(where)}, without]`,
      statement: 'If the last packet is not ECN-capable, some flows wait for a timeout',
      paper: 'needs to wait',
      values: runs.valuesAt(where, 'LDCP, last incapable', named('timeouts')),
      unit: ' timeouts',
      ...SOME,
    }),
  ])
}

/** LDCP as a rate on a commercial NIC. */
function pccClaims(runs: Runs): Claim[] {
  return scalesOf('cluster').flatMap((where) =>
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
          id: `ldcp.pcc.outperforms [${nameOf(where)}, ${what} ${other}]`,
          statement: 'LDCP on a commercial NIC is better in throughput and latency',
          paper: 'remarkably',
          values: runs.ratiosAt(where, 'LDCP-PCC', other, named(key)),
          unit: ' x',
          ...held,
        }),
      ),
    ),
  )
}

/** Least use of the link with which a short queue counts. */
const LEAST_USE = 0.9

/** A claim about the queue of a link; it is not reproduced if the link is idle, however short the queue. */
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
          reason: `${claim.reason} The link is used by ${humanNumber(used * 100)} %: the queue is short because the link is idle.`,
        }
  }
}
