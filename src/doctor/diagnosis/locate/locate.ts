/**
 * Localiser: the origins of pauses and losses from a list of edges, readings of whatever devices answered, and what is known
 * of their configuration.
 * Source: docs/models/localiser.md.
 */
import { assert } from '../../../core/base/assert.ts'
import { ALL_PRIORITIES, type Edge, type Reading } from '../../../core/device-model/index.ts'
import { Series } from '../../devices/series/index.ts'
import { doubted } from './doubts.ts'
import { fabricOf, type Fabric, type Kinds } from './fabric.ts'
import { groupsOf, type OriginGroup } from './groups.ts'
import { endedStorms, originsOfLosses, reorderings } from './losses.ts'
import { CONFIDENCES, type DeviceSettings, type Origin } from './origin.ts'
import { originsOfPauses } from './pauses.ts'

export interface Located {
  readonly fromNs: number
  readonly intervalNs: number
  readonly intervals: number
  /** The surest and worst first. Those of low confidence are a list of what may be: none of them is named as the origin. */
  readonly origins: readonly Origin[]
  /** The origins of one kind and tier together, as texts have them. */
  readonly groups: readonly OriginGroup[]
  /** Devices of the edges that were not read twice. */
  readonly unheard: readonly string[]
}

/** @param kinds of devices, where they are known from more than their counters */
export function locate(
  edges: readonly Edge[],
  readings: readonly Reading[],
  settings: readonly DeviceSettings[] = [],
  kinds: Kinds = new Map(),
): Located {
  const series = new Series(readings)
  const fabric = fabricOf(edges, series, kinds)
  const lossless = losslessOf(fabric, series)
  const pauses = [...lossless].flatMap((priority) => originsOfPauses({ fabric, series, settings }, priority))
  // Paths that change and close a circle let packets overtake others, too.
  const overtaken = pauses.some(({ kind }) => kind === 'deadlock') ? [] : reorderings(fabric, series)
  const losses = [...originsOfLosses(fabric, series, lossless, pauses), ...overtaken]
  const origins = [...doubted(fabric, series, pauses), ...losses, ...endedStorms(fabric, series, pauses)]
  for (const { device, blame, impact, numbers } of origins) {
    assert(device === '' || fabric.devices.has(device), 'localiser: an origin is at no device of the fabric')
    assert(blame >= 0 && blame <= 1 + 1e-9 && impact >= 0, 'localiser: blame is not from 0 to 1')
    assert(
      numbers.every(({ fromNs, toNs }) => fromNs <= toNs),
      'localiser: a number ends before it begins',
    )
  }
  const rank = ({ confidence }: Origin): number => CONFIDENCES.indexOf(confidence)
  const weight = ({ blame, impact }: Origin): number => blame * impact
  origins.sort((a, b) => rank(a) - rank(b) || weight(b) - weight(a))
  return {
    fromNs: series.fromNs,
    intervalNs: series.intervalNs,
    intervals: series.count,
    origins,
    groups: groupsOf(fabric, origins),
    unheard: [...fabric.devices.keys()].filter((name) => !series.has(name)),
  }
}

/** Priorities of which someone was held or held another. */
function losslessOf({ ports }: Fabric, series: Series): ReadonlySet<number> {
  const names = ['pauseRxUs', 'pauseTxUs', 'pfcRxFrames', 'pfcTxFrames']
  const isHeld = (priority: number): boolean =>
    ports.some(({ device, port }) => names.some((name) => (series.total(device, port, priority, name) ?? 0) > 0))
  return new Set(series.priorities.filter((priority) => priority !== ALL_PRIORITIES && isHeld(priority)))
}
