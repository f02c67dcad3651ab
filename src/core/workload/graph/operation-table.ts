/**
 * Operation table: a program whose operations and dependencies are listed one by one, in columns of numbers.
 * Where ranks are ended one after the other, operations of a rank are consecutive, in the order in which they were added. The
 * part of a rank in a collective is one operation; its messages are known when it begins.
 */
import type { OperationKind } from '../operations.ts'
import { algorithmProblem, type AlgorithmProblem, type CollectiveOptions } from './algorithms/plan.ts'
import { type Part, partProblems } from './joint-runs.ts'
import { ANY, type GraphOperation, nicOf } from './program.ts'
import type { Collective } from './step-run.ts'
import { bytesColumn, numbersColumn, shortsColumn, signedColumn, wholesColumn } from './table/columns.ts'
import { circleOf } from './table/edges.ts'
import { eachGroup, type Visit } from './table/messages.ts'

const KINDS: readonly OperationKind[] = ['send', 'receive', 'compute', 'wait']
const [SEND, RECEIVE, COMPUTE] = [0, 1, 2]

/** A mistake in a whole program. */
export type ProgramProblem =
  /** Operations that wait for each other, by their ids. */
  | { readonly kind: 'cycle'; readonly ids: readonly number[] }
  /** Messages between two ranks with a tag that are sent and not received, or the other way round. */
  | { readonly kind: 'unmatched'; readonly id: number; readonly sends: number; readonly receives: number }
  /** A message and its receive differ in size. */
  | { readonly kind: 'size'; readonly id: number; readonly sentBytes: number; readonly receivedBytes: number }
  /** Two parts of one collective that differ, or a collective in which a rank of its group has no part (then other is id). */
  | { readonly kind: 'part'; readonly id: number; readonly other: number; readonly isMissing: boolean }
  /** A collective whose group has no such algorithm. */
  | ({ readonly kind: 'algorithm'; readonly id: number } & AlgorithmProblem)

/** An operation to add. */
export type NewOperation = Omit<GraphOperation, 'rank' | 'untilPs'> & {
  /** The one whose operations come now, unless it is given. */
  readonly rank?: number
  readonly untilPs?: number
}

export class OperationTable {
  readonly ranks: number
  /** Ranks of each group in the order of their positions, and the parts of ranks in collectives. */
  readonly groups: (readonly number[])[] = []
  readonly parts: Part[] = []
  readonly #kinds = bytesColumn()
  readonly #ranks = wholesColumn()
  readonly #peers = signedColumn()
  /** Sizes in bytes, or durations in ps. */
  readonly #amounts = numbersColumn()
  readonly #tags = signedColumn()
  readonly #channels = signedColumn()
  readonly #lanes = shortsColumn()
  /** Waits that end no earlier than a time, and operations that need not wait for all that they depend on. */
  readonly #untils = new Map<number, number>()
  readonly #needs = new Map<number, number>()
  /** Pairs of an operation and one that waits for it to be done, or to begin. */
  readonly #after = wholesColumn()
  readonly #with = wholesColumn()
  /** Number of each tag, in the order in which they came. */
  readonly #tagNumbers = new Map<number, number>()
  /** First operation of each rank, where ranks are ended one after the other. */
  readonly #firsts = [0]
  /** Names, their numbers from 1, the last operation with each, and the number of each operation's; 0: it has none. */
  readonly #names: string[] = ['']
  readonly #nameNumbers = new Map<string, number>()
  readonly #named = wholesColumn()
  readonly #labels = wholesColumn()

  constructor(ranks: number) {
    this.ranks = ranks
    this.#named.push(0)
  }

  /** Rank whose operations come now. */
  get rank(): number {
    return this.#firsts.length - 1
  }

  get size(): number {
    return this.#kinds.size
  }

