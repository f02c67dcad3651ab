/**
 * Claims of the LDCP draft that the runs decide.
 * Orders and numbers are judged by the interval of their mean; a behaviour has to hold in every seed.
 * "Very low", "almost no" and "remarkably" have no numbers in the draft; the criterion is part of each claim.
 */
import { humanNumber } from '../../report/index.ts'
import { interval95, mean } from '../../results/index.ts'
import {
  ABOVE_ONE,
  ABOVE_ZERO,
  atLeast,
  atMost,
  type Band,
  BELOW_ONE,
  between,
  type Claim,
  claimOf,
  equalTo,
  intervalText,
  nearShare,
  seedsClaim,
} from '../core/findings.ts'
import type { Runs, ValueOf } from '../core/runs.ts'
import { BDP_BYTES, type Control, KMAX_BYTES, KMIN_BYTES } from './controls.ts'
import { COALESCED, type Family, fullShare, GRIDS, type LdcpAt } from './runs.ts'

/** Bands with their judges: the sign of a difference, or a share, by its mean; a behaviour in every seed. */
interface Held {
  readonly band: Band
  readonly judge: 'mean' | 'every seed'
}
const MORE: Held = { band: ABOVE_ONE, judge: 'mean' }
const LESS: Held = { band: BELOW_ONE, judge: 'mean' }
const NINETY: Held = { band: atLeast(90), judge: 'mean' }
const ALWAYS_LESS: Held = { band: BELOW_ONE, judge: 'every seed' }
const LOSSES: Held = { band: ABOVE_ZERO, judge: 'mean' }
const NONE: Held = { band: equalTo(0), judge: 'every seed' }
const SOME: Held = { band: atLeast(1), judge: 'every seed' }

/** Share of packets lost that counts as almost none. */
const ALMOST_NONE = between(0, 1e-4)
const FRAME_BYTES = 1086
const BDP_PACKETS = BDP_BYTES / 1024
const DIRECTION = 'the direction; the draft gives no number'
/** Least use of the link with which a short queue counts. */
const LEAST_USE = 0.9

const percent =
  (of: string): ValueOf =>
  (m) =>
    (m[of] ?? NaN) * 100

/** "churn 32", under one control or another. */
interface Load {
  readonly name: string
  readonly at: (control: Control) => LdcpAt
}
const load = (family: Family, flows: number): Load => ({
  name: `${family} ${flows}`,
  at: (control) => ({ family, flows, control }),
})
const loads = (...families: Family[]): Load[] =>
  families.flatMap((family) => GRIDS.full[family].scales.map((flows) => load(family, flows)))

/** Checks of the three usual kinds. */
function checksOf(runs: Runs) {
  const value = (id: string, check: string, at: LdcpAt, of: ValueOf, unit: string, held: Held): Claim =>
    seedsClaim({ id, check, values: runs.values(of, at), unit, ...held })
  const over = (id: string, check: string, a: LdcpAt, b: LdcpAt, of: string, held: Held, unit = ' x'): Claim =>
    seedsClaim({ id, check, values: runs.ratios(of, a, b), unit, ...held })
  const lost = (id: string, check: string, at: LdcpAt, of: ValueOf, among: string): Claim => {
    const tolerance = `a share of 0.0001 of the packets ${among}`
    return claimOf({ id, check, measured: runs.mean(of, at), band: ALMOST_NONE, tolerance })
  }
  return { value, over, lost }
}

export function ldcpClaims(runs: Runs): Claim[] {
  return [
    ...stableClaims(runs),
    ...startClaims(runs),
    ...manyClaims(runs),
    ...reactionClaims(runs),
    ...clockClaims(runs),
  ]
}

/** Queue, use and losses. */
function stableClaims(runs: Runs): Claim[] {
  const { value, over, lost } = checksOf(runs)
  return [
    ...loads('long', 'churn').flatMap(({ name, at }) => queueClaims(runs, name, at('LDCP'))),
    ...loads('long').flatMap(({ name, at }) => [
      value('ldcp.intro.stable-low-queue', `${name}, use`, at('LDCP'), percent('use'), ' %', NINETY),
      over(
        'ldcp.intro.stable-low-queue',
        `${name}, spread over DCTCP's`,
        at('LDCP'),
        at('DCTCP'),
        'sdQueueBytes',
        LESS,
      ),
    ]),
    ...loads('churn').map(({ name, at }) => lost('ldcp.fs.stable-seldom-loss', name, at('LDCP'), fullShare, 'sent')),
    ...loads('incast', 'cluster', 'many').map(({ name, at }) =>
      lost('ldcp.abs.almost-no-loss', name, at('LDCP'), fullShare, 'sent'),
    ),
    ...loads('many').map(({ name, at }) =>
      lost('ldcp.abs.almost-no-loss', `${name}, behind the start`, at('LDCP'), 'lateLossShare', 'to the receiver'),
    ),
    ...loads('cluster').flatMap(({ name, at }) => [
      value('ldcp.abs.pfc-free', `${name}, pauses`, at('LDCP'), 'pauseFrames', '', NONE),
      over(
        'ldcp.abs.pfc-free',
        `${name}, FCT over DCQCN's with PFC`,
        at('LDCP'),
        at('DCQCN with PFC'),
        'meanFctPs',
        ALWAYS_LESS,
      ),
    ]),
  ]
}

