import { describe, expect, test } from 'vitest'
import { Tester } from '../../../../tests/conformance/bench-watchdog.ts'
import { Bench } from '../../../../tests/support/switch-bench.ts'
import { MS } from '../../base/params.ts'

/** 1 ms at 100 Mb/s is 195 quanta and a bit. */
const MILLISECOND = 195

describe('counters of a port by class', () => {
  const tester = new Tester({ text: 'pfc: {classes: [3, 4]}' })
  tester.stream({ from: 0, to: 1, trafficClass: 4, load: 0.1, frames: 17 })
  const port = tester.hostPort(1)
  tester.portTo(1).at!.countDepartures()
  // A pause of 1 ms that is refreshed once after half of it, another that is resumed after half of it.
  for (const ms of [10, 10.5, 20]) tester.at(ms * MS, () => port.sendPfc(1 << 3, MILLISECOND))
  tester.at(20.5 * MS, () => port.sendPfc(1 << 3, 0))
  tester.run(100 * MS)
  const stats = tester.portTo(1).stats!

  test('PFC frames: pauses and resumes, received and sent', () => {
    expect([stats.pfcRxPackets[3], stats.pfcRxPauses[3], stats.pfcRxPackets[4]]).toEqual([4, 3, 0])
    const sent = port.stats!
    expect([sent.pfcTx[3], sent.pfcTxPauses[3]]).toEqual([4, 3])
  })

  test('transitions from paused to not paused: by expiry and by a resume', () => {
    expect([stats.on2off[3], stats.on2off[4]]).toEqual([2, 0])
  })

  test('time in pause', () => {
    const quantaPs = MILLISECOND * 5.12e6
    expect(stats.pausedPs(tester.nowPs, 3)).toBe(0.5 * MS + quantaPs + 0.5 * MS)
    expect(stats.pausedPs(tester.nowPs, 4)).toBe(0)
  })

  test('packets that have left the queue of a class', () => {
    expect([stats.txPackets[4], stats.txPackets[3]]).toEqual([17, 0])
  })
})

test('a port has no counters before somebody asks for them', () => {
  const bench = new Bench(2, '')
  expect(bench.built.network.ports.every(({ stats }) => stats === null)).toBe(true)
  const stats = bench.portTo(0).openStats()
  expect(bench.portTo(0).openStats()).toBe(stats)
})
