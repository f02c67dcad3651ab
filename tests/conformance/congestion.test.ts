/**
 * Conformance under congestion: two senders, one receiver, lossless and lossy classes, several lengths of links.
 * Source of the cases and their pass criteria: sonic-mgmt, tests/snappi_tests/pfc and multidut. The links have a thousandth
 * of 100 Gb/s and are a thousand times as long, so that one holds as many bytes.
 */
import { describe, expect } from 'vitest'
import { MS } from '../../src/core/base/params.ts'
import { INTS } from '../../src/core/base/memory.ts'
import { Port } from '../../src/core/fabric/link/port.ts'
import { Scheduler } from '../../src/core/fabric/link/scheduler.ts'
import { DESTINATION, DIRECTION } from '../../src/core/fabric/packets.ts'
import { Switch } from '../../src/core/fabric/switch/switch.ts'
import { type Stream, Tester } from './bench-watchdog.ts'
import { failsWith, type Fault, passes, wrong } from '../support/planted.ts'

/** Lengths of cable at 100 Gb/s, with their delays scaled by a thousand. */
const LENGTHS = [
  ['5 m', '25us'],
  ['40 m', '200us'],
  ['300 m', '1.5ms'],
  ['2 km', '10ms'],
] as const
const [FROM, TO] = [1000 * MS, 3000 * MS]

const LOSSLESS = [3, 4]
const LOSSY = [0, 1]

/** Two senders of the same streams to host 2: a lossless and a lossy one each, with shares of the link rate. */
function twoToOne(delay: string, losslessLoad: number, lossyLoad: number, stopPs = Infinity): Tester {
  const tester = new Tester({
    topology: `kind: star, hosts: 3, linkRate: 100Mbps, linkDelay: ${delay}`,
    text: `
pfc: {classes: [3, 4]}
switch: {scheduler: dwrr, buffer: {kind: shared-buffer, size: 16MiB, alpha: 1/128}}`,
  })
  for (const from of [0, 1]) {
    tester.stream({ from, to: 2, trafficClass: LOSSLESS[from]!, load: losslessLoad, stopPs })
    tester.stream({ from, to: 2, trafficClass: LOSSY[from]!, load: lossyLoad, stopPs })
  }
  return tester
}

const lossless = ({ streams }: Tester): Stream[] => streams.filter(({ text }) => text.trafficClass >= 3)
const lossy = ({ streams }: Tester): Stream[] => streams.filter(({ text }) => text.trafficClass < 3)
const lostOf = (streams: readonly Stream[]): number => streams.reduce((sum, { lostFrames }) => sum + lostFrames, 0)
const pausesTo = (tester: Tester, host: number): number =>
  tester.portTo(host).stats!.pfcTxPauses.reduce((sum, n) => sum + n, 0)

/** Percent of the link rate that a stream has in the span. */
const shareOf = (tester: Tester, stream: Stream): number =>
  (100 * stream.receivedIn(FROM, TO) * tester.portTo(2).transmitPs[1000]!) / (TO - FROM)

function g1(delay: string, total: number): void {
  const tester = twoToOne(delay, (total - 50) / 200, 0.25)
  tester.run(TO)
  expect([lostOf(lossless(tester)), lostOf(lossy(tester))]).toEqual([0, 0])
  for (const stream of tester.streams) expect(Math.abs(shareOf(tester, stream) - 25)).toBeLessThan(1)
  expect(pausesTo(tester, 0)).toBeGreaterThan(0)
  expect(pausesTo(tester, 1)).toBeGreaterThan(0)
}

function g2(delay: string, total: number): void {
  const tester = twoToOne(delay, 0.25, (total - 50) / 200)
  tester.run(TO)
  expect(lostOf(lossless(tester))).toBe(0)
  expect(lostOf(lossy(tester))).toBeGreaterThan(0)
  for (const stream of lossless(tester)) expect(Math.abs(shareOf(tester, stream) - 25)).toBeLessThan(1)
  expect(pausesTo(tester, 0) + pausesTo(tester, 1)).toBe(0)
}

function g3(delay: string): void {
  const tester = twoToOne(delay, 0.3, 0.3)
  tester.run(TO)
  expect(lostOf(lossless(tester))).toBe(0)
  expect(lostOf(lossy(tester))).toBeGreaterThan(0)
  for (const stream of tester.streams) expect(Math.abs(shareOf(tester, stream) - 25)).toBeLessThan(1.5)
  expect(pausesTo(tester, 0)).toBeGreaterThan(0)
}

