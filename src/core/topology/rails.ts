/**
 * Rails: hosts with several ports, port r of every host on the leaf of rail r, as servers with a NIC for each GPU are wired.
 * Hosts stand in groups; each group has one leaf per rail. Spines join all leaves; without spines rails and groups are
 * apart. Nodes: ports of hosts (host * rails + rail), then leaves (group * rails + rail), then spines.
 * Leaf ports: hosts of the group in order, then spines in order.
 */
import { InputError } from '../base/issue.ts'
import { count } from '../base/params.ts'
import { times, TopologyBuilder } from './builder.ts'
import { defineTopology } from './topology.ts'
import { joinAll, twoTierParams } from './two-tier.ts'

export const rails = defineTopology({
  name: 'rails',
  help: 'hosts with several ports, port r of each on the leaf switch of rail r',
  source: 'rail-optimized fabrics of AI clusters; own defaults',
  params: {
    rails: count({ default: 4, min: 2, max: 64, help: 'ports of a host, and leaf switches of a group' }),
    groups: count({ default: 2, min: 1, max: 512, help: 'groups of hosts' }),
    hostsPerGroup: count({ default: 8, min: 1, max: 512, help: 'hosts of a group, all on the same leaves' }),
    spines: count({ default: 4, min: 0, max: 512, help: 'spine switches, each joined to every leaf' }),
    ...twoTierParams,
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
    const leaves = times(values.groups * values.rails, (l) => builder.switch(1, 'leaf', l, values.rails))
    const spines = times(values.spines, (s) => builder.switch(2, 'spine', s))
    hosts.forEach((ports, host) => {
      const group = Math.floor(host / values.hostsPerGroup)
      ports.forEach((port, rail) => {
        builder.link(port, leaves[group * values.rails + rail]!, values.hostRate, values.hostDelay)
      })
    })
    joinAll(builder, leaves, spines, values)
    return builder.build()
  },
})
