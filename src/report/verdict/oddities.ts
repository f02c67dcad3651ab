/**
 * Oddities: what a reader of a run should know before its numbers, in plain sentences, each with the part of the report
 * that shows it. Faults come first: things that a working network does not do.
 */
import { hostName } from '../../base/device-names.ts'
import { completionsOf, numbersOf, partialReason, pickRows, tableOfKind, textsOf } from '../../results/index.ts'
import { exactCount, humanBytes, humanDuration, humanNumber, humanShare } from '../../base/format.ts'
import { longestOf, stagesOf } from '../pauses/pause-stages.ts'
import { GIVE_UP, watchdogActs } from '../pauses/watchdog-acts.ts'
import { counted, listOf, pauseCircleText, pausedTimeText, totalOf } from '../phrases.ts'
import type { ReportedRun } from '../reported-run.ts'
import { BUSY_SHARE, portUses } from './busy-ports.ts'
import { causesOf } from './causes.ts'

/** Part of a report that an oddity points to. */
export type PageSection = 'flows' | 'drops' | 'pauses' | 'links' | 'scenario'

export interface Oddity {
  readonly kind: 'fault' | 'notice'
  readonly text: string
  readonly section: PageSection
}

/** Faults first, then notices; empty where all is as in an idle network but for its load. */
export function odditiesOf(run: ReportedRun): Oddity[] {
  const found = [endings(run), unfinished(run), circle(run), drops(run), watchdogs(run), timeouts(run), pauses(run)]
  const causes = causesOf(run).map(({ section, text }) => notice(section, text))
  const all = [...found.flat(), ...causes, ...busyPorts(run), ...slowest(run), ...wrongIdeals(run)]
  return [...all.filter(({ kind }) => kind === 'fault'), ...all.filter(({ kind }) => kind === 'notice')]
}

function fault(section: PageSection, text: string): Oddity {
  return { kind: 'fault', text, section }
}

function notice(section: PageSection, text: string): Oddity {
  return { kind: 'notice', text, section }
}

/** A run that ended before it was done. */
function endings({ result }: ReportedRun): Oddity[] {
  const { stalledFromPs } = result
  const last =
    stalledFromPs === null || stalledFromPs === 0 ? 'no byte' : `the last byte at ${humanDuration(stalledFromPs)}`
  return [
    ...(result.partial ? [fault('scenario', `The run was ${partialReason(result)}: its results are partial.`)] : []),
    ...(stalledFromPs === null
      ? []
      : [fault('flows', `The run was given up for want of progress: ${last} was delivered.`)]),
  ]
}

function unfinished({ summary }: ReportedRun): Oddity[] {
  const { flows, unfinishedReasons, unacknowledgedReasons, unpostedReasons } = summary
  return [
    ...(flows.unfinished > 0
      ? [
          fault(
            'flows',
            `${exactCount(flows.unfinished)} of ${counted(flows.total, 'flow')} did not finish: ${listOf(unfinishedReasons)}.`,
          ),
        ]
      : []),
    ...(flows.unacknowledged > 0
      ? [
          fault(
            'flows',
            `${counted(flows.unacknowledged, 'flow')} reached the receiver and were never acknowledged: ${listOf(unacknowledgedReasons)}.`,
          ),
        ]
      : []),
    ...(flows.withoutIdeal > 0
      ? [
          fault(
            'flows',
            `${counted(flows.withoutIdeal, 'finished flow')} in no slowdown: no path joined their hosts in the network as built.`,
          ),
        ]
      : []),
    ...(flows.unposted > 0
      ? [
          fault(
            'flows',
            `${counted(flows.unposted, 'message')} that wait for others were never posted: ${listOf(unpostedReasons)}.`,
          ),
        ]
      : []),
  ]
}

function circle({ result: { pauseCircle } }: ReportedRun): Oddity[] {
  if (pauseCircle === null) return []
  return [fault('pauses', `Switches pause each other for ever, a deadlock of PFC: ${pauseCircleText(pauseCircle)}.`)]
}

/** Reason of drops for which a lossless class has its headroom. */
const NO_ROOM = 'buffer full'

