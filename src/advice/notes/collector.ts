/**
 * Collector: keeps of all findings those that say something new. A finding on a device is left out where the same holds
 * everywhere; and of one subject a note is made once, for the first time that it holds.
 */
import { type Finding, type Note, NOTE_IDS, type NoteId, type NoteSubject, locationText } from './note.ts'

/** Notes of one kind on devices that are shown; more are counted. */
const SHOWN = 3

export class Collector {
  readonly #found = new Map<NoteId, Finding[]>()
  /** Subjects that have a note, without the time. */
  readonly #subjects = new Set<string>()
  /** Subjects of notes without a device, with the values. */
  readonly #everywhere = new Set<string>()

  add(findings: readonly Finding[], where: NoteSubject = {}): void {
    for (const finding of findings) {
      const subject = { ...where, ...finding.subject }
      const { device, port, workload, trafficClass, path } = subject
      const about = [finding.id, workload, trafficClass, path].join('\n')
      const key = [about, device, port].join('\n')
      const withValues = `${about}\n${JSON.stringify(finding.values)}`
      if (this.#subjects.has(key) || (device !== undefined && this.#everywhere.has(withValues))) continue
      this.#subjects.add(key)
      if (device === undefined) this.#everywhere.add(withValues)
      const known = this.#found.get(finding.id)
      if (known === undefined) this.#found.set(finding.id, [{ ...finding, subject }])
      else known.push({ ...finding, subject })
    }
  }

  /** In the order of NOTE_IDS. */
  notes(): Note[] {
    return NOTE_IDS.flatMap((id) => {
      const found = this.#found.get(id) ?? []
      const general = found.filter(({ subject }) => subject.device === undefined)
      const ofDevices = found.filter(({ subject }) => subject.device !== undefined)
      const rest = Math.max(0, ofDevices.length - SHOWN)
      return [
        ...general.map((each) => noteOf(each, 0)),
        ...ofDevices.slice(0, SHOWN).map((each, i) => noteOf(each, i === SHOWN - 1 ? rest : 0)),
      ]
    })
  }
}

/** Findings as notes, each said once. */
export function notesOf(findings: readonly Finding[]): Note[] {
  const collector = new Collector()
  collector.add(findings)
  return collector.notes()
}

function noteOf({ text, ...finding }: Finding, others: number): Note {
  const more = others === 0 ? '' : ` (${others} more like this)`
  return { ...finding, others, text: `${locationText(finding.subject)}${text}${more}` }
}
