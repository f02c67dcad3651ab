/**
 * Numbers for people: a fixed count of significant digits and a unit that keeps the number between 1 and 1000.
 * Absent numbers (NaN) are "-", infinite ones "never" for durations and "unlimited" else. Independent of locale.
 */

interface Unit {
  readonly scale: number
  readonly name: string
}

const DURATIONS: readonly Unit[] = [
  { scale: 1, name: 'ps' },
  { scale: 1e3, name: 'ns' },
  { scale: 1e6, name: 'us' },
  { scale: 1e9, name: 'ms' },
  { scale: 1e12, name: 's' },
]
const RATES: readonly Unit[] = [
  { scale: 1, name: 'bps' },
  { scale: 1e3, name: 'Kbps' },
  { scale: 1e6, name: 'Mbps' },
  { scale: 1e9, name: 'Gbps' },
  { scale: 1e12, name: 'Tbps' },
]
const SIZES: readonly Unit[] = [
  { scale: 1, name: 'B' },
  { scale: 1e3, name: 'KB' },
  { scale: 1e6, name: 'MB' },
  { scale: 1e9, name: 'GB' },
  { scale: 1e12, name: 'TB' },
]
const COUNTS: readonly Unit[] = [
  { scale: 1, name: '' },
  { scale: 1e3, name: 'k' },
  { scale: 1e6, name: 'M' },
  { scale: 1e9, name: 'G' },
  { scale: 1e12, name: 'T' },
]

/** "3.21 ms" of picoseconds. */
export function humanDuration(ps: number, digits = 3): string {
  return ps === Infinity ? 'never' : withUnit(ps, DURATIONS, digits)
}

/** "38.6 Gbps" of bits per second. */
export function humanRate(bps: number, digits = 3): string {
  return withUnit(bps, RATES, digits)
}

/** "240 KB" of bytes; 1 KB is 1000 bytes. */
export function humanBytes(bytes: number, digits = 3): string {
  return withUnit(bytes, SIZES, digits)
}

/** Units that names of quantities end with ("startPs"), as all fields, columns and metrics have them; read here alone. */
const OF_NAMES = { Ps: humanDuration, Bps: humanRate, Bytes: humanBytes } as const
type NamedUnit = keyof typeof OF_NAMES

/** Undefined: a plain number, or a name of others. */
export const unitOf = (name: string): NamedUnit | undefined =>
  (Object.keys(OF_NAMES) as NamedUnit[]).find((unit) => name.endsWith(unit))

/** "start" of "startPs". */
export const withoutUnit = (name: string): string => name.slice(0, name.length - (unitOf(name)?.length ?? 0))

/** A value with the unit of its name. */
export function humanValue(name: string, value: number): string {
  const unit = unitOf(name)
  return unit === undefined ? String(value) : OF_NAMES[unit](value)
}

/** "1.23 M" of a count. */
export function humanCount(count: number, digits = 3): string {
  return withUnit(count, COUNTS, digits)
}

/** "1,234,567": every digit, in groups of three. For integers. */
export function exactCount(count: number): string {
  if (!Number.isFinite(count)) return absent(count)
  return String(count).replace(/\B(?=(\d{3})+$)/g, ',')
}

/** "1.42" of a number without unit; whole digits are never cut off. */
export function humanNumber(value: number, digits = 3): string {
  if (!Number.isFinite(value)) return absent(value)
  if (value === 0) return '0'
  if (Math.abs(value) < 1e-4) return value.toExponential(digits - 1)
  const text = value.toPrecision(digits)
  return text.includes('e') ? String(Math.round(value)) : text
}

/** "12.3 %" of a share. */
export function humanShare(share: number, digits = 3): string {
  return Number.isFinite(share) ? `${humanNumber(share * 100, digits)} %` : absent(share)
}

function withUnit(value: number, units: readonly Unit[], digits: number): string {
  if (!Number.isFinite(value)) return absent(value)
  const size = Math.abs(value)
  const smallest = units[0] as Unit
  // Values that are exact in the smallest unit need no decimals: "7 ps", "0 B".
  if (size < 1000 && Number.isInteger(value)) return `${value} ${smallest.name}`.trimEnd()
  let unit = smallest
  // Rounding comes first: 999.7 ns is "1.00 us" in three digits.
  for (const next of units) if (Number((size / next.scale).toPrecision(digits)) >= 1) unit = next
  return `${humanNumber(value / unit.scale, digits)} ${unit.name}`.trimEnd()
}

function absent(value: number): string {
  if (Number.isNaN(value)) return '-'
  return value > 0 ? 'unlimited' : '-unlimited'
}
