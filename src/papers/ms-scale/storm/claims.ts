/**
 * Claims of [MS-Scale] 4.3 and 6.2 on pause storms, judged from the runs of pause-storm. measures.ts has
 * the definitions.
 */
import { humanNumber, humanShare } from '../../../show/index.ts'
import { atLeast, atMost, between, bracket, type Claim, claim, exact, readingOf } from '../../core/findings.ts'
import type { Measures, Size } from '../../core/plan.ts'
import type { Runs, ValueOf, Where } from '../../core/runs.ts'
import { BIN_MS, HALF, STAGES } from './measures.ts'
import { CURES, type CureId, SERVERS, trafficsOf } from './runs.ts'

/** Runs without a cure, in all readings of the traffic and in both networks. */
const ALL_NONE = { cure: 'no-watchdog' }
/** Runs with a cure. */
const at = (cure: Exclude<CureId, 'no-watchdog'>) => ({ cure })
/** Without a cure and with 10 Gb/s to server 0, in the network of the spread. */
const noneOf = (size: Size) => ({ ...ALL_NONE, towardsGbps: 10, servers: SERVERS[size].spread })
const SINGLE = ['nic-watchdog', 'switch-watchdog', 'both-watchdogs'] as const

const trafficName = (gbps: number): string => (gbps === 0 ? 'random traffic only' : `${gbps} Gb/s to server 0`)

/** For each seed whether it holds in every one of these runs. */
function inEachSeed(runs: Runs, where: Where, holds: (m: Measures) => boolean): boolean[] {
  const { seeds, outcomes } = runs.where(where)
  return seeds.map((seed) => outcomes.every((each) => each.seed !== seed || holds(each.measures)))
}

/** One measure in all readings of the traffic. */
const readings = (runs: Runs, size: Size, of: ValueOf) =>
  trafficsOf(size).map((traffic) => readingOf(trafficName(traffic.towardsGbps), runs.values(of, traffic)))

export function stormClaims(runs: Runs, size: Size): Claim[] {
  return [
    ...spreadClaims(runs, size),
    ...watchdogClaims(runs),
    ...cureClaims(runs),
    ...bothClaims(runs),
    ...incidentClaims(runs, size),
  ]
}

/** The spread, and the two readings of "block": no message gets through, no goodput is left; soon after, and at the end. */
function spreadClaims(runs: Runs, size: Size): Claim[] {
  const timesOf = (m: Measures): number[] => STAGES.map((_, i) => m[`stage${i + 1}Us`]!)
  const firstUs = (i: number): string => humanNumber(runs.mean(`stage${i + 1}Us`, noneOf(size)).mean)
  const isInOrder = (m: Measures): boolean => timesOf(m).every((us, i, all) => us >= (i === 0 ? 0 : all[i - 1]!))
  return [
    exact('rce.storm.six-steps', {
      holds: inEachSeed(runs, ALL_NONE, isInOrder),
      measured: STAGES.map(({ stopped }, i) => `${stopped} ${firstUs(i)} us`).join(', '),
      reason:
        'All six are reached in all runs and readings of the traffic. A pause counts in a stage if the device that asks for it ' +
        'is itself paused in the stage before, so that the order of the first pauses follows; that a stage is reached does not.',
    }),
    ...[
      { prefix: 'look', when: '50 ms after the stop' },
      { prefix: 'end', when: 'last 20 ms of the run' },
    ].flatMap(({ prefix, when }) => [
      bracket('rce.storm.blocks-network', readings(runs, size, `${prefix}Stuck`), atLeast(0.9), {
        check: `messages, ${when}`,
        why: 'Share of the messages under way that do not end in 20 ms.',
      }),
      bracket('rce.storm.blocks-network', readings(runs, size, `${prefix}Ratio`), atMost(0.1), {
        check: `goodput, ${when}`,
        tolerance: 'below a tenth',
        why: 'Goodput that is left, as a share of the offered load.',
      }),
    ]),
  ]
}

/** From the end of the pauses until the port is lossless again. */
const restoreMs = (m: Measures): number => m['switchRestoreMs']! - m['pausesEndMs']!

function watchdogClaims(runs: Runs): Claim[] {
  return [
    claim('rce.storm.nic-watchdog-100ms', runs.mean('lastPauseMs', at('nic-watchdog')), between(90, 110), {
      unit: ' ms',
      why: 'The time of the last pause frame at the ToR. A test of the fault holds that none follows.',
    }),
    ...[
      { cure: 'switch-watchdog', why: 'A power cycle of the server ends the pauses.' } as const,
      { cure: 'both-switch-after-50-ms', why: 'The NIC watchdog ends the pauses.' } as const,
    ].map(({ cure, why }) =>
      claim('rce.storm.switch-watchdog-200ms', runs.mean(restoreMs, at(cure)), between(190, 210), {
        check: CURES[cure].text,
        unit: ' ms',
        why: `${why} The port is watched every 10 ms.`,
      }),
    ),
  ]
}

const isOver = (m: Measures): boolean => Number.isFinite(m['outageGoodputMs']) && m['afterRatio']! > 0.9
const outageMs = (m: Measures): number => Math.max(m['outageGoodputMs']!, m['outageServersMs']!)

