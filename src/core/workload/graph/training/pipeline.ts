/**
 * Pipeline: a model cut into stages, each on a rank of its own, or on several in parallel. Microbatches go through the stages
 * forward, their gradients back; each stage computes one pass at a time, in the order of its schedule.
 */
import { InputError, type Issue } from '../../../base/issue.ts'
import { choice, count, duration, MIB, MS, size } from '../../../base/params.ts'
import { defineWorkload } from '../../workload.ts'
import { GraphSource } from '../graph-source.ts'
import { graphPlanOf, jobParams, ranksFor } from '../group.ts'
import { OperationTable } from '../operation-table.ts'
import { programOf } from '../table/table-program.ts'
import type { Program } from '../program.ts'
import { type Pass, passesOf, SCHEDULES } from './schedule.ts'

/** Operations of a program that is listed one by one. */
const OPERATIONS_MAX = 4_000_000
/** Tags of activations and of their gradients. */
const [FORWARD, BACKWARD] = [0, 1]

export const pipeline = defineWorkload({
  name: 'pipeline',
  help: 'stages of a model that pass on microbatches, forward and back',
  source: 'Huang et al., "GPipe" (2019); Narayanan et al., "Efficient large-scale language model training" (2021)',
  params: {
    schedule: choice(SCHEDULES, {
      default: '1f1b',
      help: 'gpipe: all forward, then all backward; 1f1b: alternately one forward and one backward, once the pipeline is full',
    }),
    stages: count({ default: 4, min: 1, max: 65_536, help: 'parts of the model, one after the other' }),
    width: count({
      default: 1,
      min: 1,
      max: 65_536,
      help: 'ranks of a stage; each sends to the one with its number in the next stage',
    }),
    microbatches: count({
      default: 8,
      min: 1,
      max: 65_536,
      help: 'parts of the batch that go through one after the other',
    }),
    forward: duration({ default: 1 * MS, help: 'compute time of a microbatch in a stage, forward' }),
    backward: duration({ default: 2 * MS, help: 'compute time of a microbatch in a stage, backward' }),
    activation: size({
      default: 32 * MIB,
      help: 'what a rank passes on of a microbatch, forward, and as much backward',
    }),
    gradient: size({
      default: 0,
      help: 'what the ranks of a stage all-reduce after their last pass, in a ring, before the next iteration; 0: nothing',
    }),
    iterations: count({ default: 1, min: 1, max: 10_000_000, help: 'batches, one after the other' }),
    ...jobParams('pipeline'),
  },
  isClosed: () => true,
  create(values, context) {
    const { stages, width, microbatches, iterations } = values
    const issues: Issue[] = []
    const ranks = ranksFor(stages * width, 'stages', values, context, issues)
    const passes = stages * width * microbatches * 2 * iterations
    if (3 * passes > OPERATIONS_MAX) {
      const expected = `at most ${Math.floor(OPERATIONS_MAX / 3)} passes in all stages, ranks and iterations`
      issues.push({ path: 'microbatches', expected, received: `${passes}`, hint: '' })
    }
    if (issues.length > 0) throw new InputError(issues)
    return new GraphSource(graphPlanOf(values, context, ranks, stagesProgram(values)))
  },
})

interface Shape {
  readonly schedule: (typeof SCHEDULES)[number]
  readonly stages: number
  readonly width: number
  readonly microbatches: number
  readonly forward: number
  readonly backward: number
  readonly activation: number
  readonly gradient: number
  readonly iterations: number
}

function stagesProgram(shape: Shape): Program {
  const { schedule, stages, width, microbatches, gradient, iterations } = shape
  const table = new OperationTable(stages * width)
  const hasReduction = width > 1 && gradient > 0
  for (let stage = 0; stage < stages; stage++) {
    const ranks = Array.from({ length: width }, (_, i) => stage * width + i)
    const group = hasReduction ? table.addGroup(ranks) : -1
    const passes = passesOf({ schedule, stages, microbatches }, stage)
    for (const rank of ranks) {
      let last = -1
      for (let iteration = 0; iteration < iterations; iteration++) {
        for (const pass of passes) last = addPass(table, shape, rank, pass, last)
        if (hasReduction) last = addReduction(table, group, gradient, last)
      }
      table.endRank()
    }
  }
  return programOf(table, { iterations })
}

/** A pass: its message from the stage before, its compute after the last one, and its message to the next. Gives the compute. */
function addPass(table: OperationTable, shape: Shape, rank: number, pass: Pass, last: number): number {
  const { stages, width, forward, backward, activation } = shape
  const stage = Math.floor(rank / width)
  const { isForward, microbatch } = pass
  const [from, to] = isForward ? [stage - 1, stage + 1] : [stage + 1, stage - 1]
  const isStage = (other: number): boolean => other >= 0 && other < stages
  const message = { sizeBytes: activation, tag: isForward ? FORWARD : BACKWARD, channel: 0, durationPs: 0, lane: 0 }
  const what = `${isForward ? 'activation' : 'gradient'} ${microbatch}`
  const peerOf = (other: number): number => rank + (other - stage) * width
  const durationPs = isForward ? forward : backward
  const compute = table.add({ ...message, kind: 'compute', peer: 0, sizeBytes: 0, durationPs })
  table.label(compute, `${isForward ? 'forward' : 'backward'} ${microbatch}`)
  if (last >= 0) table.depend(compute, last, 'after')
  if (isStage(from)) {
    const receive = table.add({ ...message, kind: 'receive', peer: peerOf(from) })
    table.label(receive, what)
    table.depend(compute, receive, 'after')
  }
  if (isStage(to)) {
    const send = table.add({ ...message, kind: 'send', peer: peerOf(to) })
    table.label(send, what)
    table.depend(send, compute, 'after')
  }
  return compute
}

/** The rank's part in the sum of its stage's gradients. */
function addReduction(table: OperationTable, group: number, sizeBytes: number, last: number): number {
  const shares = { elementBytes: 1, channels: 1, slices: 1 }
  const part = table.addPart(group, { operation: 'all-reduce', algorithm: 'ring', sizeBytes, ...shares })
  table.label(part, 'gradients')
  table.depend(part, last, 'after')
  return part
}
