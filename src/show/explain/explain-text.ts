/**
 * An explanation as text: one sentence first, then tables by slowdown, size and tag, and the ports that cost most.
 */
import { shownName } from '../../core/base/control-characters.ts'
import { type Finding, findingSentence, foundAt, runFindings, shellWord } from '../../core/findings/index.ts'
import { ALL_PARTS } from '../../core/results/index.ts'
import { exactCount, humanDuration, humanNumber, humanShare } from '../../core/base/format.ts'
import { right, type TextOptions, textTable } from '../text-table.ts'
import { jobPathsText } from './job-text.ts'
import { type Cost, type Explanation, type FlowGroup, type OriginCost, type OtherCosts, tailOf } from './explanation.ts'

/** A part with less than this share in every group is left out. */
const LEAST_SHARE = 0.005
/** Parts that are named for a group of sizes or of a tag. */
const NAMED = 3
/** Causes in sentences. */
const CAUSES_MAX = 3

/** Tables, each ended by a line feed, with an empty line between them. @param folder of the result */
export function explainText(explanation: Explanation, options: TextOptions = {}, folder?: string): string {
  const { all, bySlowdown, bySize, byTag, ports, origins } = explanation
  if (explanation.flows === 0)
    return `${causesText(explanation, folder)}no measured flow finished: there is no completion time to explain\n`
  return [
    verdict(explanation, folder),
    ...(explanation.paths.length > 0 ? [jobPathsText(explanation.paths, options)] : []),
    groupsTable([all, ...bySlowdown], tailOf(explanation), options),
    ...(bySize.length > 1 ? [partsTable('size', bySize, options)] : []),
    ...(byTag.length > 1 ? [partsTable('tag', byTag, options)] : []),
    ...(origins.length > 0 ? [originTable(explanation, options)] : []),
    ...(ports.length > 0 ? [`${costTable('port', ports, options)}${leftOutText(explanation)}`] : []),
  ].join('\n')
}

/** A line about ports that are known of the first flows only, or nothing. */
export function leftOutText({ hopsLeftOut }: Explanation): string {
  if (hopsLeftOut === 0) return ''
  return `ports: without ${exactCount(hopsLeftOut)} hops of later flows, which the observer left out (maxRows of autopsy)\n`
}

function verdict(explanation: Explanation, folder: string | undefined): string {
  const { flows, unfinished, withoutIdeal } = explanation
  const ended = `${exactCount(flows)} ${flows === 1 ? 'flow' : 'flows'} finished${unfinished === 0 ? '' : `, ${exactCount(unfinished)} did not`}${withoutIdeal === 0 ? '' : `, ${exactCount(withoutIdeal)} without an ideal time are in no rank`}`
  const jobs = explanation.jobs.map((finding) => `${findingSentence(finding)}\n`).join('')
  return `${causesText(explanation, folder)}${jobs}${ended}. ${slowestText(explanation)}\n`
}

function causesText({ causes }: Explanation, folder: string | undefined): string {
  if (causes.length === 0) return ''
  const hint =
    folder === undefined ? '' : `Suspected, not proved: rocelab why ${shellWord(folder)} runs it without each.\n`
  const lines = causes.slice(0, CAUSES_MAX).map((cause) => `${findingSentence(cause)}\n`)
  return `${lines.join('')}${hint}`
}

/** The largest parts of the slowest flows, and where most pauses began. There must be one that finished. */
export function slowestFinding(explanation: Explanation): Finding {
  const { flows, origins } = explanation
  const slowest = tailOf(explanation)
  const parts = partsOf(slowest).slice(0, 2)
  return foundAt(
    runFindings.completionParts,
    {},
    {
      flows: slowest.flows,
      group: flows === 1 ? '' : slowest.label,
      meanSlowdown: slowest.meanSlowdown,
      parts: parts.map(({ label, share }) => ({ part: label, share })),
      pausesBeganAt: (parts[0]?.isPause ?? false) ? pausesBeganAt(origins) : null,
    },
  )
}

/** The origin of most pauses; null: there were none. */
function pausesBeganAt(origins: readonly OriginCost[]): string | null {
  const pausedPs = ({ parts }: OriginCost): number =>
    ALL_PARTS.reduce((sum, { column, isPause }) => sum + (isPause ? (parts[column] ?? 0) : 0), 0)
  const most = origins.toSorted((a, b) => pausedPs(b) - pausedPs(a))[0]
  return most === undefined || pausedPs(most) === 0 ? null : most.name
}

