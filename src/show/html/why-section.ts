/**
 * Why: what the slowest flows waited for, where pauses began, and the ports where packets waited, from an autopsy.
 */
import { type Cost, explain, type OriginCost } from '../explain/explanation.ts'
import { isExplained } from '../../core/results/index.ts'
import { leftOutText, originText, partNames, slowestText } from '../explain/explain-text.ts'
import { exactCount, humanDuration, humanShare } from '../../core/base/format.ts'
import { shellWord } from '../../core/findings/index.ts'
import type { ReportedRun } from '../reported-run.ts'
import { markup, type Markup, NOTHING } from './markup.ts'
import { type CellColumn, cellTable } from './parts/scroll-table.ts'

export function whySection(runs: readonly ReportedRun[]): Markup {
  const parts = runs.map((run, i) => {
    const heading = runs.length > 1 ? markup`<h3>${run.label}</h3>` : NOTHING
    return markup`${heading} ${isExplained(run.result) ? explained(run, i) : unexplained(run)}`
  })
  return markup`${parts}`
}

function unexplained({ folder }: ReportedRun): Markup {
  return markup`<p class="note">
    The run has no autopsy, which says for each flow what its time consists of and who held it. This makes it again with
    one: <code>rocelab run ${shellWord(`${folder}/scenario.yaml`)} --autopsy --report</code>
  </p>`
}

/** @param index of the run on the page */
function explained({ result, facts, label }: ReportedRun, index: number): Markup {
  const explanation = explain(result, facts)
  if (explanation.flows === 0) return markup`<p class="note">No measured flow finished.</p>`
  const { origins, ports } = explanation
  return markup`<p>${slowestText(explanation)} A flow in the table below opens with the parts of its time.</p>
    <div class="columns">
      ${origins.length > 0 ? originTable(`Where flows were held, ${label}`, origins, index) : NOTHING}
      ${ports.length > 0 ? costTable(`Where completing packets waited, ${label}`, ports, index) : NOTHING}
    </div>
    ${explanation.hopsLeftOut === 0 ? NOTHING : markup`<p class="note">${leftOutText(explanation)}</p>`}`
}

function originTable(caption: string, origins: readonly OriginCost[], index: number): Markup {
  const columns = ['held by', ...NUMBERS, { head: 'of all waiting', kind: 'share' }, 'most of it']
  const rows = origins.map(({ kind, name, flows, spanPs, share, parts }) => [
    originText(kind, name),
    exactCount(flows),
    humanDuration(spanPs),
    humanShare(share),
    partNames(parts).slice(0, 2).join(', '),
  ])
  return tableOf(caption, columns, rows, index)
}

const NUMBERS = [
  { head: 'flows', kind: 'count' },
  { head: 'time, sum', kind: 'duration' },
] as const

function costTable(caption: string, costs: readonly Cost[], index: number): Markup {
  const hasQueues = costs.some(({ queuePs }) => queuePs > 0)
  const times = [...(hasQueues ? ['queued, sum'] : []), 'paused, sum']
  const columns = ['port', NUMBERS[0], ...times.map((head) => ({ head, kind: 'duration' }))]
  const rows = costs.map(({ name, flows, queuePs, pausedPs }) => [
    name,
    exactCount(flows),
    ...(hasQueues ? [humanDuration(queuePs)] : []),
    humanDuration(pausedPs),
  ])
  return tableOf(caption, columns, rows, index)
}

function tableOf(
  caption: string,
  columns: readonly (CellColumn | string)[],
  rows: readonly (readonly string[])[],
  index: number,
): Markup {
  const rowHead = markup` data-run="${index}"`
  return markup`<div>${cellTable({ caption, columns, rows, csv: caption, rowHead })}</div>`
}
