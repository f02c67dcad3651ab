/**
 * A Junos device as a whole: watchdog of PFC, partitions of the buffer, names that lead nowhere.
 * Source: Juniper, "PFC Watchdog"; CLI reference of shared-buffer, ecmp-dlb.
 */
import { PS_PER_MS } from '../../../../core/device-model/index.ts'
import type { Facts } from '../facts.ts'
import type { Line } from '../text.ts'
import { type Branch, countOf } from '../tree.ts'
import type { Context } from './qos.ts'
import { firstOf } from './ports.ts'

/** Watchdog without options: two polls of 100 ms, then 200 ms out of service. */
const POLL_MS = 100
const POLLS = 2
const RECOVERY_MS = 200
const TIMES = ['poll-interval', 'detection', 'recovery', 'watchdog-action']

/** @param names profiles of PFC that are attached to ports */
export function noteWatchdog({ facts, profiles }: Context, names: ReadonlySet<string>, line: Branch): void {
  const attached = [...profiles.pfc].filter(([name]) => names.has(name)).map(([, profile]) => profile)
  const watchdog = attached.find((profile) => profile.watchdog !== undefined)?.watchdog
  if (watchdog === undefined) {
    facts.watchdog.putDefault('kind', 'off', attached[0]?.line ?? line.line)
    return
  }
  facts.watchdog.put('kind', 'generic', watchdog.line)
  // Those of other profiles are read as well, though the first one stands for all.
  for (const profile of attached) for (const word of TIMES) profile.watchdog?.value(word)
  const poll = watchdog.value('poll-interval')
  const polls = watchdog.value('detection')
  const recovery = watchdog.value('recovery')
  const action = watchdog.value('watchdog-action')
  const put = (
    field: 'pollPs' | 'detectionPs' | 'restorationPs',
    ...factors: readonly (readonly [Branch | undefined, number])[]
  ): void => {
    const written = factors.flatMap(([own]) => own ?? [])
    const numbers = factors.map(([own, fallback]) => (own === undefined ? fallback : (countOf(own) ?? Number.NaN)))
    if (written.length < factors.length && !facts.isComplete) return
    const product = numbers.reduce((one, other) => one * other, PS_PER_MS)
    const [value, known] = [
      Number.isNaN(product) ? undefined : product,
      written.length > 0 ? 'set' : 'default',
    ] as const
    facts.watchdog.note(field, value, (written[0] ?? watchdog).line, known)
  }
  put('pollPs', [poll, POLL_MS])
  put('detectionPs', [polls, POLLS], [poll, POLL_MS])
  put('restorationPs', [recovery, RECOVERY_MS])
  if (action !== undefined) facts.watchdog.put('action', action.word, action.line)
  else facts.watchdog.putDefault('action', 'drop', watchdog.line)
}

/** Name of a setting of the buffer that the model has none for. */
export const sharedBufferName = (...words: readonly string[]): string => `shared-buffer ${words.join(' ')}`

/** Partitions have shares, and no sizes. */
export function notePartitions(cos: Branch | undefined, facts: Facts): void {
  let index = 0
  for (const side of ['ingress', 'egress'] as const) {
    const own = cos?.at('shared-buffer', side)
    noteNumber(facts, sharedBufferName(side, 'percent'), own?.value('percent'))
    for (const partition of own?.all('buffer-partition') ?? []) {
      const pool = facts.pool(index++)
      pool.put('poolName', partition.word, partition.line)
      pool.put('side', side, partition.line)
      for (const field of ['percent', 'dynamic-threshold'])
        noteNumber(facts, sharedBufferName(side, partition.word, field), partition.value(field))
    }
  }
}

/** Notes a number that a statement may have, under a name of the device's own. */
export function noteNumber(facts: Facts, name: string, value: Branch | undefined): void {
  const number = countOf(value)
  if (number !== undefined) facts.other(name, number, value!.line)
}

/** Settings of the device that have nothing to do with classes. */
export function noteRouting(root: Branch, facts: Facts): void {
  facts.switch.take('arpSeconds', root.value('system', 'arp', 'aging-timer'), (age) => {
    const minutes = countOf(age)
    return minutes === undefined ? undefined : minutes * 60
  })
  const macAge = root.value('protocols', 'l2-learning', 'global-mac-table-aging-time')
  facts.switch.take('macAgeSeconds', macAge, countOf)
  const balancing = root.at('forwarding-options', 'enhanced-hash-key', 'ecmp-dlb')
  for (const [word, balance] of [
    ['assigned-flow', 'ecmp'],
    ['flowlet', 'flowlet'],
    ['per-packet', 'spray'],
  ] as const)
    facts.switch.take('balance', balancing?.at(word), () => balance)
}

/** Names inside definitions that lead nowhere, and what is defined for PFC or ECN and used nowhere. */
export function noteReferences(context: Context): void {
  const { facts, profiles, classes, used } = context
  const missing = (what: string, { word, line }: Branch): void => facts.refer('undefined', what, word, line)
  const undefinedClass = (name: string, line: Line): void => facts.refer('undefined', 'forwarding-class', name, line)
  const usedSchedulers = new Set<string>()
  const usedMaps = new Set([...profiles.controls.values()].flatMap((map) => map?.word ?? []))
  for (const [mapName, { schedulers }] of profiles.maps)
    for (const [className, name] of schedulers) {
      if (!classes.isKnown(className)) undefinedClass(className, name.line)
      if (!profiles.schedulers.has(name.word)) missing('scheduler', name)
      if (used.has(`scheduler-map ${mapName}`) || usedMaps.has(mapName)) usedSchedulers.add(name.word)
    }
  for (const { dropProfile } of profiles.schedulers.values())
    if (dropProfile !== undefined && !profiles.drops.has(dropProfile.word)) missing('drop-profile', dropProfile)
  for (const { entries } of profiles.dscp.values())
    for (const { className, line } of entries) if (!classes.isKnown(className)) undefinedClass(className, line)
  if (!facts.isComplete) return
  const unapplied = (what: string, name: string, { line }: Pick<Branch, 'line'>): void =>
    facts.refer('unapplied', what, name, line)
  for (const [name, profile] of profiles.pfc)
    if (!used.has(`congestion-notification-profile ${name}`))
      unapplied('congestion-notification-profile', name, profile)
  for (const [name, scheduler] of profiles.schedulers)
    if (scheduler.ecn !== undefined && !usedSchedulers.has(name)) unapplied('scheduler', name, scheduler)
  const imported = new Set([...profiles.dscp.values()].map((one) => one.imported))
  for (const [name, classifier] of profiles.dscp)
    if (
      !used.has(`dscp classifier ${name}`) &&
      !imported.has(name) &&
      classifier.entries.some(({ className }) => classes.get(className)?.isLossless === true)
    )
      unapplied('dscp classifier', name, classifier)
}

/** Names that interfaces of class-of-service use though no port of them is known: they are applied. */
export function noteUsed({ used }: Context, branches: readonly Branch[]): void {
  for (const branch of branches) {
    for (const kind of ['congestion-notification-profile', 'scheduler-map']) {
      const name = branch.value(kind)
      if (name !== undefined) used.add(`${kind} ${name.word}`)
    }
    for (const level of [branch, ...branch.all('unit')]) {
      const name = firstOf([level], 'classifiers', 'dscp')
      if (name !== undefined) used.add(`dscp classifier ${name.word}`)
    }
  }
}
