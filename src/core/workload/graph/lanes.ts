/** Lanes of ranks: computes on one lane go one after another; of several that could begin, the smallest number is first. */

interface Lane {
  isBusy: boolean
  readonly waiting: number[]
}

export class Lanes {
  /** By rank and number. */
  readonly #lanes = new Map<string, Lane>()

  /** A compute could begin. */
  wait(rank: number, number: number, id: number): void {
    const key = `${rank}/${number}`
    const known = this.#lanes.get(key)
    if (known === undefined) this.#lanes.set(key, { isBusy: false, waiting: [id] })
    else known.waiting.push(id)
  }

  /** Takes the next compute, which begins now. @returns its number; -1: the lane is busy, or none waits */
  next(rank: number, number: number): number {
    const lane = this.#lanes.get(`${rank}/${number}`)!
    if (lane.isBusy || lane.waiting.length === 0) return -1
    const id = lane.waiting.reduce((least, each) => Math.min(least, each))
    lane.waiting.splice(lane.waiting.indexOf(id), 1)
    lane.isBusy = true
    return id
  }

  /** The compute on the lane is done. */
  free(rank: number, number: number): void {
    this.#lanes.get(`${rank}/${number}`)!.isBusy = false
  }
}
