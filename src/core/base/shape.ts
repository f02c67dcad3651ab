/**
 * Shapes: what a value that was read from a file has to look like. Everything that is read back is checked against one
 * before a field of it is used, whoever wrote the file.
 * A shape finds the first mistake in a value; it changes nothing and keeps fields that it does not name.
 */
import { InputError, inputError } from './issue.ts'

/** Where a value differs from its shape, such as "counters.drops.buffer full". */
interface ShapeMistake {
  readonly path: string
  readonly expected: string
  readonly received: string
}

/** Returns the first mistake in a value, at `path` in the whole; undefined: the value has the shape. */
export interface Shape<T> {
  (value: unknown, path: string): ShapeMistake | undefined
  /** The type of a value that has the shape; never set. */
  readonly of?: T
}

/** Whether a value has the shape. */
export function hasShape<T>(shape: Shape<T>, value: unknown): value is T {
  return shape(value, '') === undefined
}

/** The value, which has the shape. Throws InputError with file and field if it does not. @param file as shown to the user */
export function shaped<T>(shape: Shape<T>, value: unknown, file: string, hint: string): T {
  const mistake = shape(value, '')
  if (mistake === undefined) return value as T
  throw new InputError([{ ...mistake, path: mistake.path === '' ? file : `${file}: ${mistake.path}`, hint }])
}

/** JSON as a value of the shape. Throws InputError like `shaped`. */
export function shapedJson<T>(shape: Shape<T>, text: string, file: string, hint: string): T {
  let value: unknown
  try {
    value = JSON.parse(text)
  } catch (error) {
    throw inputError(file, 'JSON', error instanceof Error ? error.message : 'something else', hint)
  }
  return shaped(shape, value, file, hint)
}

/** A value from JSON; undefined, which JSON has not, for a text that is none. */
export function parsedJson(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

/** A shape from a test of single values. */
function valueShape<T>(expected: string, holds: (value: unknown) => boolean): Shape<T> {
  return (value, path) => (holds(value) ? undefined : { path, expected, received: described(value) })
}

export const anything: Shape<unknown> = () => undefined
export const textShape: Shape<string> = valueShape('a text', (value) => typeof value === 'string')
export const flagShape: Shape<boolean> = valueShape('true or false', (value) => typeof value === 'boolean')
/** A number that JSON can hold. */
export const numberShape: Shape<number> = valueShape('a number', Number.isFinite)
export const countShape: Shape<number> = countUpTo(Number.MAX_SAFE_INTEGER)

/** An integer from 0. */
export function countUpTo(max: number): Shape<number> {
  const expected = max === Number.MAX_SAFE_INTEGER ? 'a whole number from 0' : `a whole number from 0 to ${max}`
  return valueShape(
    expected,
    (value) => Number.isSafeInteger(value) && (value as number) >= 0 && (value as number) <= max,
  )
}

/** A text of a form. @param expected the form in words. */
export function textOf(form: RegExp, expected: string): Shape<string> {
  return valueShape(expected, (value) => typeof value === 'string' && form.test(value))
}

export function oneOf<const T extends readonly (string | number | boolean)[]>(...values: T): Shape<T[number]> {
  return valueShape(values.map((value) => JSON.stringify(value)).join(' or '), (value) =>
    values.some((one) => one === value),
  )
}

export function orNull<T>(shape: Shape<T>): Shape<T | null> {
  return (value, path) => (value === null ? undefined : shape(value, path))
}

/** A field that may be missing. */
export function optional<T>(shape: Shape<T>): Shape<T | undefined> {
  return (value, path) => (value === undefined ? undefined : shape(value, path))
}

export function listOf<T>(item: Shape<T>): Shape<readonly T[]> {
  return (value, path) => {
    if (!Array.isArray(value)) return { path, expected: 'a list', received: described(value) }
    return firstMistake(value.entries(), (i, one) => item(one, `${path}[${i}]`))
  }
}

/** An object with names of any kind. */
export function recordOf<T>(item: Shape<T>): Shape<Readonly<Record<string, T>>> {
  return (value, path) => {
    if (!isObject(value)) return { path, expected: 'an object', received: described(value) }
    return firstMistake(Object.entries(value), (name, one) => item(one, joined(path, name)))
  }
}

/** A shape for each field: one that is added to the type has to be added here. */
export type FieldShapes<T> = { readonly [Field in keyof T]-?: Shape<T[Field]> }

/** The type of values that have a shape. */
export type Shaped<S> = S extends Shape<infer T> ? T : never

export function objectOf<T>(fields: FieldShapes<T>): Shape<T> {
  const shapes = Object.entries<Shape<unknown>>(fields)
  return (value, path) => {
    if (!isObject(value)) return { path, expected: 'an object', received: described(value) }
    return firstMistake(shapes, (name, shape) =>
      shape(Object.hasOwn(value, name) ? value[name] : undefined, joined(path, name)),
    )
  }
}

function firstMistake<K, V>(
  entries: Iterable<readonly [K, V]>,
  mistakeIn: (key: K, value: V) => ShapeMistake | undefined,
): ShapeMistake | undefined {
  for (const [key, value] of entries) {
    const mistake = mistakeIn(key, value)
    if (mistake !== undefined) return mistake
  }
  return undefined
}

function joined(path: string, name: string): string {
  return path === '' ? name : `${path}.${name}`
}

function isObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

/** Longest part of a wrong value that a message shows. */
const SHOWN_CHARACTERS = 40

function described(value: unknown): string {
  if (value === undefined) return 'nothing'
  if (Array.isArray(value)) return 'a list'
  if (isObject(value)) return 'an object'
  const text = typeof value === 'string' ? value.slice(0, SHOWN_CHARACTERS + 1) : value
  const shown = JSON.stringify(text)
  return shown.length > SHOWN_CHARACTERS ? `${shown.slice(0, SHOWN_CHARACTERS)}...` : shown
}
