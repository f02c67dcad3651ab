/**
 * HOT. Rings of entries by consecutive numbers, entry n at index n mod length, a power of two. They begin short and
 * double when full: a queue that may be deep and seldom is then uses a few entries again and again, which stay in the
 * nearest cache.
 */

/** Length that a ring begins with. */
export const FIRST_ENTRIES = 2

/** A ring of twice the length with the entries from `head` on, which fill `ring`. */
export function doubled<T>(ring: readonly T[], head: number): (T | undefined)[] {
  const mask = ring.length - 1
  const twice: (T | undefined)[] = Array.from({ length: 2 * ring.length })
  for (let n = head; n < head + ring.length; n++) twice[n & (2 * mask + 1)] = ring[n & mask]!
  return twice
}
