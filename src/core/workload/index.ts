/**
 * Workloads: who sends how much to whom, and when.
 */
import { boot } from './boot.ts'
import { closedLoop } from './closed-loop.ts'
import { collective } from './graph/collective.ts'
import { operationGraph } from './graph/graph.ts'
import { mixtureOfExperts } from './graph/training/moe.ts'
import { pipeline } from './graph/training/pipeline.ts'
import { incast } from './incast.ts'
import { none, SILENT } from './none.ts'
import { permutation } from './permutation.ts'
import { pingmesh } from './pingmesh.ts'
import { poisson } from './poisson.ts'
import { torPairs } from './tor-pairs.ts'
import { trace } from './trace.ts'

/** Every workload a scenario can name. */
export const workloads = [
  poisson,
  incast,
  permutation,
  torPairs,
  closedLoop,
  trace,
  boot,
  pingmesh,
  collective,
  operationGraph,
  pipeline,
  mixtureOfExperts,
  none,
] as const

export {
  createSizes,
  defineSizes,
  sizeDistributions,
  type SizeDistribution,
  type SizesDefinition,
  type SizesValue,
} from './sizes/index.ts'
export {
  blankMessage,
  defineWorkload,
  isAnswered,
  isPlain,
  type Message,
  type Operation,
  OPERATIONS,
  type PlainOperation,
  type Source,
  type WorkloadContext,
  type WorkloadDefinition,
} from './workload.ts'
export type { Failure, Probe } from './probe.ts'
export { boot, closedLoop, collective, incast, permutation, pingmesh, poisson, operationGraph, SILENT, torPairs, trace }
