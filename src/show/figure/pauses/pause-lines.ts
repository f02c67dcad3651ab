/**
 * How many ports PFC pauses at each time, counted once for each paused traffic class, from the intervals that `pause-intervals` recorded.
 */
import { numbersOf, type Result, type Table, tableOfKind } from '../../../core/results/index.ts'
import type { NamedResult } from '../measured-flows.ts'
import type { TimeSeries } from '../time.ts'

/**
 * One line per tier of paused devices for a single result, one line per result for several. A result that observed
 * pauses and had none has a line at 0.
 */
export function pauseLines({ label, result }: NamedResult, isLabelled: boolean): TimeSeries[] {
  const table = pauseTable(result)
  if (table === undefined) return []
  const pauses = pausesOf(table)
  const { simulatedPs } = result
  if (isLabelled) return [stepsOf(label, pauses, simulatedPs)]
  const tiers = [...new Set(pauses.map(({ tier }) => tier))].sort((a, b) => a - b)
  if (tiers.length === 0) return [stepsOf('no pauses', [], simulatedPs)]
  return tiers.map((tier) => {
    const some = pauses.filter((pause) => pause.tier === tier)
    return stepsOf(tier === 0 ? 'hosts' : `switches of tier ${tier}`, some, simulatedPs)
  })
}

/** The table of pauses; of several the first, since each holds all pauses of the run. */
function pauseTable(result: Result): Table | undefined {
  return tableOfKind(result, 'pause-intervals', 'pause-intervals/without-peers')
}

/** Pauses that the table had no room for. */
export function unrecordedPauses(result: Result): number {
  const table = pauseTable(result)
  return table === undefined ? 0 : (numbersOf(table, 'leftOut').at(-1) ?? 0)
}

interface Pause {
  readonly startPs: number
  /** NaN: it still holds at the end of the run. */
  readonly endPs: number
  readonly tier: number
}

function pausesOf(table: Table): Pause[] {
  const startPs = numbersOf(table, 'startPs')
  const endPs = numbersOf(table, 'endPs')
  const isOpen = numbersOf(table, 'isOpen')
  const tier = numbersOf(table, 'tier')
  return Array.from(startPs, (fromPs, row) => {
    return { startPs: fromPs, endPs: isOpen[row] === 1 ? NaN : endPs[row]!, tier: tier[row]! }
  })
}

/** From the start of the run to its end. */
function stepsOf(series: string, pauses: readonly Pause[], endPs: number): TimeSeries {
  const changes = pauses
    .flatMap((pause) => [
      { atPs: pause.startPs, by: 1 },
      { atPs: pause.endPs, by: -1 },
    ])
    .filter(({ atPs }) => !Number.isNaN(atPs))
    .sort((a, b) => a.atPs - b.atPs)
  const timePs = [0]
  const values = [0]
  let count = 0
  changes.forEach(({ atPs, by }, i) => {
    count += by
    if (changes[i + 1]?.atPs === atPs) return
    timePs.push(atPs)
    values.push(count)
  })
  if (endPs > timePs.at(-1)!) {
    timePs.push(endPs)
    values.push(count)
  }
  return { series, timePs, values }
}
