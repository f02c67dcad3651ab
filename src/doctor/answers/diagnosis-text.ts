/**
 * A diagnosis for a terminal and for programs: findings from the worst on, those that follow from others under them, and
 * the files that would tell more.
 */
import { exactCount } from '../../core/base/format.ts'
import {
  counted,
  type Finding,
  findingJson,
  findingText,
  SEVERITIES,
  type Severity,
  type Suppressed,
  type Waived,
} from '../../core/findings/index.ts'
import { type Diagnosis, type Fabric, isUnread, LINK_SOURCES, type LinkSource, type MissingFile } from '../index.ts'
import { type TextOptions, textTable } from '../../show/index.ts'
import { type Collected, notReadIn, notReadRows, strangersOf, wholeFilesOf } from './not-read.ts'

export interface ShownDiagnosis extends Diagnosis, Collected {
  /** By finding, the one that it follows from. */
  readonly causes: ReadonlyMap<Finding, Finding>
  /** Findings, and rules without a judgement, that are accepted. */
  readonly suppressed: readonly Suppressed[]
  readonly waived: readonly Waived[]
}

/** Names that are written out. */
const NAMES_SHOWN = 4

function namesText(names: readonly string[]): string {
  const shown = names.slice(0, NAMES_SHOWN).join(', ')
  return names.length > NAMES_SHOWN ? `${shown} and ${exactCount(names.length - NAMES_SHOWN)} more` : shown
}

export function diagnosisText(shown: ShownDiagnosis, options: TextOptions): string {
  const { findings, causes, missing, held, fabric, suppressed, waived } = shown
  const effects = new Map<Finding, Finding[]>()
  for (const [effect, cause] of causes) effects.set(cause, [...(effects.get(cause) ?? []), effect])
  const rank = ({ severity }: Finding): number => -SEVERITIES.indexOf(severity)
  const roots = findings.filter((finding) => !causes.has(finding)).toSorted((a, b) => rank(a) - rank(b))
  const rows: string[][] = [['fabric', fabricText(fabric)], ...linkRows(fabric)]
  const add = (finding: Finding, depth: number): void => {
    rows.push([
      depth === 0 ? finding.severity : '',
      `${'  '.repeat(depth)}${depth === 0 ? '' : 'so '}${findingText(finding)}`,
    ])
    for (const effect of effects.get(finding) ?? []) add(effect, depth + 1)
  }
  for (const root of roots) add(root, 0)
  rows.push(['holds', heldText(held)])
  for (const each of byForm(missing)) rows.push(['cannot tell', undecidedText(each)])
  if (suppressed.length > 0) rows.push(['suppressed', suppressed.map(({ finding: { id } }) => id).join(', ')])
  if (waived.length > 0) rows.push(['suppressed', `cannot tell ${waivedText(waived)}`])
  rows.push(...notReadRows(shown))
  return textTable([{ head: '' }, { head: '' }], rows, options)
}

/** "26 rules at 61 places" */
export function heldText(held: Diagnosis['held']): string {
  const spots = Object.values(held).reduce((sum, count) => sum + count, 0)
  const rules = Object.values(held).filter((count) => count > 0).length
  return `${counted(rules, 'rule')} at ${counted(spots, 'place')}`
}

/** Said in place of findings: no all-clear where rules could not be asked. */
export function noFindingText({ held, missing }: Pick<Diagnosis, 'held' | 'missing'>): string {
  if (Object.values(held).every((count) => count === 0)) return 'Nothing was judged: see below which files would tell.'
  return missing.length === 0
    ? 'Nothing is wrong, as far as the files tell.'
    : 'No mistake was found in what could be judged. Not all could: see below which files would tell.'
}

/** "BUF11 of leaf1, leaf2" */
export function waivedText(waived: readonly Waived[]): string {
  const [rules, devices] = (['rule', 'device'] as const).map((key) => [...new Set(waived.map((each) => each[key]))])
  return `${rules!.join(', ')} of ${namesText(devices!)}`
}

/** A form that is missing of several devices. */
export interface MissingForm extends Omit<MissingFile, 'device' | 'ports'> {
  readonly devices: readonly string[]
  readonly ports?: readonly string[]
}

