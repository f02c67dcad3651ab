/**
 * GOAL lines: a program as GOAL text, without collectives. A dependency between ranks becomes a message of no bytes, which
 * takes no time here; waits become computes on lanes of their own.
 */
import type { OperationTable } from '../operation-table.ts'
import { ANY, blankOperation, cpuOf, nicOf } from '../program.ts'
import { expanded } from './expand.ts'

/** A mistake for which a program cannot be written. */
export type GoalProblem = 'need' | 'picoseconds' | 'lanes' | 'channels' | 'tags'

const U32_MAX = 2 ** 32 - 1
const LANES = 256

export interface GoalText {
  readonly lines: string[]
  readonly problems: ReadonlySet<GoalProblem>
  /** Dependencies between ranks. */
  readonly crossing: number
}

export function goalText(program: OperationTable): GoalText {
  return new GoalWriter(expanded(program)).write()
}

/** Text of one rank, as it grows. */
interface RankText {
  readonly operations: string[]
  readonly dependencies: string[]
  count: number
  /** Lanes of computes. */
  readonly lanes: Set<number>
  /** Lane of those that take no time; -1: there is none. */
  joinLane: number
  /** Labels of computes that end at a time until which others wait, by that time. */
  readonly untils: Map<number, string>
}

class GoalWriter {
  readonly #table: OperationTable
  readonly #tags: readonly number[]
  readonly #problems = new Set<GoalProblem>()
  readonly #ranks: RankText[]
  /** Labels of operations: one to begin it, and those that have ended with it. */
  readonly #begin: string[] = []
  readonly #end: (readonly string[])[] = []
  readonly #operation = blankOperation()
  #nextTag: number
  #crossing = 0
  /** Own channels of messages between two ranks, so far. */
  readonly #own = new Map<string, number>()

