/**
 * Operation table: a program whose operations and dependencies are listed one by one, in arrays.
 * Operations of a rank are consecutive, in the order in which they were added. The part of a rank in a collective is one
 * operation; its messages are known when it begins.
 */
import { assert } from '../../base/assert.ts'
import type { OperationKind, Round, Unstarted } from '../operations.ts'
import { algorithmProblem, type AlgorithmProblem, type CollectiveOptions } from './algorithms/plan.ts'
import { JointRuns, type Part, partProblems } from './joint-runs.ts'
import type { Collective } from './step-run.ts'
import { ANY, type GraphOperation, type Program, type Ready } from './program.ts'

const KINDS: readonly OperationKind[] = ['send', 'receive', 'compute', 'wait']
const [SEND, RECEIVE] = [0, 1]
/** How an operation stands. */
const [WAITS, HAS_BEGUN, IS_DONE] = [0, 1, 2]

/** A mistake in a whole program. */
export type ProgramProblem =
  /** Operations that wait for each other, by their ids. */
  | { readonly kind: 'cycle'; readonly ids: readonly number[] }
  /** Messages between two ranks with a tag that are sent and not received, or the other way round. */
  | { readonly kind: 'unmatched'; readonly id: number; readonly sends: number; readonly receives: number }
  /** A message and its receive differ in size. */
  | { readonly kind: 'size'; readonly id: number; readonly sentBytes: number; readonly receivedBytes: number }
  /** Two parts of one collective that differ, or a collective in which a rank of its group has no part (then other is id). */
  | { readonly kind: 'part'; readonly id: number; readonly other: number }
  /** A collective whose group has no such algorithm. */
  | ({ readonly kind: 'algorithm'; readonly id: number } & AlgorithmProblem)

export class OperationTable {
  readonly ranks: number
  readonly #operations: GraphOperation[] = []
  /** First operation of each rank; one more at the end. */
  readonly #firsts: number[] = [0]
  readonly #tags = new Map<number, number>()
  /** Pairs of an operation and one that waits for it to be done, or to begin. */
  readonly #after: number[] = []
  readonly #with: number[] = []
  readonly #groups: (readonly number[])[] = []
  readonly #parts: Part[] = []
  /** Names that operations were given, by their numbers. */
  readonly #labels = new Map<number, string>()

  constructor(ranks: number) {
    this.ranks = ranks
  }

  /** Rank whose operations come now. */
  get rank(): number {
    return this.#firsts.length - 1
  }

  get size(): number {
    return this.#operations.length
  }

  /** Operations of the rank end here. */
  endRank(): void {
    this.#firsts.push(this.#operations.length)
  }

