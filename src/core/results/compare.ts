/**
 * Two results side by side, flow by flow.
 * Flows are paired by source, destination, start, size, class and tag, and the n-th of equal ones with the n-th; class
 * and tag count only when both sides have them, so that a list of completion times from elsewhere can be compared too. Where a
 * flow starts when another is finished its start says nothing of which it is: those are paired by their order alone.
 * A ratio is completion in B / completion in A: 1.1 says that B is 10 % slower. Units: ps; ratios without unit.
 */
import { COMPLETION_COLUMNS, completionTimesOf } from './completions.ts'
import { collectivesOf, jobsOf } from './jobs/jobs.ts'
import { knownQuantile, mean, quantileOfSorted, sortedValues } from './quantiles.ts'
import type { Counters, Result } from './result.ts'
import { type Column, createTable, findColumn, numberColumns, numbersOf, type Table, textsOf } from './table.ts'

/** One flow as far as a comparison looks at it. */
export interface FlowTime {
  readonly source: number
  readonly destination: number
  readonly startPs: number
  readonly sizeBytes: number
  readonly completionPs: number
  readonly tag?: string
  readonly trafficClass?: number
}

/** One side of a comparison. */
export interface FlowTimes {
  readonly name: string
  /** Columns: source, destination, startPs, sizeBytes, completionPs (NaN if unfinished), maybe tag and trafficClass. */
  readonly flows: Table
  /** Meaning of the numbers of sources and destinations; left out: hosts. */
  readonly ends?: 'hosts' | 'nodes'
}

/** Columns of a result's flow table that a comparison reads. */
export const COMPARED_COLUMNS: readonly string[] = [
  'source',
  'destination',
  'startPs',
  'sizeBytes',
  'tag',
  'trafficClass',
  ...COMPLETION_COLUMNS,
]

/** Flows that both sides have and finished, in A's order; one entry a pair in each column. */
export interface FlowPairs {
  /** Rows of the flow tables. */
  readonly rowsA: Uint32Array
  readonly rowsB: Uint32Array
  readonly ratios: Float64Array
}

export interface ComparedFlow {
  readonly flow: FlowTime
  readonly rowA: number
  readonly rowB: number
  readonly completionAPs: number
  readonly completionBPs: number
  readonly ratio: number
}

export interface Spread {
  readonly median: number
  readonly p90: number
  /** NaN of fewer flows than it needs. */
  readonly p99: number
  readonly max: number
}

export interface CounterPair {
  readonly name: string
  readonly a: number
  readonly b: number
}

/** A workload whose messages wait for each other, on both sides; NaN: not known. */
export interface JobPair {
  readonly tag: string
  readonly stepAPs: number
  readonly stepBPs: number
  /** Mean over its collectives. */
  readonly busABps: number
  readonly busBBps: number
}

/** The flows of one tag, of those that both sides have. Means are over those that both finished. */
export interface TagComparison {
  readonly tag: string
  readonly pairs: number
  /** Flows that both sides have and one of them did not finish. */
  readonly unfinished: number
  readonly meanCompletionAPs: number
  readonly meanCompletionBPs: number
  /** Mean completion in B / mean completion in A. */
  readonly meanCompletionRatio: number
}

export interface Comparison {
  readonly nameA: string
  readonly nameB: string
  /** Meaning of the numbers of sources and destinations. */
  readonly ends: 'hosts' | 'nodes'
  readonly pairs: FlowPairs
  /** Number of pairs that were matched by order and not by start time. */
  readonly pairedByOrder: number
  readonly onlyInA: number
  readonly onlyInB: number
  /** Flows that both sides have, unfinished in A, in B, in both. */
  readonly unfinishedInA: number
  readonly unfinishedInB: number
  readonly unfinishedInBoth: number
  readonly ratio: Spread & { readonly mean: number; readonly min: number }
  /** Spread of |ratio - 1|. */
  readonly deviation: Spread
  /** The pair that deviates most, the first of equals; undefined without pairs. */
  readonly worst: ComparedFlow | undefined
  /** Over the pairs. */
  readonly meanCompletionAPs: number
  readonly meanCompletionBPs: number
  /** Mean completion in B / mean completion in A. */
  readonly meanCompletionRatio: number
  /** In the order in which A has them; none where there is one tag, or a side has no tags. */
  readonly tags: readonly TagComparison[]
  /** Jobs of one tag on both sides, the n-th with the n-th; empty when a side has none. */
  readonly jobs: readonly JobPair[]
  /** Counters by name, those that are 0 on both sides left out; empty when a side has none. */
  readonly counters: readonly CounterPair[]
}

