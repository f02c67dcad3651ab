/**
 * Memory: holds the records of the hot path. Each thread has one buffer, viewed as integers and as doubles, from which each
 * simulation takes regions; they are its own until it releases them, and all 0 at first.
 * Why one buffer: V8 compiles address and length of an array in a module constant into the code that reads it, and loads
 * both for each access where an object holds the array (docs/decisions/0013-one-memory.md). For the same reason each
 * module that reads it has a constant of its own: `const ints = INTS`.
 * Units: offsets and lengths count integers of four bytes; a double's index is half of its offset.
 * Invariant: regions do not overlap, and begin at multiples of LINE, where a cache line begins.
 */
import { assert } from './assert.ts'

/** Integers in a cache line. */
export const LINE = 16

/** Size of a thread's buffer. The system provides pages when they are written, so the unused rest costs addresses only. */
const MOST_BYTES = 2 ** 30
/** Where fewer addresses are available (a small device, a limit), the size is halved until it fits, down to this. */
const LEAST_BYTES = 2 ** 20
/** The C library of Linux places a large buffer 16 bytes after the start of a page; a cache line begins 48 bytes later. */
const OFFSET_BYTES = 48

const buffer = largestBuffer(MOST_BYTES)

export const DOUBLES = new Float64Array(buffer, OFFSET_BYTES)
export const INTS = new Int32Array(buffer, OFFSET_BYTES)

function largestBuffer(bytes: number): ArrayBuffer {
  try {
    return new ArrayBuffer(OFFSET_BYTES + bytes)
  } catch (error) {
    if (bytes === LEAST_BYTES) throw error
    return largestBuffer(bytes / 2)
  }
}

/** A run needs more memory than there is. */
export class OutOfMemory extends Error {
  constructor(message: string) {
    super(message)
    this.name = 'OutOfMemory'
  }
}

/** Integers of the largest record, and of the largest region that records are cut from. */
const CHUNK = 4096

interface Region {
  readonly at: number
  readonly length: number
}

/** Free regions, in the order of offsets, no two adjacent. */
const free: Region[] = [{ at: 0, length: INTS.length }]
/** Nothing was ever written from this offset on. */
let freshFrom = 0

/** Frees the regions of a simulation that is garbage-collected without having released them. */
const forgotten = new FinalizationRegistry<Region[]>((regions) => {
  for (const region of regions) giveBack(region)
})

/** One simulation's regions. Users of a region must hold this object: when it is collected, its regions are freed. */
export class Memory {
  private readonly regions: Region[] = []
  private isReleased = false
  /** Offsets of free records, by the binary logarithm of their length. */
  private readonly freeRecords: number[][] = []
  /** Integers taken for records, by the same. */
  private readonly cut: number[] = []

  constructor() {
    forgotten.register(this, this.regions, this)
  }

  /**
   * Takes a region, all 0. Returns its offset.
   * @param length integers
   * @param multiple power of two that divides the offset, so that `offset | index` is `offset + index` for smaller indexes
   * @throws OutOfMemory
   */
  take(length: number, multiple = LINE): number {
    assert(!this.isReleased, 'memory is taken after it was released')
    const region = takeFree(length, multiple)
    this.regions.push(region)
    return region.at
  }

  /** Takes a region whose length is a power of two, `length` or more, at a multiple of that length. */
  takeWhole(length: number): number {
    const whole = length <= LINE ? LINE : 1 << (32 - Math.clz32(length - 1))
    return this.take(whole, whole)
  }

  /**
   * Takes a small region, all 0, whose length is a power of two from LINE to CHUNK, at a multiple of that length. Unlike
   * others it can be released singly, for objects that come and go by the hundred thousand.
   * @throws OutOfMemory
   */
  takeRecord(length: number): number {
    const size = 31 - Math.clz32(length)
    const records = (this.freeRecords[size] ??= [])
    if (records.length === 0) {
      // Doubles their number, so that a simulation of one queue pair takes little.
      const cut = (this.cut[size] ??= 0)
      const more = Math.min(CHUNK, Math.max(length, cut))
      const from = this.take(more, length)
      this.cut[size] = cut + more
      for (let at = from + more - length; at >= from; at -= length) records.push(at)
      return records.pop()!
    }
    const at = records.pop()!
    INTS.fill(0, at, at + length)
    return at
  }

  /** Releases a record of `takeRecord`. Its offset must not be used any more. */
  giveRecord(at: number, length: number): void {
    this.freeRecords[31 - Math.clz32(length)]!.push(at)
  }

  /** Releases all regions. Their offsets must not be used any more. */
  release(): void {
    forgotten.unregister(this)
    this.isReleased = true
    for (const region of this.regions.splice(0)) giveBack(region)
  }
}

function takeFree(length: number, multiple: number): Region {
  for (let i = 0; i < free.length; i++) {
    const { at: from, length: room } = free[i]!
    const at = Math.ceil(from / multiple) * multiple
    // The next region begins at a cache line again.
    const taken = Math.ceil(length / LINE) * LINE
    const behind = from + room - at - taken
    if (behind < 0) continue
    const left = [
      { at: from, length: at - from },
      { at: at + taken, length: behind },
    ]
    free.splice(i, 1, ...left.filter((region) => region.length > 0))
    if (at < freshFrom) INTS.fill(0, at, Math.min(at + taken, freshFrom))
    freshFrom = Math.max(freshFrom, at + taken)
    return { at, length: taken }
  }
  // Too many packets at a time, or finished simulations were not closed.
  const wholeMb = Math.floor(INTS.length / 2 ** 18)
  throw new OutOfMemory(
    `the ${wholeMb} MB for packets, queues and events are full: a smaller network, or fewer packets at a time (smaller buffers, a window); a program closes simulations that are done`,
  )
}

function giveBack(region: Region): void {
  let i = free.findIndex(({ at }) => at > region.at)
  if (i < 0) i = free.length
  free.splice(i, 0, region)
  join(i)
  join(i - 1)
}

/** Joins the free region at an index with the next if they are adjacent. */
function join(i: number): void {
  const first = free[i]
  const second = free[i + 1]
  if (first === undefined || second === undefined || first.at + first.length !== second.at) return
  free.splice(i, 2, { at: first.at, length: first.length + second.length })
}
