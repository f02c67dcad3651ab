import { expect, test } from 'vitest'
import { formatAddress, parseAddress, readAddresses } from './addresses.ts'

test('an address is four bytes, the first one most significant', () => {
  expect(parseAddress('10.0.0.1')).toBe(0x0a000001)
  expect(parseAddress('0.0.0.0')).toBe(0)
  expect(parseAddress('255.255.255.255')).toBe(-1)
  expect(parseAddress('192.168.1.2')).toBe(0xc0a80102 | 0)
})

test('a printed address is parsed as the same address', () => {
  for (const text of ['10.0.0.1', '255.255.255.255', '192.168.1.2', '0.0.0.0', '127.255.0.1']) {
    expect(formatAddress(parseAddress(text) ?? NaN)).toBe(text)
  }
})

test.each([
  '10.0.0',
  '10.0.0.0.1',
  '10.0.0.256',
  '256.0.0.1',
  '10.0.0.x',
  '10.0.0.',
  ' 10.0.0.1',
  '10.0.0.1x',
  '1e1.0.0.1',
  '0010.0.0.1',
  '',
])('%j is no address', (text) => expect(parseAddress(text)).toBeUndefined())

test('hosts are assigned addresses by index, and every malformed line is reported', () => {
  expect(readAddresses(['0: 10.0.0.1', '3: 10.0.0.9'])).toMatchObject([{ value: 0x0a000001 }, { value: 0x0a000009 }])
  expect(() => readAddresses(['0: 10.0.0.1', '1: 10.0.0.300'])).toThrow(
    'nic.addresses.1: expected "HOST: ADDRESS", such as "0: 10.0.0.1", received "1: 10.0.0.300"',
  )
})
