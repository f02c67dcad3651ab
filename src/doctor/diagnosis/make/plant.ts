/** Plants a fault in a drawn fabric. */
import type { Draw } from '../../../core/base/draw.ts'
import type { DeviceConfig, Edge, PortConfig } from '../../../core/device-model/index.ts'
import { type Change, changedConfig } from '../remedies/index.ts'
import type { HeadroomNeed, HeadroomPort } from '../rules/rule.ts'
import { writerOf } from '../../devices/writers/index.ts'
import type { Design, DrawnDevice } from './design.ts'
import type { Fault, FaultSite, OtherValues } from './faults/fault.ts'

/** A port, or a device where the port is ''. */
export interface Spot {
  readonly device: string
  readonly port: string
}

/** A finding that is expected: at one of these spots, since two ends may share a mistake. */
export interface Expected {
  readonly rule: string
  readonly title: string
  readonly spots: readonly Spot[]
  /** Language of the device at which it is. */
  readonly language: string
  /** Rules that may find something of their own in it. */
  readonly also: readonly string[]
}

export interface Plantable {
  readonly design: Design
  readonly configs: readonly DeviceConfig[]
  /** As devices see them. */
  readonly edges: readonly Edge[]
}

export interface Planted extends Plantable {
  readonly expected: Expected
  /** Device at which the fault is. */
  readonly device: string
}

/** Null: the fabric has nothing at which it can be made. */
export function plant(
  fault: Fault,
  fabric: Plantable,
  draw: Draw,
  headroomNeed: (port: HeadroomPort) => HeadroomNeed,
): Planted | null {
  const sites = draw.some(fabric.design.devices, fabric.design.devices.length)
  for (const device of sites) {
    const config = fabric.configs.find((one) => one.device === device.name)!
    if (!isAt(fault, device, fabric.design) || !isSayable(fault, config)) continue
    const port = draw.one(portsFor(fault, device, config))
    const site: FaultSite = {
      draw,
      design: fabric.design,
      config,
      device,
      port,
      needBytes: needOf(fabric.design, device, port, headroomNeed),
    }
    if (fault.isDecidable?.(site) === false) continue
    const changes = changesOf(fault, site)
    if (!canSay(config, changes)) continue
    const configs = fabric.configs.map((one) => (one === config ? changedConfig(one, changes) : one))
    const { edges, spots } = wired(fault, fabric, device)
    if (edges === null) continue
    const at = spots.length > 0 ? spots : spotsOf(fault, device, port)
    return {
      ...fabric,
      configs,
      edges,
      device: device.name,
      expected: { rule: fault.rule, title: fault.title, language: device.language, spots: at, also: fault.also ?? [] },
    }
  }
  return null
}

function isAt({ where }: Fault, device: DrawnDevice, { devices }: Design): boolean {
  if (where === 'host' || device.kind === 'host') return where === device.kind
  if (where === 'switch') return true
  const hosts = new Set(devices.filter(({ kind }) => kind === 'host').map(({ name }) => name))
  return device.ports.some(({ peer }) => hosts.has(peer)) === (where === 'leaf')
}

const isSayable = ({ languages }: Fault, { language }: DeviceConfig): boolean =>
  languages === undefined || languages.includes(language)

/** At a leaf the ports to hosts, unless the fault is of the device. */
function portsFor({ where }: Fault, device: DrawnDevice, config: DeviceConfig): readonly PortConfig[] {
  if (where !== 'leaf') return config.ports
  const toHosts = new Set(device.ports.filter(({ peerPort }) => peerPort.startsWith('eth')).map(({ name }) => name))
  const own = config.ports.filter(({ name }) => toHosts.has(name))
  return own.length > 0 ? own : config.ports
}

function needOf(
  { rateBps, switchMtuBytes: mtuBytes, sharedHeadroomBytes }: Design,
  { platform, ports }: DrawnDevice,
  { name }: PortConfig,
  headroomNeed: (port: HeadroomPort) => HeadroomNeed,
): number {
  const cableM = ports.find((port) => port.name === name)!.cableM
  return headroomNeed({ platform, rateBps, cableM, mtuBytes, hasSharedHeadroom: sharedHeadroomBytes > 0 }).leastBytes
}

function changesOf(fault: Fault, site: FaultSite): Change[] {
  const { config, port } = site
  const of = (name: string, values: OtherValues): Change[] =>
    Object.entries(values).map(([field, value]) => ({ device: config.device, port: name, field, value }))
  const ports = fault.isOfDevice === true ? config.ports : [port]
  return [
    ...of('', fault.deviceValues?.(site) ?? {}),
    ...ports.flatMap((one) => of(one.name, fault.values?.({ ...site, port: one }) ?? {})),
  ]
}

/** Whether the device's language has words for all that changes. */
function canSay({ language }: DeviceConfig, changes: readonly Change[]): boolean {
  const unsayable = writerOf(language)?.cannotSay ?? {}
  return changes.every(({ field, value }) => value === null || !(nameOf(field) in unsayable))
}

/** "classes.3.alpha" as the model calls it: "classes.alpha". */
const nameOf = (field: string): string => field.replace(/\.\d+/, '')

function spotsOf({ found, isOfDevice }: Fault, device: DrawnDevice, port: PortConfig): Spot[] {
  const own = device.ports.filter(({ name }) => isOfDevice === true || name === port.name)
  const here = own.map(({ name }): Spot => ({ device: device.name, port: name }))
  const there = own.map(({ peer, peerPort }): Spot => ({ device: peer, port: peerPort }))
  if (found === 'port') return here
  if (found === 'device')
    return [{ device: device.name, port: '' }, ...device.ports.map(({ name }) => ({ device: device.name, port: name }))]
  return [...here, ...there]
}

/** Links as they are: those of two hosts of a switch in each other's ports. Edges null: there are no two. */
function wired(
  { edit }: Fault,
  { edges }: Plantable,
  device: DrawnDevice,
): { edges: readonly Edge[] | null; spots: Spot[] } {
  if (edit !== 'swapped links') return { edges, spots: [] }
  const own = edges.filter(({ deviceB, portA }) => deviceB === device.name && portA.startsWith('eth'))
  const [first, second] = own
  if (first === undefined || second === undefined) return { edges: null, spots: [] }
  const swapped = edges.map((edge) =>
    edge === first ? { ...edge, portB: second.portB } : edge === second ? { ...edge, portB: first.portB } : edge,
  )
  const spots = [first, second].flatMap((edge): Spot[] => [
    { device: edge.deviceA, port: edge.portA },
    { device: edge.deviceB, port: edge.portB },
  ])
  return { edges: swapped, spots }
}
