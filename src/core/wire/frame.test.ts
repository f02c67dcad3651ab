import { describe, expect, test } from 'vitest'
import { fc } from '../../../tests/support/properties.ts'
import { CNP_OPCODE, readBth, writeCnp } from './bth.ts'
import { CN_TAG, writeCongestionMessage } from './congestion-message.ts'
import { type EthernetHeader, readEthernet, writeEthernet } from './ethernet.ts'
import { readFrame, type RoceFrame, writeIpFrame, writeRoceFrame } from './frame.ts'
import { type IpHeader, ipv4Bytes, PROTOCOL_TCP, PROTOCOL_UDP, readIp, writeIp } from './ip.ts'
import { type TcpSegment, writeTcpPacket } from './tcp.ts'
import { readTcp } from './tcp.test-data.ts'

const bits = (count: number): fc.Arbitrary<number> => fc.integer({ min: 0, max: 2 ** count - 1 })
const bytesOf = (length: number): fc.Arbitrary<Uint8Array> => fc.uint8Array({ minLength: length, maxLength: length })
const tag = fc.option(fc.record({ pcp: bits(3), dei: fc.boolean(), vid: bits(12) }))
const link: fc.Arbitrary<Omit<EthernetHeader, 'etherType'>> = fc.record({
  // Not the group address of MAC control.
  destination: fc.integer({ min: 0x020000000000, max: 0x02ffffffffff }),
  source: fc.integer({ min: 0, max: 2 ** 48 - 1 }),
  tag,
})
const common = { dscp: bits(6), ecn: bits(2), hopLimit: bits(8) }
const ipOf = (protocol: number): fc.Arbitrary<IpHeader> =>
  fc.oneof(
    fc.record({
      version: fc.constant(4 as const),
      source: bytesOf(4),
      destination: bytesOf(4),
      ...common,
      protocol: fc.constant(protocol),
      identification: bits(16),
      isUnfragmented: fc.boolean(),
    }),
    fc.record({
      version: fc.constant(6 as const),
      source: bytesOf(16),
      destination: bytesOf(16),
      ...common,
      protocol: fc.constant(protocol),
      flowLabel: bits(20),
    }),
  )
const roce: fc.Arbitrary<RoceFrame> = fc.record({
  link,
  ip: ipOf(PROTOCOL_UDP),
  sourcePort: bits(16),
  destinationPort: bits(16),
  hasChecksum: fc.boolean(),
  packet: fc.uint8Array({ minLength: 12, maxLength: 120 }),
})

describe('a RoCEv2 frame', () => {
  test('is read as it was written, with a right ICRC, and written again the same', () => {
    fc.assert(
      fc.property(roce, (frame) => {
        const bytes = writeRoceFrame(frame)
        const { kind, icrc, isIcrcRight, ...read } = readFrame(bytes) as Extract<
          ReturnType<typeof readFrame>,
          { kind: 'roce' }
        >
        expect([kind, isIcrcRight, icrc >= 0]).toEqual(['roce', true, true])
        expect(read).toEqual(frame)
        expect(writeRoceFrame(read)).toEqual(bytes)
        expect(bytes.length).toBeGreaterThanOrEqual(60)
      }),
    )
  })

  test('whose payload changed on the way has a wrong ICRC; one with another TTL has not', () => {
    fc.assert(
      fc.property(roce, fc.nat(119), (frame, at) => {
        const start = (frame.link.tag === null ? 14 : 18) + (frame.ip.version === 4 ? 20 : 40)
        const damaged = writeRoceFrame(frame)
        // The reserved bits of the BTH are not covered.
        const offset = 8 + 5 + (at % (frame.packet.length - 5))
        damaged[start + offset]! ^= 0x10
        expect(readFrame(damaged)).toMatchObject({ kind: 'roce', isIcrcRight: false })
        const routed = writeRoceFrame({ ...frame, ip: { ...frame.ip, hopLimit: frame.ip.hopLimit ^ 1 } })
        expect(readFrame(routed)).toMatchObject({ isIcrcRight: true })
      }),
    )
  })

  test('that is cut off is read as an IP packet, and one that ends within a header not at all', () => {
    fc.assert(
      fc.property(roce, fc.integer({ min: 1, max: 16 }), (frame, bytes) => {
        const whole = writeRoceFrame({ ...frame, packet: new Uint8Array(200) })
        expect(readFrame(whole.subarray(0, whole.length - bytes))?.kind).toBe('ip')
        expect(readFrame(whole.subarray(0, bytes))).toBeNull()
      }),
    )
  })
})

