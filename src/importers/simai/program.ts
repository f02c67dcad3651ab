/**
 * A program of a workload file: every rank, or every rank of a stage, does the same, with its own groups.
 * A training step goes up the layers (forward), then down (gradients of input and weights). Collectives of forward and of
 * the input's gradient are waited for; those of the weights' gradient are not: the layer's forward in the next pass waits for
 * them and for the update. MICRO does its rows one after another.
 * A stage of a pipeline does so for each micro-batch as its schedule says (1F1B), after a message from the stage before; rows
 * in front of the micro-batches begin the step and end it, those behind them come after the last micro-batch.
 */
import { GoalLines, labelPart, type RankGroup } from '../goal-lines.ts'
import type { Tuned } from '../tuned.ts'
import { type Pass, passesOf } from '../../core/workload/graph/index.ts'
import { type Pipeline, rowsOf } from './pipeline.ts'
import { groupsOf, type Split } from './groups.ts'
import {
  GROUP_KINDS,
  type GroupKind,
  type Layer,
  type LayerPart,
  type Phase,
  PHASES,
  type WorkloadFile,
} from './workload-file.ts'

/** Updates do not stand in the way of the gradients of other layers. */
const [COMPUTE_LANE, UPDATE_LANE, FREE_LANE] = [0, 1, 255]
/** Tags of messages between stages. */
const [ACTIVATION, GRADIENT] = [0, 1]
const NONE: LayerPart = { computeNs: 0, collective: null }

export interface StepShape {
  readonly split: Split
  /** null: all ranks do all rows. */
  readonly pipeline: Pipeline | null
  readonly passes: number
}

export function simaiProgram(
  file: WorkloadFile,
  { split, pipeline, passes }: StepShape,
  tuned: Tuned | null,
): GoalLines {
  const goal = new GoalLines(split.gpus)
  const groups = Object.fromEntries(GROUP_KINDS.map((kind) => [kind, groupsOf(kind, split)]))
  for (let rank = 0; rank < split.gpus; rank++) {
    goal.beginRank()
    const writer = new RankWriter(goal, (kind) => groups[kind]![rank]!, tuned, passes > 1)
    for (let pass = 0; pass < passes; pass++) {
      if (file.isMicro) writer.rows(pass, file.layers)
      else if (pipeline !== null)
        writer.stage(pass, file.layers, pipeline, { rank, width: split.gpus / pipeline.stages })
      else writer.step(pass, file.layers)
    }
    goal.endRank()
  }
  return goal
}

interface Position {
  readonly rank: number
  /** Ranks of a stage. */
  readonly width: number
}

class RankWriter {
  readonly #goal: GoalLines
  readonly #groupOf: (kind: GroupKind) => RankGroup
  readonly #tuned: Tuned | null
  readonly #hasPasses: boolean
  /** The operation that the next one waits for. */
  #last: string | null = null
  /** Messages that have to be there, too. */
  readonly #awaited: string[] = []
  /** By layer: the end of its weights' gradient in the pass before. */
  readonly #weights = new Map<number, string>()

  constructor(goal: GoalLines, groupOf: (kind: GroupKind) => RankGroup, tuned: Tuned | null, hasPasses: boolean) {
    this.#goal = goal
    this.#groupOf = groupOf
    this.#tuned = tuned
    this.#hasPasses = hasPasses
  }

  /** A pass of a training step. */
  step(pass: number, layers: readonly Layer[]): void {
    this.#up(pass, layers, 0, layers.length)
    this.#down(pass, layers, 0, layers.length)
  }

  /** The same as a stage of a pipeline. */
  stage(pass: number, layers: readonly Layer[], pipeline: Pipeline, { rank, width }: Position): void {
    const { stages, begin, end } = pipeline
    const stage = Math.floor(rank / width)
    this.#up(pass, layers, 0, begin)
    for (const each of passesOf({ schedule: '1f1b', ...pipeline }, stage)) {
      const { isForward, microbatch, chunk } = each
      const name = `${this.#hasPasses ? `p${pass + 1}_` : ''}m${microbatch + 1}_c${chunk + 1}_${isForward ? 'activation' : 'gradient'}`
      const { from, to } = neighbours(each, stage, pipeline)
      const rankOf = (other: number): number => rank + (((other + stages) % stages) - stage) * width
      const tag = isForward ? ACTIVATION : GRADIENT
      if (from !== null) {
        this.#goal.receive(`${name}_in`, pipeline.sizeBytes, rankOf(from), tag)
        this.#awaited.push(`${name}_in`)
      }
      const [first, behind] = rowsOf(pipeline, microbatch, chunk, stage)
      if (isForward) this.#up(pass, layers, first, behind)
      else this.#down(pass, layers, first, behind)
      // Rows may hold nothing.
      if (this.#awaited.length > 0) this.#waitFor(`${name}_there`, [])
      if (to === null) continue
      this.#goal.send(`${name}_out`, pipeline.sizeBytes, rankOf(to), tag)
      if (this.#last !== null) this.#goal.requires(`${name}_out`, this.#last)
    }
    this.#up(pass, layers, end, layers.length)
    this.#down(pass, layers, end, layers.length)
    this.#down(pass, layers, 0, begin)
  }

  #up(pass: number, layers: readonly Layer[], from: number, behind: number): void {
    for (let index = from; index < behind; index++) {
      const weights = this.#weights.get(index)
      this.#part(pass, index, layers[index]!, 'fwd', weights === undefined ? [] : [weights])
    }
  }

  #down(pass: number, layers: readonly Layer[], from: number, behind: number): void {
    for (let index = behind - 1; index >= from; index--) {
      this.#part(pass, index, layers[index]!, 'ig')
      this.#weightsPart(pass, index, layers[index]!)
    }
  }

