/**
 * Conformance of the PFC watchdog: actions, several ports and queues, changes during a storm.
 * Source of the cases and their pass criteria: sonic-mgmt, tests/pfcwd. Link rates scaled down, timers of the field.
 */
import { describe, expect, test } from 'vitest'
import { MS } from '../../src/core/base/params.ts'
import { Port } from '../../src/core/fabric/link/port.ts'
import { PortGuard } from '../../src/core/fabric/switch/watchdog/watchdog.ts'
import { Watchdog } from '../../src/core/fabric/switch/watchdog/watchdog.ts'
import { Watched } from '../../src/core/fabric/switch/watchdog/watched.ts'
import { parseScenario } from '../../src/lab/scenario/index.ts'
import { watchdogTimes } from '../../src/lab/scenario/rules/rules.ts'
import { type StreamText, Tester, type TesterText } from './bench-watchdog.ts'
import { failsWith, type Fault, passes, wrong } from '../support/planted.ts'

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

// Planted faults.

/** A port drops other classes than those of its storm. */
const blocking = (change: (classes: number) => number): Fault =>
  wrong(Port.prototype, 'block', (_port, right, classes) => right(classes === 0 ? 0 : change(classes)))
/** The port of host 0 is treated as the stormed one. */
const blocksAnother = wrong(Port.prototype, 'block', (port, right, classes) => {
  right(port.index === 1 && classes !== 0 ? 0xff : classes)
  if (port.index !== 1) port.at!.ports[1]!.block(classes)
})
const neverQuiet = wrong(Watched.prototype, 'isQuiet', () => false)

/** A countdown of detection that goes on where it was, though a poll disagreed. */
const notReloaded = wrong<Watchdog, readonly [Watched, ...unknown[]]>(
  Watchdog.prototype,
  'look',
  (_dog, right, unit, ...rest) => {
    const { leftPs, isStormed } = unit
    right(unit, ...rest)
    if (!isStormed && !unit.isStormed) unit.leftPs = Math.min(unit.leftPs, leftPs)
  },
)
/** The countdowns of classes in service, or out of service, end at the first poll that agrees. */
const atOnce = (stormed: boolean): Fault =>
  wrong<Watchdog, readonly [Watched, ...unknown[]]>(Watchdog.prototype, 'look', (_dog, right, unit, ...rest) => {
    if (unit.isStormed === stormed) unit.leftPs = 0
    right(unit, ...rest)
  })

describe('W1 storms of one priority or of all', () => {
  const streams = [3, 4].map((trafficClass) => ({ from: 0, to: 1, trafficClass, load: 0.2 }))

  const w1 = (_name: string, stormed: readonly number[]): void => {
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
  }
  passes.each([
    ['3', [3]],
    ['4', [4]],
    ['3 and 4', [3, 4]],
  ] as const)(
    'priority %s: a storm of more than Tdetect + Tpoll is detected, all its packets are dropped, and after Trestore + Tpoll all arrive again',
    w1,
  )
  failsWith(
    'W1',
    'packets of the class that come later are not dropped',
    blocking(() => 0),
    () => w1('3', [3]),
  )
  failsWith(
    'W1',
    'other classes are dropped, too',
    blocking(() => 0xff),
    () => w1('3', [3]),
  )

  const w1Short = (): void => {
    const made = tester({ streams })
    made.storm({ host: 1, fromPs: FROM, toPs: FROM + DETECTION - 1 * MS })
    made.run(END)
    expect([made.events, made.streams.map(({ lostFrames }) => lostFrames)]).toEqual([[], [0, 0]])
  }
  passes('a storm shorter than Tdetect is not detected, and no packet is lost', w1Short)
  failsWith('W1', 'one poll makes a storm', atOnce(false), w1Short)
})

/** 90 % of the load in the stormed class and 10 % in a lossy one. */
const MIX = [
  { from: 0, to: 1, trafficClass: 3, load: 0.81 },
  { from: 0, to: 1, trafficClass: 1, load: 0.09 },
]

function w2(): void {
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
}
test(
  'W2 drop, 90/10 mix: lossless packets are dropped to the last one, no pause is sent upstream, and lossy packets all arrive',
  w2,
)
failsWith(
  'W2',
  'lossy packets are dropped, too',
  blocking(() => 0xff),
  w2,
)

function w2From(): void {
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
}
test('W2 drop: lossless packets from the stormed port are dropped, too, and its lossy ones arrive', w2From)
failsWith(
  'W2',
  'packets from the stormed port pass',
  wrong(PortGuard.prototype, 'takes', () => false),
  w2From,
)

function w3(): void {
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
}
test('W3 forward: pauses are ignored, all packets arrive, and no pause is sent upstream', w3)
failsWith(
  'W3',
  'the port goes on to obey',
  wrong(Port.prototype, 'suspendPfc', () => {}),
  w3,
)

