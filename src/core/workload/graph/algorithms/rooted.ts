/**
 * Collectives with a root, position 0, and the barrier. Chain: each position passes slices on. Binomial: in round k positions
 * below 2^k send the buffer to r+2^k, each its own sends one after the other; a reduce runs it backwards. Direct: the root
 * sends each position its part, or gets it. Dissemination: in step k each position sends a byte to r+2^k.
 */
import type { Step } from '../step-run.ts'
import { type Algorithm, around, bySlice, log2Ceil, log2Floor, type Shape, sliceBytes } from './algorithm.ts'

const NOTHING: Step = { receives: [], sends: [] }

/** Bytes of a slice of the whole buffer. */
function wholeBytes(shape: Shape, strand: number): number {
  const { channelOf, sliceOf } = bySlice(shape)
  return sliceBytes(shape, 1, channelOf(strand), 0, sliceOf(strand))
}

export const chain: Algorithm = {
  name: 'chain',
  help: 'each position passes slices on to the next',
  operations: ['broadcast', 'reduce'],
  powerOfTwo: false,
  plan(shape) {
    const { n, operation } = shape
    const { strands, likeOf, channelOf } = bySlice(shape)
    const forward = operation === 'broadcast' ? 1 : -1
    return {
      strands,
      likeOf,
      stepsMost: 2,
      operationsMost: 1,
      channelOf,
      step(r, strand, at): Step | null {
        const sizeBytes = wholeBytes(shape, strand)
        const isIn = (peer: number): boolean => peer >= 0 && peer < n
        if (at === 0) return { ...NOTHING, receives: isIn(r - forward) ? [{ peer: r - forward, sizeBytes }] : [] }
        if (at === 1) return { ...NOTHING, sends: isIn(r + forward) ? [{ peer: r + forward, sizeBytes }] : [] }
        return null
      },
    }
  },
}

export const binomial: Algorithm = {
  name: 'binomial',
  help: 'as many positions have the buffer in each round as had it before, once more',
  operations: ['broadcast', 'reduce'],
  powerOfTwo: false,
  plan(shape) {
    const { n, operation } = shape
    const { strands, likeOf, channelOf } = bySlice(shape)
    const rounds = log2Ceil(n)
    /** Round in which a position gets the buffer; -1: the root has it. */
    const roundOf = (r: number): number => (r === 0 ? -1 : log2Floor(r))
    return {
      strands,
      likeOf,
      stepsMost: rounds + 1,
      operationsMost: Math.max(1, rounds),
      channelOf,
      step(r, strand, at): Step | null {
        const sizeBytes = wholeBytes(shape, strand)
        const first = roundOf(r)
        const parent = first < 0 ? [] : [{ peer: r - 2 ** first, sizeBytes }]
        const later = Array.from({ length: rounds - first - 1 }, (_, i) => r + 2 ** (first + 1 + i))
        const children = later.filter((peer) => peer < n).map((peer) => ({ peer, sizeBytes }))
        if (operation === 'reduce') {
          if (at === 0) return { receives: children, sends: [] }
          return at === 1 ? { receives: [], sends: parent } : null
        }
        if (at === 0) return { receives: parent, sends: [] }
        const child = children[at - 1]
        return child === undefined ? null : { receives: [], sends: [child], isAcknowledged: true }
      },
    }
  },
}

export const direct: Algorithm = {
  name: 'direct',
  help: 'between the root and each other position',
  operations: ['gather', 'scatter'],
  powerOfTwo: false,
  plan(shape) {
    const { n, operation } = shape
    const { strands, likeOf, channelOf, sliceOf } = bySlice(shape)
    return {
      strands,
      likeOf,
      stepsMost: 1,
      operationsMost: Math.max(1, n - 1),
      channelOf,
      step(r, strand, at): Step | null {
        if (at > 0) return null
        const bytesOf = (part: number): number => sliceBytes(shape, n, channelOf(strand), part, sliceOf(strand))
        const others = Array.from({ length: n - 1 }, (_, i) => ({ peer: i + 1, sizeBytes: bytesOf(i + 1) }))
        const own = [{ peer: 0, sizeBytes: bytesOf(r) }]
        const [atRoot, atOther] = r === 0 ? [others, []] : [[], own]
        return operation === 'gather' ? { receives: atRoot, sends: atOther } : { receives: atOther, sends: atRoot }
      },
    }
  },
}

export const dissemination: Algorithm = {
  name: 'dissemination',
  help: 'in step k a byte to r+2^k',
  operations: ['barrier'],
  powerOfTwo: false,
  plan({ n }) {
    const rounds = log2Ceil(n)
    return {
      strands: 1,
      likeOf: () => 0,
      stepsMost: Math.max(1, rounds),
      operationsMost: 2,
      channelOf: () => 0,
      step(r, _strand, k) {
        if (k >= rounds) return null
        return {
          receives: [{ peer: around(r - 2 ** k, n), sizeBytes: 1 }],
          sends: [{ peer: around(r + 2 ** k, n), sizeBytes: 1 }],
        }
      },
    }
  },
}
