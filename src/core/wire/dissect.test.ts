import { describe, expect, test } from 'vitest'
import { fc } from '../../../tests/support/properties.ts'
import { createRandomStreams } from '../base/random.ts'
import { CNP_OPCODE, LIVE_BITS, PLAIN_BITS, writeCnp } from './bth.ts'
import { dissect } from './dissect.ts'
import type { Dissected, DissectedRoce } from './dissected.ts'
import { bthAt, drawFrame, OPCODES, payloadAt, roceFrameOf } from './drawn-frames.test-data.ts'
import { type RoceFrame, writeIpFrame, writeRoceFrame } from './frame.ts'
import { ipv4Bytes } from './ip.ts'
import { writeMacControl } from './mac-control.ts'
import { FORMAT_IRN } from './opcodes.ts'
import { writeRocePacket, writeUdPacket } from './roce-packet.ts'
import { writeTcpPacket } from './tcp.ts'

const random = createRandomStreams(3).stream('frames')
const ethernet = (bytes: Uint8Array): Dissected => dissect(bytes, 'ethernet')
const hex = (text: string): Uint8Array => Uint8Array.from(Buffer.from(text.replaceAll(' ', ''), 'hex'))

const IP = {
  version: 4,
  source: ipv4Bytes(1),
  destination: ipv4Bytes(2),
  dscp: 26,
  ecn: 1,
  hopLimit: 64,
  protocol: 17,
  identification: 0,
  isUnfragmented: true,
} as const
const LINK = { destination: 0x020000000002, source: 0x020000000001, tag: null }
const frameOf = (packet: Uint8Array): RoceFrame => ({
  link: LINK,
  ip: IP,
  sourcePort: 0xc000,
  destinationPort: 4791,
  hasChecksum: false,
  packet,
})
const asRoce = (read: Dissected): DissectedRoce => {
  if (read.kind !== 'roce') throw new Error(read.kind)
  return read
}
const roceOf = (packet: Uint8Array): DissectedRoce => asRoce(ethernet(writeRoceFrame(frameOf(packet))))
/** BTH without padding, with this opcode. */
const bth = (opcode: string): string => `${opcode} 00 ffff 00000011 80000005`

