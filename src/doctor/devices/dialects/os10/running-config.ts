/**
 * OS10 show running-configuration: trust maps give packets a qos-group, policies that ports apply make groups lossless.
 * Source: Dell SmartFabric OS10 User Guide, "Quality of service", "Priority flow control" and "RoCE".
 */
import { dscpsIn, type InputPolicy, inputPoliciesOf, nameInput } from '../cli/classification.ts'
import {
  allOf,
  type Entry,
  lastOf,
  type Mapping,
  mappingsOf,
  settingIn,
  type Settings,
  settingsOf,
} from '../cli/entries.ts'
import { type Port, portsOf, putPort } from '../cli/interfaces.ts'
import { classesOf, putQueue, putUnmarked } from '../cli/queues.ts'
import { References } from '../cli/references.ts'
import { openConfig } from '../cli/whole.ts'
import type { Dialect } from '../dialect.ts'
import type { Facts, PortFacts } from '../facts.ts'
import type { Line } from '../text.ts'
import { numbersIn } from '../words.ts'
import { CLASS_COUNT, DSCPS } from '../../../../core/device-model/index.ts'
import {
  BUILT_IN,
  FORMS,
  type NetworkPolicy,
  networkPoliciesOf,
  type QueuingPolicy,
  queuingPoliciesOf,
} from './forms.ts'

export const ETHERNET = 'ethernet'

interface Switch {
  readonly facts: Facts
  readonly system: Settings
  readonly inputs: ReadonlyMap<string, InputPolicy>
  readonly networks: ReadonlyMap<string, NetworkPolicy>
  readonly queuings: ReadonlyMap<string, QueuingPolicy>
  /** Group of a DSCP, by trust map. */
  readonly trusts: ReadonlyMap<string, Mapping>
  /** Queue of a group, by map. */
  readonly queueMaps: ReadonlyMap<string, Mapping>
}

/** The policy of lossless classes that a port applies; undefined: not known. */
function networkAt({ facts, networks }: Switch, applied: Entry | undefined, line: Line): NetworkPolicy | undefined {
  const policy = networks.get(applied?.args[0] ?? '')
  if (policy !== undefined) return policy
  return facts.isComplete ? { lossless: [], written: [], line: applied?.line ?? line } : undefined
}

function putPfc(at: Switch, port: Port, network: NetworkPolicy | undefined, into: PortFacts): void {
  const { facts, system } = at
  const { settings } = into
  const mode = settingIn([...port.scopes, system], 'mode')
  const isOn = mode?.args[0] === '' && mode.args[1] === 'on'
  const applied = settingIn([...port.scopes, system], 'network')
  if (applied !== undefined) into.name('network policy', applied.args[0]!, applied.line)
  const known = mode === undefined ? 'default' : 'set'
  if (mode !== undefined || facts.isComplete)
    settings.put('pfcMode', isOn ? 'on' : 'off', mode?.line ?? port.line, known)
  if (!isOn && (mode !== undefined || facts.isComplete)) settings.put('pfcClasses', [], mode?.line ?? port.line, known)
  if (network === undefined) return
  const line = network.line
  for (const { priorities, name } of network.lossless) into.name(`network class ${priorities[0]!}`, name, line)
  settings.put('pfcWritten', network.written, line, line === port.line ? 'default' : 'set')
  if (isOn) settings.put('pfcClasses', network.written, line === port.line ? mode!.line : line)
}

function putInput(at: Switch, port: Port, classes: readonly number[] | undefined, into: PortFacts): void {
  const { facts, system, trusts, inputs } = at
  const { settings } = into
  const scopes = [...port.scopes, system]
  const [byDscp, byPcp, applied] = [
    settingIn(scopes, 'trust dscp'),
    settingIn(scopes, 'trust dot1p'),
    settingIn(scopes, 'input'),
  ]
  const trust = byDscp && byPcp ? 'both' : byDscp ? 'dscp' : 'pcp'
  const decides = byDscp ?? byPcp
  if (decides !== undefined) settings.put('trust', trust, decides.line)
  else settings.putDefault('trust', 'none', port.line)
  const policy = applied && inputs.get(applied.args[0]!)
  const map = byDscp && trusts.get(byDscp.args[0]!)
  if (policy?.trust !== undefined && decides === undefined) settings.put('trust', policy.trust, applied!.line)
  if (policy !== undefined) nameInput(into, applied!, policy)
  if (map !== undefined) into.name('dscp map', byDscp!.args[0]!, byDscp!.line)
  for (const [group, index] of (classes ?? []).entries()) into.name(`group ${index}`, String(group), port.line)
  if (policy !== undefined) settings.put('classifies', true, applied!.line)
  else if (decides === undefined) settings.putDefault('classifies', false, port.line)
  else settings.note('classifies', byDscp === undefined || map !== undefined ? true : undefined, decides.line)
  const isUnknown = (applied && !policy) || (byDscp && !map)
  if (isUnknown === true) return
  for (const dscp of DSCPS) {
    const verdict = policy?.verdicts[dscp]
    const mapped = map?.get(dscp)
    const given = verdict?.group !== undefined ? { to: verdict.group, line: verdict.line } : mapped
    const index = classes?.[given?.to ?? 0]
    if (verdict === null || index === undefined) continue
    if (given !== undefined) into.dscp(dscp, index, given.line)
    else if (facts.isComplete && byPcp === undefined) into.dscp(dscp, index, byDscp?.line ?? port.line, 'default')
  }
}