/**
 * Compares two results, by default at the end point that A names.
 * @param closed tags of flows that start when others are finished.
 */
export function compareResults(
  a: Result,
  b: Result,
  completion: 'receiver' | 'sender' = a.completion,
  closed: ReadonlySet<string> = new Set(),
): Comparison {
  const flows = compareFlows(flowTimesOf(a, completion), flowTimesOf(b, completion), closed)
  return { ...flows, jobs: pairJobs(a, b), counters: pairCounters(a.counters, b.counters) }
}

function pairJobs(a: Result, b: Result): JobPair[] {
  const left = jobsOf(b)
  const busBps = (result: Result, tag: string): number =>
    mean(collectivesOf(result).flatMap((one) => (one.tag === tag ? [one.busBps] : [])))
  return jobsOf(a).flatMap(({ tag, stepPs }): JobPair[] => {
    const at = left.findIndex((job) => job.tag === tag)
    if (at < 0) return []
    const [other] = left.splice(at, 1)
    return [{ tag, stepAPs: stepPs, stepBPs: other!.stepPs, busABps: busBps(a, tag), busBBps: busBps(b, tag) }]
  })
}

/** Every flow of a result, with its completion at that end point. */
function flowTimesOf(result: Result, completion: 'receiver' | 'sender'): FlowTimes {
  const { name, flows } = result
  const column = (of: string): Column[] => flows.columns.filter((one) => one.name === of)
  const completionPs = completionTimesOf(result, completion)
  const columns = ['source', 'destination', 'startPs', 'sizeBytes', 'tag', 'trafficClass'].flatMap(column)
  return { name, flows: createTable(name, [...columns, { name: 'completionPs', type: 'number', data: completionPs }]) }
}

/** Compares two lists of flows; `counters` stays empty. Tags that start by order count when both sides have tags. */
export function compareFlows(a: FlowTimes, b: FlowTimes, closed: ReadonlySet<string> = new Set()): Comparison {
  const { sides, tags, isClosed } = sidesOf(a, b, closed)
  const partners = partnersOf(...sides)
  const [sideA, sideB] = sides
  const [endsA, endsB] = [sideA.completionPs, sideB.completionPs]
  const finished = new Uint32Array(partners.length)
  /** By tag: flows that both sides have and one did not finish. */
  const open = new Map<number, number>()
  const unfinished = { a: 0, b: 0, both: 0 }
  let [matched, count, pairedByOrder] = [0, 0, 0]
  for (let rowA = 0; rowA < partners.length; rowA++) {
    const rowB = partners[rowA]!
    if (rowB < 0) continue
    matched++
    const tag = sideA.tag[rowA] ?? 0
    const [isOpenInA, isOpenInB] = [Number.isNaN(endsA[rowA]), Number.isNaN(endsB[rowB])]
    open.set(tag, (open.get(tag) ?? 0) + (isOpenInA || isOpenInB ? 1 : 0))
    if (isOpenInA || isOpenInB) unfinished[isOpenInA && isOpenInB ? 'both' : isOpenInA ? 'a' : 'b']++
    else {
      finished[count++] = rowA
      if (isClosed(tag)) pairedByOrder++
    }
  }
  const rowsA = finished.slice(0, count)
  const rowsB = rowsA.map((row) => partners[row]!)
  const ratios = Float64Array.from(rowsA, (row, i) => endsB[rowsB[i]!]! / endsA[row]!)
  const pairs: FlowPairs = { rowsA, rowsB, ratios }
  const sorted = sortedValues(ratios)
  return {
    nameA: a.name,
    nameB: b.name,
    ends: a.ends ?? 'hosts',
    pairs,
    pairedByOrder,
    onlyInA: a.flows.rowCount - matched,
    onlyInB: b.flows.rowCount - matched,
    unfinishedInA: unfinished.a,
    unfinishedInB: unfinished.b,
    unfinishedInBoth: unfinished.both,
    ratio: { ...spreadOf(sorted), mean: mean(sorted), min: quantileOfSorted(sorted, 0) },
    deviation: spreadOf(sortedValues(ratios.map(deviationOf))),
    worst: worstOf(a.flows, sides, pairs),
    ...meansOf(sides, pairs),
    tags: tagComparisons(sides, pairs, tags, open),
    jobs: [],
    counters: [],
  }
}

