/**
 * Topologies: graphs and routes, nothing that moves.
 */
import { closPodset } from './clos-podset.ts'
import { dumbbell } from './dumbbell.ts'
import { fatTree } from './fat-tree.ts'
import { graph } from './graph.ts'
import { leafSpine } from './leaf-spine.ts'
import { planes } from './planes.ts'
import { rails } from './rails.ts'
import { star } from './star.ts'

/** Every topology a scenario can name. */
export const topologies = [star, dumbbell, leafSpine, fatTree, closPodset, rails, planes, graph] as const

export { adjacencyOf, type Adjacency } from './adjacency.ts'
export { bufferCircle, type BufferCircle, type CircleStep } from './buffer-circle.ts'
export { BufferDependencies, type FloodPorts, type Witness } from './buffer-dependencies.ts'
export { computeRoutes, ROUTE_ENTRIES_MAX, type Routes } from './routes.ts'
export {
  defineTopology,
  type FixedRoute,
  type LinkSpec,
  roleOf,
  type Topology,
  type TopologyDefinition,
} from './topology.ts'
export { closPodset, dumbbell, fatTree, graph, leafSpine, planes, rails, star }
