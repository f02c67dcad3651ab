/** Stations: two find each other, a lonely one gives up, and lies change nothing. */
import { describe, expect, test } from 'vitest'
import { ipv4Bytes } from '../../wire/ip.ts'
import { writeArp } from '../../wire/neighbours/index.ts'
import { writeEthernet } from '../../wire/ethernet.ts'
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

test('questions without end fill no memory, and the table has an end', () => {
  const [a, b] = [stationOf(1), stationOf(2)]
  a.resolve(0, ipv4Bytes(0xc0000202))
  const question = all(a)[0]!
  for (let n = 0; n < 1000; n++) b.onFrame(0, question)
  expect(all(b)).toHaveLength(64)
  let taken = 0
  for (let n = 0; n < 3000; n++) if (a.resolve(0, ipv4Bytes(n))) taken++
  expect(taken).toBe(1023)
})
