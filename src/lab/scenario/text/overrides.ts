/**
 * Overrides: "path=value" texts (as from --set) applied to a tree before it is read.
 * They follow the params, so that a key in a group left to its default, in a variant given by its name alone or in a
 * list left to its default can be set. They apply in the order given, and the given tree is not modified.
 */
import {
  defaultOf,
  type Definition,
  type ListParam,
  type Param,
  type ParamFields,
  type VariantParam,
} from '../../../core/base/params.ts'
import { printParam } from './print.ts'
import { isRecord, otherKinds } from './read.ts'
import { oneOf, quote, suggestion } from './wording.ts'
import { type TreePath, yamlValue } from '../../../core/notation/index.ts'

/** An override that was applied: the value at `path` came from `text`. */
export interface Override {
  readonly path: TreePath
  readonly text: string
}

/** An override whose path does not exist. */
interface OverrideMistake {
  readonly text: string
  readonly path: string
  readonly expected: string
  readonly received: string
  readonly hint: string
}

interface Overridden {
  readonly value: unknown
  readonly overrides: readonly Override[]
  readonly mistakes: readonly OverrideMistake[]
}

/** Applies all overrides to the tree. */
export function applyOverrides(root: Param, tree: unknown, sets: readonly string[]): Overridden {
  let value = tree
  const overrides: Override[] = []
  const mistakes: OverrideMistake[] = []
  for (const text of sets) {
    const equals = text.indexOf('=')
    const name = text.slice(0, equals).trim()
    if (equals < 1 || name === '') {
      mistakes.push({
        text,
        path: '',
        expected: 'path=value',
        received: quote(text),
        hint: 'such as workload.0.load=0.5',
      })
      continue
    }
    const path: (string | number)[] = []
    try {
      value = put(root, value, name.split('.'), text.slice(equals + 1).trim(), path)
      overrides.push({ path, text })
    } catch (error) {
      if (!(error instanceof DeadEnd)) throw error
      mistakes.push({ text, path: name, expected: error.expected, received: error.received, hint: error.hint })
    }
  }
  return { value, overrides, mistakes }
}

class DeadEnd extends Error {
  readonly expected: string
  readonly received: string
  readonly hint: string
  constructor(expected: string, received: string, hint = '') {
    super(expected)
    this.expected = expected
    this.received = received
    this.hint = hint
  }
}

/** `current` with `text` put at `steps`; fills `path` with the steps taken. */
function put(
  param: Param,
  current: unknown,
  steps: readonly string[],
  text: string,
  path: (string | number)[],
): unknown {
  const [step, ...rest] = steps
  if (step === undefined) return valueFor(param, text)
  switch (param.type) {
    case 'group': {
      path.push(step)
      return putField(
        { ...param.shorthands, ...param.fields },
        isRecord(current) ? current : {},
        step,
        rest,
        text,
        path,
        [],
        () => '',
      )
    }
    case 'variant':
      path.push(step)
      return putInVariant(param, current, step, rest, text, path)
    case 'list':
      return putItem(param, current, step, rest, text, path)
    default:
      throw new DeadEnd(`the path to end at ${path.join('.')}`, quote(step), `it is a ${param.type}`)
  }
}

function putField(
  fields: ParamFields,
  record: Readonly<Record<string, unknown>>,
  name: string,
  rest: readonly string[],
  text: string,
  path: (string | number)[],
  besides: readonly string[],
  hintOf: (key: string) => string,
): Record<string, unknown> {
  const field = Object.hasOwn(fields, name) ? fields[name] : undefined
  const names = [...besides, ...Object.keys(fields)]
  if (field === undefined)
    throw new DeadEnd(`a key: ${oneOf(names)}`, quote(name), suggestion(name, names) || hintOf(name))
  return { ...record, [name]: put(field, Object.hasOwn(record, name) ? record[name] : undefined, rest, text, path) }
}

function putInVariant(
  param: VariantParam<Definition>,
  current: unknown,
  step: string,
  rest: readonly string[],
  text: string,
  path: (string | number)[],
): unknown {
  const record = typeof current === 'string' ? { kind: current } : isRecord(current) ? current : {}
  const kind = Object.hasOwn(record, 'kind') ? record['kind'] : param.default
  const chosen = param.definitions.find((definition) => definition.name === kind)
  if (step === 'kind') {
    if (rest.length > 0) throw new DeadEnd('the path to end at kind', quote(rest.join('.')))
    const next = param.definitions.find((definition) => definition.name === text)
    // Keys that only the old kind has are removed with it.
    const kept = Object.entries(record).filter(
      ([key]) =>
        next === undefined ||
        Object.hasOwn(next.params, key) ||
        chosen === undefined ||
        !Object.hasOwn(chosen.params, key),
    )
    return { ...Object.fromEntries(kept), kind: text }
  }
  if (chosen === undefined) {
    const names = param.definitions.map((definition) => definition.name)
    throw new DeadEnd(`a kind before its keys: ${oneOf(names)}`, typeof kind === 'string' ? quote(kind) : 'none')
  }
  const hintOf = (key: string): string => otherKinds(param, chosen, key)
  return { kind: chosen.name, ...putField(chosen.params, record, step, rest, text, path, ['kind'], hintOf) }
}

function putItem(
  param: ListParam<Param>,
  current: unknown,
  step: string,
  rest: readonly string[],
  text: string,
  path: (string | number)[],
): unknown {
  if (isRecord(current)) throw new DeadEnd('a list with items to set', 'a list taken from a file', 'set the whole list')
  const standard = param.default === undefined ? [] : printParam(param, defaultOf(param))
  const items: unknown[] = Array.isArray(current)
    ? [...(current as unknown[])]
    : Array.isArray(standard)
      ? standard
      : []
  const index = /^\d{1,9}$/.test(step) ? Number(step) : -1
  if (index < 0 || index > items.length) {
    throw new DeadEnd(
      `an index from 0 to ${items.length} in a list of ${items.length}`,
      quote(step),
      'the first item is 0',
    )
  }
  path.push(index)
  items[index] = put(param.item, items[index], rest, text, path)
  return items
}

/** Value of the text after the =: a YAML value, or for a text param the text as it is. */
function valueFor(param: Param, text: string): unknown {
  const value = yamlValue(text)
  if (param.type === 'text') return typeof value === 'string' && /^["']/.test(text) ? value : text
  return value === undefined ? text : value
}
