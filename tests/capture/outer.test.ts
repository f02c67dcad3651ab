/** Outer headers: an exchange in any encapsulation has the connections and findings that it has bare; tshark sees it there, too. */
import { describe, expect, test } from 'vitest'
import { Decoder } from '../../src/live/decode/index.ts'
import { Script } from '../../src/live/decode/script.test-data.ts'
import { type CaptureRecord, CaptureReader, dissect as dissectFrame } from '../../src/core/wire/index.ts'
import { ENCAPSULATIONS, pcapOf, TOO_DEEP } from './encapsulations.ts'
import { dissect, TSHARK } from './tshark.ts'

if (TSHARK === undefined)
  console.warn('encapsulations as Wireshark reads them: skipped, there is no tshark on this machine')

/** A loss, an RNR, a refusal: something to tell. */
const FRAMES = new Script()
  .write(1)
  .write(2)
  .ack(2, 2)
  .write(3)
  .write(4)
  .ack(3, 2, 0x60)
  .write(3)
  .write(4)
  .ack(4, 4)
  .read(5, 512)
  .answer(16, 5, { aeth: { syndrome: 0x1f, msn: 5 } }, { bytes: 512 })
  .write(6)
  .ack(6, 5, 0x62)
  .records.map(({ bytes }) => bytes)

function decoded(file: Uint8Array) {
  const decoder = new Decoder()
  const reader = new CaptureReader((record) => decoder.add(record))
  reader.push(file)
  const { connections, findings, counts } = decoder.end(reader.end())
  // Bytes on the wire are those of the whole frames.
  const bare = connections.map(({ directions, ...rest }) => ({
    ...rest,
    directions: directions.map(({ wireBytes: _wireBytes, rate: _rate, ...direction }) => direction),
  }))
  return { story: { connections: bare, findings }, counts }
}

const BARE = decoded(pcapOf(1, FRAMES))

test('the bare exchange has a story', () => {
  expect(BARE.story.findings.length).toBeGreaterThan(2)
  expect([BARE.story.connections.length, BARE.counts.rocePackets]).toEqual([1, FRAMES.length])
})

test('there are 60 encapsulations or more, and no two have one name', () => {
  expect(new Set(ENCAPSULATIONS.map(({ name }) => name)).size).toBe(ENCAPSULATIONS.length)
  expect(ENCAPSULATIONS.length).toBeGreaterThanOrEqual(60)
})

describe.each(ENCAPSULATIONS)('$name', ({ link = 1, wrap, outer }) => {
  const file = pcapOf(link, FRAMES.map(wrap))

  test('has the story of the bare exchange, and says what was around it', () => {
    const { story, counts } = decoded(file)
    expect(story).toEqual(BARE.story)
    const records: CaptureRecord[] = []
    new CaptureReader((record) => records.push(record)).push(file)
    const first = dissectFrame(records[0]!.bytes, records[0]!.link)
    expect(first).toMatchObject({ kind: 'roce', outer, icrc: 'right' })
    expect(counts.outer).toEqual(outer.length === 0 ? {} : { [outer.join(', ')]: FRAMES.length })
  })

  test('cut short at any byte is something, and throws nothing', () => {
    const [frame] = FRAMES.map(wrap)
    for (let length = 0; length < frame!.length; length++)
      expect(['roce', 'damaged', 'other', 'ip', 'unread']).toContain(
        dissectFrame(frame!.subarray(0, length), 'ethernet').kind,
      )
  })
})

describe.skipIf(TSHARK === undefined).each([...new Set(ENCAPSULATIONS.map(({ link = 1 }) => link))])(
  'link type %i in tshark',
  (type) => {
    test('has the same PSNs', () => {
      const all = ENCAPSULATIONS.filter(({ link = 1, unlikeTshark }) => link === type && unlikeTshark === undefined)
      const seen = dissect(
        pcapOf(
          type,
          all.flatMap(({ wrap }) => FRAMES.map(wrap)),
        ),
        ['infiniband.bth.psn'],
      )
      const wanted = dissect(pcapOf(1, FRAMES), ['infiniband.bth.psn'])
      expect(wanted.every((fields) => fields['infiniband.bth.psn'] !== '')).toBe(true)
      for (const [at, { name }] of all.entries())
        expect([name, seen.slice(at * FRAMES.length, (at + 1) * FRAMES.length)]).toEqual([name, wanted])
    })
  },
)

test('more headers than eight are not taken off, and named', () => {
  const { counts } = decoded(pcapOf(1, FRAMES.map(TOO_DEEP.wrap)))
  expect([counts.rocePackets, counts.otherKinds]).toEqual([0, { 'more than 8 outer headers': FRAMES.length }])
})
