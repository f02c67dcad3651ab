/**
 * Findings of an answer to "why": proved causes, what remains, or that no message is slow.
 */
import { type Finding, foundAt, PROVED, proofFindings, type Subject, totalOf } from '../../core/findings/index.ts'
import type { SuspectJson, TriedJson, WhyJson } from '../../core/results/index.ts'

/** A finding, and the row of the cause that it is of; null: of what remains. */
interface WhyLine {
  readonly finding: Finding
  readonly cause: number | null
}

/** The proved causes, the first one first; else what remains, before tenants that hold each other up. */
export function whyLines(why: WhyJson): WhyLine[] {
  const { causes, cleared, untried, all, drops, verdict, busyPort } = why
  const found = causes.flatMap((cause, row) =>
    provedFindings(cause, all.flows).map((finding): WhyLine => ({ finding, cause: row })),
  )
  if (verdict === 'causes') return found
  const tried = cleared.filter(({ suspects }) => suspects.every(({ stage }) => stage !== 'load')).length
  const remains = (finding: Finding): WhyLine[] => [{ finding, cause: null }, ...found]
  if (verdict === 'calm') return remains(foundAt(proofFindings.calm, {}, { all, drops: totalOf(drops), tried }))
  const at = busyPort === null ? {} : { device: busyPort.device, port: busyPort.port }
  const { useShare = null, rateBps = null } = busyPort ?? {}
  const left = { all, useShare, rateBps, tried, untried: untried.length }
  return remains(foundAt(verdict === 'load' ? proofFindings.load : proofFindings.unknown, at, left))
}

export const whyFindings = (why: WhyJson): Finding[] => whyLines(why).map(({ finding }) => finding)

/** Several suspects together are one finding each, with the numbers of all. */
function provedFindings(
  { suspects, beyond, of: counted, before, after, step, faster, slower }: TriedJson,
  totalFlows: number,
): Finding[] {
  return suspects.flatMap((suspect) => {
    const kind = PROVED.get(suspect.kind)
    if (kind === undefined) return []
    const { now, usual, others } = suspect
    const values = {
      now,
      usual,
      others,
      besides: beyond.map(({ kind: of, device, workload, path, port }) =>
        [device ?? (of === 'placement' ? `the placement of ${workload!}` : (workload ?? path)), port]
          .filter(Boolean)
          .join(' - '),
      ),
      of: counted,
      before,
      after,
      step,
      faster,
      slower,
      totalFlows,
    }
    return [foundAt(kind, subjectOf(suspect), values)]
  })
}

export function subjectOf({ device, port, workload, path }: SuspectJson): Subject {
  return {
    ...(device !== null && { device }),
    ...(port !== null && { port }),
    ...(workload !== null && { workload }),
    ...(path !== null && { path }),
  }
}