/** The causes, the worst first, then what the slowest flows waited for; nothing of these if none finished. */
export function explanationFindings(explanation: Explanation): Finding[] {
  return [...explanation.causes, ...explanation.jobs, ...(explanation.flows === 0 ? [] : [slowestFinding(explanation)])]
}

/** One sentence about the slowest flows. There must be one that finished. */
export function slowestText(explanation: Explanation): string {
  return findingSentence(slowestFinding(explanation))
}

interface NamedShare {
  readonly label: string
  readonly isPause: boolean
  readonly share: number
}

/** Parts of a group, the largest first. */
export function partsOf({ shares }: FlowGroup): NamedShare[] {
  return shares
    .map((share, part) => ({ label: ALL_PARTS[part]!.label, isPause: ALL_PARTS[part]!.isPause, share }))
    .filter(({ share }) => share >= LEAST_SHARE)
    .sort((a, b) => b.share - a.share)
}

/** @param tail whose largest parts come first */
function groupsTable(groups: readonly FlowGroup[], tail: FlowGroup, options: TextOptions): string {
  const shown = groups[0]!.shares
    .map((_, index) => ({ ...ALL_PARTS[index]!, index }))
    .filter(({ index }) => groups.some(({ shares }) => shares[index]! >= LEAST_SHARE))
    .sort((a, b) => tail.shares[b.index]! - tail.shares[a.index]!)
  const head = ['', ...groups.map(({ label }) => right(label))]
  const rows = [
    ['flows', ...groups.map(({ flows }) => exactCount(flows))],
    ['mean slowdown', ...groups.map(({ meanSlowdown }) => humanNumber(meanSlowdown, 3))],
    ['mean completion', ...groups.map(({ meanCompletionPs }) => humanDuration(meanCompletionPs))],
    ...shown.map(({ label, index }) => [label, ...groups.map(({ shares }) => shareText(shares[index]!))]),
  ]
  return textTable(head, rows, options)
}

function partsTable(what: string, groups: readonly FlowGroup[], options: TextOptions): string {
  const rows = groups.map((group) => [
    shownName(group.label),
    exactCount(group.flows),
    humanNumber(group.meanSlowdown, 3),
    humanDuration(group.meanCompletionPs),
    partsOf(group)
      .slice(0, NAMED)
      .map(({ label, share }) => `${label} ${humanShare(share)}`)
      .join(', '),
  ])
  return textTable([what, ...['flows', 'slowdown', 'completion'].map(right), 'most of it'], rows, options)
}

/** Where flows were held: rows that add up to all waiting. */
function originTable({ origins, otherOrigins, unknownOrigin }: Explanation, options: TextOptions): string {
  const rowOf = (text: string, { flows, spanPs, share, parts }: OtherCosts): string[] => [
    text,
    exactCount(flows),
    humanDuration(spanPs),
    humanShare(share),
    partNames(parts).slice(0, NAMED).join(', '),
  ]
  const rows = [
    ...origins.map((one) => rowOf(originText(one.kind, one.name), one)),
    ...(otherOrigins.origins > 0 ? [rowOf(`${exactCount(otherOrigins.origins)} others`, otherOrigins)] : []),
    ...(unknownOrigin.spanPs > 0 ? [rowOf('not known', unknownOrigin)] : []),
  ]
  return textTable(['held by', ...['flows', 'time, sum', 'of all waiting'].map(right), 'most of it'], rows, options)
}

/** "host 3", "packets of its own: host 3", "losses: leaf 0 port 2 to host 1". */
export function originText(kind: OriginCost['kind'], name: string): string {
  const what = {
    host: '',
    storm: 'pauses without need: ',
    switch: '',
    nic: 'its own other queue pairs: ',
    link: 'link: ',
  }
  return `${what[kind]}${name}`
}

/** Labels of parts by column, in their order. */
export function partNames(parts: Readonly<Record<string, number>>): string[] {
  return Object.keys(parts).map((column) => ALL_PARTS.find((part) => part.column === column)?.label ?? column)
}

function costTable(what: string, costs: readonly Cost[], options: TextOptions): string {
  const hasQueues = costs.some(({ queuePs }) => queuePs > 0)
  const heads = ['flows', ...(hasQueues ? ['queued, sum'] : []), 'paused, sum']
  const rows = costs.map(({ name, flows, queuePs, pausedPs }) => [
    name,
    exactCount(flows),
    ...(hasQueues ? [humanDuration(queuePs)] : []),
    humanDuration(pausedPs),
  ])
  return textTable([what, ...heads.map(right)], rows, options)
}

function shareText(share: number): string {
  return share === 0 ? '-' : humanShare(share)
}
