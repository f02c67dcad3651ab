/**
 * Doctor: all rules on a fabric, with what follows from what, and the files that are missing.
 */
import type { Finding } from '../findings/index.ts'
import type { Fabric } from './devices/index.ts'
import { formFor } from './rules/forms.ts'
import { causesOf } from './rules/nesting.ts'
import { RULES, type RuleContext } from './rules/index.ts'
import { Saying } from './rules/saying.ts'

/** A file that would decide rules that nothing tells now. */
export interface MissingFile {
  readonly device: string
  /** Ports of which it would tell; '': the device. */
  readonly ports: readonly string[]
  /** The command that prints it, or words for it. */
  readonly form: string
  readonly rules: readonly string[]
}

export interface Diagnosis {
  readonly findings: readonly Finding[]
  /** By finding, the one that it follows from. */
  readonly causes: ReadonlyMap<Finding, Finding>
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
    findings.push(...say.findings)
    held[name] = say.held
    for (const each of say.missing) missing.add(each)
  }
  return { findings, causes: causesOf(findings, context.fabric), missing: missing.files(), held }
}

/** One entry for each missing file, whatever the rules that it would decide. */
class Missing {
  readonly #fabric: Fabric
  readonly #files = new Map<string, { device: string; ports: Set<string>; form: string; rules: Set<string> }>()

  constructor(fabric: Fabric) {
    this.#fabric = fabric
  }

  add({ device, port, field, rule }: Saying['missing'][number]): void {
    const form = formFor(this.#fabric.devices.get(device), false, field)
    const key = JSON.stringify([device, form])
    let file = this.#files.get(key)
    if (file === undefined)
      this.#files.set(key, (file = { device, ports: new Set(), form, rules: new Set() }))
    file.ports.add(port)
    file.rules.add(rule)
  }

  files(): MissingFile[] {
    return [...this.#files.values()].map(({ ports, rules, ...file }) => ({
      ...file,
      ports: [...ports],
      rules: [...rules],
    }))
  }
}
