/** NICs whose receive pipeline stops, and their watchdog. */
import { describe, expect, test } from 'vitest'
import { numbersOf, textsOf } from '../../../core/results/index.ts'
import { parseScenario } from '../../scenario/index.ts'
import { run } from '../../index.ts'
import { outcome, pausesPs, received, STORM, WATCHDOG } from './storm.test-run.ts'

describe('a NIC whose receive pipeline stops', () => {
  const result = outcome(STORM)

  test('pauses its switch as soon as its buffer is full, again and again without end', () => {
    const times = pausesPs(result)
    expect(times[0]).toBeGreaterThan(1e9)
    expect(times[0]).toBeLessThan(2e9)
    const gaps = times.slice(1).map((ps, i) => ps - times[i]!)
    // Half of 65535 quanta at 10 Gb/s are 1.68 ms.
    expect(Math.max(...gaps)).toBeLessThan(1.7e9)
    expect(150e9 - times.at(-1)!).toBeLessThan(1.7e9)
  })

  test('neither receives nor sends, and stops others that share switches with it', () => {
    for (const tag of ['to the storm', 'from the storm']) {
      expect(received(result, tag, 0, 1e9), tag).toBeGreaterThan(3)
      expect(received(result, tag, 2e9, 150e9), tag).toBe(0)
    }
    expect(received(result, 'others', 0, 1e9)).toBeGreaterThan(5)
    expect(received(result, 'others', 50e9, 150e9)).toBe(0)
  })

  test('holds what it had received: nothing is dropped', () => {
    expect(result.counters.drops).toEqual({})
    expect(numbersOf(result.series[1]!, 'heldBytes')[0]).toBeGreaterThan(200_000)
  })

  test('a run without a stop ends and tells that nothing moves any more', () => {
    const text = `
name: endless
topology: {kind: star, hosts: 2, linkRate: 10Gbps, linkDelay: 100ns}
nic: {watchdog: 100ms}
workload: [{kind: trace, flows: ["0 1 10MB 0us", "0 1 10MB 300ms"]}]
faults: [{kind: pause-storm, hosts: host 1, from: 1ms}]
`
    const ended = run(parseScenario(text), { check: true })
    expect(ended.stalledFromPs).toBeLessThanOrEqual(1e9)
    expect(textsOf(ended.flows, 'status')).not.toContain('finished')
    expect(ended.simulatedPs).toBeGreaterThan(300e9)
  })
})

describe('its watchdog', () => {
  const result = outcome(STORM, WATCHDOG, '400ms')

  test('ends the pauses after 100 ms, for good', () => {
    const lastPs = pausesPs(result).at(-1)!
    expect(numbersOf(result.series[1]!, 'watchdogPs')[0]).toBe(101e9)
    expect(lastPs).toBeGreaterThan(101e9 - 1.7e9)
    expect(lastPs).toBeLessThanOrEqual(101e9)
  })

  test('rescues the others, not its own server, whose packets its NIC drops', () => {
    expect(received(result, 'others', 110e9, 400e9)).toBeGreaterThan(1000)
    expect(received(result, 'to the storm', 2e9, 400e9)).toBe(0)
    expect(result.counters.drops['NIC']).toBeGreaterThan(0)
    expect(new Set(textsOf(result.series[2]!, 'nodeName'))).toEqual(new Set(['host 0']))
  })

  test('leaves a NIC alone that pauses often, but works', () => {
    const slow = 'nic: {watchdog: 1ms, receive: {kind: pipeline, packetTime: 5us, buffer: 64KiB}}'
    const busy = outcome('', slow, '50ms')
    expect(numbersOf(busy.series[1]!, 'pauses')[0]).toBeGreaterThan(100)
    expect(Math.max(...numbersOf(busy.series[1]!, 'watchdogPs'))).toBe(-1)
  })

  test('does not act before its time', () => {
    const short = outcome('{kind: pause-storm, hosts: host 0, from: 1ms, until: 100ms}', WATCHDOG, '300ms')
    expect(numbersOf(short.series[1]!, 'watchdogPs')[0]).toBe(-1)
    expect(received(short, 'to the storm', 100e9, 300e9)).toBeGreaterThan(1000)
  })
})

describe('a power cycle', () => {
  test('clears the storm: the server sends and receives again, the pauses are gone', () => {
    const result = outcome('{kind: pause-storm, hosts: host 0, from: 1ms, until: 60ms}')
    expect(pausesPs(result).every((ps) => ps < 60e9)).toBe(true)
    for (const tag of ['to the storm', 'from the storm', 'others'])
      expect(received(result, tag, 70e9, 150e9), tag).toBeGreaterThan(200)
  })

  test('enables pauses again that the watchdog had disabled', () => {
    const faults =
      '{kind: pause-storm, hosts: host 0, from: 1ms, until: 150ms}, {kind: pause-storm, hosts: host 0, from: 200ms}'
    const times = pausesPs(outcome(faults, WATCHDOG, '250ms'))
    expect(times.some((ps) => ps > 101e9 && ps < 200e9)).toBe(false)
    expect(times.some((ps) => ps > 201e9)).toBe(true)
  })
})

