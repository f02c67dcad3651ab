/**
 * Origins by files of vendors: whatever the vendor of all hosts and of all switches is, also where none of them has times of
 * pauses, the doctor names what the neutral readings name.
 */
import { describe, expect, test } from 'vitest'
import { countsOf } from '../../../diagnosis/counts/index.ts'
import { type DeviceFile, fabricOf } from '../../joins/index.ts'
import { incastStory, Story, stormStory, twoTier } from '../../../diagnosis/locate/story.test-data.ts'
import { locate } from '../../../diagnosis/locate/index.ts'
import { ALL_PRIORITIES, type Reading } from '../../../../core/device-model/index.ts'
import { byDevice } from '../../series/index.ts'
import { COUNTER_WRITERS, type CounterWriter } from './index.ts'

const HOSTS = COUNTER_WRITERS.filter(({ devices }) => devices === 'hosts')
const SWITCHES = COUNTER_WRITERS.filter(({ devices }) => devices === 'switches')

function slowStory(): Story {
  const story = new Story(twoTier({ leaves: 3, spines: 2, hostsPerLeaf: 3 }))
  return story.hold('host 4', 'leaf 1', 0.4).send('leaf 1', 'host 4', 0.55).hold('leaf 1', 'host 3', 0.2)
}

function badLinkStory(): Story {
  const story = new Story(twoTier({ leaves: 3, spines: 2, hostsPerLeaf: 3 }))
  for (const i of [0, 1, 2, 3]) story.addAt(i, 'leaf 0', '4', ALL_PRIORITIES, 'crcErrors', 90)
  return story
}

/** Frames of a port that is held without end, refreshed twice while each stands, and of one that is held now and then. */
function withFrames(story: Story): Story {
  const perInterval = Math.round(2 * ((5e-3 * 40e9) / (65_535 * 512)))
  for (const { deviceA, deviceB } of story.edges)
    if (deviceA === 'host 0') story.hold(deviceA, deviceB, 1, 1, perInterval)
  return story
}

/** The first origin by the files of all devices. */
function named(story: Story, hosts: CounterWriter, switches: CounterWriter, startOf?: () => number) {
  const writerOf = (device: string): CounterWriter => (device.startsWith('host') ? hosts : switches)
  const portOf = (device: string, port: string): string => (port === '' ? '' : writerOf(device).portName(Number(port)))
  const files = (device: string, readings: readonly Reading[]): DeviceFile[] =>
    [...new Set(readings.map(({ timeNs }) => timeNs))].flatMap((timeNs) => {
      const now = readings.filter((one) => one.timeNs === timeNs)
      const counts = now.map((one) => ({ ...one, port: portOf(device, one.port) }))
      return writerOf(device)
        .write(counts, [3])
        .map((file) => ({ ...file, file: `${device}/${timeNs}-${file.file}`, timeNs }))
    })
  const folder = [...byDevice(story.readings(startOf))].map(([device, own]) => [device, files(device, own)] as const)
  const edges = story.edges.map((edge) => ({
    ...edge,
    portA: portOf(edge.deviceA, edge.portA),
    portB: portOf(edge.deviceB, edge.portB),
  }))
  const [first] = countsOf(fabricOf(folder, edges)).located.origins
  return first === undefined ? undefined : [first.kind, first.device]
}

const PAIRS = HOSTS.flatMap((host) => SWITCHES.map((one) => [host.vendor, one.vendor, host, one] as const))

describe.each(PAIRS)('hosts with %s, switches with %s', (_, __, host, one) => {
  const STORIES = { slow: slowStory(), incast: incastStory(), storm: withFrames(stormStory()), errors: badLinkStory() }

  test.each(Object.entries(STORIES))('%s', (name, story) => {
    const [neutral] = locate(story.edges, story.readings()).origins
    expect(named(story, host, one)).toEqual([neutral!.kind, neutral!.device])
    expect(neutral!.kind).toBe({ slow: 'slow-receiver', incast: 'incast', storm: 'storm', errors: 'bad-cable' }[name])
  })
})

test('counters that start again within an interval are no less', () => {
  const [mlx5] = HOSTS
  const [sonic] = SWITCHES
  expect(named(slowStory(), mlx5!, sonic!, () => 2 ** 32 - 3)).toEqual(['slow-receiver', 'host 4'])
})
