/** Lines: the JSON that two ends of rocelab exchange over TCP, one object a line, and how its values are checked. */

/** The longest describes 256 queue pairs by some 85 bytes each. */
export const LINE_BYTES_MAX = 1 << 15

export class LineReader {
  #waiting = ''
  readonly #decoder = new TextDecoder()

  /** The lines that are whole now; null: a line is too long. */
  take(bytes: Uint8Array): readonly string[] | null {
    const [first = '', ...rest] = this.#decoder.decode(bytes, { stream: true }).split('\n')
    this.#waiting += first
    const lines = rest.length === 0 ? [] : [this.#waiting, ...rest.slice(0, -1)]
    this.#waiting = rest.at(-1) ?? this.#waiting
    return [this.#waiting, ...lines].some(({ length }) => length > LINE_BYTES_MAX) ? null : lines
  }
}

export type Fields = Readonly<Record<string, unknown>>

/** null: not an object. */
export function readFields(value: unknown): Fields | null {
  return typeof value === 'object' && value !== null && !Array.isArray(value) ? (value as Fields) : null
}

/** null: not an object as JSON. */
export function readLine(line: string): Fields | null {
  try {
    return readFields(JSON.parse(line))
  } catch {
    return null
  }
}

export const lineBytes = (value: object): Uint8Array => new TextEncoder().encode(`${JSON.stringify(value)}\n`)

/** null: not a whole number from `min` to `max`. */
export function wholeField(fields: Fields, name: string, min: number, max: number): number | null {
  const value = fields[name]
  return typeof value === 'number' && Number.isInteger(value) && value >= min && value <= max ? value : null
}
