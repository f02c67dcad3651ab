/**
 * Converts plain values (as YAML or JSON give them) to the values of a param tree, and collects every mistake.
 * One message per mistake: nothing is reported about the contents of a value that is itself of the wrong kind.
 */
import {
  chosenFrom,
  type GroupParam,
  type Definition,
  isLike,
  type ListParam,
  type Param,
  type ParamFields,
  type QuantityParam,
  type VariantParam,
} from '../../../core/base/params.ts'
import { powerOfTwo } from '../../../core/base/math.ts'
import { parsePropagation, parseQuantity } from '../../../core/base/units.ts'
import { describeValue, expectationOf, isQuantity, oneOf, quantityHint, quote, rangeOf, suggestion } from './wording.ts'
import { type Position, type TreePath, yamlValue } from '../../../core/notation/index.ts'

/** A mistake in a tree. It is shown at the key or the value at `path`, or else at the nearest value that contains it. */
export interface Mistake {
  readonly path: TreePath
  readonly on: 'key' | 'value'
  readonly expected: string
  readonly received: string
  readonly hint: string
  /** Path of the value that imposes the rule, shown if the text has nothing at `path`. */
  readonly because?: TreePath
}

/** A list that was read from a file: its path in the tree, and the positions of its items in the file. */
export interface TextFile {
  readonly path: TreePath
  /** File name as the text gives it. */
  readonly name: string
  readonly positions: readonly Position[]
}

export interface Reader {
  /** The whole tree, used to find where a misplaced key belongs. */
  readonly root: Param
  /** Reads the file named by {file: PATH} in place of a list; throws when it cannot. */
  readonly readFile: ((name: string, path: TreePath) => string) | undefined
  readonly mistakes: Mistake[]
  readonly files: TextFile[]
  /** Values of the top-level keys that have been read so far. */
  readonly values: Record<string, unknown>
}

/**
 * Converts `value` to the value of `param`; undefined stands for an absent key.
 * Mistakes are added to the reader's; the returned value is undefined where they are.
 */
export function readParam(reader: Reader, param: Param, value: unknown, path: TreePath): unknown {
  if (value === undefined) return readAbsent(reader, param, path)
  switch (param.type) {
    case 'group':
      if (!isRecord(value)) return wrong(reader, param, value, path)
      return readFields(reader, param, value, path)
    case 'variant':
      return readVariant(reader, param, value, path)
    case 'list':
      return readList(reader, param, value, path)
    default:
      return readScalar(reader, param, value, path)
  }
}

