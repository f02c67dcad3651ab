/**
 * Headroom notes: less than can arrive after XOFF, in the simulation and on hardware of the family that a scenario names;
 * and one headroom for links that need different ones.
 */
import { familyOf } from '../../fabric/index.ts'
import { formatQuantity } from '../../base/units.ts'
import type { HeadroomPlan, PortHeadroom } from '../../lab/index.ts'
import { humanBytes, humanDuration, humanRate } from '../../report/index.ts'
import type { Scenario } from '../../scenario/index.ts'
import { kindText, shippedText } from '../headroom-rows.ts'
import type { Finding, NoteId, NoteSubject, NoteValues } from './note.ts'

export function headroomNotes(scenario: Scenario, plan: HeadroomPlan | null): Finding[] {
  const kinds = plan?.kinds ?? []
  return [
    ...kinds.flatMap((kind) => [...needNotes(scenario, kind), ...familyNotes(scenario, kind)]),
    ...commonNotes(scenario, plan),
  ]
}

function subjectOf({ node, peer }: PortHeadroom): NoteSubject {
  return { device: node, port: peer, path: 'switch.buffer.headroom' }
}

function valuesOf({ rateBps, delayPs, ports, givenBytes }: PortHeadroom, more: NoteValues): NoteValues {
  return { givenBytes, ...more, rateBps, delayPs, ports }
}

/** Lossless classes that may drop packets: more bytes can arrive after XOFF than there is headroom. */
function needNotes({ pfc, switch: at }: Scenario, kind: PortHeadroom): Finding[] {
  const { strict, givenBytes } = kind
  if (givenBytes >= strict.bytes) return []
  const isShared = at.buffer.kind !== 'input-queued'
  const classes = pfc.classes.length === 0 ? 'a lossless class' : `class ${pfc.classes.join(', ')}`
  return [
    {
      id: 'headroom-below-need',
      subject: isShared ? subjectOf(kind) : { ...subjectOf(kind), path: 'switch.buffer.xoff' },
      values: valuesOf(kind, { neededBytes: strict.bytes }),
      text:
        `${classes} is paused by PFC and may still lose packets: ${humanBytes(strict.bytes)} can arrive after XOFF on links of ${kindText(kind)}, ` +
        `and ${humanBytes(givenBytes)} ${isShared ? 'are kept for it; set switch.buffer.headroom=off to have it computed' : 'are left above xoff; set switch.buffer.xoff lower'}`,
    },
  ]
}

/** Enough in the simulation, and not, or perhaps not, for the hardware that the scenario names. */
function familyNotes({ switch: { buffer } }: Scenario, kind: PortHeadroom): Finding[] {
  const { asic, family, strict, givenBytes, shipped, verdict } = kind
  if (asic === null || family === null || verdict === null || verdict === 'enough' || givenBytes < strict.bytes)
    return []
  const finding = (id: NoteId, values: NoteValues, text: string): Finding[] => [
    { id, subject: subjectOf(kind), values: valuesOf(kind, { family, ...values }), text },
  ]
  const [least, most] = [shipped[0], shipped.at(-1)]
  if (verdict === 'unknown' || least === undefined || most === undefined) {
    if (verdict === 'too-little')
      return finding(
        'headroom-below-family',
        { neededBytes: asic.bytes },
        `headroom is enough in this simulation and too little for hardware, whose peers react later and whose cells fill badly: ` +
          `${family} needs ${humanBytes(asic.bytes)} on links of ${kindText(kind)}, and ${humanBytes(givenBytes)} are kept${remedyText(buffer)}`,
      )
    return finding(
      'headroom-of-family-unknown',
      { estimateBytes: asic.bytes },
      `it is not known whether ${humanBytes(givenBytes)} of headroom are enough on links of ${kindText(kind)} for ${family}: no formula is public, ` +
        `and no table with this rate and length is known; an estimate is ${humanBytes(asic.bytes)}`,
    )
  }
  const values = { leastShippedBytes: least.bytes, mostShippedBytes: most.bytes }
  if (verdict === 'too-little')
    return finding(
      'headroom-below-family',
      values,
      `headroom is enough in this simulation and too little for hardware: switches of ${familyOf(family).help} keep ${shippedText(kind)} on links of ` +
        `${kindText(kind)}, and ${humanBytes(givenBytes)} are kept here${remedyText(buffer)}`,
    )
  return finding(
    'headroom-of-family-unknown',
    values,
    `whether ${humanBytes(givenBytes)} of headroom are enough on links of ${kindText(kind)} depends on the model of the switch: ${family} keeps ${shippedText(kind)}`,
  )
}

function remedyText({ kind }: Scenario['switch']['buffer']): string {
  return kind === 'shared-buffer'
    ? '; set switch.buffer.headroomFormula=hardware for that, with headroom=off'
    : '; rocelab headroom FILE shows the sums'
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
  const text = ({ rateBps, delayPs, strict }: PortHeadroom): string =>
    `${humanBytes(strict.bytes)} at ${humanRate(rateBps)} and ${humanDuration(delayPs)}`
  const ports = `ports: ${formatQuantity('rate', least.rateBps)} ${formatQuantity('duration', least.delayPs)}`
  return [
    {
      id: 'one-headroom-for-all-links',
      subject: { path: 'switch.buffer.headroom' },
      values: { givenBytes: buffer.headroom, leastBytes: least.strict.bytes, mostBytes: most.strict.bytes },
      text:
        `all ports keep ${humanBytes(buffer.headroom)} of headroom, whatever their rate and cable: needed are ${text(least)} and ${text(most)}; ` +
        `leave headroom off to have it computed, or give it by changes (${ports})`,
    },
  ]
}
