import { describe, expect, test } from 'vitest'
import { fc } from '../../../../tests/support/properties.ts'
import { InputError } from '../../base/issue.ts'
import { pcapOf, type PcapOptions } from '../drawn-frames.test-data.ts'
import { CaptureReader } from './capture-reader.ts'
import type { CaptureFacts, CaptureRecord } from './record.ts'

interface Read {
  readonly records: CaptureRecord[]
  readonly facts: CaptureFacts
}

function read(file: Uint8Array, cuts: readonly number[] = []): Read {
  const records: CaptureRecord[] = []
  const reader = new CaptureReader((record) => records.push(record))
  let at = 0
  for (const cut of [...cuts.map((each) => each % (file.length + 1)).toSorted((a, b) => a - b), file.length]) {
    const chunk = file.slice(at, cut)
    reader.push(chunk)
    // Records own their bytes.
    chunk.fill(0xee)
    at = cut
  }
  return { records, facts: reader.end() }
}

/** Blocks of pcapng, in the byte order that is given. */
function blocksOf(
  isLittle: boolean,
  ...blocks: readonly (readonly [number, readonly (number | Uint8Array)[]])[]
): Uint8Array {
  const parts = blocks.flatMap(([type, content]) => {
    const words = content.map((part) => (typeof part === 'number' ? wordOf(part, isLittle) : part))
    const length = wordOf(
      words.reduce((sum, { length: bytes }) => sum + bytes, 12),
      isLittle,
    )
    return [wordOf(type, isLittle), length, ...words, length]
  })
  return Uint8Array.from(parts.flatMap((part) => [...part]))
}

function wordOf(value: number, isLittle: boolean): Uint8Array {
  const view = new DataView(new ArrayBuffer(4))
  view.setUint32(0, value, isLittle)
  return new Uint8Array(view.buffer)
}

const SECTION = [0x0a0d0d0a, [0x1a2b3c4d, 1, 0xffffffff, 0xffffffff]] as const
const bytesOf = (...bytes: number[]): Uint8Array => Uint8Array.from(bytes)
const text = (value: string): Uint8Array => new TextEncoder().encode(value)
/** Little-endian option, padded. */
const option = (code: number, value: Uint8Array): Uint8Array =>
  bytesOf(code, 0, value.length, 0, ...value, ...new Uint8Array(-value.length & 3))
const longOf = (value: bigint): Uint8Array => new Uint8Array(BigInt64Array.of(value).buffer)
const timeOf = (counts: bigint): [number, number] => [Number(counts >> 32n), Number(counts & 0xffffffffn)]
const interfaceOf = (linkType: number, ...options: Uint8Array[]): [number, (number | Uint8Array)[]] => [
  1,
  [linkType, 0, ...options, 0],
]
const packetOf = (port: number, counts: bigint, ...rest: Uint8Array[]): [number, (number | Uint8Array)[]] => [
  6,
  [port, ...timeOf(counts), 4, 60, bytesOf(1, 2, 3, 4), ...rest],
]

