/**
 * The answer to "why" as text: the causes with their proof, remedies with their effect, who was cleared, and what was not tried.
 */
import { exactCount, humanDuration, humanNumber, humanShare } from '../../core/base/format.ts'
import { findingSentence, runCommand } from '../../core/findings/index.ts'
import { type AffectedJson, hasTail, type SuspectJson, type TriedJson, type WhyJson } from '../../core/results/index.ts'
import { right, type TextOptions, textTable } from '../text-table.ts'
import { whyFindings } from './why-findings.ts'

/** @param file with the scenario of the run */
export function whyText(why: WhyJson, file: string, options: TextOptions = {}): string {
  const findings = whyFindings(why).map((finding, i) => `${i + 1}. ${findingSentence(finding)}\n`)
  return [
    findings.join(''),
    commandsText(why, file),
    why.causes.length + why.cleared.length === 0 ? '' : triedTable(why, options),
    untriedText(why),
    `${exactCount(why.runs)} ${why.runs === 1 ? 'run' : 'runs'}, ${exactCount(why.packetHops)} packet-hops of ${exactCount(why.budgetHops)}\n`,
  ]
    .filter((text) => text !== '')
    .join('\n')
}

/** The commands that show the proof, and remedies with what they bring. */
function commandsText({ causes, remedies }: WhyJson, file: string): string {
  const lines = causes.slice(0, 1).map(({ sets }) => `The run without it: ${runCommand(file, sets)}`)
  for (const { sets, before, after, othersBefore, othersAfter } of remedies)
    lines.push(
      `Remedy, tried: ${runCommand(file, sets)}`,
      `  the affected: ${changeText(before, after)}` +
        (othersBefore.flows === 0 ? '' : `; the others: ${changeText(othersBefore, othersAfter)}`),
    )
  return lines.map((line) => `${line}\n`).join('')
}

/** "mean slowdown 21.4, then 6.67; p99 2.40 ms, then 310 us". */
export function changeText(before: AffectedJson, after: AffectedJson): string {
  const pair = (name: string, a: number | null, b: number | null, show: (value: number) => string): string[] =>
    a === null || b === null ? [] : [`${name} ${show(a)}, then ${show(b)}`]
  return [
    ...pair('mean slowdown', before.meanSlowdown, after.meanSlowdown, (value) => humanNumber(value)),
    ...pair(hasTail(before.flows) ? 'p99' : 'slowest', before.tailPs, after.tailPs, (value) => humanDuration(value)),
    ...(before.unfinished + after.unfinished === 0
      ? []
      : [`${exactCount(before.unfinished)} unfinished, then ${exactCount(after.unfinished)}`]),
  ].join('; ')
}

export const nameOf = ({ kind, device, port, workload, path }: SuspectJson): string =>
  [
    kind,
    device === null ? '' : port === null ? device : `${device} - ${port}`,
    workload ?? '',
    device === null ? (path ?? '') : '',
  ]
    .filter((text) => text !== '')
    .join(' ')

/** Most suspects that a row of the table names. */
const NAMED = 3

const namesOf = (suspects: readonly SuspectJson[]): string => {
  const [named, more] = [suspects.slice(0, NAMED), suspects.length - NAMED]
  return `${named.map(nameOf).join(' + ')}${more > 0 ? ` + ${exactCount(more)} others` : ''}`
}

function triedTable({ causes, cleared }: WhyJson, options: TextOptions): string {
  const numberText = (value: number | null): string => (value === null ? '' : humanNumber(value))
  const row = ({ suspects, standing, before, after, share, faster, slower }: TriedJson): string[] => [
    namesOf(suspects),
    standing,
    numberText(before.meanSlowdown),
    numberText(after.meanSlowdown),
    numberText(before.tailSlowdown),
    numberText(after.tailSlowdown),
    `${exactCount(faster)} / ${exactCount(slower)}`,
    share === null ? '' : humanShare(Math.max(0, share), 2),
  ]
  const head = ['without', '', 'mean slowdown', 'then', 'tail', 'then', 'faster / slower', 'gain']
  const rows = [...causes, ...cleared].map(row)
  return textTable(
    head.map((text, i) => (i < 2 ? text : right(text))),
    rows,
    options,
  )
}

function untriedText({ untried }: WhyJson): string {
  return untried.length === 0 ? '' : `not tried: ${untried.map(nameOf).join(', ')}\n`
}
