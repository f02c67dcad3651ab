/**
 * Explanation: what the completion times of a run consist of, from the columns that the observer `autopsy` adds to the
 * flow table: by slowdown, size and tag; ports and origins of pauses that cost most. Times at the end that the run measures.
 */
import {
  completionsOf,
  findColumn,
  mean,
  numbersOf,
  partsOf,
  type Result,
  spansOf,
  tableOfKind,
  textsOf,
} from '../../core/results/index.ts'
import type { Finding } from '../../core/findings/index.ts'
import type { ScenarioFacts } from '../reported-run.ts'
import { circleOf, slowCauses } from './causes.ts'
import { jobFindings } from './job-findings.ts'
import { type JobPath, jobPaths } from './job-path.ts'
import { type OriginKind, type OriginWaits, Waits } from './waits.ts'

/** Flows of one kind, and what their time consists of. */
export interface FlowGroup {
  readonly label: string
  readonly flows: number
  readonly meanCompletionPs: number
  readonly meanSlowdown: number
  /** By part: its time over the completion time, 0 to 1, of all flows of the group together. */
  readonly shares: readonly number[]
}

/** A port of the paths of the packets that completed messages, or the origin of pauses. */
export interface Cost {
  readonly name: string
  readonly flows: number
  /** Summed over the flows. */
  readonly queuePs: number
  readonly pausedPs: number
}

/** A place where flows were held, and the parts of their time in which they were, by column, the longest first. */
export interface OriginCost {
  readonly kind: OriginKind
  readonly name: string
  readonly flows: number
  /** Summed over the flows, and over the time that all flows waited. */
  readonly spanPs: number
  readonly share: number
  readonly parts: Readonly<Record<string, number>>
}

/** Waits of flows together that have no row of their own. */
export type OtherCosts = Pick<OriginCost, 'flows' | 'spanPs' | 'share' | 'parts'>

export interface Explanation {
  readonly name: string
  readonly seed: number
  readonly digest: string
  /** The end of a flow that its times are of. */
  readonly completion: Result['completion']
  /** Finished measured flows, and those that did not finish, whose parts end with the run. */
  readonly flows: number
  readonly unfinished: number
  /** Finished flows in no slowdown. */
  readonly withoutIdeal: number
  readonly all: FlowGroup
  readonly bySlowdown: readonly FlowGroup[]
  readonly bySize: readonly FlowGroup[]
  readonly byTag: readonly FlowGroup[]
  /** Most time first. */
  readonly ports: readonly Cost[]
  /** Time that all flows waited, unfinished ones too, by part, and of it the share whose origin is known. */
  readonly waitPs: number
  readonly waits: Readonly<Record<string, number>>
  readonly knownShare: number
  /** Those with most of it, the others together, and the rest, whose origin is not known: these add up to each part. */
  readonly origins: readonly OriginCost[]
  readonly otherOrigins: OtherCosts & { readonly origins: number }
  readonly unknownOrigin: OtherCosts
  /** Why the slowest flows are slow: a deadlock, then the worst cause first. */
  readonly causes: readonly Finding[]
  /** Workloads whose messages wait for each other: where their time went, and what is odd. */
  readonly paths: readonly JobPath[]
  readonly jobs: readonly Finding[]
  /** Hops that the observer had no room for: `ports` is of those before them. */
  readonly hopsLeftOut: number
}

/**
 * Shares of the flows by slowdown, one after the other, and the label of the last one, which reaches to the slowest flow.
 * Shares with less than a flow from their beginning on are left out: every flow is in one.
 */
const RANKS = [
  { from: 0, label: 'fastest half', last: 'all' },
  { from: 0.5, label: 'p50 to p90', last: 'slowest half' },
  { from: 0.9, label: 'p90 to p99', last: 'slowest 10 %' },
  { from: 0.99, label: 'slowest 1 %', last: 'slowest 1 %' },
] as const
/** Shown besides, where it has a flow. */
const SLOWEST = { from: 0.999, label: 'slowest 0.1 %' }
/** Products such as 0.1 x 10 may be a little below a whole number. */
const ROUNDING = 1e-9
const SIZES = [
  { below: 10e3, label: 'below 10 KB' },
  { below: 100e3, label: '10 to 100 KB' },
  { below: 1e6, label: '100 KB to 1 MB' },
  { below: Infinity, label: '1 MB and more' },
] as const
const NAMED = 8

