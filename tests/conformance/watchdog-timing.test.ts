/**
 * Conformance of the PFC watchdog's timers: storms from a tester's port, timers of the field, link rates scaled down.
 * Source of the cases and their pass criteria: sonic-mgmt, tests/pfcwd.
 */
import { describe, expect, test } from 'vitest'
import { MS } from '../../src/core/base/params.ts'
import { watchdogRules } from '../../src/core/fabric/switch/watchdog/rules.ts'
import type { Readings } from '../../src/core/fabric/switch/watchdog/rule.ts'
import { Watched } from '../../src/core/fabric/switch/watchdog/watched.ts'
import { Watchdog } from '../../src/core/fabric/switch/watchdog/watchdog.ts'
import { Tester } from './bench-watchdog.ts'
import { failsWith, type Fault, passes, wrong } from '../support/planted.ts'

const TIMES = 'detectionTime: 400ms, restorationTime: 400ms, pollInterval: 100ms'
const [DETECTION, RESTORATION, POLL] = [400, 400, 100]

/** A storm at host 1, which host 0 sends to: milliseconds from its start to the detection, and from its end to the restoration. */
function storm(rule: string, seed: number): { readonly detection: number; readonly restoration: number } {
  const tester = new Tester({ text: `switch: {watchdog: {kind: ${rule}, ${TIMES}}}`, seed })
  // The phase of the polls is random, so one onset does for all seeds.
  const [fromPs, toPs] = [250 * MS, 1000 * MS]
  tester.stream({ from: 0, to: 1, load: 0.1 })
  tester.storm({ host: 1, fromPs, toPs })
  tester.run(1700 * MS)
  const stormed = tester.eventsOf(1, 'storm').map(({ ps }) => ps)
  const restored = tester.eventsOf(1, 'restore').map(({ ps }) => ps)
  expect([stormed.length, restored.length]).toEqual([1, 1])
  return { detection: (stormed[0]! - fromPs) / MS, restoration: (restored[0]! - toPs) / MS }
}

const median = (values: readonly number[]): number => values.toSorted((a, b) => a - b)[values.length / 2]!

describe('W5 timer accuracy: over 20 storms at random phases of the polls, with packets queued', () => {
  const runsOf = (rule: string): ReturnType<typeof storm>[] => Array.from({ length: 20 }, (_, i) => storm(rule, i + 1))

  const w5 = (rule: string): void => {
    const runs = runsOf(rule)
    const phases = new Set(runs.map(({ detection }) => detection))
    expect(phases.size).toBe(20)
    for (const { detection, restoration } of runs) {
      // NVIDIA's condition holds from 99 % of a poll, so that it may be 1 % of a poll early.
      expect(detection).toBeGreaterThanOrEqual(DETECTION - (rule === 'nvidia' ? 0.01 * POLL : 0))
      expect(detection).toBeLessThanOrEqual(DETECTION + POLL)
      expect(restoration).toBeGreaterThanOrEqual(RESTORATION)
      expect(restoration).toBeLessThanOrEqual(RESTORATION + POLL)
    }
    // The phase is uniform, so that the median is near the middle of the poll.
    expect(Math.abs(median(runs.map(({ detection }) => detection)) - DETECTION - POLL / 2)).toBeLessThan(POLL / 4)
  }
  passes.each(['generic', 'broadcom', 'nvidia', 'teralynx', 'paper'])(
    '%s: each detection is between Tdetect and Tdetect + Tpoll, each restoration between Trestore and Trestore + Tpoll',
    w5,
  )
  failsWith(
    'W5',
    'countdowns end a poll early',
    wrong<Watched, readonly [unknown]>(Watched.prototype, 'holds', (unit, right, rule) => {
      const isHeld = right(rule)
      if (isHeld === true && unit.leftPs === DETECTION * MS) unit.leftPs -= POLL * MS
      return isHeld
    }),
    () => w5('generic'),
  )
  failsWith(
    'W5',
    'the phase of the polls is not random',
    wrong<Watchdog, readonly [object | null]>(Watchdog.prototype, 'configure', (dog, right, options) => {
      Reflect.set(dog, 'random', { uniform: () => 0.5 })
      right(options)
    }),
    () => w5('generic'),
  )

  test('cisco: its condition is a state and not a difference, so that both times end one poll earlier', () => {
    for (const { detection, restoration } of runsOf('cisco')) {
      expect(detection).toBeGreaterThanOrEqual(DETECTION - POLL)
      expect(detection).toBeLessThanOrEqual(DETECTION)
      expect(restoration).toBeGreaterThanOrEqual(RESTORATION - POLL)
      expect(restoration).toBeLessThanOrEqual(RESTORATION)
    }
  })
})

/** Rules by whether their condition asks for waiting packets: those that do not find a storm on an idle port too. */
const ASK = ['nvidia', 'paper']
const ASK_NOT = ['generic', 'teralynx', 'broadcom', 'cisco']

describe('W11 no traffic', () => {
  const detections = (rule: string): number => {
    const tester = new Tester({ text: `switch: {watchdog: {kind: ${rule}, ${TIMES}}}` })
    tester.storm({ host: 1, fromPs: 250 * MS, toPs: 1000 * MS })
    return tester.run(1700 * MS).eventsOf(1, 'storm').length
  }
  const w11 = (rule: string): void => expect(detections(rule)).toBe(0)
  const w11Idle = (rule: string): void => expect(detections(rule)).toBe(1)
  passes.each(ASK)('%s: a storm on a port without packets is not detected', w11)
  passes.each(ASK_NOT)('%s, as published, asks for no packets: the storm is detected once', w11Idle)
  test('these are all rules', () => {
    expect([...ASK, ...ASK_NOT].toSorted()).toEqual(watchdogRules.map(({ name }) => name).toSorted())
  })

  /** The condition of a rule looks at other readings, or is held only by some. */
  const holding = (
    name: string,
    stand: (right: (readings: Readings) => unknown, readings: Readings) => unknown,
  ): Fault =>
    wrong<object, readonly [Readings]>(
      watchdogRules.find((rule) => rule.name === name)!,
      'holds',
      (_rule, right, readings) => stand(right, readings),
    )
  for (const name of ASK)
    failsWith(
      'W11',
      `${name} does not look whether packets wait`,
      holding(name, (right, readings) => right({ ...readings, occupancyBytes: 1 })),
      () => w11(name),
    )
  for (const name of ASK_NOT)
    failsWith(
      'W11',
      `${name} asks for waiting packets`,
      holding(name, (right, readings) => readings.occupancyBytes > 0 && right(readings)),
      () => w11Idle(name),
    )
})
