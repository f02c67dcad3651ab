/**
 * Classes, PFC and ECN of the ports of a Junos configuration, from the profiles that are attached to them.
 * Source: Juniper, Traffic Management User Guide (QFX Series): "Configure CoS PFC", "PFC Watchdog", "DCQCN".
 */
import { DSCPS } from '../../../../core/device-model/index.ts'
import type { Facts, PortFacts } from '../facts.ts'
import { type Branch, countOf } from '../tree.ts'
import { unitsOf } from './attached.ts'
import type { ForwardingClasses } from './classes.ts'
import { firstOf, type JunosPort } from './ports.ts'
import type { Classifier, PfcProfile, Profiles } from './profiles.ts'

export interface Context {
  readonly facts: Facts
  readonly classes: ForwardingClasses
  readonly profiles: Profiles
  /** Share of the buffer for headroom; undefined: not written. */
  readonly headroom: Branch | undefined
  /** Filters that give classes by other fields than DSCP and PCP. */
  readonly filters: ReadonlySet<string>
  /** Names of profiles, maps and classifiers that something uses, as "KIND NAME". */
  readonly used: Set<string>
}

/** Queues that obey pauses of the priorities of the same number unless others are written. */
const OBEYING = [3, 4]
/** In place of a queue: none obeys. */
const NO_QUEUE = -1
const DEFAULT_LENGTH_M = 100

/** @param attached branches of class-of-service for the port, the closest first */
export function noteQos(context: Context, port: JunosPort, note: PortFacts, attached: readonly Branch[]): void {
  const classifier = noteClassifier(context, port, note, attached)
  noteQueues(context, note)
  notePfc(context, port, note, attached, classifier)
  noteSchedulers(context, port, note, attached)
}

/** Definition of a name that a port uses; where there is none, the first port that uses the name is noted. */
function use<T>(
  { facts, used }: Context,
  kind: string,
  name: Branch | undefined,
  known: ReadonlyMap<string, T>,
  port: string,
): T | undefined {
  if (name === undefined || name.word === 'default') return undefined
  const key = `${kind} ${name.word}`
  const found = known.get(name.word)
  if (found === undefined && !used.has(key)) facts.refer('undefined', kind, name.word, name.line, port)
  used.add(key)
  return found
}

function noteClassifier(
  context: Context,
  port: JunosPort,
  note: PortFacts,
  attached: readonly Branch[],
): Classifier | undefined {
  const { profiles } = context
  const levels = [...unitsOf(attached), ...attached]
  const dscp = firstOf(levels, 'classifiers', 'dscp')
  const ieee = firstOf(levels, 'classifiers', 'ieee-802.1')
  const fixed = firstOf(levels, 'forwarding-class')
  const found = use(context, 'dscp classifier', dscp, profiles.dscp, port.name)
  if (found !== undefined) note.name('dscp classifier', dscp!.word, dscp!.line)
  use(context, 'ieee-802.1 classifier', ieee, profiles.ieee, port.name)
  const line = (dscp ?? ieee ?? fixed)?.line
  if (line !== undefined) {
    note.settings.put(
      'trust',
      dscp === undefined ? (ieee === undefined ? 'none' : 'pcp') : ieee === undefined ? 'dscp' : 'both',
      line,
    )
    note.settings.put('classifies', true, line)
  } else if (isFiltered(context, port)) note.settings.forget('classifies')
  // Ports with tags have a classifier of PCP by default.
  else if (port.settings.length > 0 && !isTagged(note)) note.settings.putDefault('classifies', false, port.line)
  if (dscp !== undefined && found !== undefined) noteMap(context, note, found)
  else if (fixed !== undefined && dscp === undefined) {
    const index = context.classes.get(fixed.word)?.index
    if (index !== undefined) for (const each of DSCPS) note.dscp(each, index, fixed.line)
  }
  return found
}

function isTagged({ values }: PortFacts): boolean {
  const mode = values.get('vlanMode')
  return mode !== undefined && 'value' in mode && mode.value !== 'untagged'
}

