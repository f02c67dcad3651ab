/**
 * Mixture of experts: in each layer tokens are sent to the ranks of their experts (dispatch), computed there, and their
 * results sent back (combine). Who sends how much to whom is drawn from the routing of the tokens.
 */
import { InputError, type Issue } from '../../../base/issue.ts'
import { choice, count, duration, size } from '../../../base/params.ts'
import { streamName } from '../../labels.ts'
import { defineWorkload } from '../../workload.ts'
import { GraphSource } from '../graph-source.ts'
import { graphPlanOf, jobParams, ranksOf } from '../group.ts'
import { OperationTable } from '../operation-table.ts'
import { programOf } from '../table/table-program.ts'
import { ANY, type Program } from '../program.ts'
import type { Collective } from '../step-run.ts'
import { busiestBytes } from '../algorithms/matrix.ts'
import {
  type Direction,
  type Exchange,
  forwardedMatrix,
  forwardedPlan,
  STRAIGHT,
  straightMatrix,
  straightPlan,
} from './exchange.ts'
import { drawRouting, type Routing, type RoutingOptions, skewParam } from './routing.ts'

/** Steps of the draws of all layers: for each token, expert chosen, and expert to choose from. */
const DRAWS_MAX = 2 ** 35
/** Operations of all ranks. */
const OPERATIONS_MAX = 1_000_000
/** Numbers of the routings of all layers. */
const NUMBERS_MAX = 2 ** 24

export const mixtureOfExperts = defineWorkload({
  name: 'moe',
  help: 'a mixture of experts: tokens go to the ranks of their experts and come back, layer by layer',
  source: 'DeepEP; DeepSeek-V3, "DeepSeek-V3 technical report" (2024)',
  params: {
    tokens: count({ default: 4096, min: 1, max: 1_048_576, help: 'tokens of each rank' }),
    hidden: count({ default: 7168, min: 1, max: 1_048_576, help: 'elements of a token' }),
    experts: count({ default: 256, min: 1, max: 4096, help: 'experts, in equal shares on the ranks, in order' }),
    topK: count({ default: 8, min: 1, max: 4096, help: 'different experts of a token' }),
    groups: count({ default: 1, min: 1, max: 4096, help: 'groups of the experts, equal and in order' }),
    topGroups: count({ default: 1, min: 1, max: 4096, help: "groups that a token's experts are in, at most" }),
    dispatchElement: size({ default: 1, min: 1, help: 'an element that goes to an expert' }),
    combineElement: size({ default: 2, min: 1, help: 'an element of a result that comes back' }),
    skew: skewParam,
    forward: choice(['none', 'node'], {
      default: 'none',
      help: 'none: a copy of a token for each rank with experts of it; node: one for each node, to the rank on the same rail, and from there on; results are summed in the node first',
    }),
    nodeSize: count({ default: 8, min: 1, max: 4096, help: 'consecutive ranks of a node' }),
    algorithm: choice(STRAIGHT, {
      default: 'full',
      help: 'of messages straight from rank to rank, as of an all-to-all-v',
    }),
    slices: count({ default: 1, min: 1, max: 65_536, help: 'pieces of each message that go on by themselves' }),
    layerTime: duration({ default: 0, help: 'compute time of the experts of a rank in a layer' }),
    callTime: duration({ default: 0, help: 'compute time of a rank for each token and expert of it, in addition' }),
    layers: count({ default: 1, min: 1, max: 4096, help: 'layers with experts, each with a routing of its own' }),
    iterations: count({ default: 1, min: 1, max: 1_000_000, help: 'times that all layers are passed' }),
    ...jobParams('moe'),
  },
  isClosed: () => true,
  create(values, context) {
    const issues: Issue[] = []
    const spots = ranksOf(values, context, issues, 'repeated')
    const ranks = spots.hostOf.length
    const options = { ...values, ranks }
    if (issues.length === 0) issues.push(...problemsOf(values, options))
    if (issues.length > 0) throw new InputError(issues)
    const stream = context.random.stream(streamName('moe', values.tag, context))
    const layers = Array.from({ length: values.layers }, () => layerOf(values, drawRouting(options, stream)))
    const program = layersProgram(layers, ranks, values.iterations)
    return new GraphSource(graphPlanOf(values, context, spots, program))
  },
})

interface Shape {
  readonly hidden: number
  readonly dispatchElement: number
  readonly combineElement: number
  readonly forward: 'none' | 'node'
  readonly nodeSize: number
  readonly algorithm: (typeof STRAIGHT)[number]
  readonly slices: number
  readonly layerTime: number
  readonly callTime: number
  readonly layers: number
  readonly iterations: number
}

