/**
 * Wording of messages: the values that a param accepts, and the value that was found.
 */
import type { Param, QuantityParam } from '../../../core/base/params.ts'
import { formatQuantity, LENGTH_NAMES, parseQuantity, unitNames, type QuantityType } from '../../../core/base/units.ts'

const EXAMPLES: Readonly<Record<QuantityType, string>> = { rate: '40Gbps', duration: '2us', size: '240KB' }

/** Whether a param is a number with a unit. */
export function isQuantityType(type: Param['type']): type is QuantityType {
  return type === 'rate' || type === 'duration' || type === 'size'
}

export function isQuantity(param: Param): param is QuantityParam {
  return isQuantityType(param.type)
}

/** Names of the units that a quantity may be written in, as people read them. */
export function unitsOf({ type, isPropagation }: QuantityParam): readonly string[] {
  return isPropagation === true ? [...unitNames(type), ...LENGTH_NAMES] : unitNames(type)
}

/** Values that a param accepts, as the object of "expected": `a duration with its unit, such as "2us"`. */
export function expectationOf(param: Param): string {
  switch (param.type) {
    case 'rate':
    case 'duration':
    case 'size':
      return `a ${param.type} with its unit, such as "${EXAMPLES[param.type]}"${param.isPropagation === true ? `, or a length of cable, such as "40m"` : ''}${param.off ? ', or off' : ''}`
    case 'ratio':
    case 'count':
      return rangeOf(param)
    case 'flag':
      return 'true or false'
    case 'text':
      return param.off ? 'text, or off' : 'text'
    case 'choice':
      return oneOf(param.choices)
    case 'list':
      return param.minItems === 0 ? 'a list' : `a list of at least ${param.minItems}`
    case 'group':
      return `a group with keys such as ${Object.keys(param.fields).slice(0, 3).join(', ')}`
    default:
      return oneOf(param.definitions.map((definition) => definition.name))
  }
}

/** Values that a number param accepts, with limits: "a duration of at least 1ps", "a whole number from 0 to 7". */
export function rangeOf(param: Extract<Param, { min?: number }>): string {
  const noun = { rate: 'a rate', duration: 'a duration', size: 'a size', ratio: 'a number', count: 'a whole number' }[
    param.type
  ]
  const limits = limitsOf(param)
  const isSpan = param.min !== undefined && param.max !== undefined
  const link = limits === '' ? '' : isSpan ? ' ' : ' of '
  return `${noun}${link}${limits}${param.off ? ', or off' : ''}`
}

/** The limits alone: "at least 1ps", "from 0 to 7", or an empty text. */
export function limitsOf(param: Extract<Param, { min?: number }>): string {
  const show = (value: number): string =>
    isQuantityType(param.type) ? formatQuantity(param.type, value) : String(value)
  const { min, max } = param
  if (min !== undefined && max !== undefined) return `from ${show(min)} to ${show(max)}`
  if (min !== undefined) return `at least ${show(min)}`
  return max === undefined ? '' : `at most ${show(max)}`
}

/** "a, b or c", or "one of a, b, c, d" for more than three. */
export function oneOf(names: readonly string[]): string {
  if (names.length === 0) return 'nothing (none are known)'
  if (names.length === 1) return names[0] ?? ''
  if (names.length <= 3) return `${names.slice(0, -1).join(', ')} or ${names.at(-1) ?? ''}`
  return `one of ${names.join(', ')}`
}

/** A found value in a few words: `"abc"`, `40`, `a list of 3`, `a group`, `nothing`. */
export function describeValue(value: unknown): string {
  if (value === undefined || value === null) return 'nothing'
  if (typeof value === 'string') return quote(value)
  if (Array.isArray(value)) return value.length === 0 ? 'an empty list' : `a list of ${value.length}`
  if (typeof value === 'object') {
    const keys = Object.keys(value)
    const shown = keys.slice(0, 4).map((key) => shorten(key, 20))
    return `a group {${shown.join(', ')}${keys.length > 4 ? ', ...' : ''}}`
  }
  return typeof value === 'number' || typeof value === 'boolean' ? String(value) : typeof value
}

/** A text in quotes, cut when it is long. */
export function quote(text: string): string {
  return JSON.stringify(shorten(text, 60))
}

function shorten(text: string, length: number): string {
  return text.length <= length ? text : `${text.slice(0, length - 3)}...`
}

