/**
 * HOT. LRU cache: which of many numbered things a small memory holds, when each new one takes the place of the one that
 * was used longest ago. A hash table with chains, and a list in the order of use; nothing is allocated after the start.
 * Keys are whole numbers from 0 below 2^53.
 */

const NONE = -1

export class LruCache {
  readonly entries: number
  private readonly keys: Float64Array
  /** First slot of each bucket, and the next slot of the same bucket. */
  private readonly buckets: Int32Array
  private readonly chain: Int32Array
  /** Neighbours in the order of use. */
  private readonly older: Int32Array
  private readonly newer: Int32Array
  private newest = NONE
  private oldest = NONE
  private used = 0

  /** @param entries things that fit, at least 1 */
  constructor(entries: number) {
    this.entries = entries
    this.keys = new Float64Array(entries)
    this.chain = new Int32Array(entries).fill(NONE)
    this.older = new Int32Array(entries).fill(NONE)
    this.newer = new Int32Array(entries).fill(NONE)
    let buckets = 1
    while (buckets < 2 * entries) buckets *= 2
    this.buckets = new Int32Array(buckets).fill(NONE)
  }

  /** Number of things in it. */
  get size(): number {
    return this.used
  }

  /** Uses a thing. @returns whether it was there; if not, it is from now on, in the place of the oldest. */
  touch(key: number): boolean {
    const bucket = this.bucketOf(key)
    for (let slot = this.buckets[bucket]!; slot !== NONE; slot = this.chain[slot]!) {
      if (this.keys[slot] !== key) continue
      if (slot !== this.newest) {
        this.unlink(slot)
        this.link(slot)
      }
      return true
    }
    const slot = this.used < this.entries ? this.used++ : this.evict()
    this.keys[slot] = key
    this.chain[slot] = this.buckets[bucket]!
    this.buckets[bucket] = slot
    this.link(slot)
    return false
  }

  /** Empties it. */
  clear(): void {
    this.buckets.fill(NONE)
    this.newest = NONE
    this.oldest = NONE
    this.used = 0
  }

  /** Frees the slot of the thing that was used longest ago. */
  private evict(): number {
    const slot = this.oldest
    this.unlink(slot)
    const bucket = this.bucketOf(this.keys[slot]!)
    if (this.buckets[bucket] === slot) this.buckets[bucket] = this.chain[slot]!
    else {
      let before = this.buckets[bucket]!
      while (this.chain[before] !== slot) before = this.chain[before]!
      this.chain[before] = this.chain[slot]!
    }
    return slot
  }

  private link(slot: number): void {
    this.older[slot] = this.newest
    this.newer[slot] = NONE
    if (this.newest === NONE) this.oldest = slot
    else this.newer[this.newest] = slot
    this.newest = slot
  }

  private unlink(slot: number): void {
    const older = this.older[slot]!
    const newer = this.newer[slot]!
    if (older === NONE) this.oldest = newer
    else this.newer[older] = newer
    if (newer === NONE) this.newest = older
    else this.older[newer] = older
  }

  private bucketOf(key: number): number {
    const low = (key % 4294967296) | 0
    const high = (key / 4294967296) | 0
    const mixed = Math.imul(low ^ Math.imul(high, 0x85ebca6b), 0x9e3779b1)
    return (mixed ^ (mixed >>> 15)) & (this.buckets.length - 1)
  }
}