  /**
   * Gives its number.
   * @param tag any number, or ANY
   */
  add(operation: Omit<GraphOperation, 'rank'>): number {
    const { kind, tag } = operation
    const isMessage = kind === 'send' || kind === 'receive'
    if (isMessage && tag !== ANY && !this.#tags.has(tag)) this.#tags.set(tag, this.#tags.size)
    const number = tag === ANY ? ANY : (this.#tags.get(tag) ?? 0)
    return this.#operations.push({ ...operation, rank: this.rank, tag: number }) - 1
  }

  /** Gives the number of a group of ranks in the order of their positions, each once. */
  addGroup(ranks: readonly number[]): number {
    return this.#groups.push(ranks) - 1
  }

  /** The rank's part in the next collective of a group that it belongs to. Gives its number. */
  addPart(group: number, options: CollectiveOptions | Collective): number {
    const id = this.add({ kind: 'wait', peer: 0, sizeBytes: 0, tag: ANY, channel: 0, durationPs: 0, lane: 0 })
    this.#parts.push({ group, options, id, rank: this.rank })
    return id
  }

  /** Names an operation. */
  label(id: number, name: string): void {
    this.#labels.set(id, name)
  }

  /** An operation waits for another of its rank. */
  depend(id: number, on: number, when: 'after' | 'with'): void {
    const edges = when === 'after' ? this.#after : this.#with
    edges.push(on, id)
  }

  problems(): ProgramProblem[] {
    return [...this.#cycle(), ...this.#unmatched(), ...this.#apart()]
  }

  /**
   * The program; problems() must be none.
   * @param iterations how often it does the same
   */
  program(iterations = 1): Program {
    assert(this.#firsts.length === this.ranks + 1, 'every rank has its operations')
    return new TableProgram(this.#operations, this.ranks, this.#tags.size, this.#after, this.#with, {
      groups: this.#groups,
      parts: this.#parts,
      labels: this.#labels,
      iterations,
    })
  }

  /** Parts of collectives that do not fit together, and collectives without an algorithm. */
  #apart(): ProgramProblem[] {
    const apart = partProblems(this.#groups, this.#parts).map((problem): ProgramProblem => ({
      kind: 'part',
      ...problem,
    }))
    if (apart.length > 0) return apart
    return this.#parts.flatMap(({ id, group, options }): ProgramProblem[] => {
      const problem = 'plan' in options ? null : algorithmProblem(options, this.#groups[group]!.length)
      return problem === null ? [] : [{ kind: 'algorithm', id, ...problem }]
    })
  }

  /** Operations that no order can begin with. */
  #cycle(): ProgramProblem[] {
    const count = this.size
    const waitsFor = new Uint32Array(count)
    for (const edges of [this.#after, this.#with]) for (let i = 1; i < edges.length; i += 2) waitsFor[edges[i]!]!++
    const dependents = [new Edges(count, this.#after), new Edges(count, this.#with)]
    const open = [...waitsFor.keys()].filter((id) => waitsFor[id] === 0)
    let seen = 0
    for (let id = open.pop(); id !== undefined; id = open.pop()) {
      seen++
      for (const edges of dependents) edges.each(id, (next) => --waitsFor[next]! === 0 && open.push(next))
    }
    if (seen === count) return []
    // Those that only wait for a circle are not named.
    let at = waitsFor.findIndex((left) => left > 0)
    const before = this.#before(waitsFor)
    const path: number[] = []
    while (!path.includes(at)) {
      path.push(at)
      at = before.get(at)!
    }
    return [{ kind: 'cycle', ids: path.slice(path.indexOf(at)) }]
  }

  /** For each operation that waits, one that it waits for and that waits itself. */
  #before(waitsFor: Uint32Array): Map<number, number> {
    const before = new Map<number, number>()
    for (const edges of [this.#after, this.#with]) {
      for (let i = 0; i < edges.length; i += 2) {
        const [on, id] = [edges[i]!, edges[i + 1]!]
        if (waitsFor[on]! > 0 && waitsFor[id]! > 0) before.set(id, on)
      }
    }
    return before
  }

  /** Sends and receives that find no partner. Not looked at where receives take any message. */
  #unmatched(): ProgramProblem[] {
    const open = new Map<string, { id: number; receiver: number; sizes: [number[], number[]] }>()
    const withAny = new Set<number>()
    this.#operations.forEach(({ kind, rank, peer, tag, sizeBytes }, id) => {
      const at = KINDS.indexOf(kind)
      if (at !== SEND && at !== RECEIVE) return
      if (peer === ANY || tag === ANY) {
        withAny.add(rank)
        return
      }
      const key = at === SEND ? `${rank}/${peer}/${tag}` : `${peer}/${rank}/${tag}`
      const known = open.get(key) ?? { id, receiver: at === SEND ? peer : rank, sizes: [[], []] }
      known.sizes[at]!.push(sizeBytes)
      open.set(key, known)
    })
    return [...open.values()].flatMap(({ id, receiver, sizes }): ProgramProblem[] => {
      if (withAny.has(receiver)) return []
      const [sent, received] = sizes.map((each) => each.toSorted((a, b) => a - b)) as [number[], number[]]
      if (sent.length !== received.length)
        return [{ kind: 'unmatched', id, sends: sent.length, receives: received.length }]
      const at = sent.findIndex((sizeBytes, i) => sizeBytes !== received[i])
      return at < 0 ? [] : [{ kind: 'size', id, sentBytes: sent[at]!, receivedBytes: received[at]! }]
    })
  }
}

