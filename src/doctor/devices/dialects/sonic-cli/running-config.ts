/**
 * sonic-cli show running-configuration (Enterprise SONiC): maps, profiles and policies that ports bind by name. A class is a
 * traffic class (TC), which has the number of its PFC priority, as in config_db.json.
 * Sources: see forms.ts; sonic-swss, orchagent/qosorch, for values that are not written.
 */
import { dscpsIn } from '../cli/classification.ts'
import {
  allOf,
  type Entry,
  lastOf,
  type Mapping,
  mappingsOf,
  namedOf,
  settingIn,
  type Settings,
} from '../cli/entries.ts'
import { type Port, portsOf, putPort } from '../cli/interfaces.ts'
import { putQueue, putUnmarked, type Queue } from '../cli/queues.ts'
import { References } from '../cli/references.ts'
import { openConfig } from '../cli/whole.ts'
import type { Dialect } from '../dialect.ts'
import type { Facts, PortFacts } from '../facts.ts'
import { SOME_RULE } from '../sonic/device.ts'
import type { Line } from '../text.ts'
import { fecIn, numbersIn } from '../words.ts'
import { CLASS_COUNT, CLASSES, type ClassConfig, PS_PER_MS } from '../../../../core/device-model/index.ts'
import { FORMS, MAP_KINDS, MAPS, type MapKind } from './forms.ts'

/** Thresholds of WRED are in KB of 1000. */
const BYTES_PER_KB = 1000
const DEFAULT_MTU_BYTES = 9100
const QUEUE_MAX = 15
const BUILT_IN = /^(?:default|copp)/

interface Switch {
  readonly facts: Facts
  readonly maps: ReadonlyMap<MapKind, ReadonlyMap<string, Mapping>>
  readonly wreds: ReadonlyMap<string, Entry>
  readonly schedulers: ReadonlyMap<string, Entry>
}

/** Maps of one kind, by name. */
function mapsOf(entries: readonly Entry[], kind: MapKind, remainder: Line[]): Map<string, Mapping> {
  const classesIn = (list: string): number[] | undefined => numbersIn(list, CLASS_COUNT - 1)
  return mappingsOf(entries, kind, 0, kind === 'dscp-tc' ? dscpsIn : classesIn, remainder)
}

/** The map of a kind that a port binds, and the line that does; the map is undefined where nothing defines it. */
function boundTo(at: Switch, port: Port, kind: MapKind): { line: Line; map: Mapping | undefined } | undefined {
  const bound = settingIn(port.scopes, `map ${kind}`)
  return bound && { line: bound.line, map: at.maps.get(kind)?.get(bound.args[1]!) }
}

function putInput(at: Switch, port: Port, into: PortFacts): void {
  const { facts } = at
  const [byDscp, byPcp] = [boundTo(at, port, 'dscp-tc'), boundTo(at, port, 'dot1p-tc')]
  const bound = byDscp ?? byPcp
  if (bound !== undefined) {
    into.settings.put('trust', byDscp === undefined ? 'pcp' : 'dscp', bound.line)
    into.settings.put('classifies', bound.map !== undefined || !facts.isComplete, bound.line)
  } else {
    into.settings.putDefault('trust', 'none', port.line)
    into.settings.putDefault('classifies', false, port.line)
  }
  for (const [dscp, { to, line }] of byDscp?.map ?? []) into.dscp(dscp, to, line)
}

/** Maps of classes, and the names of what they give. */
const OF_CLASSES = [
  ['tc-pg', 'group'],
  ['tc-queue', 'queue'],
  ['pfc-priority-queue', 'pausedQueue'],
] as const satisfies readonly (readonly [MapKind, keyof ClassConfig])[]

/** Lossless priorities of a port, and the line that names the last. */
function losslessOf(port: Port): { readonly classes: readonly number[]; readonly line: Line | undefined } {
  const classes = new Set<number>()
  const written = new Map(port.scopes.toReversed().flatMap((scope) => [...scope]))
  const entries = [...written.values()].filter(({ kind }) => kind === 'priority')
  entries.sort((a, b) => a.line.number - b.line.number)
  for (const { args } of entries)
    for (const each of numbersIn(args[1]!, CLASS_COUNT - 1) ?? [])
      if (args[0] === '') classes.add(each)
      else classes.delete(each)
  return { classes: [...classes].sort((a, b) => a - b), line: entries.at(-1)?.line }
}

