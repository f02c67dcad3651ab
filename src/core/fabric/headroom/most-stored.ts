/**
 * Worst filling of a time on the wire: the frames, of any sizes between two limits, that fit into a number of wire bytes
 * and take the most of a buffer. Counted in bytes, large frames take most, since each costs a preamble and a gap;
 * counted in cells, the smallest frames that begin one more cell do.
 * Units: bytes.
 */
import { assert } from '../../base/assert.ts'

export interface WireFilling {
  /** Number of frames. */
  readonly frames: number
  /** Their bytes. */
  readonly frameBytes: number
  /** Bytes that the buffer counts for them; equals frameBytes without cells. */
  readonly storedBytes: number
}

/** Frames that may start one after the other, the next frame beginning at the latest `wireBytes` after the first. */
export interface Frames {
  readonly leastBytes: number
  readonly mostBytes: number
  /** Preamble, start delimiter and gap. */
  readonly gapBytes: number
  /** Size of the buffer's cells; 0: it counts bytes. */
  readonly cellBytes: number
}

/** Bytes that a buffer counts for a frame. */
export function storedBytes(frameBytes: number, cellBytes: number): number {
  return cellBytes === 0 ? frameBytes : Math.ceil(frameBytes / cellBytes) * cellBytes
}

/** Above this many wire bytes the frames that fill best are put in first and only the rest is searched. */
const SEARCH_MAX = 2 ** 21

export function mostStored(budgetBytes: number, frames: Frames): WireFilling {
  assert(frames.leastBytes > 0 && frames.leastBytes <= frames.mostBytes, 'frames have sizes')
  return frames.cellBytes === 0 ? mostBytes(budgetBytes, frames) : mostCells(budgetBytes, frames)
}

/** Either as many largest frames as fit, or one more, whose sizes add up to the whole time. */
function mostBytes(budgetBytes: number, { leastBytes, mostBytes: largest, gapBytes }: Frames): WireFilling {
  const whole = Math.floor(budgetBytes / (largest + gapBytes))
  const filling = (frames: number, frameBytes: number): WireFilling => ({ frames, frameBytes, storedBytes: frameBytes })
  const ofLargest = filling(whole, whole * largest)
  if ((whole + 1) * (leastBytes + gapBytes) > budgetBytes) return ofLargest
  const filled = budgetBytes - (whole + 1) * gapBytes
  return filled > ofLargest.frameBytes ? filling(whole + 1, filled) : ofLargest
}

/** Frames worth sending: of each number of cells the shortest, unless shorter frames take as many cells in as little time. */
interface Item {
  readonly cells: number
  readonly frameBytes: number
  readonly wireBytes: number
}

function itemsOf({ leastBytes, mostBytes: largest, gapBytes, cellBytes }: Frames): Item[] {
  const items: Item[] = []
  const most = Math.ceil(largest / cellBytes)
  /** Fewest wire bytes of the items so far that take a number of cells or more. */
  const fewest = new Float64Array(most + 1)
  const first = Math.ceil(leastBytes / cellBytes)
  for (let cells = first; cells <= most; cells++) {
    const frameBytes = Math.max(leastBytes, (cells - 1) * cellBytes + 1)
    const wireBytes = frameBytes + gapBytes
    const others = items.reduce(
      (least, item) => Math.min(least, item.wireBytes + fewest[cells - item.cells]!),
      Infinity,
    )
    fewest.fill(Math.min(wireBytes, others), cells === first ? 1 : cells, cells + 1)
    if (wireBytes < others) items.push({ cells, frameBytes, wireBytes })
  }
  return items
}

/** An unbounded knapsack over the items. */
function mostCells(budgetBytes: number, frames: Frames): WireFilling {
  const items = itemsOf(frames)
  const densest = items.reduce((a, b) => (b.cells * a.wireBytes > a.cells * b.wireBytes ? b : a))
  const searched = items.length === 1 ? 0 : SEARCH_MAX
  const bulk = Math.max(0, Math.floor((budgetBytes - searched) / densest.wireBytes))
  const best = bestCells(budgetBytes - bulk * densest.wireBytes, items)
  return {
    frames: bulk + best.frames,
    frameBytes: bulk * densest.frameBytes + best.frameBytes,
    storedBytes: (bulk * densest.cells + best.cells) * frames.cellBytes,
  }
}

function bestCells(
  budgetBytes: number,
  items: readonly Item[],
): { readonly frames: number; readonly frameBytes: number; readonly cells: number } {
  const best = new Float64Array(budgetBytes + 1)
  const chosen = new Int32Array(budgetBytes + 1).fill(-1)
  for (let budget = 1; budget <= budgetBytes; budget++) {
    best[budget] = best[budget - 1]!
    items.forEach((item, i) => {
      if (item.wireBytes > budget) return
      const cells = best[budget - item.wireBytes]! + item.cells
      if (cells <= best[budget]!) return
      best[budget] = cells
      chosen[budget] = i
    })
  }
  let frames = 0
  let frameBytes = 0
  for (let budget = budgetBytes; budget > 0;) {
    const item = items[chosen[budget]!]
    budget -= item === undefined ? 1 : item.wireBytes
    if (item === undefined) continue
    frames++
    frameBytes += item.frameBytes
  }
  return { frames, frameBytes, cells: best[budgetBytes]! }
}
