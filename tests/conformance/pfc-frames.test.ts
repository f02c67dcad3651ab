/**
 * Conformance of PFC frames: who is paused, which frames are ignored, what is counted, and that headroom covers the delay
 * with which a peer obeys.
 * Source of the cases and their pass criteria: sonic-mgmt, tests/pfc, tests/qos and tests/pfc_pause. Link rates scaled down.
 */
import { describe, expect, test } from 'vitest'
import { INTS } from '../../src/base/memory.ts'
import { MS, US } from '../../src/base/params.ts'
import { pfcFrame, receiveFrame, stationAddressOf } from '../../src/fabric/link/control-frames.ts'
import { DESTINATION, DIRECTION, KIND, PFC } from '../../src/fabric/packets.ts'
import { isStationAddress, readMacControl, writeMacControl } from '../../src/wire/index.ts'
import { Tester } from './bench-watchdog.ts'

const TWO_LOSSLESS = 'pfc: {classes: [3, 4]}'

/** Host 0 sends to host 1 in classes 1, 3 and 4, a fifth of the link each. */
function threeClasses(text = TWO_LOSSLESS): Tester {
  const tester = new Tester({ text })
  for (const trafficClass of [1, 3, 4]) tester.stream({ from: 0, to: 1, trafficClass, load: 0.2 })
  return tester
}

/** Share of the offered frames of each stream that arrive in a span. */
const shares = (tester: Tester, fromPs: number, toPs: number): number[] =>
  tester.streams.map((stream) => Math.round((100 * stream.receivedIn(fromPs, toPs)) / stream.offeredIn(fromPs, toPs)))

describe('F1 a pause of a lossless priority blocks that priority only', () => {
  test.each([
    [3, [100, 0, 100]],
    [4, [100, 100, 0]],
  ])('priority %i: none of it arrives, and all of the other traffic', (priority, expected) => {
    const tester = threeClasses()
    tester.storm({ host: 1, fromPs: 100 * MS, toPs: 300 * MS, classes: 1 << priority })
    tester.run(300 * MS)
    expect(shares(tester, 110 * MS, 290 * MS)).toEqual(expected)
    expect(tester.streams.map(({ lostFrames }) => lostFrames)).toEqual([0, 0, 0])
  })
})

test('F2 a pause of a lossy priority is ignored: 100 % of it arrives', () => {
  const tester = threeClasses()
  tester.storm({ host: 1, fromPs: 100 * MS, toPs: 300 * MS, classes: 0xff & ~0b11000 })
  tester.run(300 * MS)
  expect(shares(tester, 110 * MS, 290 * MS)).toEqual([100, 100, 100])
})

/** What comes through, and what the port has counted, if this frame arrives every millisecond of 200 ms. */
function withFrames(bytes: Uint8Array): { shares: number[]; counted: number; lost: number } {
  const tester = threeClasses()
  const { fabric } = tester.built.network
  for (let ms = 100; ms < 300; ms++) tester.at(ms * MS, () => receiveFrame(fabric, tester.portTo(1), bytes))
  tester.run(300 * MS)
  return {
    shares: shares(tester, 110 * MS, 290 * MS),
    counted: tester.portTo(1).stats!.pfcRxPackets.reduce((sum, n) => sum + n, 0),
    lost: tester.counters.drops.reduce((sum, n) => sum + n, 0),
  }
}

const SOURCE = stationAddressOf(7)
/** 2.5 ms at 100 Mb/s. */
const QUANTA = 488
const ALL_TIMES = Array.from({ length: 8 }, () => QUANTA)

test('F3 a pause of the whole link (802.3x) is ignored and not counted as PFC', () => {
  const bytes = writeMacControl({ kind: 'pause', source: SOURCE, quanta: 65_535 })
  expect(withFrames(bytes)).toEqual({ shares: [100, 100, 100], counted: 0, lost: 0 })
})

test('F4 a PFC frame with class-enable vector 0 is ignored, whatever its times', () => {
  const bytes = writeMacControl({ kind: 'pfc', source: SOURCE, vector: 0, quanta: ALL_TIMES })
  expect(withFrames(bytes)).toEqual({ shares: [100, 100, 100], counted: 0, lost: 0 })
})

test('F5 a PFC frame with source address zero pauses and is counted', () => {
  const bytes = writeMacControl({ kind: 'pfc', source: 0, vector: 1 << 3, quanta: ALL_TIMES })
  expect(withFrames(bytes)).toEqual({ shares: [100, 0, 100], counted: 200, lost: 0 })
})

test('a frame whose classes have several times pauses each for its own', () => {
  const times = [0, 0, 0, QUANTA, 0, 0, 0, 0]
  const bytes = writeMacControl({ kind: 'pfc', source: SOURCE, vector: 0b11000, quanta: times })
  expect(withFrames(bytes)).toEqual({ shares: [100, 0, 100], counted: 400, lost: 0 })
})

