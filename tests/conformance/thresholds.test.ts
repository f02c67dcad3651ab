/**
 * Conformance, thresholds: Q1 to Q14 of the cases that sonic-mgmt puts to real switches.
 * Counts of packets are those of its qos_params.th2 where named: profiles of the Arista 7260CX3 (pg_profile_lookup).
 */
import { describe, expect, test } from 'vitest'
import { US } from '../../src/base/params.ts'
import { DATA, ECT_0, CE, NOT_ECT } from '../../src/transport/segment.ts'
import { CELL, Device, MARGIN, PACKET_BYTES } from './vocabulary.ts'

const bytes = (cells: number): string => `${cells * CELL}B`

/** th2: packet that triggers XOFF of a priority group, with 6 cells of reserve and alpha 1 of the rest. */
const TRIGGER = 4490
const RESERVE = 6
/** Half of the pool and the reserve are 4490 cells. */
const POOL = 2 * (TRIGGER - RESERVE)
const TH2 = `ingressPool: ${bytes(POOL)}, dynamicTh: 0`
const PROFILES =
  'profiles: [{rate: 100Gbps, delay: 200ns, headroom: 59696B}, {rate: 100Gbps, delay: 1500ns, headroom: 101088B}]'
/** th2: packet that is dropped at ingress, by cable. */
const BY_DELAY = [
  ['40 m', '200ns', 4779],
  ['300 m', '1500ns', 4978],
] as const
/** A limit that does not move with the pool's use. */
const STATIC = `staticTh: ${bytes(TRIGGER - RESERVE)}`

describe.each(BY_DELAY)('Q1 XOFF limit at 100 Gb/s and %s', (_, delay, drop) => {
  test.each([3, 4])(
    'DSCP %i: no pause before the limit, then a pause of that group alone; a drop only after the headroom',
    (dscp) => {
      const device = new Device({ buffer: `${TH2}, ${PROFILES}`, delay }).hold(2)
      const send = (packets: number): Device => device.send(1, 2, packets, { codepoint: dscp }).settle(10)
      send(TRIGGER - 1 - MARGIN)
      expect([device.pauses(1, dscp), device.drops]).toEqual([0, { ingress: 0, egress: 0 }])
      send(1 + 2 * MARGIN)
      expect([device.pauses(1, dscp), device.pauses(1, 7 - dscp), device.pauses(0, dscp)]).toEqual([1, 0, 0])
      expect(device.drops).toEqual({ ingress: 0, egress: 0 })
      send(drop - 1 - MARGIN - (TRIGGER + MARGIN))
      expect(device.drops).toEqual({ ingress: 0, egress: 0 })
      send(1 + 2 * MARGIN)
      expect(device.ingressDrops(1, dscp)).toBeGreaterThan(0)
      expect(device.drops).toEqual({ ingress: device.ingressDrops(1, dscp), egress: 0 })
    },
  )
})

/** Cells that have left when the resume of a pause arrives at the sender; the PFC frames it got. */
function drained(buffer: string): { readonly cells: number; readonly frames: readonly string[] } {
  const device = new Device({ buffer }).hold(2)
  device.send(1, 2, TRIGGER).settle()
  const { bench } = device
  device.free(2)
  let cells = -1
  const look = (): void => {
    if ((bench.portTo(1).xoffSent & 8) !== 0) bench.at(bench.nowPs + 100, look)
    else cells = TRIGGER - device.groupCells(1, 3)
  }
  bench.at(bench.nowPs + 100, look)
  device.settle(20)
  return { cells, frames: device.frames(1, 3) }
}

describe('XON', () => {
  test('Q2 XON limit: with 12 cells of offset the pause ends when 12 packets have left, and no drop happens', () => {
    expect(drained(STATIC)).toEqual({ cells: 12, frames: ['pause', 'resume'] })
  })

  test('Q2 with a dynamic limit: it rises by what has left, so half of the offset has to drain', () => {
    expect(drained(TH2)).toEqual({ cells: 6, frames: ['pause', 'resume'] })
  })

  test.each([
    ['0B', 'the offset', 12],
    [bytes(4480), 'xon, where that is higher than the limit less the offset', 10],
  ])('Q12 XON hysteresis: xon %s, the pause ends at %s', (xon, _, cells) => {
    expect(drained(`${STATIC}, xon: ${xon}`).cells).toBe(cells)
  })

  test('Q12 between XON and XOFF nothing is sent: the next pause follows when the limit is reached again', () => {
    const device = new Device({ buffer: STATIC }).hold(2)
    device.send(1, 2, TRIGGER).settle()
    device.free(2)
    const { bench } = device
    bench.at(bench.nowPs + 12 * (PACKET_BYTES + 20) * 80, () => device.bench.pauseArrives(bench.portTo(2), 8, 65_535))
    device.settle()
    expect(device.frames(1, 3)).toEqual(['pause', 'resume'])
    const room = TRIGGER - device.groupCells(1, 3)
    device.send(1, 2, room - 1).settle()
    expect(device.frames(1, 3)).toEqual(['pause', 'resume'])
    device.send(1, 2, 1).settle()
    expect(device.frames(1, 3)).toEqual(['pause', 'resume', 'pause'])
  })
})

