/**
 * Reads what a rule of a script does: a word, or a map with the word and its values.
 */
import { parseQuantity } from '../../core/base/units.ts'
import { FIELDS } from './fields.ts'
import type { Action, ActionKind } from './script.ts'

/** Where a value of an action is wrong. */
interface Mistake {
  /** Below the action's own key. */
  readonly path: readonly string[]
  readonly expected: string
  readonly found: unknown
}

type Reading = Action | Mistake
/** @param value undefined: the word alone. @param beside keys beside the word */
type Reader = (value: unknown, beside: Readonly<Record<string, unknown>>) => Reading

const COPIES_MAX = 1000
const DURATION_PS_MAX = 3600e12
const RATE_MAX = 1e6

const isWhole = (value: unknown, min: number, max: number): value is number =>
  Number.isInteger(value) && Number(value) >= min && Number(value) <= max

const wrong = (expected: string, found: unknown, ...path: string[]): Mistake => ({ expected, found, path })

const plain =
  (kind: 'drop' | 'corrupt-icrc' | 'corrupt-payload' | 'mark-ce' | 'vanish' | 'close'): Reader =>
  (value) =>
    value === undefined ? { kind } : wrong(`${kind} alone`, value)

const counted =
  (make: (count: number) => Action): Reader =>
  (value) =>
    value === undefined
      ? make(1)
      : isWhole(value, 1, COPIES_MAX)
        ? make(value)
        : wrong(`a whole number from 1 to ${COPIES_MAX}`, value)

const timed =
  (make: (durationPs: number) => Action): Reader =>
  (value) => {
    const duration = durationOf(value)
    return duration === undefined ? wrong('a duration such as 5ms, up to an hour', value ?? null) : make(duration)
  }

function durationOf(value: unknown): number | undefined {
  const duration = typeof value === 'string' ? parseQuantity('duration', value) : undefined
  return duration !== undefined && duration > 0 && duration <= DURATION_PS_MAX ? duration : undefined
}

/** NAK codes as written: 62 stands for the syndrome 62 in hexadecimal. */
const NAKS: readonly number[] = [60, 61, 62, 63, 64]

const READERS: Readonly<Record<ActionKind, Reader>> = {
  drop: plain('drop'),
  'corrupt-icrc': plain('corrupt-icrc'),
  'corrupt-payload': plain('corrupt-payload'),
  'mark-ce': plain('mark-ce'),
  vanish: plain('vanish'),
  close: plain('close'),
  duplicate: counted((copies) => ({ kind: 'duplicate', copies })),
  reorder: counted((behind) => ({ kind: 'reorder', behind })),
  delay: timed((delayPs) => ({ kind: 'delay', delayPs })),
  pause: timed((durationPs) => ({ kind: 'pause', durationPs })),
  truncate: (value) =>
    value === undefined
      ? { kind: 'truncate', leftBytes: null }
      : isWhole(value, 0, 4096)
        ? { kind: 'truncate', leftBytes: value }
        : wrong('bytes of payload that are left, from 0 to 4096', value),
  set: readSet,
  rnr: (value, { timer = 12 }) =>
    value !== undefined && !isWhole(value, 1, COPIES_MAX)
      ? wrong(`a whole number from 1 to ${COPIES_MAX}`, value)
      : isWhole(timer, 0, 31)
        ? { kind: 'rnr', count: value ?? 1, timer }
        : wrong('a code from 0 to 31', timer, 'timer'),
  nak: (value) =>
    NAKS.some((code) => code === value)
      ? { kind: 'nak', syndrome: Number.parseInt(String(value), 16) }
      : wrong(`a code of ${NAKS.join(', ')}`, value ?? null),
  cnp: readCnp,
  reject: (value) =>
    value === undefined || isWhole(value, 0, 65_535)
      ? { kind: 'reject', reason: value ?? 28 }
      : wrong('a reason from 0 to 65535, such as 28 (by the consumer)', value),
}

/** Further keys of an action. */
const BESIDE: Readonly<Partial<Record<ActionKind, readonly string[]>>> = { rnr: ['timer'] }

export const ACTION_KINDS = Object.keys(READERS) as readonly ActionKind[]

/** The action, or every mistake in it, with paths below `do`. */
export function readAction(value: unknown): Action | readonly Mistake[] {
  const form = `one of ${ACTION_KINDS.join(', ')}`
  if (typeof value === 'string') return isKind(value) ? listed(READERS[value](undefined, {})) : [wrong(form, value)]
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return [wrong(form, value)]
  const entries = Object.entries(value)
  const kind = entries.map(([key]) => key).find(isKind)
  if (kind === undefined) return [wrong(form, entries[0]?.[0], ...(entries[0] === undefined ? [] : [entries[0][0]]))]
  const allowed = [kind, ...(BESIDE[kind] ?? [])]
  const unknown = entries.filter(([key]) => !allowed.includes(key))
  const mistakes = unknown.map(([key]) => wrong(`nothing but ${allowed.join(', ')}`, key, key))
  const reading = READERS[kind](Reflect.get(value, kind), value as Readonly<Record<string, unknown>>)
  if (!('expected' in reading)) return mistakes.length === 0 ? reading : mistakes
  const isBeside = BESIDE[kind]?.includes(reading.path[0] ?? '') === true
  return [...mistakes, isBeside ? reading : { ...reading, path: [kind, ...reading.path] }]
}

const isKind = (word: string): word is ActionKind => Object.hasOwn(READERS, word)

const listed = (reading: Reading): Action | readonly Mistake[] => ('expected' in reading ? [reading] : reading)

function readSet(value: unknown): Reading {
  const names = Object.keys(FIELDS).join(', ')
  if (typeof value !== 'object' || value === null || Array.isArray(value) || Object.keys(value).length === 0)
    return wrong(`a map of fields such as {psn: 5}; the fields are ${names}`, value ?? null)
  for (const [name, one] of Object.entries(value)) {
    if (!Object.hasOwn(FIELDS, name)) return wrong(`a field: ${names}`, name, name)
    const max = Math.min(Number.MAX_SAFE_INTEGER, 2 ** FIELDS[name]!.bits - 1)
    if (!isWhole(one, 0, max)) return wrong(`a whole number from 0 to ${max}`, one, name)
  }
  return { kind: 'set', fields: value as Readonly<Record<string, number>> }
}

/** A number at once, or {rate: 10000/s, for: 100ms}. */
function readCnp(value: unknown): Reading {
  const form = `a number from 1 to ${COPIES_MAX}, or {rate: 10000/s, for: 100ms}`
  if (value === undefined || isWhole(value, 1, COPIES_MAX))
    return { kind: 'cnp', count: value ?? 1, intervalPs: 0, durationPs: 0 }
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return wrong(form, value)
  const { rate, for: lasting, ...rest } = value as Readonly<Record<string, unknown>>
  const [unknown] = Object.keys(rest)
  if (unknown !== undefined) return wrong('nothing but rate and for', unknown, unknown)
  const perSecond = typeof rate === 'string' ? Number(/^(\d{1,7})\/s$/.exec(rate)?.[1]) : NaN
  if (!(perSecond >= 1 && perSecond <= RATE_MAX)) return wrong(`a rate from 1/s to ${RATE_MAX}/s`, rate ?? null, 'rate')
  const durationPs = durationOf(lasting)
  if (durationPs === undefined) return wrong('a duration such as 100ms, up to an hour', lasting ?? null, 'for')
  return { kind: 'cnp', count: 0, intervalPs: Math.round(1e12 / perSecond), durationPs }
}
