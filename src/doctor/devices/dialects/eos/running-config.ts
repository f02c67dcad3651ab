/**
 * EOS show running-config: maps of the device, PFC and queues of ports and of the profiles that they apply. The class of a
 * packet is its traffic class.
 * Source: Arista EOS User Manual, "Quality of Service" and "DCBX and Flow Control"; configurations of aristanetworks/avd.
 */
import { dscpsIn, type InputPolicy, inputPoliciesOf, nameInput } from '../cli/classification.ts'
import {
  allOf,
  type Entry,
  lastOf,
  type Mapping,
  mappingOf,
  namedOf,
  settingIn,
  type Settings,
  settingsOf,
} from '../cli/entries.ts'
import { type Port, portsOf, putPort } from '../cli/interfaces.ts'
import { putQueue, putUnmarked } from '../cli/queues.ts'
import { References } from '../cli/references.ts'
import { openConfig } from '../cli/whole.ts'
import type { Dialect } from '../dialect.ts'
import type { Facts, PortFacts } from '../facts.ts'
import type { Line } from '../text.ts'
import { numbersIn } from '../words.ts'
import { CLASS_COUNT, CLASSES, DSCPS } from '../../../../core/device-model/index.ts'
import { FORMS, queueOf } from './forms.ts'

export const ETHERNET = 'Ethernet'
const PS_PER_SECOND = 1e12
const BUILT_IN = /^(?:class-default|copp-|default)/

/** Traffic class of each eight DSCPs, where no map says otherwise. */
export const DEFAULT_CLASSES = [1, 0, 2, 3, 4, 5, 6, 7]

interface Switch {
  readonly facts: Facts
  readonly inputs: ReadonlyMap<string, InputPolicy>
  readonly profiles: ReadonlyMap<string, Settings>
  readonly classOf: Mapping
  /** Queue of each traffic class that a map names. */
  readonly queueOf: Mapping
  readonly allOff: Entry | undefined
  readonly sharedEcn: Entry | undefined
  readonly timeout: Entry | undefined
}

/** "0,1 3-4", with spaces or commas between. */
const classesIn = (list: string): number[] | undefined =>
  numbersIn(list.trim().replaceAll(/[ ,]+/g, ','), CLASS_COUNT - 1)

/** Traffic classes in each queue; a class that no map names is in the queue of its number, in a whole configuration. */
function classesOfQueue(at: Switch, queue: number): number[] {
  return CLASSES.filter((index) => (at.queueOf.get(index)?.to ?? (at.facts.isComplete ? index : undefined)) === queue)
}

function putPfc(at: Switch, port: Port, scopes: readonly Settings[], into: PortFacts): void {
  const { facts, allOff } = at
  const { settings } = into
  const pfc = settingIn(scopes, 'pfc')
  const isOn = pfc !== undefined && pfc.args[0] === '' && pfc.args[1] !== 'off'
  const written: number[] = []
  let line: Line | undefined
  for (const index of CLASSES) {
    const priority = settingIn(scopes, `priority ${index}`)
    if (priority === undefined || priority.args[0] !== '' || priority.args[2] !== 'no-drop') continue
    written.push(index)
    line ??= priority.line
  }
  const decides = allOff?.line ?? pfc?.line ?? port.line
  const known = allOff === undefined && pfc === undefined ? 'default' : 'set'
  // In a part of a configuration, priorities that it does not name may stand elsewhere.
  const isKnown = facts.isComplete || line !== undefined
  if (isKnown) settings.put('pfcWritten', written, line ?? decides, line === undefined ? known : 'set')
  for (const index of written) putWatched(at, scopes, index, line!, into)
  if (known === 'default' && !facts.isComplete) return
  const isInForce = isOn && allOff === undefined
  settings.put('pfcMode', isInForce ? 'on' : 'off', decides, known)
  if (!isInForce) settings.put('pfcClasses', [], decides, known)
  else if (isKnown) settings.put('pfcClasses', written, line ?? decides)
}