/** Whether a value is a map of names to values. */
export function isRecord(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

/** Items of a file, one per line, and their positions; blank lines and those that start with # are skipped. */
function linesOf(text: string): { readonly texts: string[]; readonly positions: Position[] } {
  const texts: string[] = []
  const positions: Position[] = []
  text.split(/\r\n|\n|\r/).forEach((line, index) => {
    const item = line.trim()
    if (item === '' || item.startsWith('#')) return
    texts.push(item)
    positions.push({ line: index + 1, column: line.indexOf(item) + 1 })
  })
  return { texts, positions }
}

/** "switch.ecn.byRate.0.kmin" */
export function formatPath(path: TreePath): string {
  return path.join('.')
}

function add(
  reader: Reader,
  path: TreePath,
  expected: string,
  received: string,
  hint = '',
  on: 'key' | 'value' = 'value',
): undefined {
  reader.mistakes.push({ path, on, expected, received, hint })
  return undefined
}

function wrong(reader: Reader, param: Param, value: unknown, path: TreePath, hint = ''): undefined {
  const remedy = hint === '' ? remedyOf(param, value) : hint
  return add(reader, path, expectationOf(param), describeValue(value), remedy)
}

function remedyOf(param: Param, value: unknown): string {
  if (value === null) return 'give it a value, or leave the key out'
  const isOff = value === 'off' || value === 'none' || value === false
  return isOff && param.type === 'group' ? (param.howToDisable ?? '') : ''
}

function readAbsent(reader: Reader, param: Param, path: TreePath): unknown {
  if (isLike(param)) return null
  if (param.type === 'group') return readFields(reader, param, {}, path)
  if (param.type === 'variant') {
    const chosen = param.definitions.find((definition) => definition.name === param.default)
    if (chosen !== undefined) return readDefinition(reader, param, chosen, {}, path)
  } else if (param.default !== undefined) {
    return param.default
  }
  return add(reader, path, expectationOf(param), 'nothing', param.help, 'key')
}

/** Hint for a key that earlier versions had, with another value than its default. */
const RETIRED = 'a profile of `compat` has it now: docs/models/compat.md'

/** @param hintOf hint for an unknown key */
function readFields(
  reader: Reader,
  {
    fields,
    like,
    retired = {},
    shorthands = {},
  }: Pick<GroupParam<ParamFields>, 'fields'> &
    Partial<Pick<GroupParam<ParamFields>, 'like' | 'retired' | 'shorthands'>>,
  record: Readonly<Record<string, unknown>>,
  path: TreePath,
  besides: readonly string[] = [],
  hintOf?: (key: string) => string,
): Record<string, unknown> {
  const names = [...besides, ...Object.keys(shorthands), ...Object.keys(fields)]
  for (const [name, param] of Object.entries(shorthands))
    if (Object.hasOwn(record, name)) readParam(reader, param, record[name], [...path, name])
  for (const key of Object.keys(record)) {
    const isRetired = Object.hasOwn(retired, key)
    if (names.includes(key) || (isRetired && record[key] === retired[key])) continue
    const hint = (isRetired && RETIRED) || suggestion(key, names) || hintOf?.(key) || elsewhere(reader.root, key)
    const expected =
      names.length === 1
        ? `no key but ${names[0] ?? ''}`
        : names.length === 0
          ? 'no keys'
          : `one of the keys ${names.join(', ')}`
    add(reader, [...path, key], expected, quote(key), hint, 'key')
  }
  const values: Record<string, unknown> = path.length === 0 ? reader.values : {}
  const others = like === undefined ? undefined : (reader.values[like] as Readonly<Record<string, unknown>>)
  for (const [name, param] of Object.entries(fields)) {
    if (Object.hasOwn(record, name)) values[name] = readParam(reader, param, record[name], [...path, name])
    else values[name] = others === undefined ? readAbsent(reader, param, [...path, name]) : others[name]
  }
  return values
}

function readVariant(reader: Reader, param: VariantParam<Definition>, value: unknown, path: TreePath): unknown {
  const names = param.definitions.map((definition) => definition.name)
  if (typeof value !== 'string' && !isRecord(value)) return wrong(reader, param, value, path)
  const isText = typeof value === 'string'
  const record = isText ? {} : value
  const isGiven = isText || Object.hasOwn(record, 'kind')
  const kind = isText ? value : isGiven ? record['kind'] : param.default
  const kindPath = isText ? path : [...path, 'kind']
  if (kind === undefined)
    return add(reader, kindPath, oneOf(names), 'nothing', 'the kind determines which keys may follow', 'key')
  const chosen = param.definitions.find((definition) => definition.name === kind)
  if (chosen === undefined) {
    return add(
      reader,
      kindPath,
      oneOf(names),
      describeValue(kind),
      typeof kind === 'string' ? suggestion(kind, names) : '',
    )
  }
  return readDefinition(reader, param, chosen, record, path)
}

function readDefinition(
  reader: Reader,
  param: VariantParam<Definition>,
  chosen: Definition,
  record: Readonly<Record<string, unknown>>,
  path: TreePath,
): unknown {
  const hintOf = (key: string): string => otherKinds(param, chosen, key)
  const fields = readFields(reader, { ...chosen, fields: chosen.params }, record, path, ['kind'], hintOf)
  return chosenFrom(param, { kind: chosen.name, ...fields })
}

/** The other kinds that have a key which this one lacks; empty when none has. */
export function otherKinds(param: VariantParam<Definition>, chosen: Definition, key: string): string {
  const owners = param.definitions.filter((definition) => Object.hasOwn(definition.params, key))
  return owners.length === 0
    ? ''
    : `a key of kind ${owners.map((owner) => owner.name).join(', ')}; this is ${chosen.name}`
}

function readList(reader: Reader, param: ListParam<Param>, value: unknown, path: TreePath): unknown {
  let items = value
  if (isRecord(value)) items = readItems(reader, param.item, value, path)
  if (items === undefined) return undefined
  if (!Array.isArray(items)) {
    return add(
      reader,
      path,
      `${expectationOf(param)} or {file: PATH}`,
      describeValue(value),
      'a list is written [a, b], an empty one []',
    )
  }
  if (items.length < param.minItems) return wrong(reader, param, items, path)
  if (param.maxItems !== undefined && items.length > param.maxItems)
    return add(reader, path, `at most ${param.maxItems} items`, `${items.length}`)
  // An empty item is null, a mistake in that item; undefined would mean that it is absent.
  return items.map((item: unknown, index) => readParam(reader, param.item, item ?? null, [...path, index]))
}

/** Items of {file: PATH}: lines of text, or of YAML where the items are no texts. */
function readItems(
  reader: Reader,
  item: Param,
  value: Readonly<Record<string, unknown>>,
  path: TreePath,
): unknown[] | undefined {
  const name = value['file']
  if (typeof name !== 'string' || Object.keys(value).length !== 1) {
    return add(reader, path, 'a list or {file: PATH}', describeValue(value), listHint(item, value))
  }
  if (reader.readFile === undefined) {
    return add(reader, [...path, 'file'], 'the list itself', `a file ${quote(name)}`, 'no files can be read here')
  }
  try {
    const { texts, positions } = linesOf(reader.readFile(name, [...path, 'file']))
    reader.files.push({ path, name, positions })
    // A line that is no YAML is a mistake in its item, which shows it as a text.
    return item.type === 'text' ? texts : texts.map((text) => yamlValue(text) ?? text)
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error)
    return add(reader, [...path, 'file'], 'a readable file', quote(name), reason)
  }
}

