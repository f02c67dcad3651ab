/**
 * Said: what the localiser says of a run by its counters and edges alone, and what two rules of thumb say. The one file
 * that knows the localiser's words.
 */
import {
  type Confidence,
  type DeviceSettings,
  edgesOf,
  locate,
  type Located,
  type OriginKind as LocatedKind,
  readingsOf,
} from '../../../src/doctor/index.ts'
import { type Result, tableOfKind } from '../../../src/core/results/index.ts'
import type { Incident } from '../incident.ts'
import { ALPHA } from '../injections.ts'
import type { Kind } from '../truth.ts'
import type { Damage } from './damage.ts'
import { locatedIn } from './vendors.ts'

export type SaidKind = Kind | 'unknown'

export interface Said {
  /** "host 3 port 1", "leaf 2"; '': the fabric as a whole. */
  readonly position: string
  readonly kind: SaidKind
  readonly confidence: Confidence
}

const KIND_OF: Readonly<Record<LocatedKind, SaidKind>> = {
  storm: 'pause-storm',
  'slow-receiver': 'slow-receiver',
  incast: 'incast',
  alpha: 'alpha',
  'bad-cable': 'bad-cable',
  deadlock: 'deadlock',
  'noisy-host': 'noisy-neighbour',
  headroom: 'small-headroom',
  reordering: 'reordering',
  oversubscription: 'oversubscription',
  unknown: 'unknown',
}

const positionOf = (device: string, port: string): string => (port === '' ? device : `${device} port ${port}`)

/** The surest and worst first. */
export function saidOf(result: Result, incident: Incident, damage: Damage): Said[] {
  const readings = readingsOf(tableOfKind(result, 'counters')!)
  const edges = edgesOf(tableOfKind(result, 'counters/edges')!)
  const settings = damage.hasSettings ? settingsOf(incident) : []
  const { vendors } = damage
  return saidOfLocated(
    vendors === undefined ? locate(edges, readings, settings) : locatedIn(edges, readings, settings, vendors),
  )
}

function saidOfLocated({ origins }: Located): Said[] {
  return origins.map(({ device, port, kind, confidence }) => ({
    position: positionOf(device, port),
    kind: KIND_OF[kind],
    confidence,
  }))
}

/** Alphas as the switches have them. */
function settingsOf({ base, injections }: Incident): DeviceSettings[] {
  const { names, tiers } = base.topology
  const { buffer } = base.tree['switch'] as { readonly buffer: { readonly alpha: number } }
  const changes = injections.flatMap(({ edit }) => edit.changes ?? [])
  return names.flatMap((device, node) => {
    if (tiers[node] === 0) return []
    const own = changes.find(({ path, nodes }) => path === ALPHA && nodes === device)
    return [{ device, priority: 3, alpha: Number(own?.['value'] ?? buffer.alpha) }]
  })
}

/** "The port that sends most pauses", and "the host that does"; null: nobody sends any. */
export interface Naive {
  readonly port: string | null
  readonly host: string | null
}

export function naiveOf(result: Result): Naive {
  const before = new Map<string, number>()
  const sent = new Map<string, number>()
  for (const { device, port, priority, name, value } of readingsOf(tableOfKind(result, 'counters')!)) {
    if (name !== 'pfcTxFrames') continue
    const position = positionOf(device, port)
    const key = `${position} ${priority}`
    // A counter that began anew counts from then on.
    sent.set(position, (sent.get(position) ?? 0) + Math.max(0, value - (before.get(key) ?? value)))
    before.set(key, value)
  }
  const most = (isMeant: (position: string) => boolean): string | null => {
    const [first] = [...sent].filter(([position, count]) => count > 0 && isMeant(position)).sort((a, b) => b[1] - a[1])
    return first?.[0] ?? null
  }
  return { port: most(() => true), host: most((position) => position.startsWith('host ')) }
}
