/**
 * Path of a job: where the time of a workload went whose messages wait for each other, along the chain of operations that it
 * followed. Its parts are those of the chain's pieces; a message has the parts of its life where the run has an autopsy, else
 * its ideal time and the rest. Together they are the time of the job. Excess is against the idle run of the job, which has
 * waits for a host's own other messages as well.
 * Units: picoseconds.
 */
import {
  findColumn,
  flowsOfMessages,
  isExplained,
  numbersOf,
  PARTS,
  type Result,
  spansOf,
  type Table,
  tableOfKind,
  textColumns,
  textsOf,
} from '../../core/results/index.ts'
import { FlowHops } from './flow-hops.ts'
import type { OriginKind } from './waits.ts'

/** A part of the time of a job: a kind of piece, or the column of a part of messages. */
export interface PathPart {
  readonly part: string
  readonly spanPs: number
}

/** A place where a message was held, and for how long, in the part of its life with most of it. */
export interface PathOrigin {
  readonly kind: OriginKind
  readonly name: string
  readonly node: number
  /** Local index of the port; -1: none is named. */
  readonly port: number
  readonly part: string
  readonly spanPs: number
}

/** A flow whose packets went before those of a message. */
export interface Culprit {
  /** Row of the flow table: of the flows of that queue pair, one that was under way. */
  readonly flow: number
  readonly tag: string
  readonly spanPs: number
}

/** A message of the chain that took longer than in the idle run; where that is not known, than alone in the network. */
export interface HeldMessage {
  readonly operation: string
  readonly id: number
  /** -1: it is no part of a collective. */
  readonly iteration: number
  readonly step: number
  readonly rank: number
  readonly rankName: string
  readonly flow: number
  readonly fromPs: number
  readonly spanPs: number
  readonly idealPs: number
  /** In the idle run; NaN: not known. */
  readonly idlePs: number
  readonly excessPs: number
  /** Parts of its life, the longest first; null: the run has no autopsy. */
  readonly parts: readonly PathPart[] | null
  readonly origin: PathOrigin | null
  readonly culprits: readonly Culprit[]
}

export interface JobPath {
  readonly tag: string
  readonly totalPs: number
  /** The longest first. */
  readonly parts: readonly PathPart[]
  /** Time of the chain's messages beyond that of the idle run, or their ideal times. */
  readonly excessPs: number
  /** The most excess first. */
  readonly held: readonly HeldMessage[]
  /** Where messages with excess were held, the longest first. */
  readonly origins: readonly PathOrigin[]
  /** Computes on the chain, by rank. */
  readonly computes: readonly { readonly rank: number; readonly spanPs: number }[]
}

/** Flows that are named as having gone before, and messages of a path for which they are looked up: those with most excess. */
const CULPRITS_MAX = 3
const LOOKED_UP = 200

/** One for each workload with operations that were logged, in order. */
export function jobPaths(result: Result): JobPath[] {
  const table = tableOfKind(result, 'critical-path')
  if (table === undefined) return []
  const tags = textsOf(table, 'tag')
  const lives = isExplained(result) ? new Lives(result, new Set(numbersOf(table, 'flow'))) : null
  return [...new Set(tags)].map((tag) => {
    const rows = tags.flatMap((each, row) => (each === tag ? [row] : []))
    return pathOf(tag, table, rows, lives)
  })
}

