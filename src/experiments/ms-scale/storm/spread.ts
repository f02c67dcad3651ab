/**
 * Spread of a storm by stage, from the pauses of all ports. The six steps of [MS-Scale] 4.3:
 *     1 the NIC of server 0 pauses its ToR            4 spines pause the rest of the leaves
 *     2 this ToR "in turn" pauses the leaves above    5 the rest of the leaves pause their ToRs
 *     3 these leaves pause the spines                 6 these ToRs pause their servers
 * "In turn": a pause belongs to stage n if the device that asks for it is itself paused in stage n - 1 at that moment. Pauses
 * of usual congestion, which are everywhere, do not count. "The rest" is the other podset, since all leaves of the podset
 * of server 0 are above its ToR.
 */
import { MS } from '../../../base/index.ts'
import { numberColumns, type Table, textsOf } from '../../../results/index.ts'
import type { Measures, Size } from '../../core/old/plan.ts'

export const STAGES = [
  { stopped: 'ToR of server 0', by: 'its NIC' },
  { stopped: 'leaves above it', by: 'that ToR' },
  { stopped: 'spines', by: 'these leaves' },
  { stopped: 'other leaves', by: 'spines' },
  { stopped: 'their ToRs', by: 'the other leaves' },
  { stopped: 'their servers', by: 'their ToRs' },
] as const

/** Ports of each stage: those that face its pausing devices ([MS-Scale] 5.4: 4 leaves, 64 spines, 24 ToRs, 24 servers). */
const PORTS: Readonly<Record<Size, readonly number[]>> = {
  small: [1, 2, 4, 4, 8, 16],
  full: [1, 4, 64, 64, 96, 576],
}

/** Times after the stop at which paused ports are counted, ms. */
export const TIMES_MS = [
  0.02, 0.05, 0.1, 0.2, 0.3, 0.5, 0.7, 1, 1.5, 2, 3, 4, 5, 6, 8, 10, 15, 20, 30, 50, 70, 100, 140,
] as const
export const shareKey = (stage: number, time: number): string => `stage${stage + 1}At${TIMES_MS[time]!}ms`

/** For each stage its first pause and the share of its ports that are paused at each of the times. */
export function spreadOf(intervals: Table, stopPs: number, size: Size): Measures {
  const [start, end, node, peer, tier, peerTier] = numberColumns(intervals, [
    'startPs',
    'endPs',
    'node',
    'peerNode',
    'tier',
    'peerTier',
  ])
  const [names, peerNames] = [textsOf(intervals, 'nodeName'), textsOf(intervals, 'peerName')]
  const firstsPs = STAGES.map(() => NaN)
  const counts = STAGES.map(() => new Float64Array(TIMES_MS.length))
  /** By stage and node: until when one of its ports is paused in that stage. */
  const untilPs = STAGES.map(() => new Map<number, number>())
  // Rows come by start, so that a cause stands before its effects.
  for (let row = 0; row < intervals.rowCount; row++) {
    if (start[row]! < stopPs) continue
    const where = { tier: tier[row]!, peerTier: peerTier[row]!, name: names[row]!, peerName: peerNames[row]! }
    const stage = stageOf(where, peer[row]!)
    if (stage < 0) continue
    if (stage > 0 && !(untilPs[stage - 1]!.get(peer[row]!)! >= start[row]!)) continue
    if (Number.isNaN(firstsPs[stage])) firstsPs[stage] = start[row]!
    untilPs[stage]!.set(node[row]!, Math.max(untilPs[stage]!.get(node[row]!) ?? 0, end[row]!))
    TIMES_MS.forEach((ms, i) => {
      const atPs = stopPs + ms * MS
      if (start[row]! <= atPs && atPs < end[row]!) counts[stage]![i]!++
    })
  }
  const measures: Record<string, number> = {}
  STAGES.forEach((_, stage) => {
    measures[`stage${stage + 1}Us`] = (firstsPs[stage]! - stopPs) / 1e6
    TIMES_MS.forEach((_ms, i) => (measures[shareKey(stage, i)] = counts[stage]![i]! / PORTS[size][stage]!))
  })
  return measures
}

interface Where {
  readonly tier: number
  readonly peerTier: number
  readonly name: string
  readonly peerName: string
}

/** @returns stage from 0 of the pause of a port of `name` by `peerName`; -1: none */
function stageOf({ tier, peerTier, name, peerName }: Where, peer: number): number {
  const isNear = /^(tor|leaf) 0\./.test(tier === 0 ? peerName : name)
  if (name === 'tor 0.0' && peer === 0) return 0
  if (tier === 2 && peerName === 'tor 0.0') return 1
  if (tier === 3 && peerName.startsWith('leaf 0.')) return 2
  if (isNear) return -1
  if (tier === 2 && peerTier === 3) return 3
  if (tier === 1 && peerTier === 2) return 4
  return tier === 0 ? 5 : -1
}
