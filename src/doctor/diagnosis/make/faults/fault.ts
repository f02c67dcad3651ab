/**
 * Fault: a mistake that somebody makes in a fabric, and where rules are expected to find it. Most are other values of
 * settings at one port or device; some are edits of a text, or links in wrong ports.
 */
import type { Draw } from '../../../../core/base/draw.ts'
import type { DeviceConfig, Plain, PortConfig } from '../../../../core/device-model/index.ts'
import type { Design, DrawnDevice } from '../design.ts'

/** All that a fault may look at. */
export interface FaultSite {
  readonly draw: Draw
  readonly design: Design
  readonly config: DeviceConfig
  readonly device: DrawnDevice
  readonly port: PortConfig
  /** Headroom that the port needs, bytes. */
  readonly needBytes: number
}

/** Other values, by the paths of their fields; null: the setting is taken away. */
export type OtherValues = Readonly<Record<string, Plain | null>>

/** Devices at which it can be made; "leaf" and "spine" by what is at their ports. */
export type Where = 'host' | 'leaf' | 'spine' | 'switch'

/** Where its rule finds it: at the port, at one end of its link, at the device or a port of it, or at an end of its links. */
export type Found = 'port' | 'link' | 'device' | 'links'

export interface Fault {
  /** Rule that finds it, as a finding's id. */
  readonly rule: string
  /** The mistake in a few words. */
  readonly title: string
  readonly where: Where
  /** Where it is a matter of the whole device: all of its ports have it. */
  readonly isOfDevice?: boolean
  readonly found: Found
  /** Other rules that find something of their own in it. */
  readonly also?: readonly string[]
  /** Languages in which it is an error; absent: all that have words for its fields. */
  readonly languages?: readonly string[]
  /** Whether files can tell here; absent: everywhere. */
  readonly isDecidable?: (site: FaultSite) => boolean
  /** Settings of the port, or of each port. */
  readonly values?: (site: FaultSite) => OtherValues
  readonly deviceValues?: (site: FaultSite) => OtherValues
  /** It is no error, but worth a warning. */
  readonly isWarning?: boolean
  /** In place of values: an edit of the files. */
  readonly edit?: 'dangling name' | 'cut' | 'swapped links'
}
