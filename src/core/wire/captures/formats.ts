/**
 * Formats of packets in captures of simulated runs: which queue pairs have headers beside the standard's, as the name of the
 * capturing program says it. No packet says so by itself.
 * "rocelab 1.2.3 formats=1:*" is IRN everywhere, "formats=1:17-40+52,2:60" IRN to some queue pairs and LDCP's to another.
 */
import { FORMAT_ROCE } from '../opcodes.ts'
import { OWN_PROGRAM } from './pcapng.ts'

const MARK = ' formats='
/** An option of pcapng has at most 65,535 bytes. */
const TEXT_BYTES_MAX = 60_000
const RANGES_MAX = 10_000
/** FORMAT_ bits. */
const KNOWN = 3

/** @param formats FORMAT_ bits by destination queue pair; a pair that has two of them is left out */
export function withFormats(program: string, formats: Iterable<readonly [number, number]>): string {
  const byPair = new Map<number, number>()
  for (const [qp, format] of formats) byPair.set(qp, byPair.has(qp) && byPair.get(qp) !== format ? FORMAT_ROCE : format)
  const all = new Set(byPair.values())
  if (all.size === 0 || (all.size === 1 && all.has(FORMAT_ROCE))) return program
  if (all.size === 1) return `${program}${MARK}${[...all][0]}:*`
  const parts = [...all]
    .filter((format) => format !== FORMAT_ROCE)
    .map((format) => `${format}:${rangesText([...byPair].filter(([, one]) => one === format).map(([qp]) => qp))}`)
  const text = `${program}${MARK}${parts.join(',')}`
  return text.length > TEXT_BYTES_MAX ? program : text
}

function rangesText(numbers: readonly number[]): string {
  const ranges: [number, number][] = []
  for (const one of numbers.toSorted((a, b) => a - b)) {
    const last = ranges.at(-1)
    if (last !== undefined && last[1] === one - 1) last[1] = one
    else ranges.push([one, one])
  }
  return ranges.map(([from, to]) => (from === to ? String(from) : `${from}-${to}`)).join('+')
}

/** FORMAT_ bits by destination queue pair; null: the program says nothing, or is another one. */
export function formatsIn(application: string): ((destinationQp: number) => number) | null {
  const at = application.lastIndexOf(MARK)
  if (!application.startsWith(OWN_PROGRAM) || at < 0) return null
  const parts = [...application.slice(at + MARK.length).matchAll(/(\d):([\d+*-]+)/g)]
  const ranges = parts.flatMap(([, format, pairs]) =>
    pairs!.split('+').map((range) => {
      const [from, to] = range === '*' ? [0, Infinity] : range.split('-').map(Number)
      return { from: from!, to: to ?? from!, format: Number(format) & KNOWN }
    }),
  )
  const known = ranges.slice(0, RANGES_MAX)
  if (known.length === 0) return null
  const found = new Map<number, number>()
  return (qp) => {
    const before = found.get(qp)
    if (before !== undefined) return before
    const format = known.find(({ from, to }) => from <= qp && qp <= to)?.format ?? FORMAT_ROCE
    if (found.size < RANGES_MAX) found.set(qp, format)
    return format
  }
}
