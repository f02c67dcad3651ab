/** Hosts written and read again: a clean one, ports that differ, and drawn values, in each language. */
import { describe, expect, test } from 'vitest'
import { fc } from '../../../../../tests/support/properties.ts'
import {
  type ClassConfig,
  type DeviceConfig,
  type Gid,
  type JobSettings,
  type NicSettings,
  type PortConfig,
  type PortSettings,
  UNKNOWN,
  UNKNOWN_CLASS,
  UNKNOWN_HOST,
  UNKNOWN_JOB,
  UNKNOWN_NIC,
  UNKNOWN_PORT,
} from '../../../../core/device-model/index.ts'
import { host } from '../../../diagnosis/rules/planted/clean.test-data.ts'
import { eight, fec, flag, maybe, mtu, priorities, priority, rate, schedule, up } from '../draw.test-data.ts'
import { filesOf, lostOf, optionsOf, readFiles, troublesOf } from '../round-trip.test-data.ts'
import { HOST_WRITERS } from './index.ts'

const CLEAN = filesOf(
  Object.fromEntries(Object.entries(host('h1', 'leaf1', 'Ethernet0')).map(([file, text]) => [file.slice(3), text])),
)
const PEERS = { eth1: { device: 'leaf1', port: 'Ethernet0' } }
const ALL = HOST_WRITERS.flatMap((writer) =>
  writer.variants.map((variant) => [`${writer.language} ${variant}`, writer, variant] as const),
)

function clean(): PortConfig {
  return readFiles('h1', CLEAN, ['eth1']).config.ports.find(({ name }) => name === 'eth1')!
}

/** Traffic classes of the priorities; those of one traffic class have one schedule. */
const classes: fc.Arbitrary<ClassConfig[]> = fc
  .record({ queues: eight(maybe(priority)), ofQueue: eight(maybe(schedule)), ofOthers: eight(maybe(schedule)) })
  .map(({ queues, ofQueue, ofOthers }) =>
    queues.map((queue, i) => ({
      ...UNKNOWN_CLASS,
      queue,
      schedule: queue.state === 'unknown' ? ofOthers[i]! : ofQueue[queue.value]!,
    })),
  )

const group = up(0xffff).map((one) => one.toString(16).padStart(4, '0'))
const address = fc.oneof(
  fc.tuple(up(255), up(255), up(255), up(255)).map((bytes) => `::ffff:${bytes.join('.')}`),
  fc.array(group, { minLength: 7, maxLength: 7 }).map((groups) => ['fe80', ...groups].join(':')),
)
const gids: fc.Arbitrary<Gid[]> = fc
  .array(fc.record({ version: fc.constantFrom('v1', 'v2'), address }), { minLength: 1, maxLength: 4 })
  .map((all) => all.map((gid, index) => ({ index, ...gid })))

/** @param index of the port at its host */
const nic = (index: number): fc.Arbitrary<NicSettings> =>
  fc
    .record({
      rdmaDevice: maybe(fc.constantFrom(`mlx5_${index}`, `mlx4_0/${index + 2}`)),
      pciName: maybe(fc.constant(`0000:0${index + 5}:00.0`)),
      isActive: maybe(flag),
      activeMtuBytes: maybe(fc.constantFrom(256, 512, 1024, 2048, 4096)),
      sysfsTclass: maybe(up(255)),
      cmaTclass: maybe(up(255)),
      npClasses: maybe(fc.oneof(priorities, fc.constantFrom([], [0, 1, 2, 3, 4, 5, 6, 7]))),
      rpClasses: maybe(fc.oneof(priorities, fc.constantFrom([], [0, 1, 2, 3, 4, 5, 6, 7]))),
      cnpDscp: maybe(up(63)),
      cnpClass: maybe(priority),
      bufferOfClass: maybe(eight(priority)),
      bufferBytes: maybe(eight(up(1e6))),
      dcbx: maybe(fc.constantFrom('os', 'firmware')),
      isWilling: maybe(flag),
      hasLldpad: maybe(fc.constant(true)),
      pauseWatchdogPs: maybe<number | string>(
        fc.oneof(
          fc.constant('off'),
          up(65_534, 1).map((ms) => ms * 1e9),
        ),
      ),
      gids: maybe(gids),
    })
    .map((all) => {
      // A port that is down has no MTU that packets have.
      const isDown = all.isActive.state !== 'unknown' && !all.isActive.value
      return { ...UNKNOWN_NIC, ...all, ...(isDown ? { activeMtuBytes: UNKNOWN } : {}) }
    })

