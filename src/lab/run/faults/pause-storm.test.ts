/** NICs whose receive pipeline stops, and their watchdog. */
import { describe, expect, test } from 'vitest'
import { numbersOf, textsOf } from '../../../results/index.ts'
import { parseScenario } from '../../../scenario/index.ts'
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
