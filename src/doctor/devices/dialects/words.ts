/**
 * Words: lists, ranges and numbers as devices write them.
 */

/** A decimal number without sign, with commas between thousands or without; undefined: anything else. */
export function countIn(text: string): number | undefined {
  return /^\d{1,3}(?:,\d{3})+$|^\d+$/.test(text) ? Number(text.replaceAll(',', '')) : undefined
}

/** "0-2,4" as 0, 1, 2, 4, ascending; undefined: no such list, or one with numbers above `most`. */
export function numbersIn(text: string, most: number): number[] | undefined {
  const numbers = new Set<number>()
  for (const part of text.split(',')) {
    const [, first, last] = /^\s*(\d+)(?:\s*-\s*(\d+))?\s*$/.exec(part) ?? []
    if (first === undefined || Number(last ?? first) > most) return undefined
    for (let i = Number(first); i <= Number(last ?? first); i++) numbers.add(i)
  }
  return [...numbers].sort((a, b) => a - b)
}

/** Positions of the bits that are set, ascending. */
export function bitsIn(mask: number, count: number): number[] {
  return Array.from({ length: count }, (_, i) => i).filter((i) => Math.floor(mask / 2 ** i) % 2 === 1)
}

/** Positions of what is true or 1, ascending. */
export function positionsOf(flags: readonly boolean[]): number[] {
  return flags.flatMap((isSet, i) => (isSet ? [i] : []))
}

const FEC_NAMES = new Map([
  ['baser', 'fc'],
  ['fec74', 'fc'],
  ['fec91', 'rs'],
  ['off', 'none'],
])

/** Forward error correction by one name in all dialects: "rs", "fc", "none", others as they stand. */
export function fecIn(text: string): string {
  const name = text.toLowerCase()
  return FEC_NAMES.get(name) ?? name
}
