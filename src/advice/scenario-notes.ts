/**
 * Scenario notes: settings that are valid but perhaps not intended, each with a remedy.
 */
import { mostOf } from '../base/extremes.ts'
import { OPEN_SIZES } from '../fabric/params.ts'
import {
  congestionNeeds,
  congestionOf,
  type HeadroomPlan,
  recoveryOf,
  scenarioTimeout,
  pathVarietyOf,
} from '../lab/index.ts'
import { humanBytes, humanDuration, humanShare } from '../report/index.ts'
import { dataClasses, type Scenario, schemeSets } from '../scenario/index.ts'
import type { BufferCircle, Topology } from '../topology/index.ts'
import { headroomNotes } from './headroom-notes.ts'
import { thresholdNotes } from './threshold-notes.ts'
import { watchdogNotes } from './watchdog-notes.ts'
import { wrongSettingNotes } from './wrong-settings.ts'

/** Properties of the network that a scenario describes. */
export interface NetworkFacts {
  readonly topology: Topology
  /** In an idle network. */
  readonly longestRttPs: number
  /** A cyclic buffer dependency of the routes, or null. */
  readonly circle: BufferCircle | null
  readonly headroom: HeadroomPlan | null
}

export function scenarioNotes(
  scenario: Scenario,
  { topology, longestRttPs, circle, headroom }: NetworkFacts,
): string[] {
  const switches = topology.nodeCount - topology.endpoints.length
  const sets = schemeSets(scenario)
  /** Notes on each scheme set, prefixed with the tags of its workloads if there are several sets. */
  const ofSchemes = (notesOf: (of: Scenario) => readonly string[]): string[] =>
    sets.flatMap((set) => {
      const tags = sets.length === 1 ? '' : `${set.scenario.workload.map(({ tag }) => tag).join(', ')}: `
      return notesOf(set.scenario).map((note) => `${tags}${note}`)
    })
  return [
    ...wrongSettingNotes(scenario, topology),
    ...ofSchemes((of) => lossNotes(of, topology)),
    ...headroomNotes(scenario, headroom),
    ...thresholdNotes(scenario, topology, headroom),
    ...reserveNotes(scenario, topology),
    ...pauseNotes(scenario),
    ...watchdogNotes(scenario),
    ...trimmingNotes(scenario, topology),
    ...(scenario.switch.trimming.of === 'none' ? [] : ofSchemes(noticeNotes)),
    ...circleNotes(scenario, circle),
    ...ofSchemes((of) => targetNotes(of, longestRttPs)),
    ...ofSchemes((of) => orderNotes(of, topology)),
    ...ofSchemes((of) => timeoutNotes(of, longestRttPs)),
    ...ofSchemes(delayNotes),
    ...ofSchemes(controlNotes),
    ...ofSchemes((of) => notificationNotes(of, switches)),
  ]
}

/** An excess below this share of the buffer is not noted. */
const BEYOND_SHARE = 0.05

/** More data classes than the buffer sets reserves aside for: a switch may store more than its size. */
function reserveNotes(scenario: Scenario, { links, tiers }: Topology): string[] {
  const { buffer } = scenario.switch
  if (buffer.kind !== 'shared-buffer') return []
  const ports = new Map<number, number>()
  for (const { a, b } of links)
    for (const node of [a, b]) if (tiers[node] !== 0) ports.set(node, (ports.get(node) ?? 0) + 1)
  const most = Math.max(0, mostOf(ports.values()))
  const { length } = dataClasses(scenario)
  const beyondBytes = most * Math.max(0, length - buffer.reservedClasses) * buffer.reserve
  const share = beyondBytes / (buffer.size ?? OPEN_SIZES[buffer.kind].firstBytes)
  if (share <= BEYOND_SHARE) return []
  return [
    `data has ${length} classes and the buffer sets reserves aside for ${buffer.reservedClasses}: a switch of ${most} ports may hold ` +
      `${humanBytes(beyondBytes)} (${humanShare(share, 2)}) more than its size; set switch.buffer.reservedClasses=${length}`,
  ]
}