describe('a pcap file', () => {
  const frames = [
    { seconds: 1_700_000_000, fraction: 999_999, bytes: bytesOf(1, 2, 3, 4, 5, 6, 7), sizeBytes: 1500 },
    { seconds: 1_700_000_001, fraction: 1, bytes: bytesOf(8) },
    { seconds: 1_699_999_999, fraction: 0, bytes: bytesOf() },
  ]

  test.each([
    ['microseconds', 0xa1b2c3d4, 1_000_000, 1_700_000_000_999_999_000n],
    ['nanoseconds', 0xa1b23c4d, 1000, 1_700_000_000_000_999_999n],
  ])('with %s is read in both byte orders', (_name, magic, unitPs, startNs) => {
    for (const isLittle of [true, false]) {
      const { records, facts } = read(pcapOf(frames, { magic, isLittle }))
      expect(records.map(({ timePs }) => timePs)).toEqual([0, 1e12 - 999_998 * unitPs, -1e12 - 999_999 * unitPs])
      expect(records[0]).toEqual({
        port: 0,
        link: 'ethernet',
        timePs: 0,
        sizeBytes: 1500,
        bytes: bytesOf(1, 2, 3, 4, 5, 6, 7),
        hasCrcError: false,
        comment: '',
        rateBps: 0,
      })
      expect(facts).toEqual({
        format: 'pcap',
        interfaces: [''],
        startNs,
        recordCount: 3,
        unreadable: new Map(),
        lostByCapture: null,
        damage: null,
      })
    }
  })

  test('may say that frames end with an FCS, which is cut off where it is there', () => {
    const linkType = 1 + 0x0400_0000 + 0x2000_0000
    const bytes = Uint8Array.from({ length: 64 }, (_, i) => i)
    const cut = { ...frames[0]!, bytes, sizeBytes: 66 }
    const { records } = read(
      pcapOf([{ ...frames[0]!, bytes, sizeBytes: 64 }, cut, { ...cut, sizeBytes: 1500 }], { linkType }),
    )
    expect(records.map((record) => [record.bytes.length, record.sizeBytes])).toEqual([
      [60, 60],
      [62, 62],
      [64, 1496],
    ])
  })

  test.each([
    [101, 'ip'],
    [228, 'ip'],
    [229, 'ip'],
    [12, 'ip'],
    [14, 'ip'],
    [113, 'cooked'],
    [276, 'cooked-2'],
  ])('of link type %i is read as %s', (linkType, link) => {
    expect(read(pcapOf(frames, { linkType })).records.map((record) => record.link)).toEqual([link, link, link])
  })

  test('of another link type is counted', () => {
    const { records, facts } = read(pcapOf(frames, { linkType: 105 }))
    expect([records, facts.recordCount, facts.startNs, facts.unreadable]).toEqual([[], 0, null, new Map([[105, 3]])])
  })

  test('that ends in a record, or says that one has more than 16 MiB, gives the records before', () => {
    const file = pcapOf(frames)
    const { records, facts } = read(file.subarray(0, 60))
    expect([records.length, facts.damage?.atByte]).toEqual([1, 24 + 16 + 7])
    expect(read(file.subarray(0, 47)).facts.damage).toBeNull()
    expect(read(file.subarray(0, 20)).facts).toMatchObject({ recordCount: 0, damage: { atByte: 0 } })
    const long = pcapOf(frames)
    new DataView(long.buffer).setUint32(47 + 8, 0x0100_0000, true)
    expect(read(long).facts).toMatchObject({ recordCount: 1, damage: { atByte: 47 } })
  })
})

