/**
 * A diagnosis for a terminal and for programs: findings from the worst on, those that follow from others under them, and
 * the files that would tell more.
 */
import { exactCount } from '../../base/format.ts'
import {
  counted,
  type Finding,
  findingJson,
  findingText,
  SEVERITIES,
  type Severity,
  type Suppressed,
} from '../../findings/index.ts'
import type { Diagnosis, Fabric } from '../../ops/index.ts'
import { type TextOptions, textTable } from '../../report/index.ts'

export interface ShownDiagnosis extends Diagnosis {
  readonly fabric: Fabric
  /** By finding, the one that it follows from. */
  readonly causes: ReadonlyMap<Finding, Finding>
  /** Files that are no texts. */
  readonly unreadable: readonly string[]
  /** Files that are not read at all, and why. */
  readonly skipped: readonly { readonly file: string; readonly why: string }[]
}

/** Names that are written out. */
const NAMES_SHOWN = 4

function namesText(names: readonly string[]): string {
  const shown = names.slice(0, NAMES_SHOWN).join(', ')
  return names.length > NAMES_SHOWN ? `${shown} and ${exactCount(names.length - NAMES_SHOWN)} more` : shown
}

export function diagnosisText(shown: ShownDiagnosis, options: TextOptions): string {
  const { findings, causes, missing, held, fabric, unreadable, skipped } = shown
  const effects = new Map<Finding, Finding[]>()
  for (const [effect, cause] of causes) effects.set(cause, [...(effects.get(cause) ?? []), effect])
  const rank = ({ severity }: Finding): number => -SEVERITIES.indexOf(severity)
  const roots = findings.filter((finding) => !causes.has(finding)).toSorted((a, b) => rank(a) - rank(b))
  const rows: string[][] = [['fabric', fabricText(fabric)]]
  const add = (finding: Finding, depth: number): void => {
    rows.push([
      depth === 0 ? finding.severity : '',
      `${'  '.repeat(depth)}${depth === 0 ? '' : 'so '}${findingText(finding)}`,
    ])
    for (const effect of effects.get(finding) ?? []) add(effect, depth + 1)
  }
  for (const root of roots) add(root, 0)
  const spots = Object.values(held).reduce((sum, count) => sum + count, 0)
  const rules = Object.values(held).filter((count) => count > 0).length
  rows.push(['holds', `${counted(rules, 'rule')} at ${counted(spots, 'place')}`])
  for (const { form, devices, rules: undecided } of missing)
    rows.push(['cannot tell', undecidedText(undecided.join(', '), form, namesText(devices))])
  const unknown = [...[...fabric.devices.values()].flatMap(({ unread }) => unread), ...unreadable]
  if (unknown.length > 0) rows.push(['not read', `${namesText(unknown)}: of no form that is known`])
  for (const why of new Set(skipped.map((each) => each.why)))
    rows.push(['skipped', `${namesText(skipped.filter((each) => each.why === why).map(({ file }) => file))}: ${why}`])
  return textTable([{ head: '' }, { head: '' }], rows, options)
}

const undecidedText = (rules: string, form: string, devices: string): string =>
  form === '' ? `${rules} of ${devices}: no file that is read decides it` : `${rules} without ${form} of ${devices}`

/** "2 hosts, 1 switch, 2 links, 9 files read" */
export function fabricText({ devices, links }: Fabric): string {
  const all = [...devices.values()]
  const hosts = all.filter(({ config }) => config.kind === 'host').length
  const files = new Set(all.flatMap(({ forms }) => forms.map(({ file }) => file))).size
  return [
    counted(hosts, 'host'),
    counted(all.length - hosts, 'switch'),
    counted(links.length, 'link'),
    `${counted(files, 'file')} read`,
  ].join(', ')
}

export function diagnosisJson(shown: ShownDiagnosis, suppressed: readonly Suppressed[]): object {
  const { findings, causes, missing, held, fabric, unreadable, skipped } = shown
  const severities = Object.fromEntries(
    SEVERITIES.map((severity): [Severity, number] => [
      severity,
      findings.filter((one) => one.severity === severity).length,
    ]),
  )
  return {
    devices: [...fabric.devices.values()].map(({ config, forms, unread, isComplete }) => ({
      device: config.device,
      kind: config.kind,
      role: config.role,
      language: config.language,
      isComplete,
      files: forms.map(({ file, dialect, truncated, remainder }) => ({
        file,
        form: dialect.name,
        isWhole: truncated === null,
        notUnderstood: remainder.map(({ number }) => number),
      })),
      unread,
    })),
    links: fabric.links.map(({ ends, cableM }) => ({
      ends: ends.map(({ device, port }) => ({ device, port })),
      ...(Number.isNaN(cableM) ? {} : { cableM }),
    })),
    counts: severities,
    findings: findings.map((finding) => {
      const cause = causes.get(finding)
      return { ...findingJson(finding), ...(cause === undefined ? {} : { because: findings.indexOf(cause) }) }
    }),
    suppressed: suppressed.map(({ finding, reason }) => ({ ...findingJson(finding), reason })),
    missing,
    held,
    unreadable,
    skipped,
  }
}
