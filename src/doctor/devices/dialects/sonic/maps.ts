/**
 * Maps of a configuration of SONiC that are bound to its ports: which class a DSCP has, and which group and queues a class;
 * and the classes that are lossless. A class is a traffic class (TC) of SONiC, which has the number of its PFC priority.
 * Source: sonic-yang-models (sonic-port-qos-map and the maps); sonic-swss, orchagent/qosorch.
 */
import { CLASS_COUNT, CLASSES, type ClassConfig, DSCP_COUNT } from '../../../../core/device-model/index.ts'
import type { PortFacts } from '../facts.ts'
import { numbersIn } from '../words.ts'
import { type Config, integerIn } from './config.ts'
import type { Entry } from './json-tables.ts'
import { lineOfPort } from './ports.ts'

/** Fields of PORT_QOS_MAP that name maps, and the tables of these. */
const MAPS = [
  ['dscp_to_tc_map', 'DSCP_TO_TC_MAP'],
  ['dot1p_to_tc_map', 'DOT1P_TO_TC_MAP'],
  ['tc_to_pg_map', 'TC_TO_PRIORITY_GROUP_MAP'],
  ['tc_to_queue_map', 'TC_TO_QUEUE_MAP'],
  ['pfc_to_queue_map', 'MAP_PFC_PRIORITY_TO_QUEUE'],
  ['pfc_to_pg_map', 'PFC_PRIORITY_TO_PRIORITY_GROUP_MAP'],
  ['tc_to_dscp_map', 'TC_TO_DSCP_MAP'],
] as const
type MapField = (typeof MAPS)[number][0]

/** Maps of classes, and the names of what they give. */
const OF_CLASSES = [
  ['tc_to_pg_map', 'group'],
  ['tc_to_queue_map', 'queue'],
  ['pfc_to_queue_map', 'pausedQueue'],
] as const
/** Largest number of a queue or group. */
const NUMBER_MAX = 15

/** Numbers of group and queue by class; undefined: unknown. */
export interface ClassNumbers {
  readonly groups: readonly (number | undefined)[]
  readonly queues: readonly (number | undefined)[]
}

/** Reads what PORT_QOS_MAP gives a port. @returns the groups and queues that buffers and schedulers are set for */
export function readMaps(config: Config, name: string, port: PortFacts): ClassNumbers {
  const own = config.byPort('PORT_QOS_MAP').get(name)
  const global = config.entry('PORT_QOS_MAP', 'global')
  const maps = new Map<MapField, Entry>()
  for (const [field, table] of MAPS) {
    // Only the map of DSCPs holds for all ports of a switch.
    const from = own?.fields.has(field) === true ? own : field === 'dscp_to_tc_map' ? global : undefined
    const map = from === undefined ? undefined : config.named(from, field, table, from === own ? name : '', true)
    if (map === undefined) continue
    maps.set(field, map)
    port.name(field, map.key, config.line(map))
  }
  if (own !== undefined) port.name('maps entry', own.key, config.line(own))
  readClassification(config, name, port, own, global, maps)
  for (const [field, result] of OF_CLASSES) takeMap(config, port, maps.get(field), result)
  if (own !== undefined || config.facts.isComplete) readPfc(config, name, port, own)
  return {
    groups: numbersOf(config, 'TC_TO_PRIORITY_GROUP_MAP', maps.get('tc_to_pg_map')),
    queues: numbersOf(config, 'TC_TO_QUEUE_MAP', maps.get('tc_to_queue_map')),
  }
}

/** Field by which packets are classified, and the class of each DSCP. */
function readClassification(
  config: Config,
  name: string,
  port: PortFacts,
  own: Entry | undefined,
  global: Entry | undefined,
  maps: ReadonlyMap<MapField, Entry>,
): void {
  const { settings } = port
  const by = [
    ['dscp_to_tc_map', 'dscp'],
    ['dot1p_to_tc_map', 'pcp'],
  ] as const
  for (const [field, trust] of by) {
    const from = [own, global].find((entry) => (entry?.fields.get(field) ?? '') !== '')
    if (from === undefined || (field !== 'dscp_to_tc_map' && from === global)) continue
    const line = config.line(from, field)
    settings.put('trust', trust, line)
    const map = maps.get(field)
    // A map that nothing defines classifies nothing; in a part of a configuration it may be elsewhere.
    settings.put('classifies', map !== undefined || !config.facts.isComplete, line)
    if (trust === 'dscp' && map !== undefined)
      port.take(config.template(`dscp ${map.key}`, (template) => readDscps(config, map, template)))
    return
  }
  settings.putDefault('trust', 'none', lineOfPort(config, name))
  settings.putDefault('classifies', false, lineOfPort(config, name))
}

function readDscps(config: Config, map: Entry, template: PortFacts): void {
  for (const field of map.fields.keys()) {
    const trafficClass = integerIn(map, field) ?? -1
    const isRead = /^\d+$/.test(field) && Number(field) < DSCP_COUNT && CLASSES.includes(trafficClass)
    if (isRead) template.dscp(Number(field), trafficClass, config.line(map, field))
    else config.facts.remainder.push(config.line(map, field))
  }
}

function takeMap(
  config: Config,
  port: PortFacts,
  map: Entry | undefined,
  result: keyof ClassConfig & ('group' | 'queue' | 'pausedQueue'),
): void {
  if (map === undefined) return
  port.take(
    config.template(`${result} ${map.key}`, (template) => {
      for (const index of CLASSES) config.number(map, String(index), template.class(index), result)
    }),
  )
}

/**
 * Numbers that a map gives to the classes. A file without any such map is a part of a configuration (buffers.json): there
 * a group or queue is taken for that of the class with its number, as buffermgrd does for lossless groups.
 */
function numbersOf(config: Config, table: string, map: Entry | undefined): (number | undefined)[] {
  return CLASSES.map((index) => {
    if (map === undefined) return config.tables.has(table) ? undefined : index
    const text = map.fields.get(String(index)) ?? ''
    return /^\d{1,2}$/.test(text) && Number(text) <= NUMBER_MAX ? Number(text) : undefined
  })
}

/** Lossless classes, and those that the watchdog watches. */
function readPfc(config: Config, name: string, port: PortFacts, own: Entry | undefined): void {
  const { facts } = config
  const { settings } = port
  const line = (field: string): ReturnType<Config['line']> =>
    own === undefined ? lineOfPort(config, name) : config.line(own, own.fields.has(field) ? field : undefined)
  const classesIn = (field: string): number[] | null | undefined => {
    const text = own?.fields.get(field)
    if (text === undefined) return undefined
    if (text === '') return []
    const classes = numbersIn(text, CLASS_COUNT - 1)
    if (classes === undefined) facts.remainder.push(line(field))
    return classes ?? null
  }
  const lossless = classesIn('pfc_enable')
  for (const field of ['pfcClasses', 'pfcWritten'] as const)
    if (lossless === undefined) settings.putDefault(field, [], line('pfc_enable'))
    else settings.note(field, lossless ?? undefined, line('pfc_enable'))
  const watched = classesIn('pfcwd_sw_enable')
  const watchdog = config.byPort('PFC_WD').get(name)
  if (watchdog !== undefined) port.name('watchdog entry', watchdog.key, config.line(watchdog))
  const isWritten = watchdog !== undefined && watched !== undefined
  if (watched === null || (!isWritten && !facts.isComplete)) return
  for (const index of CLASSES) {
    const isWatched = isWritten && watched.includes(index)
    port.class(index).put('isWatched', isWatched, line('pfcwd_sw_enable'), isWritten ? 'set' : 'default')
  }
}
