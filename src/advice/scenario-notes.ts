/**
 * Scenario notes: what is allowed and perhaps not meant, each with what to do about it.
 */
import { mostOf } from '../base/extremes.ts'
import {
  congestionNeeds,
  congestionOf,
  type HeadroomPlan,
  recoveryOf,
  scenarioTimeout,
  pathVarietyOf,
} from '../lab/index.ts'
import { humanBytes, humanDuration, humanRate, humanShare } from '../report/index.ts'
import { dataClasses, type Scenario, schemeSets } from '../scenario/index.ts'
import type { Topology } from '../topology/index.ts'

/** What is known of the network that a scenario describes. */
export interface NetworkFacts {
  readonly topology: Topology
  /** Of an idle network. */
  readonly longestRttPs: number
  /** Switches that routes close a circle of, or null. */
  readonly circle: readonly string[] | null
  readonly headroom: HeadroomPlan | null
}

export function scenarioNotes(
  scenario: Scenario,
  { topology, longestRttPs, circle, headroom }: NetworkFacts,
): string[] {
  const switches = topology.nodeCount - topology.endpoints.length
  const sets = schemeSets(scenario)
  /** Notes on schemes, with the workloads that have them where there are several sets. */
  const ofSchemes = (notesOf: (of: Scenario) => readonly string[]): string[] =>
    sets.flatMap((set) => {
      const tags = sets.length === 1 ? '' : `${set.scenario.workload.map(({ tag }) => tag).join(', ')}: `
      return notesOf(set.scenario).map((note) => `${tags}${note}`)
    })
  return [
    ...ofSchemes((of) => lossNotes(of, topology)),
    ...headroomNotes(scenario, headroom),
    ...reserveNotes(scenario, topology),
    ...pauseNotes(scenario),
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

/** A smaller share of the buffer beyond its size is not worth a word. */
const BEYOND_SHARE = 0.05

/** Reserves of more classes than the buffer sets aside: it may hold more than it has. */
function reserveNotes(scenario: Scenario, { links, tiers }: Topology): string[] {
  const { buffer } = scenario.switch
  if (buffer.kind !== 'shared-buffer') return []
  const ports = new Map<number, number>()
  for (const { a, b } of links)
    for (const node of [a, b]) if (tiers[node] !== 0) ports.set(node, (ports.get(node) ?? 0) + 1)
  const most = Math.max(0, mostOf(ports.values()))
  const { length } = dataClasses(scenario)
  const beyondBytes = most * Math.max(0, length - buffer.reservedClasses) * buffer.reserve
  const share = beyondBytes / buffer.size
  if (share <= BEYOND_SHARE) return []
  return [
    `data has ${length} classes and the buffer sets reserves aside for ${buffer.reservedClasses}: a switch of ${most} ports may hold ` +
      `${humanBytes(beyondBytes)} (${humanShare(share, 2)}) more than its size; set switch.buffer.reservedClasses=${length}`,
  ]
}

/** Losses that nothing repairs: flows that lose their last packet, or what was sent again, stand still for ever. */
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
    ...(faults.length === 0 ? [] : ['links have faults']),
    ...overtaking.map((by) => `packets overtake each other under ${by}, which ${recovery.kind} takes for losses`),
  ]
  return why.length === 0
    ? []
    : [`packets may be lost (${why.join('; ')}) and there is no timeout: flows may stall; set qp.ackTimeout`]
}

/** Classes that are paused and lose frames all the same: more can arrive after XOFF than there is room for. */
function headroomNotes({ pfc, switch: at }: Scenario, plan: HeadroomPlan | null): string[] {
  const short = plan?.links.filter(({ neededBytes, givenBytes }) => givenBytes < neededBytes) ?? []
  if (short.length === 0) return []
  const isShared = at.buffer.kind === 'shared-buffer'
  const links = short.map(
    ({ rateBps, delayPs, neededBytes, givenBytes }) =>
      `${humanBytes(neededBytes)} can arrive after XOFF on links of ${humanRate(rateBps)} and ${humanDuration(delayPs)}, ` +
      `and ${humanBytes(givenBytes)} ${isShared ? 'are kept for it' : 'are above xoff'}`,
  )
  const what = isShared ? 'switch.buffer.headroom: off reckons what it takes' : 'set switch.buffer.xoff lower'
  return [`class ${pfc.classes.join(', ')} is paused and may lose packets all the same: ${links.join('; ')}; ${what}`]
}

/** A pause that ends by itself and is asked for once: what was held back comes while the buffer is still full. */
function pauseNotes({ pfc }: Scenario): string[] {
  if (pfc.classes.length === 0 || !pfc.expiry || pfc.refresh > 0 || pfc.repeat) return []
  return [
    'pauses end by themselves and are not sent again: a class that has to wait longer loses packets; set pfc.refresh, or pfc.expiry=false',
  ]
}

/** Senders at line rate whose headers alone, before all data, are more than the link of a receiver holds. */
function trimmingNotes({ switch: at, frames }: Scenario, { hostPorts: hosts }: Topology): string[] {
  const { trimming } = at
  if (trimming.of === 'none' || !at.strictClasses.includes(trimming.class)) return []
  const wireBytes = Math.max(trimming.size, frames.minimum) + frames.gap
  const most = Math.ceil((frames.payload + frames.dataOverhead + frames.gap) / wireBytes)
  if (hosts.length <= most) return []
  return [
    `headers of trimmed packets go before all data (class ${trimming.class} is one of switch.strictClasses): those of ${most} senders ` +
      'at the rate of the link fill it, and no data come through; give their class a share of the link with switch.scheduler=dwrr',
  ]
}

