/**
 * Fabric: devices and their links. The list of links decides; ports that it does not name are linked by what devices say of
 * their neighbours, their addresses and their descriptions (links.ts).
 */
import { assert } from '../../../core/base/assert.ts'
import { expectConfig } from '../../../core/device-model/expect-config.ts'
import type { DeviceConfig, Edge, PortConfig } from '../../../core/device-model/index.ts'
import { type Device, type DeviceFile, deviceOf, portNamesOf } from './device.ts'
import { carriesRoce, type Claim, claimsOf, linksOf, type LinkSource, type SourcedEdge } from './links.ts'
import { DeviceNames, portKey, type PortNames } from './names.ts'

/** A port, which may be at a device without files: then nothing is known of it. */
export interface End {
  readonly device: string
  readonly port: string
  /** Null: nothing is known. */
  readonly at: Device | null
  readonly config: PortConfig | null
  /** Only where nobody knows where a port leads: that port, and what would tell. */
  readonly beyond?: Beyond
}

export interface Beyond {
  readonly device: string
  readonly port: string
  readonly lacks: 'link' | 'portName'
}

export interface Link {
  readonly ends: readonly [End, End]
  /** NaN: unknown. */
  readonly cableM: number
  /** '': nobody knows where the port leads. */
  readonly source: LinkSource | ''
}

/** A port of the list of links that its device does not have. */
export interface UnknownPort {
  readonly end: End
  /** Ports that the device has. */
  readonly known: readonly string[]
  /** Whether files name all ports of the device. */
  readonly isSure: boolean
  /** Line of the list. */
  readonly line: number
}

/** Two sources that name different peers of one port. */
export interface PeerConflict {
  readonly end: End
  /** Peers as each source names them: "spine-s Ethernet4". */
  readonly peers: readonly {
    readonly peer: string
    readonly source: string
    readonly file: string
    readonly line: number
  }[]
}

export interface Fabric {
  readonly devices: ReadonlyMap<string, Device>
  readonly links: readonly Link[]
  readonly peerConflicts: readonly PeerConflict[]
  readonly unknownPorts: readonly UnknownPort[]
  /** Links of a device, by its name. */
  linksOf(device: string): readonly Link[]
}

/** Seen from one end. */
export const otherEnd = ({ ends: [a, b] }: Link, end: End): End => (end === a ? b : a)

/** Nothing is known of a device whose files are of no known form. */
export const isUnread = ({ forms, config }: Device): boolean => forms.length === 0 && config.ports.length === 0

/** @param files by device, one device at a time  @param edges from a list of links; empty: there is none */
export function fabricOf(files: Iterable<readonly [string, readonly DeviceFile[]]>, edges: readonly Edge[]): Fabric {
  const cabled = new Map<string, string[]>()
  for (const { deviceA, portA, deviceB, portB } of edges) {
    cabled.set(deviceA, [...(cabled.get(deviceA) ?? []), portA])
    cabled.set(deviceB, [...(cabled.get(deviceB) ?? []), portB])
  }
  const inList = new DeviceNames(cabled.keys())
  const read = new Map<string, Device>()
  for (const [name, own] of files) read.set(name, deviceOf(name, own, cabled.get(inList.find(name) ?? '')))
  const portNames = new Map([...read].map(([name, device]) => [name, portNamesOf(device)]))
  const listed = ownNames(edges, read, portNames)
  const names = new DeviceNames([...read.keys(), ...listed.flatMap(({ deviceA, deviceB }) => [deviceA, deviceB])])
  const claims = claimsOf(read, names, portNames)
  const all = linksOf(listed, claims)
  const hostPorts = hostNeighbours(read, all)
  const devices = new Map([...read].map(([name, device]) => [name, withRoles(device, hostPorts)]))
  return linked(devices, all, (links, endOf) => ({
    peerConflicts: peerConflicts(links, claims, endOf),
    unknownPorts: unknownPorts(listed, links, endOf, portNames),
  }))
}

