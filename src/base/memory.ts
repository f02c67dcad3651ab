/**
 * Memory: where the records of the hot path lie. One buffer for a thread, seen as integers and as doubles, of which
 * each simulation takes regions; they are its own, and all 0 at first, until it gives them back.
 * Why one: V8 writes address and length of an array that a module keeps for good into the code that reads it, and loads
 * both again and again when an object keeps it (docs/decisions/0013-one-memory.md). For the same reason whoever reads
 * it keeps it in a constant of its own module: `const ints = INTS`.
 * Units: offsets and lengths count integers of four bytes; the double at an offset has half of it as its index.
 * Invariant: regions do not overlap, and begin at multiples of LINE, where a cache line begins.
 */
import { assert } from './assert.ts'

/** Integers in a cache line. */
export const LINE = 16

/** What a thread asks for. The system gives pages when they are written, so what is not used costs addresses only. */
const MOST_BYTES = 2 ** 30
/** Where there are not so many addresses (a browser on a small device, a limit), half as many, or half of that, to here. */
const LEAST_BYTES = 2 ** 20
/** The C library of Linux puts a large buffer 16 bytes behind a page's start; so 48 bytes on a line begins. */
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

/** A run takes more memory than there is. */
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

/** What nobody has, in the order of offsets, no two next to each other. */
const free: Region[] = [{ at: 0, length: INTS.length }]
/** From here on nothing was ever written. */
let freshFrom = 0

/** Regions of a simulation that was forgotten before it gave them back. */
const forgotten = new FinalizationRegistry<Region[]>((regions) => {
  for (const region of regions) giveBack(region)
})

/** One simulation's share. Whoever uses a region has to keep this: one that nobody keeps gives its regions back. */
export class Memory {
  private readonly regions: Region[] = []
  private isReleased = false
  /** Offsets of records that are free, by the logarithm of their length. */
  private readonly freeRecords: number[][] = []
  /** Integers that records have been cut from, by the same. */
  private readonly cut: number[] = []

  constructor() {
    forgotten.register(this, this.regions, this)
  }

  /**
   * Offset of a region of its own, all 0.
   * @param length integers.
   * @param multiple the offset is a multiple of this power of two, so that `offset | index` is `offset + index` below it.
   * @throws OutOfMemory
   */
  take(length: number, multiple = LINE): number {
    assert(!this.isReleased, 'memory is taken after it was given back')
    const region = takeFree(length, multiple)
    this.regions.push(region)
    return region.at
  }

  /** Offset of a region whose length is a power of two, `length` or more, and a multiple of it. */
  takeWhole(length: number): number {
    const whole = length <= LINE ? LINE : 1 << (32 - Math.clz32(length - 1))
    return this.take(whole, whole)
  }

  /**
   * Offset of a small region whose length is a power of two from LINE to CHUNK, and a multiple of it, all 0. Unlike
   * others it may be given back on its own, for who comes and goes by the hundred thousand.
   * @throws OutOfMemory
   */
  takeRecord(length: number): number {
    const size = 31 - Math.clz32(length)
    const records = (this.freeRecords[size] ??= [])
    if (records.length === 0) {
      // As many again as there are: a simulation of one queue pair takes little.
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

  /** Gives a record of `takeRecord` back. Whoever keeps its offset must not use it any more. */
  giveRecord(at: number, length: number): void {
    this.freeRecords[31 - Math.clz32(length)]!.push(at)
  }

  /** Gives all of it back. Whoever keeps an offset must not use it any more. */
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
    // What follows begins at a line again.
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
  // A run has too many packets at a time, or simulations that are done were not closed.
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

/** The free region at a place and the next become one if they touch. */
function join(i: number): void {
  const first = free[i]
  const second = free[i + 1]
  if (first === undefined || second === undefined || first.at + first.length !== second.at) return
  free.splice(i, 2, { at: first.at, length: first.length + second.length })
}
