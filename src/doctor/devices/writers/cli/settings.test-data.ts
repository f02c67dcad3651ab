/**
 * Settings of switches of NX-OS, EOS and OS10 by chance, within what a switch of the language can have: of NX-OS all ports have
 * the same lossless classes, of EOS the same queues.
 */
import { fc } from '../../../../../tests/support/properties.ts'
import { classesOf } from '../../dialects/cli/queues.ts'
import type { Language } from '../../dialects/dialect.ts'
import {
  type ClassConfig,
  type DeviceConfig,
  type Plain,
  type PortConfig,
  type PortSettings,
  UNKNOWN,
  UNKNOWN_CLASS,
  UNKNOWN_PORT,
  UNKNOWN_SWITCH,
  type Value,
} from '../../../../core/device-model/index.ts'

const STATES = ['set', 'default', 'operational'] as const
const PS_PER_MS = 1e9

type Arbitrary<T> = fc.Arbitrary<T>

/** A known value, in any state: how it became known changes nothing. */
const known = <T extends Plain>(value: Arbitrary<T>): Arbitrary<Value<T>> =>
  fc.tuple(value, fc.constantFrom(...STATES)).map(([each, state]): Value<T> => ({ state, value: each }))

const perhaps = <T extends Plain>(value: Arbitrary<T>): Arbitrary<Value<T>> =>
  fc.oneof(known(value), fc.constant<Value<T>>(UNKNOWN))

const of = <T extends Plain>(value: T): Arbitrary<Value<T>> => known(fc.constant(value))

const integer = (min: number, max: number): Arbitrary<number> => fc.integer({ min, max })

/** Lossless classes and what follows from them. */
interface Lossless {
  readonly classes: readonly number[]
  /** By class. */
  readonly groups: readonly number[]
  /** By class. */
  readonly queues: readonly number[]
}

const permutation: Arbitrary<number[]> = fc.shuffledSubarray([0, 1, 2, 3, 4, 5, 6, 7], { minLength: 8 })

function losslessFor(language: Language): Arbitrary<Lossless> {
  return fc.tuple(integer(0, 3), permutation, permutation, permutation).map(([count, order, others, queues]) => {
    const classes = order.slice(0, count).toSorted((a, b) => a - b)
    if (language === 'eos') return { classes, groups: [0, 1, 2, 3, 4, 5, 6, 7], queues }
    const classOf = classesOf(classes.map((index, i) => ({ group: others[i]!, priorities: [index] })))
    const groups = classOf.map((_, index) => classOf.indexOf(index))
    return { classes, groups, queues: language === 'nx-os' ? groups : queues }
  })
}

const STRICT = 'strict'

function classFor(
  language: Language,
  index: number,
  lossless: Lossless,
  canBeWatched: boolean,
  isWatched: boolean,
): Arbitrary<ClassConfig> {
  const bytes = language === 'os10' ? integer(1, 9000).map((kilobytes) => kilobytes * 1000) : integer(1, 9_000_000)
  const schedules = [integer(1, 100), fc.constant<number | string>(STRICT)]
  if (language === 'eos') schedules.push(fc.constant('round-robin'))
  const isLossless = lossless.classes.includes(index)
  const hasWatch = language !== 'os10' && isLossless
  const watched = !canBeWatched ? fc.constant(false) : language === 'eos' ? fc.boolean() : fc.constant(isWatched)
  return fc.tuple(fc.boolean(), fc.boolean(), fc.boolean()).chain(([isNamed, isMarked, isDropping]) =>
    fc.record({
      ...Object.fromEntries(Object.entries(UNKNOWN_CLASS).map(([field, value]) => [field, fc.constant(value)])),
      group: isNamed || isLossless || language !== 'nx-os' ? of(lossless.groups[index]!) : fc.constant(UNKNOWN),
      queue: isNamed || isLossless || language !== 'nx-os' ? of(lossless.queues[index]!) : fc.constant(UNKNOWN),
      schedule: perhaps(fc.oneof(...schedules)),
      marks: of(isMarked),
      dropsAtEgress: !isMarked && isDropping ? of(true) : fc.constant(UNKNOWN),
      ...(isMarked
        ? { kminBytes: known(bytes), kmaxBytes: known(bytes), pmaxRatio: known(integer(0, 100).map((p) => p / 100)) }
        : {}),
      isWatched: hasWatch ? known(watched) : fc.constant(UNKNOWN),
    } as { [K in keyof ClassConfig]: Arbitrary<ClassConfig[K]> }),
  )
}