/** Dependents of each operation, in the order in which they were given. */
class Edges {
  readonly #starts: Uint32Array
  readonly #to: Uint32Array

  /** @param pairs an operation and its dependent, again and again */
  constructor(count: number, pairs: readonly number[]) {
    this.#starts = new Uint32Array(count + 1)
    for (let i = 0; i < pairs.length; i += 2) this.#starts[pairs[i]! + 1]!++
    for (let i = 0; i < count; i++) this.#starts[i + 1]! += this.#starts[i]!
    this.#to = new Uint32Array(pairs.length / 2)
    const next = this.#starts.slice()
    for (let i = 0; i < pairs.length; i += 2) this.#to[next[pairs[i]!]!++] = pairs[i + 1]!
  }

  each(id: number, visit: (dependent: number) => unknown): void {
    for (let i = this.#starts[id]!; i < this.#starts[id + 1]!; i++) visit(this.#to[i]!)
  }
}

/** Parts of a program beside its operations. */
interface Pieces {
  readonly groups: readonly (readonly number[])[]
  readonly parts: readonly Part[]
  readonly labels: ReadonlyMap<number, string>
  readonly iterations: number
}

class TableProgram implements Program {
  readonly ranks: number
  readonly iterations: number
  readonly tagCount: number
  readonly channelCount: number
  readonly hasWildcards: boolean
  readonly messages: number
  readonly bytes: number
  readonly #kinds: Uint8Array
  readonly #ranks: Uint32Array
  readonly #peers: Int32Array
  /** Sizes in bytes, or durations in ps. */
  readonly #amounts: Float64Array
  readonly #tags: Int32Array
  readonly #channels: Uint16Array
  readonly #lanes: Uint16Array
  readonly #after: Edges
  readonly #with: Edges
  readonly #waitsFor: Uint32Array
  readonly #states: Uint8Array
  readonly #labels: ReadonlyMap<number, string>
  /** null: there are no collectives. */
  readonly #joint: JointRuns | null
  readonly #parts: ReadonlySet<number>

