/**
 * Dumbbell: two switches with one cable between them, hosts on either side.
 * Left hosts are 0 .. leftHosts-1, right hosts follow; the bottleneck is the last port of both switches.
 */
import { count, propagation, GBPS, rate, US } from '../base/params.ts'
import { times, TopologyBuilder } from './builder.ts'
import { defineTopology, ratesParam } from './topology.ts'

export const dumbbell = defineTopology({
  name: 'dumbbell',
  help: 'two switches joined by one link, hosts on either side',
  source: 'the customary single-bottleneck bench of congestion control',
  params: {
    leftHosts: count({ default: 2, min: 1, max: 4096, help: 'hosts on the left switch: 0 .. leftHosts-1' }),
    rightHosts: count({ default: 2, min: 1, max: 4096, help: 'hosts on the right switch: the numbers after' }),
    hostRate: rate({ default: 100 * GBPS, min: 1e3, help: 'rate of host links' }),
    hostDelay: propagation({ default: 1 * US, help: 'propagation delay of host links' }),
    bottleneckRate: rate({ default: 100 * GBPS, min: 1e3, help: 'rate of the link between the switches' }),
    bottleneckDelay: propagation({ default: 1 * US, help: 'propagation delay of the link between the switches' }),
    rates: ratesParam,
  },
  build(values) {
    const builder = new TopologyBuilder()
    const leftHosts = times(values.leftHosts, () => builder.host())
    const rightHosts = times(values.rightHosts, () => builder.host())
    const left = builder.switch(1, 'left')
    const right = builder.switch(1, 'right')
    for (const host of leftHosts) builder.link(host, left, values.hostRate, values.hostDelay)
    for (const host of rightHosts) builder.link(host, right, values.hostRate, values.hostDelay)
    builder.link(left, right, values.bottleneckRate, values.bottleneckDelay)
    return builder.build()
  },
})
