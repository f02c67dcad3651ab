/**
 * Parsers: check the values of options. The library prefixes their messages with the option's name.
 */
import { parseQuantity, type QuantityType } from '../core/base/units.ts'

export type Parser<T> = (input: string) => T

/** A parser of what `read` knows; any other text is refused with what is expected. */
export function parser<T>(expected: string, read: (input: string) => T | undefined): Parser<T> {
  return (input) => {
    const value = read(input)
    if (value !== undefined) return value
    throw new Error(`expected ${expected}, received ${JSON.stringify(input)}`)
  }
}

/** Any text. */
export function anyText(input: string): string {
  return input
}

/** The name of a file or folder. */
export const fileText: Parser<string> = parser('the name of a file or folder', (input) =>
  input.trim() === '' ? undefined : input,
)

/** One of some words. */
export function wordOf<V extends string>(words: readonly V[], expected = `one of ${words.join(', ')}`): Parser<V> {
  return parser(expected, (input) => words.find((word) => word === input))
}

/** A whole number from `min` to `max`. */
export function wholeNumber(min: number, max: number = Number.MAX_SAFE_INTEGER): Parser<number> {
  const range = max === Number.MAX_SAFE_INTEGER ? `of at least ${min}` : `from ${min} to ${max}`
  return parser(`a whole number ${range}`, (input) => {
    const value = /^\d{1,16}$/.test(input) ? Number(input) : NaN
    return value >= min && value <= max ? value : undefined
  })
}

/** A quantity with its unit, from `min` to `max` in base units. */
export function quantity(type: QuantityType, min: number, max: number, expected: string): Parser<number> {
  return parser(expected, (input) => {
    const value = parseQuantity(type, input)
    return value !== undefined && value >= min && value <= max ? value : undefined
  })
}

/** Width and height in pixels, each from `min` to `max`: "800x450". */
export function pixelSize(min: number, max: number): Parser<{ readonly width: number; readonly height: number }> {
  return parser(`WIDTHxHEIGHT in pixels, each from ${min} to ${max}, such as 800x450`, (input) => {
    const [width = NaN, height = NaN] = /^\d{1,6}x\d{1,6}$/.test(input) ? input.split('x').map(Number) : []
    return Math.min(width, height) >= min && Math.max(width, height) <= max ? { width, height } : undefined
  })
}

const TABLE_SIZE_MAX = 2 ** 40
/** Sizes from..to; K, M and G alone are powers of 2, as those of nccl-tests: "8..16G", "1KB..1MiB". */
export const sizesOfTable: Parser<readonly [fromBytes: number, toBytes: number]> = parser(
  `sizes from..to up to ${TABLE_SIZE_MAX / 2 ** 40} TiB, such as 8..16G`,
  (input) => {
    const [from = NaN, to = NaN] = input.split('..').map((text) => {
      const [, digits, unit = ''] = /^(\d{1,15})([KMG]?)$/i.exec(text) ?? []
      return digits === undefined
        ? (parseQuantity('size', text) ?? NaN)
        : Number(digits) * 2 ** (10 * ' KMG'.indexOf(unit === '' ? ' ' : unit.toUpperCase()))
    })
    return from >= 1 && from <= to && to <= TABLE_SIZE_MAX && input.split('..').length === 2 ? [from, to] : undefined
  },
)
const RATES: Readonly<Record<string, number>> = { Mbps: 1e6, Gbps: 1e9, Tbps: 1e12 }

/** The rate of a link, bits per second: "100Gbps". */
export const linkRate: Parser<number> = parser('a rate such as 100Gbps', (input) => {
  const [, digits = '', unit = ''] = /^(\d{1,6}(?:\.\d{1,6})?) ?([MGT]bps)$/.exec(input) ?? []
  const rateBps = Number(digits) * (RATES[unit] ?? NaN)
  return rateBps > 0 ? rateBps : undefined
})

/** Largest seed of a scenario. */
export const SEED_MAX = 2 ** 32 - 1
