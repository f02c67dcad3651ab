/**
 * Findings of an answer to "why": proved causes, the load, or that nothing is wrong.
 */
import { type Finding, foundAt, PROVED, proofFindings, type Subject } from '../../core/findings/index.ts'
import type { SuspectJson, TriedJson, WhyJson } from '../../core/results/index.ts'

/** The proved causes, the first one first; else that the load is the cause, or nothing. */
export function whyFindings(why: WhyJson): Finding[] {
  const { causes, all, verdict, busyPort } = why
  const found = causes.flatMap((cause) => provedFinding(cause, all.flows))
  const tried = why.cleared.reduce((sum, { suspects }) => sum + suspects.length, 0)
  if (verdict === 'calm') return [foundAt(proofFindings.calm, {}, { all, tried }), ...found]
  if (verdict !== 'load') return found
  const at = busyPort === null ? {} : { device: busyPort.device, port: busyPort.port }
  const { useShare = null, rateBps = null } = busyPort ?? {}
  return [foundAt(proofFindings.load, at, { all, useShare, rateBps, tried }), ...found]
}

/** Several suspects together are one finding each, with the numbers of all. */
function provedFinding({ suspects, beyond, before, after, faster, slower }: TriedJson, totalFlows: number): Finding[] {
  return suspects.flatMap((suspect) => {
    const kind = PROVED.get(suspect.kind)
    if (kind === undefined) return []
    const { now, usual, others } = suspect
    const values = {
      now,
      usual,
      others,
      besides: beyond.map(({ device, workload, path, port }) =>
        [device ?? workload ?? path, port].filter(Boolean).join(' - '),
      ),
      before,
      after,
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
