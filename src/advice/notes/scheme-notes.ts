/**
 * Scheme notes: loss recoveries and congestion controls in places where they do not work as intended: losses that nobody
 * repairs, signals that nobody gives, times that are too short. Each is asked of one set of schemes under one set of
 * values in force.
 */
import { congestionNeeds, congestionOf, pathVarietyOf, recoveryOf, scenarioTimeout } from '../../lab/index.ts'
import { humanDuration } from '../../report/index.ts'
import { dataClasses, quirksOf, type Scenario } from '../../scenario/index.ts'
import type { Topology } from '../../topology/index.ts'
import type { Finding } from './note.ts'

/** @param own values in force everywhere, with one set of schemes */
export function pairNotes(own: Scenario, topology: Topology, longestRttPs: number): Finding[] {
  return [
    ...(own.switch.trimming.of === 'none' ? [] : noticeNotes(own)),
    ...targetNotes(own, longestRttPs),
    ...orderNotes(own, topology),
    ...timeoutNotes(own, longestRttPs),
    ...delayNotes(own),
    ...startNotes(own),
  ]
}

/** @param own values in force at a switch or one of its ports, with one set of schemes */
export function signalNotes(own: Scenario, topology: Topology): Finding[] {
  return [...lossNotes(own, topology), ...controlNotes(own), ...notificationNotes(own, topology)]
}

/** Losses without a timeout: a flow that loses its last packet, or a retransmission, stalls for ever. */
function lossNotes(scenario: Scenario, topology: Topology): Finding[] {
  const { faults, pfc, recovery, switch: at } = scenario
  if (scenarioTimeout(scenario) !== null) return []
  const overtaking =
    recoveryOf(scenario).whenOvertaken?.(recovery) === undefined ? [] : overtakingBy(scenario, topology)
  const ofData = dataClasses(scenario)
  const lossy = ofData.filter((c) => !pfc.classes.includes(c))
  const dropped = ofData.filter((c) => at.wred.classes.includes(c))
  const lossyLinks = topology.links.filter(({ lossRatio }) => lossRatio > 0)
  const hasFaults = faults.some(({ kind }) => kind !== 'pause-storm' && kind !== 'broadcast')
  const hasStorms = faults.some(({ kind }) => kind === 'pause-storm')
  const why = [
    ...(lossy.length === 0 ? [] : [['no-pfc', `class ${lossy.join(', ')} has no PFC`]]),
    ...(dropped.length === 0 ? [] : [['wred', `WRED drops in class ${dropped.join(', ')}`]]),
    ...(hasFaults ? [['faults', `links have faults${faultsText(faults)}`]] : []),
    ...(lossyLinks.length === 0 ? [] : [['lossy-links', lossyText(lossyLinks, topology)]]),
    ...(hasStorms ? [['pause-storms', 'watchdogs and power cycles end pause storms by drops']] : []),
    ...overtaking.map((by) => [
      'overtaking',
      `packets overtake each other under ${by}, which ${recovery.kind} takes for losses`,
    ]),
  ] as const
  if (why.length === 0) return []
  return [
    {
      id: 'loss-without-timeout',
      subject: { path: 'qp.ackTimeout' },
      values: { causes: why.map(([cause]) => cause!), classesWithoutPfc: lossy, lossyLinks: lossyLinks.length },
      text: `packets may be lost (${why.map(([, text]) => text).join('; ')}) and there is no timeout: flows may stall; set qp.ackTimeout`,
    },
  ]
}

/** " (host 3)", where the first of them names its place. */
function faultsText(faults: Scenario['faults']): string {
  const [first] = faults.flatMap((fault) =>
    'links' in fault ? [fault.links] : 'switches' in fault ? [fault.switches] : 'hosts' in fault ? [fault.hosts] : [],
  )
  return first === undefined || first === 'all' ? '' : ` (${first})`
}

/** "2 links lose packets, such as host 0-switch 4" */
function lossyText(links: Topology['links'], { names }: Topology): string {
  const { a, b } = links[0]!
  const example = `${names[a]}-${names[b]}`
  return links.length === 1 ? `link ${example} loses packets` : `${links.length} links lose packets, such as ${example}`
}

/** Trimmed headers that the recovery ignores. */
function noticeNotes(scenario: Scenario): Finding[] {
  const { recovery } = scenario
  const mayUse = 'trimmed' in recovery && !(recovery.kind === 'irn' && quirksOf(scenario).rewinds)
  if (mayUse && recovery.trimmed !== 'ignore') return []
  const remedy = mayUse ? '; set recovery.trimmed to use them as loss notifications' : ''
  return [
    {
      id: 'trimming-ignored',
      subject: { path: 'recovery' },
      values: { recovery: recovery.kind },
      text: `switches trim packets, and ${recovery.kind} ignores their headers, so that each is recovered like any loss${remedy}`,
    },
  ]
}

/** A target RTT below the RTT of an idle path: senders on that path keep slowing down. */
function targetNotes(scenario: Scenario, longestRttPs: number): Finding[] {
  const { congestion } = scenario
  const target = congestionOf(scenario).targetRtt?.(congestion)
  if (target === undefined || !(longestRttPs > target.rttPs)) return []
  const { name, rttPs } = target
  return [
    {
      id: 'target-below-idle-rtt',
      subject: { path: `congestion.${name}` },
      values: { targetPs: rttPs, longestRttPs },
      text:
        `${congestion.kind} slows down above an RTT of ${humanDuration(rttPs)}, and the longest path takes ${humanDuration(longestRttPs)} ` +
        `when idle: its flows may come to a standstill; raise congestion.${name}`,
    },
  ]
}

