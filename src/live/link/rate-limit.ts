/**
 * Rate limit: how often something may be done on request of others, so that no flood of questions becomes one of answers.
 * Units: picoseconds of the clock of Party.
 */
const SECOND_PS = 1e12

/** Control answers of one kind in a second: more than an honest network asks for, and little to send. */
export const ANSWERS_PER_SECOND = 1000

export class RateLimit {
  readonly #perSecond: number
  #left: number
  #sincePs = 0

  /** @param perSecond most in a second on average, and most in one moment. */
  constructor(perSecond: number = ANSWERS_PER_SECOND) {
    this.#perSecond = perSecond
    this.#left = perSecond
  }

  /** Whether it may be done now; then it counts. */
  takes(nowPs: number): boolean {
    const gained = ((nowPs - this.#sincePs) / SECOND_PS) * this.#perSecond
    this.#left = Math.min(this.#perSecond, this.#left + gained)
    this.#sincePs = nowPs
    if (this.#left < 1) return false
    this.#left--
    return true
  }
}
