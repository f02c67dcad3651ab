/**
 * Heap room: a run that fills the memory of its thread ends with a message. Left alone, the engine ends the process
 * without one, and all threads with it.
 */
import { getHeapStatistics } from 'node:v8'
import { OutOfMemory } from '../base/memory.ts'

/** Share of what the engine lets objects take; what one slice of a run makes has to find room in the rest. */
const FULL = 0.8
/** Of that, for objects that are young: the engine ends the process when the old have filled the rest. */
const YOUNG_BYTES = 48 * 2 ** 20

/** Throws OutOfMemory when nearly all of it is taken. */
export function expectHeapRoom(): void {
  if (getHeapStatistics().used_heap_size > FULL * oldBytes()) throw outOfHeap()
}

/** What the engine throws when it has no room for an array or a table; undefined: the error is another one. */
export function asOutOfMemory(error: unknown): OutOfMemory | undefined {
  if (error instanceof OutOfMemory) return error
  const isAllocation =
    error instanceof RangeError &&
    /allocation failed|maximum size exceeded|invalid (typed array|array|string) length/i.test(error.message)
  return isAllocation ? outOfHeap() : undefined
}

function oldBytes(): number {
  return getHeapStatistics().heap_size_limit - YOUNG_BYTES
}

function outOfHeap(): OutOfMemory {
  const mostMb = Math.floor(oldBytes() / 2 ** 20)
  return new OutOfMemory(
    `the memory for flows, queue pairs and series is full (${mostMb} MB for a thread): fewer messages, a shorter run, fewer observers; NODE_OPTIONS=--max-old-space-size=MB gives more`,
  )
}
