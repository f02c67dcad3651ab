/**
 * Conformance of the PFC watchdog: actions, several ports and queues, changes during a storm.
 * Source of the cases and their pass criteria: sonic-mgmt, tests/pfcwd. Link rates scaled down, timers of the field.
 */
import { describe, expect, test } from 'vitest'
import { MS } from '../../src/base/params.ts'
import { parseScenario } from '../../src/scenario/index.ts'
import { type StreamText, Tester, type TesterText } from './bench-watchdog.ts'

const [DETECTION, RESTORATION, POLL] = [200 * MS, 200 * MS, 100 * MS]
const [FROM, TO] = [150 * MS, 850 * MS]
/** When a storm of this span is detected, and when its classes are restored, at the latest. */
const DETECTED = FROM + DETECTION + POLL
const RESTORED = TO + RESTORATION + POLL
const END = RESTORED + 200 * MS

const SIX = 'kind: star, hosts: 6, linkRate: 100Mbps, linkDelay: 1us'

interface Given extends TesterText {
  readonly action?: string
  readonly rule?: string
  readonly more?: string
  readonly streams: readonly StreamText[]
}

/** A tester with a watchdog of the field's times and two lossless classes. */
function tester({ action = 'drop', rule = 'broadcom', more = '', streams, ...others }: Given): Tester {
  const times = 'detectionTime: 200ms, restorationTime: 200ms, pollInterval: 100ms'
  const watchdog = `switch: {watchdog: {kind: ${rule}, ${times}, action: ${action}}}`
  const made = new Tester({ text: `${watchdog}\npfc: {classes: [3, 4]}\n${more}`, ...others })
  for (const text of streams) made.stream(text)
  return made
}

/** Frames of a stream that should arrive in a span, within a frame at either end. */
function expectAll(made: Tester, index: number, fromPs: number, toPs: number): void {
  const stream = made.streams[index]!
  expect(Math.abs(stream.receivedIn(fromPs, toPs) - stream.offeredIn(fromPs, toPs))).toBeLessThanOrEqual(2)
}

/** As above, where packets that had waited may arrive beside those that are offered. */
function expectAtLeastAll(made: Tester, index: number, fromPs: number, toPs: number): void {
  const stream = made.streams[index]!
  expect(stream.receivedIn(fromPs, toPs)).toBeGreaterThanOrEqual(stream.offeredIn(fromPs, toPs) - 2)
}

function expectNone(made: Tester, index: number, fromPs: number, toPs: number): void {
  expect(made.streams[index]!.receivedIn(fromPs, toPs)).toBe(0)
}

describe('W1 storms of one priority or of all', () => {
  const streams = [3, 4].map((trafficClass) => ({ from: 0, to: 1, trafficClass, load: 0.2 }))

  test.each([
    ['3', [3]],
    ['4', [4]],
    ['3 and 4', [3, 4]],
  ])(
    'priority %s: a storm of more than Tdetect + Tpoll is detected, all its packets are dropped, and after Trestore + Tpoll all arrive again',
    (_name, stormed) => {
      const made = tester({ streams })
      const classes = stormed.reduce((bits, c) => bits | (1 << c), 0)
      made.storm({ host: 1, fromPs: FROM, toPs: TO, classes })
      made.run(END)
      expect(made.eventsOf(1, 'storm').map(({ trafficClass }) => trafficClass)).toEqual(stormed)
      expect(made.eventsOf(1, 'restore').map(({ trafficClass }) => trafficClass)).toEqual(stormed)
      for (const [index, trafficClass] of [3, 4].entries()) {
        const isStormed = stormed.includes(trafficClass)
        const stream = made.streams[index]!
        if (isStormed) expectNone(made, index, DETECTED, TO)
        else expectAll(made, index, DETECTED, TO)
        expect(stream.lost.has('watchdog')).toBe(isStormed)
        expectAll(made, index, RESTORED + 1 * MS, END)
      }
    },
  )

  test('a storm shorter than Tdetect is not detected, and no packet is lost', () => {
    const made = tester({ streams })
    made.storm({ host: 1, fromPs: FROM, toPs: FROM + DETECTION - 1 * MS })
    made.run(END)
    expect([made.events, made.streams.map(({ lostFrames }) => lostFrames)]).toEqual([[], [0, 0]])
  })
})