function putPfc({ facts }: Switch, port: Port, into: PortFacts): void {
  const { settings } = into
  const { classes, line } = losslessOf(port)
  if (line !== undefined || facts.isComplete)
    for (const field of ['pfcClasses', 'pfcWritten'] as const)
      settings.put(field, classes, line ?? port.line, line === undefined ? 'default' : 'set')
  const asymmetric = settingIn(port.scopes, 'asymmetric')
  if (asymmetric !== undefined) settings.put('isPfcAsymmetric', asymmetric.args[0] === '', asymmetric.line)
  else settings.putDefault('isPfcAsymmetric', false, port.line)
  const watchdog = settingIn(port.scopes, 'watchdog')
  if (watchdog === undefined && !facts.isComplete) return
  const known = watchdog === undefined ? 'default' : 'set'
  for (const index of CLASSES) {
    const isWatched = watchdog?.args[0] === 'on' && classes.includes(index)
    into.class(index).put('isWatched', isWatched, watchdog?.line ?? port.line, known)
  }
}

/** Schedule and marks of a queue that a port binds a profile and a policy to. */
function queueOf(at: Switch, port: Port, queue: number): Queue {
  const use = settingIn(port.scopes, `wred ${queue}`)
  const wred = at.wreds.get(use?.args[1] ?? '')
  const [ecn, green] = [lastOf(wred?.entries ?? [], 'ecn'), lastOf(wred?.entries ?? [], 'green')]
  const marks = ecn !== undefined && ecn.args[0] === '' && /^(?:green|all)$/.test(ecn.args[1]!)
  const [minimum, maximum, probability] = green?.args ?? []
  const bytes = (kilobytes: string | undefined): number | undefined =>
    kilobytes === undefined ? undefined : Number(kilobytes) * BYTES_PER_KB
  const value = {
    marks,
    drops: !marks && green !== undefined,
    kminBytes: bytes(minimum),
    kmaxBytes: bytes(maximum),
    pmaxRatio: green === undefined ? undefined : probability === '' ? 1 : Number(probability) / 100,
    boundsLine: green?.line,
  }
  const policy = at.schedulers.get(settingIn(port.scopes, 'scheduler')?.args[0] ?? '')
  const scheduled = allOf(policy?.entries ?? [], 'queue').findLast(({ args }) => Number(args[0]) === queue)
  const [type, weight] = [lastOf(scheduled?.entries ?? [], 'type'), lastOf(scheduled?.entries ?? [], 'weight')]
  const schedule =
    type?.args[0] === 'strict'
      ? { value: 'strict' as const, line: type.line }
      : weight !== undefined
        ? { value: Number(weight.args[0]), line: weight.line }
        : type && { value: 'round-robin' as const, line: type.line }
  return { ...(schedule && { schedule }), ...(wred && { early: { value, line: use!.line } }) }
}

function putQueues(at: Switch, port: Port, into: PortFacts): void {
  for (const [kind, field] of OF_CLASSES)
    for (const [index, { to, line }] of boundTo(at, port, kind)?.map ?? []) into.class(index).put(field, to, line)
  const map = boundTo(at, port, 'tc-queue')
  // A part of a configuration without any such map has queues of the numbers of their classes.
  const isPlain = map === undefined && at.maps.get('tc-queue')!.size === 0
  let isKnown = true
  for (const index of CLASSES) {
    const queue = isPlain ? index : map?.map?.get(index)?.to
    if (queue === undefined || queue > QUEUE_MAX) continue
    const use = settingIn(port.scopes, `wred ${queue}`)
    if (use !== undefined && !at.wreds.has(use.args[1]!)) isKnown = false
    putQueue(queueOf(at, port, queue), index, into)
  }
  if (at.facts.isComplete && isKnown) putUnmarked(into, port.line)
}

function putLink(port: Port, { settings }: PortFacts): void {
  const at = (key: string): Entry | undefined => settingIn(port.scopes, key)
  const [fec, length] = [at('fec'), at('cable')]
  if (fec !== undefined && !/^(?:auto|default)$/i.test(fec.args[0]!)) settings.put('fec', fecIn(fec.args[0]!), fec.line)
  settings.take('cableM', length, ({ args }) => Number(args[0]))
  if (!settings.has('mtuBytes')) settings.putDefault('mtuBytes', DEFAULT_MTU_BYTES, port.line)
  if (!settings.has('vlanMode')) settings.putDefault('vlanMode', port.hasVlans ? 'both' : 'untagged', port.line)
}

