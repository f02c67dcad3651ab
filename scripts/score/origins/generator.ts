/**
 * Generator: the incidents by which the localiser is scored.
 */
import { Draw } from '../../../src/core/base/draw.ts'
import type { Generator } from '../incident.ts'
import { type Kind, ORIGIN_KINDS } from '../truth.ts'
import { drawFabric, isHealthy } from './fabrics.ts'
import { p99 } from '../victims.ts'
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
    // By the seed alone: pairs of which an attempt was refused are drawn anew, and stay pairs.
    const isTwo = new Draw(seed, 'score/origin/two').chance(TWO)
    return others.length > 0 && isTwo ? [kind, draw.one(others)] : [kind]
  },
  baseOf: drawFabric,
  inject: injectOrigin,
  observe: [{ kind: 'pause-intervals' }],
  isHealthy: ({ injections }, { result }) =>
    isHealthy(
      result,
      injections.map(({ truth }) => truth.kind),
    ),
  measures: [p99],
  leastSaved: 0.5,
  packetHopsMax: Infinity,
}
