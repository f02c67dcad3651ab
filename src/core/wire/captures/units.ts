/**
 * Capture files as sequences of units that say their own length: blocks of pcapng, records of pcap. The bytes come in pieces
 * of any length; no more than one unit of them is kept.
 */

/** A longer unit is taken for damage, and bounds the memory of a reader. */
const UNIT_BYTES_MAX = 2 ** 24

/** A place where a file contradicts itself; the message says what is wrong there. */
export class Damage extends Error {}

/** A format. Both methods may throw Damage. */
export interface Units {
  /** Length of the unit that begins at `at`. Where too few bytes are there to tell: how many are needed for that. */
  lengthAt(view: DataView, at: number): number
  /** Reads a unit that is whole. `view` and `bytes` are the same memory, and the caller's. */
  take(bytes: Uint8Array, view: DataView, at: number, length: number): void
}

export class UnitReader {
  readonly #units: Units
  /** Beginning of a unit whose end has not come yet, and the bytes with which it can go on. */
  #kept = new Uint8Array(0)
  #keptBytes = 0
  #neededBytes = 0
  /** Byte of the file where the next unit begins. */
  #at = 0
  /** Nothing after it is read. */
  damage: { readonly atByte: number; readonly what: string } | null = null

  constructor(units: Units) {
    this.#units = units
  }

  push(chunk: Uint8Array): void {
    for (let at = 0; at < chunk.length && this.damage === null;)
      at = this.#keptBytes === 0 ? this.#takeAll(chunk, at) : this.#complete(chunk, at)
  }

  end(): void {
    if (this.#keptBytes > 0) this.damage ??= { atByte: this.#at, what: 'the file ends in the middle of a record' }
  }

  /** Takes the whole units of a chunk from `from` on, and keeps the rest. */
  #takeAll(chunk: Uint8Array, from: number): number {
    const view = viewOf(chunk)
    let at = from
    for (;;) {
      const length = this.#take(chunk, view, at)
      if (at + length > chunk.length) {
        if (this.damage === null) this.#keep(chunk.subarray(at), length)
        return chunk.length
      }
      at += length
    }
  }

  /** Adds to the unit that is kept as many bytes as it needs. */
  #complete(chunk: Uint8Array, from: number): number {
    const end = Math.min(chunk.length, from + this.#neededBytes - this.#keptBytes)
    this.#keep(chunk.subarray(from, end), this.#neededBytes)
    if (this.#keptBytes === this.#neededBytes) {
      const kept = this.#kept.subarray(0, this.#keptBytes)
      this.#neededBytes = this.#take(kept, viewOf(kept), 0)
      if (this.#neededBytes === kept.length) this.#keptBytes = 0
    }
    return end
  }

  #keep(bytes: Uint8Array, neededBytes: number): void {
    this.#neededBytes = neededBytes
    if (neededBytes > this.#kept.length) {
      const wider = new Uint8Array(Math.max(4096, neededBytes))
      wider.set(this.#kept.subarray(0, this.#keptBytes))
      this.#kept = wider
    }
    this.#kept.set(bytes, this.#keptBytes)
    this.#keptBytes += bytes.length
  }

  /** Takes the unit at `at` if it is whole, and returns the length that it has or needs; Infinity: it is damaged. */
  #take(bytes: Uint8Array, view: DataView, at: number): number {
    try {
      const length = this.#units.lengthAt(view, at)
      if (length > UNIT_BYTES_MAX) throw new Damage(`a record of ${length} bytes`)
      if (at + length <= bytes.length) {
        this.#units.take(bytes, view, at, length)
        this.#at += length
      }
      return length
    } catch (error) {
      if (!(error instanceof Damage)) throw error
      this.damage = { atByte: this.#at, what: error.message }
      return Infinity
    }
  }
}

function viewOf(bytes: Uint8Array): DataView {
  return new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength)
}