/** The watchdog watches queues of lossless classes that have bandwidth guaranteed. */
function putWatched(at: Switch, scopes: readonly Settings[], index: number, written: Line, into: PortFacts): void {
  const own = settingIn(scopes, 'watchdog')
  const queue = at.queueOf.get(index)?.to ?? index
  const guaranteed = settingIn(scopes, `queue ${queue} guaranteed`)
  const isOn = own === undefined ? at.timeout !== undefined : own.args[0] === ''
  const recorder = into.class(index)
  if (own?.args[0] === 'no ') recorder.put('isWatched', false, own.line)
  else if (isOn && guaranteed?.args[0] === '') recorder.put('isWatched', true, guaranteed.line)
  else recorder.putDefault('isWatched', false, own?.line ?? written)
}

function putInput(at: Switch, port: Port, scopes: readonly Settings[], into: PortFacts): void {
  const { facts, inputs } = at
  const { settings } = into
  const written = settingIn(scopes, 'trust')
  const routed = settingIn(port.scopes, 'switched')
  const isRouted = routed?.args[0] === 'no '
  let trust: string | undefined
  if (written !== undefined) {
    trust = written.args[0] !== '' ? 'none' : written.args[1] === 'cos' ? 'pcp' : 'dscp'
    settings.put('trust', trust, written.line)
  } else if (facts.isComplete) {
    trust = isRouted ? 'dscp' : 'pcp'
    settings.put('trust', trust, routed?.line ?? port.line, 'default')
  }
  const applied = settingIn(scopes, 'input')
  const policy = applied && inputs.get(applied.args[0]!)
  if (policy?.trust !== undefined) settings.put('trust', policy.trust, applied!.line)
  if (policy !== undefined) nameInput(into, applied!, policy)
  if (policy !== undefined) settings.put('classifies', true, applied!.line)
  else if (trust !== undefined)
    settings.put('classifies', trust !== 'none', written?.line ?? port.line, written === undefined ? 'default' : 'set')
  if (applied !== undefined && policy === undefined) return
  for (const dscp of DSCPS) {
    const verdict = policy?.verdicts[dscp]
    const mapped = at.classOf.get(dscp)
    if (verdict === null) continue
    if (verdict?.group !== undefined) into.dscp(dscp, verdict.group, verdict.line)
    else if (trust !== 'dscp') continue
    else if (mapped !== undefined) into.dscp(dscp, mapped.to, mapped.line)
    else if (facts.isComplete) into.dscp(dscp, DEFAULT_CLASSES[dscp >> 3]!, written?.line ?? port.line, 'default')
  }
}

function putQueues(at: Switch, port: Port, scopes: readonly Settings[], into: PortFacts): void {
  for (const [index, { to, line }] of at.queueOf) {
    into.class(index).put('group', index, line)
    into.class(index).put('queue', to, line)
  }
  for (const queue of CLASSES) {
    const settings = queueOf((kind) => settingIn(scopes, `queue ${queue} ${kind}`))
    for (const index of classesOfQueue(at, queue)) putQueue(settings, index, into)
  }
  if (at.facts.isComplete && at.sharedEcn === undefined) putUnmarked(into, port.line)
}

const FIELD_OF = { timeout: 'detectionPs', 'recovery-time': 'restorationPs', 'polling-interval': 'pollPs' } as const

function putWatchdog(
  entries: readonly Entry[],
  ports: readonly { readonly scopes: readonly Settings[] }[],
  first: Line,
  facts: Facts,
): void {
  const times = settingsOf(allOf(entries, 'watchdog time'))
  const own = ports.map(({ scopes }) => settingIn(scopes, 'watchdog')).find((one) => one?.args[0] === '')
  const on = times.get('watchdog time timeout') ?? own
  if (on !== undefined) facts.watchdog.put('kind', 'eos', on.line)
  else facts.watchdog.putDefault('kind', 'off', first)
  for (const [word, field] of Object.entries(FIELD_OF)) {
    const time = times.get(`watchdog time ${word}`)
    if (time === undefined) continue
    const seconds = /^\d+(?:\.\d+)?$/.test(time.args[1]!) ? Number(time.args[1]) : 0
    facts.watchdog.note(field, seconds > 0 ? Math.round(seconds * PS_PER_SECOND) : undefined, time.line)
  }
  const action = lastOf(entries, 'watchdog action')
  facts.watchdog.take('action', action, ({ args: [word] }) => (word === 'notify-only' ? 'alert' : word))
}

