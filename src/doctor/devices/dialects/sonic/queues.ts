/**
 * Egress queues of a configuration of SONiC: marking and scheduling.
 * Sources: sonic-yang-models (sonic-wred-profile, sonic-scheduler, sonic-queue); sonic-swss, orchagent/qosorch.
 * Packets of RoCE are green: nothing in SONiC's maps colours them otherwise.
 */
import type { PortFacts } from '../facts.ts'
import type { Config, Slots } from './config.ts'
import type { Entry } from './json-tables.ts'
import type { ClassNumbers } from './maps.ts'
import { lineOfPort } from './ports.ts'

/** Values of `ecn` with which green packets are marked. */
const MARKS_GREEN = new Set(['ecn_all', 'ecn_green', 'ecn_green_yellow', 'ecn_green_red'])

/** Queues and their profiles come with the maps of a switch: a text without any is a part of its configuration. */
const hasQueues = ({ tables }: Config): boolean =>
  ['QUEUE', 'WRED_PROFILE', 'SCHEDULER'].some((name) => tables.has(name))

export function readQueues(config: Config, name: string, port: PortFacts, slots: Slots, numbers: ClassNumbers): void {
  const rows = slots.get(name)
  for (const [index, queue] of numbers.queues.entries()) {
    if (queue === undefined) continue
    const entry = rows?.get(queue)
    if (entry !== undefined) port.name(`queue entry ${index}`, entry.key, config.line(entry))
    const profile = entry && config.named(entry, 'wred_profile', 'WRED_PROFILE', name, true)
    if (profile !== undefined)
      port.take(config.template(`ecn ${index} ${profile.key}`, (t) => readMarking(config, index, profile, t)))
    else if (hasQueues(config) && (entry?.fields.get('wred_profile') ?? '') === '') {
      const line = entry === undefined ? lineOfPort(config, name) : config.line(entry)
      port.class(index).putDefault('marks', false, line)
    }
    const scheduler = entry && config.named(entry, 'scheduler', 'SCHEDULER', name, false)
    if (scheduler !== undefined)
      port.take(config.template(`turn ${index} ${scheduler.key}`, (t) => readSchedule(config, index, scheduler, t)))
  }
}

function readMarking(config: Config, index: number, profile: Entry, template: PortFacts): void {
  const values = template.class(index)
  template.name(`wred ${index}`, profile.key, config.line(profile))
  const ecn = profile.fields.get('ecn')
  const isOff = profile.fields.get('wred_green_enable')?.toLowerCase() === 'false'
  const marks = ecn !== undefined && MARKS_GREEN.has(ecn) && !isOff
  values.put('marks', marks, config.line(profile, ecn === undefined ? undefined : isOff ? 'wred_green_enable' : 'ecn'))
  if (!marks) return
  config.number(profile, 'green_min_threshold', values, 'kminBytes')
  config.number(profile, 'green_max_threshold', values, 'kmaxBytes')
  config.number(profile, 'green_drop_probability', values, 'pmaxRatio', (percent) => percent / 100)
  if (!profile.fields.has('green_drop_probability')) values.put('pmaxRatio', 1, config.line(profile), 'default')
}

function readSchedule(config: Config, index: number, scheduler: Entry, template: PortFacts): void {
  const values = template.class(index)
  if (scheduler.fields.get('type')?.toUpperCase() === 'STRICT')
    values.put('schedule', 'strict', config.line(scheduler, 'type'))
  else if (!scheduler.fields.has('weight')) values.put('schedule', 'round-robin', config.line(scheduler))
  else config.number(scheduler, 'weight', values, 'schedule')
}
