import { describe, expect, test } from 'vitest'
import { createRandomStreams } from '../base/random.ts'
import {
  ACKNOWLEDGE,
  ATOMIC_ACKNOWLEDGE,
  COMPARE_SWAP,
  FORMAT_IRN,
  FORMAT_LSN,
  FORMAT_ROCE,
  HAS_RETH,
  headersOf,
  isDefined,
  READ_ACK,
  READ_NACK,
  READ_REQUEST_OPCODE,
  READ_RESPONSE_FIRST,
  READ_RESPONSE_MIDDLE,
  READ_RESPONSE_ONLY,
  SEND_FIRST,
  SEND_LAST,
  SEND_ONLY,
  WRITE_LAST,
  SEND_LAST_INVALIDATE,
  SEND_MIDDLE,
  SEND_ONLY_IMMEDIATE,
  SEND_ONLY_INVALIDATE,
  WRITE_FIRST,
  WRITE_LAST_IMMEDIATE,
  WRITE_MIDDLE,
  WRITE_ONLY,
  WRITE_ONLY_IMMEDIATE,
} from './opcodes.ts'
import { BTH_BYTES } from './bth.ts'
import { headerBytes, readHeaders, writeHeaders, type RcFields } from './rc-headers.ts'

const BLANK: RcFields = {
  opcode: 0,
  psn: 0,
  isAckRequested: false,
  isSolicited: false,
  destinationQp: 0,
  padBytes: 0,
  virtualAddress: 0,
  key: 0,
  lengthBytes: 0,
  syndrome: 0,
  msn: 0,
  immediate: 0,
  invalidateKey: 0,
  swapHigh: 0,
  swapLow: 0,
  compareHigh: 0,
  compareLow: 0,
  receiveSn: 0,
  messageOffset: 0,
  readSn: 0,
  sackPsn: 0,
  lsn: 0,
}

test.each([
  [WRITE_FIRST, 28, 28],
  [WRITE_MIDDLE, 12, 28],
  [WRITE_ONLY, 28, 28],
  [WRITE_LAST_IMMEDIATE, 16, 35],
  [WRITE_ONLY_IMMEDIATE, 32, 35],
  [SEND_MIDDLE, 12, 18],
  [SEND_ONLY_IMMEDIATE, 16, 22],
  [SEND_LAST_INVALIDATE, 16, 22],
  [READ_REQUEST_OPCODE, 28, 31],
  [COMPARE_SWAP, 40, 43],
  [READ_RESPONSE_MIDDLE, 12, 12],
  [ATOMIC_ACKNOWLEDGE, 24, 24],
  [ACKNOWLEDGE, 16, 19],
])('opcode %i: %i bytes of headers, with IRN %i', (opcode, roce, irn) => {
  expect([headerBytes(opcode, FORMAT_ROCE), headerBytes(opcode, FORMAT_IRN)]).toEqual([roce, irn])
  expect(headerBytes(opcode, FORMAT_ROCE | FORMAT_LSN)).toBe(roce + 4)
})

test('IRN: every packet of a WRITE carries the RETH', () => {
  for (let opcode = WRITE_FIRST; opcode <= WRITE_ONLY_IMMEDIATE; opcode++) {
    expect(headersOf(opcode, FORMAT_IRN) & HAS_RETH).toBe(HAS_RETH)
  }
})

test('IRN adds up to 16 bytes to a packet of a WRITE, 6 to one of a SEND and none to a READ response ([IRN] 6.3)', () => {
  const added = (opcode: number): number => headerBytes(opcode, FORMAT_IRN) - headerBytes(opcode, FORMAT_ROCE)
  expect([WRITE_FIRST, WRITE_MIDDLE, WRITE_ONLY, WRITE_LAST].map(added)).toEqual([0, 16, 0, 16])
  expect([SEND_FIRST, SEND_MIDDLE, SEND_LAST, SEND_ONLY, SEND_LAST_INVALIDATE].map(added)).toEqual([6, 6, 6, 6, 6])
  for (let opcode = READ_RESPONSE_FIRST; opcode <= READ_RESPONSE_ONLY; opcode++) expect(added(opcode)).toBe(0)
})

