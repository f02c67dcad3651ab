/**
 * Conformance, thresholds: Q1 to Q14 of the cases that sonic-mgmt puts to real switches.
 * Counts of packets are those of its qos_params.th2 where named: profiles of the Arista 7260CX3 (pg_profile_lookup).
 */
import { describe, expect, test } from 'vitest'
import { US } from '../../src/core/base/params.ts'
import { REFUSED } from '../../src/core/fabric/buffer/buffer.ts'
import { MemoryManager, type MemoryManagerOptions } from '../../src/core/fabric/buffer/memory-manager.ts'
import { WatchedBuffer } from '../../src/core/fabric/buffer/watched.ts'
import { INTS } from '../../src/core/base/memory.ts'
import { Port } from '../../src/core/fabric/link/port.ts'
import { ECN } from '../../src/core/fabric/packets.ts'
import { Switch } from '../../src/core/fabric/switch/switch.ts'
import { DATA, ECT_0, CE, NOT_ECT } from '../../src/core/transport/segment.ts'
import { failsWith, type Fault, passes, wrong } from '../support/planted.ts'
import { CELL, Device, MARGIN, PACKET_BYTES, type Setup } from './vocabulary.ts'

/** The memory manager with other options than the scenario's. */
const configured = (change: (options: MemoryManagerOptions) => Partial<MemoryManagerOptions>): Fault =>
  wrong<MemoryManager, readonly [MemoryManagerOptions]>(MemoryManager.prototype, 'configure', (_self, right, options) =>
    right({ ...options, ...change(options) }),
  )

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

/**
 * Dell Z9264F (Tomahawk 2) at 100 Gb/s and 40 m, from its config_db: ingress_lossless_pool and pg_lossless_100000_40m.
 * XOFF is where sonic-mgmt expects it (qos_sai_base): size + pool * alpha / (1 + alpha).
 */
const Z9264F = {
  poolBytes: 35_621_248,
  alpha: 2 ** -3,
  reserveBytes: 1248,
  headroomBytes: 177_632,
}

function q1(packetsToXoff: number, headroomPackets: number, setup: Setup, dscp: number): void {
  const device = new Device(setup).hold(2)
  const send = (packets: number): Device => device.send(1, 2, packets, { codepoint: dscp }).settle(10)
  send(packetsToXoff - 1 - MARGIN)
  expect([device.pauses(1, dscp), device.drops]).toEqual([0, { ingress: 0, egress: 0 }])
  send(1 + 2 * MARGIN)
  expect([device.pauses(1, dscp), device.pauses(1, 7 - dscp), device.pauses(0, dscp)]).toEqual([1, 0, 0])
  expect(device.drops).toEqual({ ingress: 0, egress: 0 })
  send(headroomPackets - 1 - 2 * MARGIN)
  expect(device.drops).toEqual({ ingress: 0, egress: 0 })
  send(1 + 2 * MARGIN)
  expect(device.ingressDrops(1, dscp)).toBeGreaterThan(0)
  expect(device.drops).toEqual({ ingress: device.ingressDrops(1, dscp), egress: 0 })
}

function q1Dell(dscp: number): void {
  const { poolBytes, alpha, reserveBytes, headroomBytes } = Z9264F
  const limitBytes = (poolBytes * alpha) / (1 + alpha)
  const buffer = `ingressPool: ${poolBytes}B, egressPool: 43468672B, dynamicTh: -3, reserve: ${reserveBytes}B, headroom: ${headroomBytes}B`
  q1(Math.ceil((reserveBytes + limitBytes) / CELL), headroomBytes / CELL, { buffer }, dscp)
}

