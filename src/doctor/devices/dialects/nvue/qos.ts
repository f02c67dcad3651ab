/**
 * Classes, PFC and ECN of the ports of an NVUE configuration: the preset for RoCE, over it the default-global profiles,
 * over them the profiles of the port.
 * Source: NVIDIA Cumulus Linux User Guide, "Quality of Service", "RDMA over Converged Ethernet".
 */
import { CLASS_COUNT, CLASSES, DSCP_COUNT, DSCPS } from '../../../../core/device-model/index.ts'
import type { Facts, PortFacts } from '../facts.ts'
import type { Line } from '../text.ts'
import { type Branch, countOf } from '../tree.ts'
import { numbersIn } from '../words.ts'
import { isOn } from './names.ts'
import type { NvuePort } from './ports.ts'
import { PLAIN, type Preset, PRESETS } from './preset.ts'

type Known = 'set' | 'default'

export interface Context {
  readonly facts: Facts
  readonly root: Branch
  /** Values that hold where nothing is written; undefined: nobody knows. */
  readonly preset: { readonly values: Preset; readonly line: Line; readonly known: Known } | undefined
  /** Mode of RoCE; '': it is off, or the file does not tell. */
  readonly mode: string
  /** Profiles that ports use, as "KIND NAME". */
  readonly used: Set<string>
}

const GLOBAL = 'default-global'
const DEFAULT_LENGTH_M = 10

/** @param first line of the configuration, which defaults are noted with */
export function contextOf(root: Branch, facts: Facts, first: Line): Context {
  const base = { facts, root, used: new Set<string>() }
  const roce = root.at('qos', 'roce')
  const state = roce?.value('enable') ?? roce?.value('state')
  if (roce === undefined || isOn(state?.word ?? 'on') === false) {
    const preset = facts.isComplete ? { values: PLAIN, line: first, known: 'default' as const } : undefined
    return { ...base, preset, mode: '' }
  }
  const mode = roce.value('mode')
  if (mode === undefined && !facts.isComplete) return { ...base, preset: undefined, mode: '' }
  const values = PRESETS.get(mode?.word ?? 'lossless')
  if (values === undefined && mode !== undefined) facts.remainder.push(mode.line)
  const known = mode === undefined ? ('default' as const) : ('set' as const)
  const preset = values === undefined ? undefined : { values, line: (mode ?? roce).line, known }
  return { ...base, preset, mode: mode?.word ?? 'lossless' }
}

/** Profiles that decide for a port: its own alone, else the global one. */
function profileOf(
  { facts, root, used }: Context,
  { name, settings }: NvuePort,
  kind: string,
  note: PortFacts,
): Branch | undefined {
  const attached = settings.map((branch) => branch.value('qos', kind, 'profile')).find((one) => one !== undefined)
  const profile = root.at('qos', kind, attached?.word ?? GLOBAL)
  const key = `${kind} ${attached?.word ?? GLOBAL}`
  if (attached !== undefined && profile === undefined && attached.word !== GLOBAL && !used.has(key)) {
    const isForPfc = kind === 'pfc' || kind === 'congestion-control'
    facts.refer('undefined', `qos ${kind}`, attached.word, attached.line, name, isForPfc)
  }
  used.add(key)
  if (profile !== undefined) note.name(kind, profile.word, profile.line)
  return profile
}

/** Settings by number, where keys are lists of numbers. */
function byNumber(branch: Branch | undefined, word: string, most: number): { number: number; own: Branch }[] {
  return (branch?.all(word) ?? []).flatMap((own) =>
    (numbersIn(own.word, most) ?? []).map((number) => ({ number, own })),
  )
}

export function noteQos(context: Context, port: NvuePort, note: PortFacts): void {
  noteMap(context, port, note)
  const queues = noteQueues(context, note)
  notePfc(context, port, note, queues)
  noteMarks(context, port, note, queues)
  noteSchedules(context, port, note, queues)
}

const TRUSTS: Readonly<Record<string, string>> = { l2: 'pcp', l3: 'dscp', both: 'both', port: 'none' }