function problemsOf(shape: Shape, options: RoutingOptions): Issue[] {
  const { ranks, tokens, experts, topK, groups, topGroups, nodeSize, skew } = options
  const { forward, layers, iterations, algorithm } = shape
  const open = (experts / groups) * topGroups
  const share = skew.kind === 'hot' ? (skew.times * topK) / experts : 0
  const tests: readonly (readonly [isWrong: boolean, path: string, expected: string, received: number | string])[] = [
    [experts % ranks !== 0, 'experts', `a multiple of the number of ranks, ${ranks}`, experts],
    [experts % groups !== 0, 'groups', `a divisor of experts, ${experts}`, groups],
    [topGroups > groups, 'topGroups', `at most groups, ${groups}`, topGroups],
    [topK > open, 'topK', `at most the experts that a token has to choose from, ${Math.floor(open)}`, topK],
    [skew.kind === 'hot' && skew.expert >= experts, 'skew.expert', `0 to ${experts - 1}`, `${experts}`],
    [share > 1, 'skew.times', `at most experts / topK, ${experts / topK}: every token goes there then`, share],
    // With the hot expert's share drawn by itself, the others are chosen from those that are left.
    [
      skew.kind === 'hot' && topK >= open,
      'topK',
      `below ${Math.floor(open)}, as not every token goes to the hot expert`,
      topK,
    ],
    [forward === 'node' && ranks % nodeSize !== 0, 'nodeSize', `a divisor of the number of ranks, ${ranks}`, nodeSize],
    [
      forward === 'none' && algorithm === 'pairwise' && (ranks & (ranks - 1)) !== 0,
      'algorithm',
      `one for ${ranks} ranks, which are no power of two`,
      algorithm,
    ],
    [
      tokens * ranks * layers * topK * experts > DRAWS_MAX,
      'tokens',
      `at most ${DRAWS_MAX} as tokens x ranks x layers x topK x experts`,
      tokens,
    ],
    [ranks * ranks * layers > NUMBERS_MAX, 'layers', `at most ${NUMBERS_MAX} as ranks x ranks x layers`, layers],
    [
      3 * ranks * layers * iterations > OPERATIONS_MAX,
      'iterations',
      `at most ${OPERATIONS_MAX} as 3 x ranks x layers x iterations`,
      iterations,
    ],
  ]
  return tests.flatMap(([isWrong, path, expected, received]): Issue[] =>
    isWrong ? [{ path, expected, received: `${received}`, hint: '' }] : [],
  )
}

/** Work of a layer, in every iteration. */
interface Layer {
  readonly dispatch: Collective
  readonly combine: Collective
  /** By rank. */
  readonly computePs: readonly number[]
}

function layerOf(shape: Shape, routing: Routing): Layer {
  const { layerTime, callTime } = shape
  return {
    dispatch: collectiveOf(shape, routing, 'dispatch'),
    combine: collectiveOf(shape, routing, 'combine'),
    computePs: routing.calls.map((calls) => layerTime + calls * callTime),
  }
}

function collectiveOf(shape: Shape, routing: Routing, direction: Direction): Collective {
  const { hidden, forward, nodeSize, algorithm, slices } = shape
  const elementBytes = direction === 'dispatch' ? shape.dispatchElement : shape.combineElement
  const exchange: Exchange = { routing, copyBytes: hidden * elementBytes, slices, direction }
  const [plan, matrix] =
    forward === 'node'
      ? [forwardedPlan(exchange, nodeSize), forwardedMatrix(exchange, nodeSize)]
      : [straightPlan(exchange, algorithm), straightMatrix(exchange)]
  return {
    plan,
    operation: direction,
    algorithm: forward === 'node' ? 'forwarded' : algorithm,
    ranks: matrix.length,
    channels: 1,
    sizeBytes: busiestBytes(matrix),
    elementBytes,
  }
}

function layersProgram(layers: readonly Layer[], ranks: number, iterations: number): Program {
  const table = new OperationTable(ranks)
  const all = Array.from({ length: ranks }, (_, rank) => rank)
  // Groups of their own, so that each has its rounds, and its queue pairs.
  const [dispatch, combine] = [table.addGroup(all), table.addGroup(all)]
  for (const rank of all) {
    let last = -1
    const then = (id: number, name: string): void => {
      table.label(id, name)
      if (last >= 0) table.depend(id, last, 'after')
      last = id
    }
    for (let iteration = 0; iteration < iterations; iteration++) {
      for (const layer of layers) {
        const compute = { kind: 'compute', peer: 0, sizeBytes: 0, tag: ANY, channel: 0, lane: 0 } as const
        then(table.addPart(dispatch, layer.dispatch), 'dispatch')
        then(table.add({ ...compute, durationPs: layer.computePs[rank]! }), 'experts')
        then(table.addPart(combine, layer.combine), 'combine')
      }
    }
    table.endRank()
  }
  return programOf(table, { iterations })
}
