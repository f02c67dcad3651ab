/** Messages of connection managers as bytes and as fields. */
import { describe, expect, test } from 'vitest'
import { fc } from '../../../../tests/support/properties.ts'
import { type AnyConnectionMad, mtuOfCode, readConnectionMad, timeoutPs, writeConnectionMad } from './index.ts'
import { readIpRequest, readIpServiceId, rejectReason, writeIpRequest, writeIpServiceId } from './index.ts'

/** Bytes of hex digits at offsets after the header; all others are 0. */
function madOf(attribute: string, content: Readonly<Record<number, string>>): Uint8Array {
  const mad = Buffer.alloc(256)
  mad.write(`01070203000000000000000204bb7b77${attribute}`, 'hex')
  for (const [at, hex] of Object.entries(content)) mad.write(hex, 24 + Number(at), 'hex')
  return new Uint8Array(mad)
}

const REQ = madOf('0010', {
  0: '777bbb04',
  8: '0000000001061c06',
  16: '505400fffe000001',
  32: '00001c01000000020000 00a1931d27a7ffff37f8'.replace(' ', ''),
  52: 'ffffffff',
  88: '57a6f000684030 98'.replace(' ', ''),
  140: '0040b077',
  156: 'c0000201',
  172: 'c0000202',
  176: 'ab',
})

test('a REQ has its fields where they are on the wire', () => {
  const request = readConnectionMad(REQ)
  expect(request).toMatchObject({
    kind: 'REQ',
    transactionId: 0x0000000204bb7b77n,
    localId: 0x777bbb04,
    serviceId: 0x01061c06n,
    caGuid: 0x505400fffe000001n,
    qp: 0x1c,
    responderResources: 1,
    initiatorDepth: 2,
    remoteResponseTimeout: 20,
    transportService: 0,
    endToEndFlowControl: 1,
    startingPsn: 0x931d27,
    localResponseTimeout: 20,
    retryCount: 7,
    partition: 0xffff,
    mtu: 3,
    rnrRetryCount: 7,
    maxCmRetries: 15,
    hasSharedReceives: 1,
    localLid: 0xffff,
    flowLabel: 0x57a6f,
    packetRate: 0,
    trafficClass: 0x68,
    hopLimit: 64,
    serviceLevel: 3,
    ackTimeout: 19,
  })
  expect(writeConnectionMad(request!)).toEqual(REQ)
})

test.each([
  ['0013', { 0: 'ca83e7b1777bbb04', 12: '00001c00', 20: 'f15eab00020379f0', 28: '505400fffe000002' }, 'REP'],
  ['0014', { 0: '777bbb04ca83e7b1' }, 'RTU'],
  ['0012', { 4: '747bbb04', 8: '4008001c', 12: '01020304', 84: 'aa' }, 'REJ'],
  ['0015', { 0: '777bbb04ca83e7b1', 8: '00001c' }, 'DREQ'],
  ['0016', { 0: 'ca83e7b1777bbb04' }, 'DREP'],
  ['0011', { 0: 'ca83e7b1777bbb04', 8: '4098' }, 'MRA'],
] as const)('attribute %s with %j is a %s, and is written as it was read', (attribute, content, kind) => {
  const mad = madOf(attribute, content)
  const message = readConnectionMad(mad)!
  expect(message.kind).toBe(kind)
  expect(writeConnectionMad(message)).toEqual(mad)
})

test('fields of the answers', () => {
  const rep = madOf('0013', { 0: 'ca83e7b1777bbb04', 12: '00001c00', 20: 'f15eab00020379f0' })
  expect(readConnectionMad(rep)).toMatchObject({
    localId: 0xca83e7b1,
    remoteId: 0x777bbb04,
    qp: 0x1c,
    startingPsn: 0xf15eab,
    responderResources: 2,
    initiatorDepth: 3,
    targetAckDelay: 15,
    failoverAccepted: 0,
    endToEndFlowControl: 1,
    rnrRetryCount: 7,
    hasSharedReceives: 1,
  })
  expect(readConnectionMad(madOf('0012', { 8: '4008001c' }))).toMatchObject({ rejected: 1, infoLength: 4, reason: 28 })
  expect(readConnectionMad(madOf('0011', { 8: '4098' }))).toMatchObject({ received: 1, serviceTimeout: 19 })
  expect(readConnectionMad(madOf('0015', { 8: '123456' }))).toMatchObject({ qp: 0x123456 })
})

