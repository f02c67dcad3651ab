/**
 * Alpha: whether a switch pauses early because its thresholds are small. Counters alone cannot tell that from an incast:
 * it takes configuration, or watermarks of the buffer.
 * Sources: [MS-Scale] 6.2; docs/models/localiser.md, "Alpha".
 */
import type { Series } from '../../devices/series/index.ts'
import type { Device, Fabric } from './fabric.ts'
import { ALPHA_TIMES, THRESHOLD_TIMES } from './limits.ts'
import type { DeviceSettings } from './origin.ts'
import type { Evidence } from './states.ts'

/** by: what tells it. */
export type AlphaVerdict =
  | {
      readonly isSmall: true
      readonly by: 'configuration' | 'watermarks'
      readonly numbers: readonly Evidence[]
    }
  | { readonly isSmall: false; readonly by: 'configuration' }
  | undefined

export function alphaOf(
  fabric: Fabric,
  series: Series,
  settings: readonly DeviceSettings[],
  at: { readonly device: string; readonly priority: number },
): AlphaVerdict {
  const device = fabric.devices.get(at.device)!
  const peers = [...fabric.devices.values()].filter(
    (one) => one !== device && !one.isHost && one.tier === device.tier && one.ports.length === device.ports.length,
  )
  const alphas = ({ name }: Device): number[] =>
    settings.flatMap((one) => (one.device === name && one.priority === at.priority ? (one.alpha ?? []) : []))
  const [own] = alphas(device)
  const others = peers.flatMap(alphas).sort((a, b) => a - b)
  const usual = others[others.length >> 1]
  if (own !== undefined && usual !== undefined) {
    if (usual < ALPHA_TIMES * own) return { isSmall: false, by: 'configuration' }
    return { isSmall: true, by: 'configuration', numbers: [] }
  }
  return byWatermarks(fabric, series, device, peers, at.priority)
}

/**
 * A group pauses at alpha times what is left of the buffer (shared-buffer.md). From the most that groups here used, what they
 * all used, and the same of peers, follows how many times larger a peer's alpha is at least, where buffers are of one size.
 */
function byWatermarks(
  fabric: Fabric,
  series: Series,
  device: Device,
  peers: readonly Device[],
  priority: number,
): AlphaVerdict {
  const usesOf = ({ ports }: Device): { readonly port: string; readonly bytes: number }[] =>
    ports.flatMap((id) => {
      const { device: name, port } = fabric.ports[id]!
      const bytes = series.highest(name, port, priority, 'sharedMax') ?? 0
      return bytes > 0 ? [{ port, bytes }] : []
    })
  const sumOf = (uses: readonly { readonly bytes: number }[]): number => uses.reduce((sum, { bytes }) => sum + bytes, 0)
  const own = usesOf(device).sort((a, b) => b.bytes - a.bytes)
  const [most] = own
  if (most === undefined) return undefined
  for (const peer of peers) {
    const theirs = usesOf(peer).sort((a, b) => b.bytes - a.bytes)
    const [larger] = theirs
    if (larger === undefined) continue
    const left = 1 - sumOf(own) / Math.max(sumOf(own), sumOf(theirs))
    if ((larger.bytes / most.bytes) * left < THRESHOLD_TIMES) continue
    const evidenceOf = (
      name: string,
      { port, bytes }: { readonly port: string; readonly bytes: number },
    ): Evidence => ({
      device: name,
      port,
      priority,
      name: 'sharedMax',
      value: bytes,
      fromNs: series.fromNs,
      toNs: series.beginNs(series.count),
    })
    return { isSmall: true, by: 'watermarks', numbers: [evidenceOf(device.name, most), evidenceOf(peer.name, larger)] }
  }
  return undefined
}
