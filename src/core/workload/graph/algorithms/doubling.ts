/**
 * Halving-doubling: partners at distance 2^b exchange halves of what is left to reduce, then twice as much each time.
 * Where n is no power of two, positions from 2^K on first give their buffer to a partner, and last get the result back.
 * Recursive doubling: partners exchange the whole buffer in each step.
 * Source: Thakur, Rabenseifner and Gropp, "Optimization of collective communication operations in MPICH" (2005).
 */
import type { Step } from '../step-run.ts'
import { type Algorithm, bySlice, log2Floor, type Shape, sliceBytes } from './algorithm.ts'

/** Largest power of two that is not above n. */
function coreOf(n: number): number {
  return 2 ** log2Floor(n)
}

/** Bytes of parts `from` to `to` - 1 of the slice. */
function rangeBytes(shape: Shape, parts: number, channel: number, slice: number, from: number, to: number): number {
  let sum = 0
  for (let part = from; part < to; part++) sum += sliceBytes(shape, parts, channel, part, slice)
  return sum
}

export const halvingDoubling: Algorithm = {
  name: 'halving-doubling',
  help: 'partners exchange halves, quarters, ... and back',
  operations: ['all-reduce'],
  powerOfTwo: false,
  plan(shape) {
    const { n } = shape
    const { strands, likeOf, channelOf, sliceOf } = bySlice(shape)
    const core = coreOf(n)
    const bits = log2Floor(core)
    const extra = n > core ? 1 : 0
    return {
      strands,
      likeOf,
      stepsMost: 2 * bits + 2 * extra,
      operationsMost: 2,
      channelOf,
      step(r, strand, at): Step | null {
        if (at >= 2 * bits + 2 * extra) return null
        const bytesOf = (from: number, to: number): number =>
          rangeBytes(shape, core, channelOf(strand), sliceOf(strand), from, to)
        const whole = (peer: number) => [{ peer, sizeBytes: bytesOf(0, core) }]
        const isFirst = extra === 1 && at === 0
        const isLast = extra === 1 && at === 2 * bits + 1
        if (r >= core) {
          if (isFirst) return { receives: [], sends: whole(r - core) }
          return isLast ? { receives: whole(r - core), sends: [] } : NOTHING
        }
        if (isFirst) return r + core < n ? { receives: whole(r + core), sends: [] } : NOTHING
        if (isLast) return r + core < n ? { receives: [], sends: whole(r + core) } : NOTHING
        const k = at - extra
        const isHalving = k < bits
        const width = 2 ** (isHalving ? bits - 1 - k : k - bits)
        const peer = r ^ width
        // The parts that are kept after halving, or had before doubling: those with the position's bits from this one up.
        const own = Math.floor(r / width) * width
        const other = Math.floor(peer / width) * width
        const [kept, given] = [bytesOf(own, own + width), bytesOf(other, other + width)]
        return isHalving
          ? { receives: [{ peer, sizeBytes: kept }], sends: [{ peer, sizeBytes: given }] }
          : { receives: [{ peer, sizeBytes: given }], sends: [{ peer, sizeBytes: kept }] }
      },
    }
  },
}

const NOTHING: Step = { receives: [], sends: [] }

export const recursiveDoubling: Algorithm = {
  name: 'recursive-doubling',
  help: 'partners exchange the whole buffer',
  operations: ['all-reduce'],
  powerOfTwo: true,
  plan(shape) {
    const { strands, likeOf, channelOf, sliceOf } = bySlice(shape)
    const bits = log2Floor(shape.n)
    return {
      strands,
      likeOf,
      stepsMost: Math.max(1, bits),
      operationsMost: 2,
      channelOf,
      step(r, strand, k) {
        if (k >= bits) return null
        const transfer = { peer: r ^ (2 ** k), sizeBytes: sliceBytes(shape, 1, channelOf(strand), 0, sliceOf(strand)) }
        return { receives: [transfer], sends: [transfer] }
      },
    }
  },
}
