/** Probe text: the analysis of a log of probes for a terminal: scopes, the map of pairs, findings. */
import { shownName } from '../../core/base/control-characters.ts'
import { exactCount, humanDuration, humanShare } from '../../core/base/format.ts'
import { findingLines } from '../../core/findings/index.ts'
import { type Analysis, type MapLevel, type Percentile, probeMap } from '../diagnosis/pingmesh/index.ts'
import { type TextOptions, textTable } from '../../show/index.ts'

const SIGNS: Readonly<Record<MapLevel, string>> = { lost: 'X', slow: 'o', good: '.', none: ' ' }
const PS = 1e3

export function probeText(analysis: Analysis, options: TextOptions): string {
  const { scopes, state, findings, probes, hosts } = analysis
  const rows = scopes.map(({ scope, count, failed, failedInterval: { low, high }, percentiles, works, baseline }) => [
    scope,
    exactCount(count),
    exactCount(failed),
    `${humanShare(low, 2)} to ${humanShare(high, 2)}`,
    percentileText(percentiles.p50),
    percentileText(percentiles.p99),
    percentileText(percentiles.p999),
    baseline === null ? 'none' : humanDuration(baseline.p99Ns * PS),
    works === 'cannot-tell' ? 'cannot tell' : works,
  ])
  const heads = ['scope', 'probes', 'failed', '95 % of failed', 'p50', 'p99', 'p99.9', 'usual p99', 'RDMA']
  const columns = heads.map((head, i) => ({ head, align: i > 0 && i < 8 ? ('right' as const) : ('left' as const) }))
  const lines = findingLines(findings).map(({ severity, text }) => `${severity}: ${text}\n`)
  const named = state.hosts.length === 0 ? '' : ` (${state.hosts.map((host) => shownName(host)).join(', ')})`
  return [
    `${exactCount(probes)} probes of ${exactCount(hosts.length)} hosts: ${state.state}${named}\n\n`,
    textTable(columns, rows, options),
    `\n${mapText(analysis)}`,
    lines.length === 0 ? '' : `\n${lines.join('')}`,
  ].join('')
}

/** "12.3 us (11.9 to 13.0)"; "too few" samples. */
function percentileText(percentile: Percentile | null): string {
  if (percentile === null) return 'too few'
  const { valueNs, low, high } = percentile
  const bound = (ns: number): string => (Number.isFinite(ns) ? humanDuration(ns * PS) : 'any')
  return `${humanDuration(valueNs * PS)} (${bound(low)} to ${bound(high)})`
}

function mapText(analysis: Analysis): string {
  const { levels, hostsEach, ...map } = probeMap(analysis)
  const labels = map.labels.map((label) => shownName(label))
  const width = Math.max(...labels.map(({ length }) => length))
  const rows = levels.map((row, i) => `${labels[i]!.padStart(width)} |${row.map((level) => SIGNS[level]).join('')}|\n`)
  const pooled = hostsEach === 1 ? '' : `, ${hostsEach} hosts a row and a column`
  return `from each host (row) to each host (column)${pooled}: X lost, o slow, . good\n${rows.join('')}`
}
