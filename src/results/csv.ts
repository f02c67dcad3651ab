/**
 * CSV after RFC 4180, with bare line feeds: comma, double quotes, first record the column names.
 * Deviates: the standard ends lines in CR LF; every reader takes LF, and `awk` takes a CR as part of the last field.
 * Numbers are written in their shortest exact form and absent ones (NaN) as an empty field. A text is quoted where
 * the standard asks for it, and where it would otherwise be read as a number: read back, a table keeps its column
 * types, save that a number column without any fraction comes back as integer unless `types` says otherwise.
 */
import { InputError, type Issue } from '../base/issue.ts'
import { type Column, type ColumnType, createTable, type Table } from './table.ts'

/** The table as CSV text; its name is not in it. */
export function writeCsv(table: Table): string {
  const lines = [table.columns.map((column) => quoteText(column.name, false)).join(',')]
  for (let row = 0; row < table.rowCount; row++)
    lines.push(table.columns.map((column) => fieldOf(column, row)).join(','))
  return `${lines.join('\n')}\n`
}

export interface CsvOptions {
  /** Types by column name; a column not named gets the narrowest type that fits its fields. */
  readonly types?: Readonly<Record<string, ColumnType>>
}

/** The table in a CSV text, with LF or CR LF at the ends of lines. Throws InputError with the line of each mistake. */
export function readCsv(name: string, text: string, options: CsvOptions = {}): Table {
  const [header, ...records] = recordsOf(text)
  if (header === undefined) throw fault(1, 'a line of column names', 'nothing')
  const width = header.fields.length
  // A line without a field is a row only where a row may be one absent number.
  const rows = width === 1 ? records : records.filter(({ fields }) => fields.length > 1 || fields[0]?.text !== '')
  const issues: Issue[] = []
  for (const { line, fields } of rows) {
    if (fields.length !== width) issues.push(issueAt(line, `${width} fields`, `${fields.length}`))
  }
  if (issues.length > 0) throw new InputError(issues)
  const columns = header.fields.map((head, c): Column => {
    const fields = rows.map((row) => row.fields[c] as Field)
    const type = options.types?.[head.text] ?? narrowestType(fields)
    if (type === 'text') return { name: head.text, type, data: fields.map((field) => field.text) }
    const data = new Float64Array(fields.length)
    for (let row = 0; row < fields.length; row++) {
      const field = fields[row] as Field
      if (!isNumber(field) || (type === 'integer' && !isInteger(field))) {
        issues.push(issueAt(rows[row]?.line ?? 0, `${type} in column ${head.text}`, JSON.stringify(field.text)))
      }
      data[row] = field.text === '' ? NaN : Number(field.text)
    }
    return { name: head.text, type, data }
  })
  if (issues.length > 0) throw new InputError(issues)
  return createTable(name, columns)
}

interface Field {
  readonly text: string
  readonly isQuoted: boolean
}

interface CsvRecord {
  readonly line: number
  readonly fields: readonly Field[]
}

const NUMBER = /^-?(\d+\.?\d*([eE][+-]?\d+)?|Infinity)$/
const INTEGER = /^-?\d+$/

function fieldOf(column: Column, row: number): string {
  if (column.type === 'text') return quoteText(column.data[row] as string, true)
  const value = column.data[row] as number
  if (Number.isNaN(value)) return ''
  return Object.is(value, -0) ? '-0' : String(value)
}

function quoteText(text: string, mayBeNumber: boolean): string {
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

/** Every record with the line that it begins in. One pass; quotes may enclose commas, line ends and doubled quotes. */
function recordsOf(text: string): CsvRecord[] {
  const records: CsvRecord[] = []
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
    records.push({ line: recordLine, fields })
    fields = []
    if (text[at] === '\n') line++
    at++
    recordLine = line
  }
  return records
}
