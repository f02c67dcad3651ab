/**
 * Network: the graph of a scenario from the links of a fabric. Hosts come first, then switches, both in the order of the
 * fabric. Only what hangs together is in it, and no link that is down.
 * Names are those that a scenario has for them (base/device-names.ts): "host 3", "host 3 port 2", "switch 7".
 */
import { knownOf } from '../../core/device-model/index.ts'
import { hostName, hostPortName, isOwnName } from '../../core/base/device-names.ts'
import { inputError } from '../../core/base/issue.ts'
import { formatQuantity, PS_PER_METRE } from '../../core/base/units.ts'
import type { Device, End, Fabric, Link } from '../../doctor/index.ts'
import { knownLinksUp, usualOf } from '../../doctor/diagnosis/rules/look.ts'
import type { Branch } from '../importer.ts'
import { type Page } from './page.ts'

/** A port of the network, at a device that may have no files. */
export interface NetworkPort {
  readonly end: End
  /** Name of its node. */
  readonly node: string
  readonly isHost: boolean
  /** The other end of its link. */
  readonly peer: NetworkPort
  readonly rateBps: number
  /** Spot for the page. */
  readonly device: string
  readonly port: string
}

export interface NetworkDevice {
  readonly device: string
  /** Null: it has no files. */
  readonly at: Device | null
  /** "host 3", "switch 7". */
  readonly name: string
  readonly ports: readonly NetworkPort[]
}

export interface FabricNetwork {
  readonly hosts: readonly NetworkDevice[]
  readonly switches: readonly NetworkDevice[]
  readonly topology: Branch
}

/** Lengths where no file has one. Source: ours; a rack, and a row of racks. */
const HOST_LENGTH_M = 5
const FABRIC_LENGTH_M = 40
const RATE_BPS = 100e9
/** Longest cable that is believed. */
const LENGTH_MOST_M = 100_000

const portKeyOf = ({ device, port }: End): string => JSON.stringify([device, port])

/** Links of which both ends are free; a port that is named twice keeps its first link. */
function soundLinks(fabric: Fabric, page: Page): Link[] {
  const taken = new Set<string>()
  return knownLinksUp(fabric).filter(({ ends }) => {
    const isFree = ends.every((end) => !taken.has(portKeyOf(end))) && ends[0].device !== ends[1].device
    if (isFree) for (const end of ends) taken.add(portKeyOf(end))
    else page.leftOut('topology.links', ends[0], undefined, `a second link of one port, to ${ends[1].device}`)
    return isFree
  })
}

/**
 * Whether a device is a host. One without files is a switch where a host hangs at it, or where it has more links than any
 * host with files.
 */
function hostsOf(links: readonly Link[], fabric: Fabric, page: Page): ReadonlyMap<string, boolean> {
  const counts = new Map<string, number>()
  const atHost = new Set<string>()
  const isKnownHost = (name: string): boolean => fabric.devices.get(name)?.config.kind === 'host'
  for (const { ends } of links)
    ends.forEach(({ device }, i) => {
      counts.set(device, (counts.get(device) ?? 0) + 1)
      if (isKnownHost(ends[1 - i]!.device)) atHost.add(device)
    })
  const most = [...counts].reduce((one, [name, count]) => (isKnownHost(name) ? Math.max(one, count) : one), 1)
  return new Map(
    [...counts].map(([name, count]) => {
      const at = fabric.devices.get(name)
      if (at !== undefined) return [name, at.config.kind === 'host']
      const isHost = !atHost.has(name) && count <= most
      page.assumed('topology', { device: name, port: '' }, isHost ? 'host' : 'switch', 'it has no files')
      return [name, isHost]
    }),
  )
}

/** Devices that hang together with most others. */
function largestPart(links: readonly Link[]): ReadonlySet<string> {
  const next = new Map<string, string[]>()
  for (const {
    ends: [a, b],
  } of links) {
    next.set(a.device, [...(next.get(a.device) ?? []), b.device])
    next.set(b.device, [...(next.get(b.device) ?? []), a.device])
  }
  let largest = new Set<string>()
  const seen = new Set<string>()
  for (const first of next.keys()) {
    if (seen.has(first)) continue
    const part = new Set([first])
    for (const name of part) for (const other of next.get(name)!) part.add(other)
    for (const name of part) seen.add(name)
    if (part.size > largest.size) largest = part
  }
  return largest
}

interface Sized {
  readonly link: Link
  readonly rateBps: number
  readonly delayPs: number
}

/** The slower of both ends, as they agree on it; where no end tells it, that of most links. */
function rated(links: readonly Link[], page: Page): { link: Link; rateBps: number }[] {
  const ratesOf = ({ ends }: Link) =>
    ends.flatMap(({ config }) => {
      const rate = knownOf(config?.settings.rateBps)
      return rate === undefined || !Number.isFinite(rate) || rate <= 0 ? [] : [config!.settings.rateBps]
    })
  const slower = (link: Link) =>
    ratesOf(link).reduce<ReturnType<typeof ratesOf>[number] | undefined>(
      (one, other) => (one === undefined || knownOf(other)! < knownOf(one)! ? other : one),
      undefined,
    )
  const usual = usualOf(links.flatMap((link) => knownOf(slower(link)) ?? []))
  return links.map((link) => {
    const reason = usual === undefined ? 'no file tells a rate' : 'that of most links'
    const rate = slower(link)
    const rateBps = knownOf(rate) ?? usual ?? RATE_BPS
    const text = formatQuantity('rate', rateBps)
    if (rate === undefined) page.assumed('topology.links rate', link.ends[0], text, reason)
    else page.read('topology.links rate', link.ends[0], rate, text)
    return { link, rateBps }
  })
}