/** 90 % of the load in the stormed class and 10 % in a lossy one. */
const MIX = [
  { from: 0, to: 1, trafficClass: 3, load: 0.81 },
  { from: 0, to: 1, trafficClass: 1, load: 0.09 },
]

test('W2 drop, 90/10 mix: lossless packets are dropped to the last one, no pause is sent upstream, and lossy packets all arrive', () => {
  const made = tester({ streams: MIX })
  made.storm({ host: 1, fromPs: FROM, toPs: TO })
  made.run(DETECTED)
  const upstream = made.portTo(0).stats!
  const pausesBefore = upstream.pfcTxPauses[3]
  const { sent } = made.streams[0]!
  made.run(TO)
  const [row] = made.built.watchdogs.at(made.hub.node)!.rows
  // Upstream had been paused until the queue was discarded.
  expect(pausesBefore).toBeGreaterThan(0)
  expect(upstream.pfcTxPauses[3]).toBe(pausesBefore)
  expect(made.streams[0]!.sent - sent).toBeCloseTo(made.streams[0]!.offeredIn(DETECTED, TO), -1)
  expect(made.streams[0]!.receivedIn(DETECTED, TO)).toBe(0)
  expectAll(made, 1, FROM, TO)
  expect([row!.txOk, row!.txDropped]).toEqual([0, made.streams[0]!.lost.get('watchdog')])
  made.run(END)
  expectAll(made, 0, RESTORED + 1 * MS, END)
})

test('W2 drop: lossless packets from the stormed port are dropped, too, and its lossy ones arrive', () => {
  const streams = [
    ...MIX,
    { from: 1, to: 2, trafficClass: 3, load: 0.3 },
    { from: 1, to: 2, trafficClass: 1, load: 0.3 },
  ]
  const made = tester({ streams })
  made.storm({ host: 1, fromPs: FROM, toPs: TO })
  made.run(TO)
  expect(made.streams[2]!.receivedIn(DETECTED, TO)).toBe(0)
  expectAll(made, 3, FROM, TO)
  const [row] = made.built.watchdogs.at(made.hub.node)!.rows
  expect([row!.rxOk, row!.rxDropped]).toEqual([0, made.streams[2]!.lost.get('watchdog')])
})

test('W3 forward: pauses are ignored, all packets arrive, and no pause is sent upstream', () => {
  const made = tester({ action: 'forward', streams: MIX })
  made.storm({ host: 1, fromPs: FROM, toPs: TO })
  made.run(DETECTED + 100 * MS)
  const pausesBefore = made.portTo(0).stats!.pfcTxPauses[3]
  made.run(END)
  expect(made.portTo(0).stats!.pfcTxPauses[3]).toBe(pausesBefore)
  expectAtLeastAll(made, 0, DETECTED + 100 * MS, END)
  expectAll(made, 1, FROM, END)
  expect(made.streams.map(({ lostFrames }) => lostFrames)).toEqual([0, 0])
  expect(made.events.map(({ event }) => event)).toEqual(['storm', 'restore'])
})

test('W4 alert: the storm is reported, packets wait and none is lost; it is over as soon as the condition fails', () => {
  const made = tester({ action: 'alert', streams: MIX })
  made.storm({ host: 1, fromPs: FROM, toPs: TO })
  made.run(END)
  expect(made.streams[0]!.receivedIn(FROM + 1 * MS, TO)).toBe(0)
  expect(made.streams.map(({ lostFrames }) => lostFrames)).toEqual([0, 0])
  expect(made.events.map(({ event }) => event)).toEqual(['storm', 'restore'])
  expect(made.events[1]!.ps).toBeLessThanOrEqual(TO + POLL)
  expectAtLeastAll(made, 0, RESTORED, END)
})

test('W6 storm on all ports: at least 75 % of the ports detect it, and all of these are restored', () => {
  const hosts = [0, 1, 2, 3, 4, 5]
  const made = tester({ topology: SIX, streams: hosts.map((from) => ({ from, to: (from + 1) % 6, load: 0.3 })) })
  for (const host of hosts) made.storm({ host, fromPs: FROM, toPs: TO })
  made.run(END)
  const stormed = hosts.filter((host) => made.eventsOf(host, 'storm').length === 1)
  expect(stormed.length).toBeGreaterThanOrEqual(0.75 * 6)
  for (const host of stormed) expect(made.eventsOf(host, 'restore')).toHaveLength(1)
  for (const index of hosts) expectAll(made, index, RESTORED + 10 * MS, END)
})

