/**
 * Rates of single queue pairs, from the observer `rates`: shown beside a flow between the same hosts.
 */
import { findColumn, numbersOf, type Result } from '../../results/index.ts'
import { timeUnit } from '../figure/drawing/ticks.ts'
import { rounded } from './figures-section.ts'
import type { PairData } from './page-data.ts'

/** Pairs with most samples, and points of each. */
const PAIRS_MAX = 60
const POINTS_MAX = 200

export interface PairRates {
  readonly pairs: readonly PairData[]
  readonly pairsUnit: string
}

export function pairRates(result: Result): PairRates {
  const table = result.series.find((one) =>
    ['timePs', 'pair', 'source', 'destination', 'rateBps'].every((name) => findColumn(one, name) !== undefined),
  )
  if (table === undefined) return { pairs: [], pairsUnit: 'us' }
  const [timePs, rateBps] = [numbersOf(table, 'timePs'), numbersOf(table, 'rateBps')]
  const [pair, source, destination] = [
    numbersOf(table, 'pair'),
    numbersOf(table, 'source'),
    numbersOf(table, 'destination'),
  ]
  const rowsByPair = new Map<number, number[]>()
  pair.forEach((of, row) => {
    const rows = rowsByPair.get(of)
    if (rows === undefined) rowsByPair.set(of, [row])
    else rows.push(row)
  })
  const [scale, pairsUnit] = timeUnit(timePs.at(-1) ?? 0)
  const longest = [...rowsByPair.values()].toSorted((a, b) => b.length - a.length).slice(0, PAIRS_MAX)
  const pairs = longest.map((rows): PairData => {
    const every = Math.max(1, Math.ceil(rows.length / POINTS_MAX))
    const kept = rows.filter((_, i) => i % every === 0 || i === rows.length - 1)
    const first = rows[0]!
    return {
      source: source[first]!,
      destination: destination[first]!,
      line: {
        series: `QP ${pair[first]!}`,
        x: kept.map((row) => rounded(timePs[row]! / scale)),
        y: kept.map((row) => (Number.isFinite(rateBps[row]) ? rounded(rateBps[row]! / 1e9) : null)),
      },
    }
  })
  return { pairs, pairsUnit }
}
