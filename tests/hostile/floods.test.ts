/**
 * Floods of questions from drawn addresses at an endpoint that serves: what is kept has an end, answers have a rate, and the
 * connections that exist go on. ROCELAB_BUDGET multiplies the number of frames.
 */
import { expect, test } from 'vitest'
import { MAD_BYTES, readConnectionMad, writeConnectionMad } from '../../src/core/wire/index.ts'
import { writeEthernet } from '../../src/core/wire/ethernet.ts'
import { writeRoceFrame } from '../../src/core/wire/frame.ts'
import { ARP, readArp, writeArp } from '../../src/core/wire/neighbours/index.ts'
import { type Roce, partsOf } from './forge.ts'
import { breathe, heapBytes } from './heap.ts'
import { Ends, questions, RPING_PORT } from './rping-ends.ts'
import { drawOf, IPV4 } from '../../src/live/peer/pipe.test-bench.ts'
import { MACS } from './world.ts'

const BUDGET = Math.max(0.1, Number(process.env['ROCELAB_BUDGET'] ?? 1))
const SECONDS = 1
const FRAMES = Math.round(10_000 * BUDGET)
const TIMEOUT_MS = 120_000 * Math.max(1, BUDGET)
const S = 1e12
const MAD_AT = 20
const PINGS = 300

type Draw = (below: number) => number

const drawnIp = (draw: Draw): Uint8Array => Uint8Array.of(10, draw(256), draw(256), 1 + draw(250))

/** A REQ or DREQ as that of an honest end, from another address and with other numbers. */
function strange(base: Roce, source: Uint8Array, draw: Draw, kind: 'REQ' | 'DREQ'): Uint8Array {
  const packet = base.packet.slice()
  const mad = packet.subarray(MAD_AT, MAD_AT + MAD_BYTES)
  const gid = Uint8Array.of(0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0xff, 0xff, ...source)
  const numbers = new DataView(mad.buffer, mad.byteOffset)
  numbers.setUint32(8, draw(2 ** 32))
  numbers.setUint32(12, draw(2 ** 32))
  numbers.setUint32(24, 1 + draw(2 ** 31))
  const request = readConnectionMad(mad)
  if (request?.kind !== 'REQ') throw new Error('no REQ')
  const { transactionId, localId } = request
  // The private header of a REQ names the source address behind its first 20 bytes.
  const privateData = request.privateData.slice()
  privateData.set(source, 16)
  const message =
    kind === 'REQ'
      ? { ...request, localGid: gid, privateData, qp: draw(2 ** 24) }
      : { kind, transactionId, localId, remoteId: draw(2 ** 32), qp: draw(2 ** 24), privateData: new Uint8Array(220) }
  packet.set(writeConnectionMad(message), MAD_AT)
  return writeRoceFrame({ ...base, ip: { ...base.ip, source }, packet })
}

/** The connection of an honest client, with a REQ of it. */
function begun(seed: number): { ends: Ends; request: Roce } {
  const ends = new Ends(seed)
  let request: Roce | null = null
  ends.onSent = (frame, from) => {
    if (from === 0) request ??= partsOf(frame)
  }
  ends.ends[0].peer.connect(0, IPV4[1], RPING_PORT, PINGS, 2000)
  ends.run(0.001 * S)
  ends.onSent = () => {}
  return { ends, request: request! }
}

