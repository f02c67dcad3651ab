/**
 * Localiser: what no story may break. Readings may be missing, begin anywhere, stand in any order, wrap, or be late.
 */
import { describe, expect, test } from 'vitest'
import { fc } from '../../../../tests/support/properties.ts'
import type { Reading } from '../../../core/device-model/index.ts'
import { locate, type Origin } from './index.ts'
import { INTERVAL_NS, incastStory, ring, Story, stormStory, twoTier } from './story.test-data.ts'

const broken = (): Story => {
  const story = new Story(twoTier({ leaves: 3, spines: 2, hostsPerLeaf: 3 }))
  for (let i = 0; i < 4; i++)
    for (const [device, port] of [
      ['spine 1', '3'],
      ['leaf 0', '5'],
      ['host 0', '1'],
    ] as const)
      story.addAt(i, device, port, -1, 'crcErrors', 40)
  return story
}
const slow = (): Story => {
  const story = new Story(twoTier({ leaves: 2, spines: 2, hostsPerLeaf: 4 }))
  return story.hold('host 4', 'leaf 1', 0.3).hold('leaf 1', 'spine 0', 0.1).hold('spine 0', 'leaf 0', 0.05)
}
const deadlock = (): Story => {
  const story = new Story(ring(4))
  for (let i = 0; i < 4; i++)
    story.hold(`switch ${(i + 1) % 4}`, `switch ${i}`, 1).send(`switch ${i}`, `switch ${(i + 1) % 4}`, 0)
  return story
}
const STORIES = { storm: stormStory(), incast: incastStory(), errors: broken(), slow: slow(), deadlock: deadlock() }
type Name = keyof typeof STORIES
const NAMES = Object.keys(STORIES) as Name[]

const shortOf = ({ kind, device, port, confidence }: Origin): string => [kind, device, port, confidence].join('/')
const foundIn = (name: Name, readings: readonly Reading[]): string[] =>
  locate(STORIES[name].edges, readings).origins.map(shortOf)
const devicesOf = (name: Name): string[] => [...new Set(STORIES[name].readings().map(({ device }) => device))]

describe.each(NAMES)('%s', (name) => {
  const story = STORIES[name]
  const whole = foundIn(name, story.readings())
  const certain = whole.filter((one) => one.endsWith('high'))

  test('has one certain origin', () => expect(certain).toHaveLength(1))

  test('has no other certain origin without any two of its devices', () => {
    const readings = story.readings()
    const [kind, device] = certain[0]!.split('/')
    for (const one of devicesOf(name)) {
      for (const other of devicesOf(name)) {
        const left = readings.filter((each) => each.device !== one && each.device !== other)
        const wrong = locate(story.edges, left).origins.filter(
          (origin) => origin.confidence === 'high' && (origin.kind !== kind || origin.device !== device),
        )
        expect(wrong.map(shortOf), `without ${one} and ${other}`).toEqual([])
      }
    }
  })

  test('is the same whatever the order of rows and edges', () => {
    fc.assert(
      fc.property(fc.shuffledSubarray(story.readings(), { minLength: story.readings().length }), (shuffled) => {
        expect(foundIn(name, shuffled)).toEqual(whole)
        expect(locate(story.edges.toReversed(), shuffled).origins.map(shortOf)).toEqual(whole)
      }),
      { numRuns: 5 },
    )
  })

  test('is the same whatever counters began at', () => {
    fc.assert(
      fc.property(fc.integer({ min: 1, max: 2 ** 40 }), (start) => {
        const readings = story.readings((device, counter) => start + device.length * 1e6 + counter.length * 1e5)
        expect(foundIn(name, readings)).toEqual(whole)
      }),
      { numRuns: 10 },
    )
  })

  test('is the same where counters of 32 bits wrap', () => {
    expect(
      foundIn(
        name,
        story.readings(() => 2 ** 32 - 20_000, 32),
      ),
    ).toEqual(whole)
  })

  test('is found though polls are lost and late', () => {
    const lost = story.readings().filter(({ device, timeNs }) => (device.length + timeNs / INTERVAL_NS) % 4 !== 1)
    const late = lost.map((one) => {
      const lateness = one.timeNs === 0 ? 0 : ((one.device.charCodeAt(one.device.length - 1) % 5) * INTERVAL_NS) / 20
      return { ...one, timeNs: one.timeNs + lateness }
    })
    const [first] = locate(story.edges, late).origins
    expect([first!.kind, first!.device]).toEqual(certain[0]!.split('/').slice(0, 2))
  })

  test('is found though a device started again', () => {
    const again = story.readings().map((one) => {
      const isBehind = one.device === 'leaf 1' && one.timeNs >= 3 * INTERVAL_NS && one.name !== 'rateBps'
      return isBehind ? { ...one, value: one.value / 1000 } : one
    })
    expect(foundIn(name, again)).toEqual(whole)
  })
})

test('nothing is found in nothing', () => {
  expect(locate([], []).origins).toEqual([])
  expect(locate(STORIES.storm.edges, []).origins).toEqual([])
  expect(locate([], STORIES.storm.readings()).origins).toEqual([])
  const once = STORIES.storm.readings().filter(({ timeNs }) => timeNs === 0)
  expect(locate(STORIES.storm.edges, once).origins).toEqual([])
})
