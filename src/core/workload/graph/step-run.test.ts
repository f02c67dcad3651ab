/** Messages of collectives, counted by what is alike, against all steps of all strands. */
import { expect, test } from 'vitest'
import { algorithms } from './algorithms/index.ts'
import { type CollectiveOptions, planOf } from './algorithms/plan.ts'
import { type Collective, eachSend } from './step-run.ts'

const N = 8
const CASES = algorithms.flatMap(({ name, operations }) =>
  operations.flatMap((operation) =>
    [
      { channels: 1, slices: 1 },
      { channels: 3, slices: 2 },
      { channels: 5, slices: 1 },
    ].map((more): CollectiveOptions => {
      const matrix = Array.from({ length: N }, (_, i) =>
        Array.from({ length: N }, (__, j) => (i === j ? 0 : i + 7 * j)),
      )
      // 1,003 elements: no share is even.
      const sizes = { sizeBytes: 4012, elementBytes: 4, nodeSize: 4 }
      const ofMatrix = operation === 'all-to-all-v' ? { matrix, elementBytes: 1 } : {}
      return { operation, algorithm: name, ...sizes, ...more, ...ofMatrix }
    }),
  ),
)

/** Messages by ends and size, and channels by ends. */
type Counts = Record<string, number>

function oneByOne({ plan, ranks }: Collective): Counts {
  const counts: Counts = {}
  for (let from = 0; from < ranks; from++) {
    for (let strand = 0; strand < plan.strands; strand++) {
      for (let at = 0, step = plan.step(from, strand, at); step; step = plan.step(from, strand, ++at)) {
        for (const { peer, sizeBytes } of step.sends) {
          const key = `${from} ${peer} ${sizeBytes}`
          if (sizeBytes > 0) counts[key] = (counts[key] ?? 0) + 1
        }
      }
    }
  }
  return counts
}

test.each(CASES)('$operation $algorithm, $channels channels, $slices slices', (options) => {
  const collective = planOf(options, N)
  const counts: Counts = {}
  eachSend(collective, ({ from, to, sizeBytes, messages }) => {
    const key = `${from} ${to} ${sizeBytes}`
    counts[key] = (counts[key] ?? 0) + messages
  })
  expect(counts).toEqual(oneByOne(collective))
})
