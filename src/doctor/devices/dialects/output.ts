/**
 * Output: the output of a tool, read line by line. A row has the form of a line, and the fields that the groups of the form
 * go to, in their order, or a function for lines that say more. The first row that fits a line has it.
 */
import type { NicSettings, Plain, PortSettings } from '../../../core/device-model/index.ts'
import type { Dialect } from './dialect.ts'
import type { FieldOf, Facts, Known, PortFacts } from './facts.ts'
import type { Line, Part } from './text.ts'

export type PortField = FieldOf<PortSettings> | `nic.${FieldOf<NicSettings>}`
/** A value from a text; undefined: it cannot be read, so that the field is unknown. */
type Read = (text: string) => Plain | undefined
type Fields = { readonly [F in PortField]?: Read }
/** Groups that do not take part are ''. */
type Action = (...groups: string[]) => void

/** An output so far. */
export class Output {
  readonly facts: Facts
  readonly part: Part
  line: Line
  known: Known = 'operational'
  /** Port of the line; undefined: none has been named yet. */
  name: string | undefined
  /** Lines that are still to come before the output is whole. */
  missing = 0
  /** Done behind the last line. */
  end: () => void = () => {}
  readonly #heads: (readonly [form: RegExp, to: Action])[] = []
  readonly #rows: (readonly [form: RegExp, to: Fields | Action])[] = []

  constructor(part: Part, facts: Facts) {
    this.part = part
    this.facts = facts
    this.line = part.lines[0]!
  }

  /** Adds a row of lines with which a port begins or ends. */
  head(form: RegExp, to: Action): void {
    this.#heads.push([form, to])
  }

  /** Adds a row of lines below those. */
  on(form: RegExp, to: Fields | Action = {}): void {
    this.#rows.push([form, to])
  }

  get port(): PortFacts {
    return this.facts.port(this.name ?? '')
  }

  /** The lines that follow are of a port. @param missing how many of them make it whole */
  begin(name: string, missing = 0): void {
    this.name = name
    this.missing = missing
  }

  /** @param value undefined: it cannot be read */
  put(field: PortField, value: Plain | undefined): void {
    this.port.noteAny(field, value, this.line, this.known)
  }

  /** The line has something that is not understood. */
  leave(): void {
    this.facts.remainder.push(this.line)
  }

  /** The output ends before its form does. */
  cut(expected: string): void {
    this.facts.cut(this.part.lines.at(-1)!, expected)
  }

  /** @returns whether a row fits */
  read(line: Line): boolean {
    this.line = line
    const text = line.text.trimEnd()
    for (const [form, to] of this.name === undefined ? this.#heads : [...this.#heads, ...this.#rows]) {
      const groups = form.exec(text)?.slice(1)
      if (groups === undefined) continue
      if (typeof to === 'function') to(...groups.map((group: string | undefined) => group ?? ''))
      else {
        const { port, known } = this
        for (const [i, [field, read]] of Object.entries(to).entries())
          port.noteAny(field, read(groups[i]!), line, known)
      }
      return true
    }
    return false
  }
}

interface OutputForm extends Omit<Dialect, 'read'> {
  /** Adds the rows, the more special first. */
  readonly rows: (at: Output) => void
  /** Lines without which a port is not whole, and words for them. */
  readonly last?: readonly [form: RegExp, expected: string]
  /** Whether lines of no row are a remainder. */
  readonly leavesNone?: boolean
}

/** A form of hosts. */
export function hostOutput({ rows, last, leavesNone = false, ...form }: OutputForm): Dialect {
  return {
    ...form,
    read(part, facts) {
      facts.kind = 'host'
      const at = new Output(part, facts)
      rows(at)
      for (const line of part.lines) {
        if (at.name !== undefined && last?.[0].test(line.text.trimEnd()) === true) at.missing--
        if (!at.read(line) && leavesNone && line.text.trim() !== '') at.leave()
      }
      at.end()
      if (last !== undefined && at.missing > 0) at.cut(last[1])
    },
  }
}

/** The text before the first colon, and the text behind it. */
export const KEY_AND_VALUE = /^([^:]*):(.*)$/

export const is =
  (word: string): Read =>
  (text) =>
    text === word

/** Bits per second of "100000" Mb/s. */
export const megabits: Read = (text) => Number(text) * 1e6
