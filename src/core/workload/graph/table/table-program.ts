/** Table program: a table of operations as it runs. */
import { assert } from '../../../base/assert.ts'
import type { Spot, Round, Unstarted } from '../../operations.ts'
import { JointRuns } from '../joint-runs.ts'
import type { OperationTable } from '../operation-table.ts'
import { ANY, blankOperation, type GraphOperation, type Program, type Ready, type Sends } from '../program.ts'
import { Edges, waitsOf } from './edges.ts'

/** How an operation stands. */
const [WAITS, HAS_BEGUN, IS_DONE] = [0, 1, 2]

export interface ProgramOptions {
  /** Names of its operations for people; absent: by their labels, or their numbers in their ranks. */
  readonly nameOf?: (id: number) => string
  /** How often it does the same; absent: once. */
  readonly iterations?: number
}

/** The program of a table that has no problems and to which nothing is added any more. */
export function programOf(table: OperationTable, options: ProgramOptions = {}): Program {
  return new TableProgram(table, options)
}

class TableProgram implements Program {
  readonly ranks: number
  readonly iterations: number
  readonly tagCount: number
  readonly channelCount: number
  readonly hasWildcards: boolean
  readonly messages: number
  readonly bytes: number
  readonly #table: OperationTable
  readonly #nameOf: ((id: number) => string) | undefined
  readonly #after: Edges
  readonly #with: Edges
  /** How many of the others an operation has still to wait for. */
  readonly #waitsFor: Int32Array
  readonly #states: Uint8Array
  readonly #operation: GraphOperation = blankOperation()
  /** null: there are no collectives. */
  readonly #joint: JointRuns | null
  readonly #parts: ReadonlySet<number>

  constructor(table: OperationTable, { nameOf, iterations = 1 }: ProgramOptions) {
    assert(table.rank === table.ranks || table.rank === 0, 'every rank has its operations')
    const { size: count, parts } = table
    this.#table = table
    this.#nameOf = nameOf
    this.ranks = table.ranks
    this.iterations = iterations
    let [channelMost, messages, bytes, hasWildcards] = [0, 0, 0, false]
    for (let id = 0; id < count; id++) {
      const { kind, peer, tag, channel, sizeBytes } = this.#read(id)
      channelMost = Math.max(channelMost, channel)
      hasWildcards ||= kind === 'receive' && (peer === ANY || tag === ANY)
      if (kind !== 'send' || sizeBytes === 0) continue
      messages++
      bytes += sizeBytes
    }
    this.#parts = new Set(parts.map(({ id }) => id))
    const from = { id: count, tag: Math.max(1, table.tags.length), channel: channelMost + 1 }
    this.#joint = parts.length === 0 ? null : new JointRuns(table.groups, parts, (id) => table.labelOf(id), from)
    this.tagCount = this.#joint?.tagCount ?? from.tag
    this.channelCount = this.#joint?.channelCount ?? from.channel
    this.hasWildcards = hasWildcards
    this.messages = messages + (this.#joint?.messages ?? 0)
    this.bytes = bytes + (this.#joint?.bytes ?? 0)
    const pairs = [table.pairs('after'), table.pairs('with')] as const
    this.#after = new Edges(count, pairs[0])
    this.#with = new Edges(count, pairs[1])
    this.#waitsFor = waitsOf(count, pairs, table.needs)
    this.#states = new Uint8Array(count)
  }

  eachSend(visit: (sends: Sends) => void): void {
    for (let id = 0; id < this.#table.size; id++) {
      const { kind, rank: from, peer: to, sizeBytes, channel: like } = this.#read(id)
      if (kind === 'send' && sizeBytes > 0) visit({ from, to, sizeBytes, messages: 1, channels: 1, like })
    }
    this.#joint?.eachSend(visit)
  }

  begin(nowPs: number, ready: Ready): void {
    const roots = this.#waitsFor.map((left, id) => (left === 0 ? id : -1)).filter((id) => id >= 0)
    for (const id of roots) this.#begin(nowPs, id, ready)
  }

  read(id: number, out: GraphOperation): void {
    if (id >= this.#table.size) this.#joint!.read(id, out)
    else this.#table.read(id, out)
  }

  onStarted(nowPs: number, id: number, ready: Ready): void {
    if (id >= this.#table.size) return
    this.#states[id] = HAS_BEGUN
    this.#with.each(id, (dependent) => this.#met(nowPs, dependent, ready))
  }

  onDone(nowPs: number, id: number, ready: Ready): void {
    const over = id < this.#table.size ? id : this.#joint!.onDone(nowPs, id, ready)
    if (over >= 0) this.#end(nowPs, over, ready)
  }

  rounds(): readonly Round[] {
    return this.#joint?.rounds() ?? []
  }

  unstarted(): readonly Unstarted[] {
    const firsts = new Map<number, number>()
    this.#states.forEach((state, id) => {
      const { rank } = this.#read(id)
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

  spotOf(id: number): Spot | null {
    return id >= this.#table.size ? this.#joint!.spotOf(id) : null
  }

  nameOf(id: number): string {
    if (id >= this.#table.size) return this.#joint!.nameOf(id)
    if (this.#nameOf !== undefined) return this.#nameOf(id)
    const label = this.#table.labelOf(id)
    const kind = this.#parts.has(id) ? 'collective' : this.#read(id).kind
    return `${kind} ${label === '' ? this.#table.indexInRank(id) : label}`
  }

  #met(nowPs: number, dependent: number, ready: Ready): void {
    if (--this.#waitsFor[dependent]! === 0) this.#begin(nowPs, dependent, ready)
  }

  #begin(nowPs: number, id: number, ready: Ready): void {
    if (!this.#parts.has(id)) return ready(id)
    this.onStarted(nowPs, id, ready)
    const { rank } = this.#read(id)
    if (this.#joint!.begin(nowPs, id, rank, ready)) this.#end(nowPs, id, ready)
  }

  #end(nowPs: number, id: number, ready: Ready): void {
    this.#states[id] = IS_DONE
    this.#after.each(id, (dependent) => this.#met(nowPs, dependent, ready))
  }

  /** The record is overwritten by the next read. */
  #read(id: number): GraphOperation {
    this.#table.read(id, this.#operation)
    return this.#operation
  }
}