function pathOf(tag: string, table: Table, rows: readonly number[], lives: Lives | null): JobPath {
  const [pieces, names, hosts] = textColumns(table, ['piece', 'operation', 'rankName'])
  const at = (name: string, row: number): number => numbersOf(table, name)[row]!
  // Results of earlier versions do not have it.
  const idleAt = findColumn(table, 'idlePs') === undefined ? () => NaN : (row: number) => at('idlePs', row)
  const [sums, origins, computePs] = [new Sums(), new Map<string, PathOrigin>(), new Map<number, number>()]
  const held: HeldMessage[] = []
  let [totalPs, excessPs] = [0, 0]
  for (const row of rows) {
    const [fromPs, flow, idealPs, rank] = [at('fromPs', row), at('flow', row), at('idealPs', row), at('rank', row)]
    const spanPs = at('toPs', row) - fromPs
    totalPs += spanPs
    if (pieces[row] === 'compute') computePs.set(rank, (computePs.get(rank) ?? 0) + spanPs)
    const beyondPs = Number.isNaN(idealPs) ? 0 : Math.max(0, spanPs - idealPs)
    const parts = Number.isNaN(flow) ? null : (lives?.partsOf(flow, spanPs) ?? null)
    if (parts === null) {
      sums.add(pieces[row]!, spanPs - beyondPs)
      sums.add('excess', beyondPs)
    } else for (const one of parts) sums.add(one.part, one.spanPs)
    const idlePs = idleAt(row)
    const ownPs = Number.isNaN(idlePs) ? othersPsOf(parts) : Math.max(0, idlePs - idealPs)
    const morePs = beyondPs - ownPs
    if (!(morePs > 0)) continue
    excessPs += morePs
    const origin = lives?.originOf(flow, ownPs) ?? null
    if (origin !== null) addOrigin(origins, { ...origin, spanPs: Math.min(origin.spanPs, morePs) })
    held.push({
      operation: names[row]!,
      id: at('id', row),
      iteration: at('iteration', row),
      step: at('step', row),
      rank,
      rankName: hosts[row]!,
      flow,
      fromPs,
      spanPs,
      idealPs,
      idlePs,
      excessPs: morePs,
      parts,
      origin,
      culprits: [],
    })
  }
  const computes = [...computePs].map(([rank, spanPs]) => ({ rank, spanPs }))
  held.sort((a, b) => b.excessPs - a.excessPs || a.fromPs - b.fromPs)
  const looked = held.map((one, i) => {
    return lives === null || i >= LOOKED_UP ? one : { ...one, culprits: lives.culpritsOf(one.flow, one.origin) }
  })
  const spots = [...origins.values()].toSorted(longestFirst)
  return { tag, totalPs, parts: sums.sorted(), excessPs, held: looked, origins: spots, computes }
}

/** Waits for other queue pairs of its host, which a message may have in an idle network as well. */
function othersPsOf(parts: readonly PathPart[] | null): number {
  return parts?.find(({ part }) => part === 'othersPs')?.spanPs ?? 0
}

const longestFirst = (a: { readonly spanPs: number }, b: { readonly spanPs: number }): number => b.spanPs - a.spanPs

class Sums {
  readonly #sums = new Map<string, number>()

  add(part: string, spanPs: number): void {
    if (spanPs !== 0) this.#sums.set(part, (this.#sums.get(part) ?? 0) + spanPs)
  }

  sorted(): PathPart[] {
    return [...this.#sums].map(([part, spanPs]) => ({ part, spanPs })).toSorted(longestFirst)
  }
}

function addOrigin(origins: Map<string, PathOrigin>, origin: PathOrigin): void {
  const key = `${origin.kind} ${origin.name}`
  const known = origins.get(key)
  origins.set(key, known === undefined ? origin : { ...known, spanPs: known.spanPs + origin.spanPs })
}

/** Parts in which a message waits for what its own host sends, as it does in an idle network. */
const OWN_SENDS: ReadonlySet<string> = new Set(['othersPs', 'behindPs'])
/** Parts of a sender that keep the later messages of its queue pair waiting. */
const BLOCKING: ReadonlySet<string> = new Set(
  'ownPs resendPs othersPs nicPausedPs linkDownPs ratePs windowPs capPs creditsPs rnrPs fetchPs hostPs'.split(' '),
)

/** Flows as an autopsy knows them. */
class Lives {
  readonly #result: Result
  readonly #parts: readonly { readonly column: string; readonly spansPs: Float64Array }[]
  readonly #hops: FlowHops
  /** By flow: the places that held it, with one for each part. */
  readonly #origins = new Map<number, PathOrigin[]>()
  /** By queue pair: its flows in order. */
  readonly #flows = new Map<number, number[]>()
  readonly #pairOf: Float64Array

