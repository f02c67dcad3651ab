/**
 * Units: conversion between quantities in text and numbers in base units.
 * Base units: rates in bit/s, durations in whole picoseconds, sizes in whole bytes.
 * Invariant: parseQuantity(type, formatQuantity(type, v)) is v, to the last bit. Both ways move the
 * decimal point in text and never multiply, so that 2.000008719s is exactly 2000008719000ps.
 */
import { assert } from './assert.ts'

/** The kinds of number that carry a unit. */
export type QuantityType = 'rate' | 'duration' | 'size'

/** Unit: 10^exponent base units, or `binary` base units where it is a power of 1024. */
interface Unit {
  readonly name: string
  readonly exponent: number
  readonly binary: number
}

const decimal = (name: string, exponent: number): Unit => ({ name, exponent, binary: 0 })
const binary = (name: string, bytes: number): Unit => ({ name, exponent: 0, binary: bytes })

/** Smallest first; formatting uses these names. */
const UNITS: Readonly<Record<QuantityType, readonly Unit[]>> = {
  rate: [decimal('bps', 0), decimal('Kbps', 3), decimal('Mbps', 6), decimal('Gbps', 9), decimal('Tbps', 12)],
  duration: [decimal('ps', 0), decimal('ns', 3), decimal('us', 6), decimal('ms', 9), decimal('s', 12)],
  size: [
    decimal('B', 0),
    decimal('KB', 3),
    decimal('MB', 6),
    decimal('GB', 9),
    decimal('TB', 12),
    binary('KiB', 1024),
    binary('MiB', 1024 ** 2),
    binary('GiB', 1024 ** 3),
    binary('TiB', 1024 ** 4),
  ],
}

/** Other accepted spellings. Only unambiguous ones: Kb is never a size, KB/s never a rate. */
const SPELLINGS: Readonly<Record<QuantityType, Readonly<Record<string, string>>>> = {
  rate: {
    'b/s': 'bps',
    kbps: 'Kbps',
    'kb/s': 'Kbps',
    'Kb/s': 'Kbps',
    'Mb/s': 'Mbps',
    'Gb/s': 'Gbps',
    'Tb/s': 'Tbps',
  },
  duration: {},
  size: { kB: 'KB' },
}

const QUANTITY = /^(\d{1,400})(?:\.(\d{1,400}))?\s*([A-Za-z/]+)$/

/** Names of the units of a quantity, smallest first, as they are printed. */
export function unitNames(type: QuantityType): readonly string[] {
  return UNITS[type].map((unit) => unit.name)
}

/**
 * The number in base units that a text such as "40Gbps", "2.5 us" or "12MiB" means.
 * @returns undefined when the text is no such quantity: no unit, a sign, an exponent, an unknown unit, a fraction of
 * a picosecond or of a byte, or a duration or size of 2^53 and more.
 */
export function parseQuantity(type: QuantityType, text: string): number | undefined {
  const parts = QUANTITY.exec(text.trim())
  if (parts === null) return undefined
  const [, whole = '', fraction = '', spelling = ''] = parts
  const name = Object.hasOwn(SPELLINGS[type], spelling) ? SPELLINGS[type][spelling] : spelling
  const unit = UNITS[type].find((candidate) => candidate.name === name)
  if (unit === undefined) return undefined
  if (unit.binary !== 0) return wholeMultiple(whole, fraction, unit.binary)
  const value = Number(shiftPoint(whole, fraction, unit.exponent))
  if (type === 'rate') return Number.isFinite(value) ? value : undefined
  const lost = fraction.slice(unit.exponent)
  return /^0*$/.test(lost) && Number.isSafeInteger(value) ? value : undefined
}

/** Delay of a metre of cable, copper or fibre, one way. Source: [MS-Scale] section 2; 802.1Q: 476 to 513 ns per 100 m. */
export const PS_PER_METRE = 5000

/** Lengths of cable in metres, as they are written. */
const LENGTHS: Readonly<Record<string, number>> = { m: 1, km: 1000 }

/** Names of the units that a length of cable may have. */
export const LENGTH_NAMES: readonly string[] = Object.keys(LENGTHS)

