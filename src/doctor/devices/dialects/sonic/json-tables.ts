/**
 * JSON of SONiC's databases as tables of entries, each with its line. Three forms say the same:
 * nested {"PORT": {"Ethernet0": {field: text}}}, flat {"PORT|Ethernet0": {...}}, and what redis-dump writes,
 * {"PORT|Ethernet0": {"type": "hash", "value": {...}}}.
 * Source: sonic-utilities (sonic-cfggen, sonic-db-dump); SONiC Configuration.
 */
import { readYaml, type TreePath, type YamlText } from '../../../../core/notation/index.ts'
import type { Facts } from '../facts.ts'
import type { Line, Part } from '../text.ts'

/** A row of a table: names of fields, and what is written there. */
export interface Entry {
  readonly key: string
  readonly fields: ReadonlyMap<string, string>
  /** In the text. */
  readonly path: TreePath
}

export type Table = ReadonlyMap<string, Entry>

const NO_TABLE: Table = new Map()
/** A line may hold a whole file: only what stands at the value is kept. */
const LINE_MAX = 200

export class JsonTables {
  /** Whether every bracket is closed. If not, all that is closed before the end is read. */
  readonly isWhole: boolean
  /** Why nothing could be read; '': it could. */
  readonly #reason: string
  readonly names: Iterable<string>
  readonly #tables = new Map<string, Map<string, Entry>>()
  readonly #tree: YamlText
  readonly #lines: readonly Line[]

  constructor({ text, lines }: Part) {
    const { json, isWhole } = closed(text)
    this.isWhole = isWhole
    this.#lines = lines
    this.#tree = readYaml(json)
    this.#reason = this.#tree.readable ? '' : (this.#tree.issues[0]?.received ?? 'no JSON')
    const { value } = this.#tree
    if (isMap(value)) this.#addAll(value, [])
    // Files of swssconfig are lists of objects with one entry each.
    else if (Array.isArray(value)) for (const [i, each] of value.entries()) if (isMap(each)) this.#addAll(each, [i])
    this.names = this.#tables.keys()
  }

  /** Notes where the text ends too early, or why it could not be read. */
  noteEnd(facts: Facts): void {
    if (!this.isWhole) facts.cut(this.#lines.at(-1)!, 'a closing brace')
    else if (this.#reason !== '') facts.cut(this.#lines.at(-1)!, `JSON, not ${this.#reason}`)
  }

  has(name: string): boolean {
    return this.#tables.has(name)
  }

  table(name: string): Table {
    return this.#tables.get(name) ?? NO_TABLE
  }

  /** Line of a field, or of the entry's key. */
  line(entry: Entry, field?: string): Line {
    return this.#lineAt(field === undefined ? entry.path : [...entry.path, field])
  }

  /** Line of the first entry of a table; of the first line of the text, if there is none. */
  firstLine(name: string): Line {
    const [entry] = this.table(name).values()
    return entry === undefined ? this.#lines[0]! : this.line(entry)
  }

  #addAll(database: Record<string, unknown>, path: TreePath): void {
    for (const [name, inner] of Object.entries(database)) if (isMap(inner)) this.#add(name, inner, [...path, name])
  }

  #add(name: string, inner: Record<string, unknown>, at: TreePath): void {
    const [, table, key] = /^(COUNTERS):(.*)$/s.exec(name) ?? /^([^|]+)\|(.*)$/s.exec(name) ?? []
    const dumped = typeof inner['type'] === 'string' && isMap(inner['value']) ? inner['value'] : undefined
    const path = dumped === undefined ? at : [...at, 'value']
    const content = dumped ?? inner
    if (table !== undefined && key !== undefined) this.#enter(table, key, content, path)
    else {
      if (!this.#tables.has(name)) this.#tables.set(name, new Map())
      const entries = Object.entries(content)
      if (entries.some(([, value]) => !isMap(value))) this.#enter(name, '', content, path)
      for (const [row, value] of entries) if (isMap(value)) this.#enter(name, row, value, [...path, row])
    }
  }

  #enter(table: string, key: string, content: Record<string, unknown>, path: TreePath): void {
    const fields = new Map<string, string>()
    for (const [field, value] of Object.entries(content)) {
      if (Array.isArray(value)) fields.set(field, value.filter((one) => !isMap(one)).join(','))
      else if (typeof value === 'string' || typeof value === 'number' || typeof value === 'boolean')
        fields.set(field, String(value).trim())
    }
    let entries = this.#tables.get(table)
    if (entries === undefined) this.#tables.set(table, (entries = new Map()))
    entries.set(key, { key, fields, path })
  }

  #lineAt(path: TreePath): Line {
    const { line, column } = this.#tree.locate(path, 'key') ?? { line: 1, column: 1 }
    const at = this.#lines[line - 1] ?? this.#lines[0]!
    if (at.text.length <= LINE_MAX) return at
    return { number: at.number, text: at.text.slice(column - 1, column - 1 + LINE_MAX) }
  }
}

function isMap(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

/**
 * The first value in brackets that begins a line, with empty lines for those before it. Where the text ends inside, it is cut behind the last
 * bracket that was closed, and those still open are closed.
 */
function closed(text: string): { json: string; isWhole: boolean } {
  const first = /^[ \t]*[{[]/m.exec(text)
  const begin = first === null ? text.indexOf('{') : first.index + first[0].length - 1
  if (begin < 0) return { json: '{}', isWhole: false }
  const before = '\n'.repeat(text.slice(0, begin).split('\n').length - 1)
  // Columns of the first line stay what they are.
  const margin = ' '.repeat(begin - text.lastIndexOf('\n', begin) - 1)
  const open: string[] = []
  let end = begin
  let depth = 0
  for (let i = begin; i < text.length; i++) {
    const sign = text[i]!
    if (sign === '"') i = endOfString(text, i)
    else if (sign === '{' || sign === '[') open.push(sign === '{' ? '}' : ']')
    else if ((sign === '}' || sign === ']') && open.at(-1) === sign) {
      open.pop()
      end = i + 1
      depth = open.length
      if (depth === 0) return { json: before + margin + text.slice(begin, end), isWhole: true }
    }
  }
  const rest = end === begin ? '{}' : text.slice(begin, end) + open.slice(0, depth).toReversed().join('')
  return { json: before + margin + rest, isWhole: false }
}

/** Place of the quote that ends a string; the length of the text, if none does. */
function endOfString(text: string, begin: number): number {
  for (let i = begin + 1; i < text.length; i++) {
    if (text[i] === '\\') i++
    else if (text[i] === '"') return i
  }
  return text.length
}
