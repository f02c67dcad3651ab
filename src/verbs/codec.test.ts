/** Verbs packets as bytes and back, and what a network that knows only kinds sees of them. */
import { describe, expect, test } from 'vitest'
import { ACK, DATA, NAK, READ_REQUEST, RNR_NAK } from '../transport/segment.ts'
import {
  ACKNOWLEDGE,
  COMPARE_SWAP,
  FETCH_ADD,
  FORMAT_IRN,
  FORMAT_ROCE,
  READ_ACK,
  READ_NACK,
  READ_REQUEST_OPCODE,
  READ_RESPONSE_ONLY,
  SEND_ONLY,
  WRITE_ONLY,
} from '../wire/index.ts'
import { decodePacket, encodePacket, kindOf, packetBytes } from './codec.ts'
import { VerbsPacket } from './packet.ts'

test.each([
  ['a SEND', SEND_ONLY, 0, DATA],
  ['a READ response', READ_RESPONSE_ONLY, 0, DATA],
  ['a READ request', READ_REQUEST_OPCODE, 0, READ_REQUEST],
  ['an atomic', COMPARE_SWAP, 0, READ_REQUEST],
  ['another atomic', FETCH_ADD, 0, READ_REQUEST],
  ['a READ-ACK', READ_ACK, 0x60, ACK],
  ['a READ-NACK', READ_NACK, 0, NAK],
  ['an ACK without credits to tell', ACKNOWLEDGE, 0x1f, ACK],
  ['an RNR NAK', ACKNOWLEDGE, 0x20, RNR_NAK],
  ['the longest RNR NAK', ACKNOWLEDGE, 0x3f, RNR_NAK],
  ['a NAK', ACKNOWLEDGE, 0x60, NAK],
])('%s is of its kind', (_name, opcode, syndrome, kind) => {
  expect(kindOf(opcode, syndrome)).toBe(kind)
})

/** A WRITE of so many bytes: 1, 2, 3, ... */
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
  test.each([0, 1, 2, 3, 4, 61])('%i bytes come back, in frames of whole words', (payloadBytes) => {
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

  test('payload that is only counted is zeros', () => {
    const bytes = new Uint8Array(200).fill(0xee)
    const counted = Object.assign(writeOf(6), { hasPayload: false })
    const length = encodePacket(counted, format, bytes)
    expect([...bytes.subarray(length - 8, length)]).toEqual([0, 0, 0, 0, 0, 0, 0, 0])
  })

  test('a packet fits into as many bytes as it has, and into none fewer', () => {
    const whole = packetBytes(writeOf(61), format)
    expect(encodePacket(writeOf(61), format, new Uint8Array(whole))).toBe(whole)
    expect(() => encodePacket(writeOf(61), format, new Uint8Array(whole - 1))).toThrow(
      new RangeError(`a packet of ${whole} bytes in ${whole - 1}`),
    )
  })

  test('a length that the bytes have not is no packet', () => {
    const bytes = new Uint8Array(packetBytes(writeOf(61), format))
    encodePacket(writeOf(61), format, bytes)
    const lengths = [bytes.length, bytes.length + 4, -4, NaN]
    const reads = lengths.map((length) => decodePacket(bytes, length, format, new VerbsPacket(64)))
    expect(reads).toEqual([true, false, false, false])
  })

  test('bytes that are too few for their headers or padding, or too many for the packet, are no packet', () => {
    const bytes = new Uint8Array(200)
    const length = encodePacket(writeOf(61), format, bytes)
    const read = (count: number, mtuBytes = 64): boolean =>
      decodePacket(bytes, count, format, new VerbsPacket(mtuBytes))
    const headers = packetBytes(writeOf(0), format)
    // 61 bytes have three of padding, and frames have whole words.
    const counts = [0, 11, headers - 1, headers, headers + 2, headers + 3, headers + 4, length]
    expect(counts.map((count) => read(count))).toEqual([false, false, false, false, false, false, true, true])
    expect([read(length, 60), read(length, 61)]).toEqual([false, true])
  })
})

test.each([
  ['an ACK', ACKNOWLEDGE],
  ['a READ request', READ_REQUEST_OPCODE],
  ['an atomic', FETCH_ADD],
])('%s ends with its headers', (_name, opcode) => {
  const bytes = new Uint8Array(200)
  const packet = Object.assign(new VerbsPacket(64), { opcode })
  const length = encodePacket(packet, FORMAT_ROCE, bytes)
  expect(decodePacket(bytes, length, FORMAT_ROCE, new VerbsPacket(64))).toBe(true)
  expect(decodePacket(bytes, length + 4, FORMAT_ROCE, new VerbsPacket(64))).toBe(false)
})