type Sides = readonly [FlowKeys, FlowKeys]

/** A column of the same value everywhere needs no room. */
type Keys = ArrayLike<number>

/** One side of a comparison, by row: the numbers by which its flows are paired, and when they end. */
interface FlowKeys {
  readonly rowCount: number
  /** 0 for flows that start when others finish. */
  readonly startPs: Keys
  readonly source: Keys
  readonly destination: Keys
  readonly sizeBytes: Keys
  /** Empty unless both sides have classes, or tags; tags by number. */
  readonly trafficClass: Keys
  readonly tag: Keys
  readonly completionPs: Float64Array
}

interface BothKeys {
  readonly sides: Sides
  /** By number; empty unless both sides have tags. */
  readonly tags: readonly string[]
  readonly isClosed: (tag: number) => boolean
}

function sidesOf(a: FlowTimes, b: FlowTimes, closed: ReadonlySet<string>): BothKeys {
  const have = (name: string): boolean => [a, b].every(({ flows }) => findColumn(flows, name) !== undefined)
  const numbers = new Map<string, number>()
  const [useTag, useClass] = [have('tag'), have('trafficClass')]
  const keysOf = ({ flows }: FlowTimes): FlowKeys => {
    const [source, destination, sizeBytes] = numberColumns(flows, ['source', 'destination', 'sizeBytes'])
    const tag = useTag ? numbered(textsOf(flows, 'tag'), numbers) : new Uint32Array(0)
    const startPs = numbersOf(flows, 'startPs')
    const isByOrder = Array.from(numbers.keys(), (name) => closed.has(name))
    return {
      rowCount: flows.rowCount,
      startPs: isByOrder.includes(true) ? startPs.map((ps, row) => (isByOrder[tag[row]!]! ? 0 : ps)) : startPs,
      source,
      destination,
      sizeBytes,
      trafficClass: useClass ? numbersOf(flows, 'trafficClass') : [],
      tag,
      completionPs: numbersOf(flows, 'completionPs'),
    }
  }
  const sides: Sides = [keysOf(a), keysOf(b)]
  const tags = [...numbers.keys()]
  return { sides, tags, isClosed: (tag) => useTag && closed.has(tags[tag]!) }
}

/** Texts by their numbers in `known`, which learns new ones. */
function numbered(texts: readonly string[], known: Map<string, number>): Uint32Array {
  return Uint32Array.from(texts, (text) => {
    const number = known.get(text) ?? known.size
    if (number === known.size) known.set(text, number)
    return number
  })
}

/**
 * By row of A: its row in B, -1 without one. Both sides are put in order and walked together: a map from the keys of a million
 * flows to their rows would be a million texts. Flows come nearly in order of start, which this sort makes use of.
 */
function partnersOf(a: FlowKeys, b: FlowKeys): Int32Array {
  const partners = new Int32Array(a.rowCount).fill(-1)
  const [inA, inB] = [sortedRows(a), sortedRows(b)]
  for (let i = 0, j = 0; i < inA.length && j < inB.length;) {
    const order = compareKeys(a, inA[i]!, b, inB[j]!)
    if (order === 0) partners[inA[i]!] = inB[j]!
    if (order <= 0) i++
    if (order >= 0) j++
  }
  return partners
}

/** Rows by key; equal ones stay in their order. */
function sortedRows(keys: FlowKeys): readonly number[] {
  return Array.from({ length: keys.rowCount }, (_, row) => row).sort((one, other) =>
    compareKeys(keys, one, keys, other),
  )
}

function compareKeys(a: FlowKeys, rowA: number, b: FlowKeys, rowB: number): number {
  return (
    a.startPs[rowA]! - b.startPs[rowB]! ||
    a.source[rowA]! - b.source[rowB]! ||
    a.destination[rowA]! - b.destination[rowB]! ||
    a.sizeBytes[rowA]! - b.sizeBytes[rowB]! ||
    (a.trafficClass[rowA] ?? 0) - (b.trafficClass[rowB] ?? 0) ||
    (a.tag[rowA] ?? 0) - (b.tag[rowB] ?? 0)
  )
}

