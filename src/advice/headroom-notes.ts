/**
 * Headroom notes: for each kind of port, what the simulated parts and the hardware need, what the buffer keeps, and the
 * difference.
 */
import { formatQuantity } from '../base/units.ts'
import type { GrownBuffer, HeadroomPlan, PortHeadroom } from '../lab/index.ts'
import { humanBytes, humanDuration, humanRate } from '../report/index.ts'
import type { Scenario } from '../scenario/index.ts'

/** Kinds of ports that are written out. */
const KINDS_SHOWN = 3

const FAMILY_HINT =
  'hardware needs more, as its peers react later and its cells fill badly: name its family in switch.family'

/** One sentence for each kind of port, one for hardware if no family is named, and one for the rest of the buffer, which is shared. */
export function headroomRows({ switch: { buffer } }: Scenario, plan: HeadroomPlan | null): string[] {
  if (plan === null) return []
  const isPerClass =
    buffer.kind === 'memory-manager' || (buffer.kind === 'shared-buffer' && buffer.headroomPer === 'class')
  const per = isPerClass ? 'per class and port' : 'per port'
  const rows = plan.kinds.slice(0, KINDS_SHOWN).map((kind) => `${per} at ${kindText(kind)}: ${needText(kind)}`)
  const rest = plan.kinds.length - KINDS_SHOWN
  return [
    ...rows,
    ...(rest > 0 ? [restText(rest)] : []),
    ...(plan.kinds.some(({ family }) => family !== null) ? [] : [FAMILY_HINT]),
    ...(plan.poolBytes === null ? [] : [`${humanBytes(plan.poolBytes)} left to share`]),
  ]
}

/** The size that was chosen for a buffer because the usual one is too small, and why. */
export function grownText({ node, sizeBytes, setAsideBytes }: GrownBuffer): string {
  return (
    `no switch.buffer.size is given: ${node} has ${formatQuantity('size', sizeBytes)}, as its reserves and headroom take ${humanBytes(setAsideBytes)}; ` +
    'set switch.buffer.size to that of your switches'
  )
}

function restText(kinds: number): string {
  const [what, them] = kinds === 1 ? ['kind of port', 'it'] : ['kinds of ports', 'them']
  return `${kinds} more ${what}: rocelab headroom FILE has ${them}`
}

/** "100 Gbps and 200 ns" */
function kindText({ rateBps, delayPs }: PortHeadroom): string {
  return `${humanRate(rateBps)} and ${humanDuration(delayPs)}`
}

/** "needs 9.4 KB, has 9.9 KB, margin 500 B; spc4 needs 113 KB, margin -103 KB" */
function needText({ strict, asic, family, givenBytes }: PortHeadroom): string {
  const parts = [
    `needs ${humanBytes(strict.bytes)}, has ${humanBytes(givenBytes)}, margin ${marginText(givenBytes - strict.bytes)}`,
  ]
  if (asic !== null)
    parts.push(`${family} needs ${humanBytes(asic.bytes)}, margin ${marginText(givenBytes - asic.bytes)}`)
  return parts.join('; ')
}

function marginText(bytes: number): string {
  return bytes < 0 ? `-${humanBytes(-bytes)}` : humanBytes(bytes)
}

/** Headroom below what can arrive: in the simulation, and on hardware of the family that a scenario names. */
export function headroomNotes(scenario: Scenario, plan: HeadroomPlan | null): string[] {
  const kinds = plan?.kinds ?? []
  return [...simulatedNotes(scenario, kinds), ...asicNotes(scenario, kinds)]
}

/** Lossless classes that may drop packets: more bytes can arrive after XOFF than there is headroom. */
function simulatedNotes({ pfc, switch: at }: Scenario, kinds: readonly PortHeadroom[]): string[] {
  const short = kinds.filter(({ strict, givenBytes }) => givenBytes < strict.bytes)
  if (short.length === 0) return []
  const isShared = at.buffer.kind !== 'input-queued'
  const links = short.map(
    (kind) =>
      `${humanBytes(kind.strict.bytes)} can arrive after XOFF on links of ${kindText(kind)}, ` +
      `and ${humanBytes(kind.givenBytes)} ${isShared ? 'are kept for it' : 'are left above xoff'}`,
  )
  const what = isShared ? 'set switch.buffer.headroom=off to have it computed' : 'set switch.buffer.xoff lower'
  return [`class ${pfc.classes.join(', ')} is paused by PFC and may still lose packets: ${links.join('; ')}; ${what}`]
}

/** Enough in the simulation, and too little for the hardware that the scenario names. */
function asicNotes({ switch: { buffer } }: Scenario, kinds: readonly PortHeadroom[]): string[] {
  const short = kinds.flatMap((kind) => {
    const { asic, strict, givenBytes } = kind
    return asic !== null && givenBytes >= strict.bytes && givenBytes < asic.bytes ? [{ kind, asic }] : []
  })
  if (short.length === 0) return []
  const links = short.map(
    ({ kind, asic }) =>
      `${kind.family} needs ${humanBytes(asic.bytes)} on links of ${kindText(kind)}, and ${humanBytes(kind.givenBytes)} are kept`,
  )
  const remedy =
    buffer.kind === 'shared-buffer'
      ? 'set switch.buffer.headroomFormula=hardware for that, with headroom=off'
      : 'rocelab headroom FILE shows the sums'
  return [
    `headroom is enough in this simulation and too little for hardware, whose peers react later and whose cells fill badly: ${links.join('; ')}; ${remedy}`,
  ]
}
