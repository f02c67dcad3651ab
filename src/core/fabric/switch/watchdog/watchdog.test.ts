import { describe, expect, test } from 'vitest'
import { Tester } from '../../../../../tests/conformance/bench-watchdog.ts'
import { failsWith, passes, wrong } from '../../../../../tests/support/planted.ts'
import { MS } from '../../../base/params.ts'
import { Watched } from './watched.ts'

const TIMES = 'detectionTime: 200ms, restorationTime: 200ms, pollInterval: 200ms'

describe('the watchdog of the paper', () => {
  const text = `
pfc: {classes: [3, 4]}
switch: {watchdog: {kind: paper, detectionTime: 100ms, restorationTime: 200ms, pollInterval: 10ms}}`

  test('takes all lossless classes of the port out of service where one of them is stormed, and other ports lose nothing', () => {
    const tester = new Tester({ text })
    const streams = [
      { from: 0, to: 1, trafficClass: 3, load: 0.2 },
      { from: 0, to: 1, trafficClass: 4, load: 0.2 },
      { from: 0, to: 2, trafficClass: 3, load: 0.2 },
      { from: 1, to: 2, trafficClass: 4, load: 0.2 },
    ].map((stream) => tester.stream(stream))
    tester.storm({ host: 1, fromPs: 100 * MS, toPs: 500 * MS })
    tester.run(900 * MS)
    expect(tester.events.map(({ event, trafficClass }) => `${event} ${trafficClass}`)).toEqual([
      'storm 3',
      'storm 4',
      'restore 3',
      'restore 4',
    ])
    expect(streams.map((stream) => stream.lost.has('watchdog'))).toEqual([true, true, false, true])
    expect(streams[2]!.lostFrames).toBe(0)
    // Everything arrives again afterwards.
    for (const stream of streams) {
      const [received, offered] = [stream.receivedIn(720 * MS, 900 * MS), stream.offeredIn(720 * MS, 900 * MS)]
      expect(Math.abs(received - offered)).toBeLessThanOrEqual(2)
    }
  })

  test('lossless mode is on again 200 ms after the last pause, within a poll', () => {
    const tester = new Tester({ text })
    tester.stream({ from: 0, to: 1, load: 0.2 })
    tester.storm({ host: 1, fromPs: 100 * MS, toPs: 500 * MS })
    tester.run(900 * MS)
    const waitedMs = (tester.eventsOf(1, 'restore')[0]!.ps - 500 * MS) / MS
    expect(waitedMs).toBeGreaterThanOrEqual(200)
    expect(waitedMs).toBeLessThanOrEqual(210)
  })

  test('a slow receiver that pauses for most of the time, but not always, is none', () => {
    const tester = new Tester({ text })
    tester.stream({ from: 0, to: 1, load: 0.2 })
    // 1.6 ms of 2: 312 quanta of 5.12 us.
    tester.storm({ host: 1, fromPs: 100 * MS, toPs: 800 * MS, intervalPs: 2 * MS, quanta: 312 })
    expect(tester.run(900 * MS).events).toEqual([])
  })
})

describe('bug: a port counts no PFC frames while PFC is off in all of its classes', () => {
  const storms = (classes: number, countsWithoutPfc: boolean): Tester => {
    const text = `
pfc: {classes: [3, 4]}
switch: {watchdog: {kind: broadcom, ${TIMES}, countsWithoutPfc: ${countsWithoutPfc}}}`
    const tester = new Tester({ text })
    for (const trafficClass of [3, 4]) tester.stream({ from: 0, to: 1, trafficClass, load: 0.05 })
    tester.storm({ host: 1, fromPs: 100 * MS, toPs: 10_000 * MS, classes })
    return tester.run(10_000 * MS)
  }

  test('with both lossless classes stormed at once they are restored while the storm lasts, and stormed again, every 600 ms', () => {
    const tester = storms(0b11000, false)
    const times = tester.eventsOf(1, 'storm').flatMap(({ ps, trafficClass }) => (trafficClass === 3 ? [ps / MS] : []))
    expect(times.length).toBeGreaterThan(14)
    // Storm, one poll of silence, two until the pause is seen at both ends of a poll.
    const cycles = times.slice(1).map((ms, i) => Math.round(ms - times[i]!))
    expect(new Set(cycles)).toEqual(new Set([600]))
  })

  test('with one of them stormed PFC stays on in the other, frames are counted, and the storm is one', () => {
    expect(storms(0b01000, false).events.map(({ event }) => event)).toEqual(['storm'])
  })

  test('without the bug the storm of both is one', () => {
    expect(storms(0b11000, true).events.map(({ event }) => event)).toEqual(['storm', 'storm'])
  })
})

