/**
 * Fabric snapshot: the configurations of a fabric as its files give them, for drift. Links say which ports are the same on
 * both sides, and which ones of a role are expected to be alike.
 */
import { type End, type Fabric, otherEnd, portKey } from '../joins/index.ts'
import {
  knownOf,
  type DeviceConfig,
  type PortConfig,
  type Snapshot,
  UNKNOWN,
  UNKNOWN_PORT,
  type Value,
} from '../../../core/device-model/index.ts'
import { NO_PEER } from './meaning.ts'

interface Leads {
  readonly peer: End
  readonly cableM: number
}

/** @param hasList whether a list of links is there, so that a link that is not known does not exist */
export function fabricSnapshot(fabric: Fabric, hasList: boolean): Snapshot {
  return { atPs: 0, devices: [...fabric.devices.keys()].map((name) => configOf(fabric, name, hasList)) }
}

/** Devices are compared within a role, a language and a platform. */
function configOf(fabric: Fabric, name: string, hasList: boolean): DeviceConfig {
  const { config } = fabric.devices.get(name)!
  const { settings, role, language } = config
  const platform = 'platform' in settings ? knownOf(settings.platform) : undefined
  const leads = new Map<string, Leads>()
  const ports = [...config.ports]
  for (const link of fabric.linksOf(name))
    for (const end of link.ends) {
      if (end.device !== name) continue
      if (end.config === null) ports.push(portWithoutFiles(end.port))
      leads.set(portKey(end.port), { peer: otherEnd(link, end), cableM: link.cableM })
    }
  return {
    ...config,
    role: [role, language, ...(platform === undefined ? [] : [platform])].join(', '),
    ports: ports.map((port): PortConfig => {
      const lead = leads.get(portKey(port.name))
      if (lead === undefined)
        return { ...port, peer: hasList ? NO_PEER : UNKNOWN, role: roleWithoutLink(port, name, leads.size > 0) }
      const peer: Value<string> = { state: 'operational', value: lead.peer.device }
      return { ...port, peer, role: roleOfPort(port, lead) }
    }),
    ...(hasList ? {} : { isPartial: true }),
  }
}

const portWithoutFiles = (name: string): PortConfig => ({
  name,
  role: '',
  peer: UNKNOWN,
  settings: UNKNOWN_PORT,
})

/** By the tier at the other end, the rate and the length of the cable, as far as they are known. */
function roleOfPort({ settings }: PortConfig, { peer, cableM }: Leads): string {
  return [`to ${peer.at?.config.role ?? 'unknown'}`, knownOf(settings.rateBps) ?? '', cableM].join(', ')
}

/** Without any cable that is known, ports of the same name; else nobody knows what the port is for. */
function roleWithoutLink(port: PortConfig, device: string, hasOthers: boolean): string {
  return hasOthers ? `${device} ${port.name}` : `port ${portKey(port.name)}`
}