describe('bytes that are no such message', () => {
  const spoilt = (at: number, value: number): Uint8Array => REQ.with(at, value)
  test.each([
    ['another base version', spoilt(0, 2)],
    ['another class', spoilt(1, 3)],
    ['another class version', spoilt(2, 1)],
    ['another method', spoilt(3, 1)],
    ['an attribute that is not read', spoilt(17, 0x17)],
    ['too short', REQ.subarray(0, 255)],
    ['nothing', new Uint8Array(0)],
  ])('%s: null', (_, bytes) => expect(readConnectionMad(bytes)).toBeNull())
})

/** Random bits that no field has are dropped by reading and writing once, and then nothing changes any more. */
test('what was read is written and read as the same', () => {
  const drawn = fc.tuple(fc.integer({ min: 0x10, max: 0x16 }), fc.uint8Array({ minLength: 248, maxLength: 248 }))
  fc.assert(
    fc.property(drawn, ([attribute, rest]) => {
      const mad = new Uint8Array(256)
      mad.set([1, 7, 2, 3])
      mad.set(rest, 8)
      mad.set([0, attribute], 16)
      const message: AnyConnectionMad = readConnectionMad(mad)!
      expect(readConnectionMad(writeConnectionMad(message))).toEqual(message)
    }),
  )
})

test('the reader takes any bytes', () => {
  fc.assert(
    fc.property(fc.uint8Array({ maxLength: 300 }), (bytes) => {
      expect(readConnectionMad(bytes)).toBeNull()
      readIpRequest(bytes)
    }),
  )
})

describe('a port of TCP as a service', () => {
  test('its ID', () => {
    expect(writeIpServiceId({ protocol: 6, port: 7174 })).toBe(0x01061c06n)
    expect(readIpServiceId(0x01061c06n)).toEqual({ protocol: 6, port: 7174 })
    expect(readIpServiceId(0x1_0000_0001_0106n)).toBeNull()
  })

  test('the addresses in the private data, IPv4 in the last bytes', () => {
    const message = readConnectionMad(REQ)!
    const ip = readIpRequest(message.privateData)!
    expect(ip).toMatchObject({
      source: Uint8Array.of(192, 0, 2, 1),
      destination: Uint8Array.of(192, 0, 2, 2),
      sourcePort: 0xb077,
    })
    expect(ip.user[0]).toBe(0xab)
    expect(writeIpRequest(ip)).toEqual(message.privateData)
  })

  test('IPv6', () => {
    const source = Uint8Array.from({ length: 16 }, (_, at) => at + 1)
    const destination = source.toReversed()
    const ip = { source, destination, sourcePort: 65_535, user: new Uint8Array(56).fill(9) }
    expect(readIpRequest(writeIpRequest(ip))).toEqual(ip)
  })

  test('another version of the header or of IP: null', () => {
    expect(readIpRequest(Uint8Array.of(0x10, 0x40, ...new Uint8Array(90)))).toBeNull()
    expect(readIpRequest(Uint8Array.of(0, 0x50, ...new Uint8Array(90)))).toBeNull()
  })
})

test('codes of times, of MTUs and of reasons', () => {
  expect([timeoutPs(0), timeoutPs(14), timeoutPs(20)]).toEqual([4_096_000, 67_108_864_000, 4_294_967_296_000])
  expect([0, 1, 3, 5, 6].map(mtuOfCode)).toEqual([null, 256, 1024, 4096, null])
  expect(rejectReason(8)).toContain('service ID')
  expect(rejectReason(28)).toContain('program')
  expect(rejectReason(0)).toBeNull()
})
