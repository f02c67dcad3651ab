/**
 * Steps: programs of collectives. Each position of a group has strands, independent of each other, whose steps go one after
 * another: a step posts its receives and its sends, and the next begins when all its receives are done (and, if it says so,
 * its sends acknowledged). The next iteration begins on a rank when all operations of this one are done there, as in a stream.
 * Memory follows the strands, not the steps: a step is computed when it begins.
 */
import { assert } from '../../base/assert.ts'
import type { CollectiveName } from '../collective-names.ts'
import type { Round, Unstarted } from '../operations.ts'
import type { GraphOperation, Program, Ready } from './program.ts'

export interface Transfer {
  /** Position in the group. */
  readonly peer: number
  /** 0: no message. */
  readonly sizeBytes: number
}

export interface Step {
  readonly sends: readonly Transfer[]
  readonly receives: readonly Transfer[]
  /** The next step waits for the acknowledgement of the sends, too. */
  readonly isAcknowledged?: boolean
}

/** A collective on positions 0 to n-1 of a group. */
export interface StepPlan {
  readonly strands: number
  /** Most steps of a strand, and most sends and receives of a step. */
  readonly stepsMost: number
  readonly operationsMost: number
  /** null: the strand has ended. */
  step(position: number, strand: number, step: number): Step | null
  channelOf(strand: number): number
}

export interface Collective {
  readonly plan: StepPlan
  readonly operation: CollectiveName
  readonly algorithm: string
  /** Group size. */
  readonly ranks: number
  readonly channels: number
  readonly iterations: number
  /** By nccl-tests' rules. */
  readonly sizeBytes: number
  readonly elementBytes: number
}

/** A strand of one position, in one iteration. */
interface Strand {
  at: number
  /** null: the strand has not begun, or has ended. */
  step: Step | null
  /** Operations that the next step waits for. */
  bindingLeft: number
}

/** An iteration, for its record. */
interface Tally {
  readonly iteration: number
  readonly startPs: number
  readonly endsPs: Float64Array
  endPs: number
  lastRank: number
  ranksLeft: number
}

export class StepProgram implements Program {
  readonly ranks: number
  readonly tagCount: number
  readonly channelCount: number
  readonly hasWildcards = false
  readonly #collective: Collective
  readonly #plan: StepPlan
  /** By position and strand. */
  readonly #strands: Strand[] = []
  /** By position: iteration, and operations and strands of it that are not over. */
  readonly #iteration: Int32Array
  readonly #operationsLeft: Int32Array
  readonly #strandsLeft: Int32Array
  /** By iteration. */
  readonly #open = new Map<number, Tally>()
  readonly #done: Round[] = []
  #totals: { messages: number; bytes: number } | null = null

  constructor(collective: Collective) {
    const { plan, ranks, channels } = collective
    this.#collective = collective
    this.#plan = plan
    this.ranks = ranks
    this.tagCount = plan.strands
    this.channelCount = channels
    this.#iteration = new Int32Array(ranks)
    this.#operationsLeft = new Int32Array(ranks)
    this.#strandsLeft = new Int32Array(ranks)
    for (let i = 0; i < ranks * plan.strands; i++) this.#strands.push({ at: 0, step: null, bindingLeft: 0 })
    assert(
      collective.iterations * plan.stepsMost * ranks * plan.strands * plan.operationsMost <= Number.MAX_SAFE_INTEGER,
      'operations have numbers',
    )
  }

  get messages(): number {
    return this.#total().messages * this.#collective.iterations
  }

  get bytes(): number {
    return this.#total().bytes * this.#collective.iterations
  }

  begin(nowPs: number, ready: Ready): void {
    for (let position = 0; position < this.ranks; position++) this.#beginIteration(nowPs, position, ready)
  }

  read(id: number, out: GraphOperation): void {
    const { position, strand, step, index } = this.#parts(id)
    const { sends, receives } = this.#stepOf(position, strand, step)
    const isSend = index >= receives.length
    const { peer, sizeBytes } = isSend ? sends[index - receives.length]! : receives[index]!
    out.kind = isSend ? 'send' : 'receive'
    out.rank = position
    out.peer = peer
    out.sizeBytes = sizeBytes
    out.tag = strand
    out.channel = this.#plan.channelOf(strand)
  }

  onDone(nowPs: number, id: number, ready: Ready): void {
    const { position, strand, step, index } = this.#parts(id)
    const { receives, isAcknowledged } = this.#stepOf(position, strand, step)
    this.#operationsLeft[position]!--
    const isReceive = index < receives.length
    if (isReceive) {
      const tally = this.#open.get(this.#iteration[position]!)!
      tally.endsPs[position] = nowPs
      if (nowPs >= tally.endPs) {
        tally.endPs = nowPs
        tally.lastRank = position
      }
    }
    const its = this.#strands[position * this.#plan.strands + strand]!
    if ((isReceive || isAcknowledged === true) && --its.bindingLeft === 0) this.#goOn(position, strand, step + 1, ready)
    this.#checkIteration(nowPs, position, ready)
  }