function listHint({ type }: Param, value: Readonly<Record<string, unknown>>): string {
  return type !== 'text' && !Object.hasOwn(value, 'file') ? 'items start with "- "' : ''
}

type ScalarParam = Exclude<Param, { type: 'group' | 'variant' | 'list' }>

function readScalar(reader: Reader, param: ScalarParam, value: unknown, path: TreePath): unknown {
  switch (param.type) {
    case 'flag':
      return typeof value === 'boolean' ? value : wrong(reader, param, value, path)
    case 'choice':
      if (typeof value !== 'string') return wrong(reader, param, value, path)
      return param.choices.includes(value) ? value : wrong(reader, param, value, path, suggestion(value, param.choices))
    case 'text':
      if (param.off && value === 'off') return null
      if (typeof value === 'string') return value
      if (param.isAnyValue === true && value !== null) return JSON.stringify(value)
      return wrong(reader, param, value, path, value === null ? '' : 'put it in quotes')
    default:
      if (param.off && value === 'off') return null
      return readNumber(reader, param, value, path)
  }
}

function readNumber(reader: Reader, param: Extract<Param, { min?: number }>, value: unknown, path: TreePath): unknown {
  const offHint = param.off && (value === null || value === false || value === 'none') ? 'write off' : ''
  let number: number | undefined
  if (isQuantity(param)) {
    number = typeof value === 'string' ? quantityOf(param, value) : undefined
    if (number === undefined) return wrong(reader, param, value, path, offHint || quantityHint(param, value))
  } else {
    number =
      typeof value === 'string' && param.type === 'ratio'
        ? parseRatio(value)
        : typeof value === 'number'
          ? value
          : undefined
    const isNumber =
      number !== undefined && Number.isFinite(number) && (param.type === 'ratio' || Number.isSafeInteger(number))
    if (number === undefined || !isNumber)
      return wrong(reader, param, value, path, offHint || numberHint(param.type, value))
  }
  if (number < (param.min ?? -Infinity) || number > (param.max ?? Infinity)) {
    return add(reader, path, rangeOf(param), describeValue(value), powerHint(path, number))
  }
  return number === 0 ? 0 : number // no negative zero
}

/** The value in base units of a text with its unit, or undefined. */
function quantityOf({ type, isPropagation }: QuantityParam, text: string): number | undefined {
  return isPropagation === true ? parsePropagation(text) : parseQuantity(type, text)
}

const FRACTION = /^(\d{1,20}(?:\.\d{1,20})?)\s*\/\s*(\d{1,20}(?:\.\d{1,20})?)$/

const EXPONENT_MAX = 30
/** A power of two, as switches count alpha: 2^-3 is what SONiC writes as -3. */
const POWER = /^2\s*\^\s*(-?\d{1,2})$/

/** "1/16" or "2^-4", or undefined. */
function parseRatio(text: string): number | undefined {
  const power = POWER.exec(text.trim())
  if (power !== null) return Math.abs(Number(power[1])) <= EXPONENT_MAX ? powerOfTwo(Number(power[1])) : undefined
  const parts = FRACTION.exec(text.trim())
  return parts === null ? undefined : Number(parts[1]) / Number(parts[2])
}

/** Hint for a negative alpha: an exponent of two. */
function powerHint(path: TreePath, number: number): string {
  const isExponent = /alpha$/i.test(String(path.at(-1))) && Number.isInteger(number) && number < 0
  return isExponent && number >= -EXPONENT_MAX ? `SONiC's ${number} is written 2^${number}` : ''
}

function numberHint(type: 'ratio' | 'count' | 'rate' | 'duration' | 'size', value: unknown): string {
  if (typeof value !== 'string') return ''
  if (/^\s*[\d.]+\s*%\s*$/.test(value)) return 'without %: 0.01 or "1/100" is one percent'
  if (value.trim() !== '' && Number.isFinite(Number(value))) return 'write it without quotes'
  return type === 'count' && FRACTION.test(value.trim()) ? 'a whole number is no fraction' : ''
}

/** Hint with other paths in the tree that end in this key. */
function elsewhere(root: Param, key: string): string {
  const locations: string[] = []
  const visit = (param: Param, path: TreePath): void => {
    if (param.type === 'list') return visit(param.item, [...path, 0])
    const groups =
      param.type === 'group' ? [param.fields] : param.type === 'variant' ? param.definitions.map((d) => d.params) : []
    for (const fields of groups) {
      for (const [name, field] of Object.entries(fields)) {
        if (isLike(field)) continue
        const location = formatPath([...path, name])
        if (name === key && !locations.includes(location)) locations.push(location)
        visit(field, [...path, name])
      }
    }
  }
  visit(root, [])
  return locations.length === 0 ? '' : `there is ${locations.slice(0, 3).join(', ')}`
}
