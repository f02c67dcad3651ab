/**
 * Doctor: all rules on a fabric, and the files that are missing.
 */
import type { Finding, Spot } from '../findings/index.ts'
import type { Fabric } from './devices/index.ts'
import { formFor } from './rules/forms.ts'
import { RULES, type RuleContext } from './rules/index.ts'
import { Saying } from './rules/saying.ts'

/** A file that would decide rules that nothing tells now. */
export interface MissingFile {
  /** The command that prints it, or words for it; '': no form that is read has what the rules need. */
  readonly form: string
  /** Devices of which it is missing. */
  readonly devices: readonly string[]
  readonly rules: readonly string[]
}

export interface Diagnosis {
  /** In the order of rules; one for the same mistake at several ports of a device, one note for the whole fabric. */
  readonly findings: readonly Finding[]
  readonly missing: readonly MissingFile[]
  /** Places at which a rule holds, by rule. */
  readonly held: Readonly<Record<string, number>>
}

export function diagnose(context: RuleContext): Diagnosis {
  const findings: Finding[] = []
  const held: Record<string, number> = {}
  const missing = new Missing(context.fabric)
  for (const rule of RULES) {
    const name = rule.kinds[0]!.rule
    const say = new Saying(name)
    rule.check(context, say)
    findings.push(...joined(say.findings))
    held[name] = say.held
    for (const each of say.missing) missing.add(each)
  }
  return { findings, missing: missing.files(), held }
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

/** One entry for each form that is missing, whatever the rules and devices that it is for. */
class Missing {
  readonly #fabric: Fabric
  readonly #forms = new Map<string, { devices: Set<string>; rules: Set<string> }>()

  constructor(fabric: Fabric) {
    this.#fabric = fabric
  }

  add({ device, field, rule }: Saying['missing'][number]): void {
    const form = formFor(this.#fabric.devices.get(device), field)
    let entry = this.#forms.get(form)
    if (entry === undefined) this.#forms.set(form, (entry = { devices: new Set(), rules: new Set() }))
    entry.devices.add(device)
    entry.rules.add(rule)
  }

  files(): MissingFile[] {
    return [...this.#forms].map(([form, { devices, rules }]) => ({ form, devices: [...devices], rules: [...rules] }))
  }
}