function cureClaims(runs: Runs): Claim[] {
  const outageReadings = (cure: (typeof SINGLE)[number]) => [
    { name: 'by goodput', measured: runs.mean('outageGoodputMs', at(cure)) },
    { name: 'by available servers', measured: runs.mean('outageServersMs', at(cure)) },
  ]
  const isBlocked = runs.range('outageGoodputMs', ALL_NONE).least === Infinity
  return [
    ...SINGLE.map((cure) =>
      exact('rce.storm.either-suffices', {
        check: CURES[cure].text,
        holds: inEachSeed(runs, at(cure), (m) => isBlocked && isOver(m)),
        measured: `goodput back at 90 % after ${humanNumber(runs.mean('outageGoodputMs', at(cure)).mean)} ms`,
        reason:
          'From then to the end of the run its mean is above 90 % of the offered load; without a watchdog it is not back.',
      }),
    ),
    // With 50 ms at the switch the time is ours alone.
    ...SINGLE.map((cure) =>
      bracket('rce.storm.damage-limit', outageReadings(cure), between(100, 900), {
        check: CURES[cure].text,
        unit: ' ms',
        why: 'The time is that of detection, which the paper has of the NIC only (100 ms).',
      }),
    ),
  ]
}

/** "In either case, the NIC PFC storm cannot cause damage to the whole network": nothing like the outage comes again. */
function bothClaims(runs: Runs): Claim[] {
  const both = at('both-switch-after-50-ms')
  const of = (measure: string): number => runs.mean(measure, both).mean
  const isDropped = (m: Measures): boolean => m['nicDrops']! > 0 && m['switchDrops']! > 0 && m['otherDrops'] === 0
  const withBoth = { cure: ['both-watchdogs', 'both-switch-after-50-ms'] }
  return [
    exact('rce.storm.packets-dropped-after', {
      check: 'packets',
      holds: inEachSeed(runs, both, (m) => isDropped(m) && isOver(m)),
      measured:
        `${humanNumber(of('switchDrops'))} dropped by the switch while the port is out of service, ` +
        `${humanNumber(of('nicDrops'))} by the NIC later, ${humanNumber(of('otherDrops'))} elsewhere; ` +
        `goodput from the recovery on ${humanShare(of('afterRatio'))} of the offered load`,
      reason: 'MAC entries do not age in these runs; the switch drops until its watchdog turns lossless mode on again.',
    }),
    exact('rce.storm.none-after-watchdogs', {
      holds: inEachSeed(runs, withBoth, (m) => outageMs(m) < 1000),
      measured: `longest outage ${humanNumber(runs.range(outageMs, withBoth).most)} ms`,
      reason: 'No outage of more than a second, by goodput and by available servers.',
    }),
    ...[
      { name: 'goodput', of: 'leastGoodputAfter' },
      { name: 'available servers', of: 'leastServersAfter' },
    ].map(({ name, of: least }) =>
      claim('rce.storm.packets-dropped-after', runs.values(least, both), atLeast(HALF), {
        check: `no damage, by ${name}`,
        why:
          `The least share in ${BIN_MS} ms after the outage; half is where an outage begins. When lossless mode is on again, senders repeat all that is for server 0, at line rate, as no ` +
          'congestion control slows them, and the NIC drops it: the port of server 0 is congested, and PFC spreads that.',
      }),
    ),
  ]
}

/** Claims on the incident of section 6.2. */
function incidentClaims(runs: Runs, size: Size): Claim[] {
  const none = noneOf(size)
  const cycled = at('power-cycle-after-50-ms')
  const isSilent = (own: Runs): boolean => own.sum((m) => m['server0StormBytes']! + m['server0StormMessages']!) === 0
  return [
    claim('rce.storm.incident-2000pps', runs.mean('pausesPerSecond', none), atLeast(2000), {
      unit: ' /s',
      why: 'A pause of 65535 quanta, sent again after half of its time, is 2384 frames/s at 40 Gb/s: a consequence of the refresh interval, which is ours.',
    }),
    exact('rce.storm.no-data-but-pauses', {
      holds:
        [none, cycled].every((one) => isSilent(runs.where(one))) && runs.range('server0LaterBytes', cycled).least > 0,
      measured: `${humanNumber(runs.mean('server0StormBytes', none).mean)} bytes during the storm, ${humanNumber(runs.mean('server0LaterBytes', cycled).mean / 1e6)} MB after the power cycle`,
      reason:
        'Payload received by server 0 and messages received from it, from the stop on (messages: from a millisecond after it).',
    }),
    bracket('rce.storm.incident-half-servers', readings(runs, size, 'lookUnhealthy'), atLeast(0.3), {
      check: '50 ms after the stop',
      paperValues: [0.5],
      why: 'Servers that are failing or on probation. The share follows from the traffic and the time, which the paper does not give.',
    }),
    bracket('rce.storm.incident-half-servers', readings(runs, size, 'endUnhealthy'), atLeast(0.3), {
      check: 'end of the run',
      paperValues: [0.5],
    }),
    exact('rce.fig9.frames-per-5min', {
      holds: inEachSeed(runs, ALL_NONE, (m) => m['alwaysPausedServers']! > 0.5),
      measured: trafficsOf(size)
        .map((traffic) => {
          const of = (measure: string): number => runs.mean(measure, traffic).mean
          const frames = `${humanNumber(of('framesIn5Minutes'))} frames per server in 5 minutes`
          const shares = [of('pausedServers'), of('alwaysPausedServers')].map((share) => humanShare(share))
          return `${trafficName(traffic.towardsGbps)}: ${shares[0]} of the servers, ${shares[1]} all the time, ${frames}`
        })
        .join('; '),
      reason:
        'More than half of the servers receive frames in each of the last five intervals of 10 ms, in every seed and reading of the traffic. ' +
        'By the counters of the servers, which count resumes, too; the rate of the run times 300 s.',
    }),
  ]
}
