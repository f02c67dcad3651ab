/**
 * Excerpts: the lines of files that findings cite, with the lines around them. A page has no more of the files than that,
 * nor what stands behind words such as password.
 */
import { fabricWords, type Finding } from '../../../core/findings/index.ts'
import { withoutPasswords } from '../../index.ts'

/** Lines above and below; letters of a line; places of a finding, and lines of a page. */
const AROUND = 3
const LETTERS_MAX = 200
const SPOTS_MAX = 8
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
export function citedSpots(finding: Finding): { readonly file: string; readonly line: number }[] {
  const { subject, also } = finding
  const cited = fabricWords(finding)?.cited ?? []
  const all = [subject, ...also.map((each) => each.subject)].map(({ file = '', line = 0 }) => ({ file, line }))
  const [own, ...others] = all
  const spots = new Map<string, { file: string; line: number }>()
  for (const { file, line } of [own!, ...cited, ...others])
    if (file !== '' && line > 0) spots.set(`${line} ${file}`, { file, line })
  return [...spots.values()]
}

/** Excerpts by finding. Each file is read once. @param textOf undefined: the file cannot be read */
export function excerptsOf(
  findings: readonly Finding[],
  textOf: (file: string) => string | undefined,
): ReadonlyMap<Finding, readonly Excerpt[]> {
  const wanted = new Map<string, Set<number>>()
  const spotsOf = new Map<Finding, { readonly file: string; readonly line: number }[]>()
  let left = LINES_MAX
  for (const finding of findings) {
    const spots = citedSpots(finding).slice(0, SPOTS_MAX)
    left -= spots.length * (2 * AROUND + 1)
    if (left < 0) break
    spotsOf.set(finding, spots)
    for (const { file, line } of spots) wanted.set(file, (wanted.get(file) ?? new Set()).add(line))
  }
  const texts = new Map<string, ReadonlyMap<number, string>>()
  for (const [file, lines] of wanted) texts.set(file, linesAround(textOf(file) ?? '', lines))
  return new Map(
    [...spotsOf].map(([finding, spots]) => {
      const files = [...new Set(spots.map(({ file }) => file))]
      const excerpts = files.map((file): Excerpt => {
        const cited = new Set(spots.filter((spot) => spot.file === file).map(({ line }) => line))
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