describe('a RoCEv2 frame', () => {
  test('of any service has the parts with which it was written, and is written again the same', () => {
    const seen = new Set<number>()
    for (let i = 0; i < 1000; i++) {
      const drawn = drawFrame(random)
      const read = asRoce(ethernet(drawn.bytes))
      expect(read).toMatchObject({
        kind: 'roce',
        bth: drawn.bth,
        headers: drawn.headers,
        payload: drawn.payload,
        payloadBytes: drawn.payload.length,
        icrc: 'right',
        flaw: null,
        serviceTag: null,
        packet: drawn.frame.packet,
      })
      expect(Object.keys(read.headers).toSorted()).toEqual(Object.keys(drawn.headers).toSorted())
      expect(roceFrameOf(read)).toEqual(drawn.frame)
      expect(writeRocePacket(read)).toEqual(drawn.frame.packet)
      seen.add(drawn.bth.opcode)
    }
    expect(seen.size).toBe(OPCODES.length)
  })

  test('that the capture cut has the headers that are there, and the lengths that were on the wire', () => {
    for (let i = 0; i < 60; i++) {
      const drawn = drawFrame(random)
      const start = bthAt(drawn.frame)
      const end = start + drawn.frame.packet.length
      for (let length = 0; length < start + 12; length++)
        expect(ethernet(drawn.bytes.subarray(0, length))).toEqual({ kind: 'damaged', reason: 'short' })
      for (let length = start + 12; length < end + 4; length++) {
        const read = asRoce(ethernet(drawn.bytes.subarray(0, length)))
        expect(read).toMatchObject({ icrc: 'cut', flaw: null, bth: drawn.bth, payloadBytes: drawn.payload.length })
        const there = Math.max(0, Math.min(length - payloadAt(drawn), drawn.payload.length))
        expect(read.payload).toEqual(drawn.payload.subarray(0, there))
        expect(drawn.headers).toMatchObject(read.headers)
        const isWhole = Object.keys(read.headers).length === Object.keys(drawn.headers).length
        expect(isWhole || length < payloadAt(drawn)).toBe(true)
      }
    }
  })

  test('with bytes changed at any place is something, and throws nothing', () => {
    const edit = fc.record({ at: fc.nat(), byte: fc.integer({ min: 0, max: 255 }) })
    fc.assert(
      fc.property(
        fc.array(edit, { minLength: 1, maxLength: 6 }),
        fc.constantFrom('ethernet' as const, 'ip' as const, 'cooked' as const, 'cooked-2' as const),
        fc.nat(150),
        (edits, link, length) => {
          const { bytes } = drawFrame(random)
          for (const { at, byte } of edits) bytes[at % bytes.length] = byte
          const read = dissect(bytes.subarray(0, length), link)
          const [there, sent] = read.kind === 'roce' ? [read.payload.length, read.payloadBytes] : [0, 0]
          expect(there).toBeLessThanOrEqual(sent)
        },
      ),
      { numRuns: 2000 },
    )
  })

  test('whose payload changed has a wrong ICRC; one that a router or a switch changed has not', () => {
    const bytes = writeRoceFrame(frameOf(hex(`${bth('04')} 01020304`)))
    expect(ethernet(bytes)).toMatchObject({ icrc: 'right' })
    expect(ethernet(bytes.with(54, 9))).toMatchObject({ icrc: 'wrong' })
    // TTL; FECN.
    expect(ethernet(bytes.with(22, 9).with(46, 0x80))).toMatchObject({ icrc: 'right', ip: { hopLimit: 9 } })
  })

  test('whose sender did not know the identification of IPv4 differs from one that was damaged', () => {
    const drawn = Array.from({ length: 300 }, () => drawFrame(random))
    for (const { frame, bytes } of drawn) {
      if (frame.ip.version === 6) continue
      expect(ethernet(bytes)).toMatchObject({ icrc: 'right', solvedIdentification: null })
      const at = (frame.link.tag === null ? 14 : 18) + 4
      const changed = bytes.with(at, bytes[at]! ^ (1 + random.below(255))).with(at + 1, random.below(256))
      expect(ethernet(changed)).toMatchObject({ icrc: 'wrong', solvedIdentification: frame.ip.identification })
      const last = bthAt(frame) + frame.packet.length - 1
      expect(ethernet(bytes.with(last, bytes[last]! ^ 1))).toMatchObject({ icrc: 'wrong', solvedIdentification: null })
    }
  })

  test.each([
    ['an opcode that no service has', 'e0', '', 'unknown', 'opcode'],
    ['an opcode that unreliable connections have not', '2c', '00000000', 'uc', 'opcode'],
    ['an ACK with payload', '11', '1f000001 00000000', 'rc', 'length'],
    ['a READ with payload', '0c', `${'00'.repeat(16)} 00000000`, 'rc', 'length'],
    ['a WRITE that ends within its RETH', '0a', '0000000000000000', 'rc', 'length'],
    ['a packet that is no multiple of four', '04', '000000', 'rc', 'length'],
    ['a CNP that is too short', '81', '00000000', 'cnp', 'length'],
  ])('with %s contradicts itself', (_name, opcode, rest, service, flaw) => {
    const read = roceOf(hex(bth(opcode) + rest))
    expect(read).toMatchObject({ service, flaw, headers: {}, icrc: 'right', payloadBytes: hex(rest).length })
  })

  test('with more padding than payload contradicts itself', () => {
    const packet = hex(bth('04'))
    packet[1] = 0x30
    expect(roceOf(packet)).toMatchObject({ flaw: 'length', bth: { padBytes: 3 } })
  })

  test('of IRN has headers that only a reader knows whom its caller has informed', () => {
    const bytes = writeRoceFrame(frameOf(hex(`${bth('11')} 1f000007 000003`)))
    expect(ethernet(bytes)).toMatchObject({ flaw: 'length' })
    const asked: number[] = []
    const formatOf = (qp: number): number => (asked.push(qp), FORMAT_IRN)
    const read = dissect(bytes, 'ethernet', { formatOf })
    expect(read).toMatchObject({ flaw: null, headers: { aeth: { msn: 7 }, sackPsn: 3 } })
    expect(asked).toEqual([0x11])
  })

  test('that is a CNP has no payload', () => {
    expect(roceOf(writeCnp(7))).toMatchObject({
      service: 'cnp',
      flaw: null,
      bth: { opcode: CNP_OPCODE, destinationQp: 7, isBackwardMarked: true },
      payloadBytes: 0,
    })
  })
})

