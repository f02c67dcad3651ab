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
  /** What the buffer counts for them; equals frameBytes without cells. */
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

/** An unbounded knapsack: of each number of cells the shortest frame is the only one worth sending. */
function mostCells(budgetBytes: number, { leastBytes, mostBytes: largest, gapBytes, cellBytes }: Frames): WireFilling {
  const firstCells = Math.ceil(leastBytes / cellBytes)
  const items = Array.from({ length: Math.ceil(largest / cellBytes) - firstCells + 1 }, (_, i) => {
    const cells = firstCells + i
    const frameBytes = Math.max(leastBytes, (cells - 1) * cellBytes + 1)
    return { cells, frameBytes, wireBytes: frameBytes + gapBytes }
  })
  const densest = items.reduce((a, b) => (b.cells * a.wireBytes > a.cells * b.wireBytes ? b : a))
  const bulk = Math.max(0, Math.floor((budgetBytes - SEARCH_MAX) / densest.wireBytes))
  const rest = budgetBytes - bulk * densest.wireBytes
  const best = new Float64Array(rest + 1)
  const chosen = new Int32Array(rest + 1).fill(-1)
  for (let budget = 1; budget <= rest; budget++) {
    best[budget] = best[budget - 1]!
    items.forEach((item, i) => {
      if (item.wireBytes > budget) return
      const cells = best[budget - item.wireBytes]! + item.cells
      if (cells <= best[budget]!) return
      best[budget] = cells
      chosen[budget] = i
    })
  }
  let frames = bulk
  let frameBytes = bulk * densest.frameBytes
  let cells = bulk * densest.cells
  for (let budget = rest; budget > 0; ) {
    const item = items[chosen[budget]!]
    budget -= item === undefined ? 1 : item.wireBytes
    if (item === undefined) continue
    frames++
    frameBytes += item.frameBytes
    cells += item.cells
  }
  return { frames, frameBytes, storedBytes: cells * cellBytes }
}
