/**
 * A comparison of two results as text: which flows pair, how far they deviate, counters side by side.
 */
import { shownName } from '../core/base/control-characters.ts'
import { hostName, idName } from '../core/base/device-names.ts'
import type { Comparison, FlowTime } from '../core/results/index.ts'
import { exactCount, humanBytes, humanDuration, humanNumber, humanRate, humanShare } from '../core/base/format.ts'
import { factsTable, right, type TextOptions, textTable } from './text-table.ts'

/** The whole comparison; ratios are B / A. */
export function compareText(comparison: Comparison, options: TextOptions = {}): string {
  const { nameA, nameB, pairs, ratio, deviation, worst } = comparison
  const unfinished = [
    `A ${exactCount(comparison.unfinishedInA)}`,
    `B ${exactCount(comparison.unfinishedInB)}`,
    `both ${exactCount(comparison.unfinishedInBoth)}`,
  ]
  const rows: [string, string][] = [
    ['A', nameA],
    ['B', nameB],
    ['flows compared', `${exactCount(pairs.rowsA.length)}${orderText(comparison)}`],
    ['flows in one only', `A ${exactCount(comparison.onlyInA)}, B ${exactCount(comparison.onlyInB)}`],
    ['flows unfinished', unfinished.join(', ')],
    ['mean completion', meansText(comparison)],
    ...comparison.tags.map((of): [string, string] => [
      of.tag === '' ? 'untagged' : `tag ${shownName(of.tag)}`,
      `${meansText(of)} (${exactCount(of.pairs)} ${of.unfinished === 0 ? '' : `of ${exactCount(of.pairs + of.unfinished)} `}flows)`,
    ]),
    [
      'completion B/A',
      `mean ${humanNumber(ratio.mean, 5)}, median ${humanNumber(ratio.median, 5)}, p90 ${humanNumber(ratio.p90, 5)}, ` +
        `${Number.isNaN(ratio.p99) ? '' : `p99 ${humanNumber(ratio.p99, 5)}, `}min ${humanNumber(ratio.min, 5)}, max ${humanNumber(ratio.max, 5)}`,
    ],
    [
      'deviation',
      `median ${humanShare(deviation.median)}, p90 ${humanShare(deviation.p90)}, worst ${humanShare(deviation.max)}`,
    ],
  ]
  for (const { tag, stepAPs, stepBPs, busABps, busBBps } of comparison.jobs) {
    const times = `A ${humanDuration(stepAPs, 4)}, B ${humanDuration(stepBPs, 4)}, B/A ${humanNumber(stepBPs / stepAPs, 5)}`
    const isKnown = !Number.isNaN(busABps + busBBps)
    const rates = isKnown ? `; bus bandwidth A ${humanRate(busABps)}, B ${humanRate(busBBps)}` : ''
    rows.push([`step time, ${shownName(tag)}`, times + rates])
  }
  if (worst !== undefined) {
    const times = `A ${humanDuration(worst.completionAPs, 4)}, B ${humanDuration(worst.completionBPs, 4)}`
    rows.push(['worst flow', `${flowText(worst.flow, comparison.ends === 'nodes' ? idName : hostName)}: ${times}`])
  }
  const head = factsTable(rows, options)
  if (comparison.counters.length === 0) return head
  const counters = comparison.counters.map(({ name, a, b }) => [
    name,
    exactCount(a),
    exactCount(b),
    a === 0 ? '-' : humanNumber(b / a, 4),
  ])
  return `${head}\n${textTable(['counter', ...['A', 'B', 'B/A'].map(right)], counters, options)}`
}

/** "A 1.000 us, B 2.000 us, B/A 2.0000". */
function meansText(of: Pick<Comparison, 'meanCompletionAPs' | 'meanCompletionBPs' | 'meanCompletionRatio'>): string {
  const times = `A ${humanDuration(of.meanCompletionAPs, 4)}, B ${humanDuration(of.meanCompletionBPs, 4)}`
  return `${times}, B/A ${humanNumber(of.meanCompletionRatio, 5)}`
}

/** " (12 of them by their order: they start when others are finished)". */
function orderText({ pairs, pairedByOrder }: Comparison): string {
  if (pairedByOrder === 0) return ''
  const which = pairedByOrder === pairs.rowsA.length ? 'all' : exactCount(pairedByOrder)
  return ` (${which} of them by their order: they start when others are finished)`
}

/** "host 3 to host 7, 240 KB at 1.20 ms (incast)". */
function flowText(flow: FlowTime, nameOf: (end: number) => string): string {
  const tag = flow.tag === undefined || flow.tag === '' ? '' : ` (${shownName(flow.tag)})`
  const when = humanDuration(flow.startPs, 6)
  return `${nameOf(flow.source)} to ${nameOf(flow.destination)}, ${humanBytes(flow.sizeBytes)} at ${when}${tag}`
}