describe('a pcapng file', () => {
  test('has several interfaces, with times of powers of ten and two and offsets, exact beyond 2^53', () => {
    const file = blocksOf(
      true,
      SECTION,
      interfaceOf(1, option(2, text('nano')), option(9, bytesOf(9))),
      interfaceOf(1, option(2, text('half')), option(9, bytesOf(0x81)), option(14, longOf(-10n))),
      interfaceOf(1),
      packetOf(0, 1_700_000_000_123_456_789n),
      packetOf(0, 1_700_000_000_123_456_790n),
      // Half seconds, ten seconds early.
      packetOf(1, 2n * 1_700_000_010n + 1n),
      packetOf(2, 1_700_000_000_123_457n),
      packetOf(0, 1_700_000_004_294_967_296n),
    )
    const { records, facts } = read(file)
    expect(records.map(({ port, timePs }) => [port, timePs])).toEqual([
      [0, 0],
      [0, 1000],
      [1, 376_543_211_000],
      [2, 211_000],
      [0, 4_171_510_507_000],
    ])
    expect(facts).toMatchObject({ interfaces: ['nano', 'half', ''], startNs: 1_700_000_000_123_456_789n })
  })

  test('has packets of three kinds of block, with flags, comments and counts of lost frames', () => {
    const file = blocksOf(
      true,
      SECTION,
      interfaceOf(1, option(13, bytesOf(4))),
      interfaceOf(1),
      packetOf(0, 7n, option(1, text('first')), option(2, wordOf(2 ** 24, true)), option(4, longOf(3n))),
      // Its flags say that its FCS has 2 bytes, the interface 4.
      packetOf(0, 7n, option(2, wordOf(2 << 5, true))),
      [3, [60, bytesOf(9, 9, 9, 9)]],
      [2, [(5 << 16) | 1, ...timeOf(9n), 2, 2, bytesOf(1, 2, 0, 0)]],
    )
    const { records, facts } = read(file)
    expect(
      records.map(({ port, timePs, sizeBytes, bytes, hasCrcError, comment }) => [
        port,
        timePs,
        sizeBytes,
        [...bytes],
        hasCrcError,
        comment,
      ]),
    ).toEqual([
      [0, 0, 56, [1, 2, 3, 4], true, 'first'],
      [0, 0, 58, [1, 2, 3, 4], false, ''],
      [0, 0, 56, [9, 9, 9, 9], false, ''],
      [1, 2e6, 2, [1, 2], false, ''],
    ])
    expect(facts.lostByCapture).toBe(8)
  })

  test('has statistics that count from the beginning: the newest of each interface say what was lost', () => {
    const statistics = (port: number, ...lost: Uint8Array[]): [number, (number | Uint8Array)[]] => [
      5,
      [port, 0, 0, ...lost],
    ]
    const blocks = [
      statistics(0, option(5, longOf(1n))),
      statistics(0, option(5, longOf(4n)), option(7, longOf(2n))),
      statistics(1, option(5, longOf(10n))),
    ]
    expect(read(blocksOf(true, SECTION, interfaceOf(1), interfaceOf(1), ...blocks)).facts.lostByCapture).toBe(16)
    expect(read(blocksOf(true, SECTION, interfaceOf(1))).facts.lostByCapture).toBeNull()
  })

  test('may have sections of both byte orders, whose interfaces are counted on', () => {
    const file = Uint8Array.from([
      ...blocksOf(true, SECTION, interfaceOf(1), packetOf(0, 5n)),
      ...blocksOf(false, SECTION, [1, [1 << 16, 0]], [1, [101 << 16, 0]], packetOf(1, 6n)),
    ])
    const { records, facts } = read(file)
    expect(records.map(({ port, link, timePs }) => [port, link, timePs])).toEqual([
      [0, 'ethernet', 0],
      [2, 'ip', 1e6],
    ])
    expect(facts).toMatchObject({ interfaces: ['', '', ''], damage: null })
  })

  test('that is damaged gives the records before', () => {
    const start = blocksOf(true, SECTION, interfaceOf(1), packetOf(0, 5n))
    const after = (...block: number[]): CaptureFacts => {
      const rest = block.flatMap((word) => [...wordOf(word, true)])
      return read(Uint8Array.from([...start, ...rest])).facts
    }
    const damage = { atByte: start.length }
    for (const block of [
      [6, 36, 3, 0, 0, 0, 0, 0, 36],
      [6, 36, 0, 0, 0, 1, 1, 0, 32],
      [6, 32, 0, 0, 0, 1, 1, 32],
      [6, 20, 0, 0, 20],
      [6, 13],
      [6, 0x0100_0004, 0],
      [6, 36, 0],
    ])
      expect(after(...block)).toMatchObject({ recordCount: 1, damage })
    expect(after(0x0bad, 12, 12).damage).toBeNull()
  })
})