/** A flow that starts at full speed on an idle path. */
function startClaims(runs: Runs): Claim[] {
  const { value, over } = checksOf(runs)
  const idle = load('idle', 1)
  return [
    value('ldcp.abs.full-speed-start', 'slowest of five sizes', idle.at('LDCP'), 'shortSlowdownMost', ' x its ideal', {
      band: between(0, 1.1),
      judge: 'mean',
    }),
    over(
      'ldcp.abs.full-speed-start',
      'slow start over LDCP',
      idle.at('DCTCP, slow start'),
      idle.at('LDCP'),
      'meanFctPs',
      MORE,
    ),
  ]
}

/** Reactions to other flows, to bursts, and as a rate on a commercial NIC. */
function reactionClaims(runs: Runs): Claim[] {
  const { value, over } = checksOf(runs)
  return [
    ...STEPS.map(([name, of]) =>
      over(
        'ldcp.pawa.faster-than-dctcp',
        `${name}, DCTCP over LDCP`,
        load('step', 4).at('DCTCP'),
        load('step', 4).at('LDCP, capable start'),
        of,
        MORE,
      ),
    ),
    ...[8, 32].flatMap((flows) => desyncClaims(runs, load('long', flows))),
    ...loads('churn').flatMap(({ name, at }) => [
      value('ldcp.fs.protects-long', `${name}, share`, at('LDCP'), percent('longShare'), ' %', NINETY),
      over(
        'ldcp.fs.protects-long',
        `${name}, over a start that is not dropped`,
        at('LDCP'),
        at('LDCP, capable start'),
        'longShare',
        MORE,
      ),
    ]),
    ...loads('incast').flatMap(({ name, at }) => {
      const [large, last] = ['ldcp.fs.without-aqm-large-queue', 'ldcp.unic.last-ecn-capable'] as const
      const without = at('LDCP, no early drop')
      return [
        over(large, `${name}, highest queue without over with`, without, at('LDCP'), 'mostQueueBytes', MORE),
        value(large, `${name}, lost to a full buffer`, without, 'fullDrops', ' packets', LOSSES),
        value(last, `${name}, with`, at('LDCP'), 'timeouts', ' timeouts', NONE),
        value(last, `${name}, without`, at('LDCP, last incapable'), 'timeouts', ' timeouts', SOME),
      ]
    }),
    ...loads('cluster').flatMap(({ name, at }) =>
      (['DCQCN with PFC', 'TIMELY with PFC'] as const).flatMap((other) =>
        BETTER.map(([what, of, held]) =>
          over('ldcp.pcc.outperforms', `${name}, ${what} ${other}`, at('LDCP-PCC'), at(other), of, held),
        ),
      ),
    ),
  ]
}

/** Spacing of packets, and the queue, with an ACK for each packet and for several. */
function clockClaims(runs: Runs): Claim[] {
  const { over } = checksOf(runs)
  return [
    ...loads('clock').map(({ name, at }) =>
      claimOf({
        id: 'ldcp.pawa.pacing',
        check: name,
        measured: runs.mean('gapVariation', at('LDCP')),
        band: between(0, 0.5),
        tolerance: 'standard deviation of the gaps over their mean, at most 0.5',
      }),
    ),
    ...loads('clock').flatMap(({ name, at }) =>
      COALESCED.slice(1).map(({ packets, control }) =>
        over(
          'ldcp.pawa.control-principle',
          `${name}, an ACK for ${packets} over one for each`,
          at(control),
          at('LDCP'),
          'sdQueueBytes',
          MORE,
          ' x the spread',
        ),
      ),
    ),
  ]
}

/** Reaction to four flows that join a long one, from the same start. */
const STEPS = [
  ['first fall of the window', 'reactionPs'],
  ['highest queue', 'overshootBytes'],
  ['queue below K_max again', 'settlePs'],
] as const

const BETTER = [
  ['goodput over', 'goodputBps', MORE],
  ['large flows, rate over', 'largeBps', MORE],
  ['small flows, slowdown over', 'shortSlowdown', LESS],
  ['small flows, 99 % slowdown over', 'shortSlowdownP99', LESS],
] as const