/** A list of links with names of devices and ports as their folders and files have them, where that is clear. */
function ownNames(
  edges: readonly Edge[],
  read: ReadonlyMap<string, Device>,
  portNames: ReadonlyMap<string, PortNames>,
): Edge[] {
  const folders = new DeviceNames(read.keys())
  const taken = new Map<string, Set<string>>()
  for (const name of new Set(edges.flatMap(({ deviceA, deviceB }) => [deviceA, deviceB]))) {
    const own = folders.find(name)
    // Its own name contradicts no other; two domains do.
    if (own !== undefined && own.toLowerCase() !== name.toLowerCase())
      taken.set(own, (taken.get(own) ?? new Set()).add(name))
  }
  const deviceOfList = (name: string): string => {
    const own = folders.find(name)
    return own === undefined || (own.toLowerCase() !== name.toLowerCase() && taken.get(own)!.size > 1) ? name : own
  }
  return edges.flatMap(({ deviceA, portA, deviceB, portB, ...rest }) => {
    const [a, b] = [deviceOfList(deviceA), deviceOfList(deviceB)]
    const portOf = (device: string, port: string): string => portNames.get(device)?.find(port) ?? port
    return a === b ? [] : [{ deviceA: a, portA: portOf(a, portA), deviceB: b, portB: portOf(b, portB), ...rest }]
  })
}

/**
 * A fabric of devices as they are given, such as one whose settings were changed or that was never in files. Each link is
 * between ports of any spelling.
 */
export function fabricOfDevices(devices: ReadonlyMap<string, Device>, edges: readonly Edge[]): Fabric {
  const links = edges.map((edge): SourcedEdge => ({ ...edge, source: 'list' }))
  return linked(devices, links, () => ({ peerConflicts: [], unknownPorts: [] }))
}

/** The same of configurations that are whole and were never in files. Roles follow from the links. */
export function fabricOfConfigs(configs: readonly DeviceConfig[], edges: readonly Edge[]): Fabric {
  for (const config of configs) expectConfig(config)
  const devices = new Map(configs.map((config) => [config.device, withoutFiles(config)]))
  const leaves = hostNeighbours(devices, edges)
  return fabricOfDevices(new Map([...devices].map(([name, device]) => [name, withRoles(device, leaves)])), edges)
}

const withoutFiles = (config: DeviceConfig): Device => ({
  config,
  isComplete: true,
  forms: [],
  unread: [],
  conflicts: [],
  references: [],
  neighbours: [],
  marks: [],
  readings: [],
})

type EndOf = (device: string, port: string) => End

function linked(
  devices: ReadonlyMap<string, Device>,
  edges: readonly SourcedEdge[],
  doubtsOf: (links: readonly Link[], endOf: EndOf) => Pick<Fabric, 'peerConflicts' | 'unknownPorts'>,
): Fabric {
  const ports = new Map(
    [...devices].map(([name, { config }]) => [name, new Map(config.ports.map((port) => [portKey(port.name), port]))]),
  )
  const endOf = (device: string, port: string): End => {
    const at = devices.get(device)
    return {
      device,
      port,
      at: at === undefined || isUnread(at) ? null : at,
      config: ports.get(device)?.get(portKey(port)) ?? null,
    }
  }
  const links = edges.map(({ deviceA, portA, deviceB, portB, cableM, source }): Link => ({
    ends: [endOf(deviceA, portA), endOf(deviceB, portB)],
    cableM,
    source,
  }))
  for (const { ends } of links) {
    assert(ends[0] !== ends[1], 'fabric: a link has one end')
    for (const { device, at, config } of ends) {
      assert(at === null || at.config.device === device, 'fabric: a link leads to another device than it names')
      assert(
        config === null || at?.config.ports.includes(config) === true,
        'fabric: a link leads to a port of no device',
      )
    }
  }
  const byDevice = new Map<string, Link[]>()
  for (const link of links)
    for (const { device } of link.ends) {
      const own = byDevice.get(device)
      if (own === undefined) byDevice.set(device, [link])
      else own.push(link)
    }
  return { devices, links, ...doubtsOf(links, endOf), linksOf: (device) => byDevice.get(device) ?? [] }
}

