/**
 * Scheme notes: loss recoveries and congestion controls in places where they do not work as intended: losses that nobody
 * repairs, signals that nobody gives, times that are too short. Each is asked of one set of schemes under one set of
 * values in force.
 */
import { congestionNeeds, congestionOf, pathVarietyOf, recoveryOf, scenarioTimeout } from '../../index.ts'
import { dataClasses, quirksOf, type Scenario } from '../../scenario/index.ts'
import type { Topology } from '../../../core/topology/index.ts'
import { type Finding, foundAt, schemeFindings } from '../../../core/findings/index.ts'

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
  const causes = [
    ...(lossy.length === 0 ? [] : ['no-pfc']),
    ...(dropped.length === 0 ? [] : ['wred']),
    ...(hasFaults ? ['faults'] : []),
    ...(lossyLinks.length === 0 ? [] : ['lossy-links']),
    ...(hasStorms ? ['pause-storms'] : []),
    ...(overtaking.length === 0 ? [] : ['overtaking']),
  ]
  if (causes.length === 0) return []
  const [link] = lossyLinks
  const values = {
    causes,
    classesWithoutPfc: lossy,
    droppedClasses: dropped,
    faultsAt: faultLocation(faults),
    lossyLinks: lossyLinks.length,
    lossyLink: link === undefined ? null : `${topology.names[link.a]}-${topology.names[link.b]}`,
    overtakenUnder: overtaking.map(({ path, kind }) => `${path} ${kind}`),
    recovery: recovery.kind,
  }
  return [foundAt(schemeFindings.lossWithoutTimeout, { path: 'qp.ackTimeout' }, values)]
}

/** The place of the first fault, "host 3", if it names one. */
function faultLocation(faults: Scenario['faults']): string | null {
  const [first] = faults.flatMap((fault) =>
    'links' in fault ? [fault.links] : 'switches' in fault ? [fault.switches] : 'hosts' in fault ? [fault.hosts] : [],
  )
  return first === undefined || first === 'all' ? null : first
}

/** Trimmed headers that the recovery ignores. */
function noticeNotes(scenario: Scenario): Finding[] {
  const { recovery } = scenario
  const mayUse = 'trimmed' in recovery && !(recovery.kind === 'irn' && quirksOf(scenario).rewinds)
  if (mayUse && recovery.trimmed !== 'ignore') return []
  const values = { recovery: recovery.kind, canUse: mayUse }
  return [foundAt(schemeFindings.trimmingIgnored, { path: 'recovery' }, values)]
}

/** A target RTT below the RTT of an idle path: senders on that path keep slowing down. */
function targetNotes(scenario: Scenario, longestRttPs: number): Finding[] {
  const { congestion } = scenario
  const target = congestionOf(scenario).targetRtt?.(congestion)
  if (target === undefined || !(longestRttPs > target.rttPs)) return []
  const { name, rttPs } = target
  const values = { targetPs: rttPs, longestRttPs, congestion: congestion.kind }
  return [foundAt(schemeFindings.targetBelowIdleRtt, { path: `congestion.${name}` }, values)]
}

/** Flows over several paths, under a recovery that treats reordering as loss. */
function orderNotes(scenario: Scenario, topology: Topology): Finding[] {
  const { recovery } = scenario
  const what = recoveryOf(scenario).whenOvertaken?.(recovery)
  if (what === undefined) return []
  const { reorderingTakenForLoss } = schemeFindings
  return overtakingBy(scenario, topology).map(({ path, kind }) =>
    foundAt(reorderingTakenForLoss, { path }, { recovery: recovery.kind, under: `${path} ${kind}`, consequence: what }),
  )
}

/** A setting that lets packets of one flow take paths of different delay. */
interface Overtaking {
  readonly path: string
  readonly kind: string
}

function overtakingBy(scenario: Scenario, { nodeCount, endpoints, hostPorts }: Topology): Overtaking[] {
  const { balance, nic } = scenario
  return [
    ...(pathVarietyOf(scenario) === 'several' && nodeCount - endpoints.length > 1
      ? [{ path: 'balance', kind: balance.kind }]
      : []),
    ...(nic.portChoice !== 'bound' && hostPorts.some(({ length }) => length > 1)
      ? [{ path: 'nic.portChoice', kind: nic.portChoice }]
      : []),
  ]
}

/** A timeout below the RTT sends every packet twice and soon exhausts the retries of the queue pair. */
function timeoutNotes(scenario: Scenario, longestRttPs: number): Finding[] {
  const timeoutPs = scenarioTimeout(scenario)?.firstPs ?? Infinity
  if (!(longestRttPs > timeoutPs)) return []
  return [foundAt(schemeFindings.timeoutBelowRtt, { path: 'qp.ackTimeout' }, { timeoutPs, longestRttPs })]
}

/** Delayed ACKs that come after the sender's timeout: a single last packet is sent again. */
function delayNotes(scenario: Scenario): Finding[] {
  const delayPs = recoveryOf(scenario).delayedAckPs?.(scenario.recovery) ?? 0
  const leastPs = scenarioTimeout(scenario)?.leastPs ?? Infinity
  if (delayPs < leastPs) return []
  return [foundAt(schemeFindings.delayedAckBeyondTimeout, { path: 'recovery.delayedAck' }, { delayPs, leastPs })]
}

/** A TCP sender that begins with all that the receiver takes: a burst of a whole window, and no slow start. */
function startNotes({ recovery, congestion }: Scenario): Finding[] {
  if (!('receiveWindow' in recovery) || !('initialWindow' in congestion)) return []
  const { receiveWindow } = recovery
  const { initialWindow } = congestion
  if (initialWindow === null || receiveWindow === null || initialWindow < receiveWindow) return []
  const values = { initialPackets: initialWindow, receivePackets: receiveWindow, congestion: congestion.kind }
  return [foundAt(schemeFindings.startWindowBeyondReceiveWindow, { path: 'congestion.initialWindow' }, values)]
}

/** Congestion signals of switches; each has a list of classes in the group of its name. */
const SIGNALS = ['ecn', 'qcn', 'wred'] as const

/** Data in a class without the signals that its congestion control needs: senders never slow down. */
function controlNotes(scenario: Scenario): Finding[] {
  const { congestion, switch: at } = scenario
  const needs = congestionNeeds(scenario)
  return SIGNALS.filter((signal) => needs[signal] === true).flatMap((signal) => {
    const listed: readonly number[] = at[signal].classes
    const unmarked = dataClasses(scenario).filter((trafficClass) => !listed.includes(trafficClass))
    return unmarked.map((trafficClass) =>
      foundAt(
        schemeFindings.classWithoutSignal,
        { trafficClass, path: `switch.${signal}.classes` },
        { signal, congestion: congestion.kind, listedClasses: listed },
      ),
    )
  })
}

/** QCN messages in a lossless class: they travel against the data, so two switches may pause each other for ever. */
function notificationNotes({ congestion, classes, pfc }: Scenario, { nodeCount, endpoints }: Topology): Finding[] {
  const { cnpAtSwitch } = classes
  if (congestion.kind !== 'qcn' || nodeCount - endpoints.length < 2 || !pfc.classes.includes(cnpAtSwitch)) return []
  const subject = { trafficClass: cnpAtSwitch, path: 'classes.cnpAtSwitch' }
  return [foundAt(schemeFindings.notificationsInLosslessClass, subject, {})]
}
