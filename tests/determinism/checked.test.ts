/**
 * The two outputs of the build: with assertions on the path of every packet, which tests and `--check` load, and without
 * them. Both give the same events, and mistakes planted here are caught by the first.
 */
import { readdirSync, readFileSync } from 'node:fs'
import path from 'node:path'
import { pathToFileURL } from 'node:url'
import { describe, expect, test } from 'vitest'
import { Bug, CHECKED } from '../../src/core/base/assert.ts'
import { Memory } from '../../src/core/base/memory.ts'
import { EventQueue } from '../../src/core/engine/event-queue.ts'
import { InputQueuedBuffer } from '../../src/core/fabric/buffer/input-queued.ts'
import { EgressQueues } from '../../src/core/fabric/link/egress-queue.ts'
import { PortRecords } from '../../src/core/fabric/link/port-records.ts'
import { Packets } from '../../src/core/fabric/packets.ts'
import { PairTable } from '../../src/core/fabric/pairs/pair-table.ts'
import { DATA } from '../../src/core/transport/segment.ts'
import { unwrapPsn } from '../../src/core/transport/psn.ts'
import { psnText, unwrapped } from '../../src/live/decode/psn.ts'
import { RoundTripMeter } from '../../src/live/decode/dialogue/round-trips.ts'
import { Spans } from '../../src/live/decode/spans.ts'
import { Exchange, Exchanges } from '../../src/live/cm/exchange.ts'
import { FrameQueue } from '../../src/live/faults/frame-queue.ts'
import { LiveEndpoint } from '../../src/live/peer/endpoint.ts'
import { fabricOfConfigs } from '../../src/doctor/devices/joins/fabric.ts'
import { differencesOf } from '../../src/doctor/devices/series/differences.ts'
import { type DeviceConfig, UNKNOWN, UNKNOWN_PORT, UNKNOWN_SWITCH } from '../../src/core/device-model/index.ts'
import { wilson } from '../../src/doctor/diagnosis/pingmesh/intervals.ts'
import { CompletionQueue } from '../../src/core/verbs/index.ts'
import type * as Library from '../../src/index.ts'

const ROOT = path.resolve(import.meta.dirname, '..', '..')
const SCENARIOS = path.join(ROOT, 'scenarios')
/** All run in the fast program (tests/golden), and those up to this length here. */
const HOPS_MAX = 1_000_000
const known = JSON.parse(readFileSync(path.join(ROOT, 'tests', 'golden', 'digests.json'), 'utf8')) as Record<
  string,
  { readonly digest: string; readonly packetHops: number }
>
const short = Object.entries(known).filter(([, { packetHops }]) => packetHops <= HOPS_MAX)

test('more than half of the scenarios have the same events with assertions as without', async () => {
  expect(short.length).toBeGreaterThan(Object.keys(known).length / 2)
  const { parseScenario, run } = (await import(
    /* @vite-ignore */ pathToFileURL(path.join(ROOT, 'dist-checked', 'index.js')).href
  )) as typeof Library
  const digests = short.map(([name]) => run(parseScenario(readFileSync(path.join(SCENARIOS, name), 'utf8'))).digest)
  expect(digests).toEqual(short.map(([, { digest }]) => digest))
})

