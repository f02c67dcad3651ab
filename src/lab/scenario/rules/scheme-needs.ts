/**
 * Scheme needs: whether a scenario meets the declared needs of its loss recovery and congestion control.
 * A refusal names the scheme, the need, and the remedy: a setting that meets it, or another scheme to combine it with.
 * The needs themselves are in needs.ts.
 */
import { type Needs, neededBy, type Offers, type SchemeDefinition } from '../../../core/transport/scheme.ts'
import type { Rule, RuleIssue } from '../text/parse-tree.ts'
import { type SchemeSet, schemeSets } from '../mix.ts'
import { KINDS, type NeedCheck, NEEDS, type SchemePair } from './needs.ts'
import { hasReads } from './operations.ts'
import { formatPath } from '../text/read.ts'
import { pathOf } from './rule-issue.ts'
import type { Scenario } from '../scenario.ts'
import { congestionsOf, recoveriesOf } from '../schemes.ts'

/** A need that is not met. */
export interface Refusal extends RuleIssue {
  readonly scheme: string
  readonly need: keyof Needs
  /** Setting that meets the need, as for --set: "qp.ackInterval=1"; null if none does. */
  readonly setting: string | null
}

/** Unmet needs of the two schemes of a scenario. @param known schemes that a hint may propose instead */
export function refusalsOf(
  scenario: Scenario,
  pair: SchemePair,
  known: Readonly<Record<keyof SchemePair, readonly SchemeDefinition[]>> = {
    recovery: recoveriesOf(scenario),
    congestion: congestionsOf(scenario),
  },
): Refusal[] {
  const hasUnacknowledgedReads = !scenario.qp.readAcks && pair.recovery.acknowledgesReads !== true && hasReads(scenario)
  const isOwn = scenario.recovery.kind === pair.recovery.name
  const delayedAckPs = isOwn ? (pair.recovery.delayedAckPs?.(scenario.recovery) ?? null) : null
  const checks: readonly NeedCheck[] = [
    {
      scenario,
      scheme: withNeeds(pair.congestion, scenario.congestion),
      other: pair.recovery,
      otherKind: 'recovery',
      hasUnacknowledgedReads,
      delayedAckPs,
    },
    {
      scenario,
      scheme: withNeeds(pair.recovery, scenario.recovery),
      other: pair.congestion,
      otherKind: 'congestion',
      hasUnacknowledgedReads,
      delayedAckPs: null,
    },
  ]
  return checks.flatMap((each) =>
    needsOf(each.scheme).flatMap((need) =>
      NEEDS[need].missing(each).map(({ path, expected, received, setting, hint }) => ({
        scheme: each.scheme.name,
        need,
        path: path.split('.'),
        because: [each.otherKind === 'recovery' ? 'congestion' : 'recovery'],
        expected,
        received,
        setting: setting ?? null,
        hint: hint ?? (setting === undefined ? otherSchemes(need, known[each.otherKind], each) : `set ${setting}`),
      })),
    ),
  )
}

/** Unmet needs of all schemes, as far as the values they depend on can be read. */
export const schemeNeeds: Rule<Scenario> = {
  reads: [
    'congestion',
    'recovery',
    'classes.data',
    'nic.trafficClasses',
    'switch.ecn.classes',
    'switch.qcn.classes',
    'switch.wred.classes',
  ],
  partsOf: ['qp', 'workload'],
  check: (scenario, isSound) =>
    schemeSets(scenario, (i) => areSchemesSound(i, isSound)).flatMap((set) => refusalsOfSet(set, isSound)),
}

/** Unmet needs of a set of schemes. If the set belongs to workloads, hints set keys of the first of them. */
function refusalsOfSet({ scenario, workloads, isOwn }: SchemeSet, isSound: (path: string) => boolean): Refusal[] {
  const recovery = named(recoveriesOf(scenario), scenario.recovery.kind)
  const congestion = named(congestionsOf(scenario), scenario.congestion.kind)
  if (recovery === undefined || congestion === undefined) return []
  const workload = scenario.workload.filter((_, k) => isClassSound(workloads[k]!, isSound))
  const isWhole = workload.length === scenario.workload.length
  const at = (path: string): string => (isOwn && isOfSchemes(path) ? `workload.${workloads[0]}.${path}` : path)
  return refusalsOf({ ...scenario, workload }, { recovery, congestion })
    .filter(({ path }) => isSound(path.join('.')) && (isWhole || path[0] !== 'switch'))
    .map((refusal) => ({
      ...refusal,
      path: pathOf(at(formatPath(refusal.path))),
      because: pathOf(at(formatPath(refusal.because ?? []))),
      setting: refusal.setting === null ? null : at(refusal.setting),
      hint: refusal.setting === null ? refusal.hint : `set ${at(refusal.setting)}`,
    }))
}

/** Whether a workload may have a value of its own for this path. */
function isOfSchemes(path: string): boolean {
  return /^(?:qp|recovery|congestion)\b/.test(path)
}

/** Whether the schemes of a workload can be read. */
function areSchemesSound(i: number, isSound: (path: string) => boolean): boolean {
  return ['recovery', 'congestion', 'qp'].every((key) => isSound(`workload.${i}.${key}`))
}

/** Whether the class of a workload's data, or the lines of a trace that name it, can be read. */
export function isClassSound(i: number, isSound: (path: string) => boolean): boolean {
  return ['trafficClass', 'flows'].every((key) => isSound(`workload.${i}.${key}`))
}

function named(schemes: readonly SchemeDefinition[], name: string): SchemeDefinition | undefined {
  return schemes.find((scheme) => scheme.name === name)
}

/** The scheme with its needs under these values, if the values are its own. */
function withNeeds(scheme: SchemeDefinition, values: { readonly kind: string }): SchemeDefinition {
  return values.kind === scheme.name ? { ...scheme, needs: neededBy(scheme, values) } : scheme
}

/** The needs of a scheme, in the order of NEEDS. */
function needsOf({ needs }: SchemeDefinition): (keyof Needs)[] {
  return (Object.keys(NEEDS) as (keyof Needs)[]).filter((need) => needs[need] === true)
}

/** "set recovery=a or b", or a statement that there is none. */
function otherSchemes(need: keyof Needs, among: readonly SchemeDefinition[], { otherKind }: NeedCheck): string {
  const names = among.filter(({ offers }) => offers?.[need as keyof Offers] === true).map(({ name }) => name)
  return names.length === 0 ? `rocelab has no such ${KINDS[otherKind]}` : `set ${otherKind}=${names.join(' or ')}`
}