test('F6 a generated frame is valid: destination 01-80-C2-00-00-01, opcode 0101, vector, quanta, and a station as its source', () => {
  const tester = new Tester({ text: `${TWO_LOSSLESS}\nswitch: {buffer: {kind: shared-buffer, alpha: 1/64}}` })
  tester.stream({ from: 0, to: 1, load: 0.9, stopPs: 300 * MS })
  tester.storm({ host: 1, fromPs: 10 * MS, toPs: 200 * MS })
  const sent: Uint8Array[] = []
  tester.hostPort(0).addIntake({
    takes(packet) {
      if (INTS[packet | KIND] === PFC)
        sent.push(pfcFrame(tester.hostPort(0).peer.id, INTS[packet | DIRECTION]!, INTS[packet | DESTINATION]!))
      return false
    },
  })
  tester.built.network.recordTargets()
  tester.run(400 * MS)
  expect(sent.length).toBeGreaterThanOrEqual(2)
  const frames = sent.map(readMacControl)
  for (const [at, frame] of frames.entries()) {
    const quanta = at === frames.length - 1 ? 0 : 65_535
    expect(frame).toMatchObject({ kind: 'pfc', vector: 1 << 3, quanta: [0, 0, 0, quanta, 0, 0, 0, 0] })
    expect(isStationAddress(frame!.source)).toBe(true)
    expect([...sent[at]!.subarray(0, 6)]).toEqual([0x01, 0x80, 0xc2, 0x00, 0x00, 0x01])
    expect([...sent[at]!.subarray(12, 16)]).toEqual([0x88, 0x08, 0x01, 0x01])
  }
})

/** 100 pauses and 40 resumes for class 3, 20 pauses for class 5, which is lossy. */
function counted(): Tester {
  const tester = threeClasses()
  const port = tester.hostPort(1)
  const send = (count: number, fromMs: number, classes: number, quanta: number): void => {
    for (let i = 0; i < count; i++) tester.at((fromMs + i) * MS, () => port.sendPfc(classes, quanta))
  }
  send(100, 10, 1 << 3, QUANTA)
  send(40, 200, 1 << 3, 0)
  send(20, 300, 1 << 5, QUANTA)
  return tester.run(400 * MS)
}

test('F7 the receive counter of a priority counts its pauses and its resumes, and no others', () => {
  const stats = counted().portTo(1).stats!
  expect([...stats.pfcRxPackets]).toEqual([0, 0, 0, 140, 0, 20, 0, 0])
  expect([...stats.pfcRxPauses]).toEqual([0, 0, 0, 100, 0, 20, 0, 0])
})

test('F8 pause frames are neither received packets nor dropped ones', () => {
  const tester = counted()
  const { stats } = tester.portTo(1)
  expect([...stats!.rxPackets, ...stats!.rxDropped].every((n) => n === 0)).toBe(true)
  expect(tester.counters.drops.every((n) => n === 0)).toBe(true)
  const { buffer } = tester.hub
  expect([0, 1, 2, 3, 4, 5, 6, 7].map((c) => buffer.usedBy(tester.portTo(1).index, c))).toEqual([
    0, 0, 0, 0, 0, 0, 0, 0,
  ])
})

test('F9 a thousand XON frames are not counted as drops', () => {
  const tester = threeClasses()
  for (let i = 0; i < 1000; i++) tester.at((10 + i / 10) * MS, () => tester.hostPort(1).sendPfc(1 << 3, 0))
  tester.run(200 * MS)
  expect(tester.counters.drops.reduce((sum, n) => sum + n, 0)).toBe(0)
  expect(tester.portTo(1).stats!.pfcRxPackets[3]).toBe(1000)
})

test('F10 packets to a port that is down are not counted as its transmit drops: they have no route', () => {
  const tester = threeClasses(`${TWO_LOSSLESS}\nfaults: [{kind: link-down, links: host 1, down: 100ms, up: 200ms}]`)
  tester.run(190 * MS)
  const { stats } = tester.portTo(1)
  expect([...stats!.txDropped].every((n) => n === 0)).toBe(true)
  const [lossy] = tester.streams
  // The frame on the link and those queued are lost with it; whatever arrives later has no route.
  expect(lossy!.lost.get('no route')).toBeGreaterThan(0.98 * lossy!.offeredIn(100 * MS, 190 * MS))
  expect(lossy!.lost.get('link down') ?? 0).toBeLessThanOrEqual(2)
})

describe('F11 response time and headroom: hosts obey a pause with a delay, and headroom is for 400 us', () => {
  const lost = (delayUs: number): number => {
    const tester = new Tester({
      text: `
pfc: {reactionTime: 400us}
switch: {buffer: {kind: shared-buffer, alpha: 1/64}}
changes: [{path: pfc.reactionTime, value: ${delayUs}us, nodes: hosts}]`,
    })
    tester.stream({ from: 0, to: 1, load: 1 })
    tester.storm({ host: 1, fromPs: 50 * MS, toPs: 300 * MS })
    tester.run(300 * MS)
    expect(tester.portTo(0).stats!.pfcTxPauses[3]).toBeGreaterThan(0)
    return tester.streams[0]!.lostFrames
  }

  test.each([0, 200, 300, 400])('delay %i us: no ingress drop', (delayUs) => {
    expect(lost(delayUs)).toBe(0)
  })

  test.each([600, 800, 1000])('delay %i us is more than the headroom is for: ingress drops', (delayUs) => {
    const frames = lost(delayUs)
    expect(frames).toBeGreaterThan(0)
    // As many as the link carries in the time that is missing, within three frames.
    const missing = ((delayUs - 400) * US) / (1020 * 80_000)
    expect(Math.abs(frames - missing)).toBeLessThanOrEqual(3)
  })
})