describe('what is around and beside RoCEv2', () => {
  const bytes = writeRoceFrame(frameOf(hex(`${bth('04')} 01020304`)))
  const ip = bytes.subarray(14)
  const macs = bytes.subarray(0, 12)
  const joined = (...parts: Uint8Array[]): Uint8Array => Uint8Array.from(parts.flatMap((part) => [...part]))

  test('two tags: the inner is the frame’s, the outer the provider’s, whatever type it has', () => {
    for (const outer of ['88a8 2003', '9100 2003', '8100 2003'])
      expect(ethernet(joined(macs, hex(`${outer} 8100 6002 0800`), ip))).toMatchObject({
        kind: 'roce',
        ethernet: { tag: { pcp: 3, vid: 2 }, etherType: 0x0800 },
        serviceTag: { pcp: 1, vid: 3 },
        icrc: 'right',
      })
    const single = ethernet(joined(macs, hex('88a8 2003 0800'), ip))
    expect(single).toMatchObject({ kind: 'roce', ethernet: { tag: null }, serviceTag: { vid: 3 } })
    expect(single.kind === 'roce' && roceFrameOf(single)).toBeNull()
    expect(ethernet(joined(macs, hex('8100 0001 8100 0002 8100 0003 0800'), ip))).toMatchObject({
      ethernet: { tag: { vid: 3 } },
      serviceTag: { vid: 1 },
    })
    expect(ethernet(joined(macs, hex('8100 0001 '.repeat(9)), hex('0800'), ip))).toEqual({
      kind: 'other',
      etherType: 0x8100,
    })
  })

  test('captures of IP and of Linux’s "any" have no Ethernet header', () => {
    const wanted = { kind: 'roce', ethernet: null, icrc: 'right', payload: Uint8Array.of(1, 2, 3, 4) }
    expect(dissect(ip, 'ip')).toMatchObject(wanted)
    expect(dissect(joined(hex('0000 0001 0006 020000000001 0000 0800'), ip), 'cooked')).toMatchObject(wanted)
    const second = joined(hex('0800 0000 00000002 0001 00 06 020000000001 0000'), ip)
    expect(dissect(second, 'cooked-2')).toMatchObject(wanted)
    expect(dissect(new Uint8Array(0), 'ip')).toEqual({ kind: 'damaged', reason: 'short' })
  })

  test.each([
    ['options of IPv4 that are not there', 14, 0x4f, 'short'],
    ['options of IPv4 that leave no room', 14, 0x4c, 'length'],
    ['a header of IPv4 that is too short', 14, 0x44, 'length'],
    ['more fragments', 20, 0x20, 'fragment'],
    ['a fragment from the middle', 21, 0x01, 'fragment'],
    ['another version', 14, 0x65, 'version'],
    ['a length that UDP contradicts', 17, 49, 'length'],
  ])('%s', (_name, at, byte, reason) => {
    expect(ethernet(bytes.with(at, byte))).toEqual({ kind: 'damaged', reason })
  })

  test('extension headers of IPv6 are read past, its fragments and routes with segments left are not', () => {
    const version6 = {
      ...IP,
      version: 6,
      source: new Uint8Array(16),
      destination: new Uint8Array(16),
      flowLabel: 0,
    } as const
    const frame = writeRoceFrame({ ...frameOf(hex(`${bth('04')} 01020304`)), ip: version6 })
    expect(ethernet(frame)).toMatchObject({ kind: 'roce', icrc: 'right', ip: { version: 6 } })
    const withHeaders = (first: number, header: string): Dissected => {
      const longer = joined(frame.subarray(0, 54), hex(header), frame.subarray(54))
      const view = new DataView(longer.buffer)
      view.setUint16(18, view.getUint16(18) + hex(header).length)
      return ethernet(longer.with(20, first))
    }
    const wanted = { kind: 'roce', icrc: 'right', payload: Uint8Array.of(1, 2, 3, 4), ip: { protocol: 17 } }
    // Options, a route that has ended, authentication, the only fragment.
    expect(withHeaders(0, '1100 010400000000')).toMatchObject(wanted)
    expect(withHeaders(60, `2b00 010400000000 1102 0400 00000000 ${'00'.repeat(16)}`)).toMatchObject(wanted)
    expect(withHeaders(51, `1104 0000 00000001 00000001 ${'00'.repeat(12)}`)).toMatchObject(wanted)
    expect(withHeaders(44, '1100 0000 00000001')).toMatchObject(wanted)
    expect(withHeaders(44, '1100 0001 00000001')).toEqual({ kind: 'damaged', reason: 'fragment' })
    expect(withHeaders(44, '1100 0008 00000001')).toEqual({ kind: 'damaged', reason: 'fragment' })
    expect(withHeaders(43, `1102 0401 00000000 ${'00'.repeat(16)}`)).toEqual({ kind: 'unread', what: 'SRv6' })
    expect(withHeaders(0, '0000 010400000000'.repeat(9))).toEqual({ kind: 'damaged', reason: 'options' })
    expect(ethernet(frame.with(20, 58))).toMatchObject({ kind: 'ip', ip: { protocol: 58 } })
  })

  test('the destination port says RoCEv2; the source port does with a right ICRC, or if the other end has a port of its own', () => {
    const answer = writeRoceFrame({ ...frameOf(hex(`${bth('04')} 01020304`)), sourcePort: 4791, destinationPort: 53 })
    expect(ethernet(answer)).toMatchObject({ kind: 'roce', icrc: 'right', sourcePort: 4791 })
    const other = answer.with(answer.length - 1, answer.at(-1)! ^ 1)
    expect(ethernet(other)).toMatchObject({ kind: 'ip', destinationPort: 53 })
    const cut = answer.subarray(0, -1)
    expect(ethernet(cut)).toMatchObject({ kind: 'ip', destinationPort: 53 })
    const hasOwnPort = (address: Uint8Array, port: number): boolean => address[3] === 2 && port === 53
    expect(dissect(cut, 'ethernet', { hasOwnPort })).toMatchObject({ kind: 'roce', icrc: 'cut' })
  })

  test('TCP has its ports and its payload without the padding of Ethernet', () => {
    const segment = {
      sourcePort: 18_515,
      destinationPort: 40_000,
      sequence: 2 ** 32 - 1,
      acknowledgement: 0,
      flags: 16,
    }
    const rest = { window: 1, timestamps: [1, 2] as const, sack: null, payload: Uint8Array.of(7) }
    const packet = writeTcpPacket({ ...IP, protocol: 6 }, { ...segment, ...rest })
    expect(ethernet(writeIpFrame(LINK, IP, packet))).toMatchObject({
      kind: 'tcp',
      sourcePort: 18_515,
      destinationPort: 40_000,
      sequence: 2 ** 32 - 1,
      payload: Uint8Array.of(7),
    })
    packet[32] = 0xf0
    expect(ethernet(writeIpFrame(LINK, IP, packet))).toEqual({ kind: 'damaged', reason: 'length' })
  })

  test('ARP, RoCE version 1, pauses and others', () => {
    const of = (type: string): Dissected => ethernet(joined(macs, hex(type), new Uint8Array(46)))
    expect(of('0806')).toEqual({ kind: 'arp' })
    expect(of('8915')).toEqual({ kind: 'roce-1' })
    expect(of('88cc')).toEqual({ kind: 'other', etherType: 0x88cc })
    const pause = writeMacControl({ kind: 'pfc', source: 5, vector: 8, quanta: [0, 0, 0, 9, 0, 0, 0, 0] })
    for (const length of [60, 34])
      expect(ethernet(pause.subarray(0, length))).toMatchObject({
        kind: 'mac-control',
        control: { source: 5, vector: 8 },
      })
    expect(ethernet(pause.subarray(0, 33))).toEqual({ kind: 'damaged', reason: 'short' })
  })
})

test('a datagram is a SEND Only with the keys and queue pairs of both ends', () => {
  const datagram = { psn: 5, destinationQp: 1, sourceQp: 1, queueKey: 0x80010000, payload: new Uint8Array(256) }
  const packet = writeUdPacket(datagram)
  expect(Buffer.from(packet.subarray(0, 20)).toString('hex')).toBe('6400ffff00000001000000058001000000000001')
  const { payload, ...fields } = datagram
  expect(roceOf(packet)).toMatchObject({
    service: 'ud',
    flaw: null,
    bth: { ...LIVE_BITS, psn: fields.psn, destinationQp: 1 },
    headers: { deth: { sourceQp: 1, queueKey: 0x80010000 } },
    payload,
  })
  expect(roceOf(writeUdPacket(datagram, PLAIN_BITS)).bth.isMigrated).toBe(true)
})
