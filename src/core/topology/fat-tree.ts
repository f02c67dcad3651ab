/**
 * Fat tree of arity k: k pods of k/2 edge and k/2 aggregation switches, (k/2)^2 cores, k^3/4 hosts, all links equal
 * unless a tier has a rate of its own, and edges not oversubscribed unless they have more hosts, which sit on more ports.
 * Half = k/2. Aggregation ports: 1 .. half downwards, half+1 .. k upwards, edges likewise behind the ports of their hosts;
 * core port p + 1 leads to pod p.
 * Oversubscription at an edge: hostsPerEdge * hostRate : half * edgeAggregationRate; at an aggregation switch:
 * edgeAggregationRate : aggregationCoreRate.
 * Aggregation switch a of every pod leads to cores a*half .. a*half + half-1, so two pods are joined by half^2 shortest paths.
 * Source: Al-Fares, Loukissas, Vahdat 2008, section 3; [IRN] section 4.1 takes k = 6 (54 hosts, 45 switches).
 */
import { inputError } from '../base/issue.ts'
import { count, countOrOff, propagation, GBPS, rate, rateOrOff, US } from '../base/params.ts'
import { times, TopologyBuilder } from './builder.ts'
import { defineTopology, ratesParam } from './topology.ts'

export const fatTree = defineTopology({
  name: 'fat-tree',
  help: 'three-tier fat tree of k-port switches: k^3/4 hosts, 5k^2/4 switches, full bisection unless oversubscribed',
  source: '[IRN] section 4.1; Al-Fares et al. 2008',
  params: {
    arity: count({
      default: 6,
      min: 2,
      max: 128,
      help: 'k: ports of every switch, even; 6 gives 54 hosts, 8 gives 128, 10 gives 250, 16 gives 1024, 64 gives 65536',
      source: '[IRN] section 4.1: 54 servers, 6-port switches',
    }),
    hostsPerEdge: countOrOff({
      default: null,
      min: 1,
      max: 512,
      help: 'hosts on each edge switch; off: arity/2. More of them oversubscribe the edge',
      source: '[IRN] section 4.1: arity/2',
    }),
    linkRate: rate({
      default: 40 * GBPS,
      min: 1e3,
      help: 'rate of every link whose tier has none of its own',
      source: '[IRN] section 4.1',
    }),
    hostRate: rateOrOff({ default: null, min: 1e3, help: 'rate of host links; off: linkRate' }),
    edgeAggregationRate: rateOrOff({
      default: null,
      min: 1e3,
      help: 'rate of links from edge to aggregation switches; off: linkRate',
    }),
    aggregationCoreRate: rateOrOff({
      default: null,
      min: 1e3,
      help: 'rate of links from aggregation switches to cores; off: linkRate',
    }),
    linkDelay: propagation({
      default: 2 * US,
      help: 'propagation delay of every link',
      source: '[IRN] section 4.1: 24us round trip over six hops',
    }),
    rates: ratesParam,
  },
  build(values) {
    const arity = values.arity
    if (arity % 2 !== 0)
      throw inputError('arity', 'an even number', `${arity}`, 'a pod has arity/2 switches of each kind')
    const half = arity / 2
    const hostsPerEdge = values.hostsPerEdge ?? half
    const builder = new TopologyBuilder()
    const hosts = times(arity * half * hostsPerEdge, () => builder.host())
    const edges = times(arity * half, (e) => builder.switch(1, 'edge', e, half))
    const aggregations = times(arity * half, (a) => builder.switch(2, 'aggregation', a, half))
    const cores = times(half * half, (c) => builder.switch(3, 'core', c, half))
    const link = (a: number, b: number, rateBps: number | null): void =>
      builder.link(a, b, rateBps ?? values.linkRate, values.linkDelay)
    for (const host of hosts) link(host, edges[Math.floor(host / hostsPerEdge)]!, values.hostRate)
    for (let pod = 0; pod < arity; pod++) {
      for (let e = 0; e < half; e++) {
        for (let a = 0; a < half; a++)
          link(edges[pod * half + e]!, aggregations[pod * half + a]!, values.edgeAggregationRate)
      }
    }
    for (let pod = 0; pod < arity; pod++) {
      for (let a = 0; a < half; a++) {
        for (let c = 0; c < half; c++)
          link(aggregations[pod * half + a]!, cores[a * half + c]!, values.aggregationCoreRate)
      }
    }
    return builder.build()
  },
})
