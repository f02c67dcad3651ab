/**
 * Lives of flows: for the flows that a page holds, what each picosecond of their time went to, from an autopsy.
 */
import { completionsOf, isExplained, lifeOf, numbersOf, spansOf, textsOf } from '../../core/results/index.ts'
import { FlowHops } from '../explain/flow-hops.ts'
import { beforeText, pauseText } from '../explain/flow-life.ts'
import { partColour } from '../figure/drawing/part-colours.ts'
import { humanDuration } from '../../core/base/format.ts'
import type { ReportedRun } from '../reported-run.ts'
import { flowRows } from './flows-section.ts'
import type { LivesData } from './page-data.ts'

/** Flows of a page whose hops it holds: the slowest. */
const HOPS_MAX = 500

/** @param runs number of runs that share the page */
export function flowLives({ result }: ReportedRun, runs: number): LivesData | null {
  if (!isExplained(result)) return null
  const { flows } = result
  const rows = flowRows(result, runs)
  const { slowdown } = completionsOf(result)
  const hops = new FlowHops(result)
  const valueOf = (row: number): number => (Number.isNaN(slowdown[row]) ? Infinity : slowdown[row]!)
  const slowest = [...rows.keys()]
    .toSorted((a, b) => {
      const [left, right] = [valueOf(rows[a]!), valueOf(rows[b]!)]
      return left === right ? a - b : right - left
    })
    .slice(0, Math.ceil(HOPS_MAX / runs))
  const pausedBy = textsOf(flows, 'pausedBy')
  const pausedByPs = numbersOf(flows, 'pausedByPs')
  return {
    parts: lifeOf(result.completion).flatMap((part) => {
      const { label, end, help, column } = part
      const spans = spansOf(result, part)
      const spansPs = rows.map((row) => spans[row]!)
      return spansPs.some((ps) => ps > 0) ? [{ label, column, colour: partColour(column), end, help, spansPs }] : []
    }),
    pausedBy: rows.map((row) => pausedBy[row]!),
    pausedByPs: rows.map((row) => pausedByPs[row]!),
    hops: Object.fromEntries(
      slowest.map((at) => [
        at,
        hops.of(rows[at]!).map((hop) => ({
          port: hop.port,
          leftAt: humanDuration(hop.startPs, 5),
          leftPs: hop.startPs,
          queuePs: hop.queuePs,
          pausedPs: hop.pausedPs,
          queued: humanDuration(hop.queuePs),
          paused: pauseText(hop),
          behind: beforeText(hop),
        })),
      ]),
    ),
  }
}
