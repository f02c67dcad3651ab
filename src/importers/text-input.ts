/**
 * Reading text files of other tools: tokens with locations, numbers as C++ streams read them, and a log of what an import found.
 * Positions are 1-based. White space separates tokens; line ends matter only to formats of rows.
 */
import { assert } from '../core/base/assert.ts'
import type { Issue } from '../core/base/issue.ts'
import type { Finding } from '../core/findings/index.ts'
import { quote, StoppedImport, type ImportInput } from './importer.ts'

/** Issues shown for a file; further ones are only counted. */
const MOST_ISSUES = 30

/** Position in a file. */
export interface Location {
  readonly file: string
  readonly line: number
  readonly column: number
}

/** A word of a file. */
export interface Token extends Location {
  readonly text: string
}

/** Findings of an import, for the user, and its issues, which end it. */
export class ImportLog {
  /** By what is the same at all places of a finding. */
  readonly #found = new Map<string, Finding & { readonly also: Finding['also'][number][] }>()
  readonly #seen = new Set<string>()
  readonly #issues: Issue[] = []
  #more = 0

  get any(): boolean {
    return this.#issues.length > 0
  }

  get findings(): readonly Finding[] {
    return [...this.#found.values()]
  }

  /** Adds a finding. The same one in other lines of a file, or at other links, becomes a further place of the first. */
  note(finding: Finding): void {
    const { id, subject, values } = finding
    const key = JSON.stringify([id, subject.file, values])
    const keyWithSubject = JSON.stringify([key, subject])
    if (this.#seen.has(keyWithSubject)) return
    this.#seen.add(keyWithSubject)
    const known = this.#found.get(key)
    if (known === undefined) this.#found.set(key, { ...finding, also: [] })
    else known.also.push({ subject, values })
  }

  /** Adds an issue at a location, or about the input as a whole. */
  issue(at: Location | undefined, path: string, expected: string, received: string, hint = ''): void {
    if (this.#issues.length >= MOST_ISSUES) {
      this.#more++
      return
    }
    const location = at === undefined ? {} : { file: at.file, line: at.line, column: at.column }
    this.#issues.push({ path, ...location, expected, received, hint })
  }

  /** Adds all that another log has. */
  adopt(other: ImportLog): void {
    for (const finding of other.#found.values()) {
      this.note(finding)
      for (const further of finding.also) this.note({ ...finding, ...further })
    }
    const room = MOST_ISSUES - this.#issues.length
    this.#issues.push(...other.#issues.slice(0, room))
    this.#more += other.#more + Math.max(0, other.#issues.length - room)
  }

  /** Ends the import if there is an issue. */
  stopIfAny(): void {
    if (this.any) this.stop()
  }

  /** Ends the import, which has at least one issue. */
  stop(): never {
    assert(this.any, 'an import stops for an issue')
    const more: Issue[] =
      this.#more === 0
        ? []
        : [{ path: '', expected: 'no further issues', received: `${this.#more} more of them`, hint: '' }]
    throw new StoppedImport([...this.#issues, ...more], this.findings)
  }
}

/** Reads the tokens of a text one by one. */
export class TokenReader {
  readonly file: string
  readonly #text: string
  #at = 0
  #line = 1
  #lineStart = 0
  #peeked: Token | undefined

  constructor(file: string, text: string) {
    this.file = file
    this.#text = text
    if (text.charCodeAt(0) === 0xfeff) this.#at = this.#lineStart = 1
  }

  /** The next token without consuming it; undefined at the end. */
  peek(): Token | undefined {
    this.#peeked ??= this.#read()
    return this.#peeked
  }

  /** Consumes the next token; undefined at the end. */
  next(): Token | undefined {
    const token = this.peek()
    this.#peeked = undefined
    return token
  }

  /** Position just after the last token read. */
  get location(): Location {
    return { file: this.file, line: this.#line, column: this.#at - this.#lineStart + 1 }
  }

  #read(): Token | undefined {
    const text = this.#text
    while (this.#at < text.length && isSpace(text.charCodeAt(this.#at))) {
      if (text.charCodeAt(this.#at) === 10) {
        this.#line++
        this.#lineStart = this.#at + 1
      }
      this.#at++
    }
    if (this.#at === text.length) return undefined
    const from = this.#at
    while (this.#at < text.length && !isSpace(text.charCodeAt(this.#at))) this.#at++
    return { text: text.slice(from, this.#at), file: this.file, line: this.#line, column: from - this.#lineStart + 1 }
  }
}

function isSpace(code: number): boolean {
  return code === 32 || (code >= 9 && code <= 13)
}

/** White space as C++ streams skip it. */
const SPACE = /[\t-\r ]+/

/** A line split at white space, with at least one word. Tokens are made when they are asked for. */
export class Row {
  readonly file: string
  readonly line: number
  readonly words: readonly string[]
  readonly #raw: string
  /** Where its words begin, once somebody has asked. */
  #starts: readonly number[] | undefined

  constructor(file: string, line: number, raw: string, words: readonly string[]) {
    this.file = file
    this.line = line
    this.words = words
    this.#raw = raw
  }

  /** The word at an index; past the last one an empty token at the end of the line. */
  at(index: number): Token {
    this.#starts ??= Array.from(this.#raw.matchAll(/[^\t-\r ]+/g), (word) => word.index)
    const from = this.#starts[index] ?? this.#raw.length
    return { text: this.words[index] ?? '', file: this.file, line: this.line, column: from + 1 }
  }

  get tokens(): readonly Token[] {
    return this.words.map((_, index) => this.at(index))
  }

  /** The words, quoted for an issue. */
  get quoted(): string {
    return quote(this.words.join(' '))
  }
}

/** Reads the lines of a text that are not blank, one by one. */
export class RowReader {
  readonly file: string
  readonly #text: string
  #at = 0
  #line = 0
  #peeked: Row | undefined

  constructor(file: string, text: string) {
    this.file = file
    this.#text = text
  }

  /** The next row without consuming it; undefined at the end. */
  peek(): Row | undefined {
    this.#peeked ??= this.#read()
    return this.#peeked
  }

  /** Consumes the next row; undefined at the end. */
  next(): Row | undefined {
    const row = this.peek()
    this.#peeked = undefined
    return row
  }

  /** Beginning of the last line read. */
  get location(): Location {
    return { file: this.file, line: Math.max(1, this.#line), column: 1 }
  }

  #read(): Row | undefined {
    const text = this.#text
    while (this.#at < text.length) {
      const found = text.indexOf('\n', this.#at)
      const end = found === -1 ? text.length : found
      // A byte order mark is no word.
      const raw = text.slice(this.#at, end).replace(/^\uFEFF/, '')
      this.#at = end + 1
      this.#line++
      const words = raw.split(SPACE)
      if (words.at(-1) === '') words.pop()
      if (words[0] === '') words.shift()
      if (words.length > 0) return new Row(this.file, this.#line, raw, words)
    }
    return undefined
  }
}

/** The lines of a text that are not blank, split at white space. */
export function* rowsOf(file: string, text: string): Generator<Row> {
  const reader = new RowReader(file, text)
  for (let row = reader.next(); row !== undefined; row = reader.next()) yield row
}

/** Whether a row has as many words as its format; if not, adds an issue at the row. @param form its words by name */
export function hasForm(row: Row, form: readonly string[], log: ImportLog, hint = ''): boolean {
  if (row.words.length === form.length) return true
  const received = `${plural(row.words.length, 'word')}, ${row.quoted}`
  log.issue(row.at(0), 'row', `a row of ${plural(form.length, 'word')}, "${form.join(' ')}"`, received, hint)
  return false
}

const REAL = /^[+-]?(?:\d+(?:\.\d*)?|\.\d+)(?:[eE][+-]?\d+)?$/

/** A decimal number, possibly with an exponent; undefined if the text is not a number or overflows. */
export function parseReal(text: string): number | undefined {
  if (!REAL.test(text)) return undefined
  const value = Number(text)
  return Number.isFinite(value) ? value : undefined
}

/** A whole number of at least 0 in plain digits; undefined if the text is not one or exceeds 2^53. */
export function parseWhole(text: string): number | undefined {
  if (!/^\+?\d{1,20}$/.test(text)) return undefined
  const value = Number(text)
  return Number.isSafeInteger(value) ? value : undefined
}

/** A whole number within limits, or an issue and undefined. */
export function wholeAt(
  row: Row,
  index: number,
  log: ImportLog,
  field: string,
  min = 0,
  max = Number.MAX_SAFE_INTEGER,
): number | undefined {
  const value = parseWhole(row.words[index] ?? '')
  if (value !== undefined && value >= min && value <= max) return value
  const range = max === Number.MAX_SAFE_INTEGER ? `of at least ${min}` : `${min} to ${max}`
  return valueAt(row, index, log, field, `a whole number ${range}`, () => undefined)
}

/** A word as a value, or an issue and undefined. */
export function valueAt<T>(
  row: Row,
  index: number,
  log: ImportLog,
  field: string,
  expected: string,
  parse: (text: string) => T | undefined,
): T | undefined {
  const value = parse(row.words[index] ?? '')
  if (value === undefined) log.issue(row.at(index), field, expected, quote(row.words[index] ?? ''))
  return value
}

/** Reads a required file; if it does not exist, adds an issue and returns undefined. */
export function readRequired(
  input: ImportInput,
  path: string,
  log: ImportLog,
  expected: string,
  hint = '',
): string | undefined {
  const text = input.readFile(path)
  if (text === undefined) log.issue(undefined, path, expected, 'no such file', hint)
  return text
}

/** Reads the bytes of a required file; if it does not exist, adds an issue and returns undefined. */
export function readRequiredBytes(
  input: ImportInput,
  path: string,
  log: ImportLog,
  expected: string,
): Uint8Array | undefined {
  const text = input.readBytes === undefined ? input.readFile(path) : undefined
  const bytes = text === undefined ? input.readBytes?.(path) : new TextEncoder().encode(text)
  if (bytes === undefined) log.issue(undefined, path, expected, 'no such file')
  return bytes
}

/** Folder of a path with its last slash, empty for a bare name. Accepts both kinds of slash on every system. */
export function folderOf(path: string): string {
  return path.slice(0, Math.max(path.lastIndexOf('/'), path.lastIndexOf('\\')) + 1)
}

/** Last part of a path. */
export function baseNameOf(path: string): string {
  return path.slice(folderOf(path).length)
}

/** Resolves a path that is written in a file, relative to that file's folder. */
export function relativeTo(file: string, path: string): string {
  if (/^(?:[/\\]|[A-Za-z]:)/.test(path)) return path
  return folderOf(file) + path.replace(/^(?:\.\/)+/, '')
}

/** Scenario name from a path: letters, digits, dots, dashes. A file with a generic name takes the name of its folder. */
export function nameOf(path: string): string {
  const stem = baseNameOf(path).replace(/\.[^.]*$/, '')
  const folder = baseNameOf(folderOf(path).replace(/[/\\]+$/, ''))
  const plain = /^(?:config|topology|flow)/i.test(stem) && /[A-Za-z0-9]/.test(folder) ? folder : stem
  const name = plain.replace(/[^A-Za-z0-9._-]+/g, '-').replace(/^[-.]+|[-.]+$/g, '')
  return name === '' ? 'imported' : name
}

/** "1 row", "2 rows". */
export function plural(count: number, one: string, many = `${one}s`): string {
  return `${count} ${count === 1 ? one : many}`
}