/** Times and action, where all ports that are watched have the same; otherwise each has its own and the switch none. */
function putWatchdog(entries: readonly Entry[], ports: readonly Port[], first: Line, facts: Facts): void {
  const { watchdog } = facts
  const watched = ports.filter(({ scopes }) => settingIn(scopes, 'watchdog')?.args[0] === 'on')
  const on = watched[0] && settingIn(watched[0].scopes, 'watchdog')
  if (on !== undefined) watchdog.put('kind', SOME_RULE, on.line)
  else watchdog.putDefault('kind', 'off', first)
  watchdog.take('pollPs', lastOf(entries, 'poll'), ({ args }) => Number(args[0]) * PS_PER_MS)
  const timed = (scopes: readonly Settings[]): Entry | undefined => {
    const own = settingIn(scopes, 'watchdog')
    return own?.args[1] === '' ? settingIn(scopes, 'detection') : own
  }
  for (const [field, entryOf] of [
    ['action', (scopes: readonly Settings[]) => settingIn(scopes, 'action')],
    ['detectionPs', timed],
    ['restorationPs', (scopes: readonly Settings[]) => settingIn(scopes, 'restoration')],
  ] as const) {
    const found = watched.map((port) => ({ port, entry: entryOf(port.scopes) }))
    const text = (entry: Entry | undefined): string => entry?.args.at(-1) ?? ''
    const one = found[0]?.entry
    if (found.some(({ entry }) => text(entry) !== text(one))) {
      watchdog.forget(field)
      for (const { port, entry } of found)
        facts.port(port.name).other(`watchdog.${field}`, text(entry), entry?.line ?? port.line)
    } else if (one === undefined) continue
    else if (field === 'action') watchdog.put(field, text(one), one.line)
    else watchdog.put(field, Number(text(one)) * PS_PER_MS, one.line)
  }
}

function noteReferences(at: Switch, entries: readonly Entry[], ports: readonly Port[]): void {
  const names = new References()
  for (const kind of MAP_KINDS)
    names.defineAll(`qos map ${kind}`, entries, kind, () => kind === 'tc-pg' || kind === 'pfc-priority-queue')
  for (const [name, { line, entries: inner }] of at.wreds)
    names.define('qos wred-policy', name, line, /^(?:green|all)$/.test(lastOf(inner, 'ecn')?.args[1] ?? ''))
  for (const [name, { line }] of at.schedulers) names.define('qos scheduler-policy', name, line, false)
  for (const { name, scopes } of ports) {
    for (const kind of MAP_KINDS) {
      const bound = settingIn(scopes, `map ${kind}`)
      if (bound !== undefined) names.use(`qos map ${kind}`, bound.args[1]!, name, bound.line)
    }
    for (let queue = 0; queue <= QUEUE_MAX; queue++) {
      const wred = settingIn(scopes, `wred ${queue}`)
      if (wred !== undefined) names.use('qos wred-policy', wred.args[1]!, name, wred.line)
    }
    const policy = settingIn(scopes, 'scheduler')
    if (policy !== undefined) names.use('qos scheduler-policy', policy.args[0]!, name, policy.line)
  }
  names.report(BUILT_IN, at.facts)
}

const SIGNS = new RegExp(
  `^[ \\t]*(?:qos[ -]map (?:${Object.keys(MAPS).join('|')}) |qos (?:wred|scheduler)-policy |queue \\d+ wred-policy |interface-naming (?:standard|native)|priority-flow-control watchdog (?:on|off|action|detect-time|restore-time)\\b|buffer init lossless)`,
  'm',
)
/** How ports are called: by their place, or as in config_db.json. */
const STANDARD_NAMES = /^[ \t]*interface (?:range )?Eth ?\d+\//m

export const sonicCliConfig: Dialect = {
  name: 'sonic-cli',
  language: 'sonic-cli',
  title: 'sonic-cli show running-configuration',
  command: 'show running-configuration',
  leavesOut: [
    'buffers, and the defaults of "roce enable" and "buffer init lossless"',
    'policies of classes (service-policy)',
    'colours other than green',
    'rates of schedulers',
    'maps for packets that leave',
  ],
  recognises: ({ text }) => SIGNS.test(text),
  read(part, facts) {
    const { entries } = openConfig(part, FORMS, false, facts)
    const ethernet = STANDARD_NAMES.test(part.text) ? 'Eth' : 'Ethernet'
    const ports = portsOf(allOf(entries, 'interface'), ethernet, facts.remainder)
    const at: Switch = {
      facts,
      maps: new Map(MAP_KINDS.map((kind) => [kind, mapsOf(entries, kind, facts.remainder)])),
      wreds: namedOf(entries, 'wred'),
      schedulers: namedOf(entries, 'scheduler'),
    }
    putWatchdog(entries, ports, part.lines[0]!, facts)
    for (const port of ports) {
      const into = facts.port(port.name)
      putPort(port, into)
      putLink(port, into)
      putPfc(at, port, into)
      putInput(at, port, into)
      putQueues(at, port, into)
    }
    if (facts.isComplete) noteReferences(at, entries, ports)
  },
}
