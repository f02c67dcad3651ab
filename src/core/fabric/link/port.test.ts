import { describe, expect, test } from 'vitest'
import { US } from '../../base/params.ts'
import { DROP_LINK_DOWN } from '../counters.ts'
import { Bench, INPUT_QUEUED } from '../../../../tests/support/switch-bench.ts'

const CUT_PS = 5 * US

/** The link between the switch and host 1 goes down and up again, long before a frame on it would have arrived. */
function cutAndRestored(sentPs: number, restoredPs = CUT_PS + 1): Bench {
  const bench = new Bench(3, INPUT_QUEUED)
  const port = bench.portTo(1)
  const ends = [port, port.peer]
  bench.at(sentPs, () => bench.arriveFrom(0, { to: 1 }))
  bench.at(CUT_PS, () => {
    for (const end of ends) end.cut()
    bench.built.network.recordTargets()
  })
  bench.at(restoredPs, () => {
    for (const end of ends) end.restore()
  })
  return bench.run(20 * US)
}

const outcomeOf = (bench: Bench): readonly number[] => [bench.arrivals.length, bench.counters.drops[DROP_LINK_DOWN]!]

describe('a frame on a link that goes down and up again before it arrives', () => {
  test('is lost if it was sent before the link went down, or at the same instant', () => {
    for (const beforePs of [2 * US, 1000, 1, 0]) {
      expect([beforePs, ...outcomeOf(cutAndRestored(CUT_PS - beforePs))]).toEqual([beforePs, 0, 1])
    }
  })

  test('arrives if it was sent after the link came up, even a picosecond after it went down', () => {
    for (const afterPs of [2, 1000, 2 * US]) {
      expect([afterPs, ...outcomeOf(cutAndRestored(CUT_PS + afterPs))]).toEqual([afterPs, 1, 0])
    }
  })

  test('is lost if a switch sent it while the link was down, before routes were updated', () => {
    expect(outcomeOf(cutAndRestored(CUT_PS + 1000, CUT_PS + 2000))).toEqual([0, 1])
  })

  test('arrives if it was received before the link went down', () => {
    expect(outcomeOf(cutAndRestored(1 * US))).toEqual([1, 0])
  })
})
