/**
 * Localiser: stories of small fabrics, written as counters, and the origins that they have.
 */
import { describe, expect, test } from 'vitest'
import { ALL_PRIORITIES, type Reading } from '../../../core/device-model/index.ts'
import { locate, type Origin } from './index.ts'
import { INTERVAL_NS, incastStory, PRIORITY, ring, Story, stormStory, twoTier } from './story.test-data.ts'

type Short = readonly [Origin['kind'], string, string, Origin['confidence']]
const shortOf = ({ kind, device, port, confidence }: Origin): Short => [kind, device, port, confidence]
const found = (story: Story, readings: readonly Reading[] = story.readings()): Short[] =>
  locate(story.edges, readings).origins.map(shortOf)
const without = (story: Story, ...devices: readonly string[]): Reading[] =>
  story.readings().filter(({ device }) => !devices.includes(device))
const small = { leaves: 3, spines: 2, hostsPerLeaf: 3 }

describe('pauses', () => {
  test('of a storm are followed from other leaves to the host, through two tiers', () => {
    const story = stormStory()
    const { origins, unheard } = locate(story.edges, story.readings())
    expect(origins.map(shortOf)).toEqual([['storm', 'host 0', '1', 'high']])
    const [storm] = origins
    expect(storm!.path.map(({ device }) => device)).toEqual(['host 3', 'leaf 1', 'spine 0', 'leaf 0'])
    expect([storm!.intervals, storm!.fromNs]).toEqual([3, INTERVAL_NS])
    // Held: leaf 0 by the host, two spines, two leaves twice, eight hosts.
    expect(storm!.victims).toHaveLength(15)
    expect(storm!.victims[0]).toEqual({ device: 'leaf 0', port: '1', pausedNs: 3 * INTERVAL_NS })
    expect(storm!.numbers[0]).toMatchObject({ device: 'leaf 0', port: '1', name: 'pauseRxUs', value: 5000 })
    expect(storm!.blame).toBe(1)
    expect(unheard).toEqual([])
  })

  test('of frames alone bound the time from above: 12 frames in 5 ms hold a port of 40G without end, 3 do not', () => {
    const frames = (count: number): Reading[] => {
      const story = stormStory()
      story.hold('host 0', 'leaf 0', 1, 1, count)
      if (count < 6) story.send('leaf 0', 'host 0', 0.3, 1)
      return story.readings().filter(({ name }) => !name.startsWith('pause'))
    }
    expect(found(stormStory(), frames(12))[0]).toEqual(['storm', 'host 0', '1', 'high'])
    expect(found(stormStory(), frames(3))[0]).toEqual(['slow-receiver', 'host 0', '1', 'high'])
  })

  test('of a host that receives are of a slow receiver', () => {
    const story = new Story(twoTier(small))
    story.hold('host 4', 'leaf 1', 0.4).send('leaf 1', 'host 4', 0.55).hold('leaf 1', 'host 3', 0.2)
    story.addAt(2, 'host 4', '1', ALL_PRIORITIES, 'rxBufferHigh', 7)
    const { origins } = locate(story.edges, story.readings())
    expect(origins.map(shortOf)).toEqual([['slow-receiver', 'host 4', '1', 'high']])
    expect(origins[0]!.numbers.map(({ name, value }) => [name, value])).toContainEqual(['rxBufferHigh', 7])
  })

  test('of a full port are of an incast there, of which alpha may be a part', () => {
    const story = incastStory()
    const { origins } = locate(story.edges, story.readings())
    expect(origins.map(shortOf)).toEqual([['incast', 'leaf 0', '1', 'high']])
    expect([origins[0]!.peer, origins[0]!.alternatives]).toEqual(['host 0', ['alpha']])
    expect(origins[0]!.raise).toEqual([{ what: 'configuration', device: 'leaf 0' }])
  })

  test('of a full port to a switch are of oversubscription', () => {
    const story = new Story(twoTier(small))
    story.send('leaf 1', 'spine 0', 0.98).send('leaf 1', 'spine 1', 0.98)
    for (const host of ['host 3', 'host 4', 'host 5']) story.hold('leaf 1', host, 0.3)
    expect(found(story)).toEqual([
      ['oversubscription', 'leaf 1', '4', 'high'],
      ['oversubscription', 'leaf 1', '5', 'high'],
    ])
  })

  test('below a hundredth of the time are healthy', () => {
    const story = new Story(twoTier(small))
    story.send('leaf 0', 'host 0', 0.95).hold('leaf 0', 'host 1', 0.009)
    expect(found(story)).toEqual([])
  })

  test('of two intervals that are two hundredths of them all are healthy, unless a host is their end', () => {
    const brief = (story: Story): Story => {
      for (const i of [3, 9]) story.add(i, 'host 1', '1', 'pauseRxUs', 250).add(i, 'leaf 0', '2', 'pauseTxUs', 250)
      return story
    }
    const long = (): Story => new Story(twoTier(small), 20)
    expect(found(brief(long().send('leaf 0', 'host 0', 0.95)))).toEqual([])
    expect(found(brief(new Story(twoTier(small), 10).send('leaf 0', 'host 0', 0.95)))).toHaveLength(1)
    const slow = long().add(3, 'leaf 0', '1', 'pauseRxUs', 250).add(3, 'leaf 0', '1', 'pfcRxFrames', 40)
    expect(found(slow)).toEqual([['slow-receiver', 'host 0', '1', 'medium']])
  })

  test('of part of an interval are of a storm if frames only refreshed one pause', () => {
    const paused = (frames: number): Short[] => {
      const story = new Story(twoTier(small))
      return found(story.hold('host 4', 'leaf 1', 0.6, 2, frames).send('leaf 1', 'host 4', 0.1, 2))
    }
    // 3 ms of pauses at 40 Gb/s: a NIC that stands still sends a frame each 420 us.
    expect(paused(8)).toEqual([['storm', 'host 4', '1', 'high']])
    expect(paused(60)).toEqual([['slow-receiver', 'host 4', '1', 'high']])
  })

  test('of a switch whose other ports are calm are of bursts or thresholds, and certain they are not', () => {
    const story = new Story(twoTier(small))
    story.hold('leaf 0', 'host 1', 0.2).level('leaf 0', '1', 'queueMax', 400_000).level('leaf 0', '2', 'queueMax', 2000)
    expect(found(story)).toEqual([['incast', 'leaf 0', '1', 'medium']])
  })

  test('in one interval alone are less certain', () => {
    const story = new Story(twoTier(small))
    story.hold('host 4', 'leaf 1', 0.4, 3).send('leaf 1', 'host 4', 0.55)
    expect(found(story)).toEqual([['slow-receiver', 'host 4', '1', 'medium']])
  })

  test('of two hosts are of both', () => {
    const story = stormStory()
    story.hold('host 8', 'leaf 2', 0.5).send('leaf 2', 'host 8', 0.4)
    expect(found(story).map(([kind, device]) => [kind, device])).toEqual([
      ['storm', 'host 0'],
      ['slow-receiver', 'host 8'],
    ])
  })

  test('of an incast beside a storm are background', () => {
    const story = stormStory()
    story.send('leaf 2', 'host 8', 0.97).hold('leaf 2', 'host 7', 0.5)
    expect(found(story)[0]).toEqual(['storm', 'host 0', '1', 'high'])
  })
})

