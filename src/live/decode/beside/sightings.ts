/**
 * Sightings: the latest packets of all interfaces of a capture, by a key of 53 bits, in a table of fixed size. A key has a row
 * of eight slots; in a full row the oldest is forgotten.
 */

const WITHIN_PS = 10e9
/** A power of two. */
const ROWS = 2 ** 15
const SLOTS = 8
/** Interfaces at which one packet is seen; of more, the last is replaced. */
const PORTS = 12
const NEVER = -Infinity

export class Sightings {
  readonly #keys = new Float64Array(ROWS * SLOTS)
  readonly #timesPs: Float64Array = new Float64Array(ROWS * SLOTS).fill(NEVER)
  readonly #isMarked = new Uint8Array(ROWS * SLOTS)
  readonly #portCounts = new Uint8Array(ROWS * SLOTS)
  readonly #ports = new Uint32Array(ROWS * SLOTS * PORTS)

  /** Notes a packet. `marked`: a copy that is marked CE, as the first to be so. @param key from 0 to 2^53 - 1 */
  look(key: number, timePs: number, port: number, isMarked: boolean): 'first' | 'copy' | 'marked' {
    const row = SLOTS * ((Math.floor(key / 2 ** 21) ^ Math.imul(key % 2 ** 21, 0x9e3779b1)) & (ROWS - 1))
    let at = row
    for (let slot = row; slot < row + SLOTS; slot++) {
      if (this.#keys[slot] === key && this.#timesPs[slot] !== NEVER) {
        at = slot
        break
      }
      if (this.#timesPs[slot]! < this.#timesPs[at]!) at = slot
    }
    const isKnown = this.#keys[at] === key && timePs - this.#timesPs[at]! <= WITHIN_PS
    if (!isKnown || this.#hasPort(at, port)) {
      this.#keys[at] = key
      this.#timesPs[at] = timePs
      this.#isMarked[at] = isMarked ? 1 : 0
      this.#portCounts[at] = 1
      this.#ports[at * PORTS] = port
      return 'first'
    }
    const count = Math.min(PORTS, this.#portCounts[at]! + 1)
    this.#portCounts[at] = count
    this.#ports[at * PORTS + count - 1] = port
    if (!isMarked || this.#isMarked[at] === 1) return 'copy'
    this.#isMarked[at] = 1
    return 'marked'
  }

  #hasPort(at: number, port: number): boolean {
    return this.#ports.subarray(at * PORTS, at * PORTS + this.#portCounts[at]!).includes(port)
  }
}
