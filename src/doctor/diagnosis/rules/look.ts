/**
 * Look: links, ports and values as rules ask for them. Links and ports that are down are left out, and so are those of
 * devices of which nothing is known. A port that leads nobody knows where is a link, too, so that a rule judges what one end
 * decides, and says that it lacks the link for the rest.
 */
import { carriesRoce, type Device, type End, type Fabric, isUnread, type Link } from '../../devices/joins/index.ts'
import type {
  HostSettings,
  NicSettings,
  Plain,
  PortConfig,
  SwitchSettings,
  Value,
} from '../../../core/device-model/index.ts'
import { knownOf, UNKNOWN_NIC } from '../../../core/device-model/index.ts'
import type { Evidence, Spot } from './saying.ts'

const isDown = ({ config }: End): boolean => knownOf(config?.settings.isUp) === false

/** Links whose ends are both known. */
export function knownLinksUp({ links }: Fabric): Link[] {
  return links.filter(({ ends }) => ends.some(({ at }) => at !== null) && !ends.some(isDown))
}

/** All rules ask for them. */
const knownLinks = new WeakMap<Fabric, readonly Link[]>()

/** Links, and ports with RoCE that lead nobody knows where. */
export function linksUp(fabric: Fabric): readonly Link[] {
  let links = knownLinks.get(fabric)
  if (links === undefined) {
    const open = [...fabric.devices.values()].flatMap((at) => (isUnread(at) ? [] : openLinks(at, fabric)))
    knownLinks.set(fabric, (links = [...knownLinksUp(fabric), ...open]))
  }
  return links
}

function openLinks(at: Device, fabric: Fabric): Link[] {
  const { device, kind, ports } = at.config
  const own = fabric.linksOf(device)
  const linked = new Set(own.flatMap(({ ends }) => ends.flatMap(({ config }) => config ?? [])))
  const beyond = (port: string, isNamed = true): End => ({
    device: '',
    port: '',
    at: null,
    config: null,
    beyond: { device, port, lacks: isNamed ? 'link' : 'portName' },
  })
  const link = (...ends: [End, End]): Link => ({ ends, cableM: NaN, source: '' })
  const left = ports.filter((config) => !linked.has(config) && knownOf(config.settings.isUp) !== false)
  const roce = left.filter((config) => carriesRoce(config))
  const spots = own.length === 0 && roce.length === 0 ? left.filter(({ settings }) => settings.nic !== undefined) : roce
  const open = spots.map((config) =>
    link({ device, port: config.name, at, config }, beyond(config.name, config.name !== '' || ports.length === 1)),
  )
  if (own.length > 0 || open.length > 0) return open
  // A device without any port of RoCE is named once.
  const isKnown = kind === 'switch' && at.isComplete
  return [link(isKnown ? beyond('') : { device, port: '', at, config: null }, beyond(''))]
}

/** A port whose device has files. */
export interface KnownPort extends Spot {
  readonly at: Device
  readonly config: PortConfig
  /** The link that it is at; null: none is known. */
  readonly link: Link | null
}

/** Ports that are not down: those of links, and others that have PFC. */
export function portsUp(fabric: Fabric, kind: 'host' | 'switch'): KnownPort[] {
  return allPortsUp(fabric, kind).filter(
    ({ link, config }) => link !== null || (knownOf(config.settings.pfcClasses)?.length ?? 0) > 0,
  )
}

/** All ports of files that are not down. */
export function allPortsUp(fabric: Fabric, kind: 'host' | 'switch'): KnownPort[] {
  return [...fabric.devices.values()]
    .filter(({ config }) => config.kind === kind)
    .flatMap((at) => {
      const device = at.config.device
      const links = new Map(
        fabric
          .linksOf(device)
          .flatMap((link) =>
            link.ends.flatMap((end) =>
              end.device === device && end.config !== null ? [[end.config, link] as const] : [],
            ),
          ),
      )
      return at.config.ports.flatMap((config): KnownPort[] => {
        const link = links.get(config) ?? null
        if (knownOf(config.settings.isUp) === false || (link?.ends.some(isDown) ?? false)) return []
        return [{ device, port: config.name, at, config, link }]
      })
    })
}