function w4(): void {
  const made = tester({ action: 'alert', streams: MIX })
  made.storm({ host: 1, fromPs: FROM, toPs: TO })
  made.run(END)
  expect(made.streams[0]!.receivedIn(FROM + 1 * MS, TO)).toBe(0)
  expect(made.streams.map(({ lostFrames }) => lostFrames)).toEqual([0, 0])
  expect(made.events.map(({ event }) => event)).toEqual(['storm', 'restore'])
  expect(made.events[1]!.ps).toBeLessThanOrEqual(TO + POLL)
  expectAtLeastAll(made, 0, RESTORED, END)
}
test('W4 alert: the storm is reported, packets wait and none is lost; it is over as soon as the condition fails', w4)
failsWith(
  'W4',
  'an alert takes the class out of service',
  wrong<Watchdog, readonly [Watched]>(Watchdog.prototype, 'begin', (dog, right, unit) => {
    right(unit)
    Reflect.apply(Reflect.get(dog, 'enforce'), dog, [unit.port])
  }),
  w4,
)

function w6(): void {
  const hosts = [0, 1, 2, 3, 4, 5]
  const made = tester({ topology: SIX, streams: hosts.map((from) => ({ from, to: (from + 1) % 6, load: 0.3 })) })
  for (const host of hosts) made.storm({ host, fromPs: FROM, toPs: TO })
  made.run(END)
  const stormed = hosts.filter((host) => made.eventsOf(host, 'storm').length === 1)
  expect(stormed.length).toBeGreaterThanOrEqual(0.75 * 6)
  for (const host of stormed) expect(made.eventsOf(host, 'restore')).toHaveLength(1)
  for (const index of hosts) expectAll(made, index, RESTORED + 10 * MS, END)
}
test('W6 storm on all ports: at least 75 % of the ports detect it, and all of these are restored', w6)
failsWith(
  'W6',
  'every other port is not polled',
  wrong(Watched.prototype, 'read', (unit, right, nowPs) => right(nowPs) === true && unit.port.index % 2 === 0),
  w6,
)
failsWith('W6', 'a storm does not end', neverQuiet, w6)

describe('W7 two ports in turn', () => {
  const w7 = (_name: string, second: number): void => {
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
  }
  passes.each([
    ['the same queue', 3],
    ['another queue', 4],
  ])('%s: each port is detected and restored by itself', w7)
  failsWith(
    'W7',
    'a class is out of service on all ports while it is on one',
    wrong(Watchdog.prototype, 'stormed', (dog) => {
      const watched: Watched[] = Reflect.get(dog, 'watched')
      return watched.reduce((classes, unit) => classes | unit.stormed, 0)
    }),
    () => w7('the same queue', 3),
  )
})

function w8(): void {
  const more = 'changes: [{path: switch.buffer.alpha, value: 1/64, at: 600ms}]'
  const made = tester({ more, streams: MIX })
  made.storm({ host: 1, fromPs: FROM, toPs: TO })
  made.run(END)
  expect(made.events.map(({ event }) => event)).toEqual(['storm', 'restore'])
  expect(made.events[1]!.ps).toBeLessThanOrEqual(RESTORED)
  expectAll(made, 0, RESTORED + 1 * MS, END)
}
test('W8 a buffer threshold changes during a storm: the storm is restored in time, and all packets arrive again', w8)
failsWith('W8', 'the storm does not end', neverQuiet, w8)

function w9(): void {
  const more = 'faults: [{kind: link-down, links: host 1, down: 500ms, up: 600ms}]'
  const made = tester({ more, streams: MIX })
  made.storm({ host: 1, fromPs: FROM, toPs: TO })
  made.run(END)
  expect(made.eventsOf(1, 'storm')).toHaveLength(1)
  expect(made.eventsOf(1, 'restore')[0]!.ps).toBeLessThanOrEqual(RESTORED)
  // Its class stays out of service with the link.
  expectNone(made, 0, 500 * MS, TO)
  expectAll(made, 0, RESTORED + 1 * MS, END)
  expectAll(made, 1, RESTORED + 1 * MS, END)
}
test('W9 the port goes down and comes up during a storm: restored in time, and all packets arrive again', w9)
failsWith(
  'W9',
  'the link stays down',
  wrong(Port.prototype, 'restore', () => {}),
  w9,
)
failsWith(
  'W9',
  'a link that comes up takes the class into service at once',
  wrong(Port.prototype, 'restore', (port, right) => {
    right()
    port.block(0)
  }),
  w9,
)

function w10(): void {
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
}
test(
  'W10 a storm while the port is fully loaded in both directions: detected in time, other ports lose nothing meanwhile',
  w10,
)
failsWith('W10', 'the port of another host loses its classes', blocksAnother, w10)

