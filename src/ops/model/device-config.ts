/**
 * Configuration of a device, by one name for each setting, whatever a vendor calls it and wherever it was read: in a file of
 * the device, from what the device says, or in a scenario.
 * Devices and ports with the same values may share the objects that hold them, so that a fabric costs no more than its
 * different values. Units are the last part of names.
 * Source: [MS-Scale] 5.1 (running against desired configurations).
 */

/** Line of a file from which a value was read, as it stands there. */
export interface ValueOrigin {
  readonly file: string
  readonly line: number
  readonly raw: string
}

export type Plain = number | string | boolean | readonly number[]

/**
 * A value, or that it is unknown, which is equal to nothing, not even to another unknown one.
 * set: somebody has written it; default: nobody has, and the device has one; operational: the device says that it is in force.
 */
export type Value<T extends Plain = Plain> =
  | { readonly state: 'unknown' }
  | { readonly state: 'set' | 'default' | 'operational'; readonly value: T; readonly origin?: ValueOrigin }

export const UNKNOWN: Value<never> = { state: 'unknown' }

/** One class (priority) at a port. */
export interface ClassConfig {
  /** Share of the free pool that the class may take at a port. */
  readonly alpha: Value<number>
  /** Fixed limit in its place. */
  readonly staticBytes: Value<number>
  readonly reserveBytes: Value<number>
  /** Bytes, or the name of the formula that gives them. */
  readonly headroomBytes: Value<number | string>
  /** Fill at which the port pauses its peer, where it is fixed. */
  readonly xoffBytes: Value<number>
  readonly xonBytes: Value<number>
  readonly xonOffsetBytes: Value<number>
  /** Whether packets are marked; the thresholds are known where they are. */
  readonly marks: Value<boolean>
  readonly kminBytes: Value<number>
  readonly kmaxBytes: Value<number>
  readonly pmaxRatio: Value<number>
  /** "strict", "round-robin", or the weight of the class. */
  readonly schedule: Value<number | string>
}

/** Settings that the model has no name for, by the name that they have where they were read. */
export type OtherSettings = Readonly<Record<string, Value>>

export interface PortSettings {
  readonly rateBps: Value<number>
  /** Longest packet without Ethernet header and FCS; "any": without a limit. */
  readonly mtuBytes: Value<number | string>
  /** Field from which the class of a packet is read. */
  readonly trust: Value<string>
  /** Frames with a VLAN tag, or without: the mode of the port. */
  readonly vlanMode: Value<string>
  /** Lossless classes, ascending. */
  readonly pfcClasses: Value<readonly number[]>
  /** One-way delay of the cable that headroom is computed for. */
  readonly believedDelayPs: Value<number>
  /** By class. */
  readonly classes: readonly ClassConfig[]
  readonly other: OtherSettings
}

export interface SwitchSettings {
  /** By DSCP. */
  readonly dscpToClass: readonly Value<number>[]
  readonly watchdog: {
    /** Its rule of detection; "off": there is no watchdog. */
    readonly kind: Value<string>
    readonly action: Value<string>
    readonly ports: Value<string>
    readonly detectionPs: Value<number>
    /** "never": the class stays out of service. */
    readonly restorationPs: Value<number | string>
    readonly pollPs: Value<number>
  }
  readonly arpSeconds: Value<number>
  readonly macAgeSeconds: Value<number>
  /** Choice among equal paths. */
  readonly balance: Value<string>
  readonly other: OtherSettings
}

export interface HostSettings {
  /** Class of RoCE data. */
  readonly dataClass: Value<number>
  readonly cnpClass: Value<number>
  readonly rateControl: Value<string>
  readonly recovery: Value<string>
  /** Time of standstill after which the NIC stops its own pauses; "off": it never does. */
  readonly pauseWatchdogPs: Value<number | string>
  readonly other: OtherSettings
}

export interface PortConfig {
  /** Unique at its device. */
  readonly name: string
  /** Ports of one role at devices of one role are expected to be alike. */
  readonly role: string
  /** Device at the other end of the cable. */
  readonly peer: Value<string>
  readonly settings: PortSettings
}

export interface DeviceConfig {
  readonly device: string
  /** Devices of one role are expected to be alike. */
  readonly role: string
  readonly settings: SwitchSettings | HostSettings
  readonly ports: readonly PortConfig[]
  /** The device as it is meant to be where half of its role is set otherwise than the other half; absent: nobody knows. */
  readonly usual?: DeviceConfig
}

/** Configurations as they are from a time on. */
export interface Snapshot {
  readonly atPs: number
  /** All devices first, and later those whose configuration changes. */
  readonly devices: readonly DeviceConfig[]
}

/** One value with its name. */
export interface Field {
  readonly name: string
  /** Class or DSCP that the value is for; null: neither. */
  readonly slot: number | null
  readonly value: Value
}

const known = new WeakMap<object, readonly Field[]>()

/** All values of settings, in their order. Settings are written once: the answer for an object is kept. */
export function fieldsOf(settings: SwitchSettings | HostSettings | PortSettings): readonly Field[] {
  let fields = known.get(settings)
  if (fields === undefined) known.set(settings, (fields = [...walk(settings, '', null)]))
  return fields
}

function* walk(settings: object, prefix: string, slot: number | null): Generator<Field> {
  for (const [key, inner] of Object.entries(settings)) {
    const name = `${prefix}${key}`
    if (isValue(inner)) yield { name, slot, value: inner }
    else if (!Array.isArray(inner)) yield* walk(inner, key === 'other' ? '' : `${name}.`, slot)
    else
      for (const [index, each] of inner.entries()) {
        if (isValue(each)) yield { name, slot: index, value: each }
        else yield* walk(each as object, prefix, index)
      }
  }
}

const isValue = (inner: unknown): inner is Value => typeof inner === 'object' && inner !== null && 'state' in inner
