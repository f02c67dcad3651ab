/**
 * Claims of [MS-Scale] 4.3 and 6.2 on pause storms, judged from the runs of pause-storm. measures.ts and spread.ts have
 * the definitions.
 */
import { humanNumber, humanShare } from '../../../report/index.ts'
import { bracketClaim, type Claim, claimOf, exactClaim, seedsClaim } from '../../core/findings.ts'
import { overSeeds, valuesOf } from '../../core/old/over-seeds.ts'
import type { Measures, Outcome, Size } from '../../core/old/plan.ts'
import { BOTH, BOTH_ACT, type Case, NIC_WATCHDOG, NONE, POWER_CYCLE, SWITCH_WATCHDOG, TRAFFICS } from './cases.ts'
import { BIN_MS, goodputKey, HALF, leastAfter, serversKey } from './measures.ts'
import { STAGES } from './spread.ts'

const REFRESHED_PER_S = 2000
const trafficName = ({ name, towardsGbps }: Case): string =>
  name === NONE.name ? `${towardsGbps} Gb/s to server 0` : name.replace(/^no watchdog, /, '')

export function stormClaims(outcomes: readonly Outcome[], size: Size): Claim[] {
  return [
    ...spreadClaims(outcomes),
    ...watchdogClaims(outcomes),
    ...cureClaims(outcomes),
    ...damageClaims(outcomes, size),
    ...incidentClaims(outcomes),
  ]
}

/** Whether it holds in every run of a case. */
function inEverySeed(outcomes: readonly Outcome[], one: Case, holds: (m: Measures) => boolean): boolean {
  const each = valuesOf(outcomes, one.name, (m) => (holds(m) ? 1 : 0))
  return each.length > 0 && each.every((value) => value === 1)
}

interface Judged {
  readonly id: string
  readonly statement: string
  readonly paper: string
  readonly measured: string
  readonly reason: string
  readonly cases: readonly Case[]
  readonly holds: (m: Measures) => boolean
}

/** A claim that has to hold in every run of these cases; the seeds in which it does are counted. */
function everyRun(outcomes: readonly Outcome[], { cases, holds, ...claim }: Judged): Claim {
  const seeds = [...new Set(outcomes.map(({ seed }) => seed))]
  const held = seeds.filter((seed) => {
    const own = outcomes.filter((outcome) => outcome.seed === seed)
    return cases.every((one) => inEverySeed(own, one, holds))
  }).length
  return {
    ...exactClaim({ ...claim, holds: seeds.length > 0 && held === seeds.length }),
    seeds: { held, of: seeds.length },
  }
}

const meanIn = (outcomes: readonly Outcome[], one: Case, key: string): number =>
  overSeeds(outcomes, one.name, (m) => m[key]!).mean

/** One measure in all readings of the traffic. */
function readings(outcomes: readonly Outcome[], key: string) {
  return TRAFFICS.map((one) => ({
    name: trafficName(one),
    measured: overSeeds(outcomes, one.name, (m) => m[key]!),
    values: valuesOf(outcomes, one.name, (m) => m[key]!),
  }))
}

function spreadClaims(outcomes: readonly Outcome[]): Claim[] {
  const timesOf = (m: Measures): number[] => STAGES.map((_, i) => m[`stage${i + 1}Us`]!)
  const isInOrder = (m: Measures): boolean => timesOf(m).every((us, i, all) => us >= (i === 0 ? 0 : all[i - 1]!))
  return [
    everyRun(outcomes, {
      id: 'rce.storm.six-steps',
      statement: 'The pauses spread: ToR, leaves, spines, other leaves, other ToRs, servers',
      paper: 'six stages in this order',
      measured: STAGES.map(
        ({ stopped }, i) => `${stopped} ${humanNumber(meanIn(outcomes, NONE, `stage${i + 1}Us`))} us`,
      ).join(', '),
      cases: TRAFFICS,
      holds: isInOrder,
      reason:
        'All six are reached in all runs and readings of the traffic. A pause counts in a stage if the device that asks for it ' +
        'is itself paused in the stage before, so that the order of the first pauses follows; that a stage is reached does not.',
    }),
    ...blockClaims(outcomes),
  ]
}

/** The two readings of "block": no message gets through, and no goodput is left; soon after the stop, and at the end. */
function blockClaims(outcomes: readonly Outcome[]): Claim[] {
  const WHEN = [
    { prefix: 'look', when: '50 ms after the stop' },
    { prefix: 'end', when: 'last 20 ms of the run' },
  ] as const
  return WHEN.flatMap(({ prefix, when }) => [
    bracketClaim({
      id: `rce.storm.blocks-network [messages, ${when}]`,
      statement:
        'One malfunctioning NIC may block the whole network: share of the messages under way that do not end in 20 ms',
      paper: 'blocked',
      readings: readings(outcomes, `${prefix}Stuck`),
      paperValues: [],
      // A share, of which the interval of a mean may pass 1.
      band: { low: 0.9, high: Infinity },
      tolerance: 'at least 0.9 of the flows without goodput',
    }),
    bracketClaim({
      id: `rce.storm.blocks-network [goodput, ${when}]`,
      statement: 'The same: goodput that is left, as a share of the offered load',
      paper: 'blocked',
      readings: readings(outcomes, `${prefix}Ratio`),
      paperValues: [],
      band: { low: -Infinity, high: 0.1 },
      tolerance: 'below a tenth',
    }),
  ])
}