/** @param result with the columns of `autopsy` (isExplained) @param facts null: the network is not known */
export function explain(result: Result, facts: ScenarioFacts | null = null): Explanation {
  const { flows } = result
  const times = flowTimes(result)
  const { rows, finished, bySlowdown } = times
  const sizeBytes = numbersOf(flows, 'sizeBytes')
  const tags = textsOf(flows, 'tag')
  const group = (label: string, of: readonly number[]): FlowGroup => groupOf(label, of, times)
  const paths = jobPaths(result)
  const present = (groups: readonly FlowGroup[]): FlowGroup[] => groups.filter((one) => one.flows > 0)
  return {
    name: result.name,
    seed: result.seed,
    digest: result.digest,
    completion: result.completion,
    flows: finished.length,
    unfinished: rows.length - finished.length,
    withoutIdeal: finished.length - bySlowdown.length,
    all: group('all', finished),
    bySlowdown: ranksOf(times),
    bySize: present(
      SIZES.map(({ below, label }, i) => {
        const atLeast = SIZES[i - 1]?.below ?? 0
        return group(
          label,
          finished.filter((row) => sizeBytes[row]! < below && sizeBytes[row]! >= atLeast),
        )
      }),
    ),
    byTag: [...new Set(tags)]
      .map((tag) =>
        group(
          tag === '' ? 'untagged' : tag,
          finished.filter((row) => tags[row] === tag),
        ),
      )
      .filter((one) => one.flows > 0),
    ports: portCosts(result),
    hopsLeftOut: hopsLeftOutOf(result),
    ...originCosts(result, rows),
    causes: [...circleOf(result), ...slowCauses(result, facts)],
    paths,
    jobs: jobFindings(result, paths),
  }
}

/** The slowest flows: from p99 on where there are a hundred, else the last of fewer groups. There must be one that finished. */
export function tailOf({ all, bySlowdown }: Pick<Explanation, 'all' | 'bySlowdown'>): FlowGroup {
  return bySlowdown.findLast(({ label }) => label !== SLOWEST.label) ?? all
}

/** The groups of an explanation by slowdown. */
export function groupsBySlowdown(result: Result): FlowGroup[] {
  return ranksOf(flowTimes(result))
}

function ranksOf(times: FlowTimes): FlowGroup[] {
  const { bySlowdown } = times
  return slowdownRanks(bySlowdown.length).map(({ label, from, to }) =>
    groupOf(label, bySlowdown.slice(from, to), times),
  )
}

function flowTimes(result: Result): FlowTimes {
  const { completionPs, slowdown } = completionsOf(result)
  const measured = numbersOf(result.flows, 'measured')
  const rows = [...completionPs.keys()].filter((row) => measured[row] === 1)
  const finished = rows.filter((row) => !Number.isNaN(completionPs[row]))
  const bySlowdown = finished
    .filter((row) => !Number.isNaN(slowdown[row]))
    .toSorted((a, b) => slowdown[a]! - slowdown[b]!)
  const parts = partsOf(result.completion).map((part) => spansOf(result, part))
  return { completionPs, slowdown, parts, rows, finished, bySlowdown }
}

/** Groups of `count` flows in order of slowdown, as positions from, and to but without. None where all are one group. */
function slowdownRanks(count: number): { readonly label: string; readonly from: number; readonly to: number }[] {
  const below = (share: number): number => Math.floor(share * count + ROUNDING)
  const hasFlow = ({ from }: { readonly from: number }): boolean => (1 - from) * count + ROUNDING >= 1
  const kept = RANKS.filter(hasFlow)
  if (count < 2) return []
  const groups = kept.map(({ from, label, last }, i) => {
    const next = kept[i + 1]
    return {
      label: next === undefined ? last : label,
      from: below(from),
      to: next === undefined ? count : below(next.from),
    }
  })
  return hasFlow(SLOWEST) ? [...groups, { label: SLOWEST.label, from: below(SLOWEST.from), to: count }] : groups
}

interface FlowTimes {
  readonly completionPs: Float64Array
  readonly slowdown: Float64Array
  readonly parts: readonly Float64Array[]
  /** Measured flows; of these those that finished, and those with a slowdown from fast to slow. */
  readonly rows: readonly number[]
  readonly finished: readonly number[]
  readonly bySlowdown: readonly number[]
}

