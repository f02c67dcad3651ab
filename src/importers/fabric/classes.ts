/**
 * Classes: DSCPs that hosts use, the classes that NICs and switches make of them, and the classes with PFC.
 * A scenario has one DSCP for each class: "classes.dscpMap" of the scenario is the map of the hosts, changes of it are
 * those of switches. DSCPs that nobody uses are class 0.
 */
import { knownOf } from '../../core/device-model/index.ts'
import type { Value } from '../../doctor/index.ts'
import { dscpsOf, hostSettingsOf, nicOf, usualOf } from '../../doctor/diagnosis/rules/look.ts'
import type { Branch } from '../importer.ts'
import type { FabricNetwork, NetworkDevice, NetworkPort } from './network.ts'
import { FABRIC, type Page } from './page.ts'
import type { Spread } from './spread.ts'

/** Adapters: DSCP and class of CNPs. */
const CNP_DSCP = 48
const CNP_CLASS = 6
/** RoCE where nobody says anything else: the usual one of vendors' guides. */
const DATA_CLASS = 3
const DATA_DSCP = 26

export interface FabricClasses {
  readonly data: number
  /** By host: class of what it sends. */
  readonly ofHost: ReadonlyMap<NetworkDevice, number>
  /** DSCPs in use, with their class at hosts. */
  readonly rows: ReadonlyMap<number, number>
  readonly cnpDscp: number
  /** Lossless classes of ports. */
  readonly lossless: ReadonlyMap<NetworkPort, readonly number[]>
  readonly groups: Branch
}

/** The class of a DSCP at a port, as far as files tell, with the value that tells it. */
function classAt({ end }: NetworkPort, dscp: number): { from: Value; value: number } | 'tag' | undefined {
  const settings = end.config?.settings
  if (settings === undefined) return undefined
  const trust = knownOf(settings.trust)
  // Frames without a tag, and those whose class nobody looks for, have the default priority.
  if (trust === 'none' || (trust === 'pcp' && knownOf(settings.vlanMode) === 'untagged'))
    return { from: settings.trust, value: 0 }
  if (trust === 'pcp') return 'tag'
  const value = knownOf(settings.dscpToClass[dscp])
  return value === undefined ? undefined : { from: settings.dscpToClass[dscp]!, value }
}

const plainClassAt = (port: NetworkPort, dscp: number): number | undefined => {
  const found = classAt(port, dscp)
  return found === undefined || found === 'tag' ? undefined : found.value
}

const portsOf = (devices: readonly NetworkDevice[]): NetworkPort[] => devices.flatMap(({ ports }) => ports)

/** First port of a host with files that tell its DSCP. */
function dscpOfHost({ at, ports }: NetworkDevice): { dscp: number; port: NetworkPort } | undefined {
  if (at === null) return undefined
  for (const port of ports) {
    const [dscp] = dscpsOf({ at, config: port.end.config })
    if (dscp !== undefined) return { dscp, port }
  }
  return undefined
}

/** The value that tells the DSCP of a host. */
function sourceOf({ at }: NetworkDevice, { end }: NetworkPort, dscp: number): Value {
  const { sysfsTclass, cmaTclass } = nicOf(end)
  const job = at === null ? undefined : hostSettingsOf(at)?.job
  const all = [sysfsTclass, job?.ncclIbTc, job?.ncclGinIbTc, cmaTclass]
  return all.find((value) => (knownOf(value) ?? -1) >> 2 === dscp) ?? { state: 'set', value: dscp }
}

/** A DSCP that most switches read as this class: its own number, the usual one, or the lowest. */
function dscpOf(wanted: number, switches: readonly NetworkPort[], usual: number): number {
  const isMapped = (dscp: number): boolean =>
    usualOf(switches.flatMap((port) => plainClassAt(port, dscp) ?? [])) === wanted
  const lowest = Array.from({ length: 64 }, (_, dscp) => dscp).find(isMapped)
  return [usual, wanted].find(isMapped) ?? lowest ?? usual
}

function losslessOf(network: FabricNetwork, page: Page): Map<NetworkPort, readonly number[]> {
  const ports = portsOf([...network.hosts, ...network.switches])
  const read = (port: NetworkPort) => port.end.config?.settings.pfcClasses
  const texts = ports.flatMap((port) => knownOf(read(port))?.join() ?? [])
  const usual = (usualOf(texts) ?? `${DATA_CLASS}`).split(',').filter((text) => text !== '')
  return new Map(
    ports.map((port) => {
      const far = knownOf(read(port.peer))
      const otherwise =
        far === undefined
          ? { value: usual.map(Number), reason: 'as most ports have it' }
          : { value: far, reason: 'as the other end has it' }
      return [port, page.take('pfc.classes', port, read(port), otherwise)]
    }),
  )
}

