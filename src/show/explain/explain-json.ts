/**
 * Explanations for programs: shares and times of parts by the column of flows.csv that has them; parts without time are
 * left out. Units: picoseconds; shares 0 to 1 of the completion time.
 */
import { ALL_PARTS, findColumn, numbersOf, partsOf, type Result, spansOf, textsOf } from '../../core/results/index.ts'
import { type FindingJson, findingJson } from '../../core/findings/index.ts'
import { explanationFindings } from './explain-text.ts'
import type { Explanation, FlowGroup } from './explanation.ts'
import { chainOf, type ChainLink } from './job-chain.ts'
import { type FlowHop, FlowHops } from './flow-hops.ts'

/** Messages of a critical path that are listed. */
const HELD_MAX = 1000

type ByColumn = Readonly<Record<string, number>>

interface GroupJson extends Omit<FlowGroup, 'shares'> {
  readonly shares: ByColumn
}

export interface ExplanationJson extends Omit<
  Explanation,
  'all' | 'bySlowdown' | 'bySize' | 'byTag' | 'causes' | 'jobs'
> {
  readonly schemaVersion: 1
  readonly all: GroupJson
  readonly bySlowdown: readonly GroupJson[]
  readonly bySize: readonly GroupJson[]
  readonly byTag: readonly GroupJson[]
  /** The same as the sentences of the text; none where no flow finished. */
  readonly findings: readonly FindingJson[]
}

export function explanationJson(explanation: Explanation): ExplanationJson {
  const groups = (of: readonly FlowGroup[]): GroupJson[] => of.map(groupJson)
  const { all, bySlowdown, bySize, byTag, causes: _causes, jobs: _jobs, paths, ...rest } = explanation
  return {
    schemaVersion: 1,
    ...rest,
    // Held messages may be many: those with most excess.
    paths: paths.map((path) => ({ ...path, held: path.held.slice(0, HELD_MAX) })),
    all: groupJson(all),
    bySlowdown: groups(bySlowdown),
    bySize: groups(bySize),
    byTag: groups(byTag),
    findings: explanationFindings(explanation).map(findingJson),
  }
}

function groupJson({ shares, ...group }: FlowGroup): GroupJson {
  return { ...group, shares: byColumn(shares) }
}

export interface FlowLifeJson {
  readonly schemaVersion: 1
  readonly flow: number
  readonly source: number
  readonly destination: number
  readonly sizeBytes: number
  readonly startPs: number
  readonly status: string
  /** Sum of the parts. Of a flow that is not complete: up to the end of the run. */
  readonly spanPs: number
  readonly parts: ByColumn
  /** Where the pauses began that held it longest; null: none did. */
  readonly pausedBy: { readonly name: string; readonly spanPs: number } | null
  /** The origin that held it longest, and its share of all waits; null: it never waited. */
  readonly heldBy: {
    readonly kind: string
    readonly name: string
    readonly spanPs: number
    readonly share: number
  } | null
  /** The way of the packet that completed it. */
  readonly hops: readonly FlowHop[]
  /** The send of a message of a job, then the operations that it waited for, the last first; absent: it waited for none. */
  readonly chain?: readonly ChainLink[]
}

/** The life of one flow. @param flow row of the flow table, which exists */
export function flowLifeJson(result: Result, flow: number): FlowLifeJson {
  const { flows } = result
  const at = (name: string): number => numbersOf(flows, name)[flow]!
  const parts = byColumn(partsOf(result.completion).map((part) => spansOf(result, part)[flow]!))
  const textAt = (name: string): string => (findColumn(flows, name) === undefined ? '' : textsOf(flows, name)[flow]!)
  const chain = chainOf(result, flow)
  const [pausedBy, heldBy, heldByKind] = [textAt('pausedBy'), textAt('heldBy'), textAt('heldByKind')]
  return {
    schemaVersion: 1,
    flow,
    source: at('source'),
    destination: at('destination'),
    sizeBytes: at('sizeBytes'),
    startPs: at('startPs'),
    status: textsOf(flows, 'status')[flow]!,
    spanPs: Object.values(parts).reduce((sum, spanPs) => sum + spanPs, 0),
    parts,
    pausedBy: pausedBy === '' ? null : { name: pausedBy, spanPs: at('pausedByPs') },
    heldBy: heldBy === '' ? null : { kind: heldByKind, name: heldBy, spanPs: at('heldByPs'), share: at('heldByShare') },
    hops: new FlowHops(result).of(flow),
    ...(chain.length === 0 ? {} : { chain }),
  }
}

/** @param values by part */
function byColumn(values: readonly number[]): ByColumn {
  return Object.fromEntries(
    values.map((value, part) => [ALL_PARTS[part]!.column, value] as const).filter(([, value]) => value !== 0),
  )
}