describe('bug: all ports share one PFC profile', () => {
  /** A storm at host 1; hosts 0 and 3 send to host 2 with 60 % of its link each. */
  const storms = (profile: string): Tester => {
    const text = `
switch: {watchdog: {kind: broadcom, ${TIMES}, profile: ${profile}}, buffer: {kind: shared-buffer, size: 1MB, alpha: 1/16}}`
    const tester = new Tester({ text, topology: 'kind: star, hosts: 4, linkRate: 100Mbps, linkDelay: 1us' })
    tester.stream({ from: 0, to: 1, load: 0.1 })
    for (const from of [0, 3]) tester.stream({ from, to: 2, load: 0.6 })
    tester.storm({ host: 1, fromPs: 100 * MS, toPs: 1200 * MS })
    return tester.run(2000 * MS)
  }
  const lost = ({ streams }: Tester): number => streams[1]!.lostFrames + streams[2]!.lostFrames

  test('taking one port out of service makes others lossy: packets between healthy hosts are dropped', () => {
    const tester = storms('switch')
    expect(tester.streams[1]!.lost.get('buffer full')).toBeGreaterThan(100)
    const [storm, restore] = [tester.eventsOf(1, 'storm')[0]!.ps, tester.eventsOf(1, 'restore')[0]!.ps]
    expect(tester.portTo(0).lossless).toBe(1 << 3)
    // The healthy port pauses its hosts before and after, and not meanwhile.
    expect(restore).toBeGreaterThan(storm)
  })

  test('with a profile for each port they lose nothing', () => {
    expect(lost(storms('port'))).toBe(0)
  })
})

describe('a watchdog that is turned on', () => {
  const text = (change: string): string => `
switch: {buffer: {kind: shared-buffer, size: 1MB}}
changes: [{path: switch.watchdog, value: ${change}, at: 500ms}]`

  test('in the middle of a storm detects it from there on, and other traffic of the sender goes on', () => {
    const tester = new Tester({ text: text(`{kind: broadcom, ${TIMES}}`) })
    tester.stream({ from: 0, to: 1, load: 0.5 })
    const other = tester.stream({ from: 0, to: 2, load: 0.2 })
    tester.storm({ host: 1, fromPs: 100 * MS, toPs: 2000 * MS })
    tester.run(2000 * MS)
    const [storm] = tester.eventsOf(1, 'storm')
    expect(storm!.ps).toBeGreaterThan(500 * MS)
    // Its first poll stores the counters, the second sees the storm.
    expect(storm!.ps).toBeLessThanOrEqual(900 * MS)
    expect(other.receivedIn(300 * MS, 500 * MS)).toBe(0)
    expect(other.receivedIn(1000 * MS, 2000 * MS)).toBeGreaterThan(0.98 * other.offeredIn(1000 * MS, 2000 * MS))
  })

  test('at another switch than the stormed one does nothing', () => {
    const tester = new Tester({
      topology: 'kind: dumbbell, leftHosts: 1, rightHosts: 1, hostRate: 100Mbps, bottleneckRate: 100Mbps',
      text: `changes: [{path: switch.watchdog, value: {kind: broadcom, ${TIMES}}, nodes: "2"}]`,
    })
    tester.stream({ from: 0, to: 1, load: 0.2 })
    tester.storm({ host: 1, fromPs: 100 * MS, toPs: 1000 * MS })
    tester.run(1000 * MS)
    expect(tester.built.watchdogs.at(tester.hub.node)).toBeDefined()
    expect(tester.events).toEqual([])
  })
})

