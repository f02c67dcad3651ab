/**
 * Double binary tree: two trees, half of the buffer each. A block goes up when that of all children is there, turns at the
 * root, and goes down. An inner position of one tree is a leaf of the other, as far as that can be.
 * Source: Sanders, Speck and Traeff, "Two-tree algorithms for full bandwidth broadcast, reduction and scan" (2009); the shape
 * of NCCL's trees (src/graph/trees.cc).
 */
import type { Step, Transfer } from '../step-run.ts'
import { type Algorithm, around, bySlice, log2Ceil, type Shape, sliceBytes } from './algorithm.ts'

/** A position's parent in a tree, -1 at the root, and children. */
export interface TreeNode {
  readonly parent: number
  readonly children: readonly number[]
}

/**
 * The first tree: root 0 has one child, the largest power of two below n. Another position's distance to its parent and
 * children follows from its lowest bit.
 */
function firstTree(r: number, n: number): TreeNode {
  if (n === 1) return { parent: -1, children: [] }
  if (r === 0) return { parent: -1, children: [2 ** (log2Ceil(n) - 1)] }
  const bit = r & -r
  const above = (r ^ bit) | (2 * bit)
  const children: number[] = []
  let low = bit >> 1
  if (low > 0) children.push(r - low)
  while (low > 0 && r + low >= n) low >>= 1
  if (low > 0) children.push(r + low)
  return { parent: above < n ? above : r ^ bit, children }
}

/** The second tree mirrors the first if n is even, and is shifted by one if it is odd. */
export function treeNode(tree: number, r: number, n: number): TreeNode {
  if (tree === 0) return firstTree(r, n)
  const mirrored = n % 2 === 0 ? n - 1 - r : around(r - 1, n)
  const back = (at: number): number => (n % 2 === 0 ? n - 1 - at : around(at + 1, n))
  const { parent, children } = firstTree(mirrored, n)
  return { parent: parent < 0 ? -1 : back(parent), children: children.map(back) }
}

/** A node of a tree of chains, each of which reduces to its first position and gets the sum from there. */
function chainedNode(tree: number, at: number, n: number, length: number): TreeNode {
  const next = (at + 1) % length === 0 ? [] : [at + 1]
  if (at % length > 0) return { parent: at - 1, children: next }
  const { parent, children } = treeNode(tree, at / length, n / length)
  return { parent: parent < 0 ? -1 : parent * length, children: [...next, ...children.map((each) => each * length)] }
}

export const doubleTree: Algorithm = {
  name: 'double-binary-tree',
  help: 'up and down two trees, half of the buffer each, in blocks (slices)',
  operations: ['all-reduce'],
  powerOfTwo: false,
  plan(shape: Shape) {
    const { n, chained } = shape
    const { strands, likeOf, channelOf, sliceOf } = bySlice(shape)
    const nodes = [0, 1].map((tree) => Array.from({ length: n }, (_, r) => chainedNode(tree, r, n, chained)))
    return {
      strands: 2 * strands,
      likeOf: (strand) => 2 * likeOf(strand >> 1) + (strand & 1),
      stepsMost: 3,
      operationsMost: 3,
      channelOf: (strand) => channelOf(strand >> 1),
      step(r, strand, at): Step | null {
        const tree = strand & 1
        const { parent, children } = nodes[tree]![r]!
        const sizeBytes = sliceBytes(shape, 2, channelOf(strand >> 1), tree, sliceOf(strand >> 1))
        const toAll = (peers: readonly number[]): Transfer[] => peers.map((peer) => ({ peer, sizeBytes }))
        if (at === 0) return { receives: toAll(children), sends: [] }
        if (at === 1)
          return parent < 0 ? { receives: [], sends: [] } : { receives: toAll([parent]), sends: toAll([parent]) }
        return at === 2 ? { receives: [], sends: toAll(children) } : null
      },
    }
  },
}
