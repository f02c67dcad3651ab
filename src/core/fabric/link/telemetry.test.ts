import { describe, expect, test } from 'vitest'
import { hopsOf } from '../../../../tests/support/pair-pipe.ts'
import { INTS, Memory } from '../../base/memory.ts'
import { createRandomStreams } from '../../base/random.ts'
import { Mistakes } from '../../../lab/network/mistakes.ts'
import { buildNetwork, type BuiltNetwork } from '../../../lab/network/network-builder.ts'
import { Traffic } from '../../../lab/run/traffic.ts'
import { parseScenario } from '../../../lab/scenario/index.ts'
import { HOP_PORT, HOP_QUEUE, HOP_RATE, HOP_RECORD, HOP_SENT, HOP_TIME, Hops, MOST_HOPS } from '../../transport/hops.ts'
import { ACK, DATA } from '../../transport/segment.ts'
import { SOUND } from './fault.ts'
import { KIND, Packets, PSN, SIZE } from '../packets.ts'
import { Telemetry } from './telemetry.ts'

interface Seen {
  readonly kind: number
  readonly psn: number
  readonly size: number
  readonly ps: number
  readonly hops: readonly (readonly number[])[]
}

/** Runs a scenario and records the packets that arrive at each host, with their telemetry. */
function watched(text: string): { built: BuiltNetwork; at: (host: number, kind: number) => Seen[] } {
  const scenario = parseScenario(`name: watched\n${text}`)
  const random = createRandomStreams(1)
  const traffic = new Traffic(scenario)
  const built = buildNetwork(scenario, random, traffic)
  const { network } = built
  const { telemetry, queue } = network.fabric
  const seen: Seen[][] = network.nics.map(() => [])
  network.nics.forEach(({ port }, host) => {
    port.fault = {
      verdict(packet) {
        const hops = new Hops()
        telemetry?.load(packet, hops)
        seen[host]!.push({
          kind: INTS[packet | KIND]!,
          psn: INTS[packet | PSN]!,
          size: INTS[packet | SIZE]!,
          ps: queue.nowPs,
          hops: Array.from({ length: hops.count }, (_, i) =>
            Array.from(hops.values.slice(i * HOP_RECORD, (i + 1) * HOP_RECORD)),
          ),
        })
        return SOUND
      },
    }
  })
  network.recordTargets()
  traffic.start(built, random, new Mistakes())
  network.advance(Infinity, Infinity)
  return { built, at: (host, kind) => seen[host]!.filter((packet) => packet.kind === kind) }
}

/** A chain of switches, with a host at each end; 40 Gb/s except for one link of 10. */
const chain = (switches: number): string => {
  const links = ['0 2 40Gbps 1us', `1 ${switches + 1} 40Gbps 1us`]
  for (let s = 1; s < switches; s++) links.push(`${s + 1} ${s + 2} ${s === 1 ? 10 : 40}Gbps 1us`)
  return `topology: {kind: graph, nodes: ${switches + 2}, switches: [${Array.from({ length: switches }, (_, s) => s + 2).join(', ')}], links: ${JSON.stringify(links)}}`
}
const EXACT = 'switch: {telemetry: {timeUnit: 1ps, sentUnit: 1B, queueUnit: 1B}}'
const PACKETS = 'workload: [{kind: trace, flows: ["0 1 10KiB 0us op=send"]}]'

