/**
 * Why: what the slowest flows waited for, where pauses began, and the ports where packets waited, from an autopsy.
 */
import { type Cost, explain, type OriginCost } from '../explain/explanation.ts'
import { isExplained } from '../../results/index.ts'
import { humanShare } from '../../base/format.ts'
import { leftOutText, originText, partNames, slowestText } from '../explain/explain-text.ts'
import { exactCount, humanDuration } from '../../base/format.ts'
import { shellWord } from '../../findings/index.ts'
import type { ReportedRun } from '../reported-run.ts'
import { markup, type Markup, NOTHING } from './markup.ts'
import { scrollTable } from './parts/scroll-table.ts'

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
      ${ports.length > 0 ? costTable(`Where completing packets waited, ${label}`, 'port', ports, index) : NOTHING}
    </div>
    ${explanation.hopsLeftOut === 0 ? NOTHING : markup`<p class="note">${leftOutText(explanation)}</p>`}`
}

function originTable(caption: string, origins: readonly OriginCost[], index: number): Markup {
  const rows = origins.map(
    ({ kind, name, flows, spanPs, share, parts }) =>
      markup`<tr>
        <th scope="row" data-run="${index}">${originText(kind, name)}</th>
        <td class="count">${exactCount(flows)}</td>
        <td class="duration">${humanDuration(spanPs)}</td>
        <td class="share">${humanShare(share)}</td>
        <td>${partNames(parts).slice(0, 2).join(', ')}</td>
      </tr> `,
  )
  const heads = [
    markup`<th scope="col">held by</th>`,
    markup`<th scope="col" class="count">flows</th>`,
    markup`<th scope="col" class="duration">time, sum</th>`,
    markup`<th scope="col" class="share">of all waiting</th>`,
    markup`<th scope="col">most of it</th>`,
  ]
  return markup`<div>${scrollTable({ caption, heads, rows, csv: caption })}</div>`
}

function costTable(caption: string, what: string, costs: readonly Cost[], index: number): Markup {
  const hasQueues = costs.some(({ queuePs }) => queuePs > 0)
  const rows = costs.map(
    ({ name, flows, queuePs, pausedPs }) =>
      markup`<tr>
        <th scope="row" data-run="${index}">${name}</th>
        <td class="count">${exactCount(flows)}</td>
        ${hasQueues ? markup`<td class="duration">${humanDuration(queuePs)}</td>` : NOTHING}
        <td class="duration">${humanDuration(pausedPs)}</td>
      </tr> `,
  )
  const heads = [
    markup`<th scope="col">${what}</th>`,
    markup`<th scope="col" class="count">flows</th>`,
    ...(hasQueues ? [markup`<th scope="col" class="duration">queued, sum</th>`] : []),
    markup`<th scope="col" class="duration">paused, sum</th>`,
  ]
  return markup`<div>${scrollTable({ caption, heads, rows, csv: caption })}</div>`
}