describe('any file', () => {
  const options = fc.record({
    isLittle: fc.boolean(),
    magic: fc.constantFrom(0xa1b2c3d4, 0xa1b23c4d),
    linkType: fc.constantFrom(1, 101, 105, 113, 276, 0x2400_0001),
  } satisfies Record<keyof PcapOptions, unknown>)
  const frames = fc.array(
    fc.record({
      seconds: fc.nat(2 ** 31 - 1),
      fraction: fc.nat(999_999),
      bytes: fc.uint8Array({ maxLength: 100 }),
      sizeBytes: fc.nat(3000),
    }),
    { maxLength: 8 },
  )
  const pcapng = fc
    .array(fc.tuple(fc.nat(1), fc.bigInt(0n, 2n ** 64n - 1n)), { maxLength: 8 })
    .map((packets) =>
      blocksOf(
        true,
        SECTION,
        interfaceOf(1, option(9, bytesOf(9)), option(13, bytesOf(4))),
        interfaceOf(101, option(2, text('second'))),
        ...packets.map(([port, counts]) => packetOf(port, counts, option(1, text('note')))),
        [5, [0, 0, 0, option(5, longOf(2n))]],
      ),
    )
  const file = fc.oneof(
    fc.tuple(frames, options).map(([all, how]) => pcapOf(all, how)),
    pcapng,
  )

  test('in any pieces has the same records', () => {
    fc.assert(
      fc.property(file, fc.array(fc.nat(), { maxLength: 12 }), (bytes, cuts) => {
        const whole = read(bytes)
        expect(whole.facts.damage).toBeNull()
        expect(read(bytes, cuts)).toEqual(whole)
        expect(read(bytes, Array.from(bytes.keys()))).toEqual(whole)
      }),
    )
  })

  test('that is cut off gives the records that are whole', () => {
    fc.assert(
      fc.property(file, fc.nat(), (bytes, at) => {
        const whole = read(bytes)
        const part = bytes.subarray(0, Math.max(4, at % bytes.length))
        const { records } = read(part)
        expect(records).toEqual(whole.records.slice(0, records.length))
      }),
    )
  })

  test('with damage is read up to it or refused, in any pieces the same', () => {
    const edit = fc.record({ at: fc.nat(), byte: fc.nat(255), kind: fc.constantFrom('set', 'insert', 'remove') })
    const seen = { refused: 0, damaged: 0, whole: 0 }
    fc.assert(
      fc.property(
        file,
        fc.array(edit, { minLength: 1, maxLength: 6 }),
        fc.array(fc.nat(), { maxLength: 5 }),
        (bytes, edits, cuts) => {
          const changed = [...bytes]
          for (const { at, byte, kind } of edits)
            changed.splice(at % changed.length, kind === 'insert' ? 0 : 1, ...(kind === 'remove' ? [] : [byte]))
          const damaged = Uint8Array.from(changed)
          const result = attempt(() => read(damaged))
          expect(attempt(() => read(damaged, cuts))).toEqual(result)
          seen[result === null ? 'refused' : result.facts.damage === null ? 'whole' : 'damaged']++
          if (result === null) return
          for (const { timePs, bytes: kept, sizeBytes } of result.records) {
            expect(Number.isFinite(timePs)).toBe(true)
            expect(kept.length).toBeLessThanOrEqual(sizeBytes)
          }
        },
      ),
      { numRuns: 1000 },
    )
    expect(Math.min(...Object.values(seen))).toBeGreaterThan(50)
  })

  test('that is no capture is refused, and one that is packed is named', () => {
    for (const bytes of [text('no capture'), bytesOf(), bytesOf(0xa1, 0xb2), bytesOf(0x1f, 0x8b, 8, 0)])
      expect(attempt(() => read(bytes))).toBeNull()
    expect(() => read(bytesOf(0x1f, 0x8b, 8, 0))).toThrow('gzip')
  })

  function attempt(action: () => Read): Read | null {
    try {
      return action()
    } catch (error) {
      if (error instanceof InputError) return null
      throw error
    }
  }
})