type Means = Pick<Comparison, 'meanCompletionAPs' | 'meanCompletionBPs' | 'meanCompletionRatio'>

function meansOf([a, b]: Sides, { rowsA, rowsB }: Pick<FlowPairs, 'rowsA' | 'rowsB'>): Means {
  const meanCompletionAPs = mean(Float64Array.from(rowsA, (row) => a.completionPs[row]!))
  const meanCompletionBPs = mean(Float64Array.from(rowsB, (row) => b.completionPs[row]!))
  return { meanCompletionAPs, meanCompletionBPs, meanCompletionRatio: meanCompletionBPs / meanCompletionAPs }
}

/** @param open by tag that both sides have flows of: how many of them one side did not finish */
function tagComparisons(
  sides: Sides,
  { rowsA, rowsB }: FlowPairs,
  tags: readonly string[],
  open: ReadonlyMap<number, number>,
): TagComparison[] {
  if (open.size < 2) return []
  const tagOf = sides[0].tag
  const positions = new Map(Array.from(open.keys(), (tag) => [tag, [] as number[]]))
  rowsA.forEach((row, i) => positions.get(tagOf[row]!)!.push(i))
  return [...open].map(([tag, unfinished]) => {
    const own = Uint32Array.from(positions.get(tag)!)
    const ofTag = { rowsA: own.map((i) => rowsA[i]!), rowsB: own.map((i) => rowsB[i]!) }
    return { tag: tags[tag]!, pairs: own.length, unfinished, ...meansOf(sides, ofTag) }
  })
}

function deviationOf(ratio: number): number {
  return Math.abs(ratio - 1)
}

function worstOf(flows: Table, [a, b]: Sides, { rowsA, rowsB, ratios }: FlowPairs): ComparedFlow | undefined {
  if (ratios.length === 0) return undefined
  let worst = 0
  for (let i = 1; i < ratios.length; i++) if (deviationOf(ratios[i]!) > deviationOf(ratios[worst]!)) worst = i
  const [rowA, rowB] = [rowsA[worst]!, rowsB[worst]!]
  const [source, destination, startPs, sizeBytes] = numberColumns(flows, [
    'source',
    'destination',
    'startPs',
    'sizeBytes',
  ])
  const [tag, trafficClass] = [findColumn(flows, 'tag'), findColumn(flows, 'trafficClass')]
  const flow: FlowTime = {
    source: source[rowA]!,
    destination: destination[rowA]!,
    startPs: startPs[rowA]!,
    sizeBytes: sizeBytes[rowA]!,
    completionPs: a.completionPs[rowA]!,
    ...(tag?.type === 'text' ? { tag: tag.data[rowA]! } : {}),
    ...(trafficClass === undefined ? {} : { trafficClass: numbersOf(flows, 'trafficClass')[rowA]! }),
  }
  const [completionAPs, completionBPs] = [a.completionPs[rowA]!, b.completionPs[rowB]!]
  return { flow, rowA, rowB, completionAPs, completionBPs, ratio: ratios[worst]! }
}

function spreadOf(sorted: Float64Array): Spread {
  return {
    median: quantileOfSorted(sorted, 0.5),
    p90: quantileOfSorted(sorted, 0.9),
    p99: knownQuantile(sorted, 0.99),
    max: quantileOfSorted(sorted, 1),
  }
}

/** Counters of both sides by name, nested ones as "drops: buffer full". */
function pairCounters(a: Counters, b: Counters): CounterPair[] {
  const inA = flatten(a)
  const inB = flatten(b)
  const names = [...inA.keys(), ...[...inB.keys()].filter((name) => !inA.has(name))]
  return names
    .map((name) => ({ name, a: inA.get(name) ?? 0, b: inB.get(name) ?? 0 }))
    .filter((pair) => pair.a !== 0 || pair.b !== 0)
}

function flatten(counters: Counters): Map<string, number> {
  const flat = new Map<string, number>()
  for (const [name, value] of Object.entries(counters) as [string, number | Readonly<Record<string, number>>][]) {
    if (typeof value === 'number') flat.set(name, value)
    else for (const [part, count] of Object.entries(value)) flat.set(`${name}: ${part}`, count)
  }
  return flat
}