/** Headers that nobody listens to. */
function noticeNotes({ recovery }: Scenario): string[] {
  const mayHear = 'trimmed' in recovery && !(recovery.kind === 'irn' && recovery.resend === 'rewind')
  if (mayHear && recovery.trimmed !== 'ignore') return []
  const remedy = mayHear ? '; recovery.trimmed takes them for notices' : ''
  return [`switches trim packets, and ${recovery.kind} drops their headers like any loss${remedy}`]
}

/** A cyclic buffer dependency: what is paused round it may wait for itself. */
function circleNotes({ pfc }: Scenario, circle: readonly string[] | null): string[] {
  if (circle === null || pfc.classes.length === 0) return []
  return [
    `pauses of class ${pfc.classes.join(', ')} may lock for good: routes close a circle of buffers, ${[...circle, circle[0]].join(' > ')}, ` +
      'where each switch may wait for the next; take other routes, or no pauses (pfc.classes=[])',
  ]
}

/** A round trip to steer to that an idle path exceeds: whoever is on that path slows down for ever. */
function targetNotes(scenario: Scenario, longestRttPs: number): string[] {
  const { congestion } = scenario
  const target = congestionOf(scenario).targetRtt?.(congestion)
  if (target === undefined || !(longestRttPs > target.rttPs)) return []
  const { name, rttPs } = target
  return [
    `${congestion.kind} slows down above a round trip of ${humanDuration(rttPs)}, and the longest path takes ${humanDuration(longestRttPs)} ` +
      `with nothing else on it: flows there may come to a stand; raise congestion.${name}`,
  ]
}

/** Packets of a flow that take several paths, under a recovery that takes what is late for lost. */
function orderNotes(scenario: Scenario, topology: Topology): string[] {
  const { recovery } = scenario
  const what = recoveryOf(scenario).whenOvertaken?.(recovery)
  if (what === undefined) return []
  return overtakingBy(scenario, topology).map(
    (by) => `packets of a flow overtake each other under ${by}, and ${recovery.kind} ${what}`,
  )
}

/** Choices that let packets of one flow take ways of different lengths. */
function overtakingBy(scenario: Scenario, { nodeCount, endpoints, hostPorts }: Topology): string[] {
  const { balance, nic } = scenario
  return [
    ...(pathVarietyOf(scenario) === 'several' && nodeCount - endpoints.length > 1 ? [`balance ${balance.kind}`] : []),
    ...(nic.portChoice !== 'bound' && hostPorts.some(({ length }) => length > 1)
      ? [`nic.portChoice ${nic.portChoice}`]
      : []),
  ]
}

/** A timeout that is over before an answer can come sends everything twice, and soon ends the queue pair. */
function timeoutNotes(scenario: Scenario, longestRttPs: number): string[] {
  const timeoutPs = scenarioTimeout(scenario)?.firstPs ?? Infinity
  if (!(longestRttPs > timeoutPs)) return []
  return [
    `the retransmission timeout of ${humanDuration(timeoutPs)} is over before an answer can come: the longest path takes ` +
      `${humanDuration(longestRttPs)} with nothing else on it; raise qp.ackTimeout`,
  ]
}

/** ACKs that wait longer than their senders: a lone last packet goes again. */
function delayNotes(scenario: Scenario): string[] {
  const delayPs = recoveryOf(scenario).delayedAckPs?.(scenario.recovery) ?? 0
  const leastPs = scenarioTimeout(scenario)?.leastPs ?? Infinity
  if (delayPs < leastPs) return []
  return [
    `ACKs wait ${humanDuration(delayPs)} for a second packet and senders as little as ${humanDuration(leastPs)} for an ACK: ` +
      `a single last packet times out and is sent again; lower recovery.delayedAck or raise recovery.rtoMin`,
  ]
}

/** What a control needs of switches in the class of its data, and what they do not do in a class that is not listed. */
const HEARD = [
  { need: 'ecn', group: 'ecn', missing: 'mark nothing' },
  { need: 'qcn', group: 'qcn', missing: 'have no congestion point' },
  { need: 'wred', group: 'wred', missing: 'drop nothing early' },
] as const

/** Data in a class that switches do nothing for: a control that has to hear of it never does, and sends at line rate. */
function controlNotes(scenario: Scenario): string[] {
  const { congestion, switch: at } = scenario
  const needs = congestionNeeds(scenario)
  return HEARD.filter(({ need }) => needs[need] === true).flatMap(({ group, missing }) => {
    const listed: readonly number[] = at[group].classes
    const unmarked = dataClasses(scenario).filter((trafficClass) => !listed.includes(trafficClass))
    return unmarked.map(
      (trafficClass) =>
        `switches ${missing} in class ${trafficClass}, which has data: ${congestion.kind} does not hold for it; add it to switch.${group}.classes`,
    )
  })
}

/** Messages of QCN in a class that is paused: they turn back at a switch, and two that pause each other may wait for ever. */
function notificationNotes({ congestion, classes, pfc }: Scenario, switches: number): string[] {
  const { cnpAtSwitch } = classes
  if (congestion.kind !== 'qcn' || switches < 2 || !pfc.classes.includes(cnpAtSwitch)) return []
  return [
    `messages of qcn turn back at switches, in class ${cnpAtSwitch}, which is paused: ` +
      'two switches may wait for each other for good; set classes.cnpAtSwitch to a class without PFC',
  ]
}
