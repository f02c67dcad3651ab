/**
 * SONiC: config_db.json, nested or with flat keys, and pg_profile_lookup.ini where headroom is looked up.
 * Ports with the same settings share maps and profiles. The file is a whole configuration: what nobody knows is left out, and
 * counts as SONiC's default.
 * Some values can be said only together with others:
 * - Classes that share a group or queue share its settings: the first known value of them is written.
 * - Shares of a pool are powers of two, probabilities whole percents, weights and lengths whole numbers, times of the
 *   watchdog whole milliseconds: the nearest is written.
 * - pfc_enable holds the classes that are in force; classes that are written and not in force have no words.
 * - Without classes that are classified there is no map: a port that trusts nothing, or PCP alone, has no classes of DSCPs.
 *   A port that trusts both has both maps, and is read as one that trusts DSCP.
 * - The kind of the watchdog, and whether it floods, follow from the platform: where the name of the hardware does not tell,
 *   a platform stands beside it.
 * - Headroom that is given by the name of a formula is that of the dynamic model.
 * - A port without a limit of its packets has the largest MTU.
 * Lanes and aliases of ports are hardware, and left out; pools, shapers and thresholds that no setting tells are usual ones.
 * Sources: sonic-yang-models; sonic-swss (cfgmgr, orchagent); sonic-utilities.
 */
import { knownOf, type DeviceConfig } from '../../../core/device-model/index.ts'
import { Buffers } from './sonic/buffers.ts'
import { headroomTableOf, writeDevice, writeWatchdog } from './sonic/device.ts'
import { Numbers, writeMaps } from './sonic/maps.ts'
import { writeLengths, writeNeighbours, writePort, writeVlans } from './sonic/ports.ts'
import { writeQueues } from './sonic/queues.ts'
import { Tables } from './sonic/tables.ts'
import type { Writer, WriteOptions, WrittenFile } from './writer.ts'

export const sonicWriter: Writer = {
  language: 'sonic',
  variants: ['nested', 'flat'],
  cannotSay: {
    'classes.isStormed': 'the device shows it, and nobody sets it',
    'classes.classMtuBytes': 'classes have the MTU of the port',
    'classes.xoffBytes': 'the fill at which it pauses follows from the share of the pool',
    'classes.kminRatio': 'thresholds are bytes',
    'classes.kmaxRatio': 'thresholds are bytes',
    pfcMode: 'PFC is on where it has classes',
    peerPfcClasses: 'what a peer advertises is no setting',
    takesGlobalPause: 'there is no setting for pauses of the whole link',
    sendsGlobalPause: 'there is no setting for pauses of the whole link',
    'watchdog.ports': 'each port says it for itself',
    arpSeconds: 'it is set in the kernel',
    macAgeSeconds: 'it is set in another database',
    balance: 'hashing is set in the hardware',
    other: 'settings of other languages',
  },
  write(config, options) {
    const table = headroomTableOf(config)
    const files: WrittenFile[] = [{ file: 'config_db.json', text: configDb(config, options) }]
    if (table !== undefined) files.push({ file: 'pg_profile_lookup.ini', text: table })
    return files
  },
}

function configDb({ device, settings, ports }: DeviceConfig, options: WriteOptions): string {
  const tables = new Tables(options.nameOf)
  if (!('pools' in settings)) return tables.json(false)
  writeDevice(tables, device, settings)
  tables.table('PORT')
  for (const port of ports) writePort(tables, port)
  writeLengths(tables, ports)
  writeNeighbours(tables, options.peers)
  writeVlans(tables, ports, knownOf(settings.floodsLossless))
  const groups = new Numbers('group', ports)
  const queues = new Numbers('queue', ports)
  const watched = writeWatchdog(tables, settings, ports)
  const buffers = new Buffers(tables, settings, ports, groups)
  for (const port of ports) {
    writeMaps(tables, port, groups, queues, watched.get(port.name))
    buffers.writePort(port, groups, queues)
    writeQueues(tables, port, queues)
  }
  return tables.json(options.variant === 'flat')
}
