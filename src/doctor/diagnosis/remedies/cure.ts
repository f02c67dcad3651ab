/**
 * Cure: the changes after which a finding is gone and nothing new stands anywhere near, and what to type for them. What a
 * remedy leaves or uncovers has its own remedy added: a NIC that trusts DSCPs at last may have the wrong map of them. The
 * lines are taken by all that they change, also by ports that only share a map, a policy or a profile.
 */
import type { Finding, Spot, Subject, Typed } from '../../../core/findings/index.ts'
import { type Fabric, fabricOfDevices, type Link, portKey } from '../../devices/joins/index.ts'
import { knownOf, type PortConfig } from '../../../core/device-model/index.ts'
import { diagnose } from '../doctor.ts'
import type { RuleContext } from '../rules/rule.ts'
import { type Change, changed, edgeListOf } from './change.ts'
import { spoken } from './lines/index.ts'
import { choicesOf, remediesOf } from './remedies.ts'
import { valueAt } from './spot.ts'

/** Remedies that uncover others, one after the other. */
const ROUNDS_MAX = 4
/** Devices of a role, and hosts, that stand for all others where a fabric is large. */
const MATES = 4
/** Findings that get commands: more than anybody reads. */
const CURES_MAX = 500

/**
 * Commands for each place of the finding, and all that they change (by the first choice, where there are several); unsafe: a
 * name that no command line takes as one.
 */
export type Cure =
  | { readonly typed: readonly (readonly Typed[])[]; readonly changes: readonly Change[] }
  | { readonly unsafe: string }

/** Null: no change of settings is known that cures it, or no language has words for it. */
export function cureOf(context: RuleContext, finding: Finding): Cure | null {
  const choices = choicesOf(context, finding)
  if (choices === null) return solved(context, finding, remediesOf(context, finding))
  // Each choice by itself; an end of which there are no files gets no commands.
  const cures = choices[0]!.map((_, n) =>
    solved(
      context,
      finding,
      choices.map((each) => each[n]!),
    ),
  )
  const good = cures.find((cure) => cure !== null && 'typed' in cure)
  if (good === undefined || good === null || 'unsafe' in good) return cures[0] ?? null
  const typed = choices.map((each, i) =>
    cures.flatMap((cure, n): Typed[] =>
      cure === null || 'unsafe' in cure
        ? [{ device: each[n]![0]?.device ?? '', lines: [], choice: n + 1 }]
        : cure.typed[i]!.map((own) => ({ ...own, choice: n + 1 })),
    ),
  )
  return { typed, changes: good.changes }
}

/** @param remedies of each place */
function solved(context: RuleContext, finding: Finding, remedies: readonly (readonly Change[])[]): Cure | null {
  const { fabric } = context
  const wanted = remedies.map((own) => unmet(fabric, own))
  if (wanted.some((own) => own.length === 0)) return null
  for (let round = 0; round < ROUNDS_MAX; round++) {
    const said = spoken(fabric, wanted.flat())
    if (said === null || 'unsafe' in said) return said
    const near = nearby(fabric, said.changes, finding)
    const before = new Counts(diagnose({ ...context, fabric: near }).findings)
    const after = { ...context, fabric: changed(near, said.changes) }
    const { findings } = diagnose(after)
    const now = new Counts(findings)
    const own = new Set(single(finding).map(keyOf))
    const left = findings
      .flatMap(single)
      .filter((each) => own.has(keyOf(each)) || (each.severity !== 'note' && now.at(each) > before.at(each)))
    if (left.length === 0) return spokenAt(fabric, wanted, said.changes)
    for (const each of left) {
      const more = unmet(after.fabric, remediesOf(after, each).flat())
      if (more.length === 0 || each.id === finding.id) return null
      const at = Math.max(0, spotOf(finding, each.subject))
      wanted[at] = merged(wanted[at]!, more)
    }
  }
  return null
}

function spokenAt(fabric: Fabric, wanted: readonly (readonly Change[])[], changes: readonly Change[]): Cure | null {
  const typed: (readonly Typed[])[] = []
  for (const own of wanted) {
    const said = spoken(fabric, own)
    if (said === null || 'unsafe' in said) return said
    typed.push(said.typed)
  }
  return { typed, changes }
}

/** A later change of a value counts. */
function merged(old: readonly Change[], more: readonly Change[]): Change[] {
  const keyOf = ({ device, port, field }: Change): string => JSON.stringify([device, portKey(port), field])
  return [...new Map([...old, ...more].map((change) => [keyOf(change), change])).values()]
}