/** The queue of a link; it is not reproduced if the link is idle, however short the queue. */
function queueClaims(runs: Runs, name: string, at: LdcpAt): Claim[] {
  const used = mean(runs.values('use', at))
  const bounds = [
    ['mean', 'meanQueueBytes', KMIN_BYTES + 5 * FRAME_BYTES, 'K_min and five packets'],
    ['99 %', 'p99QueueBytes', KMAX_BYTES, 'K_max'],
  ] as const
  return bounds.map(([what, of, mostBytes, bound]): Claim => {
    const claim = claimOf({
      id: 'ldcp.abs.low-queue',
      check: `${name}, ${what}`,
      measured: runs.mean(of, at, 1 / 1000),
      unit: ' KB',
      band: between(0, mostBytes / 1000),
      tolerance: `${bound}, ours, with ${LEAST_USE * 100} % of the link used or more`,
    })
    if (used >= LEAST_USE) return claim
    const idle = `The link is used by ${humanNumber(used * 100)} %: the queue is short because the link is idle.`
    return { ...claim, verdict: 'not reproduced', reason: `${claim.reason} ${idle}` }
  })
}

/** Windows of long flows against those of ECN-TCP, which the first mark halves. */
function desyncClaims(runs: Runs, { name, at }: Load): Claim[] {
  const [ldcp, ecnTcp] = [at('LDCP'), at('ECN-TCP')]
  return [
    claimOf({
      id: 'ldcp.pawa.desync',
      check: `${name}, correlation less that of ECN-TCP`,
      measured: interval95(runs.differences('windowCorrelation', ldcp, ecnTcp)),
      band: atMost(0),
      tolerance: DIRECTION,
    }),
    claimOf({
      id: 'ldcp.pawa.desync',
      check: `${name}, spread over that of ECN-TCP`,
      measured: runs.ratio('windowVariation', ldcp, ecnTcp),
      unit: ' x',
      band: BELOW_ONE,
      tolerance: DIRECTION,
    }),
  ]
}

/** Hundreds and thousands of flows, whose windows are below one packet. */
function manyClaims(runs: Runs): Claim[] {
  const { name, at } = load('many', 1000)
  const atLeastOne = at('LDCP, window of 1 at least')
  return [
    enduranceClaim(runs, 'LDCP', ABOVE_ZERO),
    enduranceClaim(runs, 'LDCP, gamma 1/16', ABOVE_ZERO),
    enduranceClaim(runs, 'TCP', { low: -Infinity, high: 0, isOpen: true }),
    ...[1400, 2000].map((flows) => {
      const more = load('many', flows)
      return seedsClaim({
        id: 'ldcp.intro.cw-below-one',
        check: `${more.name}, loss of DCTCP over LDCP`,
        values: runs.ratios('lateLossShare', more.at('DCTCP'), more.at('LDCP')),
        unit: ' x',
        ...MORE,
      })
    }),
    claimOf({
      id: 'ldcp.sub1.need',
      check: `${name}, queue with a window of 1 over LDCP`,
      measured: runs.ratio('meanQueueBytes', atLeastOne, at('LDCP')),
      unit: ' x',
      band: ABOVE_ONE,
      tolerance: DIRECTION,
    }),
    claimOf({
      id: 'ldcp.sub1.need',
      check: `${name}, queue over packets of all windows less a BDP`,
      measured: runs.mean('meanQueueBytes', atLeastOne, 1 / ((1000 - BDP_PACKETS) * FRAME_BYTES)),
      unit: ' x',
      band: nearShare(1, 0.1),
      tolerance: '10 %',
    }),
  ]
}

/** For each seed, the largest number of flows with which at most one packet in 1000 is lost. */
function endured(runs: Runs, control: Control): Map<number, number> {
  const bySeed = new Map<number, number>()
  for (const { at, seed, measures } of runs.where({ family: 'many', control }).outcomes) {
    const most = bySeed.get(seed) ?? 0
    bySeed.set(seed, (measures['lateLossShare'] ?? NaN) <= 1e-3 ? Math.max(most, Number(at['flows'])) : most)
  }
  return bySeed
}

function enduranceClaim(runs: Runs, control: Control, band: Band): Claim {
  const own = endured(runs, control)
  const dctcp = endured(runs, 'DCTCP')
  return seedsClaim({
    id: 'ldcp.intro.cw-below-one',
    check: control,
    values: [...own].map(([seed, most]) => most - (dctcp.get(seed) ?? NaN)),
    band,
    judge: 'mean',
    unit: ' flows more',
    why: `Flows with at most one packet in 1000 lost, of ${GRIDS.full.many.scales.join(', ')}: ${control} supports ${intervalText(interval95(own.values()))}, DCTCP ${intervalText(interval95(dctcp.values()))}.`,
  })
}
