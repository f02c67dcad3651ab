/**
 * Paths of jobs as text: the parts of their time, and the messages that took longest beyond their ideal time, with where and
 * behind whom; the chain of operations that a message waited for.
 */
import { exactCount, humanDuration, humanShare } from '../../core/base/format.ts'
import { right, type TextOptions, textTable } from '../text-table.ts'
import { BEHIND, labelOf } from './job-findings.ts'
import type { HeldMessage, JobPath } from './job-path.ts'

/** Messages that are listed; the others are counted. */
const HELD_MAX = 10

/** For each job two tables. */
export function jobPathsText(paths: readonly JobPath[], options: TextOptions): string {
  return paths
    .filter(({ totalPs }) => totalPs > 0)
    .flatMap((path) => [partsTable(path, options), ...(path.held.length > 0 ? [heldTable(path, options)] : [])])
    .join('\n')
}

/** Parts of the time of a job, and all of it: name, time, share. */
export function partRows({ totalPs, parts }: JobPath): string[][] {
  return [...parts, { part: 'all of it', spanPs: totalPs }].map(({ part, spanPs }) => [
    labelOf(part),
    humanDuration(spanPs, 4),
    humanShare(spanPs / totalPs),
  ])
}

/** The messages that took longest beyond their ideal time: iteration, rank, name, flow, time, excess, cause. */
export function heldRows({ held }: JobPath, most: number): string[][] {
  return held
    .slice(0, most)
    .map((one) => [
      one.iteration < 0 ? '-' : exactCount(one.iteration + 1),
      `${one.rank} (${one.rankName})`,
      one.operation,
      exactCount(one.flow),
      humanDuration(one.spanPs, 4),
      humanDuration(one.excessPs, 4),
      causeText(one),
    ])
}

function partsTable(path: JobPath, options: TextOptions): string {
  return textTable([`critical path of ${path.tag}`, right('time'), right('share')], partRows(path), options)
}

function heldTable(path: JobPath, options: TextOptions): string {
  const { held } = path
  const rows = heldRows(path, HELD_MAX)
  const heads = ['iteration', 'rank', 'message', right('flow'), right('time'), right('beyond'), 'why']
  const more =
    held.length > HELD_MAX
      ? `${exactCount(held.length - HELD_MAX)} more messages of the path took longer than alone\n`
      : ''
  return textTable(heads, rows, options) + more
}

/** "queues at leaf 0 port 3, 12 us, behind flow 3 of background". */
function causeText({ origin, culprits: [culprit] }: HeldMessage): string {
  if (origin === null) return '-'
  const behind =
    culprit === undefined || !BEHIND.has(origin.part)
      ? ''
      : `, behind flow ${culprit.flow}${culprit.tag === '' ? '' : ` of ${culprit.tag}`}`
  return `${labelOf(origin.part)} at ${origin.name}, ${humanDuration(origin.spanPs)}${behind}`
}
