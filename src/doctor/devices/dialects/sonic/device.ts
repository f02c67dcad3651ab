/**
 * The switch as a whole in a configuration of SONiC: hardware, PFC watchdog, flooding, and names that nothing applies.
 * Sources: sonic-yang-models (sonic-device_metadata, sonic-pfcwd); sonic-swss, orchagent/pfcwdorch; sonic-mgmt,
 * tests/arp/test_unknown_mac (platforms that flood).
 */
import { PS_PER_MS } from '../../../../core/device-model/index.ts'
import type { Config } from './config.ts'
import type { Entry } from './json-tables.ts'

/** Rules of detection by platform, in the words of the model. Others have one that their name does not tell. */
const RULES = [
  [/mlnx|mellanox|nvidia/i, 'nvidia'],
  [/cisco/i, 'cisco'],
  [/barefoot|_kvm_|-vs$/i, 'generic'],
] as const
/** A watchdog whose rule is not known. */
export const SOME_RULE = 'sonic'
/** Platforms that flood lossless packets to unknown MAC addresses. */
const FLOODING = /mlnx|mellanox|nvidia|barefoot/i
const METADATA = 'DEVICE_METADATA'
/** Maps and profiles that are there for PFC or ECN alone. */
const FOR_PFC = ['TC_TO_PRIORITY_GROUP_MAP', 'MAP_PFC_PRIORITY_TO_QUEUE', 'WRED_PROFILE']
/** Table that applies maps to packets in tunnels. */
const TUNNEL = 'TUNNEL'

/** Kind of watchdog of the hardware that these names are of. */
export const watchdogRuleOf = (platform: string): string =>
  RULES.find(([pattern]) => pattern.test(platform))?.[1] ?? SOME_RULE

/** Whether such hardware floods lossless packets to unknown MAC addresses, where it has members of VLANs. */
export const floodsLossless = (platform: string): boolean => FLOODING.test(platform)

function platformOf(config: Config): string {
  const fields = config.entry(METADATA, 'localhost')?.fields
  return `${fields?.get('platform') ?? ''} ${fields?.get('hwsku') ?? ''}`
}

export function readDevice(config: Config): void {
  const { facts, tables } = config
  const device = config.entry(METADATA, 'localhost')
  const field = ['hwsku', 'platform'].find((name) => (device?.fields.get(name) ?? '') !== '')
  if (device !== undefined && field !== undefined)
    facts.switch.put('platform', device.fields.get(field)!, config.line(device, field))
  const [member] = tables.table('VLAN_MEMBER').values()
  if (member !== undefined && floodsLossless(platformOf(config)))
    facts.switch.put('floodsLossless', true, config.line(member), 'default')
  else if (member === undefined && device !== undefined)
    facts.switch.putDefault('floodsLossless', false, config.line(device))
}

/** One watchdog for the switch; where ports have other times or actions, each port has its own and the switch none. */
export function readWatchdog(config: Config): void {
  const { facts, tables } = config
  const table = tables.table('PFC_WD')
  const global = table.get('GLOBAL')
  const ports = [...config.byPort('PFC_WD')].filter(([name]) => name !== 'GLOBAL')
  const first = ports[0]?.[1]
  const isStopped = global?.fields.get('BIG_RED_SWITCH')?.toLowerCase() === 'enable'
  if (isStopped) facts.watchdog.put('kind', 'off', config.line(global!, 'BIG_RED_SWITCH'))
  else if (first !== undefined) facts.watchdog.put('kind', watchdogRuleOf(platformOf(config)), config.line(first))
  else facts.watchdog.putDefault('kind', 'off', tables.firstLine(METADATA))
  if (global !== undefined) config.number(global, 'POLL_INTERVAL', facts.watchdog, 'pollPs', psOfMs)
  if (first === undefined) return
  for (const field of ['action', 'detection_time', 'restoration_time'] as const) {
    const isOne = new Set(ports.map(([, entry]) => entry.fields.get(field))).size === 1
    if (isOne) putWatchdog(config, first, field)
    else {
      facts.watchdog.forget(WATCHDOG[field])
      for (const [name, entry] of ports)
        facts.port(name).other(`PFC_WD.${field}`, entry.fields.get(field) ?? 'never', config.line(entry, field))
    }
  }
}

const WATCHDOG = { action: 'action', detection_time: 'detectionPs', restoration_time: 'restorationPs' } as const

function putWatchdog(config: Config, entry: Entry, field: keyof typeof WATCHDOG): void {
  const { watchdog } = config.facts
  const line = config.line(entry, field)
  const text = entry.fields.get(field)
  if (field === 'action') {
    if (text !== undefined) watchdog.put('action', text.toLowerCase(), line)
  } else if (text !== undefined) config.number(entry, field, watchdog, WATCHDOG[field], psOfMs)
  else if (field === 'restoration_time') watchdog.putDefault('restorationPs', 'never', line)
}

const psOfMs = (ms: number): number => ms * PS_PER_MS

/** Defined for PFC or ECN, and bound to no port, queue or tunnel. */
export function readUnapplied(config: Config): void {
  const { facts, tables } = config
  if (!facts.isComplete) return
  const inTunnels = new Set([...tables.table(TUNNEL).values()].flatMap(({ fields }) => [...fields.values()]))
  for (const table of FOR_PFC)
    for (const entry of tables.table(table).values()) {
      const marksNothing = table === 'WRED_PROFILE' && (entry.fields.get('ecn') ?? 'ecn_none') === 'ecn_none'
      if (marksNothing || config.isUsed(table, entry.key) || inTunnels.has(entry.key)) continue
      facts.refer('unapplied', table, entry.key, config.line(entry))
    }
}
