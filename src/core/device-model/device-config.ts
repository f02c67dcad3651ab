/**
 * Configuration of a device, by one name for each setting, whatever a vendor calls it and wherever it was read: in a file of
 * the device, from what the device says, or in a scenario.
 * Devices and ports with the same values may share the objects that hold them, so that a fabric costs no more than its
 * different values. Units are the last part of names.
 * Source: [MS-Scale] 5.1 (running against desired configurations).
 */

/** Devices give most times in milliseconds. */
export const PS_PER_MS = 1e9

/** Line of a file from which a value was read. */
export interface ValueOrigin {
  readonly file: string
  readonly line: number
}

/** One of a list of things with several parts: an address, a row of a table. */
export type PlainRow = Readonly<Record<string, number | string>>

export type Plain = number | string | boolean | readonly number[] | readonly PlainRow[]

/** A value in short: lists in brackets. */
export function plainText(value: Plain): string {
  if (typeof value !== 'object') return String(value)
  return `[${value.map((each) => (typeof each === 'object' ? JSON.stringify(each) : String(each))).join(', ')}]`
}

/**
 * A value, or that it is unknown, which is equal to nothing, not even to another unknown one.
 * set: somebody has written it; default: nobody has, and the device has one; operational: the device says that it is in force.
 */
export type Value<T extends Plain = Plain> =
  | { readonly state: 'unknown' }
  | { readonly state: 'set' | 'default' | 'operational'; readonly value: T; readonly origin?: ValueOrigin }

export const UNKNOWN: Value<never> = { state: 'unknown' }

/** The value; undefined: unknown. */
export function knownOf<T extends Plain>(value: Value<T> | undefined): T | undefined {
  return value === undefined || value.state === 'unknown' ? undefined : value.value
}

/** One class at a port: packets of one priority, by which PFC pauses them. */
export interface ClassConfig {
  /** Ingress priority group and egress queue of its packets. */
  readonly group: Value<number>
  readonly queue: Value<number>
  /** Egress queue that a received pause of this priority stops; -1: none. */
  readonly pausedQueue: Value<number>
  /** Whether its group has room for what arrives after XOFF. */
  readonly hasHeadroom: Value<boolean>
  /** Whether its egress queue may drop packets before its group reaches XOFF. */
  readonly dropsAtEgress: Value<boolean>
  /** Whether the switch's PFC watchdog watches it here. */
  readonly isWatched: Value<boolean>
  /** Whether it has cut the class off now. */
  readonly isStormed: Value<boolean>
  /** Longest packet of the class without Ethernet header, where a policy of classes gives one. */
  readonly classMtuBytes: Value<number>
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
  /** Buffer profile that all these come from. Names are no settings: they are not compared. */
  readonly profileName: Value<string>
  /** Whether packets are marked; the thresholds are known where they are. */
  readonly marks: Value<boolean>
  readonly kminBytes: Value<number>
  readonly kmaxBytes: Value<number>
  /** In place of bytes: shares of the queue's buffer, from 0 to 1. */
  readonly kminRatio: Value<number>
  readonly kmaxRatio: Value<number>
  readonly pmaxRatio: Value<number>
  /** "strict", "round-robin", or the weight of the class. */
  readonly schedule: Value<number | string>
}

/** Settings that the model has no name for, by the name that they have where they were read. */
export type OtherSettings = Readonly<Record<string, Value>>

/** An address of an RDMA device. */
export type Gid = {
  readonly index: number
  /** RoCE that it stands for: "v1", "v2". */
  readonly version: string
  /** "::ffff:10.0.1.1" for IPv4, else eight groups of four digits. */
  readonly address: string
}

/** Settings that only the port of a NIC has. */
export interface NicSettings {
  /** RDMA device: "mlx5_1". */
  readonly rdmaDevice: Value<string>
  /** PCI address, by which some tools call the port: "0000:09:00.0". */
  readonly pciName: Value<string>
  readonly isActive: Value<boolean>
  /** Largest payload of an RDMA packet. */
  readonly activeMtuBytes: Value<number>
  /** Traffic class (ToS byte) that the kernel gives to all queue pairs. */
  readonly sysfsTclass: Value<number>
  /** That of connections made by the RDMA connection manager. */
  readonly cmaTclass: Value<number>
  /** DSCPs of its RDMA packets, where they are known by themselves. */
  readonly dataDscps: Value<readonly number[]>
  /** Priorities on which marks are answered by CNPs, and on which CNPs slow down the sender; ascending. */
  readonly npClasses: Value<readonly number[]>
  readonly rpClasses: Value<readonly number[]>
  readonly cnpDscp: Value<number>
  readonly cnpClass: Value<number>
  /** Whether something else than DCQCN is configured against congestion. */
  readonly hasOtherControl: Value<boolean>
  /** Whether packets out of order are taken in without a loss being assumed. */
  readonly toleratesReordering: Value<boolean>
  /** Receive buffer of each priority, and sizes of the buffers. */
  readonly bufferOfClass: Value<readonly number[]>
  readonly bufferBytes: Value<readonly number[]>
  /** "os" or "firmware". */
  readonly dcbx: Value<string>
  /** Whether DCBX takes over what the peer advertises. */
  readonly isWilling: Value<boolean>
  /** Whether the daemon lldpad runs, which may overwrite settings. */
  readonly hasLldpad: Value<boolean>
  /** Time of standstill after which the NIC stops its own pauses; "off": it never does. */
  readonly pauseWatchdogPs: Value<number | string>
  /** GIDs of the RDMA device. */
  readonly gids: Value<readonly Gid[]>
}

