/**
 * Collective: a group of hosts reduces, gathers or exchanges a buffer, as the programs of AI training do, again and again.
 * Which bytes go between which positions in which step is the algorithm's; a step begins when the messages it needs are there.
 */
import { InputError, type Issue } from '../../base/issue.ts'
import { choice, count, flag, GB, list, size, text } from '../../base/params.ts'
import { formatQuantity } from '../../base/units.ts'
import { ALL_COLLECTIVES, type CollectiveName } from '../collective-names.ts'
import { PROTOCOLS, readTuner, type TunerQuestion, wireBytes } from '../nccl-tuner.ts'
import { defineWorkload } from '../workload.ts'
import { algorithms } from './algorithms/index.ts'
import { busiestBytes, readMatrix } from './algorithms/matrix.ts'
import { algorithmProblem, NODE_SIZE, planOf } from './algorithms/plan.ts'
import { GraphSource } from './graph-source.ts'
import { graphPlanOf, jobParams, type Ranks, ranksOf } from './group.ts'
import { channelsFound, ncclLayout, patternOf } from '../nccl/rings.ts'
import { StepProgram } from './steps.ts'

export const collective = defineWorkload({
  name: 'collective',
  help: 'a group of hosts that reduce, gather or exchange a buffer, step by step',
  source: 'NCCL and MPI; Thakur et al., "Optimization of collective communication operations in MPICH" (2005)',
  params: {
    operation: choice(ALL_COLLECTIVES, { default: 'all-reduce', help: 'what becomes of the buffer' }),
    algorithm: choice(['default', ...algorithms.map(({ name }) => name)], {
      default: 'default',
      help: `who sends what to whom: ${algorithms.map(({ name, help }) => `${name} (${help})`).join(', ')}; default: the first of these that has the operation`,
    }),
    size: size({
      default: GB,
      min: 1,
      help: 'the whole buffer; of an all-gather, gather or scatter that of all positions together; an all-to-all-v has a matrix instead',
    }),
    matrix: list(text({ help: 'sizes that a position sends to each, in order: "0 4KiB 64KiB 8KiB"' }), {
      default: [],
      help: 'of an all-to-all-v: a line for each position',
    }),
    element: size({ default: 4, min: 1, help: 'elements that are not cut, of which the buffer has a whole number' }),
    channels: count({
      default: 1,
      min: 1,
      max: 4096,
      help: 'shares of the buffer, each with queue pairs of its own',
    }),
    channelsBy: choice(['group', 'nccl'], {
      default: 'group',
      help:
        'order of the ranks in each channel: that of the group, or as NCCL: a ring or chain enters each server at the GPU of its NIC ' +
        'and leaves by this NIC, a double binary tree has it both ways, with the other GPUs in a chain behind; then there is a ' +
        'channel for each NIC of a server unless `channels` says more. With other algorithms a message leaves by the NIC of the ' +
        'GPU that gets it',
      source: 'NCCL, src/graph/search.cc, connect.cc; PXN',
    }),
    crossNic: flag({
      default: false,
      help:
        'with `channelsBy: nccl`, where a GPU cannot use the NIC of another one: rings leave by the NIC of the neighbour, and ' +
        'messages of algorithms that are neither rings nor trees by that of their sender',
      source: 'NCCL_CROSS_NIC=2 and NCCL_PXN_DISABLE=1',
    }),
    slices: count({ default: 1, min: 1, max: 65536, help: 'pieces of a part that go on by themselves' }),
    order: choice(['rotated', 'ascending'], {
      default: 'rotated',
      help: 'order in which a full exchange is posted: from the next position on, or from position 0',
    }),
    nodeSize: count({
      default: NODE_SIZE,
      min: 1,
      max: 65536,
      help: 'consecutive positions of a node, for the algorithm `hierarchical`, which needs whole nodes',
    }),
    iterations: count({ default: 1, min: 1, max: 10_000_000, help: 'times it is done, each rank at its own pace' }),
    tuner: list(text({ help: 'a row "collective,min,max,algorithm,protocol,channels,nodes,ranks"' }), {
      default: [],
      help:
        'tuner file of NCCL: the first row that fits chooses algorithm, channels, slices, the bytes that its protocol sends ' +
        '(ll twice the buffer, ll128 128 for 120), and stepLatency where that and stepTime are 0 (ll 1us, ll128 2us, simple 11us)',
    }),
    ...jobParams('collective'),
  },
  isClosed: () => true,
  create(values, context) {
    const issues: Issue[] = []
    const ranks = ranksOf(values, context, issues)
    const n = ranks.hostOf.length
    const elementBytes = values.element
    const isVaried = values.operation === 'all-to-all-v'
    const matrix = isVaried ? readMatrix(values.matrix, n, elementBytes, issues) : null
    const sizeBytes = matrix === null ? values.size : busiestBytes(matrix)
    const tuned = tunedBy(values, ranks, issues)
    const how = { ...values, ...tuned?.how }
    const laid = values.channelsBy === 'nccl' ? laidByNccl(how, ranks, issues) : null
    const options = { ...how, ...laid, chained: laid?.gpus, sizeBytes, elementBytes, matrix }
    if (!isVaried && values.matrix.length > 0) {
      const expected = `nothing, as every position of ${values.operation} has the same size`
      issues.push({ path: 'matrix', expected, received: `${values.matrix.length} lines`, hint: '' })
    }
    const problem = algorithmProblem(options, n)
    if (problem !== null) issues.push({ ...problem, hint: '' })
    if (!isVaried && values.size % elementBytes !== 0) {
      const expected = `a multiple of element, ${formatQuantity('size', elementBytes)}`
      issues.push({ path: 'size', expected, received: formatQuantity('size', values.size), hint: '' })
    }
    if (issues.length > 0) throw new InputError(issues)
    const wireSizeBytes =
      tuned === null ? sizeBytes : elementBytes * wireBytes(tuned.protocol, sizeBytes / elementBytes)
    const planned = planOf({ ...options, sizeBytes: wireSizeBytes }, n)
    // Bandwidths are of the buffer, whatever the protocol sends.
    const program = new StepProgram({ ...planned, sizeBytes }, values.iterations)
    const isGiven = tuned === null || values.stepTime > 0 || values.stepLatency > 0
    const stepLatency = isGiven ? values.stepLatency : PROTOCOLS[tuned.protocol].stepLatencyPs
    const planForGraph = graphPlanOf({ ...values, stepLatency }, context, ranks, program)
    return new GraphSource({ ...planForGraph, railOf: laid?.railOf })
  },
})