const settings = (index: number): fc.Arbitrary<PortSettings> =>
  fc
    .record({
      rateBps: maybe(rate),
      isUp: maybe(flag),
      fec: maybe(fec),
      autoNegotiates: maybe(flag),
      mtuBytes: maybe<number | string>(mtu),
      trust: maybe(fc.constantFrom('dscp', 'pcp', 'both', 'none')),
      dscpToClass: fc.oneof(
        fc.array(maybe(priority), { minLength: 64, maxLength: 64 }),
        fc.constant(UNKNOWN_PORT.dscpToClass),
      ),
      pfcClasses: maybe(priorities),
      pfcWritten: fc.oneof(fc.constant(UNKNOWN), maybe(priorities)),
      peerPfcClasses: maybe(priorities),
      pfcMode: maybe(fc.constantFrom('on', 'off')),
      takesGlobalPause: maybe(flag),
      sendsGlobalPause: maybe(flag),
      cableM: maybe(up(300)),
      classes,
      nic: nic(index),
      other: fc.record({ rpg_ai_rate: maybe(up(1e6)), min_time_between_cnps: maybe(up(1e3)) }),
    })
    .map((all) => ({ ...UNKNOWN_PORT, ...all }))

const job: fc.Arbitrary<JobSettings> = fc
  .record({
    ncclIbTc: maybe(up(255)),
    ncclIbFifoTc: maybe(up(255)),
    ncclGinIbTc: maybe(up(255)),
    ncclGinType: maybe(up(3)),
    isNcclGinOn: maybe(flag),
    ncclIbHca: maybe(fc.constantFrom('mlx5', '=mlx5_1:1,mlx5_2:1', '^=mlx5_0')),
    ncclIbGidIndex: maybe(up(20, -1)),
    ncclIbTimeout: maybe(up(31)),
    ncclIbRetryCount: maybe(up(7)),
    ncclCrossNic: maybe(up(2)),
    ncclPxnDisable: maybe(up(1)),
    ncclMinChannels: maybe(up(64)),
    ncclAlgo: maybe(fc.constantFrom('Ring', 'Tree,Ring', '^Tree')),
    ucxIbTc: maybe(up(255)),
    ucxNetDevices: maybe(fc.constantFrom('all', 'mlx5_0:1,mlx5_1:1')),
    ucxRcTimeout: maybe(up(31)),
    ucxRcRetryCount: maybe(up(7)),
    nvshmemHcaList: maybe(fc.constantFrom('mlx5_0:1', '^mlx5_1')),
  })
  .map((all) => ({ ...UNKNOWN_JOB, ...all }))

const config: fc.Arbitrary<DeviceConfig> = fc
  .record({
    job: fc.option(job, { nil: undefined }),
    ports: fc.oneof(fc.tuple(settings(0)), fc.tuple(settings(0), settings(1), settings(2))),
  })
  .map((all) => ({
    device: 'h1',
    kind: 'host',
    language: '',
    role: 'host',
    settings: { ...UNKNOWN_HOST, ...(all.job === undefined ? {} : { job: all.job }) },
    ports: all.ports.map((each, i) => ({ name: `eth${i + 1}`, role: 'port', peer: UNKNOWN, settings: each })),
  }))

describe.each(ALL)('%s', (_, writer, variant) => {
  test('a clean host', () => {
    const before = readFiles('h1', CLEAN, ['eth1']).config
    const { lost, device } = lostOf(writer, { ...before, ports: [clean()] }, optionsOf(variant, PEERS))
    expect(lost).toEqual([])
    expect(troublesOf(device)).toEqual([])
    expect(device.config.language).toBe(writer.language)
    expect(device.config.ports.map(({ name }) => name)).toEqual(['eth1'])
    expect(device.neighbours).toMatchObject([{ port: 'eth1', peerDevice: 'leaf1', peerPort: 'Ethernet0' }])
  })

  test('a second port with other values', () => {
    const before = readFiles('h1', CLEAN, ['eth1']).config
    const first = clean()
    const second: PortConfig = {
      ...first,
      name: 'eth2',
      settings: {
        ...first.settings,
        trust: { state: 'set', value: 'pcp' },
        pfcClasses: { state: 'set', value: [] },
        nic: { ...first.settings.nic!, rdmaDevice: { state: 'set', value: 'mlx5_2' } },
      },
    }
    const { lost, device } = lostOf(writer, { ...before, ports: [first, second] }, optionsOf(variant, PEERS))
    expect(lost).toEqual([])
    expect(troublesOf(device)).toEqual([])
    expect(device.config.ports.map(({ name }) => name).toSorted()).toEqual(['eth1', 'eth2'])
  })

  test('drawn values', () => {
    fc.assert(
      fc.property(config, (drawn) => {
        const { lost, device } = lostOf(writer, drawn, optionsOf(variant, PEERS))
        expect(lost).toEqual([])
        expect(device.conflicts).toEqual([])
        expect(device.unread).toEqual([])
      }),
    )
  })
})
