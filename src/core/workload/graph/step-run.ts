/**
 * Step run: one collective under way. Each position of its group has strands, independent of each other, whose steps go one
 * after another: a step posts its receives and its sends, and the next begins when all its receives are done (and, if it
 * says so, its sends acknowledged). A position is over when all its operations are done.
 * Memory follows the strands, not the steps: a step is computed when it begins.
 */
import { assert } from '../../base/assert.ts'
import type { RoundName } from '../collective-names.ts'
import type { Round } from '../operations.ts'
import type { GraphOperation, Ready, Sends } from './program.ts'

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
  /** The first strand with the same steps, at all positions. */
  likeOf(strand: number): number
}

export interface Collective {
  readonly plan: StepPlan
  readonly operation: RoundName
  readonly algorithm: string
  /** Group size. */
  readonly ranks: number
  readonly channels: number
  /** By nccl-tests' rules. */
  readonly sizeBytes: number
  readonly elementBytes: number
}

/** A strand of one position. */
interface Strand {
  at: number
  /** null: the strand has not begun. */
  step: Step | null
  /** The step before it, whose sends may not be over; null: there is none. */
  before: Step | null
  /** It has no more steps. */
  isOver: boolean
  /** Operations that the next step waits for. */
  bindingLeft: number
}

/** How many numbers the operations of one run may have. */
export function numbersOf({ plan, ranks }: Pick<Collective, 'plan' | 'ranks'>): number {
  return plan.stepsMost * plan.strands * ranks * plan.operationsMost
}

export class StepRun {
  readonly collective: Collective
  readonly iteration: number
  readonly #name: string
  readonly #group: number
  readonly #plan: StepPlan
  readonly #ranks: number
  /** Its operations have numbers from here on. */
  readonly #first: number
  /** By position and strand. */
  readonly #strands: Strand[] = []
  /** By position: operations, and strands that have not ended; -1: it has not begun. */
  readonly #left: Int32Array
  #positionsLeft: number
  #startPs = NaN
  /** By position: when its last receive was done. */
  readonly #endsPs: Float64Array
  #endPs = NaN
  #lastPosition = 0

  /** @param first number of its first operation @param iteration how many of its kind were before it */
  constructor(collective: Collective, first: number, iteration: number, name = '', group = 0) {
    const { plan, ranks } = collective
    assert(first + numbersOf(collective) <= Number.MAX_SAFE_INTEGER, 'operations have numbers')
    this.collective = collective
    this.iteration = iteration
    this.#name = name
    this.#group = group
    this.#plan = plan
    this.#ranks = ranks
    this.#first = first
    for (let i = 0; i < ranks * plan.strands; i++)
      this.#strands.push({ at: 0, step: null, before: null, isOver: false, bindingLeft: 0 })
    this.#left = new Int32Array(ranks).fill(-1)
    this.#positionsLeft = ranks
    this.#endsPs = new Float64Array(ranks)
  }

  /** All positions are over. */
  get isOver(): boolean {
    return this.#positionsLeft === 0
  }

  isOverAt(position: number): boolean {
    return this.#left[position] === 0
  }

