/**
 * config_db.json of SONiC, whole or in parts: nested, flat, or as redis-dump writes it; qos.json and buffers.json hold tables
 * of it.
 * Sources: sonic-yang-models; sonic-swss (cfgmgr, orchagent); sonic-utilities (config_db.json, old forms of references).
 */
import type { Dialect } from '../dialect.ts'
import { readBufferModel, readGroups, readPools, readProfileLists, readQueueBuffers } from './buffers.ts'
import { Config } from './config.ts'
import { readDevice, readUnapplied, readWatchdog } from './device.ts'
import { JsonTables } from './json-tables.ts'
import { readMaps } from './maps.ts'
import { portNames, readLengths, readNeighbours, readPort, readVlans } from './ports.ts'
import { readQueues } from './queues.ts'

/** Tables by which a file is known. */
const SIGNS =
  /"(?:DEVICE_METADATA|PORT_QOS_MAP|BUFFER_(?:PG|POOL|PROFILE|QUEUE)|CABLE_LENGTH|DSCP_TO_TC_MAP|TC_TO_[A-Z_]+_MAP|WRED_PROFILE|PFC_WD|DEVICE_NEIGHBOR)(?:\|[^"]*)?"\s*:/
/** Tables about QoS and buffers that are read, or whose content leavesOut names. */
const KNOWN = new Set([
  'PORT_QOS_MAP',
  'DSCP_TO_TC_MAP',
  'DOT1P_TO_TC_MAP',
  'TC_TO_PRIORITY_GROUP_MAP',
  'TC_TO_QUEUE_MAP',
  'TC_TO_DSCP_MAP',
  'MAP_PFC_PRIORITY_TO_QUEUE',
  'PFC_PRIORITY_TO_PRIORITY_GROUP_MAP',
  'BUFFER_POOL',
  'BUFFER_PROFILE',
  'BUFFER_PG',
  'BUFFER_QUEUE',
  'BUFFER_PORT_INGRESS_PROFILE_LIST',
  'BUFFER_PORT_EGRESS_PROFILE_LIST',
  'DEFAULT_LOSSLESS_BUFFER_PARAMETER',
  'LOSSLESS_TRAFFIC_PATTERN',
  'CABLE_LENGTH',
  'WRED_PROFILE',
  'QUEUE',
  'SCHEDULER',
  'PFC_WD',
])
/** Names of tables that may matter. */
const MATTERS = /PFC|QOS|BUFFER|WRED|ECN|DSCP|DOT1P|QUEUE|SCHEDULER|PRIORITY|HEADROOM|^asic\d/

export const sonicConfigDb: Dialect = {
  name: 'sonic-config-db',
  language: 'sonic',
  title: 'SONiC config_db.json, qos.json, buffers.json',
  command: 'show runningconfiguration all',
  leavesOut: [
    'thresholds of ports (BUFFER_PORT_*_PROFILE_LIST)',
    'DOT1P_TO_TC_MAP, TC_TO_DSCP_MAP and PFC_PRIORITY_TO_PRIORITY_GROUP_MAP beyond their names',
    'LOSSLESS_TRAFFIC_PATTERN',
    'thresholds of yellow and red packets',
    'shapers of schedulers',
    'files of several ASICs in one',
  ],
  recognises: ({ text }) => text.includes('{') && SIGNS.test(text),
  read(part, facts) {
    facts.kind = 'switch'
    const tables = new JsonTables(part)
    const config = new Config(facts, tables)
    const device = config.entry('DEVICE_METADATA', 'localhost')
    facts.hostname = device?.fields.get('hostname') ?? ''
    facts.isComplete = tables.isWhole && facts.hostname !== '' && tables.has('PORT')
    tables.noteEnd(facts)
    for (const name of tables.names)
      if (MATTERS.test(name) && !KNOWN.has(name)) facts.remainder.push(tables.firstLine(name))
    readDevice(config)
    readBufferModel(config)
    readPools(config)
    readPorts(config)
    readProfileLists(config)
    readNeighbours(config)
    readUnapplied(config)
  },
}

function readPorts(config: Config): void {
  const { facts } = config
  const names = portNames(config)
  const groups = config.byPortAndNumber('BUFFER_PG')
  const buffers = config.byPortAndNumber('BUFFER_QUEUE')
  const queues = config.byPortAndNumber('QUEUE')
  for (const name of names) {
    const port = facts.port(name)
    const entry = config.entry('PORT', name)
    if (entry !== undefined) readPort(config, port, entry)
    const numbers = readMaps(config, name, port)
    readGroups(config, name, port, groups, numbers)
    readQueueBuffers(config, name, port, buffers, numbers)
    readQueues(config, name, port, queues, numbers)
  }
  readLengths(config, names)
  readVlans(config, names)
  readWatchdog(config)
}