  constructor(table: OperationTable) {
    this.#table = table
    this.#tags = table.tags
    this.#nextTag = this.#tags.reduce((most, each) => Math.max(most, each), -1) + 1
    this.#ranks = Array.from({ length: table.ranks }, () => ({
      operations: [],
      dependencies: [],
      count: 0,
      joinLane: -1,
      lanes: new Set<number>(),
      untils: new Map<number, string>(),
    }))
  }

  write(): GoalText {
    const { size, needs } = this.#table
    if (needs.size > 0) this.#problems.add('need')
    for (let id = 0; id < size; id++) {
      const { kind, rank, lane } = this.#read(id)
      if (kind === 'compute') this.#ranks[rank]!.lanes.add(lane)
    }
    this.#addUntils()
    for (let id = 0; id < size; id++) this.#add(id)
    for (const when of ['after', 'with'] as const) {
      const pairs = this.#table.pairs(when)
      for (let i = 0; i < pairs.length; i += 2) this.#depend(pairs[i + 1]!, pairs[i]!, when)
    }
    const texts = this.#ranks.flatMap(({ operations, dependencies }, rank) => [
      `rank ${rank} {`,
      ...operations,
      ...dependencies,
      '}',
    ])
    const lines = [`num_ranks ${this.#table.ranks}`, ...texts]
    return { lines, problems: this.#problems, crossing: this.#crossing }
  }

  /** Computes in a row on one lane, whose ends are the times until which others wait. */
  #addUntils(): void {
    const times = this.#ranks.map(() => new Set<number>())
    for (let id = 0; id < this.#table.size; id++) {
      const { rank, untilPs } = this.#read(id)
      if (untilPs > 0) times[rank]!.add(untilPs)
    }
    times.forEach((set, rank) => {
      if (set.size === 0) return
      const cpu = this.#freeLane(rank)
      const { untils, dependencies } = this.#ranks[rank]!
      let [fromPs, before] = [0, '']
      for (const untilPs of [...set].toSorted((a, b) => a - b)) {
        const label = this.#line(rank, `calc ${this.#ns(untilPs - fromPs)} cpu ${cpu}`)
        if (before !== '') dependencies.push(`${label} requires ${before}`)
        untils.set(untilPs, label)
        ;[fromPs, before] = [untilPs, label]
      }
    })
  }

  #add(id: number): void {
    const { kind, rank, peer, sizeBytes, tag, channel, durationPs, lane, untilPs } = this.#read(id)
    if (kind === 'compute') return this.#label(id, this.#line(rank, `calc ${this.#ns(durationPs)}${word('cpu', lane)}`))
    if (kind === 'wait') {
      const own = this.#ranks[rank]!
      if (durationPs === 0 && own.joinLane < 0) own.joinLane = this.#freeLane(rank)
      const cpu = durationPs === 0 ? own.joinLane : this.#freeLane(rank)
      const label = this.#line(rank, `calc ${this.#ns(durationPs)} cpu ${cpu}`)
      this.#begin[id] = label
      this.#end[id] = untilPs === 0 ? [label] : [label, this.#ranks[rank]!.untils.get(untilPs)!]
      return
    }
    const [from, to] = kind === 'send' ? [rank, peer] : [peer, rank]
    const verb = kind === 'send' ? 'send' : 'recv'
    const preposition = kind === 'send' ? 'to' : 'from'
    const own = channel >= 0 || kind === 'receive' ? Math.max(0, channel) : this.#ownChannel(from, to)
    if (nicOf(own) >= LANES) this.#problems.add('channels')
    const words = `${word('tag', tag === ANY ? -1 : this.#tags[tag]!)}${word('cpu', cpuOf(own))}${word('nic', nicOf(own))}`
    this.#label(id, this.#line(rank, `${verb} ${sizeBytes}b ${preposition} ${peer}${words}`))
  }

  #depend(id: number, on: number, when: 'after' | 'with'): void {
    const [to, from] = [this.#read(id).rank, this.#read(on).rank]
    const verb = when === 'after' ? 'requires' : 'irequires'
    const labels = when === 'after' ? this.#end[on]! : [this.#begin[on]!]
    for (const label of labels) {
      if (from === to) {
        this.#ranks[to]!.dependencies.push(`${this.#begin[id]!} ${verb} ${label}`)
        continue
      }
      const tag = this.#nextTag++
      if (tag >= U32_MAX) this.#problems.add('tags')
      this.#crossing++
      const send = this.#line(from, `send 0b to ${to} tag ${tag}`)
      this.#ranks[from]!.dependencies.push(`${send} ${verb} ${label}`)
      const receive = this.#line(to, `recv 0b from ${from} tag ${tag}`)
      this.#ranks[to]!.dependencies.push(`${this.#begin[id]!} requires ${receive}`)
    }
  }

  /** Adds an operation. Gives its label. */
  #line(rank: number, text: string): string {
    const own = this.#ranks[rank]!
    const label = `o${own.count++}`
    own.operations.push(`${label}: ${text}`)
    return label
  }

  #label(id: number, label: string): void {
    this.#begin[id] = label
    this.#end[id] = [label]
  }

  /** The highest lane of a rank that no compute and no wait has. */
  #freeLane(rank: number): number {
    const { lanes } = this.#ranks[rank]!
    let lane = LANES - 1
    while (lane >= 0 && lanes.has(lane)) lane--
    if (lane < 0) this.#problems.add('lanes')
    lanes.add(lane)
    return Math.max(0, lane)
  }

  /** A channel for a message alone. */
  #ownChannel(from: number, to: number): number {
    const key = `${from} ${to}`
    const channel = this.#own.get(key) ?? this.#table.channels
    this.#own.set(key, channel + 1)
    return channel
  }

  #ns(ps: number): number {
    if (ps % 1000 !== 0) this.#problems.add('picoseconds')
    return Math.round(ps / 1000)
  }

  #read(id: number) {
    this.#table.read(id, this.#operation)
    return this.#operation
  }
}

/** A word with its number, which is left out where it is 0. */
function word(name: string, value: number): string {
  return value === 0 ? '' : ` ${name} ${value}`
}
