/**
 * NX-OS show running-config: classification by policies at ports, lossless classes and queues by policies of the system.
 * Source: Cisco Nexus 9000 NX-OS Quality of Service Configuration Guide, "Configuring Priority Flow Control".
 */
import { CLASSIFICATION_FORMS, type InputPolicy, inputPoliciesOf, nameInput } from '../cli/classification.ts'
import { allOf, type Entry, type Form, lastOf, settingIn, type Settings, settingsOf } from '../cli/entries.ts'
import { type Port, PORT_FORMS, portsOf, putPort } from '../cli/interfaces.ts'
import { classesOf, putQueue, putUnmarked } from '../cli/queues.ts'
import { References } from '../cli/references.ts'
import { openConfig } from '../cli/whole.ts'
import type { Dialect } from '../dialect.ts'
import type { Facts, PortFacts } from '../facts.ts'
import type { Line } from '../text.ts'
import { DSCPS, PS_PER_MS } from '../../../../core/device-model/index.ts'
import {
  BUILT_IN,
  type NetworkPolicy,
  networkPoliciesOf,
  POLICY_FORMS,
  type QueuingPolicy,
  queuingPoliciesOf,
} from './policies.ts'

export const ETHERNET = 'Ethernet'

const APPLIED: readonly Form[] = [
  { kind: 'input', is: /^service-policy type qos input (\S+)/ },
  { kind: 'output', is: /^service-policy type queuing output (\S+)/ },
  { kind: 'input queuing', is: /^service-policy type queuing input (\S+)/ },
  { kind: 'network', is: /^service-policy type network-qos (\S+)/ },
]

const FORMS: readonly Form[] = [
  { kind: 'hostname', is: /^(?:hostname|switchname) (\S+)$/ },
  ...CLASSIFICATION_FORMS,
  ...POLICY_FORMS,
  { kind: 'system', is: /^system qos$/, inside: APPLIED },
  { kind: 'vlan', is: /^vlan configuration /, inside: APPLIED },
  {
    kind: 'interface',
    is: /^interface (.+)$/,
    inside: [
      ...PORT_FORMS,
      ...APPLIED,
      { kind: 'mode', is: /^(no )?priority-flow-control mode (on|off|auto)\b/ },
      { kind: 'watchdog', is: /^(no )?priority-flow-control watch-dog-interval (on|off)\b/ },
    ],
  },
  { kind: 'watchdog', is: /^(no )?priority-flow-control watch-dog-interval (on|off)$/ },
  { kind: 'interval', is: /^priority-flow-control watch-dog interval (\d+)$/ },
  { kind: 'detection', is: /^priority-flow-control watch-dog shutdown-multiplier (\d+)$/ },
  { kind: 'restoration', is: /^priority-flow-control auto-restore multiplier (\d+)$/ },
  { kind: 'fixed restoration', is: /^priority-flow-control fixed-restore multiplier (\d+)$/ },
]

const isOn = (entry: Entry): boolean => entry.args[0] === '' && entry.args[1] === 'on'

/** Policies of a device, and what is known of those that its system applies. */
interface Switch {
  readonly facts: Facts
  readonly inputs: ReadonlyMap<string, InputPolicy>
  readonly queuings: ReadonlyMap<string, QueuingPolicy>
  readonly system: Settings
  /** Undefined: not known. */
  readonly network: NetworkPolicy | undefined
  /** Class of each group. */
  readonly classes: readonly number[]
  readonly watchdog: Entry | undefined
  /** Whether VLANs classify packets of their ports. */
  readonly hasVlanPolicies: boolean
}

/** The policy of lossless classes that is in force; undefined: not known. */
function networkOf(
  applied: Entry | undefined,
  policies: ReadonlyMap<string, NetworkPolicy>,
  isComplete: boolean,
  first: Line,
): NetworkPolicy | undefined {
  const name = applied?.args[0] ?? ''
  const policy = policies.get(name)
  if (policy !== undefined) return policy
  if (name.includes('fcoe') || (!isComplete && !name.startsWith('default-'))) return undefined
  return { pauses: [], classOf: new Map(), mtuOf: new Map(), line: applied?.line ?? first }
}

