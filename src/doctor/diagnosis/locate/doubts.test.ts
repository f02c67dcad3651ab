/**
 * Doubts: full ports that may be consequences of something else, or of one host that heeds no CNPs.
 */
import { describe, expect, test } from 'vitest'
import { ALL_PRIORITIES, type Reading } from '../../../core/device-model/index.ts'
import { locate, type Origin } from './index.ts'
import { incastStory, Story, twoTier } from './story.test-data.ts'

type Short = readonly [Origin['kind'], string, Origin['confidence']]
const found = (story: Story, readings: readonly Reading[] = story.readings()): Short[] =>
  locate(story.edges, readings).origins.map(({ kind, device, confidence }) => [kind, device, confidence])

/** Counts for a host, in the second interval. */
const count = (story: Story, host: string, name: string, amount: number): Story =>
  story.addAt(1, host, '', ALL_PRIORITIES, name, amount)

describe('a loud host', () => {
  const busy = (): Story => incastStory().send('host 1', 'leaf 0', 0.55)

  test('sends whenever it is not held, and gets more CNPs than others', () => {
    expect(found(busy())).toEqual([['incast', 'leaf 0', 'high']])
    expect(found(count(busy(), 'host 1', 'cnpHandled', 50))).toEqual([['noisy-host', 'host 1', 'high']])
    expect(found(count(busy(), 'host 1', 'cnpIgnored', 50))).toEqual([['noisy-host', 'host 1', 'high']])
    expect(found(count(incastStory(), 'host 1', 'cnpHandled', 50))).toEqual([['incast', 'leaf 0', 'high']])
  })

  test('has no CNPs that its NIC makes of losses', () => {
    const counted = count(count(busy(), 'host 1', 'cnpHandled', 50), 'host 1', 'slowRestarts', 50)
    expect(found(counted).map(([kind]) => kind)).not.toContain('noisy-host')
  })

  test('is none among others that are as busy, or if it sends again what was lost', () => {
    const both = count(busy().send('host 4', 'leaf 1', 0.95), 'host 4', 'cnpHandled', 50)
    const two = count(both, 'host 1', 'cnpHandled', 50)
    expect(found(two)).toEqual([['incast', 'leaf 0', 'high']])
    // Frames of the other one bound the time that it is held: it may be as busy.
    const times = new Set(['pauseRxUs', 'pauseTxUs'])
    const isUntimed = ({ device, port }: Reading): boolean =>
      device === 'host 4' || (device === 'leaf 1' && port === '2')
    const framed = count(
      busy().send('host 4', 'leaf 1', 0.5).hold('leaf 1', 'host 4', 0.5, 0, 6),
      'host 4',
      'cnpHandled',
      50,
    )
    const readings = count(framed, 'host 1', 'cnpHandled', 50).readings()
    expect(
      found(
        framed,
        readings.filter((one) => !times.has(one.name) || !isUntimed(one)),
      )[0],
    ).toEqual(['incast', 'leaf 0', 'high'])
    const again = count(count(busy(), 'host 1', 'cnpHandled', 50), 'host 1', 'seqNaks', 5)
    expect(found(again)).toEqual([['incast', 'leaf 0', 'high']])
  })
})

describe('a full port is only possible', () => {
  test('where its receiver drops what comes behind a gap; where nobody counts that, it is not certain', () => {
    // 5 ms at 40 Gb/s, in frames of 1048 bytes.
    const received = (4 * 0.99 * 25e6) / 1068
    expect(found(count(incastStory(), 'host 0', 'outOfSequence', Math.round(0.01 * received)))).toContainEqual([
      'incast',
      'leaf 0',
      'high',
    ])
    expect(found(count(incastStory(), 'host 0', 'outOfSequence', Math.round(0.03 * received)))).toContainEqual([
      'incast',
      'leaf 0',
      'low',
    ])
    const uncounted = incastStory()
      .readings()
      .filter(({ name }) => name !== 'outOfSequence')
    expect(found(incastStory(), uncounted)).toEqual([['incast', 'leaf 0', 'medium']])
  })

  test('while or after a host held ports, unless it was full before', () => {
    const slow = (since: number): Story => incastStory().hold('host 4', 'leaf 1', 0.4, since)
    expect(found(slow(0))).toEqual([
      ['slow-receiver', 'host 4', 'high'],
      ['incast', 'leaf 0', 'low'],
    ])
    expect(new Set(found(slow(1)).map((one) => one.join()))).toEqual(
      new Set(['slow-receiver,host 4,high', 'incast,leaf 0,high']),
    )
  })

  test('with less than a tenth of the blame', () => {
    const story = incastStory()
    story.send('leaf 2', 'host 8', 0.99).hold('leaf 2', 'host 6', 0.15).hold('leaf 2', 'host 7', 0.15)
    const [first, second] = locate(story.edges, story.readings()).origins
    expect([first!.device, first!.confidence]).toEqual(['leaf 0', 'high'])
    expect(second === undefined || second.blame >= 0.1 || second.confidence === 'low').toBe(true)
  })
})

test('a slow host of which a switch is not read to the end is no storm', () => {
  const story = new Story(twoTier({ leaves: 3, spines: 2, hostsPerLeaf: 3 }))
  story.hold('host 4', 'leaf 1', 1, 0, 200).send('leaf 1', 'host 4', 0.3)
  const last = Math.max(...story.readings().map(({ timeNs }) => timeNs))
  const cut = story
    .readings()
    .filter(({ device, timeNs }) => timeNs < last || device === 'host 4')
    .filter(({ device, name }) => device !== 'host 4' || !/Bytes|Packets/.test(name))
  expect(found(story, cut).map(([kind, device]) => [kind, device])).toEqual([['slow-receiver', 'host 4']])
})

test('a host that receives is no storm, where bytes are counted of all priorities together and pauses by frames', () => {
  const story = new Story(twoTier({ leaves: 3, spines: 2, hostsPerLeaf: 3 }))
  story.hold('host 4', 'leaf 1', 0.4).send('leaf 1', 'host 4', 0.55).hold('leaf 1', 'host 3', 0.2)
  const readings = story.readings().flatMap((one): Reading[] => {
    if (one.name.startsWith('pause')) return []
    return [/Bytes|Packets/.test(one.name) ? { ...one, priority: ALL_PRIORITIES } : one]
  })
  expect(found(story, readings)[0]).toEqual(['slow-receiver', 'host 4', 'high'])
})
