/**
 * Long lists: those that a printed scenario leaves to files of their own, one item per line, as {file: PATH} reads them.
 * A text without them can be read again whatever the length of its lists.
 */
import type { Definition, Param, ParamFields, VariantParam } from '../../../core/base/params.ts'
import { printParam } from './print.ts'

/** Characters of all lists that stay in the text. */
const INLINE_LENGTH_MAX = 1_000_000

/** Characters of an item besides its own text: indentation, dash, quotes. */
const ITEM_LENGTH = 12

export interface ListFile {
  /** Relative to the folder of the text. */
  readonly name: string
  readonly text: string
}

/** Files by the list that each holds. */
export type LongLists = ReadonlyMap<unknown, ListFile>

/**
 * The lists of a value that are left to files: each that does not fit in the text beside those before it, inner lists first.
 * @param stem front of the names of the files: STEM.workload.0.flows.list
 */
export function longListsOf(
  param: Param,
  value: unknown,
  stem: string,
  inlineLengthMax: number = INLINE_LENGTH_MAX,
): LongLists {
  const search = new ListSearch(stem, inlineLengthMax)
  search.visit(param, value, '')
  return search.lists
}

class ListSearch {
  readonly lists = new Map<unknown, ListFile>()
  readonly #stem: string
  readonly #lengthMax: number
  /** Characters that further lists may take. */
  #left: number

  constructor(stem: string, inlineLengthMax: number) {
    this.#stem = stem
    this.#lengthMax = this.#left = inlineLengthMax
  }

  /** Returns the length of a value in the text, about. */
  visit(param: Param, value: unknown, path: string): number {
    if (value === null || value === undefined) return ITEM_LENGTH
    if (param.type === 'list') return this.#visitList(param.item, value as readonly unknown[], path)
    if (param.type === 'group') return this.#visitFields(param.fields, value, path)
    if (param.type === 'variant') return this.#visitFields(fieldsOf(param, value), value, path)
    return ITEM_LENGTH + (typeof value === 'string' ? value.length : 0)
  }

  #visitFields(fields: ParamFields, value: unknown, path: string): number {
    const values = value as Readonly<Record<string, unknown>>
    let length = 0
    for (const [name, field] of Object.entries(fields))
      length += name.length + ITEM_LENGTH + this.visit(field, values[name], path === '' ? name : `${path}.${name}`)
    return length
  }

  #visitList(item: Param, items: readonly unknown[], path: string): number {
    const leftBefore = this.#left
    const filesBefore = this.lists.size
    let length = 0
    for (let i = 0; i < items.length; i++) length += this.visit(item, items[i], `${path}.${i}`)
    // Lists inside have been counted, or are in files; what is around them is short, unless there are very many.
    const ownLength = length - (leftBefore - this.#left)
    const isOuter = this.#left < leftBefore || this.lists.size > filesBefore
    if (ownLength <= (isOuter ? this.#lengthMax : this.#left) || !items.every(isLine)) {
      if (!isOuter) this.#left -= ownLength
      return length
    }
    this.#left = leftBefore
    const name = `${this.#stem}.${path}.list`
    const lines = items.map((one) =>
      typeof one === 'string' ? one : JSON.stringify(printParam(item, one, { lists: this.lists })),
    )
    this.lists.set(items, { name, text: `${lines.join('\n')}\n` })
    return name.length + ITEM_LENGTH
  }
}

/** Whether an item is read back from a line of a file: lines are trimmed, and # starts a comment. */
function isLine(item: unknown): boolean {
  return typeof item !== 'string' || (/^[^#\s]/.test(item) && !/[\n\r]|\s$/.test(item))
}

function fieldsOf(param: VariantParam<Definition>, value: unknown): ParamFields {
  const { kind } = value as { readonly kind: string }
  return param.definitions.find(({ name }) => name === kind)?.params ?? {}
}
