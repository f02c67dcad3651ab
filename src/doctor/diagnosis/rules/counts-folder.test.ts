/** Counters of a fabric in the forms of vendors: the doctor has the origins of the neutral readings, each once. */
import { describe, expect, test } from 'vitest'
import { folderOf, named, namedEdges } from '../counts/folder.test-data.ts'
import { fabricOf } from '../../devices/joins/index.ts'
import { diagnose } from '../doctor.ts'
import { incastStory, ring, Story, stormStory, twoTier } from '../locate/story.test-data.ts'
import { locate } from '../locate/index.ts'
import { ALL_PRIORITIES, type Reading } from '../../../core/device-model/index.ts'
import { countsOf } from '../counts/index.ts'

const headroomNeed = () => ({ leastBytes: 0, mostBytes: Infinity, basis: '', isSure: false })

function read(story: Story, change: (readings: Reading[]) => Reading[] = (same) => same, lateNs = 0) {
  const edges = namedEdges(story.edges)
  const readings = named(change(story.readings()))
  const fabric = fabricOf(folderOf(readings, lateNs), edges)
  const { findings } = diagnose({ fabric, headroomNeed })
  const counted = findings.filter(({ id }) => id.startsWith('ctr'))
  return {
    neutral: locate(edges, readings).origins,
    origins: countsOf(fabric).located.origins,
    findings: counted,
    short: counted.map(({ id, severity, subject }) => [id, severity, subject.device, subject.interface]),
  }
}
const shortOf = (origins: ReturnType<typeof locate>['origins']) =>
  origins.map(({ kind, device, port, confidence, intervals }) => [kind, device, port, confidence, intervals])

function slowStory(): Story {
  const story = new Story(twoTier({ leaves: 3, spines: 2, hostsPerLeaf: 3 }))
  story.hold('host 4', 'leaf 1', 0.4).send('leaf 1', 'host 4', 0.55).hold('leaf 1', 'host 3', 0.2)
  return story.addAt(2, 'host 4', '1', ALL_PRIORITIES, 'rxBufferHigh', 7)
}

