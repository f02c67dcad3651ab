/** Messages of a table: sends and receives by the pair of ranks and the tag by which they find each other. */

/** Columns of each operation. */
export interface Ends {
  readonly ranks: number
  readonly size: number
  /** Whether it is a send (1) or a receive (-1) of one peer and tag, or neither (0). */
  readonly directionOf: (id: number) => number
  readonly rankOf: (id: number) => number
  readonly peerOf: (id: number) => number
  readonly tagOf: (id: number) => number
}

/** Sends between two ranks with a tag, and their receives; both in order. The arrays are overwritten by the next. */
export type Visit = (sends: Uint32Array, receives: Uint32Array) => void

/** Visits all pairs of ranks and tags, in order of the sending rank. */
export function eachGroup(ends: Ends, visit: Visit): void {
  const { directionOf, rankOf, peerOf, tagOf } = ends
  const sourceOf = (id: number): number => (directionOf(id) > 0 ? rankOf(id) : peerOf(id))
  const destinationOf = (id: number): number => (directionOf(id) > 0 ? peerOf(id) : rankOf(id))
  const starts = new Uint32Array(ends.ranks + 1)
  for (let id = 0; id < ends.size; id++) if (directionOf(id) !== 0) starts[sourceOf(id) + 1]!++
  for (let rank = 0; rank < ends.ranks; rank++) starts[rank + 1]! += starts[rank]!
  const all = new Uint32Array(starts[ends.ranks]!)
  const next = starts.slice()
  for (let id = 0; id < ends.size; id++) if (directionOf(id) !== 0) all[next[sourceOf(id)]!++] = id
  const isSame = (a: number, b: number): boolean =>
    destinationOf(a) === destinationOf(b) && tagOf(a) === tagOf(b) && directionOf(a) === directionOf(b)
  for (let rank = 0; rank < ends.ranks; rank++) {
    const own = all.subarray(starts[rank], starts[rank + 1])
    // Sends before receives.
    own.sort(
      (a, b) => destinationOf(a) - destinationOf(b) || tagOf(a) - tagOf(b) || directionOf(b) - directionOf(a) || a - b,
    )
    const endOf = (from: number): number => {
      let end = from + 1
      while (end < own.length && isSame(own[from]!, own[end]!)) end++
      return end
    }
    for (let at = 0; at < own.length;) {
      const middle = directionOf(own[at]!) > 0 ? endOf(at) : at
      const first = own[at]!
      const hasReceives =
        middle < own.length &&
        destinationOf(own[middle]!) === destinationOf(first) &&
        tagOf(own[middle]!) === tagOf(first)
      const end = hasReceives ? endOf(middle) : middle
      visit(own.subarray(at, middle), own.subarray(middle, end))
      at = end
    }
  }
}
