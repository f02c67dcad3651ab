/** Census: what a table of operations holds, in numbers. */
import { planOf } from '../algorithms/plan.ts'
import { byGroup } from '../joint-runs.ts'
import type { OperationTable } from '../operation-table.ts'
import { ANY, blankOperation } from '../program.ts'
import { totalOf } from '../step-run.ts'
import { Edges, waitsOf } from './edges.ts'

export interface Census {
  readonly ranks: number
  readonly operations: number
  readonly sends: number
  readonly receives: number
  readonly computes: number
  readonly collectives: number
  /** Sends, and the messages of collectives. */
  readonly messages: number
  /** Dependencies on the end of another operation, and on its begin. */
  readonly after: number
  readonly with: number
  /** Sum over all messages. */
  readonly bytes: number
  /** Sum over all computes. */
  readonly computePs: number
  /** Receives from any peer or of any tag. */
  readonly wildcards: number
  readonly tags: number
  /** Operations other than receives that wait for nothing. */
  readonly roots: number
  /**
   * Messages of which each waits for the one before, directly or through other operations. Sends and receives are taken as
   * matched in their order; receives of any message are taken to wait for none. A collective has one for each of its steps.
   */
  readonly longestChain: number
}

export function censusOf(table: OperationTable): Census {
  const count = table.size
  const operation = blankOperation()
  let [sends, receives, computes, bytes, computePs, wildcards, roots] = [0, 0, 0, 0, 0, 0, 0]
  const pairs = [table.pairs('after'), table.pairs('with')] as const
  const waits = waitsOf(count, pairs, table.needs)
  const isSend = new Uint8Array(count)
  for (let id = 0; id < count; id++) {
    table.read(id, operation)
    const { kind, peer, tag, sizeBytes, durationPs } = operation
    if (kind === 'send') {
      sends++
      bytes += sizeBytes
      isSend[id] = 1
    } else if (kind === 'receive') {
      receives++
      if (peer === ANY || tag === ANY) wildcards++
    } else if (kind === 'compute') {
      computes++
      computePs += durationPs
    }
    if (kind !== 'receive' && waits[id] === 0) roots++
  }
  const joints = jointsOf(table)
  return {
    ranks: table.ranks,
    operations: count,
    sends,
    receives,
    computes,
    collectives: joints.length,
    messages: joints.reduce((sum, joint) => sum + joint.messages, sends),
    after: pairs[0].length / 2,
    with: pairs[1].length / 2,
    bytes: joints.reduce((sum, joint) => sum + joint.bytes, bytes),
    computePs,
    wildcards,
    tags: table.tags.length,
    roots,
    longestChain: longestChainOf(table, waits, isSend, joints),
  }
}

/** A collective of the ranks that have a part in it. */
interface Joint {
  readonly parts: readonly number[]
  readonly steps: number
  readonly messages: number
  readonly bytes: number
  /** Parts that have not begun, and the most messages in a row before one. */
  left: number
  level: number
}

function jointsOf({ groups, parts }: OperationTable): Joint[] {
  return byGroup(groups.length, parts).flatMap((joints, group) =>
    joints.map((own): Joint => {
      const collective = planOf(own[0]!.options, groups[group]!.length)
      const { messages, bytes } = totalOf(collective)
      const ids = own.map(({ id }) => id)
      const steps = messages === 0 ? 0 : collective.plan.stepsMost
      return { parts: ids, steps, messages, bytes, left: ids.length, level: 0 }
    }),
  )
}

/** Begins and ends of all operations in an order that could be; each knows the most messages in a row before it. */
function longestChainOf(
  table: OperationTable,
  beginWaits: Int32Array,
  isSend: Uint8Array,
  joints: readonly Joint[],
): number {
  const count = table.size
  const [after, withs] = [new Edges(count, table.pairs('after')), new Edges(count, table.pairs('with'))]
  const receiveOf = receivesOf(table)
  const jointOf = new Map(joints.flatMap((joint) => joint.parts.map((id) => [id, joint] as const)))
  // An operation ends after it has begun, a receive also after its send has, and a part after all parts have.
  const endWaits = new Uint8Array(count).fill(1)
  for (const receive of receiveOf) if (receive >= 0) endWaits[receive] = 2
  const [begins, ends] = [new Uint32Array(count), new Uint32Array(count)]
  // Begins and ends that are open: 2 id for a begin, 2 id + 1 for an end.
  const open = new Float64Array(2 * count)
  let [size, most] = [0, 0]
  const begin = (id: number, level: number): void => {
    begins[id] = Math.max(begins[id]!, level)
    if (--beginWaits[id]! === 0) open[size++] = 2 * id
  }
  const end = (id: number, level: number): void => {
    ends[id] = Math.max(ends[id]!, level)
    if (--endWaits[id]! === 0) open[size++] = 2 * id + 1
  }
  const join = (joint: Joint, level: number): void => {
    joint.level = Math.max(joint.level, level)
    if (--joint.left === 0) for (const id of joint.parts) end(id, joint.level + joint.steps)
  }
  for (let id = 0; id < count; id++) if (beginWaits[id] === 0) open[size++] = 2 * id
  for (let next = 0; next < size; next++) {
    const isEnd = open[next]! % 2 === 1
    const id = (open[next]! - (isEnd ? 1 : 0)) / 2
    if (isEnd) {
      const level = ends[id]!
      most = Math.max(most, level)
      after.each(id, (dependent) => begin(dependent, level))
      continue
    }
    const level = begins[id]!
    withs.each(id, (dependent) => begin(dependent, level))
    const joint = jointOf.get(id)
    if (joint === undefined) end(id, level + isSend[id]!)
    else join(joint, level)
    if (receiveOf[id]! >= 0) end(receiveOf[id]!, level + 1)
  }
  return most
}

/** The receive of each send, k-th to k-th; -1: none, or it is no send. */
function receivesOf(table: OperationTable): Int32Array {
  const receiveOf = new Int32Array(table.size).fill(-1)
  table.eachGroup((sends, receives) =>
    sends.forEach((send, i) => {
      if (i < receives.length) receiveOf[send] = receives[i]!
    }),
  )
  return receiveOf
}
