/**
 * Headroom rows: for each kind of port, what the simulated parts and the hardware need, what the buffer keeps, and the
 * difference.
 */
import { familyOf } from '../../core/fabric/index.ts'
import { linkText } from '../../core/findings/index.ts'
import type { HeadroomPlan, HeadroomVerdict, PortHeadroom } from '../index.ts'
import { humanBytes } from '../../show/index.ts'
import type { Scenario } from '../scenario/index.ts'

/** Kinds of ports that are written out. */
const KINDS_SHOWN = 3

const FAMILY_HINT =
  'hardware needs more, as peers react later and cells are partly empty: name its family in switch.family'

/** One sentence for each kind of port, one for hardware if no family is named, and one for the rest of the buffer, which is shared. */
export function headroomRows({ switch: { buffer } }: Scenario, plan: HeadroomPlan | null): string[] {
  if (plan === null) return []
  const isPerClass =
    buffer.kind === 'memory-manager' || (buffer.kind === 'shared-buffer' && buffer.headroomPer === 'class')
  const per = isPerClass ? 'per class and port' : 'per port'
  const rows = plan.kinds.slice(0, KINDS_SHOWN).map((kind) => `${per} at ${linkText(kind)}: ${needText(kind)}`)
  const rest = plan.kinds.length - KINDS_SHOWN
  return [
    ...rows,
    ...(rest > 0 ? [restText(rest)] : []),
    ...(plan.kinds.some(({ family }) => family !== null) ? [] : [FAMILY_HINT]),
    ...(plan.poolBytes === null ? [] : [`${humanBytes(plan.poolBytes)} left to share`]),
  ]
}

function restText(kinds: number): string {
  const [what, them] = kinds === 1 ? ['kind of port', 'it'] : ['kinds of ports', 'them']
  return `${kinds} more ${what}: rocelab headroom FILE has ${them}`
}

/** "426 KB (Arista-7060X6-64PE-B-P32O64) to 446 KB (Arista-7060X6-64PE-B-O128)" */
function shippedText({ shipped }: PortHeadroom): string {
  const [least, most] = [shipped[0]!, shipped.at(-1)!]
  const rowText = ({ bytes, model }: typeof least): string => `${humanBytes(bytes)} (${model})`
  return least === most || least.bytes === most.bytes ? rowText(least) : `${rowText(least)} to ${rowText(most)}`
}

/** Answers, as `check` and `headroom` give them. */
export const VERDICTS: Readonly<Record<HeadroomVerdict, string>> = {
  enough: 'enough',
  'too-little': 'too little',
  'model-decides': 'depends on the model of the switch',
  unknown: 'cannot tell',
}

/** "needs 9.4 KB, has 9.9 KB, margin 500 B; spc4 needs 113 KB, margin -103 KB" */
function needText(kind: PortHeadroom): string {
  const { strict, asic, family, givenBytes, shipped, verdict } = kind
  const own = `needs ${humanBytes(strict.bytes)}, has ${humanBytes(givenBytes)}, margin ${marginText(givenBytes - strict.bytes)}`
  if (asic === null || family === null || verdict === null) return own
  if (familyOf(family).isFormula)
    return `${own}; ${family} needs ${humanBytes(asic.bytes)}, margin ${marginText(givenBytes - asic.bytes)}`
  return shipped.length === 0
    ? `${own}; ${family}: ${VERDICTS[verdict]}, an estimate is ${humanBytes(asic.bytes)}`
    : `${own}; ${family} keeps ${shippedText(kind)}: ${VERDICTS[verdict]}`
}

function marginText(bytes: number): string {
  return bytes < 0 ? `-${humanBytes(-bytes)}` : humanBytes(bytes)
}
