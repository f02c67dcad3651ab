/**
 * The end-of-run summary as aligned text, one subject a line.
 */
import { HEADING_MAX, shownName } from '../core/base/control-characters.ts'
import {
  jainIndex,
  partialReason,
  type Result,
  type RunCost,
  type Summary,
  tailOf,
  tailText,
} from '../core/results/index.ts'
import { exactCount, humanBytes, humanCount, humanDuration, humanNumber, humanRate } from '../core/base/format.ts'
import { circleText, listOf, totalOf } from '../core/findings/index.ts'
import { factsTable, type TextOptions } from './text-table.ts'

/** Label and text of one line. */
type Row = [label: string, text: string]

/** Summary of a run as text; the cost is left out when it is not known. */
export function summaryText(result: Result, summary: Summary, cost?: RunCost, options: TextOptions = {}): string {
  const { counters } = result
  const rows: Row[] = [
    [
      'scenario',
      `${shownName(result.name, HEADING_MAX)}, seed ${result.seed}${result.partial ? ` (${partialReason(result)}: results are partial)` : ''}`,
    ],
    ['simulated time', `${humanDuration(result.simulatedPs)}${withoutProgress(result)}`],
    ...flowRows(summary),
    ...speedRows(result, summary),
    ...tagRows(summary),
    ['drops', totalAndParts(counters.drops)],
    ...pauseRows(result),
    ...counterRows(result),
    ['digest', result.digest],
    ['packet-hops', exactCount(counters.packetHops)],
    ...(cost === undefined ? [] : [costRow(result, cost)]),
  ]
  return factsTable(rows, options)
}

/** Flows by how they ended. */
function flowRows(summary: Summary): Row[] {
  const { flows } = summary
  const rows: Row[] = [['flows finished', `${exactCount(flows.finished)} of ${exactCount(flows.total)}`]]
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
  return rows
}

/** Slowdown, completion time and goodput. */
function speedRows(result: Result, summary: Summary): Row[] {
  const { measuredFinished: counted } = summary.flows
  const slowdown = [
    `mean ${humanNumber(summary.meanSlowdown)}`,
    `p50 ${humanNumber(summary.p50Slowdown)}`,
    `${tailText(counted - summary.flows.withoutIdeal)} ${humanNumber(tailOf(summary.p99Slowdown, summary.maxSlowdown))}`,
  ]
  const times = [
    `mean ${humanDuration(summary.meanCompletionPs)}`,
    `p50 ${humanDuration(summary.p50CompletionPs)}`,
    `${tailText(counted)} ${humanDuration(tailOf(summary.p99CompletionPs, summary.maxCompletionPs))}`,
    ...(Number.isNaN(summary.p999CompletionPs) ? [] : [`p99.9 ${humanDuration(summary.p999CompletionPs)}`]),
  ]
  const end = summary.completion === 'receiver' ? 'at the receiver' : 'at the sender'
  const over = humanDuration(summary.goodputOverPs)
  return [
    ['slowdown', [slowdown.join(', '), slowdownPart(summary.flows)].filter(Boolean).join(' ')],
    ...(summary.slowdownsBelowOne > 0
      ? [['', `${exactCount(summary.slowdownsBelowOne)} flows faster than their ideal`] satisfies Row]
      : []),
    ['completion time', `${times.join(', ')} (${[end, unfinishedText(summary.flows)].filter(Boolean).join(', ')})`],
    ['goodput', `${humanRate(summary.goodputBps)} over ${over}${inWindow(result, summary)}`],
  ]
}

/** PFC: frames, paused time, and switches that wait for each other. */
function pauseRows({ counters, pauseCircle }: Result): Row[] {
  const rows: Row[] = [
    ['pause frames', `${exactCount(counters.pauseFrames)} (resume ${exactCount(counters.resumeFrames)})`],
  ]
  const paused = pausedTimeText(counters.pausedPs)
  if (paused !== '') rows.push(['paused time', `${paused} (sum over ports and classes)`])
  if (pauseCircle !== null) rows.push(['pause circle', circleText(pauseCircle)])
  return rows
}