function sized(links: readonly Link[], isHost: (name: string) => boolean, page: Page): Sized[] {
  return rated(links, page).map(({ link, rateBps }) => {
    const { ends, cableM } = link
    const key = 'topology.links delay'
    const delayOf = (metres: number): number => Math.round(Math.min(metres, LENGTH_MOST_M) * PS_PER_METRE)
    if (cableM >= 0) {
      const delayPs = delayOf(cableM)
      page.read(key, ends[0], { state: 'set', value: cableM }, `${cableM} m`, 'edges.csv')
      return { link, rateBps, delayPs }
    }
    const lengths = ends.flatMap(({ config }) => (config === null ? [] : [config.settings.cableM]))
    const written = lengths.filter(({ state }) => state === 'set' || state === 'operational')
    const longest = written.toSorted((a, b) => knownOf(b)! - knownOf(a)!)[0]
    if (longest !== undefined) {
      page.read(key, ends[0], longest, `${knownOf(longest)!} m`)
      return { link, rateBps, delayPs: delayOf(Math.max(0, knownOf(longest)!)) }
    }
    const metres = ends.some(({ device }) => isHost(device)) ? HOST_LENGTH_M : FABRIC_LENGTH_M
    page.assumed(key, ends[0], `${metres} m`, 'no file tells the length of the cable')
    return { link, rateBps, delayPs: delayOf(metres) }
  })
}

/** @throws InputError without two hosts that reach each other */
export function networkOf(fabric: Fabric, page: Page): FabricNetwork {
  const all = soundLinks(fabric, page)
  const part = largestPart(all)
  const links = all.filter(({ ends }) => part.has(ends[0].device))
  const kinds = hostsOf(links, fabric, page)
  const isHost = (name: string): boolean => kinds.get(name) === true
  for (const { config } of fabric.devices.values())
    if (!part.has(config.device))
      page.leftOut('topology', { device: config.device, port: '' }, undefined, 'no link leads to it from the others')
  for (const { end, peers } of fabric.peerConflicts)
    page.leftOut('peer', end, undefined, `its neighbours disagree: ${peers.map(({ peer }) => peer).join(', ')}`)
  // The order of files first, then of those without.
  const names = [...new Set([...fabric.devices.keys(), ...kinds.keys()])].filter((name) => kinds.has(name))
  const hosts = names.filter((name) => isHost(name))
  const switches = names.filter((name) => !isHost(name))
  if (hosts.length < 2)
    throw inputError('links', 'two hosts or more that reach each other', `${hosts.length}`, 'see edges.csv and LLDP')
  const ids = new Map([...hosts, ...switches].map((name, id) => [name, id]))
  const sizedLinks = sized(links, isHost, page)
  const ports = portsOf(sizedLinks, ids, isHost)
  const deviceOf = (device: string): NetworkDevice => ({
    device,
    at: fabric.devices.get(device) ?? null,
    name: isHost(device) ? hostName(ids.get(device)!) : `switch ${ids.get(device)!}`,
    ports: ports.get(device) ?? [],
  })
  return {
    hosts: hosts.map(deviceOf),
    switches: switches.map(deviceOf),
    topology: {
      kind: 'graph',
      nodes: names.length,
      switches: switches.map((name) => ids.get(name)!),
      names: names.flatMap((name) => (isOwnName(name) ? [`${ids.get(name)!} ${name}`] : [])),
      links: sizedLinks.map(
        ({ link: { ends }, rateBps, delayPs }) =>
          `${ids.get(ends[0].device)!} ${ids.get(ends[1].device)!} ${formatQuantity('rate', rateBps)} ${formatQuantity('duration', delayPs)}`,
      ),
    },
  }
}

type Open = { -readonly [K in keyof NetworkPort]: NetworkPort[K] | null } & { rateBps: number }

function portsOf(
  links: readonly Sized[],
  ids: ReadonlyMap<string, number>,
  isHost: (name: string) => boolean,
): ReadonlyMap<string, NetworkPort[]> {
  const counts = new Map<string, number>()
  for (const { link } of links) for (const { device } of link.ends) counts.set(device, (counts.get(device) ?? 0) + 1)
  const ports = new Map<string, NetworkPort[]>()
  for (const { link, rateBps } of links) {
    const [a, b] = link.ends.map((end): Open => {
      const own = ports.get(end.device) ?? []
      ports.set(end.device, own)
      const id = ids.get(end.device)!
      const isAtHost = isHost(end.device)
      const node = !isAtHost
        ? `switch ${id}`
        : counts.get(end.device) === 1
          ? hostName(id)
          : hostPortName(id, 'port', own.length + 1)
      const made: Open = { end, node, isHost: isAtHost, peer: null, rateBps, device: end.device, port: end.port }
      // Cast: the peer is set below, before anybody sees it.
      own.push(made as NetworkPort)
      return made
    })
    a!.peer = b as NetworkPort
    b!.peer = a as NetworkPort
  }
  return ports
}