test.each([
  ['addresses that nobody has', false],
  ['addresses whose owner answers and connects', true],
])('from %s', { timeout: TIMEOUT_MS }, async (_, isOwned) => {
  const draw = drawOf(21)
  const { ends, request } = begun(isOwned ? 40 : 30)
  const [client, server] = ends.ends
  const { peer, endpoint } = server
  const sent = { arp: 0, icmp: 0, mad: 0 }
  const [question] = client.peer.sessions
  ends.onSent = (frame, from) => {
    if (from === 0) return
    const arp = frame[12] === 8 && frame[13] === 6 ? readArp(frame.subarray(14)) : null
    if (arp !== null) {
      sent.arp++
      if (isOwned && arp.operation === 'request') owned.push(arp.targetIp)
      return
    }
    const roce = partsOf(frame)
    if (roce === null) sent.icmp++
    else if (roce.packet[0] === 0x64) {
      sent.mad++
      const reply = readConnectionMad(roce.packet.subarray(MAD_AT))
      if (isOwned && reply?.kind === 'REP') {
        const { localId: remoteId, remoteId: localId, transactionId } = reply
        const packet = request.packet.slice()
        const privateData = new Uint8Array(224)
        packet.set(writeConnectionMad({ kind: 'RTU', transactionId, localId, remoteId, privateData }), MAD_AT)
        const ip = { ...request.ip, source: roce.ip.destination }
        ready.push(writeRoceFrame({ ...request, ip, packet }))
      }
    }
  }
  const owned: Uint8Array[] = []
  const ready: Uint8Array[] = []
  const most = { neighbours: 0, connections: 0, sessions: 0, regions: 0, pairs: 0 }
  let heap = 0
  for (let n = 0; n < FRAMES; n++) {
    ends.run(0.001 * S + (n * SECONDS * S) / FRAMES)
    const source = drawnIp(draw)
    const kind = draw(4)
    if (kind === 0) ends.inject(1, strange(request, source, draw, 'REQ'))
    else if (kind === 1) ends.inject(1, strange(request, source, draw, 'DREQ'))
    else {
      const ip6 = Uint8Array.of(0x20, 1, 0xd, 0xb8, 0, 0, 0, 0, 0, 0, 0, 0, 1, draw(256), draw(256), draw(256))
      const all = questions(MACS[0], source, ip6)
      ends.inject(1, all[draw(all.length)]!)
    }
    for (const senderIp of owned.splice(0)) {
      const target = { targetMac: MACS[1], targetIp: IPV4[1] }
      const reply = writeArp({ operation: 'reply', senderMac: MACS[0], senderIp, ...target })
      const link = { destination: MACS[1], source: MACS[0], tag: null, etherType: ARP }
      ends.inject(1, writeEthernet(link, reply))
    }
    for (const frame of ready.splice(0)) ends.inject(1, frame)
    if (n === Math.floor(FRAMES / 2)) heap = await heapBytes()
    if (n % 4096 === 0) await breathe()
    most.neighbours = Math.max(most.neighbours, endpoint.station.neighbourCount)
    most.connections = Math.max(most.connections, peer.agent.count)
    most.sessions = Math.max(most.sessions, peer.sessions.length)
    most.regions = Math.max(most.regions, endpoint.device.regionCount)
    most.pairs = Math.max(most.pairs, endpoint.pairs.length)
  }
  const grownBytes = (await heapBytes()) - heap
  if (BUDGET > 1) console.log(isOwned, most, sent, grownBytes)
  expect(most.neighbours).toBeLessThanOrEqual(1024)
  expect(most.sessions).toBeLessThanOrEqual(256)
  expect(most.connections).toBeLessThanOrEqual(64 + 256 + 1024)
  expect([most.pairs <= 256, most.regions <= 4 * 256]).toEqual([true, true])
  // Each kind has the answers of a second at once, and then those of the seconds; a REQ that is accepted has three.
  const answers = 1000 * (SECONDS + 1)
  expect(sent.icmp).toBeLessThanOrEqual(answers)
  expect(sent.arp).toBeLessThanOrEqual(3 * answers)
  expect(sent.mad).toBeLessThanOrEqual(3 * answers)
  expect(grownBytes).toBeLessThan(8e6)
  // The honest connection has gone on, and ends well.
  ends.run(ends.nowPs + 2 * S)
  const [done] = client.peer.ended
  expect([question?.rping.failure, done?.rping.pings, done?.rping.isFinished]).toEqual([null, PINGS, true])
  // After the flood others connect again, unless its connections are kept.
  if (isOwned) peer.disconnect(ends.nowPs)
  ends.run(ends.nowPs + 100 * S)
  client.peer.connect(ends.nowPs, IPV4[1], RPING_PORT, 3)
  ends.run(ends.nowPs + 100 * S)
  expect(client.peer.ended.at(-1)?.rping).toMatchObject({ pings: 3, failure: null })
})
