import { expect, test } from 'vitest'
import { US } from '../../base/params.ts'
import { Bench } from '../../../../tests/support/switch-bench.ts'
import { PFC } from '../packets.ts'

test('a resume that a port owes at the end of a frame goes first, and no second frame beside it', () => {
  // Packets that leave by the port they came in by: the bytes freed at their end are those that the port has paused for.
  const bench = new Bench(
    2,
    'switch: {release: end, buffer: {kind: shared-buffer, size: 200KB, alpha: 1/64, headroom: 20KB, xonOffset: 1KB}}',
  )
  for (let i = 0; i < 12; i++) bench.at(i * 10, () => bench.arriveFrom(0, { to: 0 }))
  bench.run(1000 * US)
  const { transmitPs, delayPs } = bench.portTo(0)
  const starts = bench.arrivals.map(({ ps, sizeBytes }) => ps - delayPs - transmitPs[sizeBytes]!)
  expect(bench.pfcAt(0)).toEqual(['pause', 'resume'])
  expect(bench.arrivals.filter(({ kind }) => kind !== PFC)).toHaveLength(12)
  bench.arrivals.slice(1).forEach((_, i) => {
    expect(starts[i + 1]! - starts[i]!).toBeGreaterThanOrEqual(transmitPs[bench.arrivals[i]!.sizeBytes]!)
  })
})