/** A link between the port of a host and that of a switch, either of which may be unknown. */
export interface HostLink {
  readonly host: End
  readonly peer: End
  readonly link: Link
}

/** Most rules ask for them. */
const known = new WeakMap<Fabric, readonly HostLink[]>()

export function hostLinks(fabric: Fabric): readonly HostLink[] {
  let links = known.get(fabric)
  if (links === undefined) {
    links = linksUp(fabric).flatMap((link): HostLink[] => {
      const host = link.ends.find(({ at }) => at?.config.kind === 'host')
      if (host === undefined) return []
      return [{ host, peer: link.ends[0] === host ? link.ends[1] : link.ends[0], link }]
    })
    known.set(fabric, links)
  }
  return links
}

/** Whether a class has PFC at an end, as far as that is known. */
export const isLossless = (end: { readonly config: PortConfig | null | undefined } | undefined, c: number): boolean =>
  knownOf(end?.config?.settings.pfcClasses)?.includes(c) === true

/** The class of a DSCP at an end, where it is a lossless one. */
export function losslessClassOf(end: Parameters<typeof isLossless>[0], dscp: number): number | undefined {
  const own = knownOf(end?.config?.settings.dscpToClass[dscp])
  return own !== undefined && isLossless(end, own) ? own : undefined
}

/** The other end of a port's link. */
export const peerOf = ({ link, config }: KnownPort): End | undefined => link?.ends.find((end) => end.config !== config)

export const nicOf = ({ config }: { readonly config: PortConfig | null }): NicSettings =>
  config?.settings.nic ?? UNKNOWN_NIC

export const nameOf = ({ device, port }: Spot): string => (port === '' ? device : `${device} ${port}`)

export const evidence = (spot: Spot, ...values: readonly (Value | undefined)[]): Evidence[] =>
  values.flatMap((value) => (value === undefined ? [] : [{ spot, value }]))

export function switchSettingsOf({ config }: Device): SwitchSettings | null {
  return 'watchdog' in config.settings ? config.settings : null
}

export function hostSettingsOf({ config }: Device): HostSettings | null {
  return 'rateControl' in config.settings ? config.settings : null
}

/** The value that most have, and how many have a value; undefined: none has. Of two as frequent the first counts. */
export function usualOf<T extends Plain>(values: readonly T[]): T | undefined {
  const counts = new Map<T, number>()
  for (const value of values) counts.set(value, (counts.get(value) ?? 0) + 1)
  let usual: T | undefined
  for (const [value, count] of counts) if (usual === undefined || count > counts.get(usual)!) usual = value
  return usual
}

/** DSCPs that RoCE of a host leaves with at a port, by the sources that decide (doctor's section "TOS"). */
export function dscpsOf(host: { readonly at: Device | null; readonly config: PortConfig | null }): number[] {
  const job = host.at === null ? undefined : hostSettingsOf(host.at)?.job
  const { sysfsTclass, cmaTclass, dataDscps } = nicOf(host)
  const kernel = knownOf(sysfsTclass)
  const others = [job?.ncclIbTc, job?.ncclGinIbTc, cmaTclass].flatMap((value) =>
    value !== undefined && value.state === 'set'
      ? [value.value]
      : (knownOf(value === cmaTclass ? value : undefined) ?? []),
  )
  const tclasses = kernel === undefined ? others : [kernel, ...others]
  return [...new Set([...(knownOf(dataDscps) ?? []), ...tclasses.map((tclass) => tclass >> 2)])]
}

/** Whether a host may slow down at marks: of all of them it may be known that none does. */
export function mayUseMarks({ devices }: Fabric): boolean {
  const hosts = [...devices.values()].filter(({ config }) => config.kind === 'host')
  return hosts.length === 0 || hosts.some(({ config }) => config.usesMarks !== false)
}

/** All DSCPs that hosts are known to use for RoCE. */
export function dscpsInUse(fabric: Fabric): number[] {
  const all = hostLinks(fabric).flatMap(({ host }) => dscpsOf(host))
  return [...new Set(all)].sort((a, b) => a - b)
}