test('without a restoration time a stormed class stays out of service', () => {
  const text = `switch: {watchdog: {kind: nvidia, detectionTime: 200ms, pollInterval: 100ms, restorationTime: "off"}}`
  const tester = new Tester({ text })
  const stream = tester.stream({ from: 0, to: 1, load: 0.2 })
  tester.storm({ host: 1, fromPs: 100 * MS, toPs: 700 * MS })
  tester.run(3000 * MS)
  expect(tester.events.map(({ event }) => event)).toEqual(['storm'])
  expect(stream.receivedIn(500 * MS, 3000 * MS)).toBe(0)
})

test('a pause that is sent to the peer when the storm is detected ends, and both counts of pauses agree afterwards', () => {
  const text = `switch: {watchdog: {kind: broadcom, ${TIMES}}, buffer: {kind: shared-buffer, size: 1MB, alpha: 1/64}}`
  const tester = new Tester({ text })
  // Hosts 0 and 1 send to each other; both directions wait, so that port 1 has paused host 1, too.
  tester.stream({ from: 0, to: 1, load: 0.5 })
  tester.stream({ from: 1, to: 0, load: 0.5 })
  tester.storm({ host: 0, fromPs: 100 * MS, toPs: 1000 * MS })
  tester.storm({ host: 1, fromPs: 150 * MS, toPs: 1000 * MS })
  tester.run(130 * MS)
  expect(tester.portTo(1).xoffSent).toBe(1 << 3)
  tester.run(800 * MS)
  expect([tester.portTo(0).xoffSent, tester.portTo(1).xoffSent, tester.hub.xoffCount]).toEqual([0, 0, 0])
  tester.run(2000 * MS)
  expect(tester.events.map(({ event }) => event).toSorted()).toEqual(['restore', 'restore', 'storm', 'storm'])
  for (const stream of tester.streams) expect(stream.receivedIn(1500 * MS, 2000 * MS)).toBeGreaterThan(3000)
})

describe('countdowns', () => {
  const SEEDS = [1, 2, 3, 4, 5]
  const text = (kind: string, more: string): string =>
    `{kind: ${kind}, detectionTime: 200ms, restorationTime: 200ms, pollInterval: ${more}}`

  /** From when the watchdog is turned on, in the middle of a storm, to the detection. */
  const firstPoll = (): void => {
    for (const kind of ['generic', 'cisco'])
      for (const seed of SEEDS) {
        const watchdog = `changes: [{path: switch.watchdog, value: ${text(kind, '200ms')}, at: 500ms}]`
        const tester = new Tester({ seed, text: watchdog })
        tester.stream({ from: 0, to: 1, load: 0.2 })
        tester.storm({ host: 1, fromPs: 100 * MS, toPs: 2000 * MS })
        tester.run(1000 * MS)
        const detectedMs = (tester.eventsOf(1, 'storm')[0]!.ps - 500 * MS) / MS
        expect(detectedMs).toBeGreaterThanOrEqual(200)
        expect(detectedMs).toBeLessThan(400)
      }
  }
  passes('do not move at the first poll, which only stores the counters', firstPoll)
  failsWith(
    'it',
    'the first poll counts',
    wrong(Watched.prototype, 'read', (_unit, right, nowPs) => {
      right(nowPs)
      return true
    }),
    firstPoll,
  )

  /** A storm that begins right after the restoration of another. */
  const anew = (): void => {
    const storms = (secondPs: number): Tester => {
      const tester = new Tester({ text: `switch: {watchdog: ${text('cisco', '50ms')}}` })
      tester.stream({ from: 0, to: 1, load: 0.2 })
      tester.storm({ host: 1, fromPs: 100 * MS, toPs: 600 * MS })
      tester.storm({ host: 1, fromPs: secondPs, toPs: secondPs + 600 * MS })
      return tester.run(secondPs + 1000 * MS)
    }
    const restoredPs = storms(2000 * MS).eventsOf(1, 'restore')[0]!.ps
    const again = storms(restoredPs + 1 * MS).eventsOf(1, 'storm')
    expect(again).toHaveLength(2)
    // Its condition is a state: the fourth of its polls.
    expect(again[1]!.ps - restoredPs).toBe(200 * MS)
  }
  passes('of detection begin anew after a restoration', anew)
  failsWith(
    'it',
    'a restoration leaves the countdown where it is',
    wrong(Watched.prototype, 'calm', (unit, right, detectionPs) => {
      const { leftPs } = unit
      right(detectionPs)
      unit.leftPs = leftPs
    }),
    anew,
  )
})
