/**
 * Buffers of a configuration of SONiC: pools, and the profiles of priority groups and egress queues of each port.
 * Sources: sonic-yang-models (sonic-buffer-*); saibuffer.h: a share is 2 to the power of dynamic_th of what is free in the pool.
 */
import type { PortFacts } from '../facts.ts'
import { type Config, integerIn, nameIn, type Slots } from './config.ts'
import type { Entry } from './json-tables.ts'
import type { ClassNumbers } from './maps.ts'
import { lineOfPort } from './ports.ts'

/** In place of a profile: the switch computes it from speed and cable. */
const DYNAMIC = 'NULL'
/** From this exponent on a queue may fill its pool: it drops after its group has paused. */
const UNLIMITED_TH = 7
const FIELDS = [
  ['static_th', 'staticBytes'],
  ['size', 'reserveBytes'],
  ['xoff', 'headroomBytes'],
  ['xon', 'xonBytes'],
  ['xon_offset', 'xonOffsetBytes'],
] as const

const shareOf = (exponent: number): number => 2 ** exponent

export function readPools(config: Config): void {
  const { facts, tables } = config
  const model = config.entry('DEVICE_METADATA', 'localhost')?.fields.get('buffer_model')
  const pools = [...tables.table('BUFFER_POOL').values()].sort((a, b) => (a.key < b.key ? -1 : 1))
  for (const [index, entry] of pools.entries()) {
    const pool = facts.pool(index)
    pool.put('poolName', entry.key, config.line(entry))
    const side = entry.fields.get('type')
    if (side !== undefined) pool.put('side', side, config.line(entry, 'type'))
    config.number(entry, 'size', pool, 'sizeBytes')
    if (!entry.fields.has('xoff') && model !== 'dynamic') pool.putDefault('sharedHeadroomBytes', 0, config.line(entry))
    config.number(entry, 'xoff', pool, 'sharedHeadroomBytes')
  }
}

/** Buffers come with the maps of a switch, all at once: a text without any is a part of its configuration. */
const hasBuffers = ({ tables }: Config): boolean =>
  ['BUFFER_POOL', 'BUFFER_PROFILE', 'BUFFER_PG', 'BUFFER_QUEUE'].some((name) => tables.has(name))

/** Ingress: what the group of each class has. */
export function readGroups(config: Config, name: string, port: PortFacts, slots: Slots, numbers: ClassNumbers): void {
  const rows = slots.get(name)
  for (const [index, group] of numbers.groups.entries()) {
    if (group === undefined) continue
    const entry = rows?.get(group)
    if (entry === undefined) {
      if (hasBuffers(config)) port.class(index).putDefault('hasHeadroom', false, lineOfPort(config, name))
      continue
    }
    const profileName = nameIn(entry.fields.get('profile') ?? '')
    port.name(`group entry ${index}`, entry.key, config.line(entry))
    port.class(index).put('profileName', profileName, config.line(entry, 'profile'))
    if (profileName === DYNAMIC) {
      port.class(index).put('hasHeadroom', true, config.line(entry, 'profile'))
      port.take(config.template(`dynamic ${index}`, (template) => readDynamic(config, index, template)))
      continue
    }
    const profile = config.named(entry, 'profile', 'BUFFER_PROFILE', name, true)
    if (profile !== undefined)
      port.take(config.template(`group ${index} ${profile.key}`, (t) => readProfile(config, index, profile, t)))
  }
}

/** Thresholds that the dynamic model uses for groups without a profile. */
function readDynamic(config: Config, index: number, template: PortFacts): void {
  for (const entry of config.tables.table('DEFAULT_LOSSLESS_BUFFER_PARAMETER').values())
    config.number(entry, 'default_dynamic_th', template.class(index), 'alpha', shareOf)
}

function readProfile(config: Config, index: number, profile: Entry, template: PortFacts): void {
  const values = template.class(index)
  for (const [field, result] of FIELDS) config.number(profile, field, values, result)
  config.number(profile, 'dynamic_th', values, 'alpha', shareOf)
  const pool = config.named(profile, 'pool', 'BUFFER_POOL', '', true)
  if (pool !== undefined) template.name(`group pool ${index}`, pool.key, config.line(profile))
  const isLossless = profile.fields.has('xoff') || profile.fields.has('xon')
  const hasOwn = (integerIn(profile, 'xoff') ?? 0) > 0
  const hasShared = isLossless && (integerIn(pool, 'xoff') ?? 0) > 0
  const isComputed = profile.fields.get('headroom_type') === 'dynamic'
  const field = profile.fields.has('xoff') ? 'xoff' : isComputed ? 'headroom_type' : undefined
  values.put('hasHeadroom', hasOwn || hasShared || isComputed, config.line(profile, field))
}

/** Egress: whether the queue of each class may drop. */
export function readQueueBuffers(
  config: Config,
  name: string,
  port: PortFacts,
  slots: Slots,
  numbers: ClassNumbers,
): void {
  const rows = slots.get(name)
  for (const [index, queue] of numbers.queues.entries()) {
    const entry = queue === undefined ? undefined : rows?.get(queue)
    const profile = entry && config.named(entry, 'profile', 'BUFFER_PROFILE', name, true)
    if (profile === undefined) continue
    port.take(
      config.template(`queue ${index} ${profile.key}`, (template) => {
        const pool = config.named(profile, 'pool', 'BUFFER_POOL', '', true)
        const fixedBytes = integerIn(profile, 'static_th')
        const exponent = integerIn(profile, 'dynamic_th')
        const poolBytes = integerIn(pool, 'size')
        const values = template.class(index)
        template.name(`queue profile ${index}`, profile.key, config.line(profile))
        if (exponent === undefined && pool !== undefined)
          template.name(`queue pool ${index}`, pool.key, config.line(profile))
        if (exponent !== undefined)
          values.put('dropsAtEgress', exponent < UNLIMITED_TH, config.line(profile, 'dynamic_th'))
        else if (fixedBytes !== undefined && poolBytes !== undefined)
          values.put('dropsAtEgress', fixedBytes < poolBytes, config.line(profile, 'static_th'))
      }),
    )
  }
}

/** References of profiles by lists of ports, whose values the model has no name for. */
export function readProfileLists(config: Config): void {
  for (const table of ['BUFFER_PORT_INGRESS_PROFILE_LIST', 'BUFFER_PORT_EGRESS_PROFILE_LIST'])
    for (const [port, entry] of config.byPort(table))
      for (const name of (entry.fields.get('profile_list') ?? '').split(','))
        if (name.trim() !== '') config.byName(nameIn(name.trim()), entry, 'profile_list', 'BUFFER_PROFILE', port, false)
}

/** Whether headroom follows from speed and cable by itself. */
export function readBufferModel(config: Config): void {
  const { facts, tables } = config
  const device = config.entry('DEVICE_METADATA', 'localhost')
  const model = device?.fields.get('buffer_model')
  const dynamic = [...tables.table('BUFFER_PG').values()].find((entry) => entry.fields.get('profile') === DYNAMIC)
  if (device !== undefined && (model === 'dynamic' || model === 'traditional'))
    facts.switch.put('isHeadroomDynamic', model === 'dynamic', config.line(device, 'buffer_model'))
  else if (dynamic !== undefined) facts.switch.put('isHeadroomDynamic', true, config.line(dynamic, 'profile'))
  else if (device !== undefined) facts.switch.putDefault('isHeadroomDynamic', false, config.line(device))
  for (const entry of tables.table('DEFAULT_LOSSLESS_BUFFER_PARAMETER').values())
    config.number(entry, 'over_subscribe_ratio', facts.switch, 'headroomOversubscription')
}
