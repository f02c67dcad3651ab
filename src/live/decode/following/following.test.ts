/** Stories and diagrams of connections, in a second reading of small captures. */
import { describe, expect, test } from 'vitest'
import type { Decoded } from '../decoded.ts'
import { Decoder } from '../decoder.ts'
import { PacketRows } from '../packet-rows.ts'
import { FACTS, Script } from '../script.test-data.ts'
import type { FollowedConnection } from './followed.ts'
import { Following } from './following.ts'
import type { StoryEvent } from './story-events.ts'
import { Waits } from './waits.ts'

const MS = 1e9

function followed(script: Script, at = 0): FollowedConnection {
  const decoded = script.decoded()
  const following = new Following([decoded.connections[at]!])
  again(script, following)
  return following.end(decoded)[0]!
}

function again(script: Script, observer: Following | PacketRows): Decoded {
  const decoder = new Decoder({ observer })
  for (const record of script.records) decoder.add(record)
  return decoder.end(FACTS)
}

/** "again 3-4", "refusal 60 3", "traffic". */
const briefOf = (event: StoryEvent): string => {
  const numberOf = (psn: string): number => Number.parseInt(psn, 16)
  if (event.kind === 'packets') return `${event.what} ${numberOf(event.psn)}-${numberOf(event.lastPsn)}`
  if (event.kind === 'refusal') return `refusal ${event.syndrome} ${numberOf(event.psn)}`
  return event.kind === 'management' ? event.message : 'traffic'
}
const noted = ({ events }: FollowedConnection): string[] => events.map(briefOf).filter((one) => one !== 'traffic')
const packetsOf = ({ events }: FollowedConnection) => events.filter((event) => event.kind === 'packets')
const refusalsOf = ({ events }: FollowedConnection) => events.filter((event) => event.kind === 'refusal')
const begun = (): Script => new Script().write(1).ack(1, 1)

describe('a story', () => {
  test('has who noticed a loss, when the packet had passed, and what it cost', () => {
    const script = begun()
      .write(2)
      .write(3)
      .write(4)
      .ack(3, 2, 0x60)
      .wait(5 * MS)
      .write(3)
      .write(4)
      .ack(4, 4)
    const story = followed(script)
    expect(noted(story)).toEqual(['refusal 60 3', 'again 3-4'])
    const [nak] = refusalsOf(story)
    const [resent] = packetsOf(story)
    expect(nak).toMatchObject({ side: 1, isHeeded: true, sent: { frame: 4 } })
    expect(resent).toMatchObject({ side: 0, packets: 2, before: { frame: 4, times: 1 }, doneAfterPs: 20e6 })
    expect(resent!.findings.map(({ id }) => id)).toEqual(['capture-retransmission-nak'])
    expect(story.cost).toEqual({ recoveries: 1, packets: 2, payloadBytes: 512, waitedPs: 5 * MS + 30e6 })
    expect(story.ending).toMatchObject({ kind: 'answered', outstanding: [0, 0] })
  })

  test('says of a NAK that the sender did not react to it', () => {
    const story = followed(
      begun()
        .write(2)
        .write(3)
        .write(4)
        .ack(3, 2, 0x60)
        .wait(67 * MS)
        .write(2)
        .write(3)
        .write(4)
        .ack(4, 4),
    )
    expect(refusalsOf(story)[0]!.isHeeded).toBe(false)
    // The NAK implies that 2 had arrived.
    expect(packetsOf(story)[0]).toMatchObject({ answered: { frame: 6 }, packets: 3 })
  })

  test('takes late packets for sent again where those behind them are', () => {
    const lost = begun().write(3).ack(2, 1, 0x60).write(2).write(3).ack(3, 3)
    expect(noted(followed(lost))).toEqual(['hole 2-2', 'refusal 60 2', 'again 2-3'])
    const [hole, resent] = packetsOf(followed(lost))
    expect(resent).toMatchObject({ packets: 2, before: null, hole: { frame: hole!.frame } })
    expect(followed(lost).cost).toMatchObject({ recoveries: 1, packets: 2, waitedPs: 20e6 })
    const overtaken = followed(begun().write(3).write(2).write(4).ack(4, 4))
    expect(noted(overtaken)).toEqual(['hole 2-2', 'late 2-2'])
    expect(overtaken.cost.recoveries).toBe(0)
  })

  test('says where a packet was lost as the findings do: left out when others were sent again, or behind', () => {
    const script = begun().write(2).write(3).write(4).ack(2, 1, 0x60).write(2).write(4).ack(3, 2, 0x60)
    const found = refusalsOf(followed(script)).map(({ findings }) => findings.map(({ id }) => id))
    expect(found).toEqual([['capture-loss-after'], ['capture-loss-before']])
    expect(script.story().toSorted()).toEqual(['loss-after 2', 'loss-before 3', 'retransmission-nak 2'])
  })

  test('ends with a refusal, with RNR NAKs, in silence, or openly', () => {
    const endingOf = (script: Script): string => followed(script).ending.kind
    expect(endingOf(begun().write(2).ack(2, 1, 0x62))).toBe('refused')
    expect(endingOf(begun().write(2).ack(2, 1, 0x2c).write(2).ack(2, 1, 0x2c))).toBe('not-ready')
    const resent = (script: Script): Script => script.wait(67 * MS).write(2)
    expect(endingOf(resent(resent(begun().write(2))))).toBe('silent')
    expect(endingOf(begun().write(2))).toBe('open')
    expect(endingOf(begun().write(2).ack(2, 2))).toBe('answered')
    // A SEND with the PSN of the WRITE before it: the ACK is to the WRITE.
    const { kind, outstanding } = followed(begun().write(2).request(4, 2).ack(2, 2)).ending
    expect([kind, outstanding]).toEqual(['open', [1, 0]])
  })

  test('is bounded, and says how many events it leaves out', () => {
    const script = begun()
    for (let psn = 2; psn < 402; psn++) script.write(psn).ack(psn, 1, 0x60).write(psn).ack(psn, psn)
    const story = followed(script)
    expect(story.events.length).toBe(300)
    expect(story.eventsLeftOut).toBeGreaterThan(400)
    expect(packetsOf(story).at(-1)!.psn).toBe((401).toString(16).padStart(6, '0'))
    expect(story.cost.recoveries).toBe(400)
  })
})