describe('devices that do not answer', () => {
  test('are named through their neighbours, and not with certainty', () => {
    expect(found(stormStory(), without(stormStory(), 'host 0'))).toEqual([['storm', 'host 0', '1', 'medium']])
  })

  test('on the path make the origin less certain, and are what would help', () => {
    const story = stormStory()
    const { origins, unheard } = locate(story.edges, without(story, 'leaf 0'))
    expect(origins.map(shortOf)[0]).toEqual(['storm', 'host 0', '1', 'medium'])
    expect(origins[0]!.raise).toContainEqual({ what: 'readings', device: 'leaf 0' })
    expect(unheard).toEqual(['leaf 0'])
  })

  test('with their neighbours leave a list', () => {
    const story = stormStory()
    const { origins } = locate(story.edges, without(story, 'leaf 0', 'host 0'))
    expect(origins.length).toBeGreaterThan(0)
    expect(origins.filter(({ confidence }) => confidence === 'high')).toEqual([])
    expect(origins[0]!.device).toBe('leaf 0')
  })
})

describe('a circle', () => {
  const stuck = (): Story => {
    const story = new Story(ring(4))
    for (let i = 0; i < 4; i++) {
      story.hold(`switch ${(i + 1) % 4}`, `switch ${i}`, 1).send(`switch ${i}`, `switch ${(i + 1) % 4}`, 0)
      story.hold(`switch ${i}`, `host ${i}`, 1).send(`host ${i}`, `switch ${i}`, 0).send(`switch ${i}`, `host ${i}`, 0)
    }
    return story
  }

  test('of ports that send nothing is a deadlock', () => {
    const { origins } = locate(stuck().edges, stuck().readings())
    expect(origins.map(({ kind, confidence }) => [kind, confidence])).toEqual([['deadlock', 'high']])
    expect(origins[0]!.circle.map(({ device }) => device)).toEqual(['switch 0', 'switch 1', 'switch 2', 'switch 3'])
    expect(origins[0]!.victims).toHaveLength(8)
  })

  test('is one where no speeds are known, too', () => {
    const readings = stuck()
      .readings()
      .filter(({ name }) => name !== 'rateBps')
    expect(locate(stuck().edges, readings).origins.map(({ kind }) => kind)).toEqual(['deadlock'])
  })

  test('is the reason of packets that others have overtaken, as paths changed', () => {
    const story = stuck().addAt(1, 'host 0', '', ALL_PRIORITIES, 'outOfSequence', 50)
    expect(found(story).map(([kind]) => kind)).toEqual(['deadlock'])
  })

  test('is that of a host which feeds it', () => {
    const story = stuck()
    story.hold('host 2', 'switch 2', 1)
    expect(found(story)[0]).toEqual(['storm', 'host 2', '1', 'high'])
  })
})

