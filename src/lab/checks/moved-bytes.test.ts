import { expect, test } from 'vitest'
import { blankMessage } from '../../core/workload/workload.ts'
import { MovedBytes } from './moved-bytes.ts'

/** Workload, start, source, destination, bytes of each message; every link takes a byte a picosecond. */
function movedBy(untilPs: readonly number[], ...messages: readonly (readonly number[])[]) {
  const moved = new MovedBytes()
  for (const [workload, startPs, source, destination, sizeBytes] of messages as [
    number,
    number,
    number,
    number,
    number,
  ][]) {
    moved.add(workload, { ...blankMessage(), startPs, source, destination, sizeBytes })
  }
  return moved.byWorkload([1, 1, 1, 1], untilPs)
}

test('a message that begins late is cut by the stop', () => {
  expect(movedBy([100], [0, 60, 0, 1, 80])).toEqual([{ share: 0.5, waitPs: 0 }])
  expect(movedBy([100], [0, 20, 0, 1, 80])).toEqual([{ share: 1, waitPs: 0 }])
  expect(movedBy([100], [0, 200, 0, 1, 80])).toEqual([{ share: 0, waitPs: 0 }])
})

test('messages of one source wait for each other, and so do those to one destination', () => {
  expect(movedBy([100], [0, 0, 0, 1, 80], [0, 0, 0, 2, 80])).toEqual([{ share: 100 / 160, waitPs: 80 }])
  expect(movedBy([100], [0, 0, 0, 2, 80], [0, 0, 1, 2, 80])).toEqual([{ share: 100 / 160, waitPs: 80 }])
  expect(movedBy([100], [0, 0, 0, 2, 80], [0, 0, 1, 3, 80])).toEqual([{ share: 1, waitPs: 0 }])
  // In order of start, whichever was counted first.
  expect(movedBy([100], [0, 10, 0, 1, 80], [0, 0, 0, 2, 80])).toEqual([{ share: 100 / 160, waitPs: 70 }])
})

test('workloads share links, and each has a time of its own', () => {
  const shares = movedBy([100, 120], [0, 0, 0, 1, 80], [1, 0, 0, 1, 80]).map(({ share }) => share)
  expect(shares).toEqual([1, 0.5])
  expect(movedBy([100], [0, 0, 0, 1, 0])).toEqual([{ share: 1, waitPs: 0 }])
})
