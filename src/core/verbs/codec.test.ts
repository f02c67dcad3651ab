/** Verbs packets as bytes and back, and the kinds and flags that the transport derives from them. */
import { describe, expect, test } from 'vitest'
import { ACK, ACK_REQUEST, CNP, DATA, FIRST, LAST, NAK, RNR_NAK, SEND } from '../transport/segment.ts'
import {
  ACKNOWLEDGE,
  ATOMIC_ACKNOWLEDGE,
  COMPARE_SWAP,
  FETCH_ADD,
  FORMAT_IRN,
  FORMAT_ROCE,
  READ_ACK,
  READ_NACK,
  READ_REQUEST_OPCODE,
  READ_RESPONSE_FIRST,
  READ_RESPONSE_LAST,
  READ_RESPONSE_MIDDLE,
  READ_RESPONSE_ONLY,
  SEND_FIRST,
  SEND_LAST_IMMEDIATE,
  SEND_MIDDLE,
  SEND_ONLY,
  WRITE_FIRST,
  WRITE_LAST,
  WRITE_LAST_IMMEDIATE,
  WRITE_MIDDLE,
  WRITE_ONLY,
  WRITE_ONLY_IMMEDIATE,
} from '../wire/index.ts'
import { decodePacket, encodePacket, packetBytes } from './codec.ts'
import { VerbsPacket } from './packet.ts'

/** A packet with headers only, or a full one, encoded and decoded in the format that has its opcode. */
function crossed(fields: Partial<VerbsPacket>): VerbsPacket {
  const bytes = new Uint8Array(200)
  const [packet, back] = [new VerbsPacket(64), new VerbsPacket(64)]
  const format = fields.opcode === READ_ACK || fields.opcode === READ_NACK ? FORMAT_IRN : FORMAT_ROCE
  // Values left from an earlier packet.
  Object.assign(back, { kind: RNR_NAK, flags: -1 })
  const length = encodePacket(Object.assign(packet, fields), format, bytes)
  expect(decodePacket(bytes, length, format, back)).toBe(true)
  return back
}

test.each([
  ['a SEND', SEND_ONLY, 0, DATA],
  ['a READ response', READ_RESPONSE_ONLY, 0, DATA],
  ['a READ request', READ_REQUEST_OPCODE, 0, DATA],
  ['an atomic', COMPARE_SWAP, 0, DATA],
  ['an atomic acknowledgement', ATOMIC_ACKNOWLEDGE, 0, DATA],
  ['a READ-ACK', READ_ACK, 0x60, ACK],
  ['a READ-NACK', READ_NACK, 0, NAK],
  ['an ACK without credits', ACKNOWLEDGE, 0x1f, ACK],
  ['an RNR NAK', ACKNOWLEDGE, 0x20, RNR_NAK],
  ['the longest RNR NAK', ACKNOWLEDGE, 0x3f, RNR_NAK],
  ['a NAK', ACKNOWLEDGE, 0x60, NAK],
])('%s is decoded to its kind', (_name, opcode, syndrome, kind) => {
  expect(crossed({ opcode, syndrome }).kind).toBe(kind)
})

test.each([
  ['the first of a WRITE', WRITE_FIRST, FIRST],
  ['a middle packet of a WRITE', WRITE_MIDDLE, 0],
  ['the last of a WRITE', WRITE_LAST, LAST],
  ['a WRITE of one packet', WRITE_ONLY, FIRST | LAST],
  ['the last of a WRITE with immediate', WRITE_LAST_IMMEDIATE, LAST | SEND],
  ['a WRITE with immediate of one packet', WRITE_ONLY_IMMEDIATE, FIRST | LAST | SEND],
  ['the first of a SEND', SEND_FIRST, FIRST | SEND],
  ['a middle packet of a SEND', SEND_MIDDLE, SEND],
  ['the last of a SEND', SEND_LAST_IMMEDIATE, LAST | SEND],
  ['a READ request', READ_REQUEST_OPCODE, FIRST | LAST],
  ['an atomic', FETCH_ADD, FIRST | LAST],
  ['an atomic acknowledgement', ATOMIC_ACKNOWLEDGE, FIRST | LAST],
  ['the first of the responses', READ_RESPONSE_FIRST, FIRST],
  ['a middle response', READ_RESPONSE_MIDDLE, 0],
  ['the last response', READ_RESPONSE_LAST, LAST],
  ['an only response', READ_RESPONSE_ONLY, FIRST | LAST],
])('%s has flags for its position in the message and for needing a Receive WQE', (_name, opcode, flags) => {
  expect(crossed({ opcode, isAckRequested: false }).flags).toBe(flags)
  expect(crossed({ opcode, isAckRequested: true }).flags).toBe(flags | ACK_REQUEST)
})

/** A WRITE of `length` bytes: 1, 2, 3, ... */
function writeOf(payloadBytes: number): VerbsPacket {
  const packet = new VerbsPacket(64)
  packet.payload.forEach((_, i) => (packet.payload[i] = i + 1))
  return Object.assign(packet, {
    opcode: WRITE_ONLY,
    payloadBytes,
    hasPayload: true,
    lengthBytes: payloadBytes,
    psn: 9,
  })
}

