/**
 * Doctor: all rules on a fabric, and the files that are missing.
 */
import { assert } from '../../core/base/assert.ts'
import type { Finding, Spot } from '../../core/findings/index.ts'
import { type Fabric, isUnread } from '../devices/joins/index.ts'
import { formFor, LINK_FORM } from './rules/forms.ts'
import { lackConfigs } from './rules/needs.ts'
import { RULES, type RuleContext } from './rules/index.ts'
import { Saying } from './rules/saying.ts'

/** A file that would decide rules at a device, of which nothing tells now whether they hold. */
export interface MissingFile {
  /** The command that prints it, or words for it; '': no form that is read has what the rules need. */
  readonly form: string
  readonly device: string
  readonly rules: readonly string[]
  /** Ports that lead nobody knows where, "gpu1 eth2": only where links are missing. */
  readonly ports: readonly string[]
}

export interface Diagnosis {
  /** In the order of rules; one for the same mistake at several ports of a device, one note for the whole fabric. */
  readonly findings: readonly Finding[]
  readonly missing: readonly MissingFile[]
  /** Places at which a rule holds, by rule. */
  readonly held: Readonly<Record<string, number>>
}

/** @param isAsked whether a rule is asked, by the id of its findings */
export function diagnose(context: RuleContext, isAsked: (id: string) => boolean = () => true): Diagnosis {
  const findings: Finding[] = []
  const held: Record<string, number> = {}
  const missing = new Missing(context.fabric)
  const asked = RULES.filter(({ kinds }) => isAsked(kinds[0]!.id))
  const names = asked.map(({ kinds }) => kinds[0]!.rule)
  for (const device of unreadDevices(context.fabric))
    for (const rule of names) missing.add({ device, port: '', field: '', rule })
  for (const [i, rule] of asked.entries()) {
    const name = names[i]!
    const say = new Saying(name)
    rule.check(context, say)
    lackConfigs(context.fabric, name, say)
    findings.push(...joined(say.findings))
    held[name] = say.held
    for (const each of say.missing) missing.add(each)
  }
  const devices = new Set([...context.fabric.devices.keys(), ...linkedDevices(context.fabric)])
  for (const { subject, also = [] } of findings)
    for (const { device = '' } of [subject, ...also.map((one) => one.subject)])
      assert(device === '' || devices.has(device), 'doctor: a finding is at no device of the fabric')
  return { findings, missing: missing.files(), held }
}

const linkedDevices = ({ links }: Fabric): string[] => links.flatMap(({ ends }) => ends.map(({ device }) => device))

/** Devices of which nothing is known: those without a file that is read, and those of links alone. */
function unreadDevices(fabric: Fabric): Set<string> {
  const { devices } = fabric
  const isRead = (name: string): boolean => devices.has(name) && !isUnread(devices.get(name)!)
  return new Set([...devices.keys(), ...linkedDevices(fabric)].filter((name) => !isRead(name)))
}

/** One finding for those of a device that differ in nothing but their ports; one note for those of all devices. */
function joined(findings: readonly Finding[]): Finding[] {
  const groups = new Map<string, Finding[]>()
  for (const finding of findings) {
    const { peer: _peer, cited: _cited, dialect, ...values } = finding.values
    const { id, severity, kind, subject } = finding
    // Notes are said once for the fabric, unless devices have other words for what to do.
    const at = severity === 'note' ? kind.advice?.(finding.values, {}) : [subject.device, dialect]
    const key = JSON.stringify([id, severity, at, values])
    const group = groups.get(key)
    if (group === undefined) groups.set(key, [finding])
    else group.push(finding)
  }
  return [...groups.values()].map(([first, ...rest]) => ({
    ...first!,
    also: rest.map(({ subject, values }): Spot => ({ subject, values })),
  }))
}

/** One entry for each form that is missing of a device, and the rules that it would decide. */
class Missing {
  readonly #fabric: Fabric
  readonly #forms = new Map<string, Map<string, { rules: Set<string>; ports: Set<string> }>>()

  constructor(fabric: Fabric) {
    this.#fabric = fabric
  }

  add({ device, port, field, rule }: Saying['missing'][number]): void {
    const form = formFor(this.#fabric.devices.get(device), field)
    let devices = this.#forms.get(form)
    if (devices === undefined) this.#forms.set(form, (devices = new Map()))
    let entry = devices.get(device)
    if (entry === undefined) devices.set(device, (entry = { rules: new Set(), ports: new Set() }))
    entry.rules.add(rule)
    if (form === LINK_FORM) entry.ports.add(port === '' ? device : `${device} ${port}`)
  }

  files(): MissingFile[] {
    return [...this.#forms].flatMap(([form, devices]) =>
      [...devices].map(([device, { rules, ports }]) => ({ form, device, rules: [...rules], ports: [...ports] })),
    )
  }
}
