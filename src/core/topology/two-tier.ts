/**
 * Two tiers: what leaf-spine, rails and planes have in common: the rates and delays of their links, and leaves that are
 * all joined to the same spines.
 */
import { propagation, GBPS, rate, US, type ValuesOf } from '../base/params.ts'
import type { TopologyBuilder } from './builder.ts'
import { ratesParam } from './topology.ts'

export const twoTierParams = {
  hostRate: rate({ default: 100 * GBPS, min: 1e3, help: 'rate of host links' }),
  fabricRate: rate({ default: 400 * GBPS, min: 1e3, help: 'rate of leaf-spine links' }),
  hostDelay: propagation({ default: 1 * US, help: 'propagation delay of host links' }),
  fabricDelay: propagation({ default: 1 * US, help: 'propagation delay of leaf-spine links' }),
  rates: ratesParam,
}

/** Joins every leaf to every spine, leaf by leaf, so that the ports of a leaf lead to the spines in their order. */
export function joinAll(
  builder: TopologyBuilder,
  leaves: readonly number[],
  spines: readonly number[],
  { fabricRate, fabricDelay }: Pick<ValuesOf<typeof twoTierParams>, 'fabricRate' | 'fabricDelay'>,
): void {
  for (const leaf of leaves) for (const spine of spines) builder.link(leaf, spine, fabricRate, fabricDelay)
}