describe.each([FORMAT_ROCE, FORMAT_IRN])('format %i', (format) => {
  test.each([0, 1, 2, 3, 4, 61])('%i bytes of payload survive encoding, in frames of whole words', (payloadBytes) => {
    const bytes = new Uint8Array(200).fill(0xee)
    const length = encodePacket(writeOf(payloadBytes), format, bytes)
    expect(length).toBe(packetBytes(writeOf(payloadBytes), format))
    expect(length).toBe(packetBytes(writeOf(0), format) + Math.ceil(payloadBytes / 4) * 4)
    // Padding is zeros, and nothing is written behind it.
    const pad = length - packetBytes(writeOf(0), format) - payloadBytes
    expect([...bytes.subarray(length - pad, length + 1)]).toEqual([...Array.from({ length: pad }, () => 0), 0xee])
    const back = new VerbsPacket(64)
    expect(decodePacket(bytes, length, format, back)).toBe(true)
    expect(back).toMatchObject({ opcode: WRITE_ONLY, kind: DATA, payloadBytes, psn: 9, lengthBytes: payloadBytes })
    expect([...back.payload.subarray(0, payloadBytes)]).toEqual(Array.from({ length: payloadBytes }, (_, i) => i + 1))
  })

  test('payload without bytes is encoded as zeros', () => {
    const bytes = new Uint8Array(200).fill(0xee)
    const counted = Object.assign(writeOf(6), { hasPayload: false })
    const length = encodePacket(counted, format, bytes)
    expect([...bytes.subarray(length - 8, length)]).toEqual([0, 0, 0, 0, 0, 0, 0, 0])
  })

  test('a packet fits into a buffer of its own length and into none shorter', () => {
    const whole = packetBytes(writeOf(61), format)
    expect(encodePacket(writeOf(61), format, new Uint8Array(whole))).toBe(whole)
    expect(() => encodePacket(writeOf(61), format, new Uint8Array(whole - 1))).toThrow(
      new RangeError(`a packet of ${whole} bytes in ${whole - 1}`),
    )
  })

  test('a length beyond the buffer is not decoded', () => {
    const bytes = new Uint8Array(packetBytes(writeOf(61), format))
    encodePacket(writeOf(61), format, bytes)
    const lengths = [bytes.length, bytes.length + 4, -4, NaN]
    const reads = lengths.map((length) => decodePacket(bytes, length, format, new VerbsPacket(64)))
    expect(reads).toEqual([true, false, false, false])
  })

  test('bytes too few for headers or padding, or too many for the packet, are not decoded', () => {
    const bytes = new Uint8Array(200)
    const length = encodePacket(writeOf(61), format, bytes)
    const read = (count: number, mtuBytes = 64): boolean =>
      decodePacket(bytes, count, format, new VerbsPacket(mtuBytes))
    const headers = packetBytes(writeOf(0), format)
    // 61 bytes need three of padding; frames have whole words.
    const counts = [0, 11, headers - 1, headers, headers + 2, headers + 3, headers + 4, length]
    expect(counts.map((count) => read(count))).toEqual([false, false, false, false, false, false, true, true])
    expect([read(length, 60), read(length, 61)]).toEqual([false, true])
  })
})

test.each([
  ['an ACK', ACKNOWLEDGE],
  ['a READ request', READ_REQUEST_OPCODE],
  ['an atomic', FETCH_ADD],
])('%s is not decoded with payload', (_name, opcode) => {
  const bytes = new Uint8Array(200)
  const packet = Object.assign(new VerbsPacket(64), { opcode })
  const length = encodePacket(packet, FORMAT_ROCE, bytes)
  expect(decodePacket(bytes, length, FORMAT_ROCE, new VerbsPacket(64))).toBe(true)
  expect(decodePacket(bytes, length + 4, FORMAT_ROCE, new VerbsPacket(64))).toBe(false)
})

describe('a CNP', () => {
  const bytes = new Uint8Array(30)
  const length = encodePacket(
    Object.assign(new VerbsPacket(0), { kind: CNP, destinationQp: 0x12_3456 }),
    FORMAT_ROCE,
    bytes,
  )
  const isRead = (at: number, value: number, lengthBytes = length): boolean => {
    const changed = Uint8Array.from(bytes)
    changed[at] = value
    return decodePacket(changed, lengthBytes, FORMAT_ROCE, new VerbsPacket(64))
  }

  test('names a queue pair and nothing else', () => {
    expect([length, bytes[0]]).toEqual([28, 0x81])
    const back = Object.assign(new VerbsPacket(64), { kind: RNR_NAK, flags: -1, payloadBytes: 9 })
    expect(decodePacket(bytes, length, FORMAT_ROCE, back)).toBe(true)
    expect(back).toMatchObject({ kind: CNP, destinationQp: 0x12_3456, psn: 0, flags: 0, payloadBytes: 0 })
  })

  test('of another partition is none', () => {
    expect([isRead(2, 0x7f), isRead(2, 0x80), isRead(3, 0xfe)]).toEqual([true, false, false])
  })

  test('of another version or length is none', () => {
    expect([isRead(1, bytes[1]!), isRead(1, bytes[1]! | 1)]).toEqual([true, false])
    expect([isRead(0, 0x81, 27), isRead(0, 0x81, 29), isRead(0, 0x80)]).toEqual([false, false, false])
  })
})

test('no packet that is read carries a time', () => {
  const { sentPs } = crossed({ opcode: ACKNOWLEDGE, syndrome: 0x1f, sentPs: 5 })
  expect(sentPs).toBeNaN()
})
