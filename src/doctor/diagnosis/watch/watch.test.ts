/**
 * Watch: alarms that begin and end with readings as they come.
 */
import { describe, expect, test } from 'vitest'
import type { Reading } from '../../../core/device-model/index.ts'
import { stormStory, INTERVAL_NS, Story, twoTier } from '../locate/story.test-data.ts'
import { type Alarm, ALARM_RULES, CounterWatch } from './index.ts'

const shortOf = ({ rule, device, port }: Alarm): string => `${rule.id} ${device} ${port}`

/** Alarms that begin and end at each poll. */
function changesIn(readings: readonly Reading[], polls = 5): { begun: string[]; ended: string[] }[] {
  const watch = new CounterWatch()
  return Array.from({ length: polls }, (_, poll) => {
    const { begun, ended } = watch.push(readings.filter(({ timeNs }) => timeNs === poll * INTERVAL_NS))
    return { begun: begun.map(shortOf), ended: ended.map(shortOf) }
  })
}
const small = twoTier({ leaves: 1, spines: 1, hostsPerLeaf: 2 })

describe('alarms', () => {
  test('begin once at every port that a storm stops or pauses, and stay', () => {
    const [, calm, storm, next, last] = changesIn(stormStory().readings())
    expect(calm).toEqual({ begun: [], ended: [] })
    expect(storm!.begun.filter((one) => one.startsWith('paused'))).toHaveLength(15)
    expect(storm!.begun.filter((one) => one.startsWith('stopped'))).toEqual(['stopped leaf 0 1'])
    expect([next, last]).toEqual([
      { begun: [], ended: [] },
      { begun: [], ended: [] },
    ])
  })

  test('end below half of where they begin', () => {
    const shares = [0.12, 0.06, 0.04, 0.09]
    const story = new Story(small)
    shares.forEach((share, i) => story.add(i, 'leaf 0', '1', 'pauseRxUs', (share * INTERVAL_NS) / 1000))
    expect(changesIn(story.readings()).map(({ begun, ended }) => [begun.length, ended.length])).toEqual([
      [0, 0],
      [1, 0],
      [0, 0],
      [0, 1],
      [0, 0],
    ])
  })

  test('of frames are of the same share of time at any rate', () => {
    // Half the time that a port is held by 6 frames: 839 us each at 40 Gb/s.
    const frames = (rateBps: number): string[] => {
      const story = new Story(small).add(1, 'leaf 0', '1', 'pfcRxFrames', 6)
      const readings = story
        .readings()
        .filter(({ name }) => name !== 'pauseRxUs')
        .map((one) => (one.name === 'rateBps' ? { ...one, value: rateBps } : one))
      return changesIn(readings).flatMap(({ begun }) => begun)
    }
    expect(frames(40e9)).toEqual(['pause-frames-received leaf 0 1'])
    expect(frames(400e9)).toEqual([])
  })

  test.each([
    ['dropIn', 3, 'ingress-drops'],
    ['dropOut', 2000, 'egress-drops'],
    ['wdStorms', 3, 'storm-detected'],
  ])('of %s begin and end', (counter, amount, id) => {
    const story = new Story(small).add(1, 'leaf 0', '1', counter, amount)
    const [, , second, third] = changesIn(story.readings())
    expect([second!.begun, third!.ended]).toEqual([[`${id} leaf 0 1`], [`${id} leaf 0 1`]])
  })

  test('are not raised by counters that begin again, and go on over a lost poll', () => {
    const readings = stormStory().readings()
    const again = readings.map((one) => {
      const isBehind = one.timeNs >= 3 * INTERVAL_NS && one.device === 'leaf 0' && one.name !== 'rateBps'
      return isBehind ? { ...one, value: one.value - 1000 } : one
    })
    expect(changesIn(again)[3]).toEqual({ begun: [], ended: [] })
    const lost = readings.filter(({ timeNs }) => timeNs !== 3 * INTERVAL_NS)
    expect(changesIn(lost).slice(3)).toEqual([
      { begun: [], ended: [] },
      { begun: [], ended: [] },
    ])
  })

  test('tell since when, and what was measured last', () => {
    const watch = new CounterWatch()
    for (let poll = 0; poll < 5; poll++)
      watch.push(
        stormStory()
          .readings()
          .filter(({ timeNs }) => timeNs === poll * INTERVAL_NS),
      )
    const storm = watch.alarms.find(({ rule }) => rule.id === 'stopped')
    expect(storm).toMatchObject({ device: 'leaf 0', priority: 3, value: 1, fromNs: INTERVAL_NS, toNs: 4 * INTERVAL_NS })
  })

  test('end above nothing, for every rule', () => {
    expect(ALARM_RULES.filter(({ begin, end }) => !(end > 0 && end < begin))).toEqual([])
  })
})
