/**
 * HOT. Bits by index, 32 to a word, with a summary of a bit per word: the first one from an index on is found by looking at
 * a few words.
 */
export class Bits {
  private readonly words: Int32Array
  private readonly summary: Int32Array

  /** @param room number of indexes. */
  constructor(room: number) {
    this.words = new Int32Array((room + 31) >> 5)
    this.summary = new Int32Array((this.words.length + 31) >> 5)
  }

  add(index: number): void {
    const word = index >> 5
    this.words[word]! |= 1 << index
    this.summary[word >> 5]! |= 1 << word
  }

  remove(index: number): void {
    const word = index >> 5
    if ((this.words[word]! &= ~(1 << index)) === 0) this.summary[word >> 5]! &= ~(1 << word)
  }

  /** First one from an index on, and then from the first; -1: there is none. */
  firstFrom(index: number): number {
    const behind = this.firstNotBefore(index)
    return behind >= 0 || index === 0 ? behind : this.firstNotBefore(0)
  }

  /** First one from an index on; -1: there is none. */
  firstNotBefore(index: number): number {
    const { words, summary } = this
    const word = index >> 5
    if (word >= words.length) return -1
    const here = words[word]! & (-1 << index)
    if (here !== 0) return (word << 5) | lowest(here)
    const next = word + 1
    let mask = -1 << next
    for (let at = next >> 5; at < summary.length; at++) {
      const some = summary[at]! & mask
      if (some !== 0) {
        const found = (at << 5) | lowest(some)
        return (found << 5) | lowest(words[found]!)
      }
      mask = -1
    }
    return -1
  }
}

/** Number of the lowest bit that is set; there is one. */
function lowest(bits: number): number {
  return 31 - Math.clz32(bits & -bits)
}