test('the fast program has no assertion on the path of a packet', () => {
  const callsOf = (folder: string): number => {
    const files = ['base', 'engine', 'fabric', 'transport'].flatMap((room) =>
      readdirSync(path.join(ROOT, folder, 'core', room), { recursive: true, encoding: 'utf8' })
        .filter((name) => name.endsWith('.js'))
        .map((name) => readFileSync(path.join(ROOT, folder, 'core', room, name), 'utf8')),
    )
    const calls = /^\t{2,}.*\b(?:expectAlive|expectIdle|expectPsn)\(/gm
    return files.reduce((sum, code) => sum + (code.match(calls)?.length ?? 0), 0)
  }
  expect(callsOf('dist')).toBe(0)
  expect(callsOf('dist-checked')).toBeGreaterThan(10)
})

describe('planted mistakes are caught', () => {
  const PORTS = 4
  const packetsWith = () => {
    const memory = new Memory()
    const packets = new Packets(memory)
    return { memory, packets, packet: packets.make(DATA, 0, 1, 1000, 3) }
  }

  test('these tests have all assertions', () => {
    expect(CHECKED).toBe(true)
  })

  test('a packet that is freed twice', () => {
    const { packets, packet } = packetsWith()
    packets.free(packet)
    expect(() => packets.free(packet)).toThrow(Bug)
  })

  test('a packet that is queued after it was freed', () => {
    const { memory, packets, packet } = packetsWith()
    const queues = new EgressQueues(new PortRecords(PORTS, memory), Array<number>(PORTS).fill(1), memory)
    packets.free(packet)
    expect(() => queues.push(0, packet, 3, 0)).toThrow(Bug)
  })

  test('a packet that is freed or scheduled again while it is on the link', () => {
    const { memory, packets, packet } = packetsWith()
    const queue = new EventQueue(memory)
    queue.enterAfter(packet, 100, packet)
    expect(() => queue.enterAfter(packet, 200, packet)).toThrow(Bug)
    expect(() => packets.free(packet)).toThrow(Bug)
    expect(queue.take()).toBe(packet)
    packets.free(packet)
  })

  test('a charge below zero', () => {
    const buffer = new InputQueuedBuffer({ ports: 2, portBytes: 9000, xoffBytes: 8000, xonOffsetBytes: 0 })
    buffer.admit(1, 3, 2, 1000)
    expect(() => buffer.release(1, 3, 2, 1001)).toThrow(Bug)
  })

  test.each([2 ** 24, -1])('a PSN of %i on the wire', (psn) => {
    expect(() => unwrapPsn(psn, 0)).toThrow(Bug)
  })

  test('a queue pair that is released twice, or has fewer than no packets in the network', () => {
    const pairs = new PairTable()
    const [sender, receiver] = [{}, { delivered: {} }]
    pairs.add({ id: 0, isOneShot: true, inNetwork: 0, sender, receiver, release() {} } as never)
    const [pair] = [...pairs]
    pairs.release(pair!)
    expect(() => pairs.release(pair!)).toThrow(Bug)
    pairs.add({ id: 1, inNetwork: 0 } as never)
    expect(() => pairs.addPackets(2, -1)).toThrow(Bug)
  })
})

describe('planted mistakes are caught in captures, live ends and fabrics of files', () => {
  test.each([2 ** 24, -1])('a PSN of %i in a capture', (psn) => {
    expect(() => unwrapped(psn, null)).toThrow(Bug)
    expect(() => psnText(psn)).toThrow(Bug)
  })

  test('a round trip of a PSN that goes back', () => {
    const meter = new RoundTripMeter({ intervals: 8, requests: 16, sights: 1 })
    meter.asked(7, 100)
    expect(() => meter.asked(7, 200)).toThrow(Bug)
  })

  test('intervals of PSNs stay apart, also where nothing is taken away', () => {
    const spans = new Spans()
    spans.add(10, 20)
    spans.remove(15, 15)
    expect(spans.endAt(12)).toBe(20)
    expect(() => spans.add(NaN, 30)).toThrow(Bug)
  })

  test('a connection that is made after its end, or has the ID of another', () => {
    const peer = { ip: Uint8Array.of(10, 0, 0, 1), port: 4791 }
    const request = { kind: 'REQ', localId: 5, qp: 17, transactionId: 1n } as never
    const exchange = new Exchange({ localId: 3, peer, port: 80 }, request, null)
    const all = new Exchanges()
    all.add(exchange)
    expect(() => all.add(exchange)).toThrow(Bug)
    exchange.state = 'replied'
    exchange.state = 'closed'
    expect(() => (exchange.state = 'connected')).toThrow(Bug)
    expect(() => all.wait(exchange)).toThrow(Bug)
  })

  test('a frame that waits behind none', () => {
    expect(() => new FrameQueue().hold(new Uint8Array(64), 0, 1e9)).toThrow(Bug)
  })

  test('a queue pair of a live end that is destroyed twice', () => {
    let next = 16
    const endpoint = new LiveEndpoint({ mac: 2, ip4: Uint8Array.of(10, 0, 0, 1), ip6: null, draw: () => next++ })
    const domain = endpoint.device.allocateDomain()
    const queues = { sendCompletions: new CompletionQueue(4), receiveCompletions: new CompletionQueue(4) }
    const live = endpoint.createPair({ domain, ...queues, sendDepth: 4, receiveDepth: 4 })!
    endpoint.destroyPair(live)
    expect(() => endpoint.destroyPair(live)).toThrow(Bug)
  })

  const set = <T>(value: T) => ({ state: 'set', value }) as const
  test.each([
    ['7 classes', { classes: UNKNOWN_PORT.classes.slice(1) }],
    ['a map of 63 DSCPs', { dscpToClass: UNKNOWN_PORT.dscpToClass.slice(1) }],
    ['a DSCP of class 8', { dscpToClass: UNKNOWN_PORT.dscpToClass.map(() => set(8)) }],
    ['classes that descend', { pfcClasses: set([4, 3]) }],
    ['a share above 1', { classes: UNKNOWN_PORT.classes.map((one) => ({ ...one, pmaxRatio: set(1.5) })) }],
  ])('a fabric with %s at a port', (_name, settings) => {
    const port = { name: 'Ethernet0', role: 'port', peer: UNKNOWN, settings: { ...UNKNOWN_PORT, ...settings } }
    const config = { device: 'leaf', kind: 'switch', language: '', role: '', settings: UNKNOWN_SWITCH, ports: [port] }
    expect(() => fabricOfConfigs([config as DeviceConfig], [])).toThrow(Bug)
  })

  test('readings whose time stands still, and more hits than trials', () => {
    expect(() => differencesOf(new Map([['x', { bits: 64, timesNs: [1, 1], values: [5, 6] }]]))).toThrow(Bug)
    expect(() => wilson(3, 2)).toThrow(Bug)
  })
})
