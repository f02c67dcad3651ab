/**
 * Gathering: of all that was found keeps what says something new, and makes one finding of the same mistake at many places.
 */
import { FINDING_KINDS } from './catalogue.ts'
import type { Finding, Spot, Subject } from './finding.ts'

/** Collects findings in the order of time, and gives each once. */
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
      const group = JSON.stringify([about, device === undefined, finding.follows])
      const known = this.#found.get(group)
      if (known === undefined) this.#found.set(group, [{ ...finding, subject }])
      else known.push({ ...finding, subject })
    }
  }

  /** In the order of the catalogue; what holds everywhere before what holds at places, and last what follows from others. */
  findings(): Finding[] {
    const rankOf = ([first]: readonly Finding[]): number => {
      const rank = FINDING_KINDS.indexOf(first!.kind)
      return rank < 0 ? FINDING_KINDS.length : rank
    }
    const isOfOthers = ([first]: readonly Finding[]): number => (first!.follows === undefined ? 0 : 1)
    const isOfDevices = ([first]: readonly Finding[]): number => (first!.subject.device === undefined ? 0 : 1)
    return [...this.#found.values()]
      .toSorted((a, b) => isOfOthers(a) - isOfOthers(b) || rankOf(a) - rankOf(b) || isOfDevices(a) - isOfDevices(b))
      .map(joined)
  }
}

/** Findings, each once, and one for all places of a mistake. */
export function gathered(findings: readonly Finding[]): Finding[] {
  const gathering = new Gathering()
  gathering.add(findings)
  return gathering.findings()
}

/** A key that findings of one mistake share. */
function keyOf(id: string, { workload, trafficClass, path }: Subject): string {
  return JSON.stringify([id, workload, trafficClass, path])
}

/** One finding of all, at the worst place, with the others listed from the worst on. */
function joined(findings: readonly Finding[]): Finding {
  const { kind } = findings[0]!
  const weightOf = ({ values }: Spot): number => kind.weight?.(values) ?? 0
  const [worst, ...rest] = findings.toSorted((a, b) => weightOf(b) - weightOf(a))
  return { ...worst!, also: rest.map(({ subject, values }): Spot => ({ subject, values })) }
}