const isFiltered = ({ filters }: Context, { settings }: JunosPort): boolean =>
  unitsOf(settings).some((unit) =>
    unit.all('family').some((family) => {
      const filter = family.value('filter', 'input') ?? family.value('filter', 'input-list')
      return filter !== undefined && filters.has(filter.word)
    }),
  )

/** Classes by DSCP. Those that a classifier does not name are best effort. */
function noteMap(context: Context, note: PortFacts, classifier: Classifier): void {
  const { facts, classes, profiles } = context
  const chain: Classifier[] = [classifier]
  for (let next = classifier; chain.length < 8;) {
    const imported = profiles.dscp.get(next.imported)
    if (imported === undefined) break
    chain.unshift((next = imported))
  }
  const rest = classes.lossyIndex(0)
  const isWhole = chain[0]!.imported === '' && !chain.some((one) => one.isPartial)
  if (facts.isComplete && isWhole && rest !== undefined)
    for (const dscp of DSCPS) note.dscp(dscp, rest, classifier.line, 'default')
  for (const { code, className, line } of chain.flatMap((one) => one.entries)) {
    const index = classes.get(className)?.index
    if (index !== undefined) note.dscp(code, index, line)
    else note.values.delete(`dscpToClass.${code}`)
  }
}

function noteQueues({ classes }: Context, note: PortFacts): void {
  for (const name of classes.names()) {
    const own = classes.get(name)
    if (own?.index === undefined || own.line === undefined) continue
    note.class(own.index).put('queue', own.queue, own.line)
    note.name(`class ${own.index}`, name, own.line)
  }
}

/** Classes of the DSCPs of a profile, lossless ones or all; undefined: they are not known. */
function classesOf(
  { classes, profiles }: Context,
  profile: PfcProfile,
  classifier: Classifier | undefined,
): { all: number[]; lossless: number[] } | undefined {
  const lossless = new Set(profile.priorities.map(({ priority }) => priority))
  const all = new Set(lossless)
  const elsewhere = [...profiles.dscp.values()]
  for (const { dscp } of profile.codepoints) {
    const entries = (classifier === undefined ? elsewhere : [classifier]).flatMap((one) => one.entries)
    const names = entries.filter((one) => one.code === dscp).map((one) => one.className)
    const found = names.map((name) => classes.get(name)).find((one) => one?.index !== undefined)
    const index = found?.index ?? (names.length === 0 ? classes.onlyLossless() : undefined)
    if (index === undefined) return undefined
    all.add(index)
    if (found?.isLossless !== false) lossless.add(index)
  }
  const sorted = (set: Set<number>): number[] => [...set].sort((a, b) => a - b)
  return { all: sorted(all), lossless: sorted(lossless) }
}

function notePfc(
  context: Context,
  port: JunosPort,
  note: PortFacts,
  attached: readonly Branch[],
  classifier: Classifier | undefined,
): void {
  const { profiles } = context
  const { settings } = note
  const name = firstOf(attached, 'congestion-notification-profile')
  const profile = use(context, 'congestion-notification-profile', name, profiles.pfc, port.name)
  if (name === undefined) {
    settings.putDefault('pfcMode', 'off', port.line)
    settings.putDefault('pfcClasses', [], port.line)
    settings.putDefault('pfcWritten', [], port.line)
    return
  }
  if (profile === undefined) return settings.forget('pfcClasses')
  settings.put('pfcMode', 'on', name.line)
  note.name('pfc profile', name.word, name.line)
  noteLength(note, profile)
  noteObeying(note, profile)
  const found = profile.isPartial ? undefined : classesOf(context, profile, classifier)
  const line = [...profile.codepoints, ...profile.priorities].at(-1)?.line ?? name.line
  settings.note('pfcClasses', found?.lossless, line)
  settings.note('pfcWritten', found?.all, line)
  for (const index of found?.lossless ?? []) {
    const own = note.class(index)
    const share = countOf(context.headroom)
    if (context.headroom === undefined) own.putDefault('hasHeadroom', true, profile.line)
    else if (share !== undefined) own.put('hasHeadroom', share > 0, context.headroom.line)
    if (profile.watchdog !== undefined) own.put('isWatched', true, profile.watchdog.line)
    else own.putDefault('isWatched', false, profile.line)
    if (!own.has('pausedQueue')) own.putDefault('pausedQueue', NO_QUEUE, profile.line)
  }
}