/**
 * One entry for each form, for readers who want to know what to collect; where there is none, for the same rules.
 * @param keyOf what has one entry
 */
export function byForm(
  missing: readonly MissingFile[],
  keyOf: (file: MissingFile) => string = ({ form, rules }) => form || rules.join(),
): MissingForm[] {
  const groups = new Map<string, MissingFile[]>()
  for (const each of missing) {
    const key = keyOf(each)
    const group = groups.get(key)
    if (group === undefined) groups.set(key, [each])
    else group.push(each)
  }
  return [...groups.values()].map((all) => {
    const ports = all.flatMap((each) => each.ports)
    return {
      form: all[0]!.form,
      devices: all.map(({ device }) => device),
      rules: [...new Set(all.flatMap(({ rules }) => rules))].toSorted(),
      ...(ports.length > 0 ? { ports } : {}),
    }
  })
}

/** All rules of a device are undecided: more than anybody wants to read. */
const RULES_MOST = 40

/** "PFC01 without mlnx_qos -i IF of gpu1" */
export function undecidedText({ form, devices, rules, ports }: MissingForm): string {
  const names = namesText(ports ?? devices)
  const what = rules.length > RULES_MOST ? `any of ${rules.length} rules` : rules.join(', ')
  return form === ''
    ? `${what} of ${names}: no form that is read has it; --suppress FILE accepts that`
    : `${what} without ${form} of ${names}`
}

/** Sources of links in words; those of the list need none. */
export const SOURCE_TEXTS: Readonly<Record<LinkSource, string>> = {
  list: 'edges.csv',
  lldp: 'LLDP',
  table: 'tables of neighbours',
  address: 'addresses of one network of two',
  description: 'descriptions',
}

/** Where links are from, unless a list has all of them. */
function linkRows({ links }: Fabric): string[][] {
  const counts = LINK_SOURCES.map((source) => ({
    source,
    count: links.filter((link) => link.source === source).length,
  }))
  const used = counts.filter(({ count }) => count > 0)
  if (used.every(({ source }) => source === 'list')) return []
  return [['links', used.map(({ source, count }) => `${exactCount(count)} by ${SOURCE_TEXTS[source]}`).join(', ')]]
}

/** "2 hosts, 1 switch, 2 links, 9 files read" */
export function fabricText({ devices, links }: Fabric): string {
  const all = [...devices.values()].filter((device) => !isUnread(device))
  const unread = devices.size - all.length
  const hosts = all.filter(({ config }) => config.kind === 'host').length
  const files = new Set(all.flatMap(({ forms }) => forms.map(({ file }) => file))).size
  return [
    counted(hosts, 'host'),
    counted(all.length - hosts, 'switch'),
    ...(unread === 0 ? [] : [`${counted(unread, 'device')} of which nothing is read`]),
    counted(links.length, 'link'),
    `${counted(files, 'file')} read`,
  ].join(', ')
}

export function diagnosisJson(shown: ShownDiagnosis): object {
  const { findings, causes, missing, held, fabric, unreadable, skipped, suppressed, waived } = shown
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
      files: forms.map(({ file, dialect, truncated, remainder, isHalfRead }) => ({
        file,
        form: dialect.name,
        isWhole: truncated === null,
        isHalfRead,
        notUnderstood: remainder.map(({ number }) => number),
      })),
      unread: wholeFilesOf(unread, forms),
      strangers: strangersOf(unread),
    })),
    links: fabric.links.map(({ ends, cableM, source }) => ({
      ends: ends.map(({ device, port }) => ({ device, port })),
      source,
      ...(Number.isNaN(cableM) ? {} : { cableM }),
    })),
    counts: severities,
    findings: findings.map((finding) => {
      const cause = causes.get(finding)
      return { ...findingJson(finding), ...(cause === undefined ? {} : { because: findings.indexOf(cause) }) }
    }),
    suppressed: suppressed.map(({ finding, reason }) => ({ ...findingJson(finding), reason })),
    // All rules of an entry are undecided at each of its devices.
    missing: byForm(missing, ({ form, rules }) => JSON.stringify([form, rules])),
    waived,
    held,
    unreadable: unreadable.map(({ file }) => file),
    skipped,
    notRead: notReadIn(shown),
  }
}
