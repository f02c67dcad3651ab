/**
 * The end-of-run summary as aligned text, one subject a line.
 */
import { jainIndex, partialReason, type Result, type RunCost, type Summary } from '../results/index.ts'
import { exactCount, humanBytes, humanCount, humanDuration, humanNumber, humanRate } from './format.ts'
import { type TextOptions, textTable } from './text-table.ts'

/** Summary of a run as text; the cost is left out when it is not known. */
export function summaryText(result: Result, summary: Summary, cost?: RunCost, options: TextOptions = {}): string {
  const { counters } = result
  const { flows } = summary
  const end = summary.completion === 'receiver' ? 'at the receiver' : 'at the sender'
  const rows: [string, string][] = [
    [
      'scenario',
      `${result.name}, seed ${result.seed}${result.partial ? ` (${partialReason(result)}: results are partial)` : ''}`,
    ],
    ['simulated time', `${humanDuration(result.simulatedPs)}${withoutProgress(result)}`],
    ['flows finished', `${exactCount(flows.finished)} of ${exactCount(flows.total)}`],
  ]
  if (flows.unfinished > 0) {
    rows.push(['flows unfinished', `${exactCount(flows.unfinished)}: ${listOf(summary.unfinishedReasons)}`])
  }
  if (flows.unacknowledged > 0) {
    const why = listOf(summary.unacknowledgedReasons)
    rows.push(['unacknowledged', `${exactCount(flows.unacknowledged)} of those finished: ${why}`])
  }
  if (flows.unposted > 0) {
    const why = listOf(summary.unpostedReasons)
    rows.push(['never posted', `${exactCount(flows.unposted)} that wait for others: ${why}`])
  }
  if (flows.measured !== flows.total) {
    rows.push(['measured', `${exactCount(flows.measuredFinished)} of ${exactCount(flows.measured)} in the window`])
  }
  const slowdown = [
    `mean ${humanNumber(summary.meanSlowdown)}`,
    `p50 ${humanNumber(summary.p50Slowdown)}`,
    `p99 ${humanNumber(summary.p99Slowdown)}`,
  ]
  const times = [
    `mean ${humanDuration(summary.meanCompletionPs)}`,
    `p50 ${humanDuration(summary.p50CompletionPs)}`,
    `p99 ${humanDuration(summary.p99CompletionPs)}`,
    `p99.9 ${humanDuration(summary.p999CompletionPs)}`,
  ]
  const isOfSome = flows.measuredFinished < flows.measured
  rows.push(['slowdown', `${slowdown.join(', ')}${isOfSome ? ' (finished flows)' : ''}`])
  if (summary.slowdownsBelowOne > 0) {
    rows.push(['', `${exactCount(summary.slowdownsBelowOne)} flows faster than their ideal`])
  }
  rows.push(
    ['completion time', `${times.join(', ')} (${end}${isOfSome ? ', finished flows' : ''})`],
    [
      'goodput',
      `${humanRate(summary.goodputBps)} over ${humanDuration(summary.goodputOverPs)}${inWindow(result, summary)}`,
    ],
    ...tagRows(summary),
    ['drops', totalAndParts(counters.drops)],
    ['pause frames', `${exactCount(counters.pauseFrames)} (resume ${exactCount(counters.resumeFrames)})`],
  )
  const paused = Object.entries(counters.pausedPs)
  if (paused.length > 0) {
    const byTier = paused.map(([tier, ps]) => `${tier} ${humanDuration(ps)}`).join(', ')
    rows.push(['paused time', `${byTier} (sum over ports and classes)`])
  }
  if (result.pauseCircle !== null) {
    const { nodes, trafficClass, sincePs } = result.pauseCircle
    const circle = [...nodes, nodes[0]].join(' > ')
    rows.push([
      'pause circle',
      `${circle}: each waits for the next, class ${trafficClass}, since ${humanDuration(sincePs)}`,
    ])
  }
  if (counters.ecnMarks > 0) rows.push(['ECN marks', exactCount(counters.ecnMarks)])
  if (counters.cnps > 0) rows.push(['CNPs', exactCount(counters.cnps)])
  if (counters.rnrNaks > 0) rows.push(['RNR NAKs', exactCount(counters.rnrNaks)])
  if (counters.trimmed > 0) {
    rows.push(['trimmed', `${exactCount(counters.trimmed)} (${humanBytes(counters.trimmedBytes)} cut off)`])
  }
  rows.push(
    ['retransmissions', exactCount(counters.retransmissions)],
    ['timeouts', totalAndParts(counters.timeouts)],
    ['digest', result.digest],
    ['packet-hops', exactCount(counters.packetHops)],
  )
  if (cost !== undefined) {
    const rate = humanCount(counters.packetHops / cost.cpuSeconds)
    const seconds = `${humanNumber(cost.cpuSeconds)} s CPU, ${humanNumber(cost.wallSeconds)} s wall`
    rows.push(['cost', `${seconds}, ${rate} packet-hops per CPU second, peak memory ${humanBytes(cost.peakRssBytes)}`])
  }
  return textTable([{ head: '' }, { head: '' }], rows, options)
}

/** A row for each of several tags, and the fairness between them. */
function tagRows({ tags }: Summary): [string, string][] {
  if (tags.length === 0) return []
  const rows = tags.map((of): [string, string] => {
    const slowdown = `slowdown p50 ${humanNumber(of.p50Slowdown)}, p99 ${humanNumber(of.p99Slowdown)}`
    const parts = [`${exactCount(of.finished)} of ${exactCount(of.flows)} finished`, humanRate(of.goodputBps), slowdown]
    return [
      of.tag === '' ? 'untagged' : `tag ${of.tag}`,
      `${parts.join(', ')}, Jain's index ${humanNumber(of.jainIndex)}`,
    ]
  })
  const index = jainIndex(tags.map(({ goodputBps }) => goodputBps))
  return [...rows, ['fairness', `Jain's index ${humanNumber(index)} between tags; a tag's own is between its flows`]]
}

/** How a run ended that was given up, or "". */
function withoutProgress({ stalledFromPs }: Result): string {
  if (stalledFromPs === null) return ''
  const last = stalledFromPs > 0 ? `last byte delivered at ${humanDuration(stalledFromPs)}` : 'no byte delivered'
  return `, ended for want of progress, ${last}`
}

/** "; 9.8 Gbps in the window of 4 ms", or "" where the run is the window. */
function inWindow({ windowFromPs, windowToPs }: Result, { windowGoodputBps }: Summary): string {
  if (Number.isNaN(windowGoodputBps)) return ''
  return `; ${humanRate(windowGoodputBps)} in the window of ${humanDuration(windowToPs - windowFromPs)}`
}

/** "12: buffer full 10, link loss 2", or "0". */
function totalAndParts(parts: Readonly<Record<string, number>>): string {
  const total = Object.values(parts).reduce((sum, count) => sum + count, 0)
  return total === 0 ? '0' : `${exactCount(total)}: ${listOf(parts)}`
}

function listOf(parts: Readonly<Record<string, number>>): string {
  return Object.entries(parts)
    .map(([name, count]) => `${name} ${exactCount(count)}`)
    .join(', ')
}
