/**
 * Rails: hosts with several ports, port r of every host on the leaf of rail r, as servers with a NIC for each GPU are wired.
 * Hosts stand in groups; each group has one leaf per rail. Spines join all leaves; without spines rails and groups are
 * apart. Nodes: ports of hosts (host * rails + rail), then leaves (group * rails + rail), then spines.
 * Leaf ports: hosts of the group in order, then spines in order.
 */
import { InputError } from '../base/issue.ts'
import { count, duration, GBPS, rate, US } from '../base/params.ts'
import { times, TopologyBuilder } from './builder.ts'
import { defineTopology, ratesParam } from './topology.ts'

export const rails = defineTopology({
  name: 'rails',
  help: 'hosts with several ports, port r of each on the leaf switch of rail r',
  source: 'rail-optimized fabrics of AI clusters; own defaults',
  params: {
    rails: count({ default: 4, min: 2, max: 64, help: 'ports of a host, and leaf switches of a group' }),
    groups: count({ default: 2, min: 1, max: 512, help: 'groups of hosts' }),
    hostsPerGroup: count({ default: 8, min: 1, max: 512, help: 'hosts of a group, all on the same leaves' }),
    spines: count({ default: 4, min: 0, max: 512, help: 'spine switches, each joined to every leaf' }),
    hostRate: rate({ default: 100 * GBPS, min: 1e3, help: 'rate of each port of a host' }),
    fabricRate: rate({ default: 400 * GBPS, min: 1e3, help: 'rate of leaf-spine links' }),
    hostDelay: duration({ default: 1 * US, help: 'propagation delay of host links' }),
    fabricDelay: duration({ default: 1 * US, help: 'propagation delay of leaf-spine links' }),
    rates: ratesParam,
  },
  build(values) {
    if (values.groups > 1 && values.spines === 0) {
      throw new InputError([
        { path: 'spines', expected: 'spines, as there are several groups', received: '0', hint: 'or set groups=1' },
      ])
    }
    const builder = new TopologyBuilder()
    const hosts = Array.from({ length: values.groups * values.hostsPerGroup }, () =>
      builder.hostWithPorts(values.rails, 'rail'),
    )
    const leaves = times(values.groups * values.rails, (l) =>
      builder.switch(1, `leaf ${Math.floor(l / values.rails)}.${l % values.rails}`),
    )
    const spines = times(values.spines, (s) => builder.switch(2, `spine ${s}`))
    hosts.forEach((ports, host) => {
      const group = Math.floor(host / values.hostsPerGroup)
      ports.forEach((port, rail) => {
        builder.link(port, leaves[group * values.rails + rail]!, values.hostRate, values.hostDelay)
      })
    })
    for (const leaf of leaves) {
      for (const spine of spines) builder.link(leaf, spine, values.fabricRate, values.fabricDelay)
    }
    return builder.build()
  },
})