/** Class of data, and the DSCP that it has, where no host tells: a scenario's own, else the usual lossless class. */
function assumedData(
  { hosts, switches }: FabricNetwork,
  lossless: ReadonlyMap<NetworkPort, readonly number[]>,
): { data: number; dscp: number; reason: string } {
  const written = usualOf(
    hosts.flatMap(({ at }) => (at === null ? [] : (knownOf(hostSettingsOf(at)?.dataClass) ?? []))),
  )
  const first = usualOf([...lossless.values()].flatMap(([c]) => c ?? []))
  const data = written ?? first ?? DATA_CLASS
  // Scenarios write the class as DSCP.
  const dscp = dscpOf(data, portsOf(switches), written ?? (data === DATA_CLASS ? DATA_DSCP : data))
  return { data, dscp, reason: 'no file tells the traffic class of RoCE: the usual lossless class' }
}

export function classesOf(network: FabricNetwork, page: Page, spread: Spread): FabricClasses {
  const { hosts, switches } = network
  const lossless = losslessOf(network, page)
  const stated = new Map(hosts.flatMap((host) => [[host, dscpOfHost(host)] as const]))
  const usual = usualOf([...stated.values()].flatMap((one) => one?.dscp ?? []))
  const assumed = assumedData(network, lossless)
  const dscp = usual ?? assumed.dscp
  const atHosts = usualOf(portsOf(hosts).flatMap((port) => plainClassAt(port, dscp) ?? []))
  const atSwitches = usualOf(portsOf(switches).flatMap((port) => plainClassAt(port, dscp) ?? []))
  const data = usual === undefined ? assumed.data : (atHosts ?? atSwitches ?? assumed.data)
  const rows = new Map([[dscp, data]])
  if (usual === undefined) page.assumed('classes.data', FABRIC, data, assumed.reason)
  const ofHost = new Map(
    hosts.map((host) => [
      host,
      classOfHost(host, stated.get(host), { dscp, data, isStated: usual !== undefined, rows, page }),
    ]),
  )
  const cnpDscp = cnpsOf(network, rows, data, page)
  spreadMaps(switches, rows, page, spread)
  return { data, ofHost, rows, cnpDscp: cnpDscp.dscp, lossless, groups: groupsOf(data, rows, cnpDscp) }
}

function groupsOf(data: number, rows: ReadonlyMap<number, number>, cnp: { dscp: number; atHost: number }): Branch {
  return { data, cnpAtHost: cnp.atHost, cnpAtSwitch: rows.get(cnp.dscp)!, dscpMap: mapText(rows) }
}

interface Usual {
  readonly dscp: number
  readonly data: number
  readonly isStated: boolean
  readonly rows: Map<number, number>
  readonly page: Page
}

/** Class of a host's data. A DSCP of its own is a row of the map, as long as no other DSCP has its class. */
function classOfHost(
  host: NetworkDevice,
  stated: ReturnType<typeof dscpOfHost>,
  { dscp, data, isStated, rows, page }: Usual,
): number {
  const spot = { device: host.device, port: '' }
  const key = 'classes.data'
  const [first] = host.ports
  const own = stated?.dscp ?? dscp
  const port = stated?.port ?? first!
  const read = plainClassAt(port, own)
  if (stated === undefined) {
    if (isStated) page.assumed(key, spot, data, `as other hosts: DSCP ${dscp}`)
    return data
  }
  const source = sourceOf(host, port, own)
  const all = dscpsOf({ at: host.at, config: port.end.config })
  if (all.length > 1)
    page.leftOut('DSCPs of other programs', spot, sourceOf(host, port, all[1]!), `DSCP ${all.slice(1).join(', ')}`)
  const trustsTags = knownOf(port.end.config?.settings.trust) === 'pcp'
  const here = trustsTags || read === undefined ? (own === dscp ? data : 0) : read
  if (here === data && own === dscp) page.read(key, spot, source, data, `DSCP ${own}`)
  else if (own !== dscp && ![...rows].some(([other, c]) => c === here && other !== own)) {
    rows.set(own, here)
    page.read(key, spot, source, here, `DSCP ${own}`)
    return here
  } else if (own !== dscp && here === 0 && !rows.has(own)) return 0
  else page.leftOut(key, spot, source, `DSCP ${own} and class ${here} here: a scenario has one DSCP for each class`)
  return data
}

