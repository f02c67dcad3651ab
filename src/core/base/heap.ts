/** Heap: entries of which the first is known; an order of entries decides, in which no two should be equal. */

export class Heap<T> {
  readonly #entries: T[] = []
  readonly #isBefore: (a: T, b: T) => boolean

  constructor(isBefore: (a: T, b: T) => boolean) {
    this.#isBefore = isBefore
  }

  get first(): T | undefined {
    return this.#entries[0]
  }

  add(entry: T): void {
    const heap = this.#entries
    let at = heap.push(entry) - 1
    while (at > 0) {
      const parent = (at - 1) >> 1
      if (!this.#isBefore(entry, heap[parent]!)) break
      heap[at] = heap[parent]!
      at = parent
    }
    heap[at] = entry
  }

  /** Removes the first entry; there must be one. */
  pop(): T {
    const heap = this.#entries
    const first = heap[0]!
    const last = heap.pop()!
    if (heap.length === 0) return first
    let at = 0
    for (;;) {
      let child = 2 * at + 1
      if (child >= heap.length) break
      if (child + 1 < heap.length && this.#isBefore(heap[child + 1]!, heap[child]!)) child++
      if (!this.#isBefore(heap[child]!, last)) break
      heap[at] = heap[child]!
      at = child
    }
    heap[at] = last
    return first
  }
}