function watchdogClaims(outcomes: readonly Outcome[]): Claim[] {
  const of = (one: Case, key: string) => overSeeds(outcomes, one.name, (m) => m[key]!)
  const waitedMs = (m: Measures): number => m['switchRestoreMs']! - m['pausesEndMs']!
  return [
    claimOf({
      id: 'rce.storm.nic-watchdog-100ms',
      statement: 'The NIC watchdog ends the pauses 100 ms after the pipeline has stopped, for good',
      paper: '100 ms',
      measured: of(NIC_WATCHDOG, 'lastPauseMs'),
      band: { low: 90, high: 110 },
      tolerance: '10 %',
      unit: ' ms',
      why: 'The time of the last pause frame at the ToR. A test of the fault holds that none follows.',
    }),
    ...[SWITCH_WATCHDOG, BOTH_ACT].map((one) =>
      claimOf({
        id: `rce.storm.switch-watchdog-200ms [${one.name}]`,
        statement: 'The switch watchdog turns lossless mode on again 200 ms after the pauses of the NIC have ended',
        paper: '200 ms',
        measured: overSeeds(outcomes, one.name, waitedMs),
        band: { low: 190, high: 210 },
        tolerance: '5 %',
        unit: ' ms',
        why:
          one.repairMs === undefined
            ? 'The NIC watchdog ends the pauses. The port is watched every 10 ms.'
            : 'A power cycle of the server ends the pauses. The port is watched every 10 ms.',
      }),
    ),
  ]
}

function cureClaims(outcomes: readonly Outcome[]): Claim[] {
  const of = (one: Case, key: string) => overSeeds(outcomes, one.name, (m) => m[key]!)
  const isOver = (m: Measures): boolean => Number.isFinite(m['outageGoodputMs']) && m['afterRatio']! > 0.9
  const isBlocked = TRAFFICS.every((one) => inEverySeed(outcomes, one, (m) => m['outageGoodputMs'] === Infinity))
  const suffices = [NIC_WATCHDOG, SWITCH_WATCHDOG, BOTH].map((one) =>
    everyRun(outcomes, {
      id: `rce.storm.either-suffices [${one.name}]`,
      statement: `${one === BOTH ? 'Both watchdogs stop' : `The ${one.name} alone stops`} the storm`,
      paper: 'holds',
      measured: `goodput back at 90 % after ${humanNumber(of(one, 'outageGoodputMs').mean)} ms`,
      cases: [one],
      holds: (m) => isBlocked && isOver(m),
      reason:
        'From then to the end of the run its mean is above 90 % of the offered load; without a watchdog it is not back.',
    }),
  )
  // With 50 ms at the switch the time is ours alone.
  const damage = [NIC_WATCHDOG, SWITCH_WATCHDOG, BOTH].map((one) =>
    bracketClaim({
      id: `rce.storm.damage-limit [${one.name}]`,
      statement: 'The watchdog limits the damage to hundreds of milliseconds',
      paper: 'hundreds of ms',
      paperValues: [],
      readings: [
        { name: 'by goodput', measured: of(one, 'outageGoodputMs') },
        { name: 'by available servers', measured: of(one, 'outageServersMs') },
      ],
      band: { low: 100, high: 900 },
      tolerance: 'hundreds of milliseconds',
      unit: ' ms',
      why: 'The time is that of detection, which the paper has of the NIC only (100 ms).',
    }),
  )
  const isDropped = (m: Measures): boolean => m['nicDrops']! > 0 && m['switchDrops']! > 0 && m['otherDrops'] === 0
  const outageMs = (m: Measures): number => Math.max(m['outageGoodputMs']!, m['outageServersMs']!)
  const isShort = (m: Measures): boolean => outageMs(m) < 1000
  const longestMs = Math.max(...[BOTH, BOTH_ACT].flatMap((one) => valuesOf(outcomes, one.name, outageMs)))
  return [
    ...suffices,
    ...damage,
    everyRun(outcomes, {
      id: 'rce.storm.packets-dropped-after [packets]',
      statement: 'After both watchdogs packets to the NIC are dropped by the switch or by it, and none is elsewhere',
      paper: 'dropped by the switch or the NIC',
      measured:
        `${humanNumber(meanIn(outcomes, BOTH_ACT, 'switchDrops'))} dropped by the switch while the port is out of service, ` +
        `${humanNumber(meanIn(outcomes, BOTH_ACT, 'nicDrops'))} by the NIC later, ${humanNumber(meanIn(outcomes, BOTH_ACT, 'otherDrops'))} elsewhere; ` +
        `goodput from the recovery on ${humanShare(meanIn(outcomes, BOTH_ACT, 'afterRatio'))} of the offered load`,
      cases: [BOTH_ACT],
      holds: (m) => isDropped(m) && isOver(m),
      reason: 'MAC entries do not age in these runs; the switch drops until its watchdog turns lossless mode on again.',
    }),
    everyRun(outcomes, {
      id: 'rce.storm.none-after-watchdogs',
      statement: 'No storm any more with both watchdogs',
      paper: 'holds',
      measured: `longest outage ${humanNumber(longestMs)} ms`,
      cases: [BOTH, BOTH_ACT],
      holds: isShort,
      reason: 'No outage of more than a second, by goodput and by available servers.',
    }),
  ]
}