function putPfc(at: Switch, port: Port, into: PortFacts): void {
  const { network } = at
  const { settings } = into
  const mode = settingIn(port.scopes, 'mode')
  const value = mode === undefined ? 'auto' : mode.args[0] === '' ? mode.args[1]! : 'auto'
  if (mode !== undefined) settings.put('pfcMode', value, mode.line)
  else settings.putDefault('pfcMode', value, port.line)
  if (value === 'off') settings.put('pfcClasses', [], mode!.line)
  if (network === undefined) return
  const written = [...new Set(network.pauses.flatMap(({ priorities }) => priorities))].sort((a, b) => a - b)
  const known = at.system.has('network') ? 'set' : 'default'
  settings.put('pfcWritten', written, network.pauses[0]?.line ?? network.line, known)
  if (value === 'on') settings.put('pfcClasses', written, mode!.line)
  const applied = at.system.get('network')
  if (applied !== undefined) into.name('network policy', applied.args[0]!, applied.line)
  for (const [group, index] of at.classes.entries()) into.name(`group ${index}`, String(group), port.line)
  for (const [group, { args, line }] of network.classOf)
    into.name(`network class ${at.classes[group]!}`, args[0]!, line)
  const own = settingIn(port.scopes, 'watchdog')
  for (const index of written) {
    if (own !== undefined && !isOn(own)) into.class(index).put('isWatched', false, own.line)
    else if (own !== undefined && at.watchdog !== undefined)
      into.class(index).put('isWatched', isOn(at.watchdog), isOn(at.watchdog) ? own.line : at.watchdog.line)
    else if (own === undefined && at.watchdog === undefined) into.class(index).putDefault('isWatched', false, port.line)
  }
}

function putInput(at: Switch, port: Port, into: PortFacts): void {
  const { facts, network, classes } = at
  const { settings } = into
  const applied = settingIn([...port.scopes, at.system], 'input')
  if (applied === undefined) {
    const isRouted = settingIn(port.scopes, 'switched')?.args[0] === 'no '
    if (!facts.isComplete || (at.hasVlanPolicies && !isRouted)) return
    settings.put('classifies', false, port.line, 'default')
    settings.put('trust', 'none', port.line, 'default')
    if (network === undefined) return
    for (const dscp of DSCPS) into.dscp(dscp, classes[0]!, port.line, 'default')
    return
  }
  const policy = at.inputs.get(applied.args[0]!)
  if (policy === undefined) return
  settings.put('classifies', true, applied.line)
  nameInput(into, applied, policy)
  settings.note('trust', policy.trust, applied.line)
  if (network === undefined) return
  for (const [dscp, verdict] of policy.verdicts.entries()) {
    if (verdict) into.dscp(dscp, classes[verdict.group ?? 0]!, verdict.line)
    else if (verdict === undefined && facts.isComplete) into.dscp(dscp, classes[0]!, applied.line, 'default')
  }
}

function putOutput(at: Switch, port: Port, into: PortFacts): void {
  if (at.network === undefined) return
  const applied = settingIn([...port.scopes, at.system], 'output')
  const policy = at.queuings.get(applied?.args[0] ?? '')
  if (applied !== undefined) into.name('queuing policy', applied.args[0]!, applied.line)
  for (const [group, { line }] of at.network.classOf) into.class(at.classes[group]!).put('group', group, line)
  for (const [group, { args, line }] of at.network.mtuOf)
    into.class(at.classes[group]!).put('classMtuBytes', Number(args[0]), line)
  for (const [group, queue] of policy?.queues ?? []) {
    const index = at.classes[group]!
    into.class(index).put('queue', group, queue.line)
    into.name(`queue class ${index}`, queue.name, queue.line)
    putQueue(queue, index, into)
  }
  const isKnown = policy !== undefined || applied === undefined || applied.args[0]!.startsWith('default-')
  if (at.facts.isComplete && isKnown) putUnmarked(into, applied?.line ?? port.line)
}