describe('the telemetry of a data packet', () => {
  const { built, at } = watched(`${chain(3)}\n${EXACT}\ncongestion: hpcc\n${PACKETS}`)
  const data = at(1, DATA)
  const ports = [
    [2, 3],
    [3, 4],
    [4, 1],
  ].map(([from, to]) => built.network.ports.find((port) => port.node === from && port.peer.node === to)!)

  test('is a record of each switch, in the order of the path', () => {
    expect(data).toHaveLength(10)
    for (const { hops } of data) {
      expect(hops.map((hop) => hop[HOP_PORT])).toEqual(ports.map(({ id }) => id))
      expect(hops.map((hop) => hop[HOP_RATE])).toEqual([10e9, 40e9, 40e9])
    }
  })

  test('has the time when the packet left, to the picosecond', () => {
    const [, , last] = ports
    for (const { hops, ps, size } of data) {
      expect(hops[2]![HOP_TIME]).toBe(ps - last!.delayPs - last!.transmitPs[size]!)
      expect(hops[1]![HOP_TIME]! - hops[0]![HOP_TIME]!).toBe(ports[0]!.transmitPs[size]! + ports[0]!.delayPs)
    }
  })

  test('counts the bytes on the link before it: a busy link reads as full', () => {
    // 1024 of payload, 62 of headers, 42 of telemetry, 20 of preamble and gap.
    expect(data.map(({ hops }) => hops[0]![HOP_SENT])).toEqual(data.map((_, i) => i * 1148))
    for (let i = 1; i < data.length; i++) {
      const [before, now] = [data[i - 1]!.hops[0]!, data[i]!.hops[0]!]
      const rateBps = ((now[HOP_SENT]! - before[HOP_SENT]!) * 8e12) / (now[HOP_TIME]! - before[HOP_TIME]!)
      expect(rateBps / 10e9).toBeCloseTo(1, 12)
    }
  })

  test('has the bytes that are still queued, and only where there is a queue', () => {
    // They come four times as fast as they leave; the last leaves nothing behind.
    expect(Math.max(...data.map(({ hops }) => hops[0]![HOP_QUEUE]!))).toBeGreaterThanOrEqual(6 * 1128)
    expect(data.at(-1)!.hops[0]![HOP_QUEUE]).toBe(0)
    for (const { hops } of data) expect([hops[1]![HOP_QUEUE], hops[2]![HOP_QUEUE]]).toEqual([0, 0])
  })

  test('comes back in the ACK, with room for it in both frames', () => {
    const acks = at(0, ACK)
    expect(acks.map(({ psn, hops }) => [psn, hops])).toEqual(data.map(({ psn, hops }) => [psn, hops]))
    expect(new Set(data.map(({ size }) => size))).toEqual(new Set([1024 + 62 + 42]))
    expect(new Set(acks.map(({ size }) => size))).toEqual(new Set([66 + 42]))
  })
})

test('fields are in whole units', () => {
  const units = 'switch: {telemetry: {timeUnit: 1ns, sentUnit: 256B, queueUnit: 160B}}'
  const [exact, coarse] = [EXACT, units].map((more) =>
    watched(`${chain(3)}\n${more}\ncongestion: {kind: hpcc, maxStage: 0, minRate: 40Gbps}\n${PACKETS}`).at(1, DATA),
  ) as [Seen[], Seen[]]
  const cut = (value: number, unit: number): number => value - (value % unit)
  let changed = 0
  coarse.forEach(({ hops }, packet) => {
    hops.forEach((hop, i) => {
      const [time, sent, queue] = [HOP_TIME, HOP_SENT, HOP_QUEUE].map((field) => exact[packet]!.hops[i]![field]!)
      expect([hop[HOP_TIME], hop[HOP_SENT], hop[HOP_QUEUE]]).toEqual([
        cut(time!, 1000),
        cut(sent!, 256),
        cut(queue!, 160),
      ])
      if (hop[HOP_QUEUE] !== queue) changed++
    })
  })
  expect(changed).toBeGreaterThan(3)
})

test('the header has room for five hops: further ones are not recorded', () => {
  const { at } = watched(`${chain(7)}\ncongestion: hpcc\n${PACKETS}`)
  const counts = at(1, DATA).map(({ hops }) => hops.length)
  expect(counts).toEqual(Array(10).fill(MOST_HOPS))
})

test('packets carry none without a congestion control that needs it', () => {
  const { built, at } = watched(`${chain(3)}\ncongestion: dcqcn\n${PACKETS}`)
  expect(built.network.fabric.telemetry).toBeNull()
  expect(at(1, DATA)[0]!.size).toBe(1086)
})

test('a reused packet record carries none, and there is room for any number of packets', () => {
  const telemetry = new Telemetry({ timeUnitPs: 1, sentUnitBytes: 1, queueUnitBytes: 1, gapBytes: 20 })
  const reported = hopsOf(...[1, 2, 3].map((port) => ({ timePs: port, sentBytes: 7, queueBytes: 5, rateBps: 1, port })))
  const loaded = new Hops()
  const all = new Packets(new Memory())
  const made = Array.from({ length: 5001 }, () => all.alloc())
  const packets = [0, 1, 1023, 1024, 5000].map((index) => made[index]!)
  for (const packet of packets) {
    telemetry.store(packet, reported)
    for (const known of packets.slice(0, packets.indexOf(packet) + 1)) {
      telemetry.load(known, loaded)
      expect(loaded.isSamePath(reported)).toBe(true)
      expect(loaded.values).toEqual(reported.values)
    }
  }
  telemetry.clear(packets[1]!)
  expect(packets.map((packet) => (telemetry.load(packet, loaded), loaded.count))).toEqual([3, 0, 3, 3, 3])
})
