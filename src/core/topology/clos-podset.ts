/**
 * Clos of podsets: servers on ToRs, every ToR on every leaf of its podset, every leaf on its own group of spines.
 * Leaf l of any podset leads to spines l*g .. l*g + g-1 with g = spines/leaves, so podsets are joined leaf by leaf and
 * two servers of different podsets have `spines` shortest paths.
 * ToR ports: servers 1 .. serversPerTor, then leaves; leaf ports: ToRs, then spines; spine port p + 1 leads to podset p.
 * Source: [MS-Scale] section 5.4 and figure 7(a): two podsets, 24 ToRs x 24 servers, 4 leaves, 64 spines, 40 Gb/s everywhere;
 * 24 : 4 = 6:1 at a ToR, 24 : 16 = 3:2 at a leaf, 64 uplinks and 2.56 Tb/s per podset. Cable lengths: [MS-Scale] section 2, 5 ns/m.
 * The paper's numbers agree with each other but for two readings. It speaks of 3074 connections, while 24 ToR pairs x 8
 * servers x 8 connections are 1536, and 3072 with both sides opening theirs. And 5.12 Tb/s is 128 links x 40 Gb/s in
 * one direction: the 3.0 Tb/s it measured need both directions in use, which 8 Gb/s sent by each of 384 servers confirms.
 */
import { inputError } from '../base/issue.ts'
import { count, propagation, GBPS, NS, rate, rateOrOff } from '../base/params.ts'
import { times, TopologyBuilder } from './builder.ts'
import { defineTopology, ratesParam } from './topology.ts'

const S2_54 = '[MS-Scale] section 5.4'

export const closPodset = defineTopology({
  name: 'clos-podset',
  help: 'three-tier Clos of podsets, oversubscribed at ToR and leaf',
  source: S2_54,
  params: {
    podsets: count({ default: 2, min: 1, max: 64, help: 'number of podsets', source: S2_54 }),
    leaves: count({ default: 4, min: 1, max: 64, help: 'leaf switches per podset', source: S2_54 }),
    tors: count({ default: 24, min: 1, max: 256, help: 'ToR switches per podset', source: S2_54 }),
    serversPerTor: count({ default: 24, min: 1, max: 256, help: 'servers on each ToR', source: S2_54 }),
    spines: count({
      default: 64,
      min: 1,
      max: 1024,
      help: 'spine switches in all; a multiple of leaves',
      source: S2_54,
    }),
    linkRate: rate({
      default: 40 * GBPS,
      min: 1e3,
      help: 'rate of every link whose tier has none of its own',
      source: S2_54,
    }),
    serverRate: rateOrOff({ default: null, min: 1e3, help: 'rate of server links; off: linkRate' }),
    torLeafRate: rateOrOff({ default: null, min: 1e3, help: 'rate of ToR-leaf links; off: linkRate' }),
    leafSpineRate: rateOrOff({ default: null, min: 1e3, help: 'rate of leaf-spine links; off: linkRate' }),
    serverDelay: propagation({
      default: 10 * NS,
      help: 'server to ToR: 2m of cable',
      source: '[MS-Scale] section 2, 5ns/m',
    }),
    torLeafDelay: propagation({
      default: 100 * NS,
      help: 'ToR to leaf: 20m of cable',
      source: '[MS-Scale] section 2, 5ns/m',
    }),
    leafSpineDelay: propagation({
      default: 1500 * NS,
      help: 'leaf to spine: 300m of cable',
      source: '[MS-Scale] section 2, 5ns/m',
    }),
    rates: ratesParam,
  },
  build(values) {
    const { podsets, leaves, tors, serversPerTor, spines } = values
    if (spines % leaves !== 0) {
      throw inputError(
        'spines',
        `a multiple of leaves (${leaves})`,
        `${spines}`,
        'each leaf has its own group of spines/leaves spines',
      )
    }
    const group = spines / leaves
    const serverRateBps = values.serverRate ?? values.linkRate
    const torLeafRateBps = values.torLeafRate ?? values.linkRate
    const leafSpineRateBps = values.leafSpineRate ?? values.linkRate
    const builder = new TopologyBuilder()
    const hosts = times(podsets * tors * serversPerTor, () => builder.host())
    const torIds = times(podsets * tors, (t) => builder.switch(1, 'tor', t, tors))
    const leafIds = times(podsets * leaves, (l) => builder.switch(2, 'leaf', l, leaves))
    const spineIds = times(spines, (s) => builder.switch(3, 'spine', s))
    for (const host of hosts) {
      builder.link(host, torIds[Math.floor(host / serversPerTor)]!, serverRateBps, values.serverDelay)
    }
    for (let podset = 0; podset < podsets; podset++) {
      for (let t = 0; t < tors; t++) {
        for (let l = 0; l < leaves; l++) {
          builder.link(torIds[podset * tors + t]!, leafIds[podset * leaves + l]!, torLeafRateBps, values.torLeafDelay)
        }
      }
    }
    for (let podset = 0; podset < podsets; podset++) {
      for (let l = 0; l < leaves; l++) {
        for (let s = 0; s < group; s++) {
          builder.link(leafIds[podset * leaves + l]!, spineIds[l * group + s]!, leafSpineRateBps, values.leafSpineDelay)
        }
      }
    }
    return builder.build()
  },
})
