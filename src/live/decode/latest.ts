/**
 * The latest entries of a map: at least `max` / 2 and at most `max` of them, in constant time each. Two generations: when the
 * younger is full, the older is forgotten as a whole. (Deleting a Map's first key one by one leaves holes that the next search
 * for the first has to cross.)
 */
import { assert, CHECKED } from '../../core/base/assert.ts'

export class Latest<K, V> {
  #young = new Map<K, V>()
  #old = new Map<K, V>()
  readonly #half: number
  readonly #forgotten: (value: V) => void

  /** @param forgotten takes each value that makes room */
  constructor(max: number, forgotten: (value: V) => void = () => {}) {
    this.#half = Math.max(1, max >> 1)
    this.#forgotten = forgotten
  }

  get(key: K): V | undefined {
    return this.#young.get(key) ?? this.#old.get(key)
  }

  has(key: K): boolean {
    return this.#young.has(key) || this.#old.has(key)
  }

  /** Sets a value, as the newest. */
  set(key: K, value: V): void {
    this.#old.delete(key)
    if (this.#young.size >= this.#half && !this.#young.has(key)) {
      const forgotten = this.#old
      this.#old = this.#young
      this.#young = new Map()
      for (const one of forgotten.values()) this.#forgotten(one)
    }
    this.#young.set(key, value)
    if (CHECKED) assert(Math.max(this.#young.size, this.#old.size) <= this.#half, 'latest: a generation has no room')
  }

  /** The oldest generation first. */
  *values(): Generator<V> {
    yield* this.#old.values()
    yield* this.#young.values()
  }
}
