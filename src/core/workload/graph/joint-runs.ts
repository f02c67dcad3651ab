/**
 * Joint runs: the collectives of a program in which each rank has an operation for its part. The k-th of a group on each of
 * its ranks is one collective; it is made when the first of them begins, and forgotten when all are over.
 */
import type { Spot, Round } from '../operations.ts'
import { planOf, type CollectiveOptions } from './algorithms/plan.ts'
import type { GraphOperation, Ready, Sends } from './program.ts'
import { type Collective, eachSend, nameOfStep, numbersOf, StepRun, stepOf, totalOf } from './step-run.ts'

/** The part of a rank in a collective. */
export interface Part {
  readonly group: number
  readonly options: CollectiveOptions | Collective
  /** Operation of the program. */
  readonly id: number
  readonly rank: number
}

/** Two parts of one collective that differ in their options. */
export interface PartProblem {
  readonly id: number
  readonly other: number
  /** The second has none. */
  readonly isMissing: boolean
}

/** One collective of a program. */
interface Joint {
  readonly group: number
  readonly iteration: number
  readonly collective: Collective
  readonly first: number
  readonly tag: number
  readonly name: string
}

export class JointRuns {
  readonly tagCount: number
  readonly channelCount: number
  readonly messages: number
  readonly bytes: number
  readonly #groups: readonly (readonly number[])[]
  /** In the order of their numbers. */
  readonly #joints: Joint[] = []
  /** Collective of each part, by its operation. */
  readonly #jointOf = new Map<number, number>()
  readonly #positions: readonly ReadonlyMap<number, number>[]
  /** First channel of each group. */
  readonly #channels: number[] = []
  /** Operations of the program that are under way, by collective and position. */
  readonly #open = new Map<number, { readonly run: StepRun; readonly parts: Map<number, number> }>()
  readonly #done: Round[] = []

  /** @param from first number, tag and channel that the program does not use itself */
  constructor(
    groups: readonly (readonly number[])[],
    parts: readonly Part[],
    nameOf: (id: number) => string,
    from: { readonly id: number; readonly tag: number; readonly channel: number },
  ) {
    this.#groups = groups
    this.#positions = groups.map((ranks) => new Map(ranks.map((rank, position) => [rank, position])))
    let [id, tag, channel] = [from.id, from.tag, from.channel]
    let [messages, bytes] = [0, 0]
    const made = new Map<string | Collective, { collective: Collective; messages: number; bytes: number }>()
    byGroup(groups.length, parts).forEach((joints, group) => {
      this.#channels.push(channel)
      let channelsMost = 0
      joints.forEach((own, iteration) => {
        const { options, id: part } = own[0]!
        const key = 'plan' in options ? options : `${groups[group]!.length} ${JSON.stringify(options)}`
        let known = made.get(key)
        if (known === undefined) {
          const collective = planOf(options, groups[group]!.length)
          known = { collective, ...totalOf(collective) }
          made.set(key, known)
        }
        const { collective } = known
        for (const each of own) this.#jointOf.set(each.id, this.#joints.length)
        this.#joints.push({ group, iteration, collective, first: id, tag, name: nameOf(part) })
        id += numbersOf(collective)
        tag += collective.plan.strands
        channelsMost = Math.max(channelsMost, collective.channels)
        messages += known.messages
        bytes += known.bytes
      })
      channel += channelsMost
    })
    this.tagCount = tag
    this.channelCount = channel
    this.messages = messages
    this.bytes = bytes
  }

  eachSend(visit: (sends: Sends) => void): void {
    for (const { group, collective } of this.#joints) {
      const ranks = this.#groups[group]!
      eachSend(collective, (sends) => {
        const [from, to, like] = [ranks[sends.from]!, ranks[sends.to]!, this.#channels[group]! + sends.like]
        visit({ ...sends, from, to, like })
      })
    }
  }

  /** Begins the part of a rank. @returns whether it is over at once, as there is nothing to send */
  begin(nowPs: number, part: number, rank: number, ready: Ready): boolean {
    const at = this.#jointOf.get(part)!
    const joint = this.#joints[at]!
    let open = this.#open.get(at)
    if (open === undefined) {
      open = {
        run: new StepRun(joint.collective, joint.first, joint.iteration, joint.name, joint.group),
        parts: new Map(),
      }
      this.#open.set(at, open)
    }
    const position = this.#positions[joint.group]!.get(rank)!
    open.parts.set(position, part)
    open.run.beginAt(nowPs, position, ready)
    return this.#isOver(at, position)
  }

  read(id: number, out: GraphOperation): void {
    const at = this.#indexOf(id)
    const { group, tag } = this.#joints[at]!
    this.#open.get(at)!.run.read(id, out)
    out.rank = this.#groups[group]![out.rank]!
    out.peer = this.#groups[group]![out.peer]!
    out.tag += tag
    out.channel += this.#channels[group]!
  }

  /** @returns the part that is over with it; -1: none */
  onDone(nowPs: number, id: number, ready: Ready): number {
    const at = this.#indexOf(id)
    const { run, parts } = this.#open.get(at)!
    const position = run.onDone(nowPs, id, ready)
    const part = parts.get(position)!
    return this.#isOver(at, position) ? part : -1
  }

  rounds(): readonly Round[] {
    return [...this.#done, ...[...this.#open.values()].map(({ run }) => run.round())]
  }

  nameOf(id: number): string {
    const { collective, first, name } = this.#joints[this.#indexOf(id)]!
    return nameOfStep(collective, id - first, name)
  }

  spotOf(id: number): Spot {
    const { collective, first, iteration } = this.#joints[this.#indexOf(id)]!
    return { iteration, step: stepOf(collective, id - first) }
  }

  #isOver(at: number, position: number): boolean {
    const { run } = this.#open.get(at)!
    if (!run.isOverAt(position)) return false
    if (run.isOver) {
      this.#done.push(run.round())
      this.#open.delete(at)
    }
    return true
  }

  /** Collective of an operation. */
  #indexOf(id: number): number {
    let [low, high] = [0, this.#joints.length - 1]
    while (low < high) {
      const middle = (low + high + 1) >> 1
      if (this.#joints[middle]!.first <= id) low = middle
      else high = middle - 1
    }
    return low
  }
}

/** By group: its collectives in order, each with the parts of the ranks that have one. */
export function byGroup(groups: number, parts: readonly Part[]): Part[][][] {
  const joints = Array.from({ length: groups }, (): Part[][] => [])
  const counts = new Map<string, number>()
  for (const part of parts) {
    const key = `${part.group} ${part.rank}`
    const k = counts.get(key) ?? 0
    counts.set(key, k + 1)
    ;(joints[part.group]![k] ??= []).push(part)
  }
  return joints
}

/** Parts that do not fit to the others of their collective. */
export function partProblems(groups: readonly (readonly number[])[], parts: readonly Part[]): PartProblem[] {
  return byGroup(groups.length, parts).flatMap((joints, group) =>
    joints.flatMap((own): PartProblem[] => {
      const [one] = own
      const key = JSON.stringify(one!.options)
      const other = own.find(({ options }) => JSON.stringify(options) !== key)
      if (other !== undefined) return [{ id: other.id, other: one!.id, isMissing: false }]
      return own.length === groups[group]!.length ? [] : [{ id: one!.id, other: one!.id, isMissing: true }]
    }),
  )
}
