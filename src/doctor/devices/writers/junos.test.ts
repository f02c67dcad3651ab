/** Junos written and read again: a clean leaf, ports that differ, and drawn values, in both layouts. */
import { describe, expect, test } from 'vitest'
import { fc } from '../../../../tests/support/properties.ts'
import { lossyIndexOf } from '../dialects/junos/classes.ts'
import {
  type ClassConfig,
  type DeviceConfig,
  type Plain,
  type PoolConfig,
  type PortConfig,
  type PortSettings,
  UNKNOWN,
  UNKNOWN_CLASS,
  UNKNOWN_POOL,
  UNKNOWN_PORT,
  UNKNOWN_SWITCH,
  type Value,
} from '../../../core/device-model/index.ts'
import { MIXED } from '../../diagnosis/rules/planted/mixed.test-data.ts'
import { eight, fec, flag, maybe, mtu, priorities, rate, schedule, up } from './draw.test-data.ts'
import { junosWriter } from './junos.ts'
import { lostOf, optionsOf, readFiles, troublesOf } from './round-trip.test-data.ts'

const CLEAN = readFiles('leaf-j', [{ file: 'running.conf', text: MIXED['leaf-j/running.conf']! }]).config

const PORTS = ['et-0/0/1', 'et-0/0/2:0', 'et-0/0/2:1'] as const

/** Classes of a device: lossless ones with any queue, and lossy ones as they follow from their queues. */
interface Classes {
  /** Queues of the classes. */
  readonly queues: ReadonlyMap<number, number>
  readonly lossless: readonly number[]
  readonly lossy: readonly number[]
}

const deviceClasses: fc.Arbitrary<Classes> = fc
  .record({ lossless: fc.subarray([0, 1, 3, 4, 5], { maxLength: 3 }), ofLossless: eight(up(7)), lossy: priorities })
  .map(({ lossless, ofLossless, lossy }) => {
    const known = new Map(lossless.map((index) => [index, ofLossless[index]!]))
    const all = new Set([...known.values(), ...lossy])
    const queues = new Map(known)
    for (const queue of lossy) {
      const index = lossyIndexOf(queue, known, all)
      if (index !== undefined && !queues.has(index)) queues.set(index, queue)
    }
    return { queues, lossless, lossy: [...queues.keys()].filter((index) => !known.has(index)) }
  })

const marking: fc.Arbitrary<Partial<ClassConfig>> = fc
  .record({
    kmin: up(100),
    more: up(100),
    pmax: up(100, 1),
    isKnown: flag,
    marks: fc.constantFrom('on', 'off', 'unknown'),
  })
  .map(({ kmin, more, pmax, isKnown, marks }) => {
    const ratio = (percent: number): Value<number> => ({ state: 'set', value: percent / 100 })
    if (marks === 'unknown') return {}
    const isOn = marks === 'on'
    return {
      marks: { state: 'set', value: isOn },
      ...(isOn && isKnown
        ? { kminRatio: ratio(kmin), kmaxRatio: ratio(Math.min(100, kmin + more)), pmaxRatio: ratio(pmax) }
        : {}),
    }
  })

/** Fields in which the port trusts, and what follows of them. */
function classification({ queues }: Classes): fc.Arbitrary<Partial<PortSettings>> {
  const one = fc.constantFrom(0, ...queues.keys())
  const by = (trust: string, dscpToClass?: readonly Value<number>[]): Partial<PortSettings> => ({
    trust: { state: 'set', value: trust },
    classifies: { state: 'set', value: true },
    ...(dscpToClass === undefined ? {} : { dscpToClass }),
  })
  const map = fc.array(maybe(one), { minLength: 64, maxLength: 64 })
  return fc.oneof(
    map.map((all) => by('dscp', all)),
    map.map((all) => by('both', all)),
    map.map((dscpToClass) => ({ dscpToClass })),
    fc.constant(by('dscp')),
    fc.constant(by('pcp')),
    one.map((index) =>
      by(
        'none',
        Array.from({ length: 64 }, () => ({ state: 'set', value: index })),
      ),
    ),
    fc.constant<Partial<PortSettings>>({
      classifies: { state: 'default', value: false },
      vlanMode: { state: 'set', value: 'untagged' },
    }),
  )
}