test('a header of IPv4 that changed on the way has a wrong sum', () => {
  fc.assert(
    fc.property(ipOf(PROTOCOL_UDP), fc.nat(19), (ip, at) => {
      const packet = new Uint8Array(40)
      writeIp(packet, ip, 0)
      expect(readIp(packet)).toEqual({ ip, contentBytes: 0, isSumRight: true })
      // Version, length and fragment stay what they are.
      packet[[1, 2, 3, 4, 5, 8, 9, 10, 11, 12, 13, 14, 15, 16, 17, 18, 19][at % 17]!]! ^= 1
      expect(readIp(packet)?.isSumRight).toBe(ip.version === 6)
    }),
  )
})

test('a TCP segment is read as it was written, with its options', () => {
  const words = fc.tuple(bits(32), bits(32))
  const segment: fc.Arbitrary<TcpSegment> = fc.record({
    sourcePort: bits(16),
    destinationPort: bits(16),
    sequence: bits(32),
    acknowledgement: bits(32),
    flags: bits(8),
    window: bits(16),
    timestamps: fc.option(words),
    sack: fc.option(words),
    payload: fc.uint8Array({ maxLength: 60 }),
  })
  fc.assert(
    fc.property(link, ipOf(PROTOCOL_TCP), segment, (around, ip, sent) => {
      const frame = readFrame(writeIpFrame(around, ip, writeTcpPacket(ip, sent)))
      expect(frame).toMatchObject({ kind: 'ip', link: around, ip })
      expect(readTcp((frame as { content: Uint8Array }).content)).toEqual(sent)
    }),
  )
})

test('a TCP segment that ends within its header, or has other options, is not read', () => {
  const ip = { version: 4, dscp: 0, ecn: 0, hopLimit: 1, protocol: 6, identification: 0, isUnfragmented: true } as const
  const addresses = { source: ipv4Bytes(1), destination: ipv4Bytes(0xff000002) }
  const packet = writeTcpPacket(
    { ...ip, ...addresses },
    {
      sourcePort: 1,
      destinationPort: 2,
      sequence: 0,
      acknowledgement: 0,
      flags: 0,
      window: 0,
      timestamps: [1, 2],
      sack: null,
      payload: new Uint8Array(0),
    },
  )
  const content = packet.subarray(20)
  expect(readTcp(content)?.timestamps).toEqual([1, 2])
  expect(readTcp(content.subarray(0, 24))).toBeNull()
  expect(readTcp(content.subarray(0, 19))).toBeNull()
  expect(readTcp(content.with(20, 3))).toBeNull()
})

test('a CNP has BECN set, PSN 0 and 16 reserved bytes', () => {
  const cnp = writeCnp(0x123456)
  expect(cnp.length).toBe(28)
  expect(readBth(new DataView(cnp.buffer), 0)).toMatchObject({
    opcode: CNP_OPCODE,
    destinationQp: 0x123456,
    psn: 0,
    isBackwardMarked: true,
    isForwardMarked: false,
  })
  expect(readBth(new DataView(cnp.buffer), 17)).toBeNull()
})

test('a congestion message has its feedback in the lowest six bits of the third word', () => {
  const content = writeCongestionMessage({ flow: 7, feedback: 63, point: 1, trafficClass: 3, destination: 2 ** 47 })
  const frame = writeEthernet({ destination: 2, source: 1, tag: null, etherType: CN_TAG }, content)
  expect(readEthernet(frame)?.etherType).toBe(CN_TAG)
  expect(Buffer.from(frame.subarray(14, 42)).toString('hex')).toBe(
    '0007' + '22e7' + '003f' + '0000000000010003' + '0000' + '0000' + '6000' + '800000000000' + '0000',
  )
})
