/**
 * Growth: how times of two pieces of work compare on a machine that others use too. No limit in seconds: both run in
 * turn, the best time of each counts, and whoever is too slow for once gets another chance.
 */

const ROUNDS = 3
const CHANCES = 5

/**
 * How many times as long `slow` takes as `fast`, at least: the least ratio seen, and no more chances are taken once it
 * is below `enough`.
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