/** Losses without a timeout: a flow that loses its last packet, or a retransmission, stalls for ever. */
function lossNotes(scenario: Scenario, topology: Topology): string[] {
  const { faults, pfc, recovery, switch: at } = scenario
  const overtaking =
    recoveryOf(scenario).whenOvertaken?.(recovery) === undefined ? [] : overtakingBy(scenario, topology)
  if (scenarioTimeout(scenario) !== null) return []
  const ofData = dataClasses(scenario)
  const lossy = ofData.filter((c) => !pfc.classes.includes(c))
  const dropped = ofData.filter((c) => at.wred.classes.includes(c))
  const why = [
    ...(lossy.length === 0 ? [] : [`class ${lossy.join(', ')} has no PFC`]),
    ...(dropped.length === 0 ? [] : [`WRED drops in class ${dropped.join(', ')}`]),
    ...(faults.some(({ kind }) => kind !== 'pause-storm') ? ['links have faults'] : []),
    ...(faults.some(({ kind }) => kind === 'pause-storm')
      ? ['watchdogs and power cycles end pause storms by drops']
      : []),
    ...overtaking.map((by) => `packets overtake each other under ${by}, which ${recovery.kind} takes for losses`),
  ]
  return why.length === 0
    ? []
    : [`packets may be lost (${why.join('; ')}) and there is no timeout: flows may stall; set qp.ackTimeout`]
}

/** Pauses that expire and are not refreshed: the sender resumes while the buffer is still full. */
function pauseNotes({ pfc }: Scenario): string[] {
  if (pfc.classes.length === 0 || !pfc.expiry || pfc.refresh > 0 || pfc.repeat) return []
  return [
    'pauses expire and are not refreshed: a class whose buffer stays full for longer loses packets; set pfc.refresh, or pfc.expiry=false',
  ]
}

/** Trimmed headers with strict priority: those of enough senders at line rate fill the receiver's link. */
function trimmingNotes({ switch: at, frames }: Scenario, { hostPorts: hosts }: Topology): string[] {
  const { trimming } = at
  if (trimming.of === 'none' || !at.strictClasses.includes(trimming.class)) return []
  const wireBytes = Math.max(trimming.size, frames.minimum) + frames.gap
  const most = Math.ceil((frames.payload + frames.dataOverhead + frames.gap) / wireBytes)
  if (hosts.length <= most) return []
  return [
    `headers of trimmed packets are sent before all data (class ${trimming.class} is in switch.strictClasses): those of ${most} senders ` +
      'at line rate fill the link and no data gets through; give their class a share of the link with switch.scheduler=dwrr',
  ]
}

/** Trimmed headers that the recovery ignores. */
function noticeNotes({ recovery }: Scenario): string[] {
  const mayUse = 'trimmed' in recovery && !(recovery.kind === 'irn' && recovery.resend === 'rewind')
  if (mayUse && recovery.trimmed !== 'ignore') return []
  const remedy = mayUse ? '; set recovery.trimmed to use them as loss notifications' : ''
  return [
    `switches trim packets, and ${recovery.kind} ignores their headers, so that each is recovered like any loss${remedy}`,
  ]
}

/** A cyclic buffer dependency in a lossless class: a PFC deadlock is possible. */
function circleNotes({ pfc }: Scenario, circle: BufferCircle | null): string[] {
  if (circle === null || pfc.classes.length === 0) return []
  const isFlooded = circle.steps.some((step) => step.isFlooded)
  const remedy = isFlooded ? 'flood no packets of these classes' : 'use other routes'
  return [
    `pauses of class ${pfc.classes.join(', ')} may deadlock: the routes${isFlooded ? ' and floods' : ''} have a cyclic buffer dependency, ` +
      `${circleText(circle)}, in which each port may wait for the next because of packets for the host in brackets; ` +
      `${remedy}, or turn PFC off (pfc.classes=[])`,
  ]
}

/** Steps of a circle that are written out. */
const STEPS_MAX = 8