/** "In either case, the NIC PFC storm cannot cause damage to the whole network": nothing like the outage comes again. */
function damageClaims(outcomes: readonly Outcome[], size: Size): Claim[] {
  const READINGS = [
    { name: 'goodput', keyOf: goodputKey },
    { name: 'available servers', keyOf: serversKey },
  ]
  return READINGS.map(({ name, keyOf }) =>
    seedsClaim({
      id: `rce.storm.packets-dropped-after [no damage, by ${name}]`,
      statement: `After both watchdogs the network has no damage: least share in ${BIN_MS} ms after the outage`,
      paper: 'no damage to the whole network',
      values: valuesOf(outcomes, BOTH_ACT.name, (m) => leastAfter(m, BOTH_ACT, size, keyOf)),
      band: { low: HALF, high: Infinity },
      judge: 'every seed',
      why:
        'Half is where an outage begins. When lossless mode is on again, senders repeat all that is for server 0, at line rate, as no ' +
        'congestion control slows them, and the NIC drops it: the port of server 0 is congested, and PFC spreads that.',
    }),
  )
}

/** Claims on the incident of section 6.2. */
function incidentClaims(outcomes: readonly Outcome[]): Claim[] {
  const isSilent = (m: Measures): boolean => m['server0StormBytes'] === 0 && m['server0StormMessages'] === 0
  const isBack = (m: Measures): boolean => isSilent(m) && m['server0LaterBytes']! > 0
  const isHit = (m: Measures): boolean => m['pausedServers']! > 0.5
  return [
    claimOf({
      id: 'rce.storm.incident-2000pps',
      statement: 'The NIC sends more than 2000 pause frames per second',
      paper: 'more than 2000 /s',
      measured: overSeeds(outcomes, NONE.name, (m) => m['pausesPerSecond']!),
      band: { low: REFRESHED_PER_S, high: Infinity },
      tolerance: 'lower bound',
      unit: ' /s',
      why: 'A pause of 65535 quanta, sent again after half of its time, is 2384 frames/s at 40 Gb/s: a consequence of the refresh interval, which is ours.',
    }),
    exactClaim({
      id: 'rce.storm.no-data-but-pauses',
      statement: 'The server neither sends nor receives data; a power cycle clears it',
      paper: 'holds',
      measured: `${humanNumber(meanIn(outcomes, NONE, 'server0StormBytes'))} bytes during the storm, ${humanNumber(meanIn(outcomes, POWER_CYCLE, 'server0LaterBytes') / 1e6)} MB after the power cycle`,
      holds: inEverySeed(outcomes, NONE, isSilent) && inEverySeed(outcomes, POWER_CYCLE, isBack),
      reason:
        'Payload received by server 0 and messages received from it, from the stop on (messages: from a millisecond after it).',
    }),
    bracketClaim({
      id: 'rce.storm.incident-half-servers [50 ms after the stop]',
      statement: 'Half of the servers became unavailable',
      paper: '50 %',
      paperValues: [0.5],
      readings: readings(outcomes, 'lookUnavailable'),
      band: { low: 0.3, high: Infinity },
      tolerance: '30 to 100 %',
      why: 'The share follows from the traffic and the time, which the paper does not give.',
    }),
    bracketClaim({
      id: 'rce.storm.incident-half-servers [steady state]',
      statement: 'The same in the last 20 ms of the run',
      paper: '50 %',
      paperValues: [0.5],
      readings: readings(outcomes, 'endUnavailable'),
      band: { low: 0.3, high: Infinity },
      tolerance: '30 to 100 %',
    }),
    everyRun(outcomes, {
      id: 'rce.fig9.frames-per-5min',
      statement: 'During the storm many servers continuously receive many pause frames',
      paper: 'figure 9(b); no scale is printed in the text',
      measured: TRAFFICS.map(
        (one) =>
          `${trafficName(one)}: ${humanShare(meanIn(outcomes, one, 'pausedServers'))} of the servers, ` +
          `${humanNumber(meanIn(outcomes, one, 'framesIn5Minutes'))} frames per server in 5 minutes`,
      ).join('; '),
      cases: TRAFFICS,
      holds: isHit,
      reason:
        'More than half of the servers, in every seed and reading of the traffic; the rate of the run times 300 s.',
    }),
  ]
}
