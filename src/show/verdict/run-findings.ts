/**
 * Findings on a run: what its reader should know before its numbers. Errors come first: things that a working network does
 * not do.
 */
import { hostName } from '../../core/base/device-names.ts'
import { type Finding, foundAt, runFindings as kinds, totalOf } from '../../core/findings/index.ts'
import {
  completionsOf,
  isExplained,
  numbersOf,
  partialReason,
  pickRows,
  tableOfKind,
  textsOf,
  tailOf,
} from '../../core/results/index.ts'
import { circleOf, SLOW } from '../explain/causes.ts'
import { jobFindings } from '../explain/job-findings.ts'
import { longestOf, stagesOf } from '../pauses/pause-stages.ts'
import { GIVE_UP, watchdogActs } from '../pauses/watchdog-acts.ts'
import type { ReportedRun } from '../reported-run.ts'
import { BUSY_SHARE, portUses } from './busy-ports.ts'
import { causesOf } from './causes.ts'

/** Share of the slowest flows' waiting from which a cause comes before the way in which the run ended. */
const MAIN = 0.5

/**
 * Why it went wrong before how: deadlocks and storms, then what held the slowest flows for half of their waiting or more, the
 * other faults, and all that is none. Empty where all is as in an idle network but for its load.
 */
export function findingsOfRun(run: ReportedRun): Finding[] {
  const first = [circleOf(run.result), causesOf(run), jobFindings(run.result), endings(run), unfinished(run)]
  const all = [
    first,
    drops(run),
    watchdogs(run),
    timeouts(run),
    pauses(run),
    busyPorts(run),
    slowest(run),
    wrongIdeals(run),
  ].flat(2)
  const rankOf = ({ id, severity, values }: Finding): number => {
    const { share = 0 } = values
    if (id === 'deadlock' || id === 'pause-storm') return 0
    if (typeof share === 'number' && share >= MAIN) return 1
    if (severity === 'error') return 2
    // An autopsy knows that they are no reason for slow flows.
    return id === kinds.linkLostPackets.id && isExplained(run.result) ? 4 : 3
  }
  return all.toSorted((a, b) => rankOf(a) - rankOf(b))
}

/** A run that ended before it was done. */
function endings({ result }: ReportedRun): Finding[] {
  const { stalledFromPs } = result
  return [
    ...(result.partial ? [foundAt(kinds.runPartial, {}, { reason: partialReason(result) })] : []),
    ...(stalledFromPs === null
      ? []
      : [foundAt(kinds.runStalled, {}, { lastBytePs: stalledFromPs === 0 ? null : stalledFromPs })]),
  ]
}

function unfinished({ summary }: ReportedRun): Finding[] {
  const { flows, unfinishedReasons, unacknowledgedReasons, unpostedReasons } = summary
  const { unfinished: left, total, unacknowledged, withoutIdeal, unposted } = flows
  return [
    ...(left > 0
      ? [foundAt(kinds.flowsUnfinished, {}, { unfinished: left, flows: total, reasons: unfinishedReasons })]
      : []),
    ...(unacknowledged > 0
      ? [foundAt(kinds.flowsUnacknowledged, {}, { flows: unacknowledged, reasons: unacknowledgedReasons })]
      : []),
    ...(withoutIdeal > 0 ? [foundAt(kinds.flowsWithoutIdeal, {}, { flows: withoutIdeal })] : []),
    ...(unposted > 0 ? [foundAt(kinds.messagesNeverPosted, {}, { messages: unposted, reasons: unpostedReasons })] : []),
  ]
}

/** Reason of drops for which a lossless class has its headroom. */
const NO_ROOM = 'buffer full'

/** Drops, and whether a class that PFC should have kept lossless has lost packets for want of buffer. */
function drops({ result, facts }: ReportedRun): Finding[] {
  const { drops: reasons } = result.counters
  if (totalOf(reasons) === 0) return []
  const classes = [...new Set(numbersOf(result.flows, 'trafficClass'))]
  const losslessClasses = classes.filter((trafficClass) => facts?.losslessClasses.includes(trafficClass) === true)
  const withoutRoom = reasons[NO_ROOM] ?? 0
  return withoutRoom > 0 && losslessClasses.length > 0 && losslessClasses.length === classes.length
    ? [foundAt(kinds.losslessDropped, {}, { reasons, losslessClasses })]
    : [foundAt(kinds.packetsDropped, {}, { reasons, losslessClasses, withoutRoom })]
}

