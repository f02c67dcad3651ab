/**
 * Ports of a configuration of SONiC: speed, MTU, VLANs, lengths of links and neighbours.
 * Sources: sonic-yang-models (sonic-port, sonic-vlan, sonic-cable-length); defaults: sonic-swss, cfgmgr/portmgr.h.
 */
import type { PortFacts } from '../facts.ts'
import type { Line } from '../text.ts'
import { fecIn } from '../words.ts'
import type { Config } from './config.ts'
import type { Entry } from './json-tables.ts'

const BPS_PER_MBPS = 1e6
/** As portmgrd sets a port that does not say. */
const DEFAULT_MTU_BYTES = 9100

/** Tables whose keys begin with a port. */
const OF_PORTS = ['PORT_QOS_MAP', 'BUFFER_PG', 'BUFFER_QUEUE', 'QUEUE', 'PFC_WD', 'DEVICE_NEIGHBOR']
/** Key of PORT_QOS_MAP and PFC_WD that is no port. */
const GLOBAL = /^global$/i

/** Ports that a file is about: those of PORT, if it has that table. */
export function portNames(config: Config): Set<string> {
  const { tables, facts } = config
  const names = new Set(tables.table('PORT').keys())
  const isKnown = names.size > 0
  const strange = new Set<string>()
  for (const what of OF_PORTS)
    for (const entry of tables.table(what).values()) {
      const parts = entry.key.split('|')
      for (const name of parts.length > 2 ? [] : parts[0]!.split(',').map((one) => one.trim())) {
        if (GLOBAL.test(name) || names.has(name)) continue
        if (!isKnown) names.add(name)
        else if (facts.isComplete && name.startsWith('Ethernet') && !strange.has(name)) {
          strange.add(name)
          facts.refer('undefined', 'PORT', name, tables.line(entry), '', what !== 'DEVICE_NEIGHBOR')
        }
      }
    }
  if (!isKnown)
    for (const { fields } of tables.table('CABLE_LENGTH').values()) for (const name of fields.keys()) names.add(name)
  return names
}

/** Settings of PORT, and what an entry of it has that does not say. */
export function readPort(config: Config, port: PortFacts, entry: Entry): void {
  const { settings } = port
  const { remainder } = config.facts
  const word = (field: string): string | undefined => entry.fields.get(field)?.toLowerCase()
  const at = (field: string): Line => config.line(entry, entry.fields.has(field) ? field : undefined)
  config.number(entry, 'speed', settings, 'rateBps', (mbps) => mbps * BPS_PER_MBPS)
  if (!entry.fields.has('mtu')) settings.putDefault('mtuBytes', DEFAULT_MTU_BYTES, at('mtu'))
  config.number(entry, 'mtu', settings, 'mtuBytes')
  const description = entry.fields.get('description')
  if (description !== undefined) port.mark(entry.key, 'description', description, at('description'))
  const fec = word('fec')
  if (fec !== undefined) settings.put('fec', fecIn(fec), at('fec'))
  const SWITCHES = [
    ['admin_status', 'isUp', 'up', 'down', true],
    ['pfc_asym', 'isPfcAsymmetric', 'on', 'off', true],
    ['autoneg', 'autoNegotiates', 'on', 'off', false],
  ] as const
  for (const [field, name, on, off, hasDefault] of SWITCHES) {
    const text = word(field)
    if (text === on || text === off) settings.put(name, text === on, at(field))
    else if (text !== undefined) {
      settings.forget(name)
      remainder.push(at(field))
    } else if (hasDefault) settings.putDefault(name, false, at(field))
  }
}

/** Lengths of links as headroom is looked up for: "40m". */
export function readLengths(config: Config, ports: ReadonlySet<string>): void {
  for (const entry of config.tables.table('CABLE_LENGTH').values())
    for (const [name, text] of entry.fields) {
      if (!ports.has(name)) continue
      const line = config.line(entry, name)
      const metres = /^(\d+)m$/.exec(text)?.[1]
      config.facts.port(name).name('lengths', entry.key, line)
      config.facts.port(name).settings.note('cableM', metres === undefined ? undefined : Number(metres), line)
      if (metres === undefined) config.facts.remainder.push(line)
    }
}

export function readNeighbours(config: Config): void {
  for (const [port, entry] of config.byPort('DEVICE_NEIGHBOR')) {
    const peerDevice = entry.fields.get('name') ?? ''
    if (peerDevice === '') continue
    config.facts.neighbour(port, peerDevice, entry.fields.get('port') ?? '', config.line(entry, 'name'), 'table')
  }
}

/**
 * Tags of the frames of each port: as a member of VLANs, itself or by its port-channel; by interfaces of single VLANs. A port
 * of a complete file with none of these is routed.
 */
export function readVlans(config: Config, ports: ReadonlySet<string>): void {
  const { facts, tables } = config
  const channelOf = new Map<string, string>()
  for (const { key } of tables.table('PORTCHANNEL_MEMBER').values()) {
    const [channel = '', member = ''] = key.split('|')
    channelOf.set(member, channel)
  }
  const modes = new Map<string, { isTagged: boolean; isUntagged: boolean; line: Line }>()
  const note = (owner: string, isTagged: boolean, line: Line): void => {
    const mode = modes.get(owner) ?? { isTagged: false, isUntagged: false, line }
    modes.set(owner, mode)
    if (isTagged) mode.isTagged = true
    else mode.isUntagged = true
  }
  for (const entry of tables.table('VLAN_MEMBER').values()) {
    const mode = entry.fields.get('tagging_mode')
    if (mode === 'tagged' || mode === 'untagged')
      note(entry.key.split('|')[1] ?? '', mode === 'tagged', config.line(entry, 'tagging_mode'))
  }
  for (const entry of tables.table('VLAN_SUB_INTERFACE').values())
    if (/^[^|.]+\.\d+$/.test(entry.key)) note(entry.key.split('.')[0]!, true, config.line(entry))
  for (const table of ['INTERFACE', 'PORTCHANNEL_INTERFACE'])
    for (const entry of tables.table(table).values()) {
      const [owner = '', address] = entry.key.split('|')
      note(owner, false, config.line(entry))
      if (address !== undefined && ports.has(owner))
        facts.port(owner).mark(owner, 'address', address, config.line(entry))
    }
  for (const name of ports) {
    const mode = modes.get(name) ?? modes.get(channelOf.get(name) ?? '')
    const { settings } = facts.port(name)
    if (mode !== undefined)
      settings.put('vlanMode', mode.isTagged ? (mode.isUntagged ? 'both' : 'tagged') : 'untagged', mode.line)
    else settings.putDefault('vlanMode', 'untagged', lineOfPort(config, name))
  }
}

/** Where a port of the file begins. */
export function lineOfPort(config: Config, name: string): Line {
  const entry = config.entry('PORT', name)
  return entry === undefined ? config.tables.firstLine('PORT') : config.line(entry)
}