  beginAt(nowPs: number, position: number, ready: Ready): void {
    if (Number.isNaN(this.#startPs)) this.#startPs = this.#endPs = nowPs
    this.#endsPs[position] = nowPs
    const { strands } = this.#plan
    // One more, so that it is not over before all have begun.
    this.#left[position] = strands + 1
    for (let strand = 0; strand < strands; strand++) this.#goOn(position, strand, 0, ready)
    this.#count(position)
  }

  /** @param out gets positions for ranks, and the strand as tag */
  read(id: number, out: GraphOperation): void {
    const { operationsMost, strands } = this.#plan
    const local = id - this.#first
    const index = local % operationsMost
    const rest = (local - index) / operationsMost
    const position = rest % this.#ranks
    const inOrder = (rest - position) / this.#ranks
    const strand = inOrder % strands
    const { receives, sends } = this.#stepOf(position, strand, (inOrder - strand) / strands)
    const isSend = index >= receives.length
    const { peer, sizeBytes } = isSend ? sends[index - receives.length]! : receives[index]!
    out.kind = isSend ? 'send' : 'receive'
    out.rank = position
    out.peer = peer
    out.sizeBytes = sizeBytes
    out.tag = strand
    out.channel = this.#plan.channelOf(strand)
  }

  /** @returns the position of the operation */
  onDone(nowPs: number, id: number, ready: Ready): number {
    const { operationsMost, strands } = this.#plan
    const local = id - this.#first
    const index = local % operationsMost
    const rest = (local - index) / operationsMost
    const position = rest % this.#ranks
    const inOrder = (rest - position) / this.#ranks
    const strand = inOrder % strands
    const step = (inOrder - strand) / strands
    const { receives, isAcknowledged } = this.#stepOf(position, strand, step)
    const isReceive = index < receives.length
    if (isReceive) {
      this.#endsPs[position] = nowPs
      if (nowPs >= this.#endPs) {
        this.#endPs = nowPs
        this.#lastPosition = position
      }
    }
    const its = this.#strands[position * strands + strand]!
    if ((isReceive || isAcknowledged === true) && --its.bindingLeft === 0) this.#goOn(position, strand, step + 1, ready)
    this.#count(position)
    return position
  }

  /** First operation that has not begun at a position that has begun and is not over, and one that it waits for. */
  unstarted(position: number): { readonly id: number; readonly waitsFor: number } | null {
    if (this.#left[position]! <= 0) return null
    const { strands } = this.#plan
    const own = this.#strands.slice(position * strands, (position + 1) * strands)
    const found = own.findIndex(({ step, isOver }) => step !== null && !isOver)
    const strand = Math.max(0, found)
    const { at } = own[strand]!
    return { id: this.#numberOf(position, strand, at + 1), waitsFor: this.#numberOf(position, strand, at) }
  }

  nameOf(id: number): string {
    return nameOfStep(this.collective, id - this.#first, this.#name)
  }

  round(): Round {
    const { operation, algorithm, ranks, sizeBytes, elementBytes } = this.collective
    const { isOver } = this
    return {
      name: this.#name,
      group: this.#group,
      operation,
      algorithm,
      iteration: this.iteration,
      ranks,
      sizeBytes,
      elementBytes,
      startPs: this.#startPs,
      endPs: isOver ? this.#endPs : NaN,
      lastRank: this.#lastPosition,
      medianEndPs: isOver ? this.#endsPs.toSorted()[ranks >> 1]! : NaN,
    }
  }

  #count(position: number): void {
    if (--this.#left[position]! === 0) this.#positionsLeft--
  }

  /** Begins the step, or the first after it that has something to wait for before the next one. */
  #goOn(position: number, strand: number, from: number, ready: Ready): void {
    const its = this.#strands[position * this.#plan.strands + strand]!
    for (let at = from; ; at++) {
      const step = this.#plan.step(position, strand, at)
      if (step === null) {
        its.isOver = true
        this.#left[position]!--
        return
      }
      its.before = its.step
      its.step = step
      its.at = at
      const { receives, sends, isAcknowledged } = step
      const binding = messagesIn(receives)
      const others = messagesIn(sends)
      its.bindingLeft = isAcknowledged === true ? binding + others : binding
      this.#left[position]! += binding + others
      const first = this.#numberOf(position, strand, at)
      for (let i = 0; i < receives.length; i++) if (receives[i]!.sizeBytes > 0) ready(first + i)
      for (let i = 0; i < sends.length; i++) if (sends[i]!.sizeBytes > 0) ready(first + receives.length + i)
      if (its.bindingLeft > 0) return
    }
  }

  /** A send of an earlier step may be under way after the strand has gone on. */
  #stepOf(position: number, strand: number, at: number): Step {
    const its = this.#strands[position * this.#plan.strands + strand]!
    const known = its.at === at ? its.step : its.at === at + 1 ? its.before : null
    return known ?? this.#plan.step(position, strand, at)!
  }

  #numberOf(position: number, strand: number, at: number): number {
    const { strands, operationsMost } = this.#plan
    return this.#first + ((at * strands + strand) * this.#ranks + position) * operationsMost
  }
}

function messagesIn(transfers: readonly Transfer[]): number {
  let count = 0
  for (const { sizeBytes } of transfers) if (sizeBytes > 0) count++
  return count
}

/** Name for people of the operation with this number in its run: "all-reduce ring step 3 strand 2". */
export function nameOfStep({ plan, ranks, algorithm, operation }: Collective, local: number, name = ''): string {
  const { operationsMost, strands } = plan
  const inOrder = Math.floor(Math.floor(local / operationsMost) / ranks)
  const strand = inOrder % strands
  const text = `${name === '' ? operation : name} ${algorithm} step ${(inOrder - strand) / strands + 1}`
  return strands === 1 ? text : `${text} strand ${strand + 1}`
}

/** Step of the operation with this number in its run, from 0. */
export function stepOf({ plan, ranks }: Collective, local: number): number {
  return Math.floor(local / (plan.operationsMost * ranks * plan.strands))
}

/** Visits all messages of a collective; strands with the same steps together. */
export function eachSend({ plan, ranks }: Pick<Collective, 'plan' | 'ranks'>, visit: (sends: Sends) => void): void {
  const alike = new Map<number, { count: number; readonly channels: Set<number> }>()
  for (let strand = 0; strand < plan.strands; strand++) {
    const like = plan.likeOf(strand)
    const known = alike.get(like) ?? { count: 0, channels: new Set<number>() }
    alike.set(like, known)
    known.count++
    known.channels.add(plan.channelOf(strand))
  }
  for (const [like, { count, channels }] of alike) {
    for (let from = 0; from < ranks; from++) {
      // Messages of a ring are alike from step to step.
      let [times, last] = [0, { peer: -1, sizeBytes: 0 }]
      const flush = (): void => {
        const { peer: to, sizeBytes } = last
        if (times > 0 && sizeBytes > 0)
          visit({
            from,
            to,
            sizeBytes,
            messages: times * count,
            channels: channels.size,
            like,
            channel: plan.channelOf(like),
          })
        times = 0
      }
      for (let at = 0, step = plan.step(from, like, at); step; step = plan.step(from, like, ++at)) {
        for (const transfer of step.sends) {
          if (transfer.peer !== last.peer || transfer.sizeBytes !== last.sizeBytes) {
            flush()
            last = transfer
          }
          times++
        }
      }
      flush()
    }
  }
}

/** Messages and bytes of a collective. */
export function totalOf(collective: Pick<Collective, 'plan' | 'ranks'>): { messages: number; bytes: number } {
  let [messages, bytes] = [0, 0]
  eachSend(collective, (sends) => {
    messages += sends.messages
    bytes += sends.messages * sends.sizeBytes
  })
  return { messages, bytes }
}
