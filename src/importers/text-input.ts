/**
 * Reading foreign text files: tokens with their place, numbers as C++ readers take them, and a collection of what is
 * wrong. Positions are 1-based. White space separates, line ends mean nothing unless a format says so.
 */
import { assert } from '../base/assert.ts'
import { InputError, type Issue } from '../base/issue.ts'
import { quote, type ImportInput } from './importer.ts'

/** Enough to see what is wrong with a file; the rest is counted. */
const MOST_ISSUES = 30

/** Where something stands. */
export interface Location {
  readonly file: string
  readonly line: number
  readonly column: number
}

/** A word of a file. */
export interface Token extends Location {
  readonly text: string
}

/** Collects issues and notes of one import. */
export class Findings {
  readonly notes: string[] = []
  readonly #issues: Issue[] = []
  #more = 0

  get any(): boolean {
    return this.#issues.length > 0
  }

  note(text: string): void {
    if (!this.notes.includes(text)) this.notes.push(text)
  }

  /** An issue at a place, or of the input as a whole. */
  issue(at: Location | undefined, path: string, expected: string, received: string, hint = ''): void {
    if (this.#issues.length >= MOST_ISSUES) {
      this.#more++
      return
    }
    const location = at === undefined ? {} : { file: at.file, line: at.line, column: at.column }
    this.#issues.push({ path, ...location, expected, received, hint })
  }

  /** Takes over all that another collection has. */
  adopt(other: Findings): void {
    for (const text of other.notes) this.note(text)
    const room = MOST_ISSUES - this.#issues.length
    this.#issues.push(...other.#issues.slice(0, room))
    this.#more += other.#more + Math.max(0, other.#issues.length - room)
  }

  /** Ends the import if anything is wrong. */
  stopIfAny(): void {
    if (this.any) this.stop()
  }

  /** Ends the import; something is wrong. */
  stop(): never {
    assert(this.any, 'an import stops for an issue')
    const more: Issue[] =
      this.#more === 0
        ? []
        : [{ path: '', expected: 'no further issues', received: `${this.#more} more of them`, hint: '' }]
    throw new InputError([...this.#issues, ...more])
  }
}

/** The words of a text, one after the other. */
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

  /** The next word without taking it; undefined at the end. */
  peek(): Token | undefined {
    this.#peeked ??= this.#read()
    return this.#peeked
  }

  /** Takes the next word; undefined at the end. */
  next(): Token | undefined {
    const token = this.peek()
    this.#peeked = undefined
    return token
  }

  /** Place just behind the last word read. */
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

/** A line cut at white space. */
export interface Row {
  readonly line: number
  readonly tokens: readonly Token[]
}

/** The lines of a text that hold anything, cut at white space. */
export function rowsOf(file: string, text: string): Row[] {
  const rows: Token[][] = []
  const reader = new TokenReader(file, text)
  for (let token = reader.next(); token !== undefined; token = reader.next()) {
    const last = rows.at(-1)
    if (last?.[0]?.line === token.line) last.push(token)
    else rows.push([token])
  }
  return rows.map((tokens) => ({ line: tokens[0]?.line ?? 0, tokens }))
}

const REAL = /^[+-]?(?:\d+\.?\d*|\.\d+)(?:[eE][+-]?\d+)?$/

/** A decimal number, also with an exponent; undefined when the text is none or too large to hold. */
export function parseReal(text: string): number | undefined {
  if (!REAL.test(text)) return undefined
  const value = Number(text)
  return Number.isFinite(value) ? value : undefined
}

/** A whole number from 0 on, in plain digits; undefined when the text is none or passes 2^53. */
export function parseWhole(text: string): number | undefined {
  if (!/^\+?\d{1,20}$/.test(text)) return undefined
  const value = Number(text)
  return Number.isSafeInteger(value) ? value : undefined
}

/** Takes a whole number within limits, or raises an issue and gives undefined. */
export function takeWhole(
  reader: TokenReader,
  findings: Findings,
  what: string,
  min = 0,
  max = Number.MAX_SAFE_INTEGER,
): number | undefined {
  const token = reader.next()
  if (token === undefined) {
    findings.issue(reader.location, what, `a whole number (${what})`, 'the end of the file')
    return undefined
  }
  const value = parseWhole(token.text)
  if (value !== undefined && value >= min && value <= max) return value
  const range = max === Number.MAX_SAFE_INTEGER ? `from ${min} on` : `${min} to ${max}`
  findings.issue(token, what, `a whole number ${range}`, quote(token.text))
  return undefined
}

/** Reads a file that must be there; otherwise raises an issue and gives undefined. */
export function readRequired(
  input: ImportInput,
  path: string,
  findings: Findings,
  what: string,
  hint = '',
): string | undefined {
  const text = input.readFile(path)
  if (text === undefined) findings.issue(undefined, path, what, 'no such file', hint)
  return text
}

/** Folder of a path with its last slash, empty for a bare name. Both kinds of slash, as users of all systems type them. */
export function folderOf(path: string): string {
  return path.slice(0, Math.max(path.lastIndexOf('/'), path.lastIndexOf('\\')) + 1)
}

/** Last part of a path. */
export function baseNameOf(path: string): string {
  return path.slice(folderOf(path).length)
}

/** A path written in a file, seen from where that file lies. */
export function relativeTo(file: string, path: string): string {
  if (/^(?:[/\\]|[A-Za-z]:)/.test(path)) return path
  return folderOf(file) + path.replace(/^(?:\.\/)+/, '')
}

/** A scenario's name made of a path: letters, digits, dots, dashes. A file called like every other one gives its folder's name. */
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