/** CNPs have a row, too. */
function cnpsOf(
  { hosts, switches }: FabricNetwork,
  rows: Map<number, number>,
  data: number,
  page: Page,
): { dscp: number; atHost: number } {
  const ports = portsOf(hosts)
  const key = 'classes.cnpAtHost'
  const classes = hosts.flatMap(({ at }) => (at === null ? [] : (knownOf(hostSettingsOf(at)?.cnpClass) ?? [])))
  const ofNics = ports.flatMap(({ end }) => knownOf(nicOf(end).cnpClass) ?? [])
  const atHost = usualOf([...ofNics, ...classes]) ?? CNP_CLASS
  const stated = usualOf(ports.flatMap(({ end }) => knownOf(nicOf(end).cnpDscp) ?? []))
  const dscp = stated ?? dscpOf(atHost, portsOf(switches), CNP_DSCP)
  for (const host of hosts) {
    const nic = nicOf(host.ports[0]!.end)
    const spot = { device: host.device, port: '' }
    const value = nic.cnpClass
    const reason = `with DSCP ${dscp}, as adapters have it or other hosts`
    const own = knownOf(value)
    const ownDscp = knownOf(nic.cnpDscp)
    if (ownDscp !== undefined && ownDscp !== dscp)
      page.leftOut('nic.cnpDscp', spot, nic.cnpDscp, `${dscp} at other hosts: a scenario has one`)
    if (own !== undefined && own !== atHost) page.leftOut(key, spot, value, 'other hosts have another class of CNPs')
    else page.take(key, spot, value, { value: atHost, reason })
  }
  const atSwitches = usualOf(portsOf(switches).flatMap((port) => plainClassAt(port, dscp) ?? []))
  // The data's own DSCP, and those of other data, are rows already.
  if (!rows.has(dscp)) rows.set(dscp, atSwitches === data ? atHost : (atSwitches ?? atHost))
  return { dscp, atHost }
}

const mapText = (rows: ReadonlyMap<number, number>): string[] => [
  '0-63: 0',
  ...[...rows]
    .filter(([, trafficClass]) => trafficClass !== 0)
    .toSorted(([a], [b]) => a - b)
    .map(([dscp, trafficClass]) => `${dscp}: ${trafficClass}`),
]

/** A map for each switch: for every DSCP in use the class that most of its ports make of it. */
function spreadMaps(
  switches: readonly NetworkDevice[],
  rows: ReadonlyMap<number, number>,
  page: Page,
  spread: Spread,
): void {
  const held = switches.map((at) => {
    const own = new Map<number, number>()
    for (const [dscp, usual] of rows) own.set(dscp, ofSwitch(at, dscp, usual, page))
    return { node: at.name, port: null, value: mapText(own) }
  })
  const base = JSON.stringify(mapText(rows))
  // The map of hosts is the scenario's own.
  spread.over('classes.dscpMap', held, mapText(rows), (value) => JSON.stringify(value) === base)
}

function ofSwitch({ device, ports }: NetworkDevice, dscp: number, usual: number, page: Page): number {
  const spot = { device, port: '' }
  const key = `classes.dscpMap ${dscp}`
  const stated = ports.map((port) => classAt(port, dscp))
  const all = stated.flatMap((one) => (one === undefined || one === 'tag' ? [] : [one]))
  const most = usualOf(all.map(({ value }) => value))
  if (most === undefined) {
    const isTag = stated.includes('tag')
    const reason = isTag ? 'it reads the priority of tags: as hosts have it' : 'no file tells it: as hosts have it'
    page.assumed(key, spot, usual, reason)
    return usual
  }
  page.read(key, spot, all.find(({ value }) => value === most)!.from, most)
  ports.forEach((port, i) => {
    const one = stated[i]
    if (one !== undefined && one !== 'tag' && one.value !== most)
      page.leftOut(key, port, { ...one.from, value: one.value } as Value, 'a switch has one map in a scenario')
  })
  return most
}

/** PFC of all ports. */
export function spreadPfc({ lossless }: FabricClasses, spread: Spread): Branch {
  const held = [...lossless].map(([port, value]) => ({ node: port.node, port: port.isHost ? null : port, value }))
  return { classes: spread.over('pfc.classes', held, [DATA_CLASS]) }
}
