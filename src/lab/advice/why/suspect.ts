/**
 * Suspect: something in a scenario that may be the cause of slow flows, with the change that takes it away.
 */
import type { Subject } from '../../../core/findings/index.ts'
import { applyOverrides } from '../../scenario/text/overrides.ts'
import { paramsOf, printScenario, type Scenario, scenarioOf, schemesOf } from '../../scenario/index.ts'

/** Kinds of causes. The words of each are in core/findings/kinds/proofs.ts. */
export const SUSPECT_KINDS = [
  'slow-receiver',
  'slow-sender',
  'pause-storm',
  'dead-server',
  'dead-switch',
  'lossy-link',
  'failed-uplink',
  'broadcast',
  'slow-link',
  'rate-cap',
  'oversubscription',
  'pfc-off',
  'class-map',
  'mtu',
  'wrong-marking',
  'alpha',
  'buffer-share',
  'small-buffer',
  'wrong-cable',
  'dropping-watchdog',
  'polarised-hash',
  'small-window',
  'slow-host-stack',
  'rnr',
  'placement',
  'incast',
  'noisy-neighbour',
  'other-tenant',
  'setting',
] as const
export type SuspectKind = (typeof SUSPECT_KINDS)[number]

/** Kinds by the path of the value; the first that fits. */
const KIND_OF: readonly (readonly [RegExp, SuspectKind])[] = [
  [/^pfc\./, 'pfc-off'],
  [/^classes\.|^nic\.trust|^nic\.trafficClasses|\.vlan/, 'class-map'],
  [/\.mtu$/, 'mtu'],
  [/^switch\.(?:ecn|wred)/, 'wrong-marking'],
  [/^switch\.buffer\.(?:believedDelay|headroom)/, 'wrong-cable'],
  [/^switch\.buffer\.(?:byClass|queues|reserve|staticTh)/, 'buffer-share'],
  [/^switch\.buffer/, 'alpha'],
  [/^switch\.watchdog/, 'dropping-watchdog'],
  [/^nic\.receive/, 'slow-receiver'],
  [/^nic\.send/, 'slow-sender'],
  [/^balance\.seeds?$/, 'polarised-hash'],
  [/^qp\.window|^recovery\.cap/, 'small-window'],
  [/^qp\.hostDelay/, 'slow-host-stack'],
  [/^qp\.(?:receive|rnr)|^verbs\.receives|^verbs\.sharedReceives/, 'rnr'],
]

export const kindOfPath = (path: string): SuspectKind =>
  KIND_OF.find(([pattern]) => pattern.test(path))?.[1] ?? 'setting'

/**
 * Who suspects it: a rule of `check`, the autopsy, the comparison with its equals, or what the scenario declares (faults,
 * changes, workloads, limits that somebody has set).
 */
export type Side = 'rule' | 'autopsy' | 'unlike' | 'declared'

/** The next free index of each list to which a change appends. */
export interface Free {
  changes: number
  rates: number
}

/**
 * Odd is what is broken or unlike its equals; a limit holds everywhere; load is the traffic of others. They are tried in this
 * order: the next ones in the world without those before that count.
 */
export const STAGES = ['odd', 'limit', 'load'] as const
export type Stage = (typeof STAGES)[number]

export interface Suspect {
  readonly kind: SuspectKind
  readonly stage: Stage
  /** Names of devices, of a link both ends, of a workload its tag and `path`; a setting that holds everywhere has `path` alone. */
  readonly subject: Subject
  /** Further devices of which the same holds. */
  readonly others: readonly string[]
  readonly sides: ReadonlySet<Side>
  /** Its value, and the one that it has without the suspicion, as the scenario writes them; '': there is none. */
  readonly now: string
  readonly usual: string
  /** Overrides "path=value" that take it away; `free` is moved on by what is appended. */
  readonly sets: (free: Free) => readonly string[]
  /** Nodes of the topology that it concerns, and the other end of its link. */
  readonly nodes: readonly number[]
  readonly peer?: number
  /** Its value is nearly that of its equals: half of it, twice, or between. */
  readonly isSlight?: boolean
  /** Hosts of a workload in the run without it, by each the host in place of which it is. */
  readonly moved?: { readonly tag: string; readonly hosts: ReadonlyMap<number, number> }
  /** How likely it is at first sight; any unit, the largest is tried first. */
  readonly weight: number
}

/** Recoveries that send a whole window again after a loss: they need a network that drops nothing. */
export const GOES_BACK: ReadonlySet<string> = new Set(['go-back-n', 'go-back-0'])

/** A printed value on one line, as YAML. */
export function flowText(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map(flowText).join(', ')}]`
  if (typeof value === 'object' && value !== null)
    return `{${Object.entries(value)
      .map(([key, item]) => `${key}: ${flowText(item)}`)
      .join(', ')}}`
  const isPlain = typeof value !== 'string' || /^[\w.%+/-]+(?: [\w.%+/-]+)*$/.test(value)
  return isPlain ? String(value) : JSON.stringify(value)
}

/** Overrides that take all of these away, in this order. */
export function setsOf(scenario: Scenario, suspects: readonly Suspect[]): string[] {
  const { topology, changes } = scenario
  const free: Free = { changes: changes.length, rates: 'rates' in topology ? topology.rates.length : 0 }
  return suspects.flatMap((suspect) => suspect.sets(free))
}

/**
 * The scenario with overrides.
 * @throws InputError where the scenario does not take them
 */
export function overridden(scenario: Scenario, sets: readonly string[]): Scenario | null {
  const { value, mistakes } = applyOverrides(paramsOf(scenario), printScenario(scenario), sets)
  return mistakes.length > 0 ? null : scenarioOf(value, schemesOf(scenario))
}

/** The same for the same suspects in any order. */
export function keyOf(suspects: readonly Suspect[]): string {
  return suspects
    .map(({ kind, subject }) => JSON.stringify([kind, subject]))
    .toSorted()
    .join('\n')
}
