/** Directed scenarios of jobs of training: effects of the parameters of their kinds, and of where their ranks are. */
import { parseScenario, type Scenario } from '../../src/lab/scenario/index.ts'

/** Two racks of two hosts. */
const RACKS = '{kind: leaf-spine, leaves: 2, spines: 1, hostsPerLeaf: 2, hostRate: 40Gbps, fabricRate: 25Gbps}'
/** Two hosts with two ports each. */
const RAILS = '{kind: rails, rails: 2, groups: 1, hostsPerGroup: 2, spines: 1}'

const job = (workload: string, topology = RACKS): Scenario =>
  parseScenario(`
name: job
topology: ${topology}
qp: {ackInterval: 1}
workload: [{${workload}}]
`)

const PIPELINE = 'kind: pipeline, microbatches: 3, forward: 5us, backward: 9us, activation: 12KB'
const MOE = 'kind: moe, tokens: 16, hidden: 300, experts: 16, topK: 2'
const INSIDE = 'ranks: port, insideLatency: 1us, insideRate: 10Gbps'
const LEAVES = 'rendezvous: 3KB, slots: 2'

export const DIRECTED_JOBS: readonly Scenario[] = [
  job('kind: collective, size: 40KB, algorithm: hierarchical, nodeSize: 2'),
  job('kind: collective, operation: all-to-all-v, matrix: ["0 4000 80 0", "0 0 9000 4", "8 0 0 80", "800 0 44 0"]'),
  job('kind: graph, goal: ["num_ranks 2", "rank 0 {", "send 900b to 1", "}", "rank 1 {", "recv 900b from 0", "}"]'),
  job(`${PIPELINE}, stages: 4, stepTime: 3us`),
  job(`${PIPELINE}, stages: 2, width: 2, gradient: 20KB, iterations: 2`),
  job(`${PIPELINE}, stages: 2, ${INSIDE}`, RAILS),
  job(`${PIPELINE}, stages: 4, schedule: gpipe, ${LEAVES}`),
  job(`${MOE}, groups: 4, topGroups: 1, layerTime: 2us, callTime: 50ns, stepTime: 3us`),
  job(`${MOE}, forward: node, nodeSize: 2, slices: 2, layers: 2, iterations: 2`),
  job(`${MOE}, skew: {kind: zipf, exponent: 1}, ${INSIDE}`, RAILS),
  job(`${MOE}, skew: {kind: hot, times: 2, expert: 3}, algorithm: shift, ${LEAVES}`),
]