describe('Q3 headroom pool size', () => {
  // th2: 14 groups of 7 ports; 13 take 682 packets of headroom each, the last 542.
  const [FULL, PARTIAL, GROUPS] = [682, 542, 14]
  const POOL_CELLS = (GROUPS - 1) * FULL + PARTIAL

  test('no drop until the shared pool is full, then drops; its watermark is within the margin', () => {
    const limit = 100
    const buffer = `staticTh: ${bytes(limit)}, reserve: 0B, headroom: ${bytes(FULL)}, headroomPool: ${bytes(POOL_CELLS)}`
    const device = new Device({ hosts: 8, buffer }).hold(0)
    const groups = [1, 2, 3, 4, 5, 6, 7].flatMap((host) => [3, 4].map((dscp) => [host, dscp] as const))
    groups.slice(0, -1).forEach(([host, dscp]) => device.send(host, 0, limit + FULL, { codepoint: dscp }))
    device.send(7, 0, limit + PARTIAL, { codepoint: 4 }).settle(20)
    expect(groups.map(([host, dscp]) => device.pauses(host, dscp))).toEqual(groups.map(() => 1))
    expect(device.drops).toEqual({ ingress: 0, egress: 0 })
    expect(Math.abs(device.poolPeak('headroom') - POOL_CELLS)).toBeLessThanOrEqual(MARGIN)
    device.send(7, 0, 1 + 2 * MARGIN, { codepoint: 4 })
    expect(device.ingressDrops(7, 4)).toBeGreaterThan(0)
    expect(device.drops.egress).toBe(0)
  })
})

describe('reserves', () => {
  test('Q4 shared reservation: each group keeps its reserve when others have filled the pool', () => {
    const pool = 500
    const device = new Device({
      buffer: `ingressPool: ${bytes(pool)}, staticTh: ${bytes(pool)}, headroom: ${bytes(20)}`,
    }).hold(2)
    device.send(1, 2, RESERVE + pool)
    for (const dscp of [3, 4]) {
      device.send(0, 2, RESERVE - 1, { codepoint: dscp }).settle()
      expect([device.pauses(0, dscp), device.headroomPeak(0, dscp)]).toEqual([0, 0])
      device.send(0, 2, 1 + MARGIN, { codepoint: dscp }).settle()
      expect([device.pauses(0, dscp), device.headroomPeak(0, dscp)]).toEqual([1, MARGIN])
    }
    expect(device.drops).toEqual({ ingress: 0, egress: 0 })
  })

  test('Q11 priority group minimum: without a share of the pool XOFF comes at the reserve, exactly', () => {
    const device = new Device({ buffer: `reserve: ${bytes(50)}, staticTh: 0B, headroom: ${bytes(20)}` }).hold(2)
    expect(device.send(1, 2, 49).settle().pauses(1, 3)).toBe(0)
    expect(device.send(1, 2, 1).settle().pauses(1, 3)).toBe(1)
    expect(device.sharedPeak(1, 3)).toBe(0)
  })
})

test('Q5 lossy queue: beyond its limit it drops at egress only, and nothing is paused', () => {
  // th2: packet that is dropped.
  const drop = 10_773
  const device = new Device({ buffer: `queues: [{classes: [0], staticTh: ${bytes(drop - 1)}}]` })
  device.block(2).send(1, 2, drop - 1 - MARGIN, { codepoint: 8 })
  expect(device.drops).toEqual({ ingress: 0, egress: 0 })
  device.send(1, 2, 1 + 2 * MARGIN, { codepoint: 8 })
  expect(device.egressDrops(2, 0)).toBeGreaterThan(0)
  expect(device.drops).toEqual({ ingress: 0, egress: device.egressDrops(2, 0) })
  device.settle()
  expect([0, 1, 3].map((host) => device.bench.pfcAt(host))).toEqual([[], [], []])
})

