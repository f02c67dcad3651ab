/**
 * Planes: hosts with several ports, port p of every host on plane p, and no way from one plane to another.
 * Each plane is a leaf-spine of its own. Nodes: ports of hosts (host * planes + plane), then the leaves of plane 0, of
 * plane 1, ..., then the spines alike. Leaf ports: hosts in order, then spines in order.
 */
import { count } from '../base/params.ts'
import { times, TopologyBuilder } from './builder.ts'
import { defineTopology } from './topology.ts'
import { joinAll, twoTierParams } from './two-tier.ts'

export const planes = defineTopology({
  name: 'planes',
  help: 'hosts with several ports, each on a leaf-spine fabric of its own',
  source: 'multi-plane fabrics of AI clusters; own defaults',
  params: {
    planes: count({ default: 4, min: 2, max: 64, help: 'ports of a host, and fabrics' }),
    leaves: count({ default: 2, min: 1, max: 512, help: 'leaf switches of each plane' }),
    spines: count({ default: 2, min: 1, max: 512, help: 'spine switches of each plane' }),
    hostsPerLeaf: count({ default: 8, min: 1, max: 512, help: 'hosts on each leaf' }),
    ...twoTierParams,
  },
  build(values) {
    const builder = new TopologyBuilder()
    const hosts = Array.from({ length: values.leaves * values.hostsPerLeaf }, () =>
      builder.hostWithPorts(values.planes, 'plane'),
    )
    const leaves = times(values.planes * values.leaves, (l) => builder.switch(1, 'leaf', l, values.leaves))
    const spines = times(values.planes * values.spines, (s) => builder.switch(2, 'spine', s, values.spines))
    hosts.forEach((ports, host) => {
      const leaf = Math.floor(host / values.hostsPerLeaf)
      ports.forEach((port, plane) => {
        builder.link(port, leaves[plane * values.leaves + leaf]!, values.hostRate, values.hostDelay)
      })
    })
    for (let plane = 0; plane < values.planes; plane++) {
      const ofPlane = (nodes: readonly number[], each: number): number[] =>
        nodes.slice(plane * each, (plane + 1) * each)
      joinAll(builder, ofPlane(leaves, values.leaves), ofPlane(spines, values.spines), values)
    }
    return builder.build()
  },
})