/** Languages whose whole configuration has all ports of the device, used or not. */
const ALL_PORTS: readonly string[] = ['sonic', 'nx-os', 'eos', 'os10']

/**
 * Ports of the list that files of their device do not have. Where files may be missing a port is in doubt only if the
 * device has one with RoCE that leads nowhere.
 */
function unknownPorts(
  listed: readonly Edge[],
  links: readonly Link[],
  endOf: EndOf,
  portNames: ReadonlyMap<string, PortNames>,
): UnknownPort[] {
  const linkedPorts = new Set(links.flatMap(({ ends }) => ends.flatMap(({ config }) => config ?? [])))
  const found = (device: string, port: string, line: number): UnknownPort[] => {
    const end = endOf(device, port)
    const all = end.at?.config.ports ?? []
    const known = all.filter(({ name }) => name !== '')
    if (end.at === null || known.length === 0 || portNames.get(device)?.find(port) !== undefined) return []
    const isSure = end.at.isComplete && ALL_PORTS.includes(end.at.config.language)
    const isDoubtful = all.some((each) => carriesRoce(each) && !linkedPorts.has(each))
    return isSure || isDoubtful ? [{ end, known: known.map(({ name }) => name), isSure, line }] : []
  }
  return listed.flatMap(({ deviceA, portA, deviceB, portB, line = 0 }) => [
    ...found(deviceA, portA, line),
    ...found(deviceB, portB, line),
  ])
}

/** Addresses and descriptions are what somebody planned: they contradict nothing. */
const CONTRADICTING: readonly LinkSource[] = ['lldp', 'table']

function peerConflicts(links: readonly Link[], claims: readonly Claim[], endOf: EndOf): PeerConflict[] {
  const byPort = new Map<string, Claim[]>()
  const keyOf = (device: string, port: string): string => `${device} ${portKey(port)}`
  for (const claim of claims) {
    if (!CONTRADICTING.includes(claim.source)) continue
    const key = keyOf(claim.device, claim.port)
    byPort.set(key, [...(byPort.get(key) ?? []), claim])
  }
  const listed = new Map<string, { device: string; port: string }>()
  for (const {
    ends: [a, b],
  } of links) {
    listed.set(keyOf(a.device, a.port), b)
    listed.set(keyOf(b.device, b.port), a)
  }
  return [...byPort].flatMap(([key, own]): PeerConflict[] => {
    const peer = listed.get(key)
    const isSame = ({ peerDevice, peerPort }: Claim): boolean =>
      peer === undefined ||
      (peer.device === peerDevice && (peerPort === '' || portKey(peer.port) === portKey(peerPort)))
    if (own.every(isSame)) return []
    const { device, port } = own[0]!
    return [
      {
        end: endOf(device, port),
        peers: [
          ...(peer === undefined ? [] : [{ peer: `${peer.device} ${peer.port}`, source: 'list', file: '', line: 0 }]),
          ...own.map(({ peerDevice, peerPort, source, file, line }) => ({
            peer: `${peerDevice} ${peerPort}`.trim(),
            source,
            file,
            line,
          })),
        ],
      },
    ]
  })
}

/** Devices with a host at one of their ports. */
function hostNeighbours(devices: ReadonlyMap<string, Device>, edges: readonly Edge[]): ReadonlySet<string> {
  const isHost = (name: string): boolean => devices.get(name)?.config.kind === 'host'
  return new Set(
    edges.flatMap(({ deviceA, deviceB }) => [
      ...(isHost(deviceB) ? [deviceA] : []),
      ...(isHost(deviceA) ? [deviceB] : []),
    ]),
  )
}

/** Roles: hosts; switches with hosts at their ports; other switches. Ports: by what is at their other end. */
function withRoles(device: Device, leaves: ReadonlySet<string>): Device {
  const { config } = device
  const role = config.kind === 'host' ? 'host' : leaves.has(config.device) ? 'leaf' : 'spine'
  const own: DeviceConfig = { ...config, role }
  return { ...device, config: own }
}
