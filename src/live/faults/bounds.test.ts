/** Bounds of all that fault lines keep. */
import { expect, test } from 'vitest'
import { remember } from './bounded-map.ts'
import { FRAMES_MAX, FrameQueue } from './frame-queue.ts'

test('a queue of frames is full at its bound: later ones are lost, and counted', () => {
  const queue = new FrameQueue()
  for (let n = 0; n < FRAMES_MAX + 10; n++) {
    if (n % 2 === 0) queue.add(1, Uint8Array.of(n & 0xff))
    else queue.hold(Uint8Array.of(n & 0xff), 1e9, 5)
  }
  expect([queue.drops, queue.nextPs]).toEqual([10, 1])
  let frames = 0
  while (queue.take(5) !== null) frames++
  expect([frames, queue.nextPs]).toEqual([FRAMES_MAX, Infinity])
})

test('the oldest entry of a bounded map leaves, and one that is set again is the newest', () => {
  const map = new Map<string, number>()
  for (const [key, value] of [
    ['a', 1],
    ['b', 2],
    ['a', 3],
    ['c', 4],
  ] as const)
    remember(map, key, 2, value)
  expect([...map]).toEqual([
    ['a', 3],
    ['c', 4],
  ])
})
