/**
 * Origin columns: for each message the origin of most of its pauses, and that of most of its waits.
 */
import { ALL_PARTS, type Part } from '../../results/flow-parts.ts'
import type { Column } from '../../results/table.ts'
import type { Origin } from '../pauses/origins.ts'
import type { BlameRows } from './blame-rows.ts'
import { messageRows } from './part-rows.ts'
import { mostOf } from './roots.ts'

/**
 * @param pairOf queue pair of each row of the table, whose messages are in the order of their numbers
 * @param waitPs of each row, its waits of these parts
 */
export function originColumns(
  pairOf: Float64Array,
  waitPs: Float64Array,
  parts: readonly Part[],
  blames: BlameRows,
  origins: readonly Origin[],
): Column[] {
  const counted = parts.map(({ isWait }) => isWait)
  const rowOf = messageRows(pairOf)
  const [paused, held] = [pairOf, pairOf].map(() => Array.from(pairOf, (): Map<number, number> | null => null))
  const add = (sums: (Map<number, number> | null)[], row: number, origin: number, spanPs: number): void => {
    const known = (sums[row] ??= new Map<number, number>())
    known.set(origin, (known.get(origin) ?? 0) + spanPs)
  }
  blames.visit((pair, message, part, origin, spanPs) => {
    if (counted[part] !== true) return
    const row = rowOf(pair, message)
    add(held!, row, origin, spanPs)
    if (ALL_PARTS[part]!.isPause) add(paused!, row, origin, spanPs)
  })
  const heldBy = named('heldBy', held!, origins)
  const heldPs = heldBy.at(-1)!.data as Float64Array
  const share = heldPs.map((ps, row) => (ps === 0 ? 0 : ps / waitPs[row]!))
  return [...named('pausedBy', paused!, origins), ...heldBy, { name: 'heldByShare', type: 'number', data: share }]
}

/** Columns with the largest origin of each row: its name, kind, place and time. */
function named(name: string, sums: readonly (Map<number, number> | null)[], origins: readonly Origin[]): Column[] {
  const most = sums.map((byOrigin) => (byOrigin === null ? undefined : mostOf(byOrigin)))
  const all = most.map((one) => (one === undefined ? undefined : origins[one[0]]))
  const numbers = (of: (origin: Origin) => number): Float64Array =>
    Float64Array.from(all, (origin) => (origin === undefined ? -1 : of(origin)))
  return [
    { name, type: 'text', data: all.map((origin) => origin?.name ?? '') },
    { name: `${name}Kind`, type: 'text', data: all.map((origin) => origin?.kind ?? '') },
    { name: `${name}Node`, type: 'integer', data: numbers(({ node }) => node) },
    { name: `${name}Port`, type: 'integer', data: numbers(({ port }) => port) },
    { name: `${name}Ps`, type: 'number', data: Float64Array.from(most, (one) => one?.[1] ?? 0) },
  ]
}
