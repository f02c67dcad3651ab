/** Stations: two find each other, a lonely one gives up, and lies change nothing. */
import { describe, expect, test } from 'vitest'
import { writeIpFrame } from '../../core/wire/frame.ts'
import { ipv4Bytes, writeIp } from '../../core/wire/ip.ts'
import { PROTOCOL_ICMP, writeArp, writeEcho } from '../../core/wire/neighbours/index.ts'
import { writeEthernet } from '../../core/wire/ethernet.ts'
import { Station } from './station.ts'

const S = 1e12
const IP6 = (last: number) => Uint8Array.of(0x20, 1, 0xd, 0xb8, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, last)
const stationOf = (n: number) => new Station({ mac: 0x520000000000 + n, ip4: ipv4Bytes(0xc0000200 + n), ip6: IP6(n) })
const all = (station: Station): Uint8Array[] => {
  const frames = []
  for (let frame = station.pollFrame(); frame !== null; frame = station.pollFrame()) frames.push(frame)
  return frames
}
const exchange = (from: Station, to: Station): number => {
  const frames = all(from)
  frames.forEach((frame) => to.onFrame(0, frame))
  return frames.length
}

describe('two stations', () => {
  test.each([ipv4Bytes(0xc0000202), IP6(2)])('find each other, by a question and its answer', (ip) => {
    const [a, b] = [stationOf(1), stationOf(2)]
    expect([a.resolve(0, ip), a.macOf(ip)]).toEqual([true, null])
    expect([exchange(a, b), exchange(b, a)]).toEqual([1, 1])
    expect([a.macOf(ip), a.nextPs]).toEqual([0x520000000002, Infinity])
  })
})

test('an address that nobody answers for is asked for three times, 1 s apart, and then given up', () => {
  const a = stationOf(1)
  const ip = ipv4Bytes(0xc0000209)
  const asked: number[] = []
  a.resolve(0, ip)
  for (let s = 0; s < 6; s++) {
    a.onTime(s * S)
    asked.push(all(a).length)
  }
  expect([asked, a.hasFailed(ip), a.nextPs]).toEqual([[1, 1, 1, 0, 0, 0], true, Infinity])
  a.resolve(9 * S, ip)
  expect([a.hasFailed(ip), all(a).length]).toEqual([false, 1])
})

test('an answer that nobody asked for is not learnt, nor one from a group address', () => {
  const a = stationOf(1)
  const ip = ipv4Bytes(0xc0000202)
  const answer = (mac: number): Uint8Array =>
    writeEthernet(
      { destination: a.mac, source: 0x520000000002, tag: null, etherType: 0x0806 },
      writeArp({ operation: 'reply', senderMac: mac, senderIp: ip, targetMac: a.mac, targetIp: ipv4Bytes(0xc0000201) }),
    )
  a.onFrame(0, answer(0x520000000002))
  expect(a.macOf(ip)).toBeNull()
  a.resolve(0, ip)
  a.onFrame(0, answer(0x530000000002))
  expect(a.macOf(ip)).toBeNull()
  a.onFrame(0, answer(0x520000000002))
  a.onFrame(0, answer(0x520000000066))
  expect(a.macOf(ip)).toBe(0x520000000002)
})

test('questions without end fill no memory, and the table has an end: the partners of queue pairs stay in it', () => {
  const [a, b] = [stationOf(1), stationOf(2)]
  a.resolve(0, ipv4Bytes(0xc0000202))
  const question = all(a)[0]!
  for (let n = 0; n < 1000; n++) b.onFrame(0, question)
  expect(all(b)).toHaveLength(64)
  const partner = ipv4Bytes(0xc0000202)
  a.keep(0, partner)
  b.onFrame(S, question)
  exchange(b, a)
  for (let n = 0; n < 3000; n++) expect(a.resolve(0, ipv4Bytes(0x0a000000 + n))).toBe(true)
  expect([a.neighbourCount, a.macOf(partner)]).toEqual([1024, 0x520000000002])
  // Addresses without an answer leave first, the oldest first, and count as given up.
  expect([a.hasFailed(ipv4Bytes(0x0a000000)), a.hasFailed(ipv4Bytes(0x0a000000 + 2999))]).toEqual([true, false])
  a.release(partner)
})

test('a table full of partners takes no other', () => {
  const a = stationOf(1)
  for (let n = 0; n < 1024; n++) a.keep(0, ipv4Bytes(0x0a000000 + n))
  const other = ipv4Bytes(0x0a010000)
  expect(a.resolve(0, other)).toBe(false)
  a.release(ipv4Bytes(0x0a000000))
  expect(a.resolve(0, other)).toBe(true)
})

test('1,000 answers a second, whatever is asked', () => {
  const [a, b] = [stationOf(1), stationOf(2)]
  a.resolve(0, ipv4Bytes(0xc0000202))
  const question = all(a)[0]!
  let answers = 0
  for (let n = 0; n < 50_000; n++) {
    b.onFrame((n * 3 * S) / 50_000, question)
    answers += all(b).length
  }
  // The first moment has those of a second.
  expect(Math.abs(answers - 4000)).toBeLessThan(3)
})

test('no answer to a group, to nobody, or to itself', () => {
  const [a, b] = [stationOf(1), stationOf(2)]
  const to = ipv4Bytes(0xc0000202)
  const answered = [0xc0000201, 0, 0x7f000001, 0xe0000001, 0xffffffff, 0xc0000202].map((source) => {
    const ip = {
      version: 4 as const,
      source: ipv4Bytes(source),
      destination: to,
      dscp: 0,
      ecn: 0,
      hopLimit: 64,
      protocol: PROTOCOL_ICMP,
      identification: 1,
      isUnfragmented: true,
    }
    const body = writeEcho(ip, { isReply: false, rest: new Uint8Array(12) })
    const packet = new Uint8Array(20 + body.length)
    writeIp(packet, ip, body.length)
    packet.set(body, 20)
    b.onFrame(0, writeIpFrame({ destination: b.mac, source: a.mac, tag: null }, ip, packet))
    return all(b).length
  })
  expect(answered).toEqual([1, 0, 0, 0, 0, 0])
})