  /** All rows, one after another. */
  rows(pass: number, layers: readonly Layer[]): void {
    for (const [index, layer] of layers.entries()) for (const phase of PHASES) this.#part(pass, index, layer, phase)
  }

  /** Compute, then the collective, which what follows waits for. */
  #part(pass: number, index: number, layer: Layer, phase: Phase, others: readonly string[] = []): void {
    const { computeNs } = layer.parts[phase]
    const label = this.#labelOf(pass, index, layer, phase)
    let before = others
    if (computeNs > 0) {
      this.#goal.compute(label, computeNs, COMPUTE_LANE)
      this.#after(label, before)
      before = []
    }
    const collective = this.#collective(label, layer.parts[phase])
    if (collective !== null) this.#after(collective, before)
    else if (before.length > 0 && computeNs === 0) this.#waitFor(label, before)
  }

  /** The gradient of the weights: only the same layer of the next pass waits for its collective and update. */
  #weightsPart(pass: number, index: number, layer: Layer): void {
    const { computeNs } = layer.parts.wg
    const label = this.#labelOf(pass, index, layer, 'wg')
    if (computeNs > 0) {
      this.#goal.compute(label, computeNs, COMPUTE_LANE)
      this.#after(label, [])
    }
    const collective = this.#collective(label, layer.parts.wg)
    this.#weights.delete(index)
    if (collective === null) return
    if (this.#last !== null) this.#goal.requires(collective, this.#last)
    this.#weights.set(index, collective)
    if (layer.updateNs === 0) return
    const update = this.#labelOf(pass, index, layer, 'update')
    this.#goal.compute(update, layer.updateNs, UPDATE_LANE)
    this.#goal.requires(update, collective)
    this.#weights.set(index, update)
  }

  /** Nothing is done, but what follows waits for others. */
  #waitFor(label: string, others: readonly string[]): void {
    this.#goal.compute(label, 0, FREE_LANE)
    this.#after(label, others)
  }

  /** The operation comes after the last one and others; it is the last one now. */
  #after(label: string, others: readonly string[]): void {
    if (this.#last !== null) this.#goal.requires(label, this.#last)
    for (const other of [...others, ...this.#awaited.splice(0)])
      if (other !== this.#last) this.#goal.requires(label, other)
    this.#last = label
  }

  /** Writes the collective; null: there is none. */
  #collective(label: string, { collective }: LayerPart = NONE): string | null {
    if (collective === null) return null
    const { operation, sizeBytes, group: kind, word } = collective
    const group = this.#groupOf(kind)
    if (group.ranks.length === 1) return null
    const call = { operation, sizeBytes }
    const name = `${label}_${labelPart(word.toLowerCase())}`
    this.#goal.collective(name, group, this.#tuned?.call(call, group) ?? call)
    return name
  }

  /** "l12_mlp_layer_fwd"; with several passes "p2_l12_mlp_layer_fwd". */
  #labelOf(pass: number, index: number, { name }: Layer, phase: string): string {
    const part = labelPart(name)
    return `${this.#hasPasses ? `p${pass + 1}_` : ''}l${index + 1}_${part === '' ? '' : `${part}_`}${phase}`
  }
}

/** Stages that a pass has its message from and sends one to, maybe by one too many in either direction; null: none. */
function neighbours({ isForward, chunk }: Pass, stage: number, { stages, chunks }: Pipeline) {
  const at = chunk * stages + stage
  const before = at === 0 ? null : stage - 1
  const next = at === chunks * stages - 1 ? null : stage + 1
  return isForward ? { from: before, to: next } : { from: next, to: before }
}
