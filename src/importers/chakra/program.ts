/**
 * A program of the traces of all ranks: nodes become operations of GOAL, in order, with what they wait for.
 */
import type { CollectiveName } from '../../core/workload/collective-names.ts'
import { type CollectiveCall, GoalLines, labelPart, type RankGroup } from '../goal-lines.ts'
import type { ImportLog } from '../text-input.ts'
import type { Tuned } from '../tuned.ts'
import { Meetings } from './meetings.ts'
import {
  type AttributeName,
  COLLECTIVE,
  COMPUTE,
  INVALID,
  LOAD,
  METADATA,
  RECEIVE,
  SEND,
  STORE,
  type Trace,
  type TraceNode,
} from './node.ts'
import { type OrderProblem, orderOf } from './order.ts'

/** By comm_type. */
const COLLECTIVES: readonly CollectiveName[] = [
  'all-reduce',
  'reduce',
  'all-gather',
  'gather',
  'scatter',
  'broadcast',
  'all-to-all',
  'reduce-scatter',
  'reduce-scatter',
  'barrier',
]
const BARRIER = COLLECTIVES.indexOf('barrier')
/** comm_size is what a rank brings in; here the size is that of the whole buffer. */
const BY_CONTRIBUTION: readonly CollectiveName[] = ['all-gather', 'gather']
const ROOTED: readonly CollectiveName[] = ['broadcast', 'reduce', 'gather', 'scatter']
const TAG_MAX = 2 ** 32 - 1
const [NS_PER_US, PS_PER_US] = [1000, 1e6]
/** Lanes: compute; recorded times of collectives; nodes that take no time, which wait for no lane. */
const [COMPUTE_LANE, RECORDED_LANE, FREE_LANE] = [0, 1, 255]

export interface ProgramOptions {
  readonly ranks: number
  /** By name, without that of all ranks. */
  readonly groups: ReadonlyMap<string, RankGroup>
  readonly areControlsBound: boolean
  /** Operations per second of computes without a time; null: there are to be none. */
  readonly operationsPerSecond: number | null
  readonly tuned: Tuned | null
}

/** Counts of all that was read, for the report. */
export interface Tallies {
  nodes: number
  absent: number
  unused: number
  wrappers: number
  unsized: number
  alone: number
  rooted: number
}

export class ChakraProgram {
  readonly goal: GoalLines
  readonly tallies: Tallies = { nodes: 0, absent: 0, unused: 0, wrappers: 0, unsized: 0, alone: 0, rooted: 0 }
  readonly #options: ProgramOptions
  readonly #log: ImportLog
  readonly #meetings: Meetings
  readonly #all: RankGroup
  #rank = -1
  #file = ''

  constructor(options: ProgramOptions, log: ImportLog) {
    this.#options = options
    this.#log = log
    this.#meetings = new Meetings(log)
    this.goal = new GoalLines(options.ranks)
    this.#all = { name: 'all', ranks: Array.from({ length: options.ranks }, (_, rank) => rank) }
  }

  /** Adds the next rank. */
  add({ file, nodes }: Trace): void {
    this.#rank++
    this.#file = file
    const order = orderOf(nodes, this.#options.areControlsBound)
    for (const problem of order.problems) this.#report(problem)
    this.tallies.nodes += nodes.length
    this.tallies.absent += order.absent
    this.tallies.unused += order.unused
    this.goal.beginRank()
    for (const { node, after } of order.nodes) {
      const label = labelOf(node)
      this.#write(label, node)
      for (const other of after) this.goal.requires(label, labelOf(other))
    }
    this.goal.endRank()
  }

  /** All ranks are there. */
  finish(): void {
    if (!this.#log.any) this.#meetings.check()
  }

  #write(label: string, node: TraceNode): void {
    const { type, durationUs } = node
    if (!Number.isSafeInteger(node.id)) return this.#issue(node, 'an id below 2^53', `${node.id}`)
    if (!(durationUs >= 0 && durationUs * PS_PER_US <= Number.MAX_SAFE_INTEGER))
      return this.#issue(node, 'a duration of at most 2^53 ps', `${durationUs} us`)
    if (type === METADATA) return this.goal.compute(label, 0, FREE_LANE)
    if (type === COMPUTE || type === LOAD || type === STORE) return this.#writeCompute(label, node)
    if (type === SEND || type === RECEIVE) return this.#writeMessage(label, node)
    if (type === COLLECTIVE) return this.#writeCollective(label, node)
    const received = type === INVALID ? 'none, or 0 (invalid)' : `${type}`
    this.#issue(node, 'a node type, 1 (metadata) to 7 (collective)', received)
  }

  #writeCompute(label: string, node: TraceNode): void {
    const { num_ops: operations = 0, tensor_size: tensorBytes = 0 } = node.numbers
    const { operationsPerSecond } = this.#options
    if (node.durationUs > 0 || (operations === 0 && tensorBytes === 0)) return this.#passTime(label, node, COMPUTE_LANE)
    const ns = operationsPerSecond === null ? NaN : Math.round((operations / operationsPerSecond) * 1e9)
    if (operations > 0 && ns * NS_PER_US <= Number.MAX_SAFE_INTEGER) return this.goal.compute(label, ns, COMPUTE_LANE)
    const [expected, hint] =
      operations === 0
        ? ['a duration', 'the time of a tensor in memory is not known']
        : ['a duration, or a rate for its num_ops', 'give --ops-per-second']
    this.#issue(node, expected, operations === 0 ? `tensor_size ${tensorBytes} alone` : `num_ops ${operations}`, hint)
  }

