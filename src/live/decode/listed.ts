/** Lists with an end: the first few by an order stay, as of connections those with most bytes; the rest is handed back. */

/** A list grows by this share of its length before it is cut. */
const SLACK = 0.25

export class Listed<T> {
  #all: T[] = []
  readonly #max: number
  readonly #order: (a: T, b: T) => number
  readonly #left: (one: T) => void

  /** @param left takes each that does not stay */
  constructor(max: number, order: (a: T, b: T) => number, left: (one: T) => void) {
    this.#max = max
    this.#order = order
    this.#left = left
  }

  add(one: T): void {
    this.#all.push(one)
    if (this.#all.length > this.#max * (1 + SLACK)) this.#cut()
  }

  /** In order; equal ones as they came. */
  list(): readonly T[] {
    this.#cut()
    return this.#all
  }

  #cut(): void {
    this.#all.sort(this.#order)
    for (const one of this.#all.splice(this.#max)) this.#left(one)
  }
}