export interface PortSettings {
  readonly rateBps: Value<number>
  /** Whether the link is meant to be up, and is. */
  readonly isUp: Value<boolean>
  readonly fec: Value<string>
  readonly autoNegotiates: Value<boolean>
  /** Longest packet without Ethernet header and FCS; "any": without a limit. */
  readonly mtuBytes: Value<number | string>
  /** Field from which the class of a packet is read: "dscp", "pcp", "both" (PCP of tagged packets), "none". */
  readonly trust: Value<string>
  /** Frames with a VLAN tag, or without: the mode of the port. Files: "untagged", "tagged" or "both". */
  readonly vlanMode: Value<string>
  /** Whether anything gives packets that come in a class. */
  readonly classifies: Value<boolean>
  /** By DSCP. */
  readonly dscpToClass: readonly Value<number>[]
  /** Lossless classes in force, ascending. */
  readonly pfcClasses: Value<readonly number[]>
  /** Lossless classes that are written down, in force or not. */
  readonly pfcWritten: Value<readonly number[]>
  /** Lossless classes that the peer advertises by DCBX. */
  readonly peerPfcClasses: Value<readonly number[]>
  /** "on", "off", or "auto": as DCBX agrees with the peer. */
  readonly pfcMode: Value<string>
  /** Pauses in one direction only. */
  readonly isPfcAsymmetric: Value<boolean>
  /** Pauses of the whole link (802.3x), taken and sent. */
  readonly takesGlobalPause: Value<boolean>
  readonly sendsGlobalPause: Value<boolean>
  /** Length of the cable as it is set. */
  readonly cableM: Value<number>
  /** By class. */
  readonly classes: readonly ClassConfig[]
  readonly nic?: NicSettings
  readonly other: OtherSettings
}

/** A buffer pool of a switch. */
export interface PoolConfig {
  /** As ClassConfig.profileName: not compared. */
  readonly poolName: Value<string>
  /** "ingress", "egress" or "both". */
  readonly side: Value<string>
  readonly sizeBytes: Value<number>
  /** Headroom that its groups share; 0: each has its own. */
  readonly sharedHeadroomBytes: Value<number>
}

/** A speed and a length of cable that headroom is known for. */
export type HeadroomRow = {
  readonly rateBps: number
  readonly cableM: number
}

export interface SwitchSettings {
  /** Hardware, by its name: devices of one role may differ in it. */
  readonly platform: Value<string>
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
  readonly pools: readonly PoolConfig[]
  /** How often shared headroom may be promised. */
  readonly headroomOversubscription: Value<number>
  /** Whether headroom follows from speed and cable by itself. */
  readonly isHeadroomDynamic: Value<boolean>
  /** Speeds and lengths that headroom is known for. */
  readonly headroomTable: Value<readonly HeadroomRow[]>
  readonly arpSeconds: Value<number>
  readonly macAgeSeconds: Value<number>
  /** Whether packets to an unknown MAC address are flooded in lossless classes, too. */
  readonly floodsLossless: Value<boolean>
  /** Choice among equal paths: "ecmp", "flowlet", "spray" or a name of the scenario. */
  readonly balance: Value<string>
  readonly other: OtherSettings
}

/** Environment of the job: settings of NCCL, UCX, NVSHMEM and libfabric. */
export interface JobSettings {
  readonly ncclIbTc: Value<number>
  readonly ncclIbFifoTc: Value<number>
  readonly ncclGinIbTc: Value<number>
  /** 3: queue pairs that the GPU drives, and that the kernel's traffic class does not reach. */
  readonly ncclGinType: Value<number>
  readonly isNcclGinOn: Value<boolean>
  readonly ncclIbHca: Value<string>
  readonly ncclIbGidIndex: Value<number>
  readonly ncclIbTimeout: Value<number>
  readonly ncclIbRetryCount: Value<number>
  /** How rings leave servers, the least number of channels, and the algorithms that are allowed. */
  readonly ncclCrossNic: Value<number>
  readonly ncclPxnDisable: Value<number>
  readonly ncclMinChannels: Value<number>
  readonly ncclAlgo: Value<string>
  readonly ucxIbTc: Value<number>
  readonly ucxIbGidIndex: Value<number>
  readonly nvshmemIbTc: Value<number>
  readonly nvshmemIbGidIndex: Value<number>
  readonly fiVerbsGidIndex: Value<number>
  /** Lists of adapters, as each library writes them. */
  readonly ucxNetDevices: Value<string>
  readonly nvshmemHcaList: Value<string>
  readonly fiVerbsDevice: Value<string>
  /** As the field of the queue pair: 4.096 us x 2^timeout. */
  readonly ucxRcTimeout: Value<number>
  readonly ucxRcRetryCount: Value<number>
}

export interface HostSettings {
  /** Class of RoCE data. */
  readonly dataClass: Value<number>
  readonly cnpClass: Value<number>
  readonly rateControl: Value<string>
  readonly recovery: Value<string>
  readonly job?: JobSettings
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
  /**
   * Names that its files give to what decides about it, by purpose ("input policy", "profile 3"), so that a remedy changes
   * what is there; no settings: they are not compared.
   */
  readonly names?: Readonly<Record<string, string>>
}

export interface DeviceConfig {
  readonly device: string
  readonly kind: 'host' | 'switch'
  /** Language of its configuration: "sonic", "mlnx_qos"; '': none that is known. */
  readonly language: string
  /** Devices of one role are expected to be alike. */
  readonly role: string
  readonly settings: SwitchSettings | HostSettings
  readonly ports: readonly PortConfig[]
  /** Whether the congestion control of a host slows down at marks (ECN); absent: nobody knows. */
  readonly usesMarks?: boolean
  /** Ports and links may be missing: nothing follows from their absence. */
  readonly isPartial?: boolean
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
    if (name.endsWith('Name') || inner === undefined) continue
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