function groupOf(label: string, rows: readonly number[], { completionPs, slowdown, parts }: FlowTimes): FlowGroup {
  const sumOf = (data: Float64Array): number => rows.reduce((sum, row) => sum + data[row]!, 0)
  const totalPs = sumOf(completionPs)
  return {
    label,
    flows: rows.length,
    meanCompletionPs: totalPs / rows.length,
    meanSlowdown: mean(rows.map((row) => slowdown[row]!)),
    shares: parts.map((data) => (totalPs === 0 ? 0 : sumOf(data) / totalPs)),
  }
}

function hopsLeftOutOf(result: Result): number {
  const table = tableOfKind(result, 'autopsy/hops')
  return table === undefined || findColumn(table, 'leftOut') === undefined
    ? 0
    : (numbersOf(table, 'leftOut').at(-1) ?? 0)
}

function portCosts(result: Result): Cost[] {
  const table = tableOfKind(result, 'autopsy/hops')
  if (table === undefined) return []
  const [names, ports] = [textsOf(table, 'nodeName'), numbersOf(table, 'port')]
  const [queuePs, pausedPs] = [numbersOf(table, 'queuePs'), numbersOf(table, 'pausedPs')]
  const costs = new Map<string, { flows: number; queuePs: number; pausedPs: number }>()
  names.forEach((name, row) => {
    if (queuePs[row] === 0 && pausedPs[row] === 0) return
    add(costs, `${name} port ${ports[row]!}`, queuePs[row]!, pausedPs[row]!)
  })
  return largest(costs)
}

type OriginFacts = Pick<Explanation, 'waitPs' | 'waits' | 'knownShare' | 'origins' | 'otherOrigins' | 'unknownOrigin'>

function originCosts(result: Result, rows: readonly number[]): OriginFacts {
  const flows = new Set(rows)
  const waits = new Waits(result)
  const waitPs = waits.of(flows)
  const byPart = waits.parts(flows)
  const found = waits.origins(flows)
  const costOf = (of: readonly OriginWaits[]): OtherCosts => {
    const parts = new Map<string, number>()
    for (const one of of) for (const [part, ps] of one.parts) parts.set(part, (parts.get(part) ?? 0) + ps)
    return costOfParts(new Set(of.flatMap((one) => [...one.flows])).size, parts, waitPs)
  }
  const known = costOf(found)
  const unknown = new Map([...byPart].map(([part, ps]) => [part, ps - (known.parts[part] ?? 0)]))
  const others = found.slice(NAMED)
  return {
    waitPs,
    waits: inOrder(byPart),
    knownShare: known.share,
    origins: found.slice(0, NAMED).map((one) => ({ kind: one.kind, name: one.name, ...costOf([one]) })),
    otherOrigins: { origins: others.length, ...costOf(others) },
    unknownOrigin: costOfParts(waits.withoutOrigin(flows), unknown, waitPs),
  }
}

function costOfParts(flows: number, parts: ReadonlyMap<string, number>, waitPs: number): OtherCosts {
  const spanPs = [...parts.values()].reduce((sum, ps) => sum + ps, 0)
  return { flows, spanPs, share: waitPs === 0 ? 0 : spanPs / waitPs, parts: inOrder(parts) }
}

/** Those with time, the longest first. */
function inOrder(parts: ReadonlyMap<string, number>): Readonly<Record<string, number>> {
  return Object.fromEntries([...parts].filter(([, ps]) => ps > 0).toSorted((a, b) => b[1] - a[1]))
}

function add(
  costs: Map<string, { flows: number; queuePs: number; pausedPs: number }>,
  name: string,
  queuePs: number,
  pausedPs: number,
): void {
  const known = costs.get(name) ?? { flows: 0, queuePs: 0, pausedPs: 0 }
  costs.set(name, { flows: known.flows + 1, queuePs: known.queuePs + queuePs, pausedPs: known.pausedPs + pausedPs })
}

function largest(costs: ReadonlyMap<string, Omit<Cost, 'name'>>): Cost[] {
  const all = [...costs].map(([name, cost]): Cost => ({ name, ...cost }))
  const totalOf = ({ queuePs, pausedPs }: Cost): number => queuePs + pausedPs
  return all.sort((a, b) => totalOf(b) - totalOf(a) || (a.name < b.name ? -1 : 1)).slice(0, NAMED)
}
