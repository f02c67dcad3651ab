import { describe, expect, test } from 'vitest'
import { fc } from '../../../../tests/support/properties.ts'
import { InputError } from '../../base/issue.ts'
import { type Capture, writePcapng } from './pcapng.ts'
import { readPcapng } from './pcapng-reader.test-data.ts'

const write = (capture: Capture): Uint8Array => writePcapng(capture, capture.frames.length, (i) => capture.frames[i]!)
const upTo = (max: number): fc.Arbitrary<number> => fc.integer({ min: 0, max })

const capture: fc.Arbitrary<Capture> = fc.integer({ min: 1, max: 4 }).chain((ports) =>
  fc.record({
    application: fc.string().map((name) => `rocelab ${name}`),
    comment: fc.string({ unit: 'grapheme' }),
    interfaces: fc.array(
      fc.record({
        name: fc.string({ unit: 'grapheme' }),
        rateBps: upTo(2 ** 53 - 1),
        snapBytes: upTo(9000),
        fcsBytes: fc.constantFrom(0, 4),
        seen: upTo(2 ** 53 - 1),
        leftOut: upTo(2 ** 40),
      }),
      { minLength: ports, maxLength: ports },
    ),
    frames: fc.array(
      fc.record({
        port: upTo(ports - 1),
        timePs: upTo(2 ** 53 - 1),
        direction: fc.constantFrom('in' as const, 'out' as const),
        hasCrcError: fc.boolean(),
        sizeBytes: upTo(9000),
        bytes: fc.uint8Array({ maxLength: 70 }),
        comment: fc.string({ unit: 'grapheme', maxLength: 20 }),
      }),
    ),
  }),
)

/** Words of a capture whose numbers begin with their highest byte: an interface, a frame with flags, statistics. */
const OTHER_ORDER: readonly number[] = [
  [0x0a0d0d0a, 28, 0x1a2b3c4d, 0x00010000, 0xffffffff, 0xffffffff, 28],
  // if_speed is option 8.
  [1, 32, 0x00010000, 96, 0x0008_0008, 3, 7, 32],
  // epb_flags is option 2.
  [6, 44, 0, 0, 5, 4, 60, 0x01020304, 0x0002_0004, 1, 44],
  // isb_ifrecv is option 4, isb_ifdrop 5.
  [5, 48, 0, 0, 0, 0x0004_0008, 1, 2, 0x0005_0008, 5, 4, 48],
].flat()

function bytesOf(words: readonly number[]): Uint8Array {
  const view = new DataView(new ArrayBuffer(4 * words.length))
  words.forEach((word, i) => view.setUint32(4 * i, word))
  return new Uint8Array(view.buffer)
}

describe('a capture file', () => {
  test('is read as it was written, and written again the same', () => {
    fc.assert(
      fc.property(capture, (content) => {
        const bytes = write(content)
        expect(readPcapng(bytes)).toEqual(content)
        expect(write(readPcapng(bytes))).toEqual(bytes)
        expect(bytes.length % 4).toBe(0)
      }),
    )
  })

  test('that is cut off or damaged is refused, or read up to a block that is whole', () => {
    fc.assert(
      fc.property(capture, fc.nat(), fc.integer({ min: 0, max: 255 }), (content, at, byte) => {
        const bytes = write(content)
        for (const damaged of [bytes.subarray(0, at % bytes.length), bytes.with(at % bytes.length, byte)]) {
          const error = errorOf(() => readPcapng(damaged))
          expect(error === null || error instanceof InputError).toBe(true)
        }
      }),
    )
  })

  test('that is damaged at several places is read or refused, and never anything else', () => {
    const edit = fc.record({ at: fc.nat(), byte: upTo(255), kind: fc.constantFrom('set', 'insert', 'remove') })
    const edits = fc.array(edit, { minLength: 1, maxLength: 6 })
    let [read, refused] = [0, 0]
    fc.assert(
      fc.property(capture, edits, (content, all) => {
        const bytes = [...write(content)]
        for (const { at, byte, kind } of all) {
          const from = at % bytes.length
          bytes.splice(from, kind === 'insert' ? 0 : 1, ...(kind === 'remove' ? [] : [byte]))
        }
        const error = errorOf(() => readPcapng(Uint8Array.from(bytes)))
        if (error !== null && !(error instanceof InputError)) throw error
        if (error === null) read++
        else refused++
      }),
      { numRuns: 3000 },
    )
    expect(Math.min(read, refused)).toBeGreaterThan(100)
  })

  test.each([
    ['a frame longer than its block', (words: number[]) => (words[20] = 0x8000_0010)],
    ['flags of 2 bytes', (words: number[]) => (words[23] = 0x0002_0002)],
    ['no byte order', (words: number[]) => (words[2] = 0)],
  ])('with %s is refused', (_, damage) => {
    const words = OTHER_ORDER.slice()
    expect(errorOf(() => readPcapng(bytesOf(words)))).toBeNull()
    damage(words)
    expect(errorOf(() => readPcapng(bytesOf(words)))).toBeInstanceOf(InputError)
  })

  test('of the other byte order has its numbers of 64 bits', () => {
    expect(readPcapng(bytesOf(OTHER_ORDER))).toMatchObject({
      interfaces: [{ rateBps: 3 * 2 ** 32 + 7, seen: 2 ** 32 + 2, leftOut: 5 * 2 ** 32 + 4 }],
      frames: [{ direction: 'in', sizeBytes: 60 }],
    })
  })

  test('of the other byte order, with times in microseconds, is read too', () => {
    const words: number[] = []
    const block = (type: number, ...content: number[]): void => {
      const length = 12 + 4 * content.length
      words.push(type, length, ...content, length)
    }
    block(0x0a0d0d0a, 0x1a2b3c4d, 0x00010000, 0xffffffff, 0xffffffff)
    block(1, 0x00010000, 96)
    // An unknown block is skipped.
    block(0x0bad, 1, 2)
    block(6, 0, 1, 5, 3, 60, 0x01020300)
    const view = new DataView(new ArrayBuffer(4 * words.length))
    words.forEach((word, i) => view.setUint32(4 * i, word))
    expect(readPcapng(new Uint8Array(view.buffer))).toEqual({
      application: '',
      comment: '',
      interfaces: [{ name: '', rateBps: 0, snapBytes: 96, fcsBytes: 0, seen: 0, leftOut: 0 }],
      frames: [
        {
          port: 0,
          timePs: (2 ** 32 + 5) * 1e6,
          direction: 'out',
          hasCrcError: false,
          sizeBytes: 60,
          bytes: Uint8Array.of(1, 2, 3),
          comment: '',
        },
      ],
    })
  })
})

function errorOf(action: () => unknown): unknown {
  try {
    action()
    return null
  } catch (error) {
    return error
  }
}