/** "switch 4 port 3 to switch 5 (host 2) > switch 5 port 3 to switch 6 (host 3) > switch 4 port 3". */
function circleText({ steps }: BufferCircle): string {
  const shown = steps.length > STEPS_MAX ? steps.slice(0, STEPS_MAX - 1) : steps
  const left = steps.length - shown.length
  const { nodeName, port } = steps[0]!
  return [
    ...shown.map(
      (step) =>
        `${step.nodeName} port ${step.port} to ${step.peerName} (${step.hostName}${step.isFlooded ? ', flooded' : ''})`,
    ),
    ...(left > 0 ? [`${left} more`] : []),
    `${nodeName} port ${port}`,
  ].join(' > ')
}

/** A target RTT below the RTT of an idle path: senders on that path keep slowing down. */
function targetNotes(scenario: Scenario, longestRttPs: number): string[] {
  const { congestion } = scenario
  const target = congestionOf(scenario).targetRtt?.(congestion)
  if (target === undefined || !(longestRttPs > target.rttPs)) return []
  const { name, rttPs } = target
  return [
    `${congestion.kind} slows down above an RTT of ${humanDuration(rttPs)}, and the longest path takes ${humanDuration(longestRttPs)} ` +
      `when idle: its flows may come to a standstill; raise congestion.${name}`,
  ]
}

/** Flows over several paths, under a recovery that treats reordering as loss. */
function orderNotes(scenario: Scenario, topology: Topology): string[] {
  const { recovery } = scenario
  const what = recoveryOf(scenario).whenOvertaken?.(recovery)
  if (what === undefined) return []
  return overtakingBy(scenario, topology).map(
    (by) => `packets of a flow overtake each other under ${by}, and ${recovery.kind} ${what}`,
  )
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
function timeoutNotes(scenario: Scenario, longestRttPs: number): string[] {
  const timeoutPs = scenarioTimeout(scenario)?.firstPs ?? Infinity
  if (!(longestRttPs > timeoutPs)) return []
  return [
    `the retransmission timeout of ${humanDuration(timeoutPs)} expires before an ACK can arrive: the longest path takes ` +
      `${humanDuration(longestRttPs)} when idle; raise qp.ackTimeout`,
  ]
}

/** Delayed ACKs that come after the sender's timeout: a single last packet is sent again. */
function delayNotes(scenario: Scenario): string[] {
  const delayPs = recoveryOf(scenario).delayedAckPs?.(scenario.recovery) ?? 0
  const leastPs = scenarioTimeout(scenario)?.leastPs ?? Infinity
  if (delayPs < leastPs) return []
  return [
    `receivers delay ACKs by ${humanDuration(delayPs)} and senders wait as little as ${humanDuration(leastPs)} for one: ` +
      `a single last packet times out and is sent again; lower recovery.delayedAck or raise recovery.rtoMin`,
  ]
}

/** Congestion signals of switches, the group that lists their classes, and the effect on a class that is not listed. */
const SIGNALS = [
  { need: 'ecn', group: 'ecn', missing: 'mark nothing' },
  { need: 'qcn', group: 'qcn', missing: 'have no congestion point' },
  { need: 'wred', group: 'wred', missing: 'drop nothing early' },
] as const

/** Data in a class without the signals that its congestion control needs: senders never slow down. */
function controlNotes(scenario: Scenario): string[] {
  const { congestion, switch: at } = scenario
  const needs = congestionNeeds(scenario)
  return SIGNALS.filter(({ need }) => needs[need] === true).flatMap(({ group, missing }) => {
    const listed: readonly number[] = at[group].classes
    const unmarked = dataClasses(scenario).filter((trafficClass) => !listed.includes(trafficClass))
    return unmarked.map(
      (trafficClass) =>
        `switches ${missing} in class ${trafficClass}, which has data: ${congestion.kind} gets no signal from it; add it to switch.${group}.classes`,
    )
  })
}

/** QCN messages in a lossless class: they travel against the data, so two switches may pause each other for ever. */
function notificationNotes({ congestion, classes, pfc }: Scenario, switches: number): string[] {
  const { cnpAtSwitch } = classes
  if (congestion.kind !== 'qcn' || switches < 2 || !pfc.classes.includes(cnpAtSwitch)) return []
  return [
    `qcn messages are sent back by switches in class ${cnpAtSwitch}, which is paused by PFC: ` +
      'two switches may deadlock; set classes.cnpAtSwitch to a class without PFC',
  ]
}