/** Hint why a value is not a quantity of this type; empty when there is none. */
export function quantityHint(param: QuantityParam, value: unknown): string {
  const { type } = param
  if (typeof value === 'number') return ''
  if (typeof value !== 'string') return ''
  const trimmed = value.trim()
  const micro = trimmed.replace(/\s*[µμ]s$/, 'us')
  if (micro !== trimmed && parseQuantity(type, micro) !== undefined) return `write us: ${quote(micro)}`
  const parts = /^(-?)\d[\d.,_]*\s*([A-Za-z/]*)$/.exec(trimmed)
  if (parts === null) return ''
  const [, sign = '', unit = ''] = parts
  if (sign === '-') return `a ${type} is not negative`
  if (unit === '') return ''
  const mixed = bitsOrBytes(type, trimmed.slice(0, trimmed.length - unit.length).trim(), unit)
  if (mixed !== '') return mixed
  const respelt = unitNames(type).find((name) => name.toLowerCase() === unit.toLowerCase())
  if (respelt !== undefined && respelt !== unit) {
    const corrected = trimmed.slice(0, trimmed.length - unit.length) + respelt
    if (parseQuantity(type, corrected) !== undefined) return `did you mean ${quote(corrected)}?`
  }
  if (!unitsOf(param).includes(unit)) return `units are ${unitsOf(param).join(', ')}`
  if (type === 'duration') return 'a duration is a whole number of picoseconds below 2^53 ps, 2.5 hours'
  return type === 'size' ? 'a size is a whole number of bytes' : ''
}

/** Hint for a rate in bytes or a size in bits: the case of one letter, a factor of eight. */
function bitsOrBytes(type: QuantityType, number: string, unit: string): string {
  const pattern = { rate: /^([kmgt]?)B(?:ps|\/s)$/i, size: /^([kmg]i?)b$/i, duration: /^$/ }[type]
  const [, prefix] = pattern.exec(unit) ?? []
  if (prefix === undefined || unit.includes('B') === (type === 'size')) return ''
  const [given, taken] = type === 'rate' ? (['B is bytes', 'b bits'] as const) : (['b is bits', 'B bytes'] as const)
  const magnitude = prefix.slice(0, 1).toUpperCase() + prefix.slice(1)
  const respelt = `${number}${magnitude}${type === 'rate' ? 'bps' : 'B'}`
  const value = parseQuantity(type, respelt)
  if (value === undefined) return ''
  const meant = type === 'rate' ? value * 8 : value / 8
  const same = Number.isSafeInteger(meant) || type === 'rate' ? `${quote(formatQuantity(type, meant))}, or ` : ''
  return `${given} and ${taken}: write ${same}${quote(respelt)} if ${type === 'rate' ? 'bits' : 'bytes'} were meant`
}

/** "did you mean x?" for the name nearest to a misspelt one; empty when none is near. */
export function suggestion(word: string, names: readonly string[]): string {
  const lower = word.toLowerCase()
  const allowed = Math.max(1, Math.floor(word.length / 3))
  let best: string | undefined
  let bestDistance = allowed + 1
  if (word.length <= 64) {
    for (const name of names) {
      const distance = editDistance(lower, name.toLowerCase())
      if (distance < bestDistance) [best, bestDistance] = [name, distance]
    }
  }
  return best === undefined ? '' : `did you mean ${best}?`
}

/** Insertions, deletions, replacements and swaps of neighbours (optimal string alignment). */
function editDistance(a: string, b: string): number {
  let before: number[] = []
  let above = Array.from({ length: b.length + 1 }, (_, j) => j)
  for (let i = 1; i <= a.length; i++) {
    const row = [i]
    for (let j = 1; j <= b.length; j++) {
      const replaced = (above[j - 1] ?? 0) + (a[i - 1] === b[j - 1] ? 0 : 1)
      let cost = Math.min(replaced, (above[j] ?? 0) + 1, (row[j - 1] ?? 0) + 1)
      if (i > 1 && j > 1 && a[i - 1] === b[j - 2] && a[i - 2] === b[j - 1])
        cost = Math.min(cost, (before[j - 2] ?? 0) + 1)
      row.push(cost)
    }
    ;[before, above] = [above, row]
  }
  return above[b.length] ?? 0
}
