/**
 * Fabric: devices and their links. The list of links decides; where there is none, LLDP and tables of neighbours of
 * either end do.
 */
import type { DeviceConfig, Edge, PortConfig } from '../model/index.ts'
import { type Device, type DeviceFile, deviceOf } from './device.ts'
import { DeviceNames, portKey } from './names.ts'

/** A port, which may be at a device without files: then nothing is known of it. */
export interface End {
  readonly device: string
  readonly port: string
  /** Null: nothing is known. */
  readonly at: Device | null
  readonly config: PortConfig | null
}

export interface Link {
  readonly ends: readonly [End, End]
  /** NaN: unknown. */
  readonly cableM: number
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
  /** Links of a device, by its name. */
  linksOf(device: string): readonly Link[]
}

/** Seen from one end. */
export const otherEnd = ({ ends: [a, b] }: Link, end: End): End => (end === a ? b : a)

/** @param files by device, one device at a time  @param edges from a list of links; empty: there is none */
export function fabricOf(files: Iterable<readonly [string, readonly DeviceFile[]]>, edges: readonly Edge[]): Fabric {
  const cabled = new Map<string, string[]>()
  for (const { deviceA, portA, deviceB, portB } of edges) {
    cabled.set(deviceA, [...(cabled.get(deviceA) ?? []), portA])
    cabled.set(deviceB, [...(cabled.get(deviceB) ?? []), portB])
  }
  const read = new Map<string, Device>()
  for (const [name, own] of files) read.set(name, deviceOf(name, own, cabled.get(name)))
  const names = new DeviceNames([...read.keys(), ...cabled.keys()])
  const heard = edgesHeard(read, names)
  const listed = edges.length > 0 ? edges : heard.edges
  const hostPorts = hostNeighbours(read, listed)
  const devices = new Map([...read].map(([name, device]) => [name, withRoles(device, hostPorts)]))
  return linked(devices, listed, (links, endOf) => peerConflicts(links, heard.claims, endOf))
}

/**
 * A fabric of devices as they are given, such as one whose settings were changed or that was never in files. Each link is
 * between ports of any spelling.
 */
export function fabricOfDevices(devices: ReadonlyMap<string, Device>, edges: readonly Edge[]): Fabric {
  return linked(devices, edges, () => [])
}

/** The same of configurations that are whole and were never in files. Roles follow from the links. */
export function fabricOfConfigs(configs: readonly DeviceConfig[], edges: readonly Edge[]): Fabric {
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
  readings: [],
})

type EndOf = (device: string, port: string) => End

function linked(
  devices: ReadonlyMap<string, Device>,
  edges: readonly Edge[],
  conflictsOf: (links: readonly Link[], endOf: EndOf) => PeerConflict[],
): Fabric {
  const ports = new Map(
    [...devices].map(([name, { config }]) => [name, new Map(config.ports.map((port) => [portKey(port.name), port]))]),
  )
  const endOf = (device: string, port: string): End => ({
    device,
    port,
    at: devices.get(device) ?? null,
    config: ports.get(device)?.get(portKey(port)) ?? null,
  })
  const links = edges.map(({ deviceA, portA, deviceB, portB, cableM }): Link => ({
    ends: [endOf(deviceA, portA), endOf(deviceB, portB)],
    cableM,
  }))
  const byDevice = new Map<string, Link[]>()
  for (const link of links)
    for (const { device } of link.ends) {
      const own = byDevice.get(device)
      if (own === undefined) byDevice.set(device, [link])
      else own.push(link)
    }
  return {
    devices,
    links,
    peerConflicts: conflictsOf(links, endOf),
    linksOf: (device) => byDevice.get(device) ?? [],
  }
}

/** One source about one port. */
interface Claim {
  readonly device: string
  readonly port: string
  readonly peerDevice: string
  readonly peerPort: string
  readonly source: string
  readonly file: string
  readonly line: number
}

/** All that devices say of their neighbours, and the links that follow. Names of devices without files are left out. */
function edgesHeard(devices: ReadonlyMap<string, Device>, names: DeviceNames): { edges: Edge[]; claims: Claim[] } {
  const claims = [...devices].flatMap(([device, { neighbours }]) =>
    neighbours.flatMap(({ port, peerDevice, peerPort, source, file, line }): Claim[] => {
      const peer = names.find(peerDevice)
      return peer === undefined ? [] : [{ device, port, peerDevice: peer, peerPort, source, file, line: line.number }]
    }),
  )
  const edges = new Map<string, Edge>()
  for (const { device, port, peerDevice, peerPort } of claims) {
    if (peerPort === '') continue
    const [a, b] = [`${device} ${portKey(port)}`, `${peerDevice} ${portKey(peerPort)}`]
    const key = a < b ? `${a}|${b}` : `${b}|${a}`
    if (!edges.has(key))
      edges.set(key, { deviceA: device, portA: port, deviceB: peerDevice, portB: peerPort, cableM: NaN })
  }
  return { edges: [...edges.values()], claims }
}

function peerConflicts(links: readonly Link[], claims: readonly Claim[], endOf: EndOf): PeerConflict[] {
  const byPort = new Map<string, Claim[]>()
  const keyOf = (device: string, port: string): string => `${device} ${portKey(port)}`
  for (const claim of claims) {
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
