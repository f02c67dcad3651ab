/**
 * Excerpts: the lines of files that findings cite, with the lines around them. A page has no more of the files than that,
 * nor what stands behind words such as password.
 */
import type { Finding } from '../../../findings/index.ts'
import { isFabricKind } from '../../../findings/index.ts'
import { withoutPasswords } from '../../../ops/index.ts'

/** Lines above and below; letters of a line; places of a finding, and lines of a page. */
const AROUND = 3
const LETTERS_MAX = 200
const PLACES_MAX = 8
const LINES_MAX = 6000

export interface ExcerptLine {
  readonly number: number
  readonly text: string
  readonly isCited: boolean
}

export interface Excerpt {
  readonly file: string
  readonly lines: readonly ExcerptLine[]
}

/** Places of a finding in files, the first one first. */
export function citedPlaces(finding: Finding): { readonly file: string; readonly line: number }[] {
  const { subject, kind, values, also } = finding
  const cited = isFabricKind(kind) ? (values['cited'] as readonly { file: string; line: number }[]) : []
  const spots = [subject, ...also.map((each) => each.subject)].map(({ file = '', line = 0 }) => ({ file, line }))
  const [own, ...others] = spots
  const places = new Map<string, { file: string; line: number }>()
  for (const { file, line } of [own!, ...cited, ...others])
    if (file !== '' && line > 0) places.set(`${line} ${file}`, { file, line })
  return [...places.values()]
}

/** Excerpts by finding. Each file is read once. @param textOf undefined: the file cannot be read */
export function excerptsOf(
  findings: readonly Finding[],
  textOf: (file: string) => string | undefined,
): ReadonlyMap<Finding, readonly Excerpt[]> {
  const wanted = new Map<string, Set<number>>()
  const placesOf = new Map<Finding, { readonly file: string; readonly line: number }[]>()
  let left = LINES_MAX
  for (const finding of findings) {
    const places = citedPlaces(finding).slice(0, PLACES_MAX)
    left -= places.length * (2 * AROUND + 1)
    if (left < 0) break
    placesOf.set(finding, places)
    for (const { file, line } of places) wanted.set(file, (wanted.get(file) ?? new Set()).add(line))
  }
  const texts = new Map<string, ReadonlyMap<number, string>>()
  for (const [file, lines] of wanted) texts.set(file, linesAround(textOf(file) ?? '', lines))
  return new Map(
    [...placesOf].map(([finding, places]) => {
      const files = [...new Set(places.map(({ file }) => file))]
      const excerpts = files.map((file): Excerpt => {
        const cited = new Set(places.filter((place) => place.file === file).map(({ line }) => line))
        const known = texts.get(file)!
        const lines = [...known.keys()].filter((number) => [...cited].some((line) => Math.abs(line - number) <= AROUND))
        return {
          file,
          lines: lines.map((number) => ({ number, text: known.get(number)!, isCited: cited.has(number) })),
        }
      })
      return [finding, excerpts.filter(({ lines }) => lines.length > 0)]
    }),
  )
}

function linesAround(text: string, cited: ReadonlySet<number>): ReadonlyMap<number, string> {
  const all = text.split('\n')
  const numbers = new Set<number>()
  for (const line of cited)
    for (let number = Math.max(1, line - AROUND); number <= Math.min(all.length, line + AROUND); number++)
      numbers.add(number)
  return new Map(
    [...numbers]
      .sort((a, b) => a - b)
      .map((number) => {
        const line = withoutPasswords(all[number - 1]!.replace(/\r$/, ''))
        return [number, line.length > LETTERS_MAX ? `${line.slice(0, LETTERS_MAX)}…` : line]
      }),
  )
}
