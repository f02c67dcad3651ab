/** Plan: the collective that options ask for, with its algorithm. */
import type { CollectiveName } from '../../collective-names.ts'
import type { Collective } from '../step-run.ts'
import { type Algorithm, log2Floor } from './algorithm.ts'
import { algorithms } from './index.ts'
import type { Matrix } from './matrix.ts'
import { permuted } from './permuted.ts'

/** GPUs of most servers. */
export const NODE_SIZE = 8

export interface CollectiveOptions {
  readonly operation: CollectiveName
  /** Name of an algorithm, or "default": the first that has the operation. */
  readonly algorithm: string
  /** The whole buffer; a multiple of elementBytes. */
  readonly sizeBytes: number
  readonly elementBytes: number
  readonly channels: number
  readonly slices: number
  readonly order?: 'rotated' | 'ascending'
  /** Consecutive positions of a node, for algorithms that know of nodes; absent: 8. */
  readonly nodeSize?: number
  /** Consecutive positions of a chain, of which the first is in the trees; absent: each is. */
  readonly chained?: number | undefined
  /** Bytes from each position to each, multiples of elementBytes; absent: the operation has one size. */
  readonly matrix?: Matrix | null
  /** By channel: position of the group at each position of the algorithm; absent: the same. */
  readonly orders?: readonly Int32Array[] | undefined
}

/** Each piece has an object and messages of its own: more of them fill the memory before the first is sent. */
const PIECES_MAX = 2 ** 21

/** A mistake in the choice of an algorithm for a group of n. */
export interface AlgorithmProblem {
  /** The option that is wrong. */
  readonly path: 'algorithm' | 'slices'
  readonly expected: string
  readonly received: string
}

export function algorithmProblem(options: CollectiveOptions | Collective, n: number): AlgorithmProblem | null {
  if ('plan' in options) return null
  const { operation, algorithm, nodeSize = NODE_SIZE, channels, slices } = options
  const able = algorithmsFor(operation)
  const found = find(operation, algorithm)
  const wrong = (expected: string, received: string): AlgorithmProblem => ({ path: 'algorithm', expected, received })
  if (found === undefined) return wrong(`one with ${operation}: ${able.map(({ name }) => name).join(', ')}`, algorithm)
  if (found.powerOfTwo && n !== 2 ** log2Floor(n))
    return wrong(`one for ${n} positions, which are no power of two`, found.name)
  if (found.wholeNodes === true && n % nodeSize !== 0)
    return wrong(`one for ${n} positions, which are no whole nodes of ${nodeSize}`, found.name)
  const pieces = n * channels * slices
  const expected = `at most ${PIECES_MAX} pieces under way: ranks x channels x slices`
  return pieces > PIECES_MAX ? { path: 'slices', expected, received: `${pieces}` } : null
}

/** The collective of n positions; algorithmProblem must be null. One that is planned is as it is. */
export function planOf(options: CollectiveOptions | Collective, n: number): Collective {
  if ('plan' in options) return options
  const {
    operation,
    sizeBytes,
    elementBytes,
    channels,
    slices,
    order = 'rotated',
    nodeSize = NODE_SIZE,
    chained = 1,
    matrix = null,
    orders,
  } = options
  const algorithm = find(operation, options.algorithm)!
  const elements = sizeBytes / elementBytes
  const shape = { operation, n, elements, elementBytes, channels, slices, order, nodeSize, chained, matrix }
  const planned = algorithm.plan(shape)
  const plan = orders === undefined ? planned : permuted(planned, orders)
  return { plan, operation, algorithm: algorithm.name, ranks: n, channels, sizeBytes, elementBytes }
}

function algorithmsFor(operation: CollectiveName): Algorithm[] {
  return algorithms.filter(({ operations }) => operations.includes(operation))
}

function find(operation: CollectiveName, name: string): Algorithm | undefined {
  return algorithmsFor(operation).find((each) => name === 'default' || each.name === name)
}
