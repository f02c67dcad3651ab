/**
 * Star: every host on one switch. Host h hangs on port h + 1.
 */
import { count, propagation, GBPS, rate, US } from '../base/params.ts'
import { times, TopologyBuilder } from './builder.ts'
import { defineTopology, ratesParam } from './topology.ts'

export const star = defineTopology({
  name: 'star',
  help: 'all hosts on one switch',
  source: '[IGBN] figure 1 (host, switch, host); the incast bench of HPCC',
  params: {
    hosts: count({ default: 2, min: 1, max: 8192, help: 'number of hosts' }),
    linkRate: rate({ default: 100 * GBPS, min: 1e3, help: 'rate of every link' }),
    linkDelay: propagation({ default: 1 * US, help: 'propagation delay of every link', source: '[IGBN] section 4' }),
    rates: ratesParam,
  },
  build(values) {
    const builder = new TopologyBuilder()
    const hosts = times(values.hosts, () => builder.host())
    const hub = builder.switch(1, 'switch')
    for (const host of hosts) builder.link(host, hub, values.linkRate, values.linkDelay)
    return builder.build()
  },
})