function g4(delay: string): void {
  const tester = twoToOne(delay, 0.05, 0.05)
  for (const from of [0, 1]) {
    for (let ms = 200; ms < 1800; ms += 200)
      tester.stream({
        from,
        to: 2,
        trafficClass: LOSSLESS[from]!,
        load: 0.6,
        startPs: ms * MS,
        stopPs: (ms + 100) * MS,
      })
  }
  tester.run(TO)
  expect(lostOf(tester.streams)).toBe(0)
  expect(pausesTo(tester, 0)).toBeGreaterThan(0)
  for (const { sent, received } of tester.streams.filter(({ text }) => text.stopPs < TO)) expect(received).toBe(sent)
}

function g5(delay: string): void {
  const tester = twoToOne(delay, 0.2, 0.2)
  tester.storm({ host: 2, fromPs: 500 * MS, toPs: TO, classes: 1 << 3 })
  tester.run(TO)
  const [paused, ...others] = tester.streams
  expect([paused!.receivedIn(FROM, TO), lostOf(tester.streams)]).toEqual([0, 0])
  for (const stream of others) expect(Math.abs(shareOf(tester, stream) - 20)).toBeLessThan(1)
  expect(pausesTo(tester, 0)).toBeGreaterThan(0)
  expect(pausesTo(tester, 1)).toBe(0)
}

function g6(delay: string): void {
  const tester = twoToOne(delay, 0.7, 0.1)
  // 4 ms of 8: 781 quanta of 5.12 us.
  tester.storm({ host: 2, fromPs: 500 * MS, toPs: TO, classes: 1 << 3, intervalPs: 8 * MS, quanta: 781 })
  tester.streams[2]!.nextPs = Infinity
  tester.run(TO)
  const [throttled, , , other] = tester.streams
  expect(lostOf(tester.streams)).toBe(0)
  expect(shareOf(tester, throttled!)).toBeGreaterThan(35)
  expect(shareOf(tester, throttled!)).toBeLessThan(52)
  expect(Math.abs(shareOf(tester, other!) - 10)).toBeLessThan(1)
  expect(pausesTo(tester, 0)).toBeGreaterThan(0)
}

describe.each(LENGTHS)('links of %s', (_length, delay) => {
  passes.each([105, 110])(
    'G1 lossy has half of the link, lossless raises the sum to %i percent: no lossless loss, each stream has a quarter, pauses are sent, no lossy drop',
    (total) => g1(delay, total),
  )
  passes.each([103, 108])(
    'G2 lossless has half of the link, lossy raises the sum to %i percent: lossy drops only, lossless keeps its quarters without a pause',
    (total) => g2(delay, total),
  )
  passes('G3 both raised to 30 %: lossy drops, lossless pauses and loses nothing, and each stream has 25 %', () =>
    g3(delay),
  )
  passes(
    'G4 lossless traffic that fluctuates between 20 % and 140 %: nothing is lost, and all of it arrives in the end',
    () => g4(delay),
  )
  passes(
    'G5 an external storm of pauses: the paused class stops and loses nothing, all others have their full share',
    () => g5(delay),
  )
  passes(
    'G6 pauses for half of the time: the class is throttled to that half, loses nothing, and others have their full share',
    () => g6(delay),
  )
})

describe('planted', () => {
  const [, [, delay]] = LENGTHS
  const never = wrong(Switch.prototype, 'pause', () => {})
  const applied = (change: (packet: number) => void): Fault =>
    wrong(Port.prototype, 'applyPfc', (_port, right, packet) => {
      change(packet)
      right(packet)
    })
  failsWith('G1', 'the switch sends no pauses', never, () => g1(delay, 110))
  failsWith(
    'G2',
    'a lossy packet pauses the lossless class',
    wrong(Switch.prototype, 'admit', (self, right, packet, input, trafficClass, out) => {
      const admitted = Number(right(packet, input, trafficClass, out))
      if (admitted < 0 && trafficClass < 3) self.ports[input]!.sendPfc(0b11000, 100)
      return admitted
    }),
    () => g2(delay, 108),
  )
  failsWith(
    'G3',
    'the highest class is served first',
    wrong(Scheduler.prototype, 'pick', (_self, _right, ready) => 31 - Math.clz32(ready)),
    () => g3(delay),
  )
  failsWith(
    'G4',
    'hosts take a pause for a resume',
    applied((packet) => (INTS[packet | DESTINATION] = 0)),
    () => g4(delay),
  )
  failsWith(
    'G5',
    'a pause stops all lossless classes',
    applied((packet) => (INTS[packet | DIRECTION] = 0xff)),
    () => g5(delay),
  )
  failsWith(
    'G6',
    'a pause lasts twice its quanta',
    applied((packet) => (INTS[packet | DESTINATION]! *= 2)),
    () => g6(delay),
  )
})
