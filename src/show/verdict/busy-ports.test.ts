import { expect, test } from 'vitest'
import { observed, tableOf } from '../figure/result-figures.test-drawing.ts'
import { portMeasures } from '../html/port-measures.ts'
import { portUses } from './busy-ports.ts'

const US = 1e6
/** Two ports over 4 us: one is used by a fifth for 1 us and by four fifths for 3, the other fully for 3 of them. */
const { result } = observed('a', [
  tableOf(
    'link-use',
    ['fromPs', 'toPs', 'node', 'nodeName', 'port', 'useRatio'],
    [
      [0, 1 * US, 4, 'leaf 0', 1, 0.2],
      [0, 1 * US, 4, 'leaf 0', 2, 0],
      [1 * US, 4 * US, 4, 'leaf 0', 1, 0.8],
      [1 * US, 4 * US, 4, 'leaf 0', 2, 1],
    ],
  ),
])

test('the mean use of a link weighs intervals by their length, and busy time is that of full ones', () => {
  const uses = portUses(result)
  expect(uses.map(({ name, busyPs }) => [name, busyPs])).toEqual([
    ['leaf 0 port 1', 0],
    ['leaf 0 port 2', 3 * US],
  ])
  expect(uses[0]!.useShare).toBeCloseTo(0.65, 12)
  expect(uses[1]!.useShare).toBeCloseTo(0.75, 12)
  // The page of a report colours links by these.
  const [measure] = portMeasures(result)
  expect([...measure!.values].map(([key, value]) => [key, Number(value.toFixed(12))])).toEqual([
    ['4:1', 0.65],
    ['4:2', 0.75],
  ])
})
