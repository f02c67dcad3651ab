/**
 * Charts of single queue pairs, from the observer `rates`: shown beside a flow between the same hosts.
 */
import { numbersOf, type Result } from '../../core/results/index.ts'
import { shownLines } from '../figure/index.ts'
import { PAIR_MEASURES } from '../figure/pair-measures.ts'
import { areNothing, tablesOf, tracesOf } from '../figure/traces.ts'
import { chartLine, headingOf } from './figures-section.ts'
import type { ChartLine, PairCharts, PairData } from './page-data.ts'

/** Queue pairs with most samples. */
const PAIRS_MAX = 60
/** Spans of time that keep their first, lowest, highest and last value. */
const SPANS = 50

interface Kept {
  readonly source: number
  readonly destination: number
  readonly lines: Record<string, ChartLine>
}

export function pairCharts(result: Result): PairCharts {
  const named = { label: '', result }
  const [first] = PAIR_MEASURES.flatMap((shown) => tablesOf(named, shown))
  if (first === undefined) return { measures: [], pairs: [] }
  const pair = numbersOf(first, 'pair')
  const [source, destination] = [numbersOf(first, 'source'), numbersOf(first, 'destination')]
  const samples = new Map<number, number>()
  pair.forEach((id) => samples.set(id, (samples.get(id) ?? 0) + 1))
  const longest = [...samples].toSorted(([, a], [, b]) => b - a).slice(0, PAIRS_MAX)
  const kept = new Map(
    longest.map(([id]): [string, Kept] => {
      const row = pair.indexOf(id)
      return [`QP ${id}`, { source: source[row]!, destination: destination[row]!, lines: {} }]
    }),
  )
  const measures = PAIR_MEASURES.flatMap((shown) => {
    if (!tablesOf(named, shown).includes(first)) return []
    const traces = tracesOf(named, first, { ...shown, keys: [['pair', 'QP ']] }, false)
    const own = traces.filter(({ series }) => kept.has(series))
    if (own.length === 0 || areNothing(own, shown)) return []
    const { unit, lines } = shownLines({ lines: own }, SPANS)
    for (const line of lines) kept.get(line.series)!.lines[shown.name] = chartLine(line)
    return [{ id: shown.name, name: headingOf(shown.name), yLabel: shown.yLabel, timeUnit: unit }]
  })
  return { measures, pairs: [...kept.values()].map((one): PairData => one) }
}