function watchdogs({ result }: ReportedRun): Finding[] {
  const acts = watchdogActs(result).filter(({ event }) => event === 'storm' || event === GIVE_UP)
  const [first] = acts
  if (first === undefined) return []
  const devices = new Set(acts.map(({ who }) => who)).size
  const values = { times: acts.length, devices, firstPs: first.timePs, first: first.who }
  return [foundAt(kinds.watchdogFired, {}, values)]
}

function timeouts({ result: { counters } }: ReportedRun): Finding[] {
  const reasons = counters.timeouts
  return totalOf(reasons) === 0 ? [] : [foundAt(kinds.sendersTimedOut, {}, { reasons })]
}

/** Time that PFC held ports, and the longest pause where the run observed them. */
function pauses({ result }: ReportedRun): Finding[] {
  const { pausedPs, pauseFrames } = result.counters
  if (pauseFrames === 0 || Object.keys(pausedPs).length === 0) return []
  const table = tableOfKind(result, 'pause-intervals')
  const ports = table === undefined ? [] : stagesOf(table).flatMap((stage) => stage.ports)
  const { label, fromPs, toPs } = longestOf(ports)
  const longest =
    ports.length === 0
      ? { longestPs: null, longestFromPs: null, longestAt: null }
      : { longestPs: toPs - fromPs, longestFromPs: fromPs, longestAt: label }
  return [foundAt(kinds.portsPaused, {}, { pausedPs, ...longest })]
}

/** Ports that are named. */
const NAMED_MAX = 3

function busyPorts({ result }: ReportedRun): Finding[] {
  const busy = portUses(result)
    .filter(({ busyPs }) => busyPs > 0)
    .toSorted((a, b) => b.busyPs - a.busyPs)
  if (busy.length === 0) return []
  const busiest = busy.slice(0, NAMED_MAX).map(({ name, busyPs }) => ({ name, busyPs }))
  return [foundAt(kinds.portsBusy, {}, { ports: busy.length, overShare: BUSY_SHARE, busiest })]
}

/** A flow that takes this many times its ideal is named, however fast the others are. */
const VERY_SLOW = 10

/** Whether the 99th percentile of the slowdown, or of few flows the highest, says that flows were not slow. */
export function isFast({ summary }: ReportedRun): boolean {
  return tailOf(summary.p99Slowdown, summary.maxSlowdown) < SLOW
}

function slowest(run: ReportedRun): Finding[] {
  const { result, facts } = run
  const { slowdown } = completionsOf(result)
  const { flows } = result
  let worst = -1
  slowdown.forEach((value, row) => {
    if (value > (slowdown[worst] ?? 0)) worst = row
  })
  if (worst < 0 || (isFast(run) && slowdown[worst]! < VERY_SLOW)) return []
  const one = pickRows(flows, [worst], ['flow', 'source', 'destination', 'sizeBytes'])
  const [flow, source, destination, sizeBytes] = ['flow', 'source', 'destination', 'sizeBytes'].map(
    (name) => numbersOf(one, name)[0]!,
  ) as [number, number, number, number]
  const titleOf = (host: number): string => facts?.graph.hostTitles[host] ?? hostName(host)
  const tags = textsOf(flows, 'tag')
  const tag = new Set(tags).size > 1 && tags[worst] !== '' ? tags[worst]! : null
  const values = {
    slowdown: slowdown[worst]!,
    sizeBytes,
    source: titleOf(source),
    destination: titleOf(destination),
    tag,
  }
  return [foundAt(kinds.slowestFlow, { flow }, values)]
}

function wrongIdeals({ summary: { slowdownsBelowOne: flows } }: ReportedRun): Finding[] {
  return flows === 0 ? [] : [foundAt(kinds.idealWrong, {}, { flows })]
}