describe('W7 two ports in turn', () => {
  test.each([
    ['the same queue', 3],
    ['another queue', 4],
  ])('%s: each port is detected and restored by itself', (_name, second) => {
    const streams = [
      { from: 0, to: 1, trafficClass: 3, load: 0.2 },
      { from: 0, to: 2, trafficClass: second, load: 0.2 },
    ]
    const made = tester({ streams })
    made.storm({ host: 1, fromPs: FROM, toPs: TO, classes: 1 << 3 })
    made.storm({ host: 2, fromPs: FROM + 400 * MS, toPs: TO + 400 * MS, classes: 1 << second })
    made.run(END + 400 * MS)
    expect(made.events.map(({ event, trafficClass }) => `${event} ${trafficClass}`)).toEqual([
      'storm 3',
      `storm ${second}`,
      'restore 3',
      `restore ${second}`,
    ])
    expect(made.eventsOf(1, 'restore')[0]!.ps).toBeLessThanOrEqual(RESTORED)
    expectAll(made, 0, RESTORED + 1 * MS, END)
    expectAll(made, 1, RESTORED + 401 * MS, END + 400 * MS)
  })
})

test('W8 a buffer threshold changes during a storm: the storm is restored in time, and all packets arrive again', () => {
  const more = 'changes: [{path: switch.buffer.alpha, value: 1/64, at: 600ms}]'
  const made = tester({ more, streams: MIX })
  made.storm({ host: 1, fromPs: FROM, toPs: TO })
  made.run(END)
  expect(made.events.map(({ event }) => event)).toEqual(['storm', 'restore'])
  expect(made.events[1]!.ps).toBeLessThanOrEqual(RESTORED)
  expectAll(made, 0, RESTORED + 1 * MS, END)
})

test('W9 the port goes down and comes up during a storm: restored in time, and all packets arrive again', () => {
  const more = 'faults: [{kind: link-down, links: host 1, down: 500ms, up: 600ms}]'
  const made = tester({ more, streams: MIX })
  made.storm({ host: 1, fromPs: FROM, toPs: TO })
  made.run(END)
  expect(made.eventsOf(1, 'storm')).toHaveLength(1)
  expect(made.eventsOf(1, 'restore')[0]!.ps).toBeLessThanOrEqual(RESTORED)
  expectAll(made, 0, RESTORED + 1 * MS, END)
  expectAll(made, 1, RESTORED + 1 * MS, END)
})

test('W10 a storm while the port is fully loaded in both directions: detected in time, other ports lose nothing meanwhile', () => {
  const streams = [
    { from: 0, to: 1, load: 1 },
    { from: 1, to: 0, load: 1 },
    { from: 2, to: 0, trafficClass: 4, load: 0.4 },
  ]
  const made = tester({ streams })
  made.storm({ host: 1, fromPs: FROM, toPs: TO })
  made.run(END)
  const [stormed] = made.eventsOf(1, 'storm')
  expect(stormed!.ps).toBeLessThanOrEqual(DETECTED)
  expect(stormed!.ps).toBeGreaterThanOrEqual(FROM + DETECTION)
  expectAll(made, 2, DETECTED + 20 * MS, TO)
  expect(made.streams[2]!.lostFrames).toBe(0)
})

describe('W12 configuration', () => {
  const given = (text: string) => () =>
    parseScenario(`
name: w12
topology: {kind: star, hosts: 2}
workload: [{kind: permutation, messageSize: 1KB, messages: 1}]
switch: {watchdog: {kind: broadcom, ${text}}}`)

  test.each([
    ['action: explode', 'drop, forward or alert'],
    ['detectionTime: 100ms, pollInterval: 150ms', 'detectionTime: expected at least pollInterval'],
    ['restorationTime: 100ms, pollInterval: 150ms', 'restorationTime: expected at least pollInterval'],
    ['pollInterval: 0', 'pollInterval'],
    ['detectionTime: soon', 'detectionTime'],
    ['detectiontime: 200ms', 'detectionTime'],
    ['ports: some', 'hosts, fabric or all'],
  ])('%s is refused with one message', (text, message) => {
    expect(given(text)).toThrow(message)
    expect(given(text)).toThrow(expect.objectContaining({ issues: expect.objectContaining({ length: 1 }) as unknown }))
  })

  test('an action that the platform lacks is refused', () => {
    const text = (action: string) => () =>
      parseScenario(`
name: w12
topology: {kind: star, hosts: 2}
workload: [{kind: permutation, messageSize: 1KB, messages: 1}]
switch: {watchdog: {kind: cisco, action: ${action}}}`)
    expect(text('forward')).toThrow('drop or alert with cisco')
    expect(text('drop')).not.toThrow()
  })
})