describe('a NIC that sends pause frames whatever its buffer holds', () => {
  const frames = (more: string): string => `{kind: pause-storm, hosts: host 0, from: 1ms, mode: frames, ${more}}`

  test('sends one of each class at each interval', () => {
    const times = pausesPs(outcome(frames('interval: 400us'), 'pfc: {classes: [3, 4]}', '101ms'))
    expect(times).toHaveLength(2 * 250)
  })

  test('pauses for shorter times than it repeats: others get through between', () => {
    const gaps = outcome(frames('interval: 1ms, quanta: 1000'))
    expect(received(gaps, 'to the storm', 2e9, 150e9)).toBe(0)
    expect(outcome(frames('interval: 1ms')).counters.pauseFrames).toBeGreaterThan(0)
  })

  test('stops when its watchdog has seen it for 100 ms', () => {
    const times = pausesPs(outcome(frames('interval: 400us'), WATCHDOG, '200ms'))
    expect(times.at(-1)).toBeLessThanOrEqual(101e9)
    expect(times.at(-1)).toBeGreaterThan(100e9)
  })
})

/**
 * sonic-swss issue 4581: a storm of pauses becomes one of frames that end a pause. Such frames are PFC frames, and a
 * watchdog restores a class only after a time without any.
 */
describe('a stream of frames with a quanta of 0', () => {
  const WATCHED = ['switch.watchdog={kind: broadcom, detectionTime: 20ms, restorationTime: 20ms, pollInterval: 5ms}']
  const storm = (times: string, quanta: number): string =>
    `{kind: pause-storm, hosts: host 0, mode: frames, quanta: ${quanta}, ${times}}`
  /** Times at which the watchdog of leaf 0 does this at port 1, ms. */
  const eventsMs = (faults: string, event: string): number[] => {
    const table = outcome(faults, '', '150ms', WATCHED).series.find(({ name }) => name === 'watchdog')!
    const [node, port] = ['node', 'port'].map((column) => numbersOf(table, column)) as [Float64Array, Float64Array]
    const events = textsOf(table, 'event')
    return [...numbersOf(table, 'timePs')]
      .filter((_, row) => node[row] === 4 && port[row] === 1 && events[row] === event)
      .map((ps) => ps / 1e9)
  }
  const first = storm('from: 1ms, until: 50ms', 65_535)

  test('keeps a class stormed for as long as it lasts, and is restored a time after', () => {
    expect(eventsMs(first, 'storm')).toHaveLength(1)
    const [restoredMs] = eventsMs(first, 'restore')
    expect(restoredMs).toBeGreaterThan(70)
    expect(restoredMs).toBeLessThan(80)
    const followed = `${first}, ${storm('from: 50ms, until: 100ms', 0)}`
    const [laterMs, ...more] = eventsMs(followed, 'restore')
    expect([eventsMs(followed, 'storm').length, more]).toEqual([1, []])
    expect(laterMs).toBeGreaterThan(120)
    expect(laterMs).toBeLessThan(130)
  })

  test('is no storm by itself', () => {
    expect(eventsMs(storm('from: 1ms', 0), 'storm')).toEqual([])
  })

  test('is nothing that the watchdog of a NIC ends: its NIC pauses nobody by it', () => {
    const frames = (quanta: number): number[] => {
      const scenario = parseScenario(`
name: idle
topology: {kind: star, hosts: 3, linkRate: 10Gbps}
nic: {watchdog: 20ms}
workload: [{kind: trace, flows: [0 1 1KB 0us]}]
measure: {stop: 60ms, end: stop}
faults: [{kind: pause-storm, hosts: host 2, mode: frames, quanta: ${quanta}, interval: 1ms}]`)
      const { counters } = run(scenario, { check: true })
      return [counters.pauseFrames, counters.resumeFrames]
    }
    // The watchdog acts at 20 ms, before the frame of that time; without it one is sent at 0 ms, 1 ms, ..., 60 ms.
    expect(frames(1000)[0]).toBe(20)
    expect(frames(0)).toEqual([0, 61])
  })
})

describe('a storm that cannot be', () => {
  test('names hosts', () => {
    expect(() => outcome('{kind: pause-storm, hosts: leaf 0}')).toThrow(
      /faults.0.hosts: expected hosts, received leaf 0/,
    )
    expect(() => outcome('{kind: pause-storm, hosts: host 9}')).toThrow(/faults.0.hosts/)
  })
  test('begins before it ends', () => {
    expect(() => outcome('{kind: pause-storm, hosts: host 0, from: 2ms, until: 1ms}')).toThrow(/faults.0.until/)
  })
})