/** Whether it says something of PFC or ECN. */
const isForPfc = (settings: Settings): boolean =>
  [...settings.keys()].some((key) => key === 'pfc' || /^priority \d|^queue \d ecn$/.test(key))

function noteReferences(at: Switch, entries: readonly Entry[], ports: readonly Port[]): void {
  const names = new References()
  for (const [name, entry] of namedOf(entries, 'profile'))
    names.define('qos profile', name, entry.line, isForPfc(at.profiles.get(name)!))
  names.defineAll('class-map', entries, 'class-map')
  for (const [name, { line, classes }] of at.inputs) {
    names.define('policy-map', name, line, false)
    for (const each of classes) names.use('class-map', each.name, '', each.line)
  }
  for (const { entries: inner } of allOf(entries, 'profile')) {
    const input = lastOf(inner, 'input')
    if (input !== undefined) names.use('policy-map', input.args[0]!, '', input.line)
  }
  names.useSettings(ports, [
    ['service-profile', 'qos profile'],
    ['input', 'policy-map'],
  ])
  names.report(BUILT_IN, at.facts)
}

const SIGNS =
  /^[ \t]*(?:! device: .*\bEOS|qos (?:map (?:dscp|traffic-class|cos)|profile) |service-profile |priority-flow-control (?:on[ \t]*$|priority \d (?:no-)?drop|pause watchdog|all off)|(?:uc-|mc-)?tx-queue \d|qos trust (?:dscp|cos)|policy-map type quality-of-service )/m

export const eosConfig: Dialect = {
  name: 'eos',
  language: 'eos',
  title: 'EOS show running-config',
  command: 'show running-config',
  leavesOut: [
    'thresholds in segments and milliseconds',
    'watchdog times of single ports',
    'ECN of the shared buffer',
    'multicast queues',
    'DCBX',
  ],
  recognises: ({ text }) => SIGNS.test(text),
  read(part, facts) {
    const { text, entries } = openConfig(part, FORMS, true, facts)
    for (const line of text.comments) {
      const [, platform] = /^! device: \S+ \(([^,()]+), EOS/.exec(line.text) ?? []
      if (platform !== undefined) facts.switch.put('platform', platform, line)
    }
    const ports = portsOf(allOf(entries, 'interface'), ETHERNET, facts.remainder)
    const profiles = new Map(
      [...namedOf(entries, 'profile')].map(([name, { entries: inner }]) => [name, settingsOf(inner)]),
    )
    const at: Switch = {
      facts,
      inputs: inputPoliciesOf(entries),
      profiles,
      classOf: mappingOf(allOf(entries, 'dscp map'), 0, dscpsIn, facts.remainder),
      queueOf: mappingOf(allOf(entries, 'queue map'), 0, classesIn, facts.remainder),
      allOff: lastOf(entries, 'all off'),
      sharedEcn: lastOf(entries, 'shared ecn'),
      timeout: allOf(entries, 'watchdog time').findLast(({ args }) => args[0] === 'timeout'),
    }
    const resolved = ports.map((port) => {
      const profile = profiles.get(settingIn(port.scopes, 'service-profile')?.args[0] ?? '')
      return { port, scopes: profile === undefined ? port.scopes : [...port.scopes, profile] }
    })
    putWatchdog(entries, resolved, part.lines[0]!, facts)
    for (const { port, scopes } of resolved) {
      const into = facts.port(port.name)
      putPort(port, into)
      putPfc(at, port, scopes, into)
      putInput(at, port, scopes, into)
      putQueues(at, port, scopes, into)
    }
    if (facts.isComplete) noteReferences(at, entries, ports)
  },
}
