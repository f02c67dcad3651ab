/**
 * Growth: ratio of the times of two pieces of work on a shared machine. There is no limit in seconds: both run
 * alternately, the best time of each counts, and a slow measurement is repeated.
 */

const ROUNDS = 3
const CHANCES = 5

/**
 * Lower estimate of the time of `slow` over that of `fast`: the least ratio measured; measuring ends once it is below
 * `enough`.
 */
export function timesAsLong(slow: () => void, fast: () => void, enough: number): number {
  let least = Infinity
  for (let chance = 0; chance < CHANCES && least >= enough; chance++) {
    let slowMs = Infinity
    let fastMs = Infinity
    for (let round = 0; round < ROUNDS; round++) {
      slowMs = Math.min(slowMs, timeMs(slow))
      fastMs = Math.min(fastMs, timeMs(fast))
    }
    least = Math.min(least, slowMs / fastMs)
  }
  return least
}

function timeMs(work: () => void): number {
  const begunMs = performance.now()
  work()
  return performance.now() - begunMs
}
