/**
 * Ring: each position sends to the next one and receives from the one before. Reduce-scatter: in step k position r sends part
 * r-1-k and ends with part r; all-gather: in step k it sends part r-k; all-reduce: both, one after the other.
 * Source: Patarasuk and Yuan, "Bandwidth optimal all-reduce algorithms for clusters of workstations" (2009); NCCL's ring, in
 * which slices of a part go on by themselves.
 */
import { type Algorithm, around, bySlice, sliceBytes } from './algorithm.ts'

export const ring: Algorithm = {
  name: 'ring',
  help: 'parts of the buffer go around the group',
  operations: ['all-reduce', 'reduce-scatter', 'all-gather'],
  powerOfTwo: false,
  plan(shape) {
    const { n, operation } = shape
    const { strands, likeOf, channelOf, sliceOf } = bySlice(shape)
    const rounds = operation === 'all-reduce' ? 2 * (n - 1) : n - 1
    // An all-gather begins where a reduce-scatter ends: with part r at position r.
    const firstPart = operation === 'all-gather' ? 0 : -1
    return {
      strands,
      likeOf,
      stepsMost: rounds,
      operationsMost: 2,
      channelOf,
      step(r, strand, k) {
        if (k >= rounds) return null
        const bytesOf = (part: number): number =>
          sliceBytes(shape, n, channelOf(strand), around(part, n), sliceOf(strand))
        const part = r + firstPart - k
        return {
          receives: [{ peer: around(r - 1, n), sizeBytes: bytesOf(part - 1) }],
          sends: [{ peer: around(r + 1, n), sizeBytes: bytesOf(part) }],
        }
      },
    }
  },
}
