/**
 * Spread of a storm by stage, from the pauses of all ports. The six steps of [MS-Scale] 4.3:
 *     1 the NIC of server 0 pauses its ToR            4 spines pause the rest of the leaves
 *     2 this ToR "in turn" pauses the leaves above    5 the rest of the leaves pause their ToRs
 *     3 these leaves pause the spines                 6 these ToRs pause their servers
 * "In turn": a pause belongs to stage n if the device that asks for it is itself paused in stage n - 1 at that moment. Pauses
 * of usual congestion, which are everywhere, do not count. "The rest" is the other podset, since all leaves of the podset
 * of server 0 are above its ToR.
 */
import { MS, US } from '../../../base/index.ts'
import { topologyOf } from '../../../lab/index.ts'
import { numberColumns, type Table } from '../../../results/index.ts'
import type { Scenario } from '../../../scenario/index.ts'
import { rowsWhere } from '../../core/measures.ts'
import type { Measures } from '../../core/plan.ts'

export const STAGES = [
  { stopped: 'ToR of server 0', by: 'its NIC' },
  { stopped: 'leaves above it', by: 'that ToR' },
  { stopped: 'spines', by: 'these leaves' },
  { stopped: 'other leaves', by: 'spines' },
  { stopped: 'their ToRs', by: 'the other leaves' },
  { stopped: 'their servers', by: 'their ToRs' },
] as const

/** Times after the stop at which paused ports are counted, ms. */
export const TIMES_MS = [1, 10, 50, 140] as const

/** For each stage its first pause and the share of its ports that are paused at each of the times. */
export function spreadOf(intervals: Table, scenario: Scenario, stopPs: number): Measures {
  const [start, end, node, peer] = numberColumns(intervals, ['startPs', 'endPs', 'node', 'peerNode'])
  const { tiers, links } = topologyOf(scenario)
  const stageOf = stagesIn(tiers)
  const ports = links.flatMap(({ a, b }) => [stageOf(a, b), stageOf(b, a)])
  /** By stage: rows of its pauses, and until when the ports of a node are paused in it. */
  const rows: number[][] = STAGES.map(() => [])
  const untilPs = STAGES.map(() => new Map<number, number>())
  // Rows come by start, so that a cause stands before its effects.
  for (const row of rowsWhere(intervals, (each) => start[each]! >= stopPs)) {
    const stage = stageOf(node[row]!, peer[row]!)
    if (stage < 0 || (stage > 0 && !(untilPs[stage - 1]!.get(peer[row]!)! >= start[row]!))) continue
    rows[stage]!.push(row)
    untilPs[stage]!.set(node[row]!, Math.max(untilPs[stage]!.get(node[row]!) ?? 0, end[row]!))
  }
  const share = (stage: number, atPs: number): number =>
    rows[stage]!.filter((row) => start[row]! <= atPs && atPs < end[row]!).length /
    ports.filter((each) => each === stage).length
  return Object.fromEntries(
    STAGES.flatMap((_, stage) => [
      [`stage${stage + 1}Us`, ((start[rows[stage]![0]!] ?? NaN) - stopPs) / US],
      ...TIMES_MS.map((ms) => [`stage${stage + 1}At${ms}ms`, share(stage, stopPs + ms * MS)]),
    ]),
  )
}

/** @returns the stage from 0 of a pause of `node` by `peer`, -1 if none. Server 0 is the first host of two podsets. */
function stagesIn(tiers: readonly number[]): (node: number, peer: number) => number {
  const tor = tiers.indexOf(1)
  /** In the podset of server 0, which has the first half of each tier. */
  const isNear = (node: number): boolean => {
    const tier = tiers[node]!
    return 2 * (node - tiers.indexOf(tier)) < tiers.filter((each) => each === tier).length
  }
  return (node, peer) => {
    if (node === tor && peer === 0) return 0
    if (tiers[node] === 2 && peer === tor) return 1
    if (tiers[node] === 3) return isNear(peer) ? 2 : -1
    if (isNear(node) || tiers[peer]! < tiers[node]!) return -1
    return [5, 4, 3][tiers[node]!]!
  }
}
