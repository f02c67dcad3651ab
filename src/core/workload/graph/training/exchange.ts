/**
 * Exchange of a mixture of experts: dispatch sends each token to the ranks of its experts, one copy for each; combine sends
 * results the opposite way. Forwarded, one copy goes to the same rail of each node, and from there to the ranks inside;
 * results are summed there before they leave the node.
 * Source: DeepEP, README and its normal kernels.
 */
import { algorithms } from '../algorithms/index.ts'
import { share } from '../algorithms/algorithm.ts'
import type { Matrix } from '../algorithms/matrix.ts'
import type { Step, StepPlan, Transfer } from '../step-run.ts'
import type { Routing } from './routing.ts'

export type Direction = 'dispatch' | 'combine'

/** Whose messages go straight from rank to rank. */
export const STRAIGHT = ['full', 'shift', 'pairwise'] as const

export interface Exchange {
  readonly routing: Routing
  /** One copy of a token. */
  readonly copyBytes: number
  /** Pieces of each message that go on by themselves. */
  readonly slices: number
  readonly direction: Direction
}

export function straightMatrix({ routing: { toRank }, copyBytes, direction }: Exchange): Matrix {
  return toRank.map((row, a) =>
    row.map((tokens, b) => (direction === 'dispatch' ? tokens : toRank[b]![a]!) * copyBytes),
  )
}

export function straightPlan(exchange: Exchange, algorithm: (typeof STRAIGHT)[number]): StepPlan {
  const { copyBytes, slices } = exchange
  const matrix = straightMatrix(exchange)
  return algorithms
    .find(({ name }) => name === algorithm)!
    .plan({
      operation: 'all-to-all-v',
      n: matrix.length,
      elements: 0,
      elementBytes: copyBytes,
      channels: 1,
      slices,
      order: 'rotated',
      nodeSize: 1,
      chained: 1,
      matrix,
    })
}

/** Between nodes alone: copies for a node go to the rank on the same rail. */
export function forwardedMatrix({ routing: { toNode }, copyBytes, direction }: Exchange, nodeSize: number): Matrix {
  const n = toNode.length
  const copies = (from: number, to: number): number =>
    from % nodeSize === to % nodeSize && from !== to ? toNode[from]![Math.floor(to / nodeSize)]! : 0
  return Array.from({ length: n }, (_, a) =>
    Array.from({ length: n }, (__, b) => copyBytes * (direction === 'dispatch' ? copies(a, b) : copies(b, a))),
  )
}

export function forwardedPlan(exchange: Exchange, nodeSize: number): StepPlan {
  const { routing, copyBytes, slices, direction } = exchange
  const { toRank, toNode } = routing
  const n = toRank.length
  const nodes = n / nodeSize
  const rail = (r: number): number[] => Array.from({ length: nodes }, (_, node) => node * nodeSize + (r % nodeSize))
  const inside = (r: number): number[] => Array.from({ length: nodeSize }, (_, i) => r - (r % nodeSize) + i)
  /** Copies from one rail's ranks that a rank passes on to another of its node. */
  const passed = (via: number, to: number): number => rail(via).reduce((sum, from) => sum + toRank[from]![to]!, 0)
  return {
    strands: slices,
    stepsMost: 2,
    operationsMost: 2 * (Math.max(nodes, nodeSize) - 1),
    channelOf: () => 0,
    likeOf: (strand) => strand,
    step(r, slice, at): Step | null {
      if (at > 1) return null
      const isOutside = (at === 0) === (direction === 'dispatch')
      // Nearest ones first, as in a full exchange, so that not all begin with the same.
      const others = rotated(isOutside ? rail(r) : inside(r), r)
      const tokens = (from: number, to: number): number =>
        isOutside ? toNode[from]![Math.floor(to / nodeSize)]! : passed(from, to)
      const bytes = (copies: number): number => share(copies, slices, slice) * copyBytes
      const away = others.map((peer): Transfer => ({ peer, sizeBytes: bytes(tokens(r, peer)) }))
      const back = others.map((peer): Transfer => ({ peer, sizeBytes: bytes(tokens(peer, r)) }))
      return direction === 'dispatch' ? { sends: away, receives: back } : { sends: back, receives: away }
    },
  }
}

/** Those after r, then those before it. */
function rotated(ranks: readonly number[], r: number): number[] {
  return [...ranks.filter((each) => each > r), ...ranks.filter((each) => each < r)]
}
