import { describe, expect, test } from 'vitest'
import { US } from '../../base/params.ts'
import { DROP_LINK_DOWN } from '../counters.ts'
import { Bench, INPUT_QUEUED } from '../../../tests/support/switch-bench.ts'

const CUT_PS = 5 * US

/** The cable between the switch and host 1 is cut, and mended again, long before a frame on it would have arrived. */
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

describe('a frame on a cable that is cut and mended before it arrives', () => {
  test('is lost where it was sent before the cut, or at the same instant', () => {
    for (const beforePs of [2 * US, 1000, 1, 0]) {
      expect([beforePs, ...outcomeOf(cutAndRestored(CUT_PS - beforePs))]).toEqual([beforePs, 0, 1])
    }
  })

  test('arrives where it was sent after the mending, if only a picosecond after the cut', () => {
    for (const afterPs of [2, 1000, 2 * US]) {
      expect([afterPs, ...outcomeOf(cutAndRestored(CUT_PS + afterPs))]).toEqual([afterPs, 1, 0])
    }
  })

  test('is lost where it was sent into the cut, by a switch that has not heard of it', () => {
    expect(outcomeOf(cutAndRestored(CUT_PS + 1000, CUT_PS + 2000))).toEqual([0, 1])
  })

  test('arrives where it was there before the cut', () => {
    expect(outcomeOf(cutAndRestored(1 * US))).toEqual([1, 0])
  })
})