describe('W12 configuration', () => {
  const given = (text: string) => () =>
    parseScenario(`
name: w12
topology: {kind: star, hosts: 2}
workload: [{kind: permutation, messageSize: 1KB, messages: 1}]
switch: {watchdog: {kind: broadcom, ${text}}}`)

  const w12 = (text: string, message: string): void => {
    expect(given(text)).toThrow(message)
    expect(given(text)).toThrow(expect.objectContaining({ issues: expect.objectContaining({ length: 1 }) as unknown }))
  }
  passes.each([
    ['action: explode', 'drop, forward or alert'],
    ['detectionTime: 100ms, pollInterval: 150ms', 'detectionTime: expected at least pollInterval'],
    ['restorationTime: 100ms, pollInterval: 150ms', 'restorationTime: expected at least pollInterval'],
    ['pollInterval: 0', 'pollInterval'],
    ['detectionTime: soon', 'detectionTime'],
    ['detectiontime: 200ms', 'detectionTime'],
    ['ports: some', 'hosts, fabric or all'],
  ])('%s is refused with one message', w12)

  const w12Lacks = (): void => {
    const text = (action: string) => () =>
      parseScenario(`
name: w12
topology: {kind: star, hosts: 2}
workload: [{kind: permutation, messageSize: 1KB, messages: 1}]
switch: {watchdog: {kind: cisco, action: ${action}}}`)
    expect(text('forward')).toThrow('drop or alert with cisco')
    expect(text('drop')).not.toThrow()
  }
  passes('an action that the platform lacks is refused', w12Lacks)

  const unchecked = wrong<object, readonly unknown[]>(watchdogTimes, 'check', () => [])
  failsWith('W12', 'times are not compared with the poll', unchecked, () =>
    w12('detectionTime: 100ms, pollInterval: 150ms', 'detectionTime: expected at least pollInterval'),
  )
  failsWith('W12', 'actions are not compared with the platform', unchecked, w12Lacks)
})

function w13(): void {
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
}
test(
  'W13 the watchdog restarts during a storm: classes are in service until it is detected anew, then restored in time',
  w13,
)
failsWith(
  'W13',
  'one that is turned off goes on',
  wrong<Watchdog, readonly [object | null]>(Watchdog.prototype, 'configure', (_dog, right, options) =>
    options === null ? undefined : right(options),
  ),
  w13,
)

describe('W14 bursts of storms', () => {
  /** The phase of the polls follows from the seed. */
  const SEEDS = [1, 2, 3, 4, 5, 6, 7, 8, 9, 10]
  /** Four storms; the times at which they begin. */
  const burst = (stormMs: number, calmMs: number, seed: number): readonly [Tester, readonly number[]] => {
    const made = tester({ streams: MIX, seed })
    const beginsPs = [0, 1, 2, 3].map((i) => (100 + i * (stormMs + calmMs)) * MS)
    for (const fromPs of beginsPs) made.storm({ host: 1, fromPs, toPs: fromPs + stormMs * MS })
    return [made.run((100 + 4 * (stormMs + calmMs) + 400) * MS), beginsPs]
  }
  const ofAll = (check: (seed: number) => void): void => SEEDS.forEach(check)

  const w14Short = (seed: number): void => {
    const [made] = burst(180, 20, seed)
    expect([made.events, made.streams[0]!.lostFrames]).toEqual([[], 0])
  }
  passes.each(SEEDS)(
    'each shorter than Tdetect: none is detected and nothing is lost, however many there are (phase %i)',
    w14Short,
  )
  failsWith('W14', 'a poll without the condition leaves the countdown as it is', notReloaded, () => ofAll(w14Short))

  const w14Long = (seed: number): void => {
    const [made, beginsPs] = burst(350, 350, seed)
    expect(made.events.map(({ event }) => event)).toEqual(Array.from({ length: 4 }, () => ['storm', 'restore']).flat())
    made.eventsOf(1, 'storm').forEach(({ ps }, i) => {
      expect(ps - beginsPs[i]!).toBeGreaterThan(DETECTION)
      expect(ps - beginsPs[i]!).toBeLessThanOrEqual(DETECTION + POLL)
    })
  }
  passes.each(SEEDS)(
    'longer than Tdetect + Tpoll, further apart than Trestore + Tpoll: each is detected in its time and restored (phase %i)',
    w14Long,
  )
  failsWith('W14', 'one poll makes a storm', atOnce(false), () => w14Long(1))

  const w14Joined = (seed: number): void => {
    const [made] = burst(350, 150, seed)
    expect(made.events.map(({ event }) => event)).toEqual(['storm', 'restore'])
  }
  passes.each(SEEDS)(
    'further apart than a poll, but less than Trestore: one storm, restored after the last (phase %i)',
    w14Joined,
  )
  failsWith('W14', 'one quiet poll ends a storm', atOnce(true), () => ofAll(w14Joined))
})

describe('W15 traffic patterns: the class of the stormed port is dropped and restored, the other receivers get all their packets', () => {
  const pattern = (name: string, pairs: readonly (readonly [number, number])[], load: number) =>
    [name, pairs.map(([from, to]) => ({ from, to, load }))] as const
  const all = [0, 1, 2, 3, 4, 5]
  const patterns = [
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
  ]
  const w15 = (_name: string, streams: readonly StreamText[]): void => {
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
  }
  passes.each(patterns)('%s', w15)
  failsWith('W15', 'the port of another host loses its classes', blocksAnother, () => w15(...patterns[1]!))
})
