/**
 * Findings on a run: what its reader should know before its numbers, and whom it names as the reason of its delays.
 */
import { shownName } from '../../base/control-characters.ts'
import { exactCount, humanBytes, humanDuration, humanNumber, humanShare } from '../../base/format.ts'
import { defineFinding } from '../finding.ts'
import { capital, classText, counted, listOf, timesText, totalOf } from '../words.ts'

type Counts = Readonly<Record<string, number>>

export const runPartial = defineFinding<{ reason: string }>({
  id: 'run-partial',
  severity: 'error',
  meaning: 'The run ended before it was done.',
  source: '',
  remedy: 'run the scenario again to its end',
  text: ({ reason }) => `the run was ${reason}: its results are partial`,
  advice: () => '',
})

export const runStalled = defineFinding<{ lastBytePs: number | null }>({
  id: 'run-stalled',
  severity: 'error',
  meaning: 'No byte was delivered for so long that the run was given up.',
  source: 'docs/models/stalls.md',
  remedy: 'look for losses without a timeout, and for pauses that never end',
  evidence: ['flows'],
  text: ({ lastBytePs }) =>
    `the run was given up, as no byte was delivered${lastBytePs === null ? '' : ` after ${humanDuration(lastBytePs)}`}`,
  advice: () => '',
})

export const flowsUnfinished = defineFinding<{ unfinished: number; flows: number; reasons: Counts }>({
  id: 'flows-unfinished',
  severity: 'error',
  meaning: 'Flows did not finish.',
  source: '',
  remedy: 'look at the reasons: a run that stopped earlier, queue pairs in error, packets that nobody resends',
  evidence: ['flows'],
  text: ({ unfinished, flows, reasons }) =>
    `${exactCount(unfinished)} of ${counted(flows, 'flow')} did not finish: ${listOf(reasons)}`,
  advice: () => '',
})

export const flowsUnacknowledged = defineFinding<{ flows: number; reasons: Counts }>({
  id: 'flows-unacknowledged',
  severity: 'error',
  meaning: 'The receiver has all bytes of a flow, and its sender got no ACK for them.',
  source: '',
  remedy: 'look for ACKs that are lost, and for a sender that gave up',
  evidence: ['flows'],
  text: ({ flows, reasons }) =>
    `${counted(flows, 'flow')} reached the receiver and were never acknowledged: ${listOf(reasons)}`,
  advice: () => '',
})

export const flowsWithoutIdeal = defineFinding<{ flows: number }>({
  id: 'flows-without-ideal',
  severity: 'error',
  meaning: 'Flows finished over paths that the network as built does not have, so that their ideal time is not known.',
  source: '',
  remedy: 'slowdowns leave them out, completion times include them',
  evidence: ['flows'],
  text: ({ flows }) =>
    `no slowdown for ${counted(flows, 'finished flow')}: no path joined their hosts in the network as built`,
  advice: () => '',
})

export const messagesNeverPosted = defineFinding<{ messages: number; reasons: Counts }>({
  id: 'messages-never-posted',
  severity: 'error',
  meaning: 'Messages wait for others that did not finish.',
  source: '',
  remedy: 'look at the messages that they wait for',
  evidence: ['flows'],
  text: ({ messages, reasons }) =>
    `${counted(messages, 'message')} that wait for others were never posted: ${listOf(reasons)}`,
  advice: () => '',
})

export const deadlock = defineFinding<{
  nodes: readonly string[]
  trafficClass: number
  sincePs: number
  hosts: number | null
  pairs: number | null
}>({
  id: 'deadlock',
  severity: 'error',
  meaning: 'Switches pause each other for ever.',
  source: '[MS-Scale] section 4.2',
  remedy: 'use routes without a cyclic buffer dependency (rocelab check), or a watchdog',
  evidence: ['pauses'],
  text: (circle) => `switches pause each other for ever, a deadlock of PFC: ${circleText(circle)}`,
  advice: () => '',
})

/** "a > b > a: each waits for the next, class 3, since 1.20 ms; holds up 4 hosts, 12 queue pairs". */
export function circleText(circle: {
  readonly nodes: readonly string[]
  readonly trafficClass: number
  readonly sincePs: number
  readonly hosts?: number | null
  readonly pairs?: number | null
}): string {
  const { nodes, trafficClass, sincePs, hosts = null, pairs = null } = circle
  const held =
    hosts === null || pairs === null ? '' : `; holds up ${exactCount(hosts)} hosts, ${exactCount(pairs)} queue pairs`
  const path = [...nodes, nodes[0]].join(' > ')
  return `${path}: each waits for the next, class ${trafficClass}, since ${humanDuration(sincePs)}${held}`
}