/** Drops, and whether a class that PFC should have kept lossless has lost packets for want of buffer. */
function drops({ result, facts }: ReportedRun): Oddity[] {
  const { drops: causes } = result.counters
  const total = totalOf(causes)
  if (total === 0) return []
  const all = `${counted(total, 'packet')} ${total === 1 ? 'was' : 'were'} dropped: ${listOf(causes)}.`
  const classes = [...new Set(numbersOf(result.flows, 'trafficClass'))]
  const lossless = classes.filter((trafficClass) => facts?.losslessClasses.includes(trafficClass) === true)
  const noRoom = causes[NO_ROOM] ?? 0
  if (noRoom === 0 || lossless.length === 0) return [notice('drops', all)]
  if (lossless.length < classes.length) {
    const rest = `Class ${lossless.join(', ')} is lossless; the counters do not say whether it lost any of the ${exactCount(noRoom)} that found a full buffer.`
    return [notice('drops', `${all} ${rest}`)]
  }
  return [
    fault(
      'drops',
      `${all} All data is in class ${lossless.join(', ')}, which PFC should keep from finding a full buffer.`,
    ),
  ]
}

function watchdogs({ result }: ReportedRun): Oddity[] {
  const acts = watchdogActs(result).filter(({ event }) => event === 'storm' || event === GIVE_UP)
  const [first] = acts
  if (first === undefined) return []
  const devices = counted(new Set(acts.map(({ who }) => who)).size, 'place')
  const times = acts.length === 1 ? 'once' : `${exactCount(acts.length)} times`
  return [
    fault('pauses', `Watchdogs fired ${times} at ${devices}, first at ${humanDuration(first.timePs)}: ${first.who}.`),
  ]
}

function timeouts({ result: { counters } }: ReportedRun): Oddity[] {
  const total = totalOf(counters.timeouts)
  return total === 0
    ? []
    : [
        notice(
          'flows',
          `Senders timed out ${total === 1 ? 'once' : `${exactCount(total)} times`}: ${listOf(counters.timeouts)}.`,
        ),
      ]
}

/** Time that PFC held ports, and the longest pause where the run observed them. */
function pauses({ result }: ReportedRun): Oddity[] {
  const { counters } = result
  const paused = pausedTimeText(counters.pausedPs)
  if (counters.pauseFrames === 0 || paused === '') return []
  const table = tableOfKind(result, 'pause-intervals')
  const ports = table === undefined ? [] : stagesOf(table).flatMap((stage) => stage.ports)
  const { label, fromPs, toPs } = longestOf(ports)
  const longest =
    ports.length === 0
      ? ''
      : ` The longest pause: ${humanDuration(toPs - fromPs)} from ${humanDuration(fromPs)}, ${label}.`
  return [notice('pauses', `PFC paused ports, in sum over ports and classes: ${paused}.${longest}`)]
}

/** Ports that are named. */
const NAMED_MAX = 3

function busyPorts({ result }: ReportedRun): Oddity[] {
  const busy = portUses(result)
    .filter(({ busyPs }) => busyPs > 0)
    .toSorted((a, b) => b.busyPs - a.busyPs)
  if (busy.length === 0) return []
  const named = busy.slice(0, NAMED_MAX).map(({ name, busyPs }) => `${name} for ${humanDuration(busyPs)}`)
  const more = busy.length > NAMED_MAX ? `, and ${exactCount(busy.length - NAMED_MAX)} more` : ''
  return [
    notice(
      'links',
      `${counted(busy.length, 'port')} used over ${humanShare(BUSY_SHARE, 2)} of the link at times: ${named.join(', ')}${more}.`,
    ),
  ]
}

/** A flow that takes this many times its ideal is named. */
const SLOW = 10

function slowest({ result, facts }: ReportedRun): Oddity[] {
  const { slowdown } = completionsOf(result)
  const { flows } = result
  let worst = -1
  slowdown.forEach((value, row) => {
    if (value > (slowdown[worst] ?? 0)) worst = row
  })
  if (worst < 0 || slowdown[worst]! < SLOW) return []
  const flow = pickRows(flows, [worst], ['flow', 'source', 'destination', 'sizeBytes'])
  const [number, source, destination, sizeBytes] = ['flow', 'source', 'destination', 'sizeBytes'].map(
    (name) => numbersOf(flow, name)[0]!,
  ) as [number, number, number, number]
  const titleOf = (host: number): string => facts?.graph.hostTitles[host] ?? hostName(host)
  const tags = textsOf(flows, 'tag')
  const tag = new Set(tags).size > 1 && tags[worst] !== '' ? ` of tag ${tags[worst]!}` : ''
  return [
    notice(
      'flows',
      `The slowest flow took ${humanNumber(slowdown[worst]!)} times its ideal: flow ${number}${tag}, ${humanBytes(sizeBytes)} from ${titleOf(source)} to ${titleOf(destination)}.`,
    ),
  ]
}

function wrongIdeals({ summary }: ReportedRun): Oddity[] {
  const count = summary.slowdownsBelowOne
  return count === 0
    ? []
    : [fault('flows', `${counted(count, 'flow')} finished faster than the ideal: the ideal is wrong for them.`)]
}
