/**
 * Generator: the incidents by which the localiser is scored.
 */
import type { Generator } from '../incident.ts'
import { type Kind, ORIGIN_KINDS } from '../truth.ts'
import { drawFabric, isHealthy } from './fabrics.ts'
import { injectOrigin } from './injections.ts'

/** Incidents with two injections, both of which have to do harm. */
const TWO = 0.1

export const ORIGINS: Generator = {
  prefix: 'origin/',
  kinds: ORIGIN_KINDS,
  // In turn, so that each kind has its share of any range of seeds.
  kindsOf(draw, seed, of) {
    const kind = of[seed % of.length]!
    const others = of.filter((one): one is Kind => one !== kind)
    return others.length > 0 && draw.chance(TWO) ? [kind, draw.one(others)] : [kind]
  },
  baseOf: drawFabric,
  inject: injectOrigin,
  observe: [{ kind: 'pause-intervals' }],
  isHealthy,
  countsAll: true,
}
