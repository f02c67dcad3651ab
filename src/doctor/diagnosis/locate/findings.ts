/**
 * Origins as findings, for reports and for SARIF.
 */
import { type Finding, type FindingKind, foundAt, originFindings } from '../../../core/findings/index.ts'
import type { Located } from './locate.ts'
import type { Origin, OriginKind } from './origin.ts'

type OriginFinding = (typeof originFindings)['storm']

const KINDS: Readonly<Record<OriginKind, OriginFinding>> = {
  storm: originFindings.storm,
  'slow-receiver': originFindings.slowReceiver,
  incast: originFindings.incast,
  alpha: originFindings.alpha,
  'bad-cable': originFindings.bitErrors,
  deadlock: originFindings.deadlock,
  'noisy-host': originFindings.noisyHost,
  headroom: originFindings.headroom,
  reordering: originFindings.reordering,
  oversubscription: originFindings.oversubscription,
  unknown: originFindings.unknown,
}

/** The kind of finding of an origin, with its meaning and remedy. */
export function findingKindOf(kind: OriginKind): FindingKind {
  return KINDS[kind]
}

/** A finding for each origin, in their order; of low confidence they are notes. */
export function findingsOf({ origins }: Located): Finding[] {
  return origins.map((origin) => {
    const { kind, device, peer, priority, confidence } = origin
    const subject = {
      ...(device === '' ? {} : { device }),
      ...(peer === '' ? {} : { port: peer }),
      ...(priority < 0 ? {} : { trafficClass: priority }),
    }
    const found = foundAt(KINDS[kind], subject, valuesOf(origin))
    return confidence === 'low' ? { ...found, severity: 'note' } : found
  })
}

function valuesOf({ confidence, blame, impact, intervals, victims, port }: Origin) {
  const shares = { blameShare: blame, impactShare: impact }
  return { confidence, ...shares, intervals, victims: victims.length, portName: port }
}