function noteMap(context: Context, port: NvuePort, note: PortFacts): void {
  const { preset } = context
  const { settings } = note
  const profile = profileOf(context, port, 'mapping', note)
  const written = profile?.value('trust')
  const trust = written === undefined ? preset?.values.trust : TRUSTS[written.word]
  const line = written?.line ?? preset?.line
  if (trust === undefined || line === undefined) {
    if (written !== undefined) settings.forget('trust')
  } else {
    settings.put('trust', trust, line, written === undefined ? preset!.known : 'set')
    settings.put('classifies', true, line, written === undefined ? preset!.known : 'set')
  }
  const fixed = profile?.value('port-default-sp')
  const priority = countOf(fixed)
  if (trust === 'none' && fixed !== undefined && priority !== undefined && priority < CLASS_COUNT)
    for (const dscp of DSCPS) note.dscp(dscp, priority, fixed.line)
  const readsDscp = trust === 'dscp' || trust === 'both'
  if (readsDscp && line !== undefined && preset !== undefined)
    for (const dscp of DSCPS) note.dscp(dscp, dscp >> 3, line, written === undefined ? preset.known : 'default')
  if (readsDscp || (trust === undefined && written === undefined))
    for (const { number, own } of byNumber(profile, 'dscp', DSCP_COUNT - 1)) {
      const to = own.value('switch-priority')
      const index = countOf(to)
      if (to !== undefined && index !== undefined && index < CLASS_COUNT) note.dscp(number, index, to.line)
    }
}

/** Egress queue of each priority; undefined: not known. */
function noteQueues({ root, preset }: Context, note: PortFacts): (number | undefined)[] {
  const queues: (number | undefined)[] = CLASSES.map(() => undefined)
  for (const [priority, queue] of preset?.values.queues.entries() ?? []) {
    queues[priority] = queue
    note.class(priority).put('queue', queue, preset!.line, preset!.known)
  }
  for (const { number, own } of byNumber(
    root.at('qos', 'egress-queue-mapping', GLOBAL),
    'switch-priority',
    CLASS_COUNT - 1,
  )) {
    const to = own.value('traffic-class')
    const queue = countOf(to)
    if (to === undefined || queue === undefined || queue >= CLASS_COUNT) continue
    queues[number] = queue
    note.class(number).put('queue', queue, to.line)
  }
  return queues
}

interface Pfc {
  readonly lossless: readonly number[]
  readonly line: Line
  readonly known: Known
  readonly profile: Branch | undefined
}

/** Priorities that are lossless as it is written. */
function pfcOf(context: Context, port: NvuePort, note: PortFacts): Pfc | undefined {
  const profile = profileOf(context, port, 'pfc', note)
  const priorities = byNumber(profile, 'switch-priority', CLASS_COUNT - 1)
  if (priorities.length > 0) {
    const lossless = [...new Set(priorities.map(({ number }) => number))].sort((a, b) => a - b)
    return { lossless, line: priorities.at(-1)!.own.line, known: 'set', profile }
  }
  const { preset } = context
  return preset === undefined
    ? undefined
    : { lossless: preset.values.lossless, line: preset.line, known: preset.known, profile }
}

function notePfc(context: Context, port: NvuePort, note: PortFacts, queues: readonly (number | undefined)[]): void {
  const { mode } = context
  const { settings } = note
  const pfc = pfcOf(context, port, note)
  const roce = context.root.at('qos', 'roce')
  if (pfc === undefined) return
  const { lossless, line, known, profile } = pfc
  settings.put('pfcWritten', lossless, line, known)
  const [sends, takes] = ['tx', 'rx'].map((word) => isOn(profile?.value(word)?.word ?? 'on') ?? true)
  // A lossy mode of RoCE leaves no lossless pool.
  const isInForce = !mode.startsWith('lossy') && (sends! || takes!)
  const inForce = isInForce ? lossless : []
  settings.put('pfcMode', inForce.length > 0 ? 'on' : 'off', line, known)
  if (inForce.length > 0 && sends !== takes) {
    settings.put('isPfcAsymmetric', true, line)
    settings.forget('pfcClasses')
  } else {
    settings.put('isPfcAsymmetric', false, line, known)
    settings.put('pfcClasses', inForce, line, known)
  }
  const ofRoce = roce?.value('cable-length')
  const length = profile?.value('cable-length') ?? ofRoce
  if (length === undefined && inForce.length > 0 && mode === '') settings.putDefault('cableM', DEFAULT_LENGTH_M, line)
  settings.take('cableM', length, countOf)
  for (const index of inForce) noteLossless(context, port, note, { index, queue: queues[index], line, known, profile })
}

