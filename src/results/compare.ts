/**
 * Two results side by side, flow by flow.
 * Flows are paired by source, destination, start, size, class and tag, and the n-th of equal ones with the n-th; class
 * and tag count only when both sides have them, so that a list of completion times from elsewhere can be compared too. Where a
 * flow starts when another is finished its start says nothing of which it is: those are paired by their order alone.
 * A ratio is completion in B / completion in A: 1.1 says that B is 10 % slower. Units: ps; ratios without unit.
 */
import { mean, quantileOfSorted, sortedValues } from './quantiles.ts'
import type { Counters, Result } from './result.ts'
import { completionsOf } from './completions.ts'
import { findColumn, numbersOf, type Table, textsOf } from './table.ts'

/** One flow as far as a comparison looks at it. */
export interface FlowTime {
  readonly source: number
  readonly destination: number
  readonly startPs: number
  readonly sizeBytes: number
  readonly tag?: string
  readonly trafficClass?: number
  /** Start to end; NaN if unfinished. */
  readonly completionPs: number
}

/** One side of a comparison. */
export interface FlowTimes {
  readonly name: string
  readonly flows: readonly FlowTime[]
  /** Meaning of the numbers of sources and destinations; left out: hosts. */
  readonly ends?: 'hosts' | 'nodes'
}

export interface ComparedFlow {
  readonly flow: FlowTime
  /** Its index among the flows of each side. */
  readonly rowA: number
  readonly rowB: number
  readonly completionAPs: number
  readonly completionBPs: number
  readonly ratio: number
}

export interface Spread {
  readonly median: number
  readonly p90: number
  readonly p99: number
  readonly max: number
}

export interface CounterPair {
  readonly name: string
  readonly a: number
  readonly b: number
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
  /** Flows that both sides have and finished, in A's order. */
  readonly pairs: readonly ComparedFlow[]
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
  return { ...flows, counters: pairCounters(a.counters, b.counters) }
}

/** Every flow of a result, with its completion at that end point. */
export function flowTimesOf(result: Result, completion: 'receiver' | 'sender' = result.completion): FlowTimes {
  const { completionPs } = completionsOf(result, completion)
  return { name: result.name, flows: rowsOf(result.flows, completionPs) }
}

/** A reference in a table: columns source, destination, startPs, sizeBytes, completionPs and, if it has one, tag. */
export function flowTimesOfTable(table: Table): FlowTimes {
  return { name: table.name, flows: rowsOf(table, numbersOf(table, 'completionPs')) }
}

/** Compares two lists of flows; `counters` stays empty. Tags that start by order count when both sides have tags. */
export function compareFlows(a: FlowTimes, b: FlowTimes, closed: ReadonlySet<string> = new Set()): Comparison {
  const hasTag = (flow: FlowTime): boolean => flow.tag !== undefined
  const useTag = a.flows.every(hasTag) && b.flows.every(hasTag)
  const hasClass = (flow: FlowTime): boolean => flow.trafficClass !== undefined
  const useClass = a.flows.every(hasClass) && b.flows.every(hasClass)
  const isClosed = (flow: FlowTime): boolean => useTag && flow.tag !== undefined && closed.has(flow.tag)
  const keyOf = (flow: FlowTime): string => {
    const key = `${flow.source} ${flow.destination} ${isClosed(flow) ? '' : flow.startPs} ${flow.sizeBytes}`
    const withClass = useClass ? `${key} c${flow.trafficClass}` : key
    return useTag ? `${withClass} ${flow.tag}` : withClass
  }
  /** Rows by key. */
  const inB = new Map<string, number[]>()
  b.flows.forEach((flow, row) => {
    const key = keyOf(flow)
    const equals = inB.get(key)
    if (equals === undefined) inB.set(key, [row])
    else equals.push(row)
  })
  const seen = new Map<string, number>()
  const pairs: ComparedFlow[] = []
  /** Tags of flows that both sides have and one did not finish. */
  const openTags: string[] = []
  const tagOrder = new Set<string>()
  let matched = 0
  let unfinishedInA = 0
  let unfinishedInB = 0
  let unfinishedInBoth = 0
  for (const [rowA, flow] of a.flows.entries()) {
    const key = keyOf(flow)
    const occurrence = seen.get(key) ?? 0
    const rowB = inB.get(key)?.[occurrence] ?? -1
    const other = b.flows[rowB]
    seen.set(key, occurrence + 1)
    if (other === undefined) continue
    matched++
    const isOpenInA = Number.isNaN(flow.completionPs)
    const isOpenInB = Number.isNaN(other.completionPs)
    tagOrder.add(flow.tag ?? '')
    if (isOpenInA || isOpenInB) openTags.push(flow.tag ?? '')
    if (isOpenInA && isOpenInB) unfinishedInBoth++
    else if (isOpenInA) unfinishedInA++
    else if (isOpenInB) unfinishedInB++
    else {
      pairs.push({
        flow,
        rowA,
        rowB,
        completionAPs: flow.completionPs,
        completionBPs: other.completionPs,
        ratio: other.completionPs / flow.completionPs,
      })
    }
  }
  const ratios = sortedValues(pairs.map((pair) => pair.ratio))
  const deviations = sortedValues(pairs.map(deviationOf))
  return {
    nameA: a.name,
    nameB: b.name,
    ends: a.ends ?? 'hosts',
    pairs,
    pairedByOrder: pairs.filter(({ flow }) => isClosed(flow)).length,
    onlyInA: a.flows.length - matched,
    onlyInB: b.flows.length - matched,
    unfinishedInA,
    unfinishedInB,
    unfinishedInBoth,
    ratio: { ...spreadOf(ratios), mean: mean(ratios), min: quantileOfSorted(ratios, 0) },
    deviation: spreadOf(deviations),
    worst: worstOf(pairs),
    ...meansOf(pairs),
    tags: useTag ? tagComparisons([...tagOrder], pairs, openTags) : [],
    counters: [],
  }
}