test('W13 the watchdog restarts during a storm: classes are in service until it is detected anew, then restored in time', () => {
  const more = `changes:
  - {path: switch.watchdog, value: "off", at: 500ms}
  - {path: switch.watchdog, value: {kind: broadcom, detectionTime: 100ms, restorationTime: 200ms, pollInterval: 100ms}, at: 510ms}`
  const made = tester({ more, streams: MIX })
  made.storm({ host: 1, fromPs: FROM, toPs: TO })
  made.run(END)
  expect(made.events.map(({ event }) => event)).toEqual(['storm', 'stop', 'storm', 'restore'])
  const [, stop, again, restore] = made.events
  expect(stop!.ps).toBe(500 * MS)
  expect(again!.ps - 510 * MS).toBeLessThanOrEqual(3 * POLL)
  expect(restore!.ps).toBeLessThanOrEqual(RESTORED)
  expectAll(made, 0, RESTORED + 1 * MS, END)
})

describe('W14 bursts of storms', () => {
  const burst = (stormMs: number, calmMs: number): Tester => {
    const made = tester({ streams: MIX })
    for (let i = 0; i < 4; i++) {
      const fromPs = (100 + i * (stormMs + calmMs)) * MS
      made.storm({ host: 1, fromPs, toPs: fromPs + stormMs * MS })
    }
    return made.run((100 + 4 * (stormMs + calmMs) + 400) * MS)
  }

  test('each shorter than Tdetect: none is detected and nothing is lost, however many there are', () => {
    const made = burst(180, 20)
    expect([made.events, made.streams[0]!.lostFrames]).toEqual([[], 0])
  })

  test('longer than Tdetect + Tpoll, further apart than Trestore + Tpoll: each is detected and restored', () => {
    const made = burst(350, 350)
    expect(made.events.map(({ event }) => event)).toEqual(Array.from({ length: 4 }, () => ['storm', 'restore']).flat())
  })

  test('further apart than a poll, but less than Trestore: one storm, restored after the last', () => {
    const made = burst(350, 150)
    expect(made.events.map(({ event }) => event)).toEqual(['storm', 'restore'])
  })
})

describe('W15 traffic patterns: the class of the stormed port is dropped and restored, the other receivers get all their packets', () => {
  const pattern = (name: string, pairs: readonly (readonly [number, number])[], load: number) =>
    [name, pairs.map(([from, to]) => ({ from, to, load }))] as const
  const all = [0, 1, 2, 3, 4, 5]
  test.each([
    pattern(
      'two senders, two receivers',
      [
        [0, 2],
        [0, 3],
        [1, 2],
        [1, 3],
      ],
      0.2,
    ),
    pattern(
      'all to all',
      all.flatMap((from) => all.flatMap((to) => (from === to ? [] : [[from, to] as const]))),
      0.1,
    ),
    pattern(
      'many to one',
      [
        [0, 2],
        [1, 2],
        [3, 2],
        [4, 2],
        [0, 5],
        [1, 5],
      ],
      0.2,
    ),
  ])('%s', (_name, streams) => {
    const made = tester({ topology: SIX, streams })
    made.storm({ host: 2, fromPs: FROM, toPs: TO })
    made.run(END)
    expect(made.events.map(({ event }) => event)).toEqual(['storm', 'restore'])
    made.streams.forEach(({ text }, index) => {
      const isStormed = text.to === 2 || text.from === 2
      if (isStormed) expectNone(made, index, DETECTED, TO)
      else expectAll(made, index, DETECTED + 10 * MS, TO)
      expectAll(made, index, RESTORED + 10 * MS, END)
    })
  })
})