function putWatchdog(entries: readonly Entry[], ports: readonly Port[], first: Line, facts: Facts): void {
  const global = lastOf(entries, 'watchdog')
  const on = [global, ...ports.map(({ scopes }) => settingIn(scopes, 'watchdog'))].find((one) => one && isOn(one))
  if (on !== undefined) facts.watchdog.put('kind', 'nx-os', on.line)
  else if (facts.isComplete) facts.watchdog.put('kind', 'off', global?.line ?? first, global ? 'set' : 'default')
  const interval = lastOf(entries, 'interval')
  for (const [kind, field] of [
    ['detection', 'detectionPs'],
    ['restoration', 'restorationPs'],
  ] as const) {
    const times = Number(lastOf(entries, kind)?.args[0] ?? 0)
    if (interval !== undefined && times > 0)
      facts.watchdog.put(field, Number(interval.args[0]) * times * PS_PER_MS, lastOf(entries, kind)!.line)
  }
}

function noteReferences(
  at: Switch,
  entries: readonly Entry[],
  ports: readonly Port[],
  networks: Map<string, NetworkPolicy>,
): void {
  const names = new References()
  const lossless = new Set([...networks.values()].flatMap(({ pauses }) => pauses.map(({ group }) => group)))
  for (const [maps, policies, type] of [
    ['class-map', 'input policy', 'qos'],
    ['network class-map', 'network policy', 'network-qos'],
    ['queuing class-map', 'queuing policy', 'queuing'],
  ] as const) {
    names.defineAll(`class-map type ${type}`, entries, maps)
    names.useClasses(`class-map type ${type}`, entries, policies)
  }
  const isLossless = (group: number): boolean => lossless.has(group)
  for (const [name, { line, groups }] of at.inputs)
    names.define('policy-map type qos', name, line, [...groups].some(isLossless))
  for (const [name, { line, pauses }] of networks)
    names.define('policy-map type network-qos', name, line, pauses.length > 0)
  for (const [name, { line, marks }] of at.queuings) names.define('policy-map type queuing', name, line, marks)
  const vlans = allOf(entries, 'vlan').map((entry) => ({ name: '', scopes: [settingsOf(entry.entries)] }))
  names.useSettings(
    [{ name: '', scopes: [at.system] }, ...vlans, ...ports],
    [
      ['input', 'policy-map type qos'],
      ['output', 'policy-map type queuing'],
      ['input queuing', 'policy-map type queuing'],
      ['network', 'policy-map type network-qos'],
    ],
  )
  names.report(BUILT_IN, at.facts)
}

const SIGNS =
  /^[ \t]*(?:!Command: show running-config|feature [a-z]|class(?:-map)? type (?:qos|network-qos|queuing) |policy-map type (?:qos|network-qos|queuing) |service-policy type (?:qos|network-qos|queuing) |set qos-group \d|priority-flow-control (?:mode (?:on|off|auto)|watch-dog|auto-restore))/m

export const nxosConfig: Dialect = {
  name: 'nx-os',
  language: 'nx-os',
  title: 'NX-OS show running-config',
  command: 'show running-config',
  leavesOut: [
    'buffers of "pause buffer-size" and "queue-limit"',
    'default times of the watchdog, fixed-restore',
    'thresholds that are no bytes',
    'classification by VLAN',
    'settings of ports in configurations without indentation, where the system has the same words',
  ],
  recognises: ({ text }) => SIGNS.test(text),
  read(part, facts) {
    const { entries } = openConfig(part, FORMS, false, facts)
    const ports = portsOf(allOf(entries, 'interface'), ETHERNET, facts.remainder)
    const system = settingsOf(allOf(entries, 'system').flatMap((entry) => entry.entries))
    const networks = networkPoliciesOf(entries)
    const first = part.lines[0]!
    const network = networkOf(system.get('network'), networks, facts.isComplete, first)
    const at: Switch = {
      facts,
      inputs: inputPoliciesOf(entries),
      queuings: queuingPoliciesOf(entries),
      system,
      network,
      classes: classesOf(network?.pauses ?? []),
      watchdog: lastOf(entries, 'watchdog'),
      hasVlanPolicies: allOf(entries, 'vlan').some((entry) => lastOf(entry.entries, 'input') !== undefined),
    }
    putWatchdog(entries, ports, first, facts)
    for (const port of ports) {
      const into = facts.port(port.name)
      putPort(port, into)
      putPfc(at, port, into)
      putInput(at, port, into)
      putOutput(at, port, into)
    }
    if (facts.isComplete) noteReferences(at, entries, ports, networks)
  },
}
