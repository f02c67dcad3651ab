import { describe, expect, test } from 'vitest'
import { isStationAddress, MAC_CONTROL_BYTES, readMacControl, writeMacControl } from './mac-control.ts'

const hex = (bytes: Uint8Array): string => Array.from(bytes, (byte) => byte.toString(16).padStart(2, '0')).join(' ')

const PFC = { kind: 'pfc', source: 0x020000000001, vector: 0b1000, quanta: [0, 0, 0, 65_535, 0, 0, 0, 0] } as const

test('a PFC frame has the reserved destination, ethertype 8808, opcode 0101, vector and eight times', () => {
  expect(hex(writeMacControl(PFC).subarray(0, 34))).toBe(
    '01 80 c2 00 00 01 02 00 00 00 00 01 88 08 01 01 00 08 00 00 00 00 00 00 ff ff 00 00 00 00 00 00 00 00',
  )
})

test.each([PFC, { kind: 'pause', source: 0xfeffffffffff, quanta: 77 }] as const)(
  'frames that are written read the same: $kind',
  (frame) => {
    const bytes = writeMacControl(frame)
    expect(bytes.length).toBe(MAC_CONTROL_BYTES)
    expect(readMacControl(bytes)).toEqual(frame)
  },
)

describe('no MAC control frame', () => {
  test.each([
    ['too short', (bytes: Uint8Array) => bytes.subarray(0, 59)],
    ['another destination', (bytes: Uint8Array) => bytes.with(5, 2)],
    ['another ethertype', (bytes: Uint8Array) => bytes.with(13, 0)],
    ['another opcode', (bytes: Uint8Array) => bytes.with(15, 2)],
  ])('%s', (_name, spoil) => {
    expect(readMacControl(spoil(writeMacControl(PFC)))).toBeNull()
  })
})

test('zero and groups are no addresses of stations', () => {
  expect([0, 0x0180c2000001, 0x020000000001].map(isStationAddress)).toEqual([false, false, true])
})