const droppedText = (reasons: Counts): string => {
  const total = totalOf(reasons)
  return `${counted(total, 'packet')} ${total === 1 ? 'was' : 'were'} dropped: ${listOf(reasons)}`
}

export const losslessDropped = defineFinding<{ reasons: Counts; losslessClasses: readonly number[] }>({
  id: 'lossless-dropped',
  severity: 'error',
  meaning: 'Packets of a class that PFC should keep lossless found a full buffer.',
  source: '802.1Qbb annex O',
  remedy: 'rocelab headroom FILE shows what ports keep and need; look for ends of links without PFC (rocelab check)',
  evidence: ['drops'],
  text: ({ reasons, losslessClasses }) =>
    `${droppedText(reasons)}. All data is in ${classText(losslessClasses)}, which PFC should keep from finding a full buffer`,
  advice: () => '',
})

export const packetsDropped = defineFinding<{
  reasons: Counts
  losslessClasses: readonly number[]
  withoutRoom: number
}>({
  id: 'packets-dropped',
  severity: 'note',
  meaning: 'Packets were dropped, for the reasons that are counted.',
  source: '',
  remedy: 'observe drops to see where and of which class',
  evidence: ['drops'],
  text: ({ reasons, losslessClasses, withoutRoom }) =>
    losslessClasses.length === 0 || withoutRoom === 0
      ? droppedText(reasons)
      : `${droppedText(reasons)}. ${capital(classText(losslessClasses))} is lossless; the counters do not say whether it lost any of the ` +
        `${exactCount(withoutRoom)} that found a full buffer`,
  advice: () => '',
})

export const watchdogFired = defineFinding<{ times: number; devices: number; firstPs: number; first: string }>({
  id: 'watchdog-fired',
  severity: 'error',
  meaning: 'A watchdog took a class out of service because it was paused for too long.',
  source: '[MS-Scale] section 4.3',
  remedy: 'look for the device that pauses without end',
  evidence: ['pauses'],
  text: ({ times, devices, firstPs, first }) =>
    `watchdogs fired ${timesText(times)} at ${counted(devices, 'place')}, first at ${humanDuration(firstPs)}: ${first}`,
  advice: () => '',
})

export const sendersTimedOut = defineFinding<{ reasons: Counts }>({
  id: 'senders-timed-out',
  severity: 'note',
  meaning: 'Senders got no ACK in time, for the reasons that are counted.',
  source: '',
  remedy: 'only a timeout repairs a lost last packet; further ones are signs of lost retransmissions or long pauses',
  evidence: ['flows'],
  text: ({ reasons }) => `senders timed out ${timesText(totalOf(reasons))}: ${listOf(reasons)}`,
  advice: () => '',
})

export const portsPaused = defineFinding<{
  pausedPs: Counts
  longestPs: number | null
  longestFromPs: number | null
  longestAt: string | null
}>({
  id: 'ports-paused',
  severity: 'note',
  meaning: 'PFC paused ports: for how long, in sum over ports and classes, by tier of the paused device.',
  source: '802.1Qbb',
  remedy: 'rocelab explain names where pauses began',
  evidence: ['pauses'],
  text: ({ pausedPs, longestPs, longestFromPs, longestAt }) => {
    const longest =
      longestPs === null
        ? ''
        : `. The longest pause: ${humanDuration(longestPs)} from ${humanDuration(longestFromPs!)}, ${longestAt}`
    const times = Object.entries(pausedPs).map(([tier, ps]) => `${tier} ${humanDuration(ps)}`)
    return `PFC paused ports, in sum over ports and classes: ${times.join(', ')}${longest}`
  },
  advice: () => '',
})

export const hostPaused = defineFinding<{ times: number; pausedPs: number }>({
  id: 'host-paused-switch',
  severity: 'note',
  meaning: 'A host paused its switch: it receives more slowly than its link delivers.',
  source: '[MS-Scale] section 4.4',
  remedy: 'look at its NIC, PCIe and memory',
  evidence: ['pauses'],
  text: ({ times, pausedPs }, { device }) =>
    `${device} paused its switch ${timesText(times)}, for ${humanDuration(pausedPs)} in sum: it receives more slowly than its link delivers`,
  advice: () => '',
  weight: ({ pausedPs }) => pausedPs,
})

