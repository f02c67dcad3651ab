/** Any settings of a switch that SONiC can have are read as they were drawn. */
import { expect, test } from 'vitest'
import { fc } from '../../../../tests/support/properties.ts'
import type { ClassConfig, PoolConfig, PortSettings, SwitchSettings } from '../../../core/device-model/index.ts'
import * as draw from './drawn.test-data.ts'
import { differences, readBack, write } from './read-back.test-data.ts'
import { sonicWriter } from './sonic.ts'

type Arb<T> = fc.Arbitrary<T>
const { bool, bytes, known, some, unknown } = draw
const yes = known(fc.constant(true))
const no = known(fc.constant(false))

const group: Arb<Partial<ClassConfig>> = fc.oneof(
  fc.record({ hasHeadroom: no }),
  fc.record({ hasHeadroom: no, reserveBytes: some(bytes), alpha: some(draw.share), staticBytes: some(bytes) }),
  fc.record({
    hasHeadroom: yes,
    headroomBytes: known(fc.integer({ min: 1, max: 1e9 })),
    reserveBytes: some(bytes),
    xonBytes: some(bytes),
    xonOffsetBytes: some(bytes),
    alpha: some(draw.share),
  }),
  // From the pool, or computed.
  fc.record({ hasHeadroom: yes, headroomBytes: some(fc.constant(0)), xonBytes: some(bytes), alpha: some(draw.share) }),
  fc.record({ hasHeadroom: yes, alpha: some(draw.share) }),
  fc.constant({}),
)
const queue: Arb<Partial<ClassConfig>> = fc
  .tuple(
    draw.marking,
    fc.record({
      dropsAtEgress: some(bool),
      schedule: some<number | string>(
        fc.oneof(fc.integer({ min: 1, max: 100 }), fc.constantFrom('strict', 'round-robin')),
      ),
    }),
  )
  .map(([marks, rest]) => ({ ...marks, ...rest }))

/** Groups and queues of the classes; null: the file does not map them. */
const numbers = fc.oneof(fc.constant(null), draw.eight(fc.nat({ max: 7 })))
const byNumber = (
  rows: readonly Partial<ClassConfig>[],
  map: readonly number[] | null,
  field: 'group' | 'queue',
): Partial<ClassConfig>[] =>
  rows.map((row, index) => (map === null ? row : { ...rows[map[index]!], [field]: draw.set(map[index]!) }))

const classified: Arb<Partial<PortSettings>> = fc.oneof(
  fc.record({ trust: known(fc.constant('dscp')), classifies: yes, dscpToClass: draw.dscpMap }),
  fc.record({ trust: known(fc.constant('dscp')), classifies: no }),
  fc.record({ trust: known(fc.constant('pcp')), classifies: some(bool) }),
  fc.record({ trust: known(fc.constant('none')), classifies: no }),
  fc.record({ dscpToClass: draw.dscpMap }),
)

const port = (isMapped: boolean, isWatched: boolean): Arb<Partial<PortSettings>> =>
  fc
    .record({
      settings: fc.record({
        rateBps: some(draw.rate),
        isUp: some(bool),
        fec: some(fc.constantFrom('rs', 'fc', 'none', 'auto')),
        autoNegotiates: some(bool),
        mtuBytes: some<number | string>(fc.integer({ min: 68, max: 9216 })),
        vlanMode: some(fc.constantFrom('untagged', 'tagged', 'both')),
        isPfcAsymmetric: some(bool),
        cableM: some(fc.nat({ max: 2000 })),
      }),
      classified,
      pfc: some(draw.classSet),
      groups: isMapped ? numbers.map((map) => map ?? [0, 1, 2, 3, 4, 5, 6, 7]) : fc.constant(null),
      queues: isMapped ? numbers.map((map) => map ?? [0, 1, 2, 3, 4, 5, 6, 7]) : fc.constant(null),
      group: draw.eight(group),
      queue: draw.eight(queue),
      own: draw.eight(
        fc.record({ pausedQueue: some(fc.nat({ max: 7 })), isWatched: isWatched ? some(bool) : fc.oneof(no, unknown) }),
      ),
    })
    .map((drawn) => ({
      ...drawn.settings,
      ...drawn.classified,
      pfcClasses: drawn.pfc,
      pfcWritten: drawn.pfc,
      classes: draw.classesOf(
        byNumber(drawn.group, drawn.groups, 'group'),
        byNumber(drawn.queue, drawn.queues, 'queue'),
        drawn.own,
      ),
    }))

const pool: Arb<PoolConfig> = fc.record({
  poolName: unknown,
  side: some(fc.constantFrom('ingress', 'egress', 'both')),
  sizeBytes: some(bytes),
  sharedHeadroomBytes: some(bytes),
})

const device = (kind: string | undefined): Arb<Partial<SwitchSettings>> =>
  fc.record({
    platform: some(fc.constantFrom('generic-64x400', 'Force10-S6100')),
    watchdog: fc.record({
      kind: kind === undefined ? unknown : known(fc.constant(kind)),
      action: some(fc.constantFrom('drop', 'forward', 'alert')),
      ports: unknown,
      detectionPs: some(draw.milliseconds),
      restorationPs: some<number | string>(fc.oneof(draw.milliseconds, fc.constant('never'))),
      pollPs: some(draw.milliseconds),
    }),
    pools: fc.array(pool, { maxLength: 4 }),
    headroomOversubscription: some(fc.integer({ min: 1, max: 8 })),
    isHeadroomDynamic: some(bool),
    headroomTable: some(
      fc.constantFrom(
        [{ rateBps: 400e9, cableM: 5 }],
        [
          { rateBps: 100e9, cableM: 5 },
          { rateBps: 400e9, cableM: 40 },
        ],
      ),
    ),
    floodsLossless: no,
  })

const drawn = fc
  .record({
    kind: fc.constantFrom(undefined, 'off', 'sonic', 'nvidia', 'cisco', 'generic'),
    isMapped: bool,
  })
  .chain(({ kind, isMapped }) =>
    fc
      .tuple(device(kind), fc.array(port(isMapped, kind !== 'off'), { minLength: 1, maxLength: 4 }))
      .map(([settings, ports]) =>
        draw.deviceWith(
          'sonic',
          settings,
          ports.map((each, index) => [`Ethernet${4 * index}`, each]),
        ),
      ),
  )

test('what is drawn is written and read as it was', () => {
  fc.assert(
    fc.property(drawn, fc.constantFrom(...sonicWriter.variants), (config, variant) => {
      const again = readBack(config, write(sonicWriter, config, variant))
      expect(differences(config, again, sonicWriter.cannotSay)).toEqual([])
    }),
    { numRuns: 300 },
  )
})
