/** All that a live device keeps, as connections come and go. */
import { expect, test } from 'vitest'
import { CompletionQueue, LOCAL_WRITE } from '../../core/verbs/index.ts'
import { LiveDevice } from './memory.ts'
import { drawOf } from './pipe.test-bench.ts'

function device(): LiveDevice {
  let orders = 0
  return new LiveDevice({ draw: () => ++orders }, drawOf(3))
}

test('a key that is invalidated is forgotten, with its memory', () => {
  const live = device()
  const domain = live.allocateDomain()
  const [kept, gone] = [
    live.register(domain, LOCAL_WRITE, new Uint8Array(8)),
    live.register(domain, 0, new Uint8Array(8)),
  ]
  live.invalidate(gone.key)
  expect([live.regionCount, live.regionOf(gone.key), live.regionOf(kept.key), gone.isValid]).toEqual([
    1,
    null,
    kept,
    false,
  ])
})

test('events that nobody polls: the newest 1,024', () => {
  const live = device()
  for (let qp = 0; qp < 3000; qp++) live.report('access error', qp)
  const first = live.pollEvent()
  let count = 1
  while (live.pollEvent() !== null) count++
  expect([first?.qp, count]).toEqual([3000 - 1024, 1024])
})

test('numbers of queue pairs that are destroyed do not come again', () => {
  const live = device()
  const queue = new CompletionQueue(4)
  const plan = { domain: live.allocateDomain(), sendCompletions: queue, receiveCompletions: queue }
  const numbers = Array.from({ length: 3 }, () => {
    const pair = live.createQueuePair(plan)
    live.destroyQueuePair(pair)
    return [pair.number, live.pairOf(pair.number)]
  })
  expect(numbers).toEqual([
    [2, null],
    [3, null],
    [4, null],
  ])
})