/** Flows over several paths, under a recovery that treats reordering as loss. */
function orderNotes(scenario: Scenario, topology: Topology): Finding[] {
  const { recovery } = scenario
  const what = recoveryOf(scenario).whenOvertaken?.(recovery)
  if (what === undefined) return []
  return overtakingBy(scenario, topology).map((by) => ({
    id: 'reordering-taken-for-loss',
    subject: { path: by.split(' ')[0]! },
    values: { recovery: recovery.kind },
    text: `packets of a flow overtake each other under ${by}, and ${recovery.kind} ${what}`,
  }))
}

/** Settings that let packets of one flow take paths of different delay. */
function overtakingBy(scenario: Scenario, { nodeCount, endpoints, hostPorts }: Topology): string[] {
  const { balance, nic } = scenario
  return [
    ...(pathVarietyOf(scenario) === 'several' && nodeCount - endpoints.length > 1 ? [`balance ${balance.kind}`] : []),
    ...(nic.portChoice !== 'bound' && hostPorts.some(({ length }) => length > 1)
      ? [`nic.portChoice ${nic.portChoice}`]
      : []),
  ]
}

/** A timeout below the RTT sends every packet twice and soon exhausts the retries of the queue pair. */
function timeoutNotes(scenario: Scenario, longestRttPs: number): Finding[] {
  const timeoutPs = scenarioTimeout(scenario)?.firstPs ?? Infinity
  if (!(longestRttPs > timeoutPs)) return []
  return [
    {
      id: 'timeout-below-rtt',
      subject: { path: 'qp.ackTimeout' },
      values: { timeoutPs, longestRttPs },
      text:
        `the retransmission timeout of ${humanDuration(timeoutPs)} expires before an ACK can arrive: the longest path takes ` +
        `${humanDuration(longestRttPs)} when idle; raise qp.ackTimeout`,
    },
  ]
}

/** Delayed ACKs that come after the sender's timeout: a single last packet is sent again. */
function delayNotes(scenario: Scenario): Finding[] {
  const delayPs = recoveryOf(scenario).delayedAckPs?.(scenario.recovery) ?? 0
  const leastPs = scenarioTimeout(scenario)?.leastPs ?? Infinity
  if (delayPs < leastPs) return []
  return [
    {
      id: 'delayed-ack-beyond-timeout',
      subject: { path: 'recovery.delayedAck' },
      values: { delayPs, leastPs },
      text:
        `receivers delay ACKs by ${humanDuration(delayPs)} and senders wait as little as ${humanDuration(leastPs)} for one: ` +
        `a single last packet times out and is sent again; lower recovery.delayedAck or raise recovery.rtoMin`,
    },
  ]
}

/** A TCP sender that begins with all that the receiver takes: a burst of a whole window, and no slow start. */
function startNotes({ recovery, congestion }: Scenario): Finding[] {
  if (!('receiveWindow' in recovery) || !('initialWindow' in congestion)) return []
  const { receiveWindow } = recovery
  const { initialWindow } = congestion
  if (initialWindow === null || receiveWindow === null || initialWindow < receiveWindow) return []
  return [
    {
      id: 'start-window-beyond-receive-window',
      subject: { path: 'congestion.initialWindow' },
      values: { initialPackets: initialWindow, receivePackets: receiveWindow },
      text:
        `${congestion.kind} begins with a window of ${initialWindow} packets and the receive window is ${receiveWindow}: flows start with ` +
        'a burst of a whole receive window, and nothing is left to grow; Linux begins with 10, set congestion.initialWindow=10',
    },
  ]
}

/** Congestion signals of switches, the group that lists their classes, and the effect on a class that is not listed. */
const SIGNALS = [
  { need: 'ecn', group: 'ecn', missing: 'mark nothing' },
  { need: 'qcn', group: 'qcn', missing: 'have no congestion point' },
  { need: 'wred', group: 'wred', missing: 'drop nothing early' },
] as const

/** Data in a class without the signals that its congestion control needs: senders never slow down. */
function controlNotes(scenario: Scenario): Finding[] {
  const { congestion, switch: at } = scenario
  const needs = congestionNeeds(scenario)
  return SIGNALS.filter(({ need }) => needs[need] === true).flatMap(({ need, group, missing }) => {
    const listed: readonly number[] = at[group].classes
    const unmarked = dataClasses(scenario).filter((trafficClass) => !listed.includes(trafficClass))
    return unmarked.map((trafficClass): Finding => ({
      id: 'class-without-signal',
      subject: { trafficClass, path: `switch.${group}.classes` },
      values: { signal: need, congestion: congestion.kind, listedClasses: listed },
      text: `switches ${missing} in class ${trafficClass}, which has data: ${congestion.kind} gets no signal from it; add it to switch.${group}.classes`,
    }))
  })
}

/** QCN messages in a lossless class: they travel against the data, so two switches may pause each other for ever. */
function notificationNotes({ congestion, classes, pfc }: Scenario, { nodeCount, endpoints }: Topology): Finding[] {
  const { cnpAtSwitch } = classes
  if (congestion.kind !== 'qcn' || nodeCount - endpoints.length < 2 || !pfc.classes.includes(cnpAtSwitch)) return []
  return [
    {
      id: 'notifications-in-lossless-class',
      subject: { trafficClass: cnpAtSwitch, path: 'classes.cnpAtSwitch' },
      values: {},
      text:
        `qcn messages are sent back by switches in class ${cnpAtSwitch}, which is paused by PFC: ` +
        'two switches may deadlock; set classes.cnpAtSwitch to a class without PFC',
    },
  ]
}
