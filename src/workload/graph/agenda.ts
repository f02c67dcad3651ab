/** Agenda: what is due when, in a heap. Entries at one time go by class, then rank, then number. */

/**
 * Classes of entries: a message inside a host has arrived, an operation is done, a lane has room, a message may be posted, a
 * control message.
 */
export const INSIDE = 0
export const DONE = 1
export const LANE = 2
export const POST = 3
export const CONTROL = 4

export interface Entry {
  readonly timePs: number
  readonly class: number
  readonly rank: number
  /** Number of an operation or of a lane. */
  readonly id: number
}

export class Agenda {
  readonly #heap: Entry[] = []

  get first(): Entry | undefined {
    return this.#heap[0]
  }

  add(entry: Entry): void {
    const heap = this.#heap
    let at = heap.push(entry) - 1
    while (at > 0) {
      const parent = (at - 1) >> 1
      if (!isBefore(entry, heap[parent]!)) break
      heap[at] = heap[parent]!
      at = parent
    }
    heap[at] = entry
  }

  /** Removes the first entry; there must be one. */
  pop(): Entry {
    const heap = this.#heap
    const first = heap[0]!
    const last = heap.pop()!
    if (heap.length === 0) return first
    let at = 0
    for (;;) {
      let child = 2 * at + 1
      if (child >= heap.length) break
      if (child + 1 < heap.length && isBefore(heap[child + 1]!, heap[child]!)) child++
      if (!isBefore(heap[child]!, last)) break
      heap[at] = heap[child]!
      at = child
    }
    heap[at] = last
    return first
  }
}

function isBefore(a: Entry, b: Entry): boolean {
  if (a.timePs !== b.timePs) return a.timePs < b.timePs
  if (a.class !== b.class) return a.class < b.class
  return a.rank === b.rank ? a.id < b.id : a.rank < b.rank
}
