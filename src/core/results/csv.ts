/**
 * CSV after RFC 4180, with bare line feeds: comma, double quotes, first record the column names.
 * Deviates: the standard ends lines in CR LF; every reader takes LF, and `awk` takes a CR as part of the last field.
 * Numbers are written in their shortest exact form and absent ones (NaN) as an empty field. A text is quoted where
 * the standard asks for it, and where it would otherwise be read as a number: read back, a table keeps its column
 * types, save that a number column without any fraction comes back as integer unless `types` says otherwise.
 * A spreadsheet takes a cell that begins with =, +, -, @, a tab or a carriage return for a formula and runs it, and tags and
 * names are chosen by whoever wrote the scenario. Such a text is written behind an apostrophe, which makes it text there; so
 * is one that begins with apostrophes before such a sign, so that reading takes away one apostrophe and gives every text back.
 */
import { InputError, type Issue } from '../base/issue.ts'
import { joined } from './file-parts.ts'
import { type Column, type ColumnType, createTable, rowsBetween, type Table } from './table.ts'

/** The table as CSV text; its name is not in it. */
export function writeCsv(table: Table): string {
  return new TextDecoder().decode(joined(csvParts(table)))
}

/** Rows that are written at once. */
const PART_ROWS = 4096

/**
 * The same as UTF-8, part by part: a table of a million rows is some hundred million characters. A part is valid until the
 * next one is asked for.
 */
export function* csvParts(table: Table): Generator<Uint8Array> {
  const out = new CsvBytes()
  const names = table.columns.map(({ name }) => new TextEncoder().encode(quoteText(name, false)))
  names.forEach((name, i) => out.bytes(name, i === 0 ? LINE_START : COMMA))
  for (let from = 0; from < table.rowCount; from += PART_ROWS) {
    const part = rowsBetween(table, from, Math.min(table.rowCount, from + PART_ROWS))
    const columns = part.columns.map(({ type, data }) => ({ texts: type === 'text' ? new LastText(data) : null, data }))
    for (let row = 0; row < part.rowCount; row++) {
      for (let c = 0; c < columns.length; c++) {
        const { texts, data } = columns[c]!
        const before = c === 0 ? LF : COMMA
        if (texts === null) out.number(data[row] as number, before)
        else out.bytes(texts.field(row), before)
      }
    }
    yield out.take()
  }
  out.end()
  yield out.take()
}

const LINE_START = 0
const LF = 10
const COMMA = 44
const DIGIT_0 = 48
/** Characters of the longest number: a sign, 17 digits, a point, an exponent; zeros in front below 10^-6. */
const NUMBER_BYTES = 32

/** Fields one behind another; what stands before a field is given with it. */
class CsvBytes {
  #bytes = new Uint8Array(1 << 16)
  #length = 0

  bytes(field: Uint8Array, before: number): void {
    this.#begin(field.length, before)
    this.#bytes.set(field, this.#length)
    this.#length += field.length
  }

  number(value: number, before: number): void {
    this.#begin(NUMBER_BYTES, before)
    if (Number.isNaN(value)) return
    // Nearly all are whole: so each digit costs a few steps and no text.
    if (value >= 0 && value <= Number.MAX_SAFE_INTEGER && Math.floor(value) === value && !Object.is(value, -0)) {
      this.#whole(value)
      return
    }
    const text = Object.is(value, -0) ? '-0' : String(value)
    for (let i = 0; i < text.length; i++) this.#bytes[this.#length++] = text.charCodeAt(i)
  }

  end(): void {
    this.#begin(0, LF)
  }

  /** Text written since the last call. */
  take(): Uint8Array {
    const taken = this.#bytes.subarray(0, this.#length)
    this.#length = 0
    return taken
  }

  #whole(value: number): void {
    const bytes = this.#bytes
    let digits = 1
    for (let bound = 10; bound <= value; bound *= 10) digits++
    let at = this.#length + digits
    this.#length = at
    let rest = value
    while (rest > 0x7fffffff) {
      const tenth = Math.floor(rest / 10)
      bytes[--at] = DIGIT_0 + (rest - tenth * 10)
      rest = tenth
    }
    let small = rest | 0
    do {
      const tenth = (small / 10) | 0
      bytes[--at] = DIGIT_0 + (small - tenth * 10)
      small = tenth
    } while (small > 0)
  }

  #begin(length: number, before: number): void {
    if (this.#length + length + 1 > this.#bytes.length) {
      const wider = new Uint8Array(2 * this.#length + length + 1)
      wider.set(this.#bytes)
      this.#bytes = wider
    }
    if (before !== LINE_START) this.#bytes[this.#length++] = before
  }
}

/** The texts of a column as fields. Texts repeat from row to row: the last is kept. */
class LastText {
  readonly #texts: ArrayLike<unknown>
  #last: unknown
  #field = new Uint8Array(0)

  constructor(texts: ArrayLike<unknown>) {
    this.#texts = texts
  }

  field(row: number): Uint8Array {
    const text = this.#texts[row]
    if (text !== this.#last) {
      this.#last = text
      this.#field = new TextEncoder().encode(quoteText(text as string, true))
    }
    return this.#field
  }
}

export interface CsvOptions {
  /** Types by column name; a column not named gets the narrowest type that fits its fields. */
  readonly types?: Readonly<Record<string, ColumnType>>
}