describe('from files of hosts and switches', () => {
  test('a storm is one error at its host, and the ports that it holds are no findings of their own', () => {
    const { neutral, origins, short, findings } = read(stormStory())
    expect(shortOf(neutral)).toEqual([['storm', 'host 0', 'eth1', 'high', 3]])
    expect(shortOf(origins)).toEqual(shortOf(neutral))
    expect(short).toEqual([['ctr02', 'error', 'host 0', 'eth1']])
    expect(findings[0]!.values).toMatchObject({ confidence: 'high', heldShare: 1, victims: 15, isDuration: true })
    expect(findings[0]!.values['cited']).toContainEqual(
      expect.objectContaining({ device: 'leaf 0', port: 'Ethernet1', file: 'leaf 0/counters-db.t4.json' }),
    )
  })

  test('a slow receiver is one warning, with what it received meanwhile', () => {
    const { neutral, origins, short, findings } = read(slowStory())
    expect(shortOf(neutral)).toEqual([['slow-receiver', 'host 4', 'eth1', 'high', 4]])
    expect(shortOf(origins)).toEqual(shortOf(neutral))
    expect(short).toEqual([['ctr05', 'warning', 'host 4', 'eth1']])
    const { heldShare, receivedBps } = findings[0]!.values
    expect([heldShare, Number(receivedBps) / 40e9]).toEqual([expect.closeTo(0.4, 6), expect.closeTo(0.54, 1)])
  })

  test('an incast is a note at its port, and those that it holds are said with it', () => {
    const { neutral, origins, short, findings } = read(incastStory())
    expect(shortOf(origins)).toEqual(shortOf(neutral))
    expect(short).toContainEqual(['ctr07', 'note', 'leaf 0', 'Ethernet1'])
    expect(short.filter(([id]) => id === 'ctr03')).toContainEqual(['ctr03', 'error', 'host 1', 'eth1'])
    expect(findings.find(({ id }) => id === 'ctr03')!.values['origins']).toEqual(['incast at leaf 0 Ethernet1'])
  })

  test('a deadlock is one error for the whole circle, and in one interval a warning', () => {
    const story = (since: number): Story => {
      const circle = new Story(ring(3))
      for (const i of [0, 1, 2]) {
        circle
          .hold(`switch ${(i + 1) % 3}`, `switch ${i}`, 1, since)
          .send(`switch ${i}`, `switch ${(i + 1) % 3}`, 0, since)
        circle.hold(`switch ${i}`, `host ${i}`, 1, since).send(`host ${i}`, `switch ${i}`, 0, since)
      }
      return circle
    }
    const { origins, neutral, short, findings } = read(story(1))
    expect(shortOf(origins)).toEqual(shortOf(neutral))
    expect(short.filter(([id]) => id === 'ctr09').map(([, severity]) => severity)).toEqual(['error'])
    expect(findings.find(({ id }) => id === 'ctr09')!.values['circle']).toHaveLength(3)
    expect(read(story(3)).short.find(([id]) => id === 'ctr09')?.[1]).toBe('warning')
  })

  test('a bad cable is one warning, whether one or both of its ends have errors', () => {
    const story = (): Story => {
      const broken = new Story(twoTier({ leaves: 3, spines: 2, hostsPerLeaf: 3 }))
      for (const i of [0, 1, 2, 3]) broken.addAt(i, 'leaf 0', '4', ALL_PRIORITIES, 'crcErrors', 90)
      return broken.addAt(1, 'host 5', '', ALL_PRIORITIES, 'seqNaks', 40)
    }
    const errorsOf = ({ findings }: ReturnType<typeof read>) =>
      findings.filter(({ id }) => id === 'ctr08').map(({ subject, values }) => [subject.device, values['atBothEnds']])
    expect(errorsOf(read(story()))).toEqual([['leaf 0', false]])
    expect(errorsOf(read(story().addAt(1, 'spine 0', '1', ALL_PRIORITIES, 'crcErrors', 50)))).toEqual([
      ['leaf 0', true],
    ])
    // Losses that have a reason are no warning of their own.
    expect(read(story()).short.filter(([id]) => id === 'ctr06')).toEqual([['ctr06', 'note', 'host 5', undefined]])
  })

  test('nothing is found in a healthy fabric', () => {
    expect(read(new Story(twoTier({ leaves: 3, spines: 2, hostsPerLeaf: 3 }))).short).toEqual([])
  })

  test('files of other forms may be later than those of pauses', () => {
    const { origins, neutral } = read(slowStory(), (same) => same, 800_000)
    expect(shortOf(origins)).toEqual(shortOf(neutral))
  })
})

describe('of few files', () => {
  test('one reading of each counter accuses nobody', () => {
    expect(read(stormStory(), (all) => all.filter(({ timeNs }) => timeNs === 20_000_000)).short).toEqual([])
  })

  test('without times no pause is a share of any time, and bit errors are still counted', () => {
    const story = stormStory()
    for (const i of [0, 1, 2, 3]) story.addAt(i, 'leaf 1', '4', ALL_PRIORITIES, 'crcErrors', 90)
    const files = folderOf(named(story.readings())).map(
      ([device, own]) => [device, own.map((file) => ({ ...file, timeNs: NaN }))] as const,
    )
    const fabric = fabricOf(files, namedEdges(story.edges))
    const { findings, missing } = diagnose({ fabric, headroomNeed })
    const found = findings.filter(({ id }) => id.startsWith('ctr'))
    expect(found.map(({ id, subject }) => [id, subject.device])).toEqual([['ctr08', 'leaf 1']])
    const times = missing.filter(({ form }) => form.includes('times'))
    expect([...new Set(times.flatMap(({ rules }) => rules))].toSorted()).toEqual([
      'CTR02',
      'CTR03',
      'CTR05',
      'CTR07',
      'CTR09',
      'CTR10',
    ])
    expect(times.map(({ device }) => device)).toContain('leaf 0')
  })
})