describe('watermarks', () => {
  test.each([100, 1000, TRIGGER])('Q6 shared watermark of a group after %i packets: within the margin', (packets) => {
    const device = new Device({ buffer: TH2 }).hold(2).send(1, 2, packets)
    expect(Math.abs(device.sharedPeak(1, 3) - (packets - RESERVE))).toBeLessThanOrEqual(MARGIN)
    // The watermark stays when the group drains.
    device.free(2).settle(100)
    expect(device.groupCells(1, 3)).toBe(0)
    expect(Math.abs(device.sharedPeak(1, 3) - (packets - RESERVE))).toBeLessThanOrEqual(MARGIN)
    expect(device.sharedPeak(1, 4)).toBe(0)
  })

  test.each(BY_DELAY)(
    'Q7 headroom watermark at %s: 0 until XOFF, then packet by packet, up to the headroom',
    (_, delay, drop) => {
      const device = new Device({ buffer: `${TH2}, ${PROFILES}`, delay }).hold(2).send(1, 2, TRIGGER)
      expect(device.headroomPeak(1, 3)).toBe(0)
      device.send(1, 2, 100)
      expect(Math.abs(device.headroomPeak(1, 3) - 100)).toBeLessThanOrEqual(MARGIN)
      device.send(1, 2, 1000)
      expect(Math.abs(device.headroomPeak(1, 3) - (drop - TRIGGER))).toBeLessThanOrEqual(MARGIN)
    },
  )

  test('Q8 watermarks of a queue and of the buffer pools: within the margin of what they held', () => {
    const device = new Device({ buffer: TH2 }).hold(2).send(1, 2, 2000).send(0, 2, 500, { codepoint: 4 })
    device.block(3).send(1, 3, 300, { codepoint: 8 })
    const seen = [device.queuePeak(2, 3), device.queuePeak(2, 4), device.queuePeak(3, 0)]
    const expected = [2000, 500, 300]
    seen.forEach((cells, i) => expect(Math.abs(cells - expected[i]!)).toBeLessThanOrEqual(MARGIN + 4))
    expect(Math.abs(device.poolPeak('ingress-lossless') - (2500 - 2 * RESERVE + 300))).toBeLessThanOrEqual(
      2 * MARGIN + 2,
    )
    expect(Math.abs(device.poolPeak('egress-lossless') - 2800)).toBeLessThanOrEqual(2 * MARGIN + 2)
  })

  test('Q9 drop counter of a priority group: as many as were dropped, at that group alone', () => {
    const device = new Device({ buffer: `${TH2}, ${PROFILES}` }).hold(2).send(1, 2, 5000)
    const stored = device.groupCells(1, 3)
    expect(device.ingressDrops(1, 3)).toBe(5000 - stored)
    expect(device.drops.ingress).toBe(device.ingressDrops(1, 3))
    expect(device.bench.counters.losslessDrops).toBe(device.ingressDrops(1, 3))
  })
})

describe('Q10 DWRR', () => {
  /** DSCP of each class. */
  const DSCP = [8, 0, 5, 3, 4, 46, 48]
  const BEFORE = [14, 14, 14, 15, 15, 14, 14, 14]
  const AFTER = [8, 8, 8, 30, 30, 8, 8, 8]

  /** Packets of each class among those that start in an interval, all queues being full. */
  function served(device: Device, rounds: readonly number[]): number[] {
    const before = DSCP.map((_, c) => device.queueCells(2, c))
    const packets = rounds.slice(0, 7).reduce((sum, weight) => sum + weight, 0)
    const { bench } = device
    bench.run(bench.nowPs + 10 * packets * (PACKET_BYTES + 20) * 80)
    return DSCP.map((_, c) => before[c]! - device.queueCells(2, c))
  }

  test('the classes get their weights, and the new ones at once when these change at run time (within 30 of 1000 packets; sonic-mgmt allows 80)', () => {
    const device = new Device({ at: `scheduler: dwrr`, buffer: 'egressAlpha: 128' }).weigh(2, BEFORE).block(2)
    DSCP.forEach((codepoint) => device.send(1, 2, 1500, { codepoint }))
    // The frame in front leaves.
    device.settle(1)
    const first = served(device, BEFORE)
    first.forEach((packets, c) => expect(Math.abs(packets - 10 * BEFORE[c]!)).toBeLessThanOrEqual(15))
    device.weigh(2, AFTER)
    const second = served(device, AFTER)
    second.forEach((packets, c) => expect(Math.abs(packets - 10 * AFTER[c]!)).toBeLessThanOrEqual(30))
  })
})

test('Q13 ECN by DSCP: beyond the threshold only ECN-capable packets are marked; the others pass as they are', () => {
  const device = new Device({ at: 'ecn: {classes: [3], kmin: 10KB, kmax: 10KB}' }).hold(2)
  for (let i = 0; i < 300; i++) device.send(1, 2, 1, { ecn: i % 2 === 0 ? ECT_0 : NOT_ECT })
  device.free(2).settle(100)
  const seen = device.bench.arrivals.filter(({ host, kind }) => host === 2 && kind === DATA).map(({ ecn }) => ecn)
  expect(seen.length).toBe(300)
  expect(seen.filter((_, i) => i % 2 === 1).every((ecn) => ecn === NOT_ECT)).toBe(true)
  const capable = seen.filter((_, i) => i % 2 === 0)
  expect(capable.at(0)).toBe(ECT_0)
  expect(capable.slice(100).every((ecn) => ecn === CE)).toBe(true)
})

test('Q14 full mesh: every port sends to every other in all classes; all packets arrive, none is dropped or paused', () => {
  const hosts = 8
  const device = new Device({ hosts })
  const dscps = [8, 0, 5, 3, 4, 46, 48]
  for (let from = 0; from < hosts; from++)
    for (let to = 0; to < hosts; to++)
      for (const codepoint of dscps) if (from !== to) device.send(from, to, 20, { codepoint })
  device.bench.run(device.bench.nowPs + 100 * US)
  expect(device.bench.arrivals.filter(({ kind }) => kind === DATA).length).toBe(hosts * (hosts - 1) * dscps.length * 20)
  expect([device.drops, device.bench.counters.pauseFrames, device.buffer.usedBytes]).toEqual([
    { ingress: 0, egress: 0 },
    0,
    0,
  ])
})
