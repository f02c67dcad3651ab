/**
 * Flow sizes: how many bytes a message has, as a distribution.
 * Every distribution here is a row of pieces, uniform or log-uniform; a sample is rounded to whole bytes, 1 at least.
 * One sample takes one uniform draw, so that another distribution moves no other draw of the same stream.
 */
import { assert } from '../../base/assert.ts'
import { mostOf } from '../../base/extremes.ts'
import { exp, ln } from '../../base/math.ts'
import type { Definition, ParamFields, ValuesOf } from '../../base/params.ts'
import type { RandomStream } from '../../base/random.ts'

export interface SizeDistribution {
  /** Mean of the continuous law, bytes; rounding to whole bytes moves it by less than one. */
  readonly meanBytes: number
  /** No message is larger. */
  readonly largestBytes: number
  /**
   * Mean bytes on the wire when a message is cut into packets of `payloadBytes` and each carries `overheadBytes` more.
   * Exact for the rounded sizes: the expected number of packets is the sum of P(size > k * payload) over k >= 0.
   */
  meanWireBytes(payloadBytes: number, overheadBytes: number): number
  /** Whole bytes, 1 or more. */
  sample(stream: RandomStream): number
}

export interface SizesDefinition<N extends string = string, F extends ParamFields = ParamFields> extends Definition<
  N,
  F
> {
  /** Problems that limits cannot express are thrown as InputError, with paths inside the values. */
  create(values: ValuesOf<F>): SizeDistribution
}

/** Registers nothing: gives the definition its type. List it in sizes/index.ts. */
export function defineSizes<const N extends string, F extends ParamFields>(
  definition: SizesDefinition<N, F>,
): SizesDefinition<N, F> {
  return definition
}

/** A part of a distribution: sizes in [lowBytes, highBytes] with probability `weight`. Log-uniform needs lowBytes > 0. */
export interface Piece {
  readonly weight: number
  readonly lowBytes: number
  readonly highBytes: number
  readonly shape: 'uniform' | 'log-uniform'
}

/** The distribution made of these pieces; weights add up to 1, sizes ascend. */
export function piecewise(pieces: readonly Piece[]): SizeDistribution {
  const ends: number[] = []
  let sum = 0
  let meanBytes = 0
  for (const piece of pieces) {
    assert(piece.highBytes >= piece.lowBytes, 'a piece of a size distribution ascends')
    sum += piece.weight
    ends.push(sum)
    meanBytes += piece.weight * meanOf(piece)
  }
  assert(Math.abs(sum - 1) < 1e-9, 'the pieces of a size distribution have weight 1 together')
  return {
    meanBytes,
    largestBytes: Math.max(1, mostOf(pieces.map(({ highBytes }) => Math.round(highBytes)))),
    meanWireBytes(payloadBytes, overheadBytes) {
      let packets = 0
      for (const piece of pieces) packets += piece.weight * meanPackets(piece, payloadBytes)
      return meanBytes + overheadBytes * packets
    },
    sample(stream) {
      const u = stream.uniform() * sum
      let index = 0
      while (index < pieces.length - 1 && u >= ends[index]!) index++
      const piece = pieces[index]!
      const position = (u - (index === 0 ? 0 : ends[index - 1]!)) / piece.weight
      return Math.max(1, Math.round(Math.min(quantile(piece, position), piece.highBytes)))
    },
  }
}

function meanOf({ lowBytes, highBytes, shape }: Piece): number {
  if (shape === 'uniform' || highBytes === lowBytes) return (lowBytes + highBytes) / 2
  return (highBytes - lowBytes) / ln(highBytes / lowBytes)
}

function quantile({ lowBytes, highBytes, shape }: Piece, position: number): number {
  if (shape === 'uniform' || highBytes === lowBytes) return lowBytes + position * (highBytes - lowBytes)
  return lowBytes * exp(position * ln(highBytes / lowBytes))
}

/** Expected number of packets: 1 + sum over k >= 1 of P(x >= k * payload + 1/2), the half from rounding. */
function meanPackets({ lowBytes, highBytes, shape }: Piece, payloadBytes: number): number {
  const certain = Math.max(0, Math.floor((lowBytes - 0.5) / payloadBytes))
  const last = Math.max(certain, Math.ceil((highBytes - 0.5) / payloadBytes) - 1)
  const count = last - certain
  if (count === 0) return 1 + certain
  if (shape === 'uniform') {
    // An arithmetic series: P falls by the same amount from each k to the next.
    const middle = (payloadBytes * (certain + 1 + last)) / 2 + 0.5
    return 1 + certain + (count * (highBytes - middle)) / (highBytes - lowBytes)
  }
  let sum = 0
  for (let k = certain + 1; k <= last; k++) sum += ln(highBytes / (k * payloadBytes + 0.5))
  return 1 + certain + sum / ln(highBytes / lowBytes)
}
