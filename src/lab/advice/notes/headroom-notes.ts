/**
 * Headroom: less than can arrive after XOFF, in the simulation and on hardware of the family that a scenario names; and one
 * headroom for links that need different ones.
 */
import { familyOf } from '../../../core/fabric/index.ts'
import { bufferFindings, type Finding, foundAt, type Subject } from '../../../core/findings/index.ts'
import type { HeadroomPlan, PortHeadroom } from '../../index.ts'
import type { Scenario } from '../../scenario/index.ts'

export function headroomNotes(scenario: Scenario, plan: HeadroomPlan | null): Finding[] {
  const kinds = plan?.kinds ?? []
  return [
    ...kinds.flatMap((kind) => [...needNotes(scenario, kind), ...familyNotes(scenario, kind)]),
    ...commonNotes(scenario, plan),
  ]
}

function subjectOf({ node, peer }: PortHeadroom): Subject {
  return { device: node, port: peer, path: 'switch.buffer.headroom' }
}

/** Lossless classes that may drop packets: more bytes can arrive after XOFF than there is headroom. */
function needNotes({ pfc, switch: at }: Scenario, kind: PortHeadroom): Finding[] {
  const { strict, givenBytes, rateBps, delayPs, ports } = kind
  if (givenBytes >= strict.bytes) return []
  const isAboveXoff = at.buffer.kind === 'input-queued'
  const subject = isAboveXoff ? { ...subjectOf(kind), path: 'switch.buffer.xoff' } : subjectOf(kind)
  const need = { givenBytes, neededBytes: strict.bytes, losslessClasses: pfc.classes, isAboveXoff }
  return [foundAt(bufferFindings.headroomBelowNeed, subject, { ...need, rateBps, delayPs, ports })]
}

/** Enough in the simulation, and not, or perhaps not, for the hardware that the scenario names. */
function familyNotes({ switch: { buffer } }: Scenario, kind: PortHeadroom): Finding[] {
  const { asic, family, strict, givenBytes, shipped, verdict, rateBps, delayPs, ports } = kind
  if (asic === null || family === null || verdict === null || verdict === 'enough' || givenBytes < strict.bytes)
    return []
  const { headroomBelowFamily, headroomOfFamilyUnknown } = bufferFindings
  const common = { givenBytes, family, rateBps, delayPs, ports }
  const below = { ...common, isSharedBuffer: buffer.kind === 'shared-buffer' }
  const [least, most] = [shipped[0], shipped.at(-1)]
  const isTooLittle = verdict === 'too-little'
  if (verdict === 'unknown' || least === undefined || most === undefined)
    return isTooLittle
      ? [foundAt(headroomBelowFamily, subjectOf(kind), { ...below, neededBytes: asic.bytes })]
      : [foundAt(headroomOfFamilyUnknown, subjectOf(kind), { ...common, estimateBytes: asic.bytes })]
  const table = {
    leastShippedBytes: least.bytes,
    leastShippedModel: least.model,
    mostShippedBytes: most.bytes,
    mostShippedModel: most.model,
  }
  return isTooLittle
    ? [foundAt(headroomBelowFamily, subjectOf(kind), { ...below, ...table, familyName: familyOf(family).help })]
    : [foundAt(headroomOfFamilyUnknown, subjectOf(kind), { ...common, ...table })]
}

/** One headroom that is given for links of which some need less than half of what others do. */
function commonNotes({ switch: { buffer }, changes }: Scenario, plan: HeadroomPlan | null): Finding[] {
  if (plan === null || buffer.kind === 'input-queued' || buffer.headroom === null) return []
  if (buffer.kind === 'memory-manager' && buffer.profiles.some(({ headroom }) => headroom !== null)) return []
  if (changes.some(({ path }) => path === 'switch.buffer' || path === 'switch.buffer.headroom')) return []
  const sorted = plan.kinds.toSorted((a, b) => a.strict.bytes - b.strict.bytes)
  const [least, most] = [sorted[0], sorted.at(-1)]
  // Too little is said by the notes above.
  if (least === undefined || most === undefined || buffer.headroom < most.strict.bytes) return []
  if (most.strict.bytes <= 2 * least.strict.bytes) return []
  return [
    foundAt(
      bufferFindings.oneHeadroomForAllLinks,
      { path: 'switch.buffer.headroom' },
      {
        givenBytes: buffer.headroom,
        leastBytes: least.strict.bytes,
        leastRateBps: least.rateBps,
        leastDelayPs: least.delayPs,
        mostBytes: most.strict.bytes,
        mostRateBps: most.rateBps,
        mostDelayPs: most.delayPs,
      },
    ),
  ]
}