describe('Q1 XOFF limit: no pause before it, then a pause of that group alone; a drop only after the headroom', () => {
  passes.each([3, 4])('Z9264F at 40 m, DSCP %i', q1Dell)
  failsWith(
    'Q1',
    'a limit one thousandth too high',
    wrong(MemoryManager.prototype, 'limit', (_self, right, ...args) => 1.001 * Number(right(...args))),
    () => q1Dell(3),
  )
  // The pool follows from the trigger here: these rows are about the headroom of two lengths.
  passes.each(BY_DELAY.flatMap((row) => [3, 4].map((dscp) => [...row, dscp] as const)))(
    '7260CX3 at %s, %s: drop at %i, DSCP %i',
    (_, delay, drop, dscp) => q1(TRIGGER, drop - TRIGGER, { buffer: `${TH2}, ${PROFILES}`, delay }, dscp),
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
  const q2 = (): void => expect(drained(STATIC)).toEqual({ cells: 12, frames: ['pause', 'resume'] })
  passes('Q2 XON limit: with 12 cells of offset the pause ends when 12 packets have left, and no drop happens', q2)
  failsWith(
    'Q2',
    'it resumes where it pauses',
    wrong(MemoryManager.prototype, 'isUnderXon', (self, _right, port, c) => !self.isOverXoff(port, c)),
    q2,
  )

  test('Q2 with a dynamic limit: it rises by what has left, so half of the offset has to drain', () => {
    expect(drained(TH2)).toEqual({ cells: 6, frames: ['pause', 'resume'] })
  })

  test.each([
    ['0B', 'the offset', 12],
    [bytes(4480), 'xon, where that is higher than the limit less the offset', 10],
  ])('Q12 XON hysteresis: xon %s, the pause ends at %s', (xon, _, cells) => {
    expect(drained(`${STATIC}, xon: ${xon}`).cells).toBe(cells)
  })

  const q12 = (): void => {
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
  }
  passes('Q12 between XON and XOFF nothing is sent: the next pause follows when the limit is reached again', q12)
  failsWith(
    'Q12',
    'it pauses again at XON',
    wrong(MemoryManager.prototype, 'isGroupOverXoff', (self, right, at) => {
      const xonBytes = (TRIGGER - 12) * CELL
      return Boolean(right(at)) || self.usedBy(at >> 3, at & 7) > xonBytes
    }),
    q12,
  )
})

describe('Q3 headroom pool size', () => {
  // th2: 14 groups of 7 ports; 13 take 682 packets of headroom each, the last 542.
  const [FULL, PARTIAL, GROUPS] = [682, 542, 14]
  const POOL_CELLS = (GROUPS - 1) * FULL + PARTIAL

  const q3 = (): void => {
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
  }
  passes('no drop until the shared pool is full, then drops; its watermark is within the margin', q3)
  failsWith(
    'Q3',
    'each group has its headroom to itself',
    configured(() => ({ headroomPoolBytes: Infinity })),
    q3,
  )
})

describe('reserves', () => {
  const reserveLess = configured(({ groups }) => ({
    groups: { ...groups, reserveBytes: groups.reserveBytes.map((reserve) => Math.max(0, reserve - CELL)) },
  }))

  const q4 = (): void => {
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
  }
  passes('Q4 shared reservation: each group keeps its reserve when others have filled the pool', q4)
  failsWith('Q4', 'a reserve one cell too small', reserveLess, q4)

  const q11 = (): void => {
    const device = new Device({ buffer: `reserve: ${bytes(50)}, staticTh: 0B, headroom: ${bytes(20)}` }).hold(2)
    expect(device.send(1, 2, 49).settle().pauses(1, 3)).toBe(0)
    expect(device.send(1, 2, 1).settle().pauses(1, 3)).toBe(1)
    expect(device.sharedPeak(1, 3)).toBe(0)
  }
  passes('Q11 priority group minimum: without a share of the pool XOFF comes at the reserve, exactly', q11)
  failsWith('Q11', 'a reserve one cell too small', reserveLess, q11)
})

function q5(): void {
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
}
test('Q5 lossy queue: beyond its limit it drops at egress only, and nothing is paused', q5)
failsWith(
  'Q5',
  'a lossy queue without a limit',
  configured(({ queues }) => ({ queues: { ...queues, fixedBytes: queues.fixedBytes.map(() => Infinity) } })),
  q5,
)

describe('watermarks', () => {
  const q6 = (packets: number): void => {
    const device = new Device({ buffer: TH2 }).hold(2).send(1, 2, packets)
    expect(Math.abs(device.sharedPeak(1, 3) - (packets - RESERVE))).toBeLessThanOrEqual(MARGIN)
    // The watermark stays when the group drains.
    device.free(2).settle(100)
    expect(device.groupCells(1, 3)).toBe(0)
    expect(Math.abs(device.sharedPeak(1, 3) - (packets - RESERVE))).toBeLessThanOrEqual(MARGIN)
    expect(device.sharedPeak(1, 4)).toBe(0)
  }
  passes.each([100, 1000, TRIGGER])('Q6 shared watermark of a group after %i packets: within the margin', q6)
  failsWith(
    'Q6',
    'it counts the reserve',
    wrong(MemoryManager.prototype, 'sharedUsedBy', (self, _right, port, c) => self.usedBy(port, c)),
    () => q6(100),
  )
  failsWith(
    'Q6',
    'it falls when the group drains',
    wrong(WatchedBuffer.prototype, 'release', (self, right, port, c, out, sizeBytes) => {
      right(port, c, out, sizeBytes)
      self.sharedPeak[(port << 3) | c] = self.watched.sharedUsedBy(port, c)
    }),
    () => q6(100),
  )

  const q7 = (_: string, delay: string, drop: number): void => {
    const device = new Device({ buffer: `${TH2}, ${PROFILES}`, delay }).hold(2).send(1, 2, TRIGGER)
    expect(device.headroomPeak(1, 3)).toBe(0)
    device.send(1, 2, 100)
    expect(Math.abs(device.headroomPeak(1, 3) - 100)).toBeLessThanOrEqual(MARGIN)
    device.send(1, 2, 1000)
    expect(Math.abs(device.headroomPeak(1, 3) - (drop - TRIGGER))).toBeLessThanOrEqual(MARGIN)
  }
  passes.each(BY_DELAY)('Q7 headroom watermark at %s: 0 until XOFF, then packet by packet, up to the headroom', q7)
  failsWith(
    'Q7',
    'it counts from the first packet on',
    wrong(MemoryManager.prototype, 'headroomUsedBy', (self, _right, port, c) => self.usedBy(port, c)),
    () => q7(...BY_DELAY[0]),
  )

  const q8 = (): void => {
    const device = new Device({ buffer: TH2 }).hold(2).send(1, 2, 2000).send(0, 2, 500, { codepoint: 4 })
    device.block(3).send(1, 3, 300, { codepoint: 8 })
    const seen = [device.queuePeak(2, 3), device.queuePeak(2, 4), device.queuePeak(3, 0)]
    const expected = [2000, 500, 300]
    seen.forEach((cells, i) => expect(Math.abs(cells - expected[i]!)).toBeLessThanOrEqual(MARGIN + 4))
    expect(Math.abs(device.poolPeak('ingress-lossless') - (2500 - 2 * RESERVE + 300))).toBeLessThanOrEqual(
      2 * MARGIN + 2,
    )
    expect(Math.abs(device.poolPeak('egress-lossless') - 2800)).toBeLessThanOrEqual(2 * MARGIN + 2)
  }
  passes('Q8 watermarks of a queue and of the buffer pools: within the margin of what they held', q8)
  failsWith(
    'Q8',
    'a pool counts one packet in a hundred too many',
    wrong(MemoryManager.prototype, 'poolUsedBytes', (_self, right, pool) => 1.01 * Number(right(pool))),
    q8,
  )

  const q9 = (): void => {
    const device = new Device({ buffer: `${TH2}, ${PROFILES}` }).hold(2).send(1, 2, 5000)
    const stored = device.groupCells(1, 3)
    expect(device.ingressDrops(1, 3)).toBe(5000 - stored)
    expect(device.drops.ingress).toBe(device.ingressDrops(1, 3))
    expect(device.bench.counters.losslessDrops).toBe(device.ingressDrops(1, 3))
  }
  passes('Q9 drop counter of a priority group: as many as were dropped, at that group alone', q9)
  failsWith(
    'Q9',
    'a drop counts at the group of another port too',
    wrong(WatchedBuffer.prototype, 'admit', (self, right, port, ...rest) => {
      const verdict = right(port, ...rest)
      if (verdict === REFUSED) self.ingressDrops[((port + 1) << 3) | rest[0]!]!++
      return verdict
    }),
    q9,
  )
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

  const q10 = (): void => {
    const device = new Device({ at: `scheduler: dwrr`, buffer: 'egressAlpha: 128' }).weigh(2, BEFORE).block(2)
    DSCP.forEach((codepoint) => device.send(1, 2, 1500, { codepoint }))
    // The frame in front leaves.
    device.settle(1)
    const first = served(device, BEFORE)
    first.forEach((packets, c) => expect(Math.abs(packets - 10 * BEFORE[c]!)).toBeLessThanOrEqual(15))
    device.weigh(2, AFTER)
    const second = served(device, AFTER)
    second.forEach((packets, c) => expect(Math.abs(packets - 10 * AFTER[c]!)).toBeLessThanOrEqual(30))
  }
  passes(
    'the classes get their weights, and the new ones at once when these change at run time (within 30 of 1000 packets; sonic-mgmt allows 80)',
    q10,
  )
  const used = new WeakSet<Port>()
  failsWith(
    'Q10',
    'weights that change at run time have no effect',
    wrong<Port, readonly [unknown]>(Port.prototype, 'useScheduler', (port, right, scheduler) => {
      if (!used.has(port)) right(scheduler)
      used.add(port)
    }),
    q10,
  )
})

function q13(): void {
  const device = new Device({ at: 'ecn: {classes: [3], kmin: 10KB, kmax: 10KB}' }).hold(2)
  for (let i = 0; i < 300; i++) device.send(1, 2, 1, { ecn: i % 2 === 0 ? ECT_0 : NOT_ECT })
  device.free(2).settle(100)
  const seen = device.bench.arrivals.filter(({ host, kind }) => host === 2 && kind === DATA).map(({ ecn }) => ecn)
  expect(seen.length).toBe(300)
  expect(seen.filter((_, i) => i % 2 === 1).every((ecn) => ecn === NOT_ECT)).toBe(true)
  const capable = seen.filter((_, i) => i % 2 === 0)
  expect(capable.at(0)).toBe(ECT_0)
  expect(capable.slice(100).every((ecn) => ecn === CE)).toBe(true)
}
test('Q13 ECN by DSCP: beyond the threshold only ECN-capable packets are marked; the others pass as they are', q13)
failsWith(
  'Q13',
  'every packet is taken for ECN-capable',
  wrong(Switch.prototype, 'forward', (_self, right, packet, ...rest) => {
    if (INTS[packet | ECN] === NOT_ECT) INTS[packet | ECN] = ECT_0
    right(packet, ...rest)
  }),
  q13,
)

function q14(): void {
  const hosts = 8
  const device = new Device({ hosts })
  const dscps = [8, 0, 5, 3, 4, 46, 48]
  for (let from = 0; from < hosts; from++)
    for (let to = 0; to < hosts; to++)
      for (const codepoint of dscps) if (from !== to) device.send(from, to, 20, { codepoint })
  device.bench.run(device.bench.nowPs + 100 * US)
  const data = device.bench.arrivals.filter(({ kind }) => kind === DATA)
  for (let to = 0; to < hosts; to++)
    for (const dscp of dscps)
      expect(data.filter(({ host, codepoint }) => host === to && codepoint === dscp).length).toBe((hosts - 1) * 20)
  expect([device.drops, device.bench.counters.pauseFrames, device.buffer.usedBytes]).toEqual([
    { ingress: 0, egress: 0 },
    0,
    0,
  ])
}
test(
  'Q14 full mesh: every port sends to every other in all classes; all packets arrive where they should, none is dropped or paused',
  q14,
)
const packets = { sent: 0 }
failsWith(
  'Q14',
  'one packet in a thousand leaves by another port',
  wrong(Switch.prototype, 'pathOf', (self, right, packet) => {
    const out = Number(right(packet))
    return ++packets.sent % 1000 === 0 ? (out % (self.ports.length - 1)) + 1 : out
  }),
  q14,
)
