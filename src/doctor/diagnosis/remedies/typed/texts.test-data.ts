/** Texts of a device by the names of its files, as commands change them, and lists of numbers in them. */

export type Texts = Map<string, string>

/** A line that no manual has, or that the device would refuse. */
export class Refused extends Error {
  constructor(line: string, why: string) {
    super(`${line}: ${why}`)
  }
}

/** "0-2,5" or "0 1 5" as numbers. */
export function numbersOf(list: string): number[] {
  return list.split(/[\s,]+/).flatMap((part) => {
    const [first = NaN, last = first] = part.split('-').map(Number)
    return Array.from({ length: last - first + 1 }, (_, i) => first + i)
  })
}

/** Numbers as "0-2,5". */
export function listOf(numbers: readonly number[]): string {
  const sorted = [...new Set(numbers)].toSorted((a, b) => a - b)
  const runs: [number, number][] = []
  for (const n of sorted) {
    const last = runs.at(-1)
    if (last?.[1] === n - 1) last[1] = n
    else runs.push([n, n])
  }
  return runs.map(([a, b]) => (a === b ? `${a}` : `${a}-${b}`)).join(',')
}

/** The one file of a name, whatever directory and ending the collection gave it. */
export function fileOf(texts: Texts, pattern: RegExp): string | undefined {
  return [...texts.keys()].find((file) => pattern.test(file))
}
