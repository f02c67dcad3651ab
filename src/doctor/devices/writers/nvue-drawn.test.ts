/** Any settings of a switch that NVUE can have are read as they were drawn. */
import { expect, test } from 'vitest'
import { fc } from '../../../../tests/support/properties.ts'
import type { ClassConfig, PortSettings, SwitchSettings, Value } from '../../../core/device-model/index.ts'
import * as draw from './drawn.test-data.ts'
import { nvueWriter } from './nvue.ts'
import { differences, readBack, write } from './read-back.test-data.ts'

type Arb<T> = fc.Arbitrary<T>
const { bool, bytes, known, set, some, unknown } = draw
const yes = known(fc.constant(true))

const classified: Arb<Partial<PortSettings>> = fc.oneof(
  fc.record({ trust: known(fc.constantFrom('dscp', 'both')), classifies: yes, dscpToClass: draw.dscpMap }),
  fc.record({ trust: known(fc.constant('pcp')), classifies: yes }),
  fc
    .tuple(known(fc.constant('none')), known(fc.nat({ max: 7 })))
    .map(([trust, fixed]) => ({ trust, dscpToClass: Array.from({ length: 64 }, () => fixed) })),
  fc.record({ dscpToClass: draw.dscpMap }),
)

interface Pfc {
  readonly lossless: readonly number[]
  readonly state: 'on' | 'off' | 'one-way'
  /** Each lossless class has them. */
  readonly own: Partial<ClassConfig>
}

const pfc: Arb<Pfc> = fc.record({
  lossless: draw.classSet,
  state: fc.constantFrom('on', 'on', 'off', 'one-way'),
  own: fc.record({
    xoffBytes: some(bytes),
    xonOffsetBytes: some(bytes),
    reserveBytes: some(bytes),
    isWatched: some(bool),
  }),
})

/** Settings that follow from PFC. A class pauses its own queue. */
function pfcSettings({ lossless, state }: Pfc): Partial<PortSettings> {
  const inForce = state === 'off' ? [] : lossless
  const isOneWay = state === 'one-way' && lossless.length > 0
  return {
    pfcWritten: set(lossless),
    pfcMode: set(inForce.length > 0 ? 'on' : 'off'),
    ...(isOneWay ? { isPfcAsymmetric: set(true) } : { isPfcAsymmetric: set(false), pfcClasses: set(inForce) }),
  }
}

const queueSettings: Arb<Partial<ClassConfig>> = fc
  .tuple(draw.marking, some<number | string>(fc.oneof(fc.integer({ min: 1, max: 100 }), fc.constant('strict'))))
  .map(([marks, schedule]) => ({ ...marks, schedule }))

const port = (queues: readonly number[], headroom: Value<boolean>, isWatched: boolean): Arb<Partial<PortSettings>> =>
  fc
    .record({
      settings: fc.record({
        rateBps: some(draw.rate),
        isUp: some(bool),
        fec: some(fc.constantFrom('rs', 'fc', 'none', 'auto')),
        autoNegotiates: some(bool),
        mtuBytes: some<number | string>(fc.integer({ min: 68, max: 9216 })),
        vlanMode: some(fc.constantFrom('untagged', 'tagged', 'both')),
        takesGlobalPause: some(bool),
        sendsGlobalPause: some(bool),
        cableM: some(fc.nat({ max: 2000 })),
      }),
      classified,
      pfc,
      rows: draw.eight(queueSettings),
    })
    .map((drawn) => ({
      ...drawn.settings,
      ...drawn.classified,
      ...pfcSettings(drawn.pfc),
      classes: draw.classesOf(
        queues.map((queue) => ({ ...drawn.rows[queue], queue: set(queue) })),
        queues.map((queue, index) =>
          drawn.pfc.state === 'on' && drawn.pfc.lossless.includes(index)
            ? {
                ...drawn.pfc.own,
                ...(isWatched ? {} : { isWatched: set(false) }),
                hasHeadroom: headroom,
                pausedQueue: set(queue),
              }
            : {},
        ),
      ),
    }))

const watchdog = (isOn: boolean): Arb<SwitchSettings['watchdog']> =>
  fc.tuple(draw.milliseconds, fc.integer({ min: 1, max: 100 }), bool).map(([pollPs, polls, isWhole]) => ({
    kind: set(isOn ? 'nvidia' : 'off'),
    action: isOn ? set('drop') : { state: 'unknown' },
    ports: { state: 'unknown' },
    detectionPs: isOn && isWhole ? set(pollPs * polls) : { state: 'unknown' },
    restorationPs: isOn ? set(pollPs) : { state: 'unknown' },
    pollPs: isOn ? set(pollPs) : { state: 'unknown' },
  }))

const drawn = fc
  .record({
    queues: fc.oneof(fc.constant([0, 1, 2, 3, 4, 5, 6, 7]), draw.eight(fc.nat({ max: 7 }))),
    headroom: some(bool),
    isWatched: bool,
  })
  .chain(({ queues, headroom, isWatched }) =>
    fc
      .tuple(
        fc.record({ watchdog: watchdog(isWatched), balance: fc.oneof(unknown, known(fc.constant('spray'))) }),
        fc.array(port(queues, headroom, isWatched), { minLength: 1, maxLength: 4 }),
        fc.uniqueArray(fc.constantFrom('swp1', 'swp2', 'swp3', 'swp4', 'swp31', 'swp5s0', 'swp5s1', 'swp6s3'), {
          minLength: 4,
        }),
      )
      .map(([settings, ports, names]) =>
        draw.deviceWith(
          'nvue',
          settings,
          ports.map((each, index) => [names[index]!, index > 0 || !isWatched ? each : watched(each)]),
        ),
      ),
  )

/** The watchdog is on at one port at least. */
function watched(settings: Partial<PortSettings>): Partial<PortSettings> {
  const classes = settings.classes!.map((own) =>
    own.pausedQueue.state === 'unknown' ? own : { ...own, isWatched: set(true) },
  )
  return { ...settings, classes }
}

test('what is drawn is written and read as it was', () => {
  fc.assert(
    fc.property(drawn, fc.constantFrom(...nvueWriter.variants), (config, variant) => {
      const again = readBack(config, write(nvueWriter, config, variant))
      expect(differences(config, again, nvueWriter.cannotSay)).toEqual([])
    }),
    { numRuns: 300 },
  )
})
