/**
 * Maps an htsim topology to a scenario: leaf-spine or fat-tree if it is exactly one, else a graph.
 * Numbering of a graph: hosts, ToRs, aggregation switches (spines), cores; ports in the order in which htsim connects them.
 * Aggregation switch p of a pod has `Bundle` links to each of the cores p, p + aggsPerPod, p + 2 aggsPerPod, ...
 */
import { formatQuantity } from '../../core/base/units.ts'
import { importFindings } from '../../core/findings/index.ts'
import type { HtsimFailure } from './matrix.ts'
import type { HtsimTier, HtsimTopo } from './topo.ts'
import type { Branch } from '../importer.ts'
import { type ImportLog } from '../text-input.ts'

/** Size limits of the topologies: nodes of a graph, leaves of a leaf-spine, arity of a fat tree. */
const MOST_NODES = 65_536
const MOST_LEAVES = 512
const MOST_ARITY = 32

const rateOf = (tier: HtsimTier): string => formatQuantity('rate', tier.speedGbps * 1e9)
const delayOf = (tier: HtsimTier): string => formatQuantity('duration', tier.latencyNs * 1000)

/** @param asGraph keeps htsim's numbering of switches even if a named topology would fit */
export function buildHtsimTopology(topo: HtsimTopo, asGraph: boolean, log: ImportLog): Branch {
  const [tor, agg, core] = topo.tiers
  if (tor === undefined || agg === undefined) return {}
  if (!asGraph && core === undefined && agg.bundle === 1) {
    const leaves = topo.torsPerPod
    if (Math.max(leaves, topo.aggsPerPod, tor.radixDown) <= MOST_LEAVES) {
      return {
        kind: 'leaf-spine',
        leaves,
        spines: topo.aggsPerPod,
        hostsPerLeaf: tor.radixDown,
        hostRate: rateOf(tor),
        fabricRate: rateOf(agg),
        hostDelay: delayOf(tor),
        fabricDelay: delayOf(agg),
      }
    }
  }
  if (!asGraph && core !== undefined && isFatTree(topo, tor, agg, core)) {
    return { kind: 'fat-tree', arity: topo.podCount, linkRate: rateOf(tor), linkDelay: delayOf(tor) }
  }
  return graphOf(topo, tor, agg, core, log)
}

function isFatTree(topo: HtsimTopo, ...tiers: readonly [HtsimTier, HtsimTier, HtsimTier]): boolean {
  const [tor] = tiers
  const half = topo.podCount / 2
  const equal = tiers.every(
    (tier) => tier.speedGbps === tor.speedGbps && tier.latencyNs === tor.latencyNs && tier.bundle === 1,
  )
  const counts = [topo.torsPerPod, topo.aggsPerPod, tor.radixDown].every((count) => count === half)
  return equal && counts && topo.coreCount === half * half && topo.podCount <= MOST_ARITY
}

function graphOf(topo: HtsimTopo, tor: HtsimTier, agg: HtsimTier, core: HtsimTier | undefined, log: ImportLog): Branch {
  const tors = topo.podCount * topo.torsPerPod
  const aggs = topo.podCount * topo.aggsPerPod
  const nodes = topo.hosts + tors + aggs + topo.coreCount
  if (nodes > MOST_NODES) {
    log.issue(undefined, 'Nodes', `at most ${MOST_NODES} nodes, switches included`, `${nodes}`)
    return {}
  }
  const firstAgg = topo.hosts + tors
  const links: string[] = []
  const join = (a: number, b: number, tier: HtsimTier): void => {
    for (let i = 0; i < tier.bundle; i++) links.push(`${a} ${b} ${rateOf(tier)} ${delayOf(tier)}`)
  }
  for (let host = 0; host < topo.hosts; host++) join(host, topo.hosts + Math.floor(host / tor.radixDown), tor)
  for (let t = 0; t < tors; t++) {
    const pod = Math.floor(t / topo.torsPerPod)
    for (let a = 0; a < topo.aggsPerPod; a++) join(topo.hosts + t, firstAgg + pod * topo.aggsPerPod + a, agg)
  }
  if (core !== undefined) {
    for (let a = 0; a < aggs; a++) {
      for (let c = a % topo.aggsPerPod; c < topo.coreCount; c += topo.aggsPerPod) {
        join(firstAgg + a, firstAgg + aggs + c, core)
      }
    }
  }
  const switches = Array.from({ length: nodes - topo.hosts }, (_, i) => topo.hosts + i)
  const bundles = topo.tiers.filter((tier) => tier.bundle > 1).length
  if (bundles > 0) log.note(importFindings.adapted('bundles', {}))
  return { kind: 'graph', nodes, switches, links }
}

/** "A-B" pairs of the failed links. In htsim only links between aggregation switches and cores fail. */
export function failedLinks(topo: HtsimTopo, failures: readonly HtsimFailure[], log: ImportLog): string[] {
  const aggs = topo.podCount * topo.aggsPerPod
  const firstAgg = topo.hosts + topo.podCount * topo.torsPerPod
  const coresPerAgg = topo.coreCount / topo.aggsPerPod
  const pairs: string[] = []
  for (const { token, switchType, switchId, linkId } of failures) {
    if (switchType !== 'AGG')
      log.issue(token, 'switch_type', 'AGG', switchType, 'that simulator fails links between AGG and CORE only')
    else if (topo.coreCount === 0) log.issue(token, 'switch_type', 'a topology of three tiers', 'two tiers')
    else if (switchId >= aggs) log.issue(token, 'switch_id', `0 to ${aggs - 1}`, `${switchId}`)
    else if (linkId >= coresPerAgg) log.issue(token, 'link_id', `0 to ${coresPerAgg - 1}`, `${linkId}`)
    else if ((topo.tiers[2]?.bundle ?? 1) > 1) {
      log.issue(
        token,
        'failure',
        'single links',
        'a link of a bundle, which a scenario cannot name',
        'only whole pairs of nodes can fail',
      )
    } else {
      const core = (switchId % topo.aggsPerPod) + linkId * topo.aggsPerPod
      pairs.push(`${firstAgg + switchId}-${firstAgg + aggs + core}`)
    }
  }
  if (pairs.length > 0) log.note(importFindings.adapted('failed-links', { links: pairs.length }))
  return pairs
}