test('the layout is that of the standard, byte by byte', () => {
  const fields = {
    ...BLANK,
    opcode: WRITE_ONLY_IMMEDIATE,
    psn: 0xabcdef,
    isAckRequested: true,
    isSolicited: true,
    destinationQp: 1193046,
    padBytes: 3,
    virtualAddress: 0x123456789abcd,
    key: 0xfedcba98,
    lengthBytes: 0x80000001,
    immediate: 0xdeadbeef,
  }
  const bytes = new Uint8Array(64)
  const end = writeHeaders(new DataView(bytes.buffer), 0, FORMAT_ROCE, fields)
  const hex = [...bytes.subarray(0, end)].map((byte) => byte.toString(16).padStart(2, '0')).join('')
  expect(hex).toBe('0bf0ffff00123456' + '80abcdef' + '000123456789abcd' + 'fedcba98' + '80000001' + 'deadbeef')
})

describe('reading', () => {
  test('headers survive encoding and decoding', () => {
    const random = createRandomStreams(5).stream('headers')
    let looked = 0
    for (let k = 0; k < 4000; k++) {
      const format = random.below(4)
      const opcode = random.below(26)
      if (!isDefined(opcode, format)) continue
      const fields: RcFields = { ...BLANK, opcode, psn: random.below(2 ** 24) }
      Object.assign(fields, { isAckRequested: random.below(2) === 1, isSolicited: random.below(2) === 1 })
      Object.assign(fields, { destinationQp: random.below(2 ** 24), padBytes: random.below(4) })
      for (const name of ['msn', 'receiveSn', 'messageOffset', 'readSn', 'sackPsn'] as const) {
        fields[name] = random.below(2 ** 24)
      }
      for (const name of ['key', 'lengthBytes', 'immediate', 'invalidateKey', 'swapHigh', 'swapLow'] as const) {
        fields[name] = random.uint32()
      }
      for (const name of ['compareHigh', 'compareLow', 'lsn'] as const) fields[name] = random.uint32()
      Object.assign(fields, {
        syndrome: random.below(128),
        virtualAddress: random.below(2 ** 21) * 2 ** 32 + random.uint32(),
      })
      const bytes = new Uint8Array(64)
      const end = writeHeaders(new DataView(bytes.buffer), 0, format, fields)
      expect(end).toBe(headerBytes(fields.opcode, format))
      const read: RcFields = { ...BLANK }
      expect(readHeaders(new DataView(bytes.buffer, 0, end), 0, format, read)).toBe(end)
      const again = new Uint8Array(64)
      writeHeaders(new DataView(again.buffer), 0, format, read)
      expect(again).toEqual(bytes)
      looked++
      // One byte less is not enough.
      expect(readHeaders(new DataView(bytes.buffer, 0, end - 1), 0, format, read)).toBe(-1)
    }
    expect(looked).toBeGreaterThan(3500)
  })

  test.each([FORMAT_ROCE, FORMAT_IRN])('format %i: only defined opcodes are decoded', (format) => {
    const bytes = new Uint8Array(64)
    const read = Array.from({ length: 256 }, (_, opcode) => opcode).filter((opcode) => {
      bytes.set([opcode, 0, 0xff, 0xff])
      return readHeaders(new DataView(bytes.buffer), 0, format, { ...BLANK }) >= 0
    })
    const standard = [...Array.from({ length: 21 }, (_, opcode) => opcode), SEND_LAST_INVALIDATE, SEND_ONLY_INVALIDATE]
    expect(read).toEqual(format === FORMAT_IRN ? [...standard, READ_ACK, READ_NACK] : standard)
  })

  test.each([
    ['as encoded', [0x40, 0xff, 0xff], true],
    ['of a limited member', [0x40, 0x7f, 0xff], true],
    ['of another transport version', [0x41, 0xff, 0xff], false],
    ['of another partition', [0x40, 0xff, 0xfe], false],
  ])('a packet %s', (_name, bth, isRead) => {
    const bytes = new Uint8Array(64)
    bytes.set([SEND_ONLY, ...bth])
    expect(readHeaders(new DataView(bytes.buffer), 0, FORMAT_ROCE, { ...BLANK })).toBe(isRead ? BTH_BYTES : -1)
  })

  test('an opcode of another service is not decoded', () => {
    const bytes = new Uint8Array(64).fill(0x64)
    expect(readHeaders(new DataView(bytes.buffer), 0, FORMAT_ROCE, { ...BLANK })).toBe(-1)
  })
})
