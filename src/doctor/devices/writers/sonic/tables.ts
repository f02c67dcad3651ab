/**
 * Tables of config_db.json while it is written: rows by key, and maps and profiles that rows with the same content share.
 * Source: sonic-yang-models; sonic-utilities (sonic-cfggen).
 */

export type Fields = Readonly<Record<string, string>>

export class Tables {
  readonly #tables = new Map<string, Map<string, Map<string, string>>>()
  readonly #nameOf: (purpose: string) => string
  /** Names by table and content. */
  readonly #shared = new Map<string, string>()
  /** By table and purpose. */
  readonly #counts = new Map<string, number>()

  constructor(nameOf: (purpose: string) => string) {
    this.#nameOf = nameOf
  }

  name(purpose: string): string {
    return this.#nameOf(purpose)
  }

  /** An empty table stands in the file, too. */
  table(name: string): Map<string, Map<string, string>> {
    let table = this.#tables.get(name)
    if (table === undefined) this.#tables.set(name, (table = new Map()))
    return table
  }

  /** Adds fields to a row. */
  put(table: string, key: string, fields: Readonly<Record<string, string | undefined>>): void {
    const rows = this.table(table)
    let row = rows.get(key)
    if (row === undefined) rows.set(key, (row = new Map()))
    for (const [field, text] of Object.entries(fields)) if (text !== undefined) row.set(field, text)
  }

  /**
   * Name of the map or profile with this content, made for the first who needs it.
   * @param purpose "dscp-map"; the second is called for "dscp-map 2"
   */
  named(table: string, purpose: string, fields: Fields): string {
    const content = `${table} ${JSON.stringify(Object.entries(fields))}`
    let name = this.#shared.get(content)
    if (name !== undefined) return name
    const counted = `${table} ${purpose}`
    const count = (this.#counts.get(counted) ?? 0) + 1
    this.#counts.set(counted, count)
    name = this.#nameOf(count === 1 ? purpose : `${purpose} ${count}`)
    this.#shared.set(content, name)
    this.put(table, name, fields)
    return name
  }

  /** @param isFlat keys "TABLE|key" */
  json(isFlat: boolean): string {
    const rowsOf = (rows: Map<string, Map<string, string>>): [string, Record<string, string>][] =>
      [...rows].map(([key, fields]) => [key, Object.fromEntries(fields)])
    const tables = [...this.#tables].flatMap(([name, rows]): [string, object][] =>
      isFlat && rows.size > 0
        ? rowsOf(rows).map(([key, fields]) => [`${name}|${key}`, fields])
        : [[name, Object.fromEntries(rowsOf(rows))]],
    )
    return `${JSON.stringify(Object.fromEntries(tables), undefined, 4)}\n`
  }
}

/** "3", or "3-4": neighbours with the same content in one key. */
export function ranges(contents: ReadonlyMap<number, string>): [range: string, content: string][] {
  const runs: { first: number; last: number; content: string }[] = []
  for (const [number, content] of [...contents].sort(([a], [b]) => a - b)) {
    const run = runs.at(-1)
    if (run !== undefined && run.last === number - 1 && run.content === content) run.last = number
    else runs.push({ first: number, last: number, content })
  }
  return runs.map(({ first, last, content }) => [first === last ? `${first}` : `${first}-${last}`, content])
}
