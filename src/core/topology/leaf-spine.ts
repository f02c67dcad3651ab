/**
 * Leaf-spine: every leaf joined to every spine by one cable.
 * Leaf ports: hosts 1 .. hostsPerLeaf, then spines in order. Spine port l + 1 leads to leaf l.
 * Oversubscription at a leaf: hostsPerLeaf * hostRate : spines * fabricRate; none with the defaults.
 */
import { count } from '../base/params.ts'
import { times, TopologyBuilder } from './builder.ts'
import { defineTopology } from './topology.ts'
import { joinAll, twoTierParams } from './two-tier.ts'

export const leafSpine = defineTopology({
  name: 'leaf-spine',
  help: 'two-tier Clos: every leaf on every spine',
  source: 'own defaults: no oversubscription',
  params: {
    leaves: count({ default: 4, min: 1, max: 512, help: 'number of leaf switches' }),
    spines: count({ default: 4, min: 1, max: 512, help: 'number of spine switches' }),
    hostsPerLeaf: count({ default: 16, min: 1, max: 512, help: 'hosts on each leaf' }),
    ...twoTierParams,
  },
  build(values) {
    const builder = new TopologyBuilder()
    const hosts = times(values.leaves * values.hostsPerLeaf, () => builder.host())
    const leaves = times(values.leaves, (l) => builder.switch(1, 'leaf', l))
    const spines = times(values.spines, (s) => builder.switch(2, 'spine', s))
    for (const host of hosts) {
      builder.link(host, leaves[Math.floor(host / values.hostsPerLeaf)]!, values.hostRate, values.hostDelay)
    }
    joinAll(builder, leaves, spines, values)
    return builder.build()
  },
})