interface Drawn {
  readonly classification: Partial<PortSettings>
  readonly lossless: readonly number[]
  readonly alsoWritten: readonly number[]
  readonly isOn: boolean
  readonly watched: boolean | undefined
  readonly paused: readonly Value<number>[]
}

/** Parts of the port's PFC. @param hasHeadroom one for all ports */
function pfcOf(
  { classification: own, lossless, alsoWritten, isOn, watched, paused }: Drawn,
  hasHeadroom: boolean | undefined,
): { readonly settings: Partial<PortSettings>; readonly ofClass: (index: number) => Partial<ClassConfig> } {
  const value = <T extends Plain>(one: T): Value<T> => ({ state: 'set', value: one })
  if (!isOn) {
    return { settings: { pfcMode: value('off'), pfcClasses: value([]), pfcWritten: value([]) }, ofClass: () => ({}) }
  }
  // A lossy class is written by a DSCP that the port takes for it.
  const trust = own.trust !== undefined && 'value' in own.trust ? own.trust.value : 'dscp'
  const ofDscps = new Set((own.dscpToClass ?? []).flatMap((each) => ('value' in each ? [each.value] : [])))
  const more = trust === 'dscp' || trust === 'both' ? alsoWritten.filter((index) => ofDscps.has(index)) : []
  return {
    settings: {
      pfcMode: value('on'),
      pfcClasses: value(lossless),
      pfcWritten: value([...lossless, ...more].toSorted((a, b) => a - b)),
    },
    ofClass: (index) => ({
      pausedQueue: paused[index]!,
      ...(lossless.includes(index) && watched !== undefined ? { isWatched: value(watched) } : {}),
      ...(lossless.includes(index) && hasHeadroom !== undefined ? { hasHeadroom: value(hasHeadroom) } : {}),
    }),
  }
}

/** @param isFirst the port that has all classes, so that nothing of them is left open */
function port(
  name: string,
  all: Classes,
  hasHeadroom: boolean | undefined,
  isFirst: boolean,
): fc.Arbitrary<PortConfig> {
  const pfc = fc
    .record({
      classification: classification(all),
      lossless: isFirst ? fc.constant(all.lossless) : fc.subarray([...all.lossless]),
      alsoWritten: fc.subarray([...all.lossy]),
      isOn: isFirst ? fc.constant(true) : flag,
      watched: fc.option(flag, { nil: undefined }),
      paused: eight(maybe(up(7))),
    })
    .map((drawn) => ({ ...pfcOf(drawn, hasHeadroom), own: drawn.classification, isOn: drawn.isOn }))
  return fc
    .record({
      pfc,
      classes: eight(fc.record({ schedule: maybe(schedule), marking, hasQueue: isFirst ? fc.constant(true) : flag })),
      rateBps: maybe(rate),
      isUp: maybe(flag),
      fec: maybe(fec),
      autoNegotiates: maybe(flag),
      mtuBytes: maybe<number | string>(mtu),
      takesGlobalPause: maybe(flag),
      sendsGlobalPause: maybe(flag),
      vlanMode: maybe(fc.constantFrom('untagged', 'tagged', 'both')),
      cableM: maybe(up(300)),
    })
    .map(({ pfc: { settings, ofClass, own, isOn }, classes, cableM, ...rest }) => ({
      name,
      role: 'port',
      peer: UNKNOWN,
      settings: {
        ...UNKNOWN_PORT,
        ...rest,
        ...own,
        ...settings,
        cableM: isOn ? cableM : UNKNOWN,
        classes: classes.map((each, index): ClassConfig => {
          const queue = all.queues.get(index)
          const isUsed = queue !== undefined
          return {
            ...UNKNOWN_CLASS,
            ...(isUsed ? { schedule: each.schedule, ...each.marking } : {}),
            ...(isUsed && each.hasQueue ? { queue: { state: 'set', value: queue } } : {}),
            ...ofClass(index),
          }
        }),
      },
    }))
}

const watchdog = fc
  .record({ poll: up(1000, 1), polls: up(10, 1), recovery: up(10_000, 1), action: fc.constantFrom('drop', 'forward') })
  .chain(({ poll, polls, recovery, action }) =>
    fc.record({
      pollPs: maybe(fc.constant(poll * 1e9)),
      detectionPs: maybe(fc.constant(poll * polls * 1e9)),
      restorationPs: maybe<number | string>(fc.constant(recovery * 1e9)),
      action: maybe(fc.constant(action)),
    }),
  )

