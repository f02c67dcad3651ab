/**
 * Conformance of PFC frames: who is paused, which frames are ignored, what is counted, and that headroom covers the delay
 * with which a peer obeys.
 * Source of the cases and their pass criteria: sonic-mgmt, tests/pfc, tests/qos and tests/pfc_pause. Link rates scaled down.
 */
import { describe, expect, test } from 'vitest'
import { INTS } from '../../src/core/base/memory.ts'
import { MS, US } from '../../src/core/base/params.ts'
import { pfcFrame, stationAddressOf } from '../../src/core/fabric/link/control-frames.ts'
import { Port } from '../../src/core/fabric/link/port.ts'
import { PortStats } from '../../src/core/fabric/link/port-stats.ts'
import { DESTINATION, DIRECTION, KIND, PFC } from '../../src/core/fabric/packets.ts'
import { Switch } from '../../src/core/fabric/switch/switch.ts'
import { isStationAddress, type MacControl, readMacControl, writeMacControl } from '../../src/core/wire/index.ts'
import { Tester } from './bench-watchdog.ts'
import { asGiven, failsWith, type Fault, passes, wrong } from '../support/planted.ts'

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

/** The classes and quanta of a PFC frame that a port applies are changed. */
const applied = (change: (vector: number, quanta: number) => readonly [number, number]): Fault =>
  wrong(Port.prototype, 'applyPfc', (_port, right, packet) => {
    const [vector, quanta] = change(INTS[packet | DIRECTION]!, INTS[packet | DESTINATION]!)
    INTS[packet | DIRECTION] = vector
    INTS[packet | DESTINATION] = quanta
    right(packet)
  })

function f1(priority: number, expected: readonly number[]): void {
  const tester = threeClasses()
  tester.storm({ host: 1, fromPs: 100 * MS, toPs: 300 * MS, classes: 1 << priority })
  tester.run(300 * MS)
  expect(shares(tester, 110 * MS, 290 * MS)).toEqual(expected)
  expect(tester.streams.map(({ lostFrames }) => lostFrames)).toEqual([0, 0, 0])
}

describe('F1 a pause of a lossless priority blocks that priority only', () => {
  const rows = [
    [3, [100, 0, 100]],
    [4, [100, 100, 0]],
  ] as const
  test.each(rows)('priority %i: none of it arrives, and all of the other traffic', f1)
  failsWith(
    'F1',
    'a pause stops all lossless classes',
    applied((_vector, quanta) => [0xff, quanta]),
    () => f1(...rows[0]),
  )
})

function f2(): void {
  const tester = threeClasses()
  tester.storm({ host: 1, fromPs: 100 * MS, toPs: 300 * MS, classes: 0xff & ~0b11000 })
  tester.run(300 * MS)
  expect(shares(tester, 110 * MS, 290 * MS)).toEqual([100, 100, 100])
}
test('F2 a pause of a lossy priority is ignored: 100 % of it arrives', f2)
failsWith(
  'F2',
  'pauses of all classes are obeyed',
  wrong(Port.prototype, 'applyPfc', (port, right, packet) => {
    port.pfc = { ...port.pfc, lossless: 0xff }
    right(packet)
  }),
  f2,
)

/**
 * Packets that come through, and the counts of the port, if host 1 sends this frame every millisecond of 200 ms. The fabric has
 * no other MAC control frames than PFC, with one time for all classes of a frame.
 */