  /** @param asked flows whose origins will be asked for */
  constructor(result: Result, asked: ReadonlySet<number>) {
    this.#result = result
    // Two states may be counted as one part.
    const columns = new Map(PARTS.map((part) => [part.column, part]))
    this.#parts = [...columns].map(([column, part]) => ({ column, spansPs: spansOf(result, part) }))
    this.#hops = new FlowHops(result)
    this.#pairOf = numbersOf(result.flows, 'pair')
    this.#pairOf.forEach((pair, flow) => {
      const flows = this.#flows.get(pair)
      if (flows === undefined) this.#flows.set(pair, [flow])
      else flows.push(flow)
    })
    const table = tableOfKind(result, 'autopsy/origins')
    if (table === undefined) return
    const [kinds, names, parts] = [textsOf(table, 'kind'), textsOf(table, 'origin'), textsOf(table, 'part')]
    const [nodes, ports, spans] = [numbersOf(table, 'node'), numbersOf(table, 'port'), numbersOf(table, 'spanPs')]
    flowsOfMessages(result.flows, table).forEach((flow, row) => {
      if (!asked.has(flow)) return
      const where = { name: names[row]!, node: nodes[row]!, port: ports[row]!, part: parts[row]! }
      const one = { kind: kinds[row]! as OriginKind, ...where, spanPs: spans[row]! }
      const known = this.#origins.get(flow)
      if (known === undefined) this.#origins.set(flow, [one])
      else known.push(one)
    })
  }

  /** The longest first, with waits for earlier messages divided; null: they do not add up to its time. */
  partsOf(flow: number, totalPs: number): PathPart[] | null {
    const sums = new Sums()
    for (const { part, spanPs } of this.#own(flow)) {
      if (part !== 'behindPs') sums.add(part, spanPs)
      else for (const each of this.#divided(flow, spanPs)) sums.add(each.part, each.spanPs)
    }
    const parts = sums.sorted()
    return parts.reduce((sum, { spanPs }) => sum + spanPs, 0) === totalPs ? parts : null
  }

  /**
   * The place that held it longest.
   * @param ownPs waits for what its host sends that it has in the idle run, too
   */
  originOf(flow: number, ownPs: number): PathOrigin | null {
    let leftPs = ownPs
    const held = (this.#origins.get(flow) ?? []).toSorted(longestFirst).map((origin) => {
      if (!OWN_SENDS.has(origin.part)) return origin
      const sparedPs = Math.min(leftPs, origin.spanPs)
      leftPs -= sparedPs
      return { ...origin, spanPs: origin.spanPs - sparedPs }
    })
    const [most] = held.toSorted(longestFirst)
    if (most === undefined || most.spanPs === 0) return null
    if (most.part !== 'behindPs') return most
    // Holders of the earlier messages there.
    const behindPs = this.#own(flow).find(({ part }) => part === 'behindPs')!.spanPs
    const [why] = this.#divided(flow, behindPs).toSorted(longestFirst)
    return { ...most, part: why!.part }
  }

  #own(flow: number): PathPart[] {
    return this.#parts.flatMap(({ column, spansPs }): PathPart[] =>
      spansPs[flow]! > 0 ? [{ part: column, spanPs: spansPs[flow]! }] : [],
    )
  }

  /**
   * A wait for earlier messages of the queue pair, divided as their time at the sender was, from the last of them back; where
   * one was there before the wait began, each part of it has its share. Their own bytes are the wait's.
   */
  #divided(flow: number, waitPs: number): PathPart[] {
    const sums = new Sums()
    const flows = this.#flows.get(this.#pairOf[flow]!) ?? []
    let leftPs = waitPs
    for (let at = flows.indexOf(flow) - 1; at >= 0 && leftPs > 0; at--) {
      const parts = this.#own(flows[at]!).filter(({ part }) => BLOCKING.has(part))
      const activePs = parts.reduce((sum, { spanPs }) => sum + spanPs, 0)
      const takenPs = Math.min(leftPs, activePs)
      for (const { part, spanPs } of parts) {
        const sharePs = Math.min(leftPs, Math.floor((spanPs * takenPs) / activePs))
        sums.add(part === 'ownPs' ? 'behindPs' : part, sharePs)
        leftPs -= sharePs
      }
    }
    sums.add('behindPs', leftPs)
    return sums.sorted()
  }

  /** Flows that went before it in queues, or that its own host sent meanwhile, if that is what held it. */
  culpritsOf(flow: number, origin: PathOrigin | null): Culprit[] {
    const { flows } = this.#result
    const [startPs, receivedPs] = [numbersOf(flows, 'startPs'), numbersOf(flows, 'receivedPs')]
    const tags = textsOf(flows, 'tag')
    const culprit = (other: number, spanPs: number): Culprit => ({ flow: other, tag: tags[other]!, spanPs })
    const isInFlight = (other: number): boolean =>
      other !== flow && startPs[other]! < receivedPs[flow]! && !(receivedPs[other]! <= startPs[flow]!)
    if (origin?.part === 'othersPs' || origin?.part === 'behindPs') {
      const [source, sizes] = [numbersOf(flows, 'source'), numbersOf(flows, 'sizeBytes')]
      const pairs = numbersOf(flows, 'pair')
      // Beside other queue pairs there may be ACKs alone, which are no flow's.
      const mayBe = (other: number): boolean => origin.part === 'behindPs' || pairs[other] !== pairs[flow]
      const beside = [...source.keys()].filter(
        (other) => source[other] === source[flow] && isInFlight(other) && mayBe(other),
      )
      const [largest] = beside.toSorted((a, b) => sizes[b]! - sizes[a]! || a - b)
      return largest === undefined ? [] : [culprit(largest, origin.spanPs)]
    }
    return this.#hops
      .blockersOf(flow)
      .slice(0, CULPRITS_MAX)
      .flatMap(({ pair, spanPs }): Culprit[] => {
        const other = this.#flows.get(pair)?.find(isInFlight)
        return other === undefined ? [] : [culprit(other, spanPs)]
      })
  }
}