describe('a diagram', () => {
  test('has each packet by time and PSN from the first on, and the loss where the packet passed', () => {
    const script = new Script().write(100).write(101).ack(100, 1).ack(101, 1, 0x60).write(101).ack(101, 2).cnp()
    const { points, packets, kept } = followed(script).diagrams[0]!
    const spotsOf = (kind: Parameters<typeof points.get>[0]): unknown =>
      points.get(kind)?.map(({ timePs, psn }) => [timePs / 10e6, psn])
    expect(Object.fromEntries([...points.keys()].map((kind) => [kind, spotsOf(kind)]))).toEqual({
      request: [
        [0, 0],
        [1, 1],
      ],
      ack: [
        [2, 0],
        [5, 1],
      ],
      nak: [[3, 1]],
      lost: [[1, 1]],
      again: [[4, 1]],
      cnp: [[6, 1]],
    })
    expect([packets, kept]).toEqual([7, 8])
  })

  test('keeps packets near what is notable, and the shape of the rest', () => {
    const script = new Script()
    for (let psn = 0; psn < 20_000; psn++) script.write(psn)
    script.ack(19_000, 1, 0x60).write(19_000)
    const { points, packets, kept } = followed(script).diagrams[0]!
    expect(packets).toBe(20_002)
    expect(kept).toBeLessThan(2500)
    const psns = points.get('request')!.map(({ psn }) => psn)
    expect(psns.slice(-20)).toEqual(Array.from({ length: 20 }, (_, i) => 19_980 + i))
    // No stretch between is empty.
    expect(Math.max(...psns.slice(1).map((psn, i) => psn - psns[i]!))).toBeLessThan(100)
  })
})

test('waits that overlap count once', () => {
  const waits = new Waits()
  for (const [from, to] of [
    [0, 10],
    [5, 12],
    [20, 30],
    [21, 22],
  ] as const)
    waits.add(from, to)
  expect(waits.totalPs).toBe(22)
  const many = new Waits()
  for (let i = 0; i < 5000; i++) many.add(10 * i, 10 * i + 4)
  expect(many.totalPs).toBe(20_000)
})

test('rows of packets have connection, fields and what each was', () => {
  const script = begun().write(2).ack(2, 1, 0x60).write(2)
  const tables: string[][] = []
  const rows = new PacketRows(script.decoded().connections, ({ columns }) => {
    const dataOf = (name: string) => [...columns.find((column) => column.name === name)!.data]
    tables.push(dataOf('psn').map((psn, i) => [psn, dataOf('connection')[i], dataOf('note')[i]].join(' ')))
  })
  again(script, rows)
  rows.end()
  expect(tables).toEqual([['1 1 new', '1 1 ', '2 1 new', '2 1 NAK 60', '2 1 again']])
})