function withFrames(
  bytes: Uint8Array,
  read: (bytes: Uint8Array) => MacControl | null = readMacControl,
): { shares: number[]; counted: number; lost: number } {
  const tester = threeClasses()
  const port = tester.hostPort(1)
  const frame = read(bytes)
  if (frame?.kind === 'pfc') {
    const { vector, quanta } = frame
    for (const time of new Set(quanta.filter((_, c) => vector === 0 || (vector & (1 << c)) !== 0))) {
      const classes = quanta.reduce((bits, own, c) => bits | (own === time ? 1 << c : 0), 0) & vector
      for (let ms = 100; ms < 300; ms++) tester.at(ms * MS, () => port.sendPfc(classes, time))
    }
  }
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

const linkPause = writeMacControl({ kind: 'pause', source: SOURCE, quanta: 65_535 })
function f3(bytes: Uint8Array): void {
  expect(withFrames(bytes)).toEqual({ shares: [100, 100, 100], counted: 0, lost: 0 })
}
passes('F3 a pause of the whole link (802.3x) is ignored and not counted as PFC', () => f3(linkPause))
failsWith('F3', 'its opcode is taken for that of PFC, and its time for the vector', asGiven, () => {
  const bytes = linkPause.slice()
  bytes[14] = 1
  bytes.fill(0xff, 18, 34)
  f3(bytes)
})

function f4(): void {
  const bytes = writeMacControl({ kind: 'pfc', source: SOURCE, vector: 0, quanta: ALL_TIMES })
  expect(withFrames(bytes)).toEqual({ shares: [100, 100, 100], counted: 0, lost: 0 })
}
test('F4 a PFC frame with class-enable vector 0 is ignored, whatever its times', f4)
failsWith(
  'F4',
  'a frame that names no class pauses all',
  applied((vector, quanta) => [vector === 0 ? 0xff : vector, quanta]),
  f4,
)

function f5(read?: (bytes: Uint8Array) => MacControl | null): void {
  const bytes = writeMacControl({ kind: 'pfc', source: 0, vector: 1 << 3, quanta: ALL_TIMES })
  expect(withFrames(bytes, read)).toEqual({ shares: [100, 0, 100], counted: 200, lost: 0 })
}
passes('F5 a PFC frame with source address zero pauses and is counted', () => f5())
failsWith('F5', 'a frame that comes from no station is none', asGiven, () =>
  f5((bytes) => {
    const frame = readMacControl(bytes)
    return frame !== null && isStationAddress(frame.source) ? frame : null
  }),
)

test('a frame whose classes have several times pauses each for its own', () => {
  const times = [0, 0, 0, QUANTA, 0, 0, 0, 0]
  const bytes = writeMacControl({ kind: 'pfc', source: SOURCE, vector: 0b11000, quanta: times })
  expect(withFrames(bytes)).toEqual({ shares: [100, 0, 100], counted: 400, lost: 0 })
})

function f6(): void {
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
}
test(
  'F6 a generated frame is valid: destination 01-80-C2-00-00-01, opcode 0101, vector, quanta, and a station as its source',
  f6,
)
failsWith(
  'F6',
  'it names a class too many',
  wrong(Port.prototype, 'sendPfc', (_port, right, vector, quanta) => right(vector | (vector << 1), quanta)),
  f6,
)

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

/** Each PFC frame that a port counts changes its counters further. */
const received = (change: (stats: PortStats, vector: number, quanta: number) => void): Fault =>
  wrong(PortStats.prototype, 'onReceived', (stats, right, nowPs, packet, lossless) => {
    right(nowPs, packet, lossless)
    change(stats, INTS[packet | DIRECTION]!, INTS[packet | DESTINATION]!)
  })

function f7(): void {
  const stats = counted().portTo(1).stats!
  expect([...stats.pfcRxPackets]).toEqual([0, 0, 0, 140, 0, 20, 0, 0])
  expect([...stats.pfcRxPauses]).toEqual([0, 0, 0, 100, 0, 20, 0, 0])
}
test('F7 the receive counter of a priority counts its pauses and its resumes, and no others', f7)
failsWith(
  'F7',
  'resumes are not counted',
  received((stats, vector, quanta) => {
    if (quanta === 0) for (let c = 0; c < 8; c++) if ((vector & (1 << c)) !== 0) stats.pfcRxPackets[c]!--
  }),
  f7,
)

function f8(): void {
  const tester = counted()
  const { stats } = tester.portTo(1)
  expect([...stats!.rxPackets, ...stats!.rxDropped].every((n) => n === 0)).toBe(true)
  expect(tester.counters.drops.every((n) => n === 0)).toBe(true)
  const { buffer } = tester.hub
  expect([0, 1, 2, 3, 4, 5, 6, 7].map((c) => buffer.usedBy(tester.portTo(1).index, c))).toEqual([
    0, 0, 0, 0, 0, 0, 0, 0,
  ])
}
test('F8 pause frames are neither received packets nor dropped ones', f8)
failsWith(
  'F8',
  'a pause counts as a packet of class 0',
  received((stats) => stats.rxPackets[0]!++),
  f8,
)

function f9(): void {
  const tester = threeClasses()
  for (let i = 0; i < 1000; i++) tester.at((10 + i / 10) * MS, () => tester.hostPort(1).sendPfc(1 << 3, 0))
  tester.run(200 * MS)
  const { stats } = tester.portTo(1)
  expect(tester.counters.drops.reduce((sum, n) => sum + n, 0)).toBe(0)
  expect([...stats!.rxDropped, ...stats!.txDropped].every((n) => n === 0)).toBe(true)
  expect(stats!.pfcRxPackets[3]).toBe(1000)
}
test('F9 a thousand XON frames are not counted as drops', f9)
failsWith(
  'F9',
  'one that resumes nothing counts as dropped',
  received((stats, _vector, quanta) => {
    if (quanta === 0) stats.rxDropped[3]!++
  }),
  f9,
)

function f10(): void {
  const tester = threeClasses(`${TWO_LOSSLESS}\nfaults: [{kind: link-down, links: host 1, down: 100ms, up: 200ms}]`)
  tester.run(190 * MS)
  const { stats } = tester.portTo(1)
  expect([...stats!.txDropped].every((n) => n === 0)).toBe(true)
  const [lossy] = tester.streams
  // The frame on the link and those queued are lost with it; whatever arrives later has no route.
  expect(lossy!.lost.get('no route')).toBeGreaterThan(0.98 * lossy!.offeredIn(100 * MS, 190 * MS))
  expect(lossy!.lost.get('link down') ?? 0).toBeLessThanOrEqual(2)
}
test('F10 packets to a port that is down are not counted as its transmit drops: they have no route', f10)
failsWith(
  'F10',
  'a packet without a route counts at a port that is down',
  wrong(Switch.prototype, 'receive', (self, right, packet, input) => {
    const down = self.ports.slice(1).find((port) => !port.isUp)
    if (self.pathOf(packet) < 0) down?.openStats().onDiscarded(self.trafficClassOf(packet))
    right(packet, input)
  }),
  f10,
)

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

  const f11Within = (delayUs: number): void => expect(lost(delayUs)).toBe(0)
  passes.each([0, 200, 300, 400])('delay %i us: no ingress drop', f11Within)

  const f11Beyond = (delayUs: number): void => {
    const frames = lost(delayUs)
    expect(frames).toBeGreaterThan(0)
    // As many as the link carries in the time that is missing, within three frames.
    const missing = ((delayUs - 400) * US) / (1020 * 80_000)
    expect(Math.abs(frames - missing)).toBeLessThanOrEqual(3)
  }
  passes.each([600, 800, 1000])('delay %i us is more than the headroom is for: ingress drops', f11Beyond)

  const late = (byPs: number): Fault =>
    wrong(Port.prototype, 'onPfc', (port, right, packet) => {
      const { reactionPs } = port.pfc
      port.pfc = { ...port.pfc, reactionPs: Math.max(0, reactionPs + byPs) }
      right(packet)
      port.pfc = { ...port.pfc, reactionPs }
    })
  failsWith('F11', 'hosts obey 200 us late', late(200 * US), () => f11Within(400))
  failsWith('F11', 'hosts obey 400 us early', late(-400 * US), () => f11Beyond(600))
})