  #writeMessage(label: string, node: TraceNode): void {
    const isSend = node.type === SEND
    const sizeBytes = this.#required(node, 'comm_size', Number.MAX_SAFE_INTEGER)
    const peer = this.#required(node, isSend ? 'comm_dst' : 'comm_src', this.#options.ranks - 1)
    const tag = node.numbers.comm_tag === undefined ? 0 : this.#required(node, 'comm_tag', TAG_MAX)
    if (sizeBytes === null || peer === null || tag === null) return
    const [from, to] = isSend ? [this.#rank, peer] : [peer, this.#rank]
    this.#meetings.message(from, to, tag, sizeBytes, isSend, this.#spotOf(node))
    if (isSend) this.goal.send(label, sizeBytes, peer, tag)
    else this.goal.receive(label, sizeBytes, peer, tag)
  }

  #writeCollective(label: string, node: TraceNode): void {
    const { comm_size: size, comm_type: type } = node.numbers
    const isOfHost = (node.numbers.is_cpu_op ?? 0) !== 0
    if (size === undefined && isOfHost) {
      this.tallies.wrappers++
      return this.#passTime(label, node, COMPUTE_LANE)
    }
    if (size === undefined && type !== BARRIER) {
      if (node.durationUs === 0) return this.#issue(node, 'comm_size, or a duration', 'none')
      this.tallies.unsized++
      return this.#passTime(label, node, RECORDED_LANE)
    }
    if (node.isPartial) {
      const hint = 'groups by dimensions of a network are not known here'
      return this.#issue(node, 'involved_dim true in all dimensions', 'false in one', hint)
    }
    const operation = COLLECTIVES[this.#required(node, 'comm_type', COLLECTIVES.length - 1) ?? -1]
    const bytes = size === undefined ? 1 : this.#required(node, 'comm_size', Number.MAX_SAFE_INTEGER)
    const group = this.#groupOf(node)
    if (operation === undefined || bytes === null || group === null) return
    const whole = BY_CONTRIBUTION.includes(operation) ? bytes * group.ranks.length : bytes
    if (!Number.isSafeInteger(whole)) return this.#issue(node, 'at most 2^53 bytes of all ranks', `${whole}`)
    const call: CollectiveCall = { operation, sizeBytes: operation === 'barrier' ? 1 : whole }
    this.#meetings.collective(this.#rank, group, call, this.#spotOf(node))
    if (group.ranks.length === 1) this.tallies.alone++
    if (group.ranks.length === 1 || call.sizeBytes === 0) return this.goal.compute(label, 0, FREE_LANE)
    if (ROOTED.includes(operation)) this.tallies.rooted++
    this.goal.collective(label, group, this.#options.tuned?.call(call, group) ?? call)
  }

  /** The time that was recorded, or none. */
  #passTime(label: string, { durationUs }: TraceNode, lane: number): void {
    const ns = Math.round(durationUs * NS_PER_US)
    this.goal.compute(label, ns, ns === 0 ? FREE_LANE : lane)
  }

  #groupOf(node: TraceNode): RankGroup | null {
    const group = node.group === '' ? this.#all : this.#options.groups.get(node.group)
    if (group === undefined) {
      const hint = 'give the groups with --groups, a file {"NAME": [RANK, ...], ...}'
      this.#issue(node, 'a group that is known', `pg_name ${node.group}`, hint)
      return null
    }
    if (group.ranks.includes(this.#rank)) return group
    this.#issue(node, `a rank of the group ${node.group}`, `rank ${this.#rank}`)
    return null
  }

  /** null after an issue. */
  #required(node: TraceNode, name: AttributeName, most: number): number | null {
    const value = node.numbers[name]
    if (value !== undefined && Number.isInteger(value) && value >= 0 && value <= most) return value
    this.#issue(node, `${name}, 0 to ${most}`, value === undefined ? 'none' : `${value}`)
    return null
  }

  #report(problem: OrderProblem): void {
    if (problem.kind === 'twice') this.#issue(problem.node, 'an id once in a file', `${problem.node.id} again`)
    else if (problem.kind === 'absent')
      this.#issue(problem.node, 'data_deps on nodes of the file', `${problem.id}, which is not there`)
    else {
      const ids = problem.nodes.slice(0, 10).map(({ id }) => id)
      const more = problem.nodes.length > ids.length ? ` and ${problem.nodes.length - ids.length} more` : ''
      this.#issue(problem.nodes[0]!, 'nodes that can begin', `${ids.join(', ')}${more}, which wait for each other`)
    }
  }

  #issue(node: TraceNode, expected: string, received: string, hint = ''): void {
    this.#log.issue(undefined, this.#spotOf(node), expected, received, hint)
  }

  #spotOf(node: TraceNode): string {
    return `${this.#file}, ${node.where}`
  }
}

function labelOf({ id, name }: TraceNode): string {
  const part = labelPart(name)
  return part === '' ? `n${id}` : `n${id}_${part}`
}