describe('alpha', () => {
  const settings = (alphas: Readonly<Record<string, number>>) =>
    Object.entries(alphas).map(([device, alpha]) => ({ device, priority: PRIORITY, alpha }))

  test('is known by configuration', () => {
    const story = incastStory()
    const usual = { 'leaf 1': 1 / 16, 'leaf 2': 1 / 16 }
    const kindsWith = (alphas: Readonly<Record<string, number>>) =>
      locate(story.edges, story.readings(), settings(alphas)).origins.map(({ kind, alternatives }) => [
        kind,
        alternatives,
      ])
    expect(kindsWith({ ...usual, 'leaf 0': 1 / 64 })).toEqual([['alpha', []]])
    expect(kindsWith({ ...usual, 'leaf 0': 1 / 16 })).toEqual([['incast', []]])
  })

  test('shows by the shared buffer that peers used', () => {
    const used = (bytes: number): Story => {
      const story = incastStory().level('leaf 0', '2', 'sharedMax', 100_000)
      return story.level('leaf 1', '2', 'sharedMax', bytes)
    }
    expect(found(used(500_000))).toEqual([['alpha', 'leaf 0', '1', 'high']])
    expect(found(used(110_000))).toEqual([['incast', 'leaf 0', '1', 'high']])
  })
})

test('a small alpha is one origin, whichever ports show it', () => {
  const story = incastStory().send('leaf 0', 'host 1', 0.97).hold('leaf 0', 'host 2', 0.6)
  const alphas = ['leaf 0', 'leaf 1', 'leaf 2'].map((device, i) => ({
    device,
    priority: PRIORITY,
    alpha: i === 0 ? 1 / 64 : 1 / 16,
  }))
  const [one, ...others] = locate(story.edges, story.readings(), alphas).origins
  expect(shortOf(one!).slice(0, 2)).toEqual(['alpha', 'leaf 0'])
  expect([others, one!.blame > 0.9]).toEqual([[], true])
})

