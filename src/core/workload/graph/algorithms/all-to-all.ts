/**
 * All-to-all: position r sends part d of its buffer to position d, and keeps its own. Full: all at once. Shift: in step k to
 * r+k and from r-k; pairwise: with r xor k. Steps go on after the own receive and the own acknowledgement.
 * An all-gather sends its own part to all; an all-to-all-v what a matrix says.
 */
import type { Step, Transfer } from '../step-run.ts'
import { type Algorithm, around, bySlice, type Shape, share, sliceBytes } from './algorithm.ts'

/** Bytes that `from` sends to `to` in a strand. */
type BytesOf = (from: number, to: number, strand: number) => number

function bytesOf(shape: Shape): BytesOf {
  const { channelOf, sliceOf } = bySlice(shape)
  const { matrix, channels, slices, elementBytes } = shape
  if (matrix !== null)
    return (from, to, strand) => {
      const ofChannel = share(matrix[from]![to]! / elementBytes, channels, channelOf(strand))
      return share(ofChannel, slices, sliceOf(strand)) * elementBytes
    }
  const isGather = shape.operation === 'all-gather'
  return (from, to, strand) => sliceBytes(shape, shape.n, channelOf(strand), isGather ? from : to, sliceOf(strand))
}

export const full: Algorithm = {
  name: 'full',
  help: 'all messages at once',
  operations: ['all-to-all', 'all-gather', 'all-to-all-v'],
  powerOfTwo: false,
  plan(shape) {
    const { n, order } = shape
    const { strands, likeOf, channelOf } = bySlice(shape)
    const bytes = bytesOf(shape)
    const peers = (r: number): number[] => {
      const rotated = Array.from({ length: n - 1 }, (_, k) => around(r + 1 + k, n))
      return order === 'rotated' ? rotated : rotated.toSorted((a, b) => a - b)
    }
    return {
      strands,
      likeOf,
      stepsMost: 1,
      operationsMost: Math.max(1, 2 * (n - 1)),
      channelOf,
      step(r, strand, k): Step | null {
        if (k > 0) return null
        const sends: Transfer[] = peers(r).map((peer) => ({ peer, sizeBytes: bytes(r, peer, strand) }))
        const receives: Transfer[] = peers(r).map((peer) => ({ peer, sizeBytes: bytes(peer, r, strand) }))
        return { receives, sends }
      },
    }
  },
}

/** One partner in each of n-1 steps. */
const stepwise = (
  name: string,
  help: string,
  powerOfTwo: boolean,
  partners: (r: number, k: number, n: number) => { readonly to: number; readonly from: number },
): Algorithm => ({
  name,
  help,
  operations: ['all-to-all', 'all-gather', 'all-to-all-v'],
  powerOfTwo,
  plan(shape) {
    const { n } = shape
    const { strands, likeOf, channelOf } = bySlice(shape)
    const bytes = bytesOf(shape)
    return {
      strands,
      likeOf,
      stepsMost: Math.max(1, n - 1),
      operationsMost: 2,
      channelOf,
      step(r, strand, at) {
        if (at >= n - 1) return null
        const { to, from } = partners(r, at + 1, n)
        return {
          receives: [{ peer: from, sizeBytes: bytes(from, r, strand) }],
          sends: [{ peer: to, sizeBytes: bytes(r, to, strand) }],
          isAcknowledged: true,
        }
      },
    }
  },
})

export const shift: Algorithm = stepwise('shift', 'in step k to r+k and from r-k', false, (r, k, n) => ({
  to: around(r + k, n),
  from: around(r - k, n),
}))

export const pairwise: Algorithm = stepwise('pairwise', 'in step k with r xor k', true, (r, k) => ({
  to: r ^ k,
  from: r ^ k,
}))
