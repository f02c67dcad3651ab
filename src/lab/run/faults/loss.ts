/**
 * Losses on links: each selected direction loses packets by a rule of its own state, from a time to a time.
 */
import type { RandomStreams } from '../../../core/base/random.ts'
import {
  bernoulliFault,
  corruptionFault,
  everyNthFault,
  gilbertElliottFault,
  ipIdFault,
  type LinkFault,
  SOUND,
} from '../../../core/fabric/link/fault.ts'
import { selectDirections } from '../../network/selection/link-selection.ts'
import type { FaultOf, FaultSite } from './site.ts'

type LossKind = 'bernoulli' | 'every-nth' | 'ip-id' | 'gilbert-elliott' | 'corruption'
type LossValues = { readonly [K in LossKind]: FaultOf<K> }[LossKind]

export function layLoss(values: LossValues, { built, random, index, path, addLoss }: FaultSite): void {
  const { from, until } = values
  const { queue } = built.network.fabric
  for (const direction of selectDirections(values.links, built, `${path}.links`)) {
    const fault = createLoss(values, random, `${index}/${direction.name}`)
    addLoss(direction, from === 0 && until === null ? fault : during(fault, queue, from, until ?? Infinity))
  }
}

/** The fault, seen only by packets that arrive in [fromPs, untilPs). */
function during(fault: LinkFault, clock: { readonly nowPs: number }, fromPs: number, untilPs: number): LinkFault {
  return {
    verdict: (packet) => (clock.nowPs >= fromPs && clock.nowPs < untilPs ? fault.verdict(packet) : SOUND),
  }
}

function createLoss(values: LossValues, random: RandomStreams, name: string): LinkFault {
  switch (values.kind) {
    case 'bernoulli':
      return bernoulliFault(values.probability, values.packets, random.stream(`bernoulli/${name}`))
    case 'every-nth':
      return everyNthFault(values.n, values.offset, values.packets)
    case 'ip-id':
      return ipIdFault(values.lowByte, values.packets)
    case 'gilbert-elliott':
      return gilbertElliottFault(values, values.packets, random.stream(`gilbert-elliott/${name}`))
    default:
      return corruptionFault(values.bitErrorRatio, random.stream(`corruption/${name}`))
  }
}
