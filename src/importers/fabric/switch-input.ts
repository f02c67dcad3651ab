/**
 * Input of what is made of switches, and their values at ports.
 */
import { formatQuantity } from '../../core/base/units.ts'
import { type ClassConfig, type SwitchSettings, UNKNOWN_CLASS, UNKNOWN_SWITCH } from '../../doctor/index.ts'
import { switchSettingsOf } from '../../doctor/diagnosis/rules/look.ts'
import type { FabricClasses } from './classes.ts'
import type { Asic } from '../../doctor/platforms/platforms.ts'
import type { FabricNetwork, NetworkDevice, NetworkPort } from './network.ts'
import type { Page } from './page.ts'
import type { Spread } from './spread.ts'

export interface SwitchInput {
  readonly network: FabricNetwork
  readonly classes: FabricClasses
  readonly page: Page
  readonly spread: Spread
  readonly asicOf: (platform: string) => Asic | null
}

export const size = (bytes: number): string => formatQuantity('size', Math.max(0, Math.round(bytes)))
export const settingsOf = ({ at }: NetworkDevice): SwitchSettings => (at && switchSettingsOf(at)) ?? UNKNOWN_SWITCH
export const spotOf = ({ device }: NetworkDevice): { device: string; port: string } => ({ device, port: '' })
export const classAtPort = ({ end }: NetworkPort, c: number): ClassConfig =>
  end.config?.settings.classes[c] ?? UNKNOWN_CLASS

/** Lossless class of a port by which its thresholds go: that of the data if it is one; undefined: none. */
export function losslessClassOf({ classes }: SwitchInput, port: NetworkPort): number | undefined {
  const all = classes.lossless.get(port)!
  return all.includes(classes.data) ? classes.data : all[0]
}
