/**
 * Rows: a CSV text as rows of named fields, each checked and reported by its line. Names of columns may be written as
 * `timeNs` or `time_ns`, in any order.
 */
import { InputError, type Issue } from '../../../core/base/issue.ts'
import { hasControls, shownName } from '../../../core/base/control-characters.ts'
import { type CsvRecord, csvRecords } from '../../../core/results/index.ts'

/** Messages about one file; the first mistakes of a file say what is wrong with it. */
const MISTAKES_MAX = 20
const ROWS_MAX = 2_000_000
const NAME_MAX = 200

/** The fields of one row. `expected` notes a mistake in one of them. */
export interface Row {
  readonly line: number
  /** '' for a field that is not there. */
  text(column: string): string
  mistake(column: string, expected: string, hint?: string): undefined
}

interface Columns {
  readonly required: readonly string[]
  readonly optional: readonly string[]
}

const plain = (title: string): string => title.trim().toLowerCase().replaceAll('_', '')

/** Reads rows one by one; undefined from `read`: the row has a mistake, which is noted. Throws InputError with all of them. */
export function readRows<T>(
  file: string,
  text: string,
  { required, optional }: Columns,
  read: (row: Row) => T | undefined,
): T[] {
  const records = recordsIn(file, text)
  const header = records.next().value
  const titles = header?.fields.map((field) => plain(field.text)) ?? []
  const issues: Issue[] = []
  const note = (line: number, path: string, expected: string, received: string, hint = ''): void => {
    issues.push({ path, file, line, expected, received, hint })
  }
  for (const name of required) if (!titles.includes(plain(name))) note(1, name, 'a column of this name', 'none')
  const known = new Set([...required, ...optional].map(plain))
  titles.forEach((title, i) => {
    if (!known.has(title))
      note(1, '', `the columns ${[...required, ...optional].join(', ')}`, JSON.stringify(shownName(title)))
    else if (titles.indexOf(title) < i) note(1, title, 'one column of this name', 'two')
  })
  if (issues.length > 0) throw new InputError(issues.slice(0, MISTAKES_MAX))
  const rows: T[] = []
  for (const { line, fields } of records) {
    if (fields.length === 1 && fields[0]!.text.trim() === '') continue
    if (issues.length >= MISTAKES_MAX) break
    if (fields.length !== titles.length) {
      note(line, '', `${titles.length} fields`, String(fields.length))
      continue
    }
    if (rows.length >= ROWS_MAX) {
      note(line, '', `at most ${ROWS_MAX} rows`, 'more', 'leave out what has not changed, or earlier readings')
      break
    }
    const fieldOf = (column: string): string => fields[titles.indexOf(plain(column))]?.text.trim() ?? ''
    const row = read({
      line,
      text: fieldOf,
      mistake(column, expected, hint = '') {
        note(line, column, expected, JSON.stringify(shownName(fieldOf(column))), hint)
        return undefined
      },
    })
    if (row !== undefined) rows.push(row)
  }
  if (issues.length > 0) throw new InputError(issues.slice(0, MISTAKES_MAX))
  return rows
}

/** A name of a device or port; undefined, with a mistake, for one that is too long, and for none where there has to be one. */
export function nameIn(row: Row, column: string, mayBeEmpty = false): string | undefined {
  const name = row.text(column)
  if (name === '' && !mayBeEmpty) return row.mistake(column, 'a name')
  if (hasControls(name)) return row.mistake(column, 'a name without control characters')
  return name.length <= NAME_MAX ? name : row.mistake(column, `a name of at most ${NAME_MAX} characters`)
}

function* recordsIn(file: string, text: string): Generator<CsvRecord, undefined> {
  try {
    yield* csvRecords(text)
    return undefined
  } catch (error) {
    if (!(error instanceof InputError)) throw error
    throw new InputError(error.issues.map((issue) => ({ ...issue, file })))
  }
}
