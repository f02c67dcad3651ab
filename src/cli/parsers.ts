/**
 * Parsers: check the values of options. The library prefixes their messages with the option's name.
 */

/** Any text. */
export function anyText(input: string): string {
  return input
}

/** The name of a file or folder. */
export function fileText(input: string): string {
  if (input.trim() !== '') return input
  throw new Error(`expected the name of a file or folder, received ${JSON.stringify(input)}`)
}

/** A whole number from `min` to `max`. */
export function wholeNumber(min: number, max: number = Number.MAX_SAFE_INTEGER): (input: string) => number {
  return (input) => {
    const value = /^\d{1,16}$/.test(input) ? Number(input) : NaN
    if (value >= min && value <= max) return value
    const range = max === Number.MAX_SAFE_INTEGER ? `of at least ${min}` : `from ${min} to ${max}`
    throw new Error(`expected a whole number ${range}, received ${JSON.stringify(input)}`)
  }
}

/** Width and height in pixels, each from `min` to `max`: "800x450". */
export function pixelSize(min: number, max: number): (input: string) => { width: number; height: number } {
  return (input) => {
    const [width = NaN, height = NaN] = /^\d{1,6}x\d{1,6}$/.test(input) ? input.split('x').map(Number) : []
    if (Math.min(width, height) >= min && Math.max(width, height) <= max) return { width, height }
    const received = JSON.stringify(input)
    throw new Error(
      `expected WIDTHxHEIGHT in pixels, each from ${min} to ${max}, such as 800x450, received ${received}`,
    )
  }
}

const RATES: Readonly<Record<string, number>> = { Mbps: 1e6, Gbps: 1e9, Tbps: 1e12 }

/** The rate of a link, bits per second: "100Gbps". */
export function linkRate(input: string): number {
  const [, digits = '', unit = ''] = /^(\d{1,6}(?:\.\d{1,6})?) ?([MGT]bps)$/.exec(input) ?? []
  const rateBps = Number(digits) * (RATES[unit] ?? NaN)
  if (rateBps > 0) return rateBps
  throw new Error(`expected a rate such as 100Gbps, received ${JSON.stringify(input)}`)
}

/** Largest seed of a scenario. */
export const SEED_MAX = 2 ** 32 - 1