export const linkLostPackets = defineFinding<{ reasons: Counts; otherLinks: number }>({
  id: 'link-lost-packets',
  severity: 'note',
  meaning: 'Packets were lost on the way between two devices.',
  source: '',
  remedy: 'look at the cable, its optics and both ends',
  evidence: ['drops'],
  text: ({ reasons, otherLinks }, { device, port }) => {
    const more = otherLinks === 0 ? '' : `. ${capital(counted(otherLinks, 'other link'))} lost packets, too`
    return `the link from ${port} to ${device} lost ${counted(totalOf(reasons), 'packet')}: ${listOf(reasons)}${more}`
  },
  advice: () => '',
  weight: ({ reasons }) => totalOf(reasons),
})

export const portsBusy = defineFinding<{
  ports: number
  overShare: number
  busiest: readonly { name: string; busyPs: number }[]
}>({
  id: 'ports-busy',
  severity: 'note',
  meaning: 'Ports used nearly all of their links at times.',
  formula: 'use of the link > 95 % in an interval of the observer link-use',
  source: '',
  remedy: 'rocelab plot shows when',
  evidence: ['links'],
  text: ({ ports, overShare, busiest }) => {
    const named = busiest.map(({ name, busyPs }) => `${name} for ${humanDuration(busyPs)}`)
    const more = ports > busiest.length ? `, and ${exactCount(ports - busiest.length)} more` : ''
    return `${counted(ports, 'port')} used over ${humanShare(overShare, 2)} of the link at times: ${named.join(', ')}${more}`
  },
  advice: () => '',
})

export const slowestFlow = defineFinding<{
  slowdown: number
  sizeBytes: number
  source: string
  destination: string
  tag: string | null
}>({
  id: 'slowest-flow',
  severity: 'note',
  meaning: 'One flow in a hundred is slow, or the slowest is very slow: the slowest one.',
  formula: 'slowdown >= 10, or 99th percentile >= 2',
  source: '',
  remedy: 'rocelab explain RESULT --flow N shows its life',
  evidence: ['flows'],
  text: ({ slowdown, sizeBytes, source, destination, tag }, { flow }) =>
    `the slowest flow took ${humanNumber(slowdown)} times its ideal: flow ${flow}${tag === null ? '' : ` of tag ${shownName(tag)}`}, ` +
    `${humanBytes(sizeBytes)} from ${source} to ${destination}`,
  advice: () => '',
})

export const idealWrong = defineFinding<{ flows: number }>({
  id: 'ideal-wrong',
  severity: 'error',
  meaning: 'Flows finished faster than in an idle network, which cannot be: their ideal time is wrong.',
  source: '',
  remedy: 'report it with the scenario',
  evidence: ['flows'],
  text: ({ flows }) => `${counted(flows, 'flow')} finished faster than the ideal: the ideal is wrong for them`,
  advice: () => '',
})

export const completionParts = defineFinding<{
  flows: number
  group: string
  meanSlowdown: number
  parts: readonly { part: string; share: number }[]
  pausesBeganAt: string | null
}>({
  id: 'completion-parts',
  severity: 'note',
  meaning: 'The parts of the completion times of the slowest flows, the largest first, and where their pauses began.',
  source: 'docs/models/autopsy.md',
  remedy:
    'each part has its own remedy: queueing and pauses, the ports that are named; rate, the congestion control; recovery, the losses',
  evidence: ['flows'],
  text: ({ flows, group, meanSlowdown, parts: [first, second], pausesBeganAt }) => {
    const isOne = flows === 1 && group === ''
    const their = isOne ? 'its' : 'their'
    const why =
      first === undefined
        ? ''
        : second === undefined
          ? `; largest part: ${first.part} ${humanShare(first.share)}`
          : `; largest parts: ${first.part} ${humanShare(first.share)}, ${second.part} ${humanShare(second.share)}`
    const by = pausesBeganAt === null ? '' : `; most pauses began at ${pausesBeganAt}`
    const who = isOne ? 'it' : `the ${group} of the flows (${exactCount(flows)})`
    return `${who} took ${humanNumber(meanSlowdown, 3)} times ${their} ideal time${why}${by}`
  },
  advice: () => '',
})
