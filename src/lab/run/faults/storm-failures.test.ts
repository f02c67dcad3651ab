/** Pause storms beside other failures: dead servers, links and switches that go down, watchdogs and restarts. */
import { describe, expect, test } from 'vitest'
import { numbersOf, type Result, textsOf } from '../../../core/results/index.ts'
import { outcome, pausesPs, received, STORM, WATCHDOG } from './storm.test-run.ts'

const dies = (down: string, up: string, link = 'stays-up'): string =>
  `{kind: server-down, hosts: host 0, down: ${down}, up: ${up}, link: ${link}}`

/** Pause frames from host 0 in this time. */
const pausesIn = (result: Result, fromPs: number, toPs: number): number =>
  pausesPs(result).filter((ps) => ps >= fromPs && ps < toPs).length

/** "storm 52" for each row of the watchdogs, with its time in ms. */
function watchdogRows({ series }: Result): string[] {
  const [kinds, times] = [textsOf(series[3]!, 'event'), numbersOf(series[3]!, 'timePs')]
  return kinds.map((kind, row) => `${kind} ${Math.floor(times[row]! / 1e9)}`)
}

describe('a server that dies while its NIC storms', () => {
  test('goes on to pause: its NIC does not know', () => {
    const result = outcome(`${STORM}, ${dies('20ms', '"off"')}`)
    expect(pausesIn(result, 30e9, 150e9)).toBeGreaterThan(60)
    expect(received(result, 'others', 50e9, 150e9)).toBe(0)
  })

  test.each(['stays-up', 'goes-down'])('is cleared by its restart, which is a power cycle (its link %s)', (link) => {
    const result = outcome(`${STORM}, ${dies('20ms', '40ms', link)}`, '', '120ms')
    expect(pausesIn(result, 41e9, 120e9)).toBe(0)
    expect(received(result, 'others', 45e9, 120e9)).toBeGreaterThan(500)
    expect(result.counters.drops['NIC']).toBeGreaterThan(0)
    // The end of the storm itself, later, is a second power cycle and does no harm.
    const twice = outcome(`${STORM.replace('}', ', until: 60ms}')}, ${dies('20ms', '40ms', link)}`, '', '120ms')
    expect(received(twice, 'others', 65e9, 120e9)).toBeGreaterThan(500)
  })

  test('stays silent if its NIC is power-cycled while it is down', () => {
    const result = outcome(`${STORM.replace('}', ', until: 30ms}')}, ${dies('20ms', '80ms')}`, '', '120ms')
    expect(pausesIn(result, 31e9, 120e9)).toBe(0)
    expect(received(result, 'from the storm', 20e9, 80e9)).toBe(0)
    expect(received(result, 'others', 40e9, 80e9)).toBeGreaterThan(300)
    expect(result.counters.drops['host down']).toBeGreaterThan(0)
  })

  test('storms on after its restart if the storm has an end of its own, and else is cleared by it', () => {
    const late = (until: string): Result =>
      outcome(`${dies('5ms', '20ms')}, ${STORM.replace('from: 1ms', `from: 10ms${until}`)}`, '', '50ms')
    expect(pausesIn(late(', until: 60ms'), 21e9, 50e9)).toBeGreaterThan(10)
    expect(pausesIn(late(''), 21e9, 50e9)).toBe(0)
  })

  test('storms on after its restart though its watchdog had given it up: the restart is a power cycle', () => {
    const frames = '{kind: pause-storm, hosts: host 0, from: 1ms, until: 90ms, mode: frames, interval: 400us}'
    const result = outcome(`${frames}, ${dies('30ms', '40ms')}`, 'nic: {watchdog: 20ms}', '100ms')
    expect([pausesIn(result, 22e9, 40e9), pausesIn(result, 61e9, 100e9)]).toEqual([0, 0])
    expect(pausesIn(result, 40e9, 61e9)).toBeGreaterThan(40)
  })

  test('a storm without an end of its own is ended by the power cycle of another', () => {
    const result = outcome(`${STORM}, {kind: pause-storm, hosts: host 0, from: 5ms, until: 30ms}`, '', '100ms')
    expect(pausesIn(result, 31e9, 100e9)).toBe(0)
    expect(received(result, 'from the storm', 35e9, 100e9)).toBeGreaterThan(100)
  })
})

