/**
 * Heap room: ends a run that is about to exhaust the heap of its thread, with a message. V8 itself would abort the whole
 * process, with all its threads.
 */
import { getHeapStatistics, setFlagsFromString } from 'node:v8'
import { OutOfMemory } from '../core/base/memory.ts'

/** Largest share of the old generation in use; the rest has to hold the allocations of one slice of a run. */
const FULL = 0.8
/** Part of the heap limit for the young generation: V8 aborts when the old generation fills the rest. */
const YOUNG_BYTES = 48 * 2 ** 20

/** Throws OutOfMemory when the heap is nearly full. */
export function expectHeapRoom(): void {
  if (getHeapStatistics().used_heap_size > FULL * oldBytes()) throw outOfHeap()
}

/** V8's errors for arrays and maps that it cannot allocate, as OutOfMemory; undefined for any other error. */
export function asOutOfMemory(error: unknown): OutOfMemory | undefined {
  if (error instanceof OutOfMemory) return error
  const isAllocation =
    error instanceof RangeError &&
    /allocation failed|maximum size exceeded|invalid (typed array|array|string) length/i.test(error.message)
  return isAllocation ? outOfHeap() : undefined
}

/** Collects garbage when the heap has grown by half, not by four times: for commands that read without end and keep little. */
export function growHeapSlowly(): void {
  setFlagsFromString('--heap-growing-percent=50')
}

function oldBytes(): number {
  return getHeapStatistics().heap_size_limit - YOUNG_BYTES
}

function outOfHeap(): OutOfMemory {
  const mostMb = Math.floor(oldBytes() / 2 ** 20)
  return new OutOfMemory(
    `the memory for flows, queue pairs and series is full (${mostMb} MB per thread): use fewer messages, a shorter run or fewer observers, or set NODE_OPTIONS=--max-old-space-size=MB`,
  )
}
