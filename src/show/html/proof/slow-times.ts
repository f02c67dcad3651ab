/**
 * Slow times: how many slow flows were under way at a time, and below it when ports of each stage were paused, in the order in
 * which the pauses spread.
 */
import { humanDuration } from '../../../core/base/format.ts'
import { completionsOf, numbersOf, type Result, tableOfKind } from '../../../core/results/index.ts'
import { stagesOf } from '../../pauses/pause-stages.ts'
import { markup, type Markup, NOTHING } from '../markup.ts'

const WIDTH = 400
const BARS = 80
const FLOWS_PX = 60
const LANE_PX = 26
const STAGES_MAX = 4

/** @param rows of the slow flows */
export function slowTimes(result: Result, rows: ReadonlySet<number>): Markup {
  const endPs = result.simulatedPs
  if (rows.size === 0 || !(endPs > 0)) return NOTHING
  const { completionPs } = completionsOf(result)
  const startPs = numbersOf(result.flows, 'startPs')
  const inFlight = new Float64Array(BARS)
  const binOf = (ps: number): number => Math.min(BARS - 1, Math.floor((ps / endPs) * BARS))
  let lastPs = 0
  for (const row of rows) {
    const toPs = Number.isNaN(completionPs[row]!) ? endPs : startPs[row]! + completionPs[row]!
    lastPs = Math.max(lastPs, toPs)
    for (let bin = binOf(startPs[row]!); bin <= binOf(toPs); bin++) inFlight[bin]!++
  }
  const most = Math.max(...inFlight)
  const barPx = WIDTH / BARS
  const bars = [...inFlight].flatMap((count, bin) => {
    const heightPx = (count / most) * FLOWS_PX
    return count === 0
      ? []
      : [
          markup`<rect x="${bin * barPx}" y="${short(FLOWS_PX - heightPx)}" width="${barPx}" height="${short(heightPx)}" class="slow" />`,
        ]
  })
  const table = tableOfKind(result, 'pause-intervals')
  const stages = table === undefined || table.rowCount === 0 ? [] : stagesOf(table).slice(0, STAGES_MAX)
  const lanes = stages.map(({ label, ports }, i) => {
    const y = FLOWS_PX + 8 + i * LANE_PX
    const shares = new Float64Array(BARS)
    for (const { spans } of ports)
      for (const [fromPs, toPs] of spans) for (let bin = binOf(fromPs); bin <= binOf(toPs); bin++) shares[bin]!++
    const high = Math.max(...shares)
    const marks = [...shares].flatMap((count, bin) =>
      count === 0
        ? []
        : [
            markup`<rect x="${bin * barPx}" y="${y + 13}" width="${barPx}" height="9" class="paused" opacity="${short(0.25 + (0.75 * count) / high)}" />`,
          ],
    )
    return markup`<text x="0" y="${y + 10}">${label}</text>${marks}`
  })
  const height = FLOWS_PX + 8 + stages.length * LANE_PX + 14
  return markup`<figure class="times">
    <figcaption class="note">Slow flows under way, ${most} at most${stages.length === 0 ? '' : ', and ports paused by PFC'}</figcaption>
    <svg viewBox="0 0 ${WIDTH} ${height}" role="img" aria-label="Slow flows under way over time, ${most} at most, until ${humanDuration(lastPs)}">
      ${bars}${lanes}
      <text x="0" y="${height - 2}">0</text>
      <text x="${WIDTH}" y="${height - 2}" text-anchor="end">${humanDuration(endPs)}</text>
    </svg>
  </figure>`
}

const short = (value: number): number => Number(value.toFixed(2))
