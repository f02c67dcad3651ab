/**
 * The suspects of a run from four sides: rules, the autopsy, the comparison of equals, and what the scenario declares.
 */
import { type Finding, isAtLeast } from '../../../../core/findings/index.ts'
import { completionsOf, isExplained, numbersOf, partsOf, type Result, spansOf } from '../../../../core/results/index.ts'
import { Waits } from '../../../../show/index.ts'
import type { Topology } from '../../../../core/topology/index.ts'
import type { Scenario } from '../../../scenario/index.ts'
import type { Side, Suspect } from '../suspect.ts'
import { declaredFaults } from './faults.ts'
import { unlikeLinks } from './links.ts'
import { placements } from './placements.ts'
import { limitingSettings, type Signs } from './settings.ts'
import { unlikeDevices } from './unlike.ts'
import { otherWorkloads } from './workloads.ts'

/** Slowest share of the messages of which the autopsy is asked. */
const SLOWEST = 0.05
const SLOWEST_LEAST = 10
/** Share of their waits from which a device is held responsible. */
const HELD = 0.05
/** Weight of all waits of the slowest messages, beside what a suspect has at first sight; and of an error that a rule finds. */
const BY_WAITS = 4
const BY_RULE = 3

/**
 * The likeliest first.
 * @param findings of `check` on the scenario
 */
export function suspectsOf(
  scenario: Scenario,
  topology: Topology,
  result: Result,
  findings: readonly Finding[],
): Suspect[] {
  const slowest = isExplained(result) ? slowestOf(result) : null
  const signs: Signs = {
    parts: slowest === null ? null : partShares(result, slowest),
    drops: result.counters.drops,
    timeouts: Object.values(result.counters.timeouts).reduce((sum, count) => sum + count, 0),
  }
  const all = [
    ...declaredFaults(scenario, topology),
    ...unlikeDevices(scenario, topology),
    ...unlikeLinks(scenario, topology),
    ...limitingSettings(scenario, topology, signs),
    ...placements(scenario, topology, result),
    ...otherWorkloads(scenario, topology, result),
  ]
  const held = slowest === null ? new Map<number, number>() : heldBy(result, slowest)
  return all.map((suspect) => weighed(suspect, held, findings)).toSorted((a, b) => b.weight - a.weight)
}

function weighed(suspect: Suspect, held: ReadonlyMap<number, number>, findings: readonly Finding[]): Suspect {
  const sides = new Set<Side>(suspect.sides)
  const share = suspect.nodes.reduce((sum, node) => sum + (held.get(node) ?? 0), 0)
  if (share >= HELD) sides.add('autopsy')
  const isByRule = findings.some((finding) => isAtLeast(finding.severity, 'error') && isAbout(finding, suspect))
  if (isByRule) sides.add('rule')
  return { ...suspect, sides, weight: suspect.weight + BY_WAITS * share + (isByRule ? BY_RULE : 0) }
}

/** A finding of one of its devices, with a path in the same group of values. */
function isAbout({ subject }: Finding, suspect: Suspect): boolean {
  const { device, path = '' } = suspect.subject
  if (subject.device !== undefined && subject.device !== device && !suspect.others.includes(subject.device))
    return false
  const group = (text: string): string => text.split('.').slice(0, 2).join('.')
  return subject.path !== undefined && group(subject.path) === group(path)
}

/** Rows of the slowest messages that were measured, and of all that did not finish. */
export function slowestOf(result: Result): Set<number> {
  const { slowdown, completionPs } = completionsOf(result)
  const measured = numbersOf(result.flows, 'measured')
  const rows = [...slowdown.keys()].filter((row) => measured[row] === 1)
  const open = rows.filter((row) => Number.isNaN(completionPs[row]))
  const done = rows.filter((row) => slowdown[row]! > 0).toSorted((a, b) => slowdown[b]! - slowdown[a]!)
  return new Set([...open, ...done.slice(0, Math.max(SLOWEST_LEAST, Math.ceil(SLOWEST * done.length)))])
}

/** By column. Unfinished messages count as long as the slowest that finished, lest they bury all others. */
function partShares(result: Result, rows: ReadonlySet<number>): Map<string, number> {
  const parts = partsOf(result.completion)
  const columns = parts.map((part) => spansOf(result, part))
  const sums = new Float64Array(parts.length)
  for (const row of rows) {
    const wholePs = columns.reduce((sum, column) => sum + (column[row]! || 0), 0)
    if (wholePs > 0) columns.forEach((column, part) => (sums[part]! += (column[row]! || 0) / wholePs))
  }
  return new Map(parts.map(({ column }, part) => [column, sums[part]! / Math.max(1, rows.size)]))
}

/** By node: the share of the waits of these messages that began there, each message with the same weight. */
function heldBy(result: Result, rows: ReadonlySet<number>): Map<number, number> {
  const waits = new Waits(result)
  const shares = new Map<number, number>()
  for (const { node, spanPs, flows } of waits.origins(rows)) {
    const allPs = waits.of(flows)
    if (node >= 0 && allPs > 0) shares.set(node, (shares.get(node) ?? 0) + ((spanPs / allPs) * flows.size) / rows.size)
  }
  return shares
}