/** Changes of values that are not there already. A map counts anew where the field that it is read by changes. */
function unmet({ devices }: Fabric, changes: readonly Change[]): Change[] {
  return changes.filter(({ device, port, field, value }) => {
    const config = devices.get(device)?.config.ports.find(({ name }) => portKey(name) === portKey(port))
    if (config === undefined || value === null || (field.startsWith('dscpToClass.') && trusts(changes, config)))
      return true
    return JSON.stringify(valueAt(config, field)) !== JSON.stringify(value)
  })
}

const trusts = (changes: readonly Change[], { name, settings }: PortConfig): boolean =>
  changes.some(({ port, field, value }) => field === 'trust' && port === name && value !== knownOf(settings.trust))

const single = ({ also, ...rest }: Finding): Finding[] => [
  { ...rest, also: [] },
  ...also.map((spot): Finding => ({ ...rest, ...spot, also: [] })),
]

/** A finding at a place, by the class or DSCP that it is about there. */
const keyOf = (finding: Finding): string =>
  `${portOf(finding)} ${JSON.stringify(finding.values['priority'] ?? finding.values['dscp'] ?? '')}`

const portOf = ({ id, subject }: Finding): string =>
  JSON.stringify([id, subject.device, portKey(subject.interface ?? '')])

/** How many findings of an id there are at a port: one that moved to another class is not new. */
class Counts {
  readonly #counts = new Map<string, number>()

  constructor(findings: readonly Finding[]) {
    for (const each of findings.flatMap(single)) this.#counts.set(portOf(each), this.at(each) + 1)
  }

  at(finding: Finding): number {
    return this.#counts.get(portOf(finding)) ?? 0
  }
}

/** The place of the finding that another one is at, or beside. */
function spotOf(finding: Finding, subject: Subject): number {
  const spots = [finding, ...finding.also]
  const at = spots.findIndex(
    (one) => one.subject.device === subject.device && one.subject.interface === subject.interface,
  )
  return at >= 0 ? at : spots.findIndex((one) => one.subject.device === subject.device)
}

/** Devices by role. */
const byRole = new WeakMap<Fabric, ReadonlyMap<string, readonly string[]>>()

function matesOf(fabric: Fabric, role: string): readonly string[] {
  let roles = byRole.get(fabric)
  if (roles === undefined) {
    const all = new Map<string, string[]>()
    for (const { config } of fabric.devices.values()) {
      const own = all.get(config.role)
      if (own === undefined) all.set(config.role, [config.device])
      else own.push(config.device)
    }
    byRole.set(fabric, (roles = all))
  }
  return roles.get(role) ?? []
}

/** The part of a fabric that rules have to be asked for again: what changes, what it is linked to, and some of its kind. */
function nearby(fabric: Fabric, changes: readonly Change[], finding: Finding): Fabric {
  const names = new Set([...changes, ...single(finding).map(({ subject }) => subject)].map(({ device = '' }) => device))
  const ports = new Set(changes.map(({ device, port }) => `${device} ${portKey(port)}`))
  const linked = [...names].flatMap((name) => fabric.linksOf(name))
  const roles = new Set(['host', ...[...names].flatMap((name) => fabric.devices.get(name)?.config.role ?? [])])
  for (const { ends } of linked)
    if (ends.some(({ device, port }) => ports.has(`${device} ${portKey(port)}`) || ports.has(`${device} `)))
      for (const { device } of ends) names.add(device)
  // Who sends other DSCPs sends them over the whole fabric.
  if (changes.some(({ field }) => field === 'nic.sysfsTclass' || field === 'nic.cmaTclass' || field.startsWith('job.')))
    for (const { config } of fabric.devices.values()) roles.add(config.role)
  for (const role of roles) for (const name of matesOf(fabric, role).slice(0, MATES)) names.add(name)
  const devices = new Map(
    [...names].flatMap((name) => {
      const device = fabric.devices.get(name)
      return device === undefined ? [] : [[name, device] as const]
    }),
  )
  const links = new Set([...names].flatMap((name) => fabric.linksOf(name)))
  const isInside = ({ ends }: Link): boolean => ends.every(({ device }) => names.has(device))
  return fabricOfDevices(devices, edgeListOf({ links: [...links].filter(isInside) }))
}

/**
 * Findings with what to type at each of their places, as far as it is known. One that follows from another goes with that.
 * @param causes by finding, the one that it follows from
 */
export function withCures(
  context: RuleContext,
  findings: readonly Finding[],
  causes: ReadonlyMap<Finding, Finding>,
): Finding[] {
  let left = CURES_MAX
  return findings.map((finding) => {
    const cure = causes.has(finding) || left-- <= 0 ? null : cureOf(context, finding)
    if (cure === null) return finding
    const [first, ...rest] = [finding, ...finding.also].map(({ subject, values }, i): Spot => ({
      subject,
      values: { ...values, ...('unsafe' in cure ? { unsafe: cure.unsafe } : { typed: cure.typed[i]! }) },
    }))
    return { ...finding, ...first!, also: rest }
  })
}