describe('losses', () => {
  const errors = (story: Story, device: string, from: string, count: number): Story => {
    for (let i = 0; i < 3; i++) story.addAt(i, device, story.port(device, from), ALL_PRIORITIES, 'crcErrors', count)
    return story
  }

  test('of a bad link are its own, though cut-through switches forward broken frames', () => {
    const story = new Story(twoTier(small))
    errors(errors(errors(story, 'spine 1', 'leaf 2', 90), 'leaf 0', 'spine 1', 40), 'leaf 1', 'spine 1', 50)
    errors(errors(story, 'host 0', 'leaf 0', 40), 'host 3', 'leaf 1', 50)
    expect(found(story)).toEqual([['bad-cable', 'spine 1', '3', 'high']])
  })

  test('of two bad links on a path are of both', () => {
    const story = new Story(twoTier(small))
    errors(errors(story, 'leaf 0', 'spine 1', 40), 'host 0', 'leaf 0', 500)
    expect(found(story).map(([, device]) => device)).toEqual(['host 0', 'leaf 0'])
  })

  test('of a link from a device that does not answer are not certain', () => {
    const story = errors(new Story(twoTier(small)), 'host 0', 'leaf 0', 40)
    expect(found(story, without(story, 'leaf 0'))).toEqual([['bad-cable', 'host 0', '1', 'medium']])
  })

  test('of a port that pauses are for want of headroom; with a peer that is never held they are not', () => {
    const drops = (): Story => {
      const story = new Story(twoTier(small)).hold('leaf 0', 'host 1', 0.005)
      return story.add(1, 'leaf 0', '2', 'dropIn', 30).add(2, 'leaf 0', '2', 'dropIn', 20)
    }
    expect(found(drops())).toEqual([['headroom', 'leaf 0', '2', 'high']])
    const ignored = drops()
      .readings()
      .map((one) => (one.name === 'pauseRxUs' ? { ...one, value: 0 } : one))
    expect(found(drops(), ignored).map(([kind]) => kind)).toEqual(['unknown'])
    const both = drops().add(1, 'leaf 0', '1', 'dropIn', 3)
    expect(found(both)).toEqual([['headroom', 'leaf 0', '2', 'high']])
  })

  test('of ports where all priorities are counted in one are less certain, and leave out bit errors', () => {
    const story = new Story(twoTier(small)).hold('leaf 0', 'host 1', 0.005)
    for (const i of [1, 2]) story.addAt(i, 'leaf 0', '2', ALL_PRIORITIES, 'dropInPort', 20)
    const readings = (): Reading[] => story.readings().filter(({ name }) => name !== 'dropIn')
    expect(found(story, readings())).toEqual([['headroom', 'leaf 0', '2', 'medium']])
    for (const i of [1, 2]) story.addAt(i, 'leaf 0', '2', ALL_PRIORITIES, 'crcErrors', 20)
    expect(found(story, readings()).map(([kind]) => kind)).toEqual(['bad-cable'])
  })

  test('of a class that a watchdog took out of service are on purpose, and of a storm', () => {
    const story = new Story(twoTier(small)).hold('leaf 0', 'host 1', 0.005).add(1, 'leaf 0', '2', 'dropIn', 30)
    story.add(1, 'leaf 0', '1', 'wdStorms', 1)
    expect(found(story)).toEqual([['storm', 'host 0', '1', 'high']])
  })

  test('that are none but packets out of order are of paths of other lengths', () => {
    const story = new Story(twoTier(small))
    story.addAt(1, 'host 4', '', ALL_PRIORITIES, 'outOfSequence', 300)
    story.addAt(1, 'host 0', '', ALL_PRIORITIES, 'seqNaks', 3).addAt(1, 'host 1', '', ALL_PRIORITIES, 'seqNaks', 3)
    expect(found(story)).toEqual([['reordering', 'leaf 0', '', 'medium']])
    expect(found(story.addAt(1, 'host 3', '', ALL_PRIORITIES, 'seqNaks', 3))).toEqual([
      ['reordering', '', '', 'medium'],
    ])
    expect(found(story.add(2, 'leaf 1', '2', 'dropOut', 1))).toEqual([])
  })
})