describe('a server with a receive pipeline that dies', () => {
  const slow = 'nic: {receive: {kind: pipeline, packetTime: 5us, buffer: 64KiB}}'

  test('holds nothing, and packets to it are dropped in front of its pipeline', () => {
    const result = outcome(dies('20ms', '"off"'), slow, '60ms')
    expect(result.counters.drops['host down']).toBeGreaterThan(0)
    expect(numbersOf(result.series[1]!, 'heldBytes')[0]).toBe(0)
    // The pause of its full buffer has ended with it.
    expect(pausesIn(result, 21e9, 60e9)).toBe(0)
  })
})

describe('the link of a NIC that storms goes down and up', () => {
  const flaps = '{kind: link-flap, links: host 0-leaf 0, from: 10ms, until: 70ms, interval: 10ms, down: 1ms}'

  test('its full buffer pauses again, however often, though there is no room for another packet', () => {
    const result = outcome(`${STORM}, ${flaps}`, '', '150ms')
    expect(pausesIn(result, 100e9, 150e9)).toBeGreaterThan(25)
    // Frames on the wire are all that is lost, and what found the buffer full.
    expect(received(result, 'to the storm', 2e9, 150e9)).toBe(0)
  })
})

describe('watchdogs', () => {
  const AT_SWITCH = ['switch.watchdog={kind: paper, detectionTime: 50ms, pollInterval: 5ms}']

  test('of both, the switch turns lossless mode on again after the repair, and the NIC by the repair only', () => {
    const repaired = STORM.replace('}', ', until: 200ms}')
    const result = outcome(repaired, WATCHDOG, '500ms', AT_SWITCH)
    // The NIC gives up at 101 ms; the last pause frame is at most 2 ms older.
    expect(watchdogRows(result).map((row) => row.split(' ')[0])).toEqual(['storm', 'restore'])
    const restoredPs = numbersOf(result.series[3]!, 'timePs')[1]!
    expect(restoredPs).toBeGreaterThan(299e9)
    expect(restoredPs).toBeLessThan(307e9)
    expect(pausesIn(result, 102e9, 200e9)).toBe(0)
    expect(received(result, 'others', 120e9, 500e9)).toBeGreaterThan(1000)
    expect(received(result, 'to the storm', 310e9, 500e9)).toBeGreaterThan(100)
    const without = outcome(STORM, WATCHDOG, '500ms', AT_SWITCH)
    expect(pausesIn(without, 102e9, 500e9)).toBe(0)
    expect(received(without, 'to the storm', 2e9, 500e9)).toBe(0)
  })

  test('a NIC that its watchdog has given up sends no pauses by a later storm either', () => {
    const later = '{kind: pause-storm, hosts: host 0, from: 150ms, mode: frames, interval: 400us}'
    expect(pausesIn(outcome(`${STORM}, ${later}`, WATCHDOG, '250ms'), 102e9, 250e9)).toBe(0)
  })

  test('a given-up NIC takes back pauses that would never expire', () => {
    const frames = '{kind: pause-storm, hosts: host 0, from: 1ms, mode: frames, interval: 400us}'
    const result = outcome(frames, `${WATCHDOG}\npfc: {expiry: false}`, '200ms')
    expect(received(result, 'others', 110e9, 200e9)).toBeGreaterThan(500)
  })

  test('a storm that begins within an interval of one before sends its frames once', () => {
    const frames = (more: string): string =>
      `{kind: pause-storm, hosts: host 0, mode: frames, interval: 400us, quanta: 1000, ${more}}`
    const result = outcome(`${frames('from: 1ms, until: 5ms')}, ${frames('from: 5100us, until: 45ms')}`, '', '50ms')
    // Buffers fill, too, and refresh their pause every 1.7 ms.
    expect(pausesIn(result, 5.1e9, 45e9)).toBeLessThan(100 + 30)
  })

  test('a switch that reboots forgets that a port was out of service, and detects the storm anew', () => {
    const result = outcome(
      `${STORM}, {kind: switch-down, switches: leaf 0, down: 80ms, up: 90ms}`,
      '',
      '200ms',
      AT_SWITCH,
    )
    const rows = watchdogRows(result)
    expect(rows.map((row) => row.split(' ')[0])).toEqual(['storm', 'stop', 'storm'])
    expect(rows[1]).toBe('stop 80')
    // From its start a first poll and the detection time.
    expect(numbersOf(result.series[3]!, 'timePs')[2]).toBeGreaterThan(140e9)
  })
})
