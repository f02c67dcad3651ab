/**
 * Printing: converts the values of a param tree back to their written form.
 * Invariant: read again, the printed form gives the same values.
 */
import { assert } from '../../../core/base/assert.ts'
import { defaultOf, isLike, type Param, type ParamFields } from '../../../core/base/params.ts'
import { formatQuantity } from '../../../core/base/units.ts'

export interface PrintOptions {
  /** Leaves out values that equal their defaults. */
  readonly compact?: boolean
  /** Lists that are printed as {file: NAME}, with the names of their files. */
  readonly lists?: ReadonlyMap<unknown, { readonly name: string }>
}
export interface FormatOptions extends PrintOptions {
  /** Puts each param's help, limits and source above it. */
  readonly comments?: boolean
}

/**
 * The written form of a value: quantities as text with units, `off` for null, variants with their `kind` first,
 * every key that is not hidden present and in the order of its declaration.
 */
export function printParam(param: Param, value: unknown, options: PrintOptions = {}): unknown {
  switch (param.type) {
    case 'group':
      return printFields(param.fields, value as Record<string, unknown>, inside(param, options))
    case 'variant': {
      const { kind } = value as { readonly kind: string }
      const chosen = param.definitions.find((definition) => definition.name === kind)
      assert(chosen !== undefined, 'a variant value has a registered kind')
      return { kind, ...printFields(chosen.params, value as Record<string, unknown>, options) }
    }
    case 'list': {
      const file = options.lists?.get(value)
      if (file !== undefined) return { file: file.name }
      return (value as readonly unknown[]).map((item) => printParam(param.item, item, options))
    }
    case 'rate':
    case 'duration':
    case 'size':
      return value === null ? 'off' : formatQuantity(param.type, value as number)
    default:
      return value === null ? 'off' : value
  }
}

/** Whether two values of one param are the same, whatever the order of their keys. */
export function isSame(a: unknown, b: unknown): boolean {
  if (Object.is(a, b)) return true
  if (typeof a !== 'object' || typeof b !== 'object' || a === null || b === null) return false
  if (Array.isArray(a) !== Array.isArray(b)) return false
  const [left, right] = [Object.entries(a), new Map<string, unknown>(Object.entries(b))]
  return left.length === right.size && left.every(([key, value]) => right.has(key) && isSame(value, right.get(key)))
}

/** YAML text of a value: short lists of numbers on one line, everything else one line each. */
export function formatParam(param: Param, value: unknown, options: FormatOptions = {}): string {
  const lines: string[] = []
  writeBlock(lines, param, value, '', options)
  return `${lines.join('\n')}\n`
}

function printFields(
  fields: ParamFields,
  values: Readonly<Record<string, unknown>>,
  options: PrintOptions,
): Record<string, unknown> {
  const out: Record<string, unknown> = {}
  for (const [name, param] of shownFields(fields, values, options)) out[name] = printParam(param, values[name], options)
  return out
}

function shownFields(
  fields: ParamFields,
  values: Readonly<Record<string, unknown>>,
  options: PrintOptions,
): [string, Param][] {
  return Object.entries(fields).filter(([name, param]) => {
    if (values[name] === null && isLike(param)) return false
    const mayOmit = options.compact === true || param.isHidden === true
    return !mayOmit || !isSame(values[name], defaultOf(param))
  })
}

/** Lines of a group, variant or list of such; each begins with `indent`. */
function writeBlock(lines: string[], param: Param, value: unknown, indent: string, options: FormatOptions): void {
  if (param.type === 'list') {
    for (const item of value as readonly unknown[]) writeItem(lines, param.item, item, indent, options)
    return
  }
  let fields: ParamFields = {}
  if (param.type === 'group') fields = param.fields
  if (param.type === 'variant') {
    const { kind } = value as { readonly kind: string }
    fields = param.definitions.find((definition) => definition.name === kind)?.params ?? {}
    lines.push(`${indent}kind: ${scalarText(kind)}`)
  }
  const values = value as Readonly<Record<string, unknown>>
  for (const [name, field] of shownFields(fields, values, inside(param, options))) {
    if (options.comments === true) lines.push(...comments(field, indent))
    const inline = inlineText(field, values[name], options)
    const key = `${indent}${scalarText(name)}:`
    lines.push(inline === undefined ? key : `${key} ${inline}`)
    if (inline === undefined) writeBlock(lines, field, values[name], `${indent}  `, options)
  }
}

function writeItem(lines: string[], param: Param, value: unknown, indent: string, options: FormatOptions): void {
  const inline = inlineText(param, value, options)
  if (inline !== undefined) {
    lines.push(`${indent}- ${inline}`)
    return
  }
  const inner: string[] = []
  // YAML allows no comment between the dash and the first key.
  writeBlock(inner, param, value, `${indent}  `, { ...options, comments: false })
  lines.push(`${indent}- ${(inner[0] ?? '').trimStart()}`)
  for (const line of inner.slice(1)) lines.push(line)
}

/** The text of a value that fits on the line of its key, or undefined when it takes a block. */
function inlineText(param: Param, value: unknown, options: FormatOptions): string | undefined {
  if (param.type === 'list') {
    const items = value as readonly unknown[]
    if (items.length === 0) return '[]'
    const file = options.lists?.get(items)
    if (file !== undefined) return `{file: ${scalarText(file.name)}}`
    if (isTree(param.item) || param.item.type === 'text') return undefined
    const text = `[${items.map((item) => scalarText(printParam(param.item, item))).join(', ')}]`
    return text.length <= 100 ? text : undefined
  }
  if (param.type === 'variant') {
    const printed = printParam(param, value, options) as Readonly<Record<string, unknown>>
    return Object.keys(printed).length === 1 ? scalarText(printed['kind']) : undefined
  }
  if (param.type === 'group') {
    return shownFields(param.fields, value as Record<string, unknown>, inside(param, options)).length === 0
      ? '{}'
      : undefined
  }
  return scalarText(printParam(param, value))
}

/** A key left out of a group that stands in for another takes the other's value, not the default: print all keys. */
function inside<O extends PrintOptions>(param: Param, options: O): O {
  return param.type === 'group' && isLike(param) ? { ...options, compact: false } : options
}

function isTree(param: Param): boolean {
  return param.type === 'group' || param.type === 'variant' || param.type === 'list'
}

const QUANTITY = /^\d+(?:\.\d+)?[A-Za-z]+$/
/** Words that every YAML reader takes as plain text. */
const PLAIN = /^[A-Za-z_][\w./+>-]*(?: [\w./+>(-][\w./+>()-]*)*$/
/** Words that some YAML readers take for another value: `off` is false in YAML 1.1. */
const RESERVED = /^(?:null|true|false|yes|no|on|off|y|n)$/i

function scalarText(value: unknown): string {
  // In YAML 1.1 a number with an exponent needs a decimal point.
  if (typeof value !== 'string') return String(value).replace(/^(-?\d+)e/, '$1.0e')
  const isPlain = (PLAIN.test(value) && !RESERVED.test(value)) || (QUANTITY.test(value) && !/^0[xob]/.test(value))
  return isPlain ? value : JSON.stringify(value)
}

function comments(param: Param, indent: string): string[] {
  const source = param.source === undefined ? '' : ` [${param.source}]`
  const words = (param.help + source).split(' ')
  const lines: string[] = []
  let line = `${indent}#`
  for (const word of words) {
    if (line.length + word.length > 110 && !line.endsWith('#')) {
      lines.push(line)
      line = `${indent}#`
    }
    line += ` ${word}`
  }
  return [...lines, line]
}
