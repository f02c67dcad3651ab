/**
 * Found: what the program says of a run, as a list of devices in its order. The one file that knows its findings.
 */
import { explain } from '../../src/show/index.ts'
import type { ReportedRun } from '../../src/show/reported-run.ts'
import type { Result } from '../../src/core/results/index.ts'
import type { Kind } from './truth.ts'

/** A device, port or link that is named as a cause. */
export interface Found {
  /** As it is named: "host 3", "leaf 0 port 2 to host 1". */
  readonly device: string
  /** Name of the node at the other end, of a link that is named by both ends. */
  readonly peer?: string
  /** Where the finding says what is wrong. */
  readonly kind?: Kind
}

/** Kinds of findings that say what is wrong. */
const KIND_OF: Readonly<Record<string, Kind>> = {
  'slow-receiver': 'slow-receiver',
  'pause-storm': 'pause-storm',
  'lossy-link': 'lossy-link',
  incast: 'incast',
  'marks-unlike-others': 'wrong-marking',
  'thresholds-unlike-others': 'alpha',
  oversubscribed: 'oversubscription',
  'busy-port': 'noisy-neighbour',
}

/** The first one first. */
export function foundIn({ result, facts }: ReportedRun): Found[] {
  return explain(result, facts).causes.flatMap(({ id, subject: { device, port } }): Found[] => {
    const kind = KIND_OF[id]
    if (device === undefined) return []
    return [{ device, ...(port !== undefined && { peer: port }), ...(kind !== undefined && { kind }) }]
  })
}

/** Time that measured messages waited, and the part of it of which nobody is named, ps. */
export function waitingOf(result: Result): { readonly waitingPs: number; readonly withoutOriginPs: number } {
  const { waitPs, knownShare } = explain(result)
  return { waitingPs: waitPs, withoutOriginPs: waitPs * (1 - knownShare) }
}