function meansOf(
  pairs: readonly ComparedFlow[],
): Pick<Comparison, 'meanCompletionAPs' | 'meanCompletionBPs' | 'meanCompletionRatio'> {
  const meanCompletionAPs = mean(pairs.map((pair) => pair.completionAPs))
  const meanCompletionBPs = mean(pairs.map((pair) => pair.completionBPs))
  return { meanCompletionAPs, meanCompletionBPs, meanCompletionRatio: meanCompletionBPs / meanCompletionAPs }
}

function tagComparisons(
  tags: readonly string[],
  pairs: readonly ComparedFlow[],
  openTags: readonly string[],
): TagComparison[] {
  const byTag = new Map(tags.map((tag) => [tag, { pairs: [] as ComparedFlow[], unfinished: 0 }]))
  for (const pair of pairs) byTag.get(pair.flow.tag ?? '')!.pairs.push(pair)
  for (const tag of openTags) byTag.get(tag)!.unfinished++
  if (byTag.size < 2) return []
  return [...byTag].map(([tag, of]) => {
    return { tag, pairs: of.pairs.length, unfinished: of.unfinished, ...meansOf(of.pairs) }
  })
}

function rowsOf(table: Table, completionPs: Float64Array): FlowTime[] {
  const source = numbersOf(table, 'source')
  const destination = numbersOf(table, 'destination')
  const startPs = numbersOf(table, 'startPs')
  const sizeBytes = numbersOf(table, 'sizeBytes')
  const tags = findColumn(table, 'tag') === undefined ? undefined : textsOf(table, 'tag')
  const classes = findColumn(table, 'trafficClass') === undefined ? undefined : numbersOf(table, 'trafficClass')
  return Array.from({ length: table.rowCount }, (_, row): FlowTime => {
    const tag = tags?.[row]
    const trafficClass = classes?.[row]
    return {
      source: source[row] as number,
      destination: destination[row] as number,
      startPs: startPs[row] as number,
      sizeBytes: sizeBytes[row] as number,
      completionPs: completionPs[row] as number,
      ...(tag === undefined ? {} : { tag }),
      ...(trafficClass === undefined ? {} : { trafficClass }),
    }
  })
}

function deviationOf(pair: ComparedFlow): number {
  return Math.abs(pair.ratio - 1)
}

function worstOf(pairs: readonly ComparedFlow[]): ComparedFlow | undefined {
  let worst: ComparedFlow | undefined
  for (const pair of pairs) if (worst === undefined || deviationOf(pair) > deviationOf(worst)) worst = pair
  return worst
}

function spreadOf(sorted: Float64Array): Spread {
  return {
    median: quantileOfSorted(sorted, 0.5),
    p90: quantileOfSorted(sorted, 0.9),
    p99: quantileOfSorted(sorted, 0.99),
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
