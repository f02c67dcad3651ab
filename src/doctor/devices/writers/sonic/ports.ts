/**
 * Ports in config_db.json: link, length of the cable, neighbour, VLANs.
 * Source: sonic-yang-models (sonic-port, sonic-cable-length, sonic-device_neighbor, sonic-vlan, sonic-vlan-sub-interface).
 */
import { knownOf, type PortConfig, type PortSettings } from '../../../../core/device-model/index.ts'
import { whole, written } from '../known.ts'
import type { Peer } from '../writer.ts'
import type { Tables } from './tables.ts'

const BPS_PER_MBPS = 1e6
/** As the switch sets a port that does not say. */
const MTU_BYTES = 9100
/** Largest that it takes: in place of no limit. */
const MTU_MAX_BYTES = 9216
/** VLANs of frames with a tag, and without. */
const TAGGED = '10'
const UNTAGGED = '20'

const switched = (isOn: boolean | undefined, on: string, off: string): string | undefined =>
  isOn === undefined ? undefined : isOn ? on : off

export function writePort(tables: Tables, { name, settings }: PortConfig): void {
  const rate = knownOf(settings.rateBps)
  const mtu = written(settings.mtuBytes, MTU_BYTES)
  tables.put('PORT', name, {
    speed: rate === undefined ? undefined : whole(rate / BPS_PER_MBPS),
    mtu: mtu === undefined ? undefined : whole(typeof mtu === 'string' ? MTU_MAX_BYTES : mtu),
    admin_status: switched(written(settings.isUp, false), 'up', 'down'),
    fec: knownOf(settings.fec),
    autoneg: switched(knownOf(settings.autoNegotiates), 'on', 'off'),
    pfc_asym: switched(written(settings.isPfcAsymmetric, false), 'on', 'off'),
  })
}

export function writeLengths(tables: Tables, ports: readonly PortConfig[]): void {
  const lengths = ports.flatMap(({ name, settings }) => {
    const metres = knownOf(settings.cableM)
    return metres === undefined ? [] : [[name, `${whole(metres)}m`] as const]
  })
  if (lengths.length > 0) tables.put('CABLE_LENGTH', tables.name('cable-lengths'), Object.fromEntries(lengths))
}

export function writeNeighbours(tables: Tables, peers: ReadonlyMap<string, Peer>): void {
  for (const [port, peer] of peers) tables.put('DEVICE_NEIGHBOR', port, { name: peer.device, port: peer.port })
}

/**
 * Ports are members of VLANs where the switch floods them, and have interfaces for single VLANs where it does not.
 * @param floods whether it floods packets to unknown MAC addresses; undefined: unknown
 */
export function writeVlans(tables: Tables, ports: readonly PortConfig[], floods: boolean | undefined): void {
  const isTagged = ({ vlanMode }: PortSettings): boolean => ['tagged', 'both'].includes(knownOf(vlanMode) ?? '')
  const hasMembers = floods === true || (floods === undefined && ports.some(({ settings }) => isTagged(settings)))
  const isAnyTagged = ports.some(({ settings }) => isTagged(settings))
  const join = (vlan: string, port: string, mode: string): void => {
    tables.put('VLAN', `Vlan${vlan}`, { vlanid: vlan })
    tables.put('VLAN_MEMBER', `Vlan${vlan}|${port}`, { tagging_mode: mode })
  }
  for (const { name, settings } of ports) {
    const mode = written(settings.vlanMode, 'untagged')
    const isUntagged = knownOf(settings.vlanMode) === 'untagged'
    if (isTagged(settings) && hasMembers) join(TAGGED, name, 'tagged')
    else if (isTagged(settings)) tables.put('VLAN_SUB_INTERFACE', `${name}.${TAGGED}`, { admin_status: 'up' })
    if (hasMembers && (mode === 'both' || (isUntagged && !isAnyTagged))) join(UNTAGGED, name, 'untagged')
    else if (mode === 'both' || mode === 'untagged') tables.put('INTERFACE', name, {})
  }
}
