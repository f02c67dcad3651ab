/** Edges: which of many numbered things wait for which, and whether all of them can begin. */

/** One thing and one that waits for it, again and again. */
export type Pairs = Uint32Array | readonly number[]

/** Those that wait for each thing, in the order of their numbers. */
export class Edges {
  readonly #starts: Uint32Array
  readonly #to: Uint32Array

  constructor(count: number, pairs: Pairs) {
    this.#starts = new Uint32Array(pairs.length === 0 ? 0 : count + 1)
    this.#to = new Uint32Array(pairs.length / 2)
    if (pairs.length === 0) return
    for (let i = 0; i < pairs.length; i += 2) this.#starts[pairs[i]! + 1]!++
    for (let i = 0; i < count; i++) this.#starts[i + 1]! += this.#starts[i]!
    for (let i = 0; i < pairs.length; i += 2) this.#to[this.#starts[pairs[i]!]!++] = pairs[i + 1]!
    // Each start has moved to the next one's.
    this.#starts.copyWithin(1, 0, count)
    this.#starts[0] = 0
    for (let id = 0; id < count; id++) {
      const [from, to] = [this.#starts[id]!, this.#starts[id + 1]!]
      if (to - from > 1) this.#to.subarray(from, to).sort()
    }
  }

  each(on: number, visit: (dependent: number) => unknown): void {
    if (this.#to.length === 0) return
    for (let i = this.#starts[on]!; i < this.#starts[on + 1]!; i++) visit(this.#to[i]!)
  }
}

/**
 * How many of the others each has to wait for.
 * @param needs fewer than there are, by thing
 */
export function waitsOf(count: number, lists: readonly Pairs[], needs: ReadonlyMap<number, number>): Int32Array {
  const waits = new Int32Array(count)
  for (const pairs of lists) for (let i = 1; i < pairs.length; i += 2) waits[pairs[i]!]!++
  for (const [id, need] of needs) waits[id] = need
  return waits
}

/** Things that wait for each other in a circle, so that none can begin; empty: there is none. */
export function circleOf(count: number, lists: readonly Pairs[], needs: ReadonlyMap<number, number>): number[] {
  const waits = waitsOf(count, lists, needs)
  const dependents = lists.map((pairs) => new Edges(count, pairs))
  const open = new Uint32Array(count)
  let size = 0
  waits.forEach((left, id) => {
    if (left === 0) open[size++] = id
  })
  for (let next = 0; next < size; next++) {
    for (const edges of dependents) {
      edges.each(open[next]!, (id) => {
        if (--waits[id]! === 0) open[size++] = id
      })
    }
  }
  if (size === count) return []
  // Those that only wait for a circle are not named: each has one before it that cannot begin either.
  const before = new Map<number, number>()
  for (const pairs of lists) {
    for (let i = 0; i < pairs.length; i += 2) {
      const [on, id] = [pairs[i]!, pairs[i + 1]!]
      if (waits[on]! > 0 && waits[id]! > 0) before.set(id, on)
    }
  }
  const path = new Set<number>()
  let at = waits.findIndex((left) => left > 0)
  for (; !path.has(at); at = before.get(at)!) path.add(at)
  const whole = [...path]
  return whole.slice(whole.indexOf(at))
}