function noteLength(note: PortFacts, { length, mru, line }: PfcProfile): void {
  if (length === undefined) note.settings.putDefault('cableM', DEFAULT_LENGTH_M, line)
  note.settings.take('cableM', length, countOf)
  const bytes = countOf(mru)
  if (mru !== undefined && bytes !== undefined) note.other('mru', bytes, mru.line)
}

/** Queues that stop at pauses: those that are written, else two by default. */
function noteObeying(note: PortFacts, { outputs, line }: PfcProfile): void {
  for (const { priority, queues, line: own } of outputs) {
    const queue = queues.length === 1 ? queues[0] : undefined
    note.class(priority).note('pausedQueue', queue, own)
  }
  if (outputs.length === 0) for (const queue of OBEYING) note.class(queue).putDefault('pausedQueue', queue, line)
}

function noteSchedulers(context: Context, port: JunosPort, note: PortFacts, attached: readonly Branch[]): void {
  const { profiles, classes } = context
  const direct = firstOf(attached, 'scheduler-map')
  const maps = [...(direct === undefined ? [] : [direct]), ...controlled(context, port, attached)]
  const named = new Set<string>()
  for (const name of maps) {
    const map = use(context, 'scheduler-map', name, profiles.maps, port.name)
    if (map !== undefined) note.name('scheduler map', name.word, name.line)
    for (const [className, scheduler] of map?.schedulers ?? []) {
      const index = classes.get(className)?.index
      if (index === undefined) continue
      named.add(className)
      noteScheduler(context, note, index, scheduler)
    }
  }
  // The scheduler that a class has by default marks nothing.
  for (const className of classes.names()) {
    const own = classes.get(className)
    if (named.has(className) || own?.index === undefined) continue
    note.class(own.index).putDefault('marks', false, own.line ?? port.line)
  }
}

/** Scheduler maps by way of sets of forwarding classes. */
function controlled(context: Context, port: JunosPort, attached: readonly Branch[]): Branch[] {
  for (const branch of attached) {
    const sets = branch.all('forwarding-class-set')
    if (sets.length > 0)
      return sets.flatMap((one) => {
        const name = one.value('output-traffic-control-profile')
        return use(context, 'traffic-control-profile', name, context.profiles.controls, port.name) ?? []
      })
  }
  return []
}

function noteScheduler({ profiles }: Context, note: PortFacts, index: number, name: Branch): void {
  const scheduler = profiles.schedulers.get(name.word)
  if (scheduler === undefined) return
  const own = note.class(index)
  const { ecn, dropProfile, schedule, line } = scheduler
  note.name(`scheduler ${index}`, name.word, name.line)
  if (dropProfile !== undefined) note.name(`drop profile ${index}`, dropProfile.word, dropProfile.line)
  if (schedule !== undefined) own.put('schedule', schedule.value, schedule.line)
  const drops = dropProfile === undefined ? undefined : profiles.drops.get(dropProfile.word)
  if (ecn === undefined) own.putDefault('marks', false, line)
  else if (drops === undefined) own.forget('marks')
  else {
    own.put('marks', true, ecn.line)
    if (drops.marks === undefined) return own.forget('kminRatio')
    own.put('kminRatio', drops.marks.kmin, drops.line)
    own.put('kmaxRatio', drops.marks.kmax, drops.line)
    own.put('pmaxRatio', drops.marks.pmax, drops.line)
  }
}
