/** Columns: numbers that come one by one, in typed arrays that grow. */

type Numbers = Uint8Array | Uint16Array | Uint32Array | Int32Array | Float64Array

/** Room of a new column. */
const ROOM = 16

export class Column<T extends Numbers> {
  #values: T
  #size = 0
  readonly #make: (length: number) => T

  constructor(make: (length: number) => T) {
    this.#make = make
    this.#values = make(ROOM)
  }

  get size(): number {
    return this.#size
  }

  push(value: number): void {
    if (this.#size === this.#values.length) {
      const larger = this.#make(2 * this.#size)
      larger.set(this.#values)
      this.#values = larger
    }
    this.#values[this.#size++] = value
  }

  set(index: number, value: number): void {
    this.#values[index] = value
  }

  at(index: number): number {
    return this.#values[index]!
  }

  /** All values, no copy: they are whole once nothing more is pushed. */
  values(): T {
    // Cast: a part of an array of a type has that type.
    return this.#values.subarray(0, this.#size) as T
  }
}

export const bytesColumn = (): Column<Uint8Array> => new Column((length) => new Uint8Array(length))
export const shortsColumn = (): Column<Uint16Array> => new Column((length) => new Uint16Array(length))
export const wholesColumn = (): Column<Uint32Array> => new Column((length) => new Uint32Array(length))
export const signedColumn = (): Column<Int32Array> => new Column((length) => new Int32Array(length))
export const numbersColumn = (): Column<Float64Array> => new Column((length) => new Float64Array(length))