/** Group, queue and treatment of the classes at a port. */
function putQueues(at: Switch, port: Port, classes: readonly number[] | undefined, into: PortFacts): void {
  const { facts, system, queueMaps, queuings } = at
  const scopes = [...port.scopes, system]
  const output = settingIn(scopes, 'output')
  const policy = queuings.get(output?.args[0] ?? '')
  const queueMap = settingIn(scopes, 'queue map')
  if (queueMap !== undefined) into.name('queue map', queueMap.args[0]!, queueMap.line)
  if (policy !== undefined) into.name('queuing policy', output!.args[0]!, output!.line)
  for (const [group, { to, line }] of queueMaps.get(queueMap?.args[0] ?? '') ?? []) {
    const index = classes?.[group]
    if (index === undefined) continue
    into.class(index).put('group', group, line)
    into.class(index).put('queue', to, line)
    const queue = policy?.queues.get(to)
    if (queue === undefined) continue
    putQueue(queue, index, into)
    into.name(`queue class ${index}`, queue.name, queue.line)
    if (queue.wred !== '') into.name(`wred ${index}`, queue.wred, queue.line)
  }
  if (facts.isComplete && (output === undefined || policy !== undefined)) putUnmarked(into, output?.line ?? port.line)
}

/** Uses of names at a port or in the system: key of the setting, and what it names. */
const USES = [
  ['network', 'policy-map type network-qos'],
  ['output', 'policy-map type queuing'],
  ['input', 'policy-map type qos'],
  ['trust dscp', 'trust dscp-map'],
  ['trust dot1p', 'trust dot1p-map'],
  ['queue map', 'qos-map traffic-class'],
] as const

function noteReferences(at: Switch, entries: readonly Entry[], ports: readonly Port[]): void {
  const names = new References()
  const lossless = new Set([...at.networks.values()].flatMap((policy) => policy.lossless.map(({ group }) => group)))
  const isLossless = (group: number): boolean => lossless.has(group)
  for (const [name, { line, written }] of at.networks)
    names.define('policy-map type network-qos', name, line, written.length > 0)
  for (const [name, { line, marks }] of at.queuings) names.define('policy-map type queuing', name, line, marks)
  for (const [name, { line, groups }] of at.inputs)
    names.define('policy-map type qos', name, line, [...groups].some(isLossless))
  names.defineAll('trust dscp-map', entries, 'trust dscp-map', (name) =>
    [...at.trusts.get(name)!.values()].some(({ to }) => isLossless(to)),
  )
  names.defineAll('trust dot1p-map', entries, 'trust dot1p-map')
  names.defineAll('qos-map traffic-class', entries, 'queue map', (name) =>
    [...at.queueMaps.get(name)!.keys()].some(isLossless),
  )
  for (const { args, line, entries: inner } of allOf(entries, 'wred'))
    names.define('wred', args[0]!, line, lastOf(inner, 'ecn') !== undefined)
  for (const [maps, policies, what] of [
    ['network class-map', 'network policy', 'class-map type network-qos'],
    ['queuing class-map', 'queuing policy', 'class-map type queuing'],
    ['class-map', 'input policy', 'class-map type qos'],
  ] as const) {
    names.defineAll(what, entries, maps)
    for (const each of allOf(entries, policies).flatMap((policy) => allOf(policy.entries, 'class'))) {
      names.use(what, each.args[0]!, '', each.line)
      const wred = lastOf(each.entries, 'wred')
      if (wred !== undefined) names.use('wred', wred.args[0]!, '', wred.line)
    }
  }
  names.useSettings([{ name: '', scopes: [at.system] }, ...ports], USES)
  names.report(BUILT_IN, at.facts)
}

const SIGNS =
  /^[ \t]*(?:! ?Version 10\.|interface (?:range )?ethernet ?\d+\/\d+\/\d|trust d(?:scp|ot1p)-map |qos-map traffic-class |wred \S|trust-map d|service-policy (?:input|output) type |pfc-cos \d)/m

export const os10Config: Dialect = {
  name: 'os10',
  language: 'os10',
  title: 'OS10 show running-configuration',
  command: 'show running-configuration',
  leavesOut: [
    'watchdog (its words are not known)',
    'pause and queue buffers, dynamic thresholds',
    'colours other than green',
    'classes by dot1p',
  ],
  recognises: ({ text }) => SIGNS.test(text),
  read(part, facts) {
    const { entries } = openConfig(part, FORMS, false, facts)
    const ports = portsOf(allOf(entries, 'interface'), ETHERNET, facts.remainder)
    const { remainder } = facts
    const at: Switch = {
      facts,
      system: settingsOf(allOf(entries, 'system').flatMap((entry) => entry.entries)),
      inputs: inputPoliciesOf(entries),
      networks: networkPoliciesOf(entries),
      queuings: queuingPoliciesOf(entries),
      trusts: mappingsOf(entries, 'trust dscp-map', 1, dscpsIn, remainder),
      queueMaps: mappingsOf(entries, 'queue map', 1, (list) => numbersIn(list, CLASS_COUNT - 1), remainder),
    }
    for (const port of ports) {
      const into = facts.port(port.name)
      const network = networkAt(at, settingIn([...port.scopes, at.system], 'network'), port.line)
      const classes = network && classesOf(network.lossless)
      putPort(port, into)
      putPfc(at, port, network, into)
      putInput(at, port, classes, into)
      putQueues(at, port, classes, into)
    }
    if (facts.isComplete) noteReferences(at, entries, ports)
  },
}
