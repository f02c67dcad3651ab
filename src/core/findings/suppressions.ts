/**
 * Suppressions: findings that a user knows and accepts, each with a reason and perhaps an end.
 */
import type { Issue } from '../base/issue.ts'
import { type Finding, foundAt, type Spot, type Subject } from './finding.ts'
import { suppressionExpired, suppressionUnused } from './kinds/suppressions.ts'

/** Keys that narrow a suppression down: it fits findings that have the same value there. */
const NARROWING = ['device', 'port', 'interface', 'trafficClass', 'workload', 'path'] as const

export interface Suppression extends Pick<Subject, (typeof NARROWING)[number]> {
  readonly id: string
  readonly reason: string
  /** Last day on which it holds: "2027-01-31". */
  readonly until?: string
}

export interface Suppressed {
  readonly finding: Finding
  readonly reason: string
}

/** Rules that could not be judged at a device. */
export interface Undecided {
  readonly device: string
  /** In capital letters. */
  readonly rules: readonly string[]
}

/** A rule that need not be judged at a device. */
export interface Waived {
  readonly rule: string
  readonly device: string
  readonly reason: string
}

/**
 * Findings and rules without a judgement that are left, and those that are suppressed: who accepts all that a rule may find
 * at a device accepts that it finds nothing out there. A suppression that fits nothing, or has ended, is a finding.
 */
export function suppress<U extends Undecided = never>(
  findings: readonly Finding[],
  suppressions: readonly Suppression[],
  today: string,
  undecided: readonly U[] = [],
): {
  readonly left: readonly Finding[]
  readonly suppressed: readonly Suppressed[]
  readonly undecided: readonly U[]
  readonly waived: readonly Waived[]
} {
  const isOver = ({ until }: Suppression): boolean => until !== undefined && until < today
  const inForce = suppressions.filter((each) => !isOver(each))
  const used = new Set<Suppression>()
  const suppressionOf = (id: string, subject: Subject): Suppression | undefined => {
    const found = inForce.find((each) => each.id === id && fits(each, subject))
    if (found !== undefined) used.add(found)
    return found
  }
  const left: Finding[] = []
  const suppressed: Suppressed[] = []
  for (const finding of findings) {
    const open: Spot[] = []
    const closed = new Map<Suppression, Spot[]>()
    for (const spot of [finding, ...finding.also]) {
      const by = suppressionOf(finding.id, spot.subject)
      if (by === undefined) open.push(spot)
      else closed.set(by, [...(closed.get(by) ?? []), spot])
    }
    if (open.length > 0) left.push(at(finding, open))
    for (const [{ reason }, spots] of closed) suppressed.push({ finding: at(finding, spots), reason })
  }
  const waived: Waived[] = []
  const open = undecided.flatMap((each): U[] => {
    const { device } = each
    const rules = each.rules.filter((rule) => {
      const by = suppressionOf(rule.toLowerCase(), { device })
      if (by !== undefined) waived.push({ rule, device, reason: by.reason })
      return by === undefined
    })
    return rules.length === 0 ? [] : [{ ...each, rules }]
  })
  const unused = inForce.filter((each) => !used.has(each))
  return {
    left: [
      ...left,
      ...unused.map(({ id, reason }) => foundAt(suppressionUnused, {}, { suppressed: id, reason })),
      ...suppressions
        .filter(isOver)
        .map(({ id, reason, until }) => foundAt(suppressionExpired, {}, { suppressed: id, reason, until: until! })),
    ],
    suppressed,
    undecided: open,
    waived,
  }
}

function fits(suppression: Suppression, subject: Subject): boolean {
  return NARROWING.every((key) => suppression[key] === undefined || suppression[key] === subject[key])
}

function at(finding: Finding, [first, ...also]: readonly Spot[]): Finding {
  return {
    ...finding,
    subject: first!.subject,
    values: first!.values,
    also: also.map(({ subject, values }) => ({ subject, values })),
  }
}

const TEXTS = ['id', 'device', 'port', 'interface', 'workload', 'path', 'reason', 'until'] as const
const DAY = /^\d{4}-(?:0[1-9]|1[0-2])-(?:0[1-9]|[12]\d|3[01])$/

/**
 * The suppressions of a list of maps, as YAML or JSON give it, or every mistake in it. Ids of rules are printed in capital
 * letters, and may be written so. @param ids of findings that there are, by all ids that they have or had
 */
export function readSuppressions(
  value: unknown,
  ids: ReadonlyMap<string, string>,
): {
  readonly list: readonly Suppression[]
  readonly issues: readonly Issue[]
} {
  const issues: Issue[] = []
  const wrong = (path: string, expected: string, found: unknown, hint = ''): void => {
    const received = found === undefined ? 'nothing' : (JSON.stringify(found) ?? 'nothing').slice(0, 60)
    issues.push({ path, expected, received, hint })
  }
  if (!Array.isArray(value)) {
    wrong('', 'a list of suppressions', value, 'such as - {id: pauses-expire, reason: "as measured"}')
    return { list: [], issues }
  }
  value.forEach((entry: unknown, i) => {
    if (typeof entry !== 'object' || entry === null || Array.isArray(entry)) {
      wrong(`${i}`, 'a map with id and reason', entry)
      return
    }
    const given = entry as Readonly<Record<string, unknown>>
    for (const [key, one] of Object.entries(given)) {
      if (key === 'trafficClass') {
        if (!Number.isInteger(one) || Number(one) < 0 || Number(one) > 7)
          wrong(`${i}.${key}`, 'a class from 0 to 7', one)
      } else if (!TEXTS.some((name) => name === key)) {
        wrong(`${i}.${key}`, `one of ${[...TEXTS, 'trafficClass'].join(', ')}`, key)
      } else if (typeof one !== 'string' || one.trim() === '') wrong(`${i}.${key}`, 'a text', one)
      else if (key === 'id' && !ids.has(one.toLowerCase()))
        wrong(`${i}.id`, 'the id of a finding', one, 'rocelab list findings')
      else if (key === 'until' && !DAY.test(one)) wrong(`${i}.until`, 'a day such as 2027-01-31', one)
    }
    for (const key of ['id', 'reason'] as const)
      if (given[key] === undefined)
        wrong(`${i}.${key}`, key === 'id' ? 'the id of a finding' : 'why it is accepted', undefined)
  })
  const list = issues.length === 0 ? (value as readonly Suppression[]) : []
  return { list: list.map((each) => ({ ...each, id: ids.get(each.id.toLowerCase())! })), issues }
}