  rounds(): readonly Round[] {
    return [...this.#done, ...[...this.#open.values()].map((tally) => this.#round(tally))]
  }

  unstarted(): readonly Unstarted[] {
    const { strands } = this.#plan
    return Array.from(this.#iteration, (iteration, rank) => ({ iteration, rank })).flatMap(({ iteration, rank }) => {
      if (iteration >= this.#collective.iterations) return []
      const own = this.#strands.slice(rank * strands, (rank + 1) * strands)
      const strand = Math.max(
        0,
        own.findIndex(({ step }) => step !== null),
      )
      const at = own[strand]!.at
      return [{ rank, id: this.#idOf(rank, strand, at + 1), waitsFor: this.#idOf(rank, strand, at) }]
    })
  }

  nameOf(id: number): string {
    const { strand, step } = this.#parts(id)
    const { algorithm, operation } = this.#collective
    const name = `${operation} ${algorithm} step ${step + 1}`
    return this.#plan.strands === 1 ? name : `${name} strand ${strand + 1}`
  }

  #beginIteration(nowPs: number, position: number, ready: Ready): void {
    const { strands } = this.#plan
    const iteration = this.#iteration[position]!
    if (iteration >= this.#collective.iterations) return
    if (!this.#open.has(iteration)) {
      const endsPs = new Float64Array(this.ranks).fill(nowPs)
      const { ranks } = this
      this.#open.set(iteration, {
        iteration,
        startPs: nowPs,
        endsPs,
        endPs: nowPs,
        lastRank: position,
        ranksLeft: ranks,
      })
    }
    this.#strandsLeft[position] = strands
    for (let strand = 0; strand < strands; strand++) this.#goOn(position, strand, 0, ready)
    this.#checkIteration(nowPs, position, ready)
  }

  /** Begins the step, or the first after it that has something to wait for before the next one. */
  #goOn(position: number, strand: number, from: number, ready: Ready): void {
    const its = this.#strands[position * this.#plan.strands + strand]!
    for (let step = from; ; step++) {
      const next = this.#plan.step(position, strand, step)
      its.step = next
      if (next === null) {
        this.#strandsLeft[position]!--
        return
      }
      its.at = step
      const { receives, sends, isAcknowledged } = next
      const isBinding = (index: number): boolean => index < receives.length || isAcknowledged === true
      const first = this.#idOf(position, strand, step)
      const indices = [...receives, ...sends].flatMap(({ sizeBytes }, index) => (sizeBytes > 0 ? [index] : []))
      its.bindingLeft = indices.filter(isBinding).length
      this.#operationsLeft[position]! += indices.length
      for (const index of indices) ready(first + index)
      if (its.bindingLeft > 0) return
    }
  }

  /** The next iteration begins when nothing of this one is left. */
  #checkIteration(nowPs: number, position: number, ready: Ready): void {
    if (this.#strandsLeft[position]! > 0 || this.#operationsLeft[position]! > 0) return
    const iteration = this.#iteration[position]!
    const tally = this.#open.get(iteration)!
    if (--tally.ranksLeft === 0) {
      this.#done.push(this.#round(tally))
      this.#open.delete(iteration)
    }
    this.#iteration[position]!++
    this.#beginIteration(nowPs, position, ready)
  }

  #round(tally: Tally): Round {
    const { operation, algorithm, ranks, sizeBytes, elementBytes } = this.#collective
    const sorted = tally.endsPs.toSorted()
    const isDone = tally.ranksLeft === 0
    return {
      operation,
      algorithm,
      iteration: tally.iteration,
      ranks,
      sizeBytes,
      elementBytes,
      startPs: tally.startPs,
      endPs: isDone ? tally.endPs : NaN,
      lastRank: tally.lastRank,
      medianEndPs: isDone ? sorted[sorted.length >> 1]! : NaN,
    }
  }

  #total(): { messages: number; bytes: number } {
    return (this.#totals ??= totalOf(this.#collective))
  }

  /** A send of an earlier step may be under way after the strand has gone on. */
  #stepOf(position: number, strand: number, step: number): Step {
    const its = this.#strands[position * this.#plan.strands + strand]!
    return its.at === step && its.step !== null ? its.step : this.#plan.step(position, strand, step)!
  }

  #idOf(position: number, strand: number, step: number): number {
    const { strands, stepsMost, operationsMost } = this.#plan
    const inOrder = this.#iteration[position]! * stepsMost + step
    return ((inOrder * strands + strand) * this.ranks + position) * operationsMost
  }

  #parts(id: number) {
    const { strands, stepsMost, operationsMost } = this.#plan
    const index = id % operationsMost
    let rest = (id - index) / operationsMost
    const position = rest % this.ranks
    rest = (rest - position) / this.ranks
    const strand = rest % strands
    rest = (rest - strand) / strands
    return { index, position, strand, step: rest % stepsMost }
  }
}

/** Messages and bytes of one iteration. */
export function totalOf({ plan, ranks }: Pick<Collective, 'plan' | 'ranks'>): { messages: number; bytes: number } {
  let messages = 0
  let bytes = 0
  for (let position = 0; position < ranks; position++) {
    for (let strand = 0; strand < plan.strands; strand++) {
      for (
        let at = 0, step = plan.step(position, strand, at);
        step !== null;
        step = plan.step(position, strand, ++at)
      ) {
        for (const { sizeBytes } of step.sends) {
          if (sizeBytes > 0) messages++
          bytes += sizeBytes
        }
      }
    }
  }
  return { messages, bytes }
}