/**
 * The delay of a cable in picoseconds: a duration ("200ns"), or a length at 5 ns per metre ("40m", "2km").
 * @returns undefined for other texts, and for a fraction of a picosecond
 */
export function parsePropagation(text: string): number | undefined {
  const [, whole = '', fraction = '', unit = ''] = QUANTITY.exec(text.trim()) ?? []
  const metres = Object.hasOwn(LENGTHS, unit) ? LENGTHS[unit] : undefined
  return metres === undefined ? parseQuantity('duration', text) : wholeMultiple(whole, fraction, metres * PS_PER_METRE)
}

/**
 * The exact text of a quantity in its most readable unit: "2.000008719s", "1086B", "12MiB".
 * @param value finite and not negative; whole for durations and sizes.
 */
export function formatQuantity(type: QuantityType, value: number): string {
  assert(Number.isFinite(value) && value >= 0, 'a quantity is finite and not negative')
  assert(type === 'rate' || Number.isSafeInteger(value), 'a duration or size is a whole number below 2^53')
  if (type === 'size') return formatSize(value)
  const unit = largestUnit(type, value)
  return shiftNumber(value, -unit.exponent) + unit.name
}

/**
 * A quantity for people: rounded to `digits` significant digits ("12.3us", "38.7Gbps"). Never for parsing again.
 * Takes any number; infinite ones are "never" (durations) or "unlimited", sizes use KB, MB, GB.
 */
export function formatRounded(type: QuantityType, value: number, digits = 3): string {
  if (Number.isNaN(value)) return '-'
  if (value < 0) return `-${formatRounded(type, -value, digits)}`
  if (value === Infinity) return type === 'duration' ? 'never' : 'unlimited'
  const rounded = Number(value.toPrecision(digits))
  const unit = largestUnit(type, rounded)
  return shiftNumber(rounded, -unit.exponent) + unit.name
}

function largestUnit(type: QuantityType, value: number): Unit {
  const units = UNITS[type].filter((unit) => unit.binary === 0)
  const first = units[0]
  assert(first !== undefined, 'every quantity has a smallest unit')
  return units.findLast((unit) => 10 ** unit.exponent <= value) ?? first
}

/** Fewest characters before the unit wins; on a tie the unit that stands first. Binary units only in quarters. */
function formatSize(bytes: number): string {
  let best = { number: String(bytes), unit: 'B' }
  for (const unit of UNITS.size) {
    if (unit.binary === 0 ? 10 ** unit.exponent > bytes : bytes < unit.binary || bytes % (unit.binary / 4) !== 0)
      continue
    const number = unit.binary === 0 ? shiftNumber(bytes, -unit.exponent) : String(bytes / unit.binary)
    if (number.length < best.number.length) best = { number, unit: unit.name }
  }
  return best.number + best.unit
}

/** whole.fraction times a number of base units; undefined if that is no whole number of them, or too large. */
function wholeMultiple(whole: string, fraction: string, baseUnits: number): number | undefined {
  const scale = 10n ** BigInt(fraction.length)
  const scaled = BigInt(whole + fraction) * BigInt(baseUnits)
  if (scaled % scale !== 0n) return undefined
  const value = Number(scaled / scale)
  return Number.isSafeInteger(value) ? value : undefined
}

/** The shortest decimal text of a number times 10^places, without exponent or needless zeros. */
function shiftNumber(value: number, indexes: number): string {
  const [digits = '0', exponent = '0'] = String(value).split('e')
  const [whole = '0', fraction = ''] = digits.split('.')
  return shiftPoint(whole, fraction, indexes + Number(exponent))
}

/** Moves the decimal point of whole.fraction to the right (places > 0) or left. */
function shiftPoint(whole: string, fraction: string, indexes: number): string {
  const digits = whole + fraction
  const point = whole.length + indexes
  const left = point <= 0 ? '0' : digits.slice(0, point).padEnd(point, '0')
  const right = point <= 0 ? '0'.repeat(-point) + digits : digits.slice(point)
  const tidyLeft = left.replace(/^0+(?=\d)/, '')
  const tidyRight = right.replace(/0+$/, '')
  return tidyRight === '' ? tidyLeft : `${tidyLeft}.${tidyRight}`
}