const config: fc.Arbitrary<DeviceConfig> = fc
  .record({
    classes: deviceClasses,
    hasHeadroom: fc.option(flag, { nil: undefined }),
    arpSeconds: maybe(up(240, 1).map((minutes) => minutes * 60)),
    macAgeSeconds: maybe(up(3600, 10)),
    balance: maybe(fc.constantFrom('ecmp', 'flowlet', 'spray')),
    watchdog,
    share: maybe(up(99, 1)),
  })
  .chain(({ classes, hasHeadroom, arpSeconds, macAgeSeconds, balance, watchdog: times, share }) =>
    fc.tuple(...PORTS.map((name, i) => port(name, classes, hasHeadroom, i === 0))).map((ports): DeviceConfig => {
      const isWatched = ports.some(({ settings }) =>
        settings.classes.some((own) => 'value' in own.isWatched && own.isWatched.value),
      )
      const pool = (name: string, side: string): PoolConfig => ({
        ...UNKNOWN_POOL,
        poolName: { state: 'set', value: name },
        side: { state: 'set', value: side },
      })
      return {
        device: 'leaf',
        kind: 'switch',
        language: 'junos',
        role: 'switch',
        settings: {
          ...UNKNOWN_SWITCH,
          arpSeconds,
          macAgeSeconds,
          balance,
          watchdog: {
            ...UNKNOWN_SWITCH.watchdog,
            ...(isWatched ? { kind: { state: 'set', value: 'generic' }, ...times } : {}),
          },
          pools: [pool('lossless', 'ingress'), pool('lossless-headroom', 'ingress'), pool('lossless', 'egress')],
          other: { 'shared-buffer egress lossless percent': share },
        },
        ports,
      }
    }),
  )

/** Fields that only a profile of PFC has. */
const withoutPfc = (own: ClassConfig): ClassConfig => ({
  ...own,
  pausedQueue: UNKNOWN,
  isWatched: UNKNOWN,
  hasHeadroom: UNKNOWN,
})

describe.each(junosWriter.variants)('%s', (variant) => {
  test('a clean leaf', () => {
    const { lost, device } = lostOf(junosWriter, CLEAN, optionsOf(variant))
    expect(lost).toEqual([])
    expect(troublesOf(device)).toEqual([])
    expect(device.isComplete).toBe(true)
    expect(device.config.ports.map(({ name }) => name)).toEqual(['et-0/0/10', 'et-0/0/63'])
  })

  test('one port without PFC, and one with other DSCPs and marks', () => {
    const [first, second] = CLEAN.ports as [PortConfig, PortConfig]
    const value = <T extends Plain>(one: T): Value<T> => ({ state: 'set', value: one })
    const without: PortConfig = {
      ...first,
      settings: {
        ...first.settings,
        pfcMode: value('off'),
        pfcClasses: value([]),
        pfcWritten: value([]),
        cableM: UNKNOWN,
        classes: first.settings.classes.map(withoutPfc),
      },
    }
    const other: PortConfig = {
      ...second,
      settings: {
        ...second.settings,
        dscpToClass: second.settings.dscpToClass.map((each, dscp) => (dscp === 24 ? value(3) : each)),
        classes: second.settings.classes.map((each, i) => (i === 3 ? { ...each, kminRatio: value(0.5) } : each)),
      },
    }
    const { lost, device } = lostOf(junosWriter, { ...CLEAN, ports: [without, other] }, optionsOf(variant))
    expect(lost).toEqual([])
    expect(troublesOf(device)).toEqual([])
  })

  test('of a class that is lossless elsewhere, what is in force counts for more than what is written', () => {
    const [first, second] = CLEAN.ports as [PortConfig, PortConfig]
    const settings: PortSettings = { ...first.settings, pfcClasses: { state: 'set', value: [] } }
    const { lost } = lostOf(junosWriter, { ...CLEAN, ports: [{ ...first, settings }, second] }, optionsOf(variant))
    expect(lost.filter((one) => one.includes('pfcClasses'))).toEqual([])
  })

  test('drawn values', () => {
    fc.assert(
      fc.property(config, (drawn) => {
        const { lost, device } = lostOf(junosWriter, drawn, optionsOf(variant))
        expect(lost).toEqual([])
        expect(troublesOf(device)).toEqual([])
      }),
    )
  })
})
