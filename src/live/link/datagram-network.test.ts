/** Frames become datagrams of the real network and come back, with ICRCs that are right there; those of strangers are dropped. */
import { expect, test } from 'vitest'
import { icrcOf } from '../../core/wire/icrc.ts'
import { readFrame, writeRoceFrame } from '../../core/wire/frame.ts'
import { PROTOCOL_UDP, writeIp } from '../../core/wire/ip.ts'
import { type Datagram, DatagramNetwork } from './datagram-network.ts'

const REAL6 = [1, 2].map((n) => Uint8Array.of(0x20, 1, 0xd, 0xb8, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, n))
const REAL4 = [Uint8Array.of(192, 0, 2, 1), Uint8Array.of(192, 0, 2, 2)]
const PACKET = Uint8Array.from({ length: 24 }, (_, at) => at)

const frameTo = (network: DatagramNetwork, destination: Uint8Array, sourcePort = 9): Uint8Array =>
  writeRoceFrame({
    link: { destination: 2, source: network.mac, tag: null },
    ip: {
      version: 6,
      source: network.ip,
      destination,
      dscp: 0,
      ecn: 0,
      hopLimit: 64,
      protocol: PROTOCOL_UDP,
      flowLabel: 0,
    },
    sourcePort,
    destinationPort: 4791,
    hasChecksum: false,
    packet: PACKET,
  })
const datagramOf = (network: DatagramNetwork, frame: Uint8Array): Datagram => {
  const outcome = network.onFrame(frame)
  if (outcome === null || !('datagram' in outcome)) throw new Error('no datagram')
  return outcome.datagram
}

test.each([
  ['IPv6', REAL6, 40],
  ['IPv4', REAL4, 20],
] as const)('over %s the ICRC is that of the real headers, and right again at the other end', (_, real, ipBytes) => {
  const [near, far] = [new DatagramNetwork(real[0]!, [45_001, 45_002]), new DatagramNetwork(real[1]!, [4791])]
  const { to, localPort, payload } = datagramOf(near, frameTo(near, near.aliasOf({ ip: real[1]!, port: 4791 }), 45_002))
  expect([to.port, localPort, payload.length]).toEqual([4791, 45_002, 28])
  const wire = new Uint8Array(ipBytes + 8 + payload.length)
  const fields = { source: real[0]!, destination: real[1]!, dscp: 0, ecn: 0, hopLimit: 64, protocol: PROTOCOL_UDP }
  const contentBytes = 8 + payload.length
  if (ipBytes === 40) writeIp(wire, { ...fields, version: 6, flowLabel: 0 }, contentBytes)
  else writeIp(wire, { ...fields, version: 4, identification: 0, isUnfragmented: true }, contentBytes)
  const view = new DataView(wire.buffer)
  view.setUint16(ipBytes, 45_002)
  view.setUint16(ipBytes + 2, 4791)
  view.setUint16(ipBytes + 4, contentBytes)
  wire.set(payload, ipBytes + 8)
  expect(view.getUint32(wire.length - 4, true)).toBe(icrcOf(wire.subarray(0, -4), ipBytes))

  const from = { ip: real[0]!, port: localPort }
  expect([far.onDatagram(from, 4791, payload), far.strangers]).toEqual([null, 1])
  const alias = far.aliasOf(from)
  expect(readFrame(far.onDatagram(from, 4791, payload)!)).toMatchObject({
    kind: 'roce',
    isIcrcRight: true,
    ip: { source: alias, destination: far.ip },
    packet: PACKET,
  })
  const damaged = payload.map((byte, at) => (at === 20 ? byte ^ 1 : byte))
  expect(readFrame(far.onDatagram(from, 4791, damaged)!)).toMatchObject({ isIcrcRight: false })
})

test('an ICRC that is wrong stays wrong', () => {
  const near = new DatagramNetwork(REAL6[0]!, [4791])
  const frame = frameTo(near, near.aliasOf({ ip: REAL6[1]!, port: 4791 }))
  const right = datagramOf(near, frame.slice()).payload
  frame[frame.length - 1]! ^= 1
  expect(datagramOf(near, frame).payload.subarray(-4)).not.toEqual(right.subarray(-4))
})

test('the number of an end that is forgotten is given to the next', () => {
  const network = new DatagramNetwork(REAL6[0]!, [4791])
  const ends = [1, 2, 3].map((port) => ({ ip: REAL6[1]!, port }))
  const aliases = ends.map((end) => network.aliasOf(end))
  network.release(ends[1]!)
  expect(network.onFrame(frameTo(network, aliases[1]!))).toBeNull()
  expect(network.aliasOf({ ip: REAL6[1]!, port: 9 })).toEqual(aliases[1])
  expect(network.aliasOf(ends[0]!)).toEqual(aliases[0])
})