interface Lossless {
  readonly index: number
  readonly queue: number | undefined
  readonly line: Line
  readonly known: Known
  readonly profile: Branch | undefined
}

const SIZES = [
  ['xoff-threshold', 'xoffBytes'],
  ['xon-threshold', 'xonOffsetBytes'],
  ['port-buffer', 'reserveBytes'],
] as const

function noteLossless(context: Context, port: NvuePort, note: PortFacts, lossless: Lossless): void {
  const { root, mode } = context
  const { index, queue, line, known, profile } = lossless
  const own = note.class(index)
  if (queue !== undefined) own.put('pausedQueue', queue, line, known)
  for (const [word, field] of SIZES) own.take(field, profile?.value(word), countOf)
  const pool = root.at('qos', 'traffic-pool', mode === '' ? 'default-lossless' : 'roce-lossless')
  const share = pool?.value('memory-percent')
  const percent = countOf(share)
  if (share !== undefined && percent !== undefined) own.put('hasHeadroom', percent > 0, share.line)
  else if (mode !== '') own.put('hasHeadroom', true, line, known)
  const watchdog = port.settings.map((branch) => branch.at('qos', 'pfc-watchdog')).find((one) => one !== undefined)
  const state = watchdog?.value('state')
  if (watchdog !== undefined) own.put('isWatched', isOn(state?.word ?? 'on') ?? true, (state ?? watchdog).line)
  else own.putDefault('isWatched', false, port.line)
}

function noteMarks(context: Context, port: NvuePort, note: PortFacts, queues: readonly (number | undefined)[]): void {
  const { preset } = context
  const profile = profileOf(context, port, 'congestion-control', note)
  const isOwn = profile !== undefined && profile.word !== GLOBAL
  const written = new Map(byNumber(profile, 'traffic-class', CLASS_COUNT - 1).map(({ number, own }) => [number, own]))
  for (const [priority, queue] of queues.entries()) {
    if (queue === undefined) continue
    const own = note.class(priority)
    const marks = isOwn ? undefined : preset?.values.marks.get(queue)
    if (preset !== undefined && marks === undefined)
      own.put('marks', false, isOwn ? profile.line : preset.line, isOwn ? 'default' : preset.known)
    else if (preset !== undefined && marks !== undefined) {
      own.put('marks', true, preset.line, preset.known)
      own.put('kminBytes', marks.minBytes, preset.line, preset.known)
      own.put('kmaxBytes', marks.maxBytes, preset.line, preset.known)
      own.put('pmaxRatio', marks.ratio, preset.line, preset.known)
    }
    const branch = written.get(queue)
    if (branch === undefined) continue
    const ecn = branch.value('ecn')
    branch.all('red')
    own.put('marks', isOn(ecn?.word ?? 'on') ?? true, (ecn ?? branch).line)
    for (const [word, field, divisor] of [
      ['min-threshold', 'kminBytes', 1],
      ['max-threshold', 'kmaxBytes', 1],
      ['probability', 'pmaxRatio', 100],
    ] as const)
      own.take(field, branch.value(word), (value) => {
        const number = countOf(value)
        return number === undefined ? undefined : number / divisor
      })
  }
}

function noteSchedules(
  context: Context,
  port: NvuePort,
  note: PortFacts,
  queues: readonly (number | undefined)[],
): void {
  const { preset } = context
  const profile = profileOf(context, port, 'egress-scheduler', note)
  const written = new Map(byNumber(profile, 'traffic-class', CLASS_COUNT - 1).map(({ number, own }) => [number, own]))
  for (const [priority, queue] of queues.entries()) {
    if (queue === undefined) continue
    const own = note.class(priority)
    const fallback = preset?.values.schedules.get(queue)
    if (preset !== undefined && fallback !== undefined) own.put('schedule', fallback, preset.line, preset.known)
    const branch = written.get(queue)
    const mode = branch?.value('mode')
    const share = branch?.value('bw-percent')
    const weight = countOf(share)
    if (mode?.word === 'strict') own.put('schedule', 'strict', mode.line)
    else if (share !== undefined && weight !== undefined) own.put('schedule', weight, share.line)
  }
}