  /** Tags of messages, by their numbers in operations. */
  get tags(): readonly number[] {
    return [...this.#tagNumbers.keys()]
  }

  /** Operations that need not wait for all that they depend on: for how many. */
  get needs(): ReadonlyMap<number, number> {
    return this.#needs
  }

  /** One more than the largest channel of a message, and than the largest nic. */
  get channels(): number {
    let most = -1
    for (const channel of this.#channels.values()) most = Math.max(most, channel)
    return most + 1
  }

  get nics(): number {
    return nicOf(Math.max(0, this.channels - 1)) + 1
  }

  /** Operations of the rank end here. */
  endRank(): void {
    this.#firsts.push(this.size)
  }

  /**
   * Gives its number.
   * @param operation tag: any number, or ANY
   */
  add({ kind, rank = this.rank, peer, sizeBytes, tag, channel, durationPs, lane, untilPs = 0 }: NewOperation): number {
    const id = this.size
    const isMessage = kind === 'send' || kind === 'receive'
    if (isMessage && tag !== ANY && !this.#tagNumbers.has(tag)) this.#tagNumbers.set(tag, this.#tagNumbers.size)
    this.#kinds.push(KINDS.indexOf(kind))
    this.#ranks.push(rank)
    this.#peers.push(peer)
    this.#amounts.push(isMessage ? sizeBytes : durationPs)
    this.#tags.push(tag === ANY ? ANY : (this.#tagNumbers.get(tag) ?? 0))
    this.#channels.push(channel)
    this.#lanes.push(lane)
    this.#labels.push(0)
    if (untilPs > 0) this.#untils.set(id, untilPs)
    return id
  }

  /** Gives the number of a group of ranks in the order of their positions, each once. */
  addGroup(ranks: readonly number[]): number {
    return this.groups.push(ranks) - 1
  }

  /** The rank's part in the next collective of a group that it belongs to. Gives its number. */
  addPart(group: number, options: CollectiveOptions | Collective): number {
    const id = this.add({ kind: 'wait', peer: 0, sizeBytes: 0, tag: ANY, channel: 0, durationPs: 0, lane: 0 })
    this.parts.push({ group, options, id, rank: this.rank })
    return id
  }

  /** Names an operation; its rank has no other one with this name. */
  label(id: number, name: string): void {
    const number = this.#nameNumbers.get(name) ?? this.#names.length
    if (number === this.#names.length) {
      this.#names.push(name)
      this.#nameNumbers.set(name, number)
      this.#named.push(id)
    } else this.#named.set(number, id)
    this.#labels.set(id, number)
  }

  /** The operation of the rank whose operations come now that has this name; -1: none. */
  labelled(name: string): number {
    const number = this.#nameNumbers.get(name)
    const id = number === undefined ? -1 : this.#named.at(number)
    return id >= this.#firsts[this.rank]! ? id : -1
  }

  labelOf(id: number): string {
    return this.#names[this.#labels.at(id)]!
  }

  /** An operation waits for another. */
  depend(id: number, on: number, when: 'after' | 'with'): void {
    const edges = when === 'after' ? this.#after : this.#with
    edges.push(on)
    edges.push(id)
  }

  /** An operation waits for that number of those that it depends on; for all unless this is called, after the last of them. */
  need(id: number, count: number): void {
    this.#needs.set(id, count)
  }

  /** How many operations of its rank stand before it. */
  indexInRank(id: number): number {
    return id - (this.#firsts[this.#ranks.at(id)] ?? 0)
  }

  read(id: number, out: GraphOperation): void {
    const kind = this.#kinds.at(id)
    const isMessage = kind === SEND || kind === RECEIVE
    out.kind = KINDS[kind]!
    out.rank = this.#ranks.at(id)
    out.peer = this.#peers.at(id)
    out.sizeBytes = isMessage ? this.#amounts.at(id) : 0
    out.durationPs = isMessage ? 0 : this.#amounts.at(id)
    out.tag = this.#tags.at(id)
    out.channel = this.#channels.at(id)
    out.lane = this.#lanes.at(id)
    out.untilPs = kind > COMPUTE ? (this.#untils.get(id) ?? 0) : 0
  }

  /** Pairs of an operation and one that waits for it. */
  pairs(when: 'after' | 'with'): Uint32Array {
    return (when === 'after' ? this.#after : this.#with).values()
  }

  /** Visits sends and receives of one peer and tag by what they have in common. */
  eachGroup(visit: Visit): void {
    const [kinds, ranks, peers, tags] = [this.#kinds, this.#ranks, this.#peers, this.#tags].map((each) => each.values())
    eachGroup(
      {
        ranks: this.ranks,
        size: this.size,
        directionOf: (id) =>
          kinds![id]! > RECEIVE || peers![id] === ANY || tags![id] === ANY ? 0 : 1 - 2 * kinds![id]!,
        rankOf: (id) => ranks![id]!,
        peerOf: (id) => peers![id]!,
        tagOf: (id) => tags![id]!,
      },
      visit,
    )
  }

  problems(): ProgramProblem[] {
    const circle = circleOf(this.size, [this.pairs('after'), this.pairs('with')], this.#needs)
    const circles = circle.length === 0 ? [] : [{ kind: 'cycle' as const, ids: circle }]
    return [...circles, ...this.#unmatched(), ...this.#apart()]
  }

  /** Parts of collectives that do not fit together, and collectives without an algorithm. */
  #apart(): ProgramProblem[] {
    const apart = partProblems(this.groups, this.parts).map((problem): ProgramProblem => ({
      kind: 'part',
      ...problem,
    }))
    if (apart.length > 0) return apart
    return this.parts.flatMap(({ id, group, options }): ProgramProblem[] => {
      const problem = algorithmProblem(options, this.groups[group]!.length)
      return problem === null ? [] : [{ kind: 'algorithm', id, ...problem }]
    })
  }

  /** Sends and receives that find no partner. Not looked at where receives take any message. */
  #unmatched(): ProgramProblem[] {
    const withAny = new Set<number>()
    for (let id = 0; id < this.size; id++) {
      if (this.#kinds.at(id) !== RECEIVE) continue
      if (this.#peers.at(id) === ANY || this.#tags.at(id) === ANY) withAny.add(this.#ranks.at(id))
    }
    const found: (ProgramProblem & { readonly id: number })[] = []
    this.eachGroup((sends, receives) => {
      const [send, receive] = [sends[0], receives[0]]
      const receiver = receive === undefined ? this.#peers.at(send!) : this.#ranks.at(receive)
      if (withAny.has(receiver)) return
      const id = Math.min(send ?? Infinity, receive ?? Infinity)
      if (sends.length !== receives.length) {
        found.push({ kind: 'unmatched', id, sends: sends.length, receives: receives.length })
        return
      }
      const [sent, received] = [sends, receives].map((ids) =>
        Float64Array.from(ids, (each) => this.#amounts.at(each)).sort(),
      )
      const at = sent!.findIndex((sizeBytes, i) => sizeBytes !== received![i])
      if (at >= 0) found.push({ kind: 'size', id, sentBytes: sent![at]!, receivedBytes: received![at]! })
    })
    return found.toSorted((a, b) => a.id - b.id)
  }
}
