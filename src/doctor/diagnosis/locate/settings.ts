/**
 * Settings that bear on where pauses begin, from the configurations of devices as they are last.
 */
import type { DeviceConfig, Snapshot } from '../../../core/device-model/index.ts'
import type { DeviceSettings } from './origin.ts'

/** By device and class: the smallest alpha of its ports. A device of which none is known has no entry. */
export function settingsOf(snapshots: Iterable<Snapshot>): DeviceSettings[] {
  const last = new Map<string, DeviceConfig>()
  for (const { devices } of snapshots) for (const config of devices) last.set(config.device, config)
  return [...last.values()].flatMap(({ device, ports }) => {
    const alphas = new Map<number, number>()
    for (const { settings } of ports)
      settings.classes.forEach(({ alpha }, priority) => {
        if (alpha.state !== 'unknown') alphas.set(priority, Math.min(alphas.get(priority) ?? Infinity, alpha.value))
      })
    return [...alphas].map(([priority, alpha]) => ({ device, priority, alpha }))
  })
}