  constructor(
    operations: readonly GraphOperation[],
    ranks: number,
    tags: number,
    after: readonly number[],
    withs: readonly number[],
    { groups, parts, labels, iterations }: Pieces,
  ) {
    const count = operations.length
    this.ranks = ranks
    this.iterations = iterations
    this.#kinds = Uint8Array.from(operations, ({ kind }) => KINDS.indexOf(kind))
    this.#ranks = Uint32Array.from(operations, ({ rank }) => rank)
    this.#peers = Int32Array.from(operations, ({ peer }) => peer)
    this.#amounts = Float64Array.from(operations, (each) =>
      each.kind === 'compute' ? each.durationPs : each.sizeBytes,
    )
    this.#tags = Int32Array.from(operations, ({ tag }) => tag)
    this.#channels = Uint16Array.from(operations, ({ channel }) => channel)
    this.#lanes = Uint16Array.from(operations, ({ lane }) => lane)
    const channels = this.#channels.reduce((most, each) => Math.max(most, each), 0) + 1
    this.#labels = labels
    this.#parts = new Set(parts.map(({ id }) => id))
    const from = { id: count, tag: Math.max(1, tags), channel: channels }
    this.#joint = parts.length === 0 ? null : new JointRuns(groups, parts, (id) => labels.get(id) ?? '', from)
    this.tagCount = this.#joint?.tagCount ?? from.tag
    this.channelCount = this.#joint?.channelCount ?? channels
    this.hasWildcards = operations.some(({ kind, peer, tag }) => kind === 'receive' && (peer === ANY || tag === ANY))
    const sends = operations.filter(({ kind, sizeBytes }) => kind === 'send' && sizeBytes > 0)
    this.messages = sends.length + (this.#joint?.messages ?? 0)
    this.bytes = sends.reduce((sum, { sizeBytes }) => sum + sizeBytes, this.#joint?.bytes ?? 0)
    this.#after = new Edges(count, after)
    this.#with = new Edges(count, withs)
    this.#waitsFor = new Uint32Array(count)
    for (const edges of [after, withs]) for (let i = 1; i < edges.length; i += 2) this.#waitsFor[edges[i]!]!++
    this.#states = new Uint8Array(count)
  }

  begin(nowPs: number, ready: Ready): void {
    const roots = [...this.#waitsFor.keys()].filter((id) => this.#waitsFor[id] === 0)
    for (const id of roots) this.#begin(nowPs, id, ready)
  }

  read(id: number, out: GraphOperation): void {
    if (id >= this.#kinds.length) return this.#joint!.read(id, out)
    const kind = KINDS[this.#kinds[id]!]!
    out.kind = kind
    out.rank = this.#ranks[id]!
    out.peer = this.#peers[id]!
    out.sizeBytes = kind === 'compute' ? 0 : this.#amounts[id]!
    out.durationPs = kind === 'compute' ? this.#amounts[id]! : 0
    out.tag = this.#tags[id]!
    out.channel = this.#channels[id]!
    out.lane = this.#lanes[id]!
  }

  onStarted(nowPs: number, id: number, ready: Ready): void {
    if (id >= this.#kinds.length) return
    this.#states[id] = HAS_BEGUN
    this.#with.each(id, (dependent) => this.#met(nowPs, dependent, ready))
  }

  onDone(nowPs: number, id: number, ready: Ready): void {
    const over = id < this.#kinds.length ? id : this.#joint!.onDone(nowPs, id, ready)
    if (over >= 0) this.#end(nowPs, over, ready)
  }

  rounds(): readonly Round[] {
    return this.#joint?.rounds() ?? []
  }

  unstarted(): readonly Unstarted[] {
    const firsts = new Map<number, number>()
    this.#states.forEach((state, id) => {
      const rank = this.#ranks[id]!
      if (state === WAITS && !firsts.has(rank)) firsts.set(rank, id)
    })
    const rankOf = new Map([...firsts].map(([rank, id]) => [id, rank]))
    const found: Unstarted[] = []
    const look = (edges: Edges, isMet: (state: number) => boolean): void =>
      this.#states.forEach((state, on) => {
        if (isMet(state)) return
        edges.each(on, (id) => {
          const rank = rankOf.get(id)
          if (rank === undefined) return
          rankOf.delete(id)
          found.push({ rank, id, waitsFor: on })
        })
      })
    look(this.#after, (state) => state === IS_DONE)
    look(this.#with, (state) => state !== WAITS)
    return found.toSorted((a, b) => a.rank - b.rank)
  }

  nameOf(id: number): string {
    if (id >= this.#kinds.length) return this.#joint!.nameOf(id)
    const first = this.#ranks.indexOf(this.#ranks[id]!)
    return `${this.#parts.has(id) ? 'collective' : KINDS[this.#kinds[id]!]!} ${this.#labels.get(id) ?? id - first}`
  }

  #met(nowPs: number, dependent: number, ready: Ready): void {
    if (--this.#waitsFor[dependent]! === 0) this.#begin(nowPs, dependent, ready)
  }

  #begin(nowPs: number, id: number, ready: Ready): void {
    if (!this.#parts.has(id)) return ready(id)
    this.onStarted(nowPs, id, ready)
    if (this.#joint!.begin(nowPs, id, this.#ranks[id]!, ready)) this.#end(nowPs, id, ready)
  }

  #end(nowPs: number, id: number, ready: Ready): void {
    this.#states[id] = IS_DONE
    this.#after.each(id, (dependent) => this.#met(nowPs, dependent, ready))
  }
}