/** The table in a CSV text, with LF or CR LF at the ends of lines. Throws InputError with the line of each mistake. */
export function readCsv(name: string, text: string, options: CsvOptions = {}): Table {
  const [header, ...records] = csvRecords(text)
  if (header === undefined) throw fault(1, 'a line of column names', 'nothing')
  const width = header.fields.length
  const twice = header.fields.find(({ text: title }, c) => header.fields.findIndex((one) => one.text === title) !== c)
  if (twice !== undefined) throw fault(1, 'each column once', `${JSON.stringify(twice.text)} again`)
  // A line without a field is a row only where a row may be one absent number.
  const rows = width === 1 ? records : records.filter(({ fields }) => fields.length > 1 || fields[0]?.text !== '')
  const issues: Issue[] = []
  for (const { line, fields } of rows) {
    if (fields.length !== width) issues.push(issueAt(line, `${width} fields`, `${fields.length}`))
  }
  if (issues.length > 0) throw new InputError(issues)
  const columns = header.fields.map(({ text: title }, c): Column => {
    const head = unguarded(title)
    const fields = rows.map((row) => row.fields[c] as Field)
    const type = options.types?.[head] ?? narrowestType(fields)
    if (type === 'text') return { name: head, type, data: fields.map((field) => unguarded(field.text)) }
    const data = new Float64Array(fields.length)
    for (let row = 0; row < fields.length; row++) {
      const field = fields[row] as Field
      if (!isNumber(field) || (type === 'integer' && !isInteger(field))) {
        issues.push(issueAt(rows[row]?.line ?? 0, `${type} in column ${head}`, JSON.stringify(field.text)))
      }
      data[row] = field.text === '' ? NaN : Number(field.text)
    }
    return { name: head, type, data }
  })
  if (issues.length > 0) throw new InputError(issues)
  return createTable(name, columns)
}

interface Field {
  readonly text: string
  readonly isQuoted: boolean
}

export interface CsvRecord {
  /** In which it begins, from 1. */
  readonly line: number
  readonly fields: readonly Field[]
}

const NUMBER = /^-?(\d+\.?\d*([eE][+-]?\d+)?|Infinity)$/
const INTEGER = /^-?\d+$/

/**
 * Signs that formulas begin with, and quantities that compute nothing: "-5", "-31.5 to -27.1 %", "-2.17 points (-4 to -1)".
 */
const FORMULA = /^'*[=+\-@\t\r]/
const QUANTITY = /^'*-(?:[\d.,]+(?:e-?\d+)?(?: ?%)?(?: [A-Za-z][\w .,%-]*)?(?: \([\w .,%-]*\))?)?$/

const isFormula = (text: string): boolean => FORMULA.test(text) && !QUANTITY.test(text)
const guarded = (text: string): string => (isFormula(text) ? `'${text}` : text)
const unguarded = (text: string): string => (text.startsWith("'") && isFormula(text) ? text.slice(1) : text)

function quoteText(plain: string, mayBeNumber: boolean): string {
  const text = guarded(plain)
  const asNumber = mayBeNumber && (text === '' || NUMBER.test(text))
  return asNumber || /[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text
}

const isNumber = (field: Field): boolean => !field.isQuoted && (field.text === '' || NUMBER.test(field.text))
const isInteger = (field: Field): boolean =>
  !field.isQuoted && INTEGER.test(field.text) && Number.isSafeInteger(Number(field.text))

function narrowestType(fields: readonly Field[]): ColumnType {
  if (fields.length > 0 && fields.every(isInteger)) return 'integer'
  return fields.every(isNumber) ? 'number' : 'text'
}

function issueAt(line: number, expected: string, received: string): Issue {
  return { path: '', line, column: 1, expected, received, hint: '' }
}

function fault(line: number, expected: string, received: string): InputError {
  return new InputError([issueAt(line, expected, received)])
}

/**
 * Every record with the line that it begins in. One pass; quotes may enclose commas, line ends and doubled quotes. Throws
 * InputError for a quote that is not closed.
 */
export function* csvRecords(text: string): Generator<CsvRecord> {
  let fields: Field[] = []
  let at = text.startsWith('\uFEFF') ? 1 : 0
  let line = 1
  let recordLine = 1
  while (at < text.length) {
    const isQuoted = text[at] === '"'
    let content = ''
    if (isQuoted) {
      const openedAt = line
      for (;;) {
        const close = text.indexOf('"', at + 1)
        if (close < 0) throw fault(openedAt, 'a closing quote', 'the end of the text')
        const piece = text.slice(at + 1, close)
        line += piece.split('\n').length - 1
        content += piece
        at = close + 1
        if (text[at] !== '"') break
        content += '"'
      }
    } else {
      const start = at
      while (at < text.length && text[at] !== ',' && text[at] !== '\n') at++
      const end = text[at] !== ',' && text[at - 1] === '\r' && at > start ? at - 1 : at
      content = text.slice(start, end)
    }
    if (isQuoted && text[at] === '\r' && text[at + 1] === '\n') at++
    fields.push({ text: content, isQuoted })
    if (text[at] === ',') {
      at++
      // A comma that ends the text has one more, empty, field behind it.
      if (at < text.length) continue
      fields.push({ text: '', isQuoted: false })
    } else if (at < text.length && text[at] !== '\n') {
      throw fault(line, 'a comma or a line end after a closing quote', JSON.stringify(text[at]))
    }
    yield { line: recordLine, fields }
    fields = []
    if (text[at] === '\n') line++
    at++
    recordLine = line
  }
}