interface Choice {
  readonly operation: CollectiveName
  readonly algorithm: string
  readonly channels: number
  readonly crossNic: boolean
}

/** Algorithm, channels and their orders as NCCL has them. */
function laidByNccl({ operation, algorithm, channels: least, crossNic }: Choice, ranks: Ranks, issues: Issue[]) {
  const chosen = algorithm === 'default' ? defaultOf(operation) : algorithm
  const pattern = patternOf(chosen)
  const channels = Math.max(least, channelsFound(ranks, pattern))
  return { algorithm: chosen, channels, ...ncclLayout(ranks, channels, pattern, crossNic, issues) }
}

function defaultOf(operation: CollectiveName): string {
  const isRooted = operation === 'broadcast' || operation === 'reduce'
  return isRooted ? 'chain' : algorithms.find(({ operations }) => operations.includes(operation))!.name
}

interface TunerValues {
  readonly operation: TunerQuestion['operation']
  readonly size: number
  readonly channels: number
  readonly tuner: readonly string[]
}

/** The choice of the tuner file; null: there is none, or no row fits. */
function tunedBy({ operation, size: sizeBytes, channels, tuner }: TunerValues, { hostOf }: Ranks, issues: Issue[]) {
  const read = readTuner(tuner, ({ line, field, expected, received, hint }) => {
    const what = field === '' ? expected : `${field}: ${expected}`
    issues.push({ path: `tuner.${line - 1}`, expected: what, received, hint })
  })
  const nodes = new Set(hostOf).size
  const chosen = read.choose({ operation, sizeBytes, ranks: hostOf.length, nodes })
  if (chosen === null) return null
  const { algorithm, slices, protocol } = chosen
  const pieces = slices === 1 ? {} : { slices }
  return { protocol, how: { algorithm, channels: chosen.channels ?? channels, ...pieces } }
}
