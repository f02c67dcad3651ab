/**
 * Algorithm: how a collective's bytes go between the positions of a group. One file per family; index.ts lists all.
 * Shares: E elements in n parts: part i has floor(E/n), and one more if i < E mod n. Channels share the buffer, parts the
 * channel's share, slices the part.
 */
import type { CollectiveName } from '../../collective-names.ts'
import type { Matrix } from './matrix.ts'
import type { StepPlan } from '../step-run.ts'

/** The collective to plan. */
export interface Shape {
  readonly operation: CollectiveName
  /** Positions of the group. */
  readonly n: number
  readonly elements: number
  readonly elementBytes: number
  readonly channels: number
  readonly slices: number
  /** Order in which an all-to-all posts: from the next position on, or from position 0. */
  readonly order: 'rotated' | 'ascending'
  /** Consecutive positions of a node, for algorithms that know of nodes. */
  readonly nodeSize: number
  /** Consecutive positions of a chain, of which the first is in the trees; 1: each is. */
  readonly chained: number
  /** Bytes from each position to each; null: the operation has one size. */
  readonly matrix: Matrix | null
}

export interface Algorithm {
  readonly name: string
  readonly help: string
  readonly operations: readonly CollectiveName[]
  /** null: any number of positions. */
  readonly powerOfTwo: boolean
  /** The positions are whole nodes. Absent: it knows of no nodes. */
  readonly wholeNodes?: boolean
  readonly plan: (shape: Shape) => StepPlan
}

/** Elements of part i, where n parts share them. */
export function share(elements: number, n: number, i: number): number {
  return Math.floor(elements / n) + (i < elements % n ? 1 : 0)
}

/** Bytes of a slice of a part of a channel, where the channel's share is cut into `parts`. */
export function sliceBytes(shape: Shape, parts: number, channel: number, part: number, slice: number): number {
  const { elements, elementBytes, channels, slices } = shape
  return share(share(share(elements, channels, channel), parts, part), slices, slice) * elementBytes
}

/** Strands of a plan that has one for each slice of each channel, and the two of a strand. */
export function bySlice({ channels, slices, elements, matrix }: Shape) {
  const larger = elements % channels
  return {
    strands: channels * slices,
    // Channels have one of two shares of the buffer; the shares of a matrix differ cell by cell.
    likeOf: (strand: number): number => {
      if (matrix !== null) return strand
      const channel = Math.floor(strand / slices)
      return (channel < larger ? 0 : larger) * slices + (strand % slices)
    },
    channelOf: (strand: number): number => Math.floor(strand / slices),
    sliceOf: (strand: number): number => strand % slices,
  }
}

/** Position i, counted around a ring of n. */
export function around(i: number, n: number): number {
  return ((i % n) + n) % n
}

/** Whole part of the logarithm to base 2 of n, 1 or more. */
export function log2Floor(n: number): number {
  return 31 - Math.clz32(n)
}

/** The least k with 2^k not below n. */
export function log2Ceil(n: number): number {
  return n <= 1 ? 0 : 32 - Math.clz32(n - 1)
}