/** Classes of the DSCPs of a port, by the field that it trusts. */
function dscpsFor(language: Language, trust: string, lossless: Lossless): Arbitrary<readonly Value<number>[]> {
  const unknown = UNKNOWN_PORT.dscpToClass
  const rest = lossless.groups.indexOf(0)
  if (trust === 'none' && language !== 'eos') return of(rest).map((value) => unknown.map(() => value))
  if (trust === 'none' || trust === 'pcp') return fc.constant(unknown)
  // One is known in any case: a port that trusts DSCPs has a map.
  const some = fc
    .array(perhaps(integer(0, 7)), { minLength: 63, maxLength: 63 })
    .chain((others) => known(integer(0, 7)).map((first) => [first, ...others]))
  const few = fc
    .uniqueArray(fc.tuple(integer(0, 63), integer(0, 7)), { selector: ([dscp]) => dscp, maxLength: 6 })
    .chain((own) => fc.constantFrom(...STATES).map((state) => ({ state, map: new Map(own) })))
    .map(({ state, map }) => unknown.map((_, dscp): Value<number> => ({ state, value: map.get(dscp) ?? rest })))
  return fc.oneof(some, few)
}

function portFor(language: Language, lossless: Lossless, hasWatchdog: boolean): Arbitrary<PortSettings> {
  const modes = language === 'nx-os' ? ['on', 'off', 'auto'] : ['on', 'off']
  return fc
    .tuple(fc.constantFrom(...modes), fc.constantFrom('dscp', 'dscp', 'pcp', 'both', 'none'), fc.boolean())
    .chain(([mode, trust, isWatched]) =>
      fc.record({
        rateBps: perhaps(fc.constantFrom(10e9, 25e9, 40e9, 100e9, 200e9, 400e9, 800e9, 2.5e9)),
        isUp: perhaps(fc.boolean()),
        mtuBytes: perhaps(integer(576, 9999)),
        vlanMode: perhaps(fc.constantFrom('untagged', 'both')),
        takesGlobalPause: perhaps(fc.boolean()),
        sendsGlobalPause: perhaps(fc.boolean()),
        pfcMode: of(mode),
        pfcWritten: of(lossless.classes),
        pfcClasses: mode === 'auto' ? fc.constant(UNKNOWN) : of(mode === 'on' ? lossless.classes : []),
        trust: of(trust),
        classifies: of(trust !== 'none'),
        dscpToClass: dscpsFor(language, trust, lossless),
        classes: fc.tuple(
          ...UNKNOWN_PORT.classes.map((_, index) => classFor(language, index, lossless, hasWatchdog, isWatched)),
        ),
      }),
    )
    .map((own): PortSettings => ({ ...UNKNOWN_PORT, ...own }))
}

const nameOf = (language: Language, i: number): string =>
  ({ 'nx-os': `Ethernet1/${i + 1}`, eos: `Ethernet${i + 1}/1` })[language as string] ?? `ethernet1/1/${i + 1}`

/** Up to six ports, several of which are alike, and the watchdog. */
export function switchFor(language: Language): Arbitrary<DeviceConfig> {
  const times = integer(1, 9999).map((ms) => ms * PS_PER_MS)
  return fc.tuple(fc.boolean(), losslessFor(language)).chain(([isOn, shared]) => {
    const hasWatchdog = isOn && language !== 'os10'
    const sets =
      language === 'nx-os'
        ? fc.constant(shared)
        : losslessFor(language).map((own) => (language === 'eos' ? { ...own, queues: shared.queues } : own))
    const port = sets.chain((lossless) => portFor(language, lossless, hasWatchdog))
    return fc
      .record({
        kinds: fc.array(port, { minLength: 1, maxLength: 3 }),
        order: fc.array(fc.nat(), { minLength: 1, maxLength: 6 }),
        kind: language === 'os10' ? fc.constant(UNKNOWN) : of(hasWatchdog ? language : 'off'),
        detectionPs: hasWatchdog ? known(times) : fc.constant(UNKNOWN),
        restorationPs: hasWatchdog ? perhaps(times) : fc.constant(UNKNOWN),
        pollPs: perhaps(times),
        action: perhaps(fc.constantFrom('drop', 'alert', 'errdisable')),
        platform: perhaps(fc.constant('DCS-7060X6')),
      })
      .map(({ kinds, order, platform, ...watchdog }): DeviceConfig => ({
        device: 'leaf',
        kind: 'switch',
        language,
        role: 'leaf',
        settings: { ...UNKNOWN_SWITCH, platform, watchdog: { ...UNKNOWN_SWITCH.watchdog, ...watchdog } },
        ports: order.map((n, i): PortConfig => ({
          name: nameOf(language, i),
          role: 'port',
          peer: UNKNOWN,
          settings: kinds[n % kinds.length]!,
        })),
      }))
  })
}
