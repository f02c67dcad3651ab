/**
 * Gathering: of all that was found keeps what says something new, and makes one finding of the same mistake at many places.
 */
import { kindOf, FINDING_KINDS } from './catalogue.ts'
import type { Finding, Place, Subject } from './finding.ts'

/** What was found, in the order of time; gives the findings of it once each. */
export class Gathering {
  readonly #found = new Map<string, Finding[]>()
  /** Subjects that have a finding, without the time. */
  readonly #subjects = new Set<string>()
  /** Subjects without a device, with their values. */
  readonly #everywhere = new Set<string>()

  /** @param where subject of all of them, beside their own */
  add(findings: readonly Finding[], where: Subject = {}): void {
    for (const finding of findings) {
      const subject = { ...where, ...finding.subject }
      const { device, port } = subject
      const about = keyOf(finding.id, subject)
      const key = JSON.stringify([about, device, port])
      const withValues = JSON.stringify([about, finding.values])
      // A device is left out where the same holds everywhere; and of a subject the first time counts.
      if (this.#subjects.has(key) || (device !== undefined && this.#everywhere.has(withValues))) continue
      this.#subjects.add(key)
      if (device === undefined) this.#everywhere.add(withValues)
      const group = JSON.stringify([about, device === undefined])
      const known = this.#found.get(group)
      if (known === undefined) this.#found.set(group, [{ ...finding, subject }])
      else known.push({ ...finding, subject })
    }
  }

  /** In the order of the catalogue; what holds everywhere before what holds at places. */
  findings(): Finding[] {
    const groups = [...this.#found.values()]
    return FINDING_KINDS.flatMap(({ id }) => {
      const own = groups.filter(([first]) => first!.id === id)
      const isGeneral = (group: readonly Finding[]): boolean => group[0]!.subject.device === undefined
      return [...own.filter(isGeneral), ...own.filter((group) => !isGeneral(group))].map(joined)
    })
  }
}

/** Findings, each once, and one for all places of a mistake. */
export function gathered(findings: readonly Finding[]): Finding[] {
  const gathering = new Gathering()
  gathering.add(findings)
  return gathering.findings()
}

/** What findings of one mistake share. */
function keyOf(id: string, { workload, trafficClass, path }: Subject): string {
  return JSON.stringify([id, workload, trafficClass, path])
}

/** One finding of all, at the worst place, with the others listed from the worst on. */
function joined(findings: readonly Finding[]): Finding {
  const { weight } = kindOf(findings[0]!.id)
  const sorted = weight === undefined ? findings : findings.toSorted((a, b) => weight(b.values) - weight(a.values))
  const [worst, ...rest] = sorted
  return { ...worst!, also: rest.map(({ subject, values }): Place => ({ subject, values })) }
}