/** Counters of signals, which are left out at 0, and of retransmissions and timeouts. */
function counterRows({ counters }: Result): Row[] {
  const rows: Row[] = []
  if (counters.ecnMarks > 0) rows.push(['ECN marks', exactCount(counters.ecnMarks)])
  if (counters.cnps > 0) rows.push(['CNPs', exactCount(counters.cnps)])
  if (counters.rnrNaks > 0) rows.push(['RNR NAKs', exactCount(counters.rnrNaks)])
  if (counters.trimmed > 0) {
    rows.push(['trimmed', `${exactCount(counters.trimmed)} (${humanBytes(counters.trimmedBytes)} cut off)`])
  }
  if (counters.layer2 !== undefined) {
    const parts = Object.entries(counters.layer2).map(([name, n]) => `${name} ${exactCount(n)}`)
    rows.push(['layer 2', parts.join(', ')])
  }
  rows.push(['retransmissions', exactCount(counters.retransmissions)], ['timeouts', totalAndParts(counters.timeouts)])
  return rows
}

function costRow({ counters }: Result, cost: RunCost): Row {
  const rate = humanCount(counters.packetHops / cost.cpuSeconds)
  const seconds = `${humanNumber(cost.cpuSeconds)} s CPU, ${humanNumber(cost.wallSeconds)} s wall`
  return ['cost', `${seconds}, ${rate} packet-hops per CPU second, peak memory ${humanBytes(cost.peakRssBytes)}`]
}

/** A row for each of several tags, and the fairness between them. */
function tagRows({ tags }: Summary): Row[] {
  if (tags.length === 0) return []
  const rows = tags.map((of): [string, string] => {
    const slowdown = [
      `slowdown p50 ${humanNumber(of.p50Slowdown)}, ${tailText(of.measuredFinished - of.withoutIdeal)} ${humanNumber(tailOf(of.p99Slowdown, of.maxSlowdown))}`,
      slowdownPart(of),
    ]
    const parts = [
      `${exactCount(of.finished)} of ${exactCount(of.flows)} finished`,
      humanRate(of.goodputBps),
      slowdown.filter(Boolean).join(' '),
    ]
    return [
      of.tag === '' ? 'untagged' : `tag ${shownName(of.tag)}`,
      `${parts.join(', ')}, Jain's index ${humanNumber(of.jainIndex)}`,
    ]
  })
  const index = jainIndex(tags.map(({ goodputBps }) => goodputBps))
  return [...rows, ['fairness', `Jain's index ${humanNumber(index)} between tags; a tag's own is between its flows`]]
}

/** Measured flows, and those that statistics leave out. */
type Counted = Pick<Summary['flows'], 'measured' | 'measuredFinished' | 'withoutIdeal'>

/** "2 did not finish", or "" where all did. */
function unfinishedText({ measured, measuredFinished }: Counted): string {
  return measuredFinished < measured ? `${exactCount(measured - measuredFinished)} did not finish` : ''
}

/** "(2 did not finish, 1 without an ideal time)", or "". */
function slowdownPart(flows: Counted): string {
  const { withoutIdeal } = flows
  const why = withoutIdeal === 0 ? '' : `${exactCount(withoutIdeal)} without an ideal time`
  const parts = [unfinishedText(flows), why].filter(Boolean)
  return parts.length === 0 ? '' : `(${parts.join(', ')})`
}

/** How a run ended that was given up, or "". */
function withoutProgress({ stalledFromPs }: Result): string {
  if (stalledFromPs === null) return ''
  const last = stalledFromPs > 0 ? `last byte delivered at ${humanDuration(stalledFromPs)}` : 'no byte delivered'
  return `, given up: ${last}`
}

/** "; 9.8 Gbps in the window of 4 ms", or "" where the run is the window. */
function inWindow({ windowFromPs, windowToPs }: Result, { windowGoodputBps }: Summary): string {
  if (Number.isNaN(windowGoodputBps)) return ''
  return `; ${humanRate(windowGoodputBps)} in the window of ${humanDuration(windowToPs - windowFromPs)}`
}

type Counts = Readonly<Record<string, number>>

/** "12: buffer full 10, link loss 2", or "0". */
function totalAndParts(parts: Counts): string {
  const total = totalOf(parts)
  return total === 0 ? '0' : `${exactCount(total)}: ${listOf(parts)}`
}

/** "host 17.6 ms, tier 1 3.37 ms": paused time by tier of the paused device, ps; "" where nothing was paused. */
function pausedTimeText(pausedPs: Counts): string {
  return Object.entries(pausedPs)
    .map(([tier, ps]) => `${tier} ${humanDuration(ps)}`)
    .join(', ')
}
