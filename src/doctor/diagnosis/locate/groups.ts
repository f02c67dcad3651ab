/**
 * Groups: origins of one kind at one device, or at devices of one tier, are one group, since one reason may show at
 * many ports.
 */
import type { Fabric } from './fabric.ts'
import type { Origin, OriginKind } from './origin.ts'

export interface OriginGroup {
  readonly kind: OriginKind
  readonly priority: number
  /** Links to the nearest host; 0: hosts; null: the fabric as a whole, or switches from which no host is reached. */
  readonly tier: number | null
  /** All of these are of low confidence, or none is. */
  readonly isPossible: boolean
  /** Sum of those of its origins. */
  readonly blame: number
  /** Each once, in the order of the origins; '': the fabric as a whole. */
  readonly devices: readonly string[]
  /** Positions in the list of origins, in its order. */
  readonly origins: readonly number[]
}

/** In the order of the first origin of each. */
export function groupsOf(fabric: Fabric, origins: readonly Origin[]): OriginGroup[] {
  const groups = new Map<string, number[]>()
  const tierOf = ({ device }: Origin): number | null => {
    const tier = fabric.devices.get(device)?.tier ?? Infinity
    return tier === Infinity ? null : tier
  }
  origins.forEach((origin, i) => {
    const key = JSON.stringify([origin.kind, origin.priority, tierOf(origin), origin.confidence === 'low'])
    groups.set(key, [...(groups.get(key) ?? []), i])
  })
  return [...groups.values()].map((members): OriginGroup => {
    const own = members.map((i) => origins[i]!)
    const { kind, priority, confidence } = own[0]!
    return {
      kind,
      priority,
      tier: tierOf(own[0]!),
      isPossible: confidence === 'low',
      blame: own.reduce((sum, { blame }) => sum + blame, 0),
      devices: [...new Set(own.map(({ device }) => device))],
      origins: members,
    }
  })
}
