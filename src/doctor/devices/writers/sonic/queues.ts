/**
 * Marking and scheduling of egress queues in config_db.json.
 * Source: sonic-yang-models (sonic-wred-profile, sonic-scheduler, sonic-queue).
 */
import { knownOf, type ClassConfig, type PortConfig } from '../../../../core/device-model/index.ts'
import { firstKnown, whole } from '../known.ts'
import type { Numbers } from './maps.ts'
import type { Tables } from './tables.ts'

const PERCENT = 100

export function writeQueues(tables: Tables, { name, settings }: PortConfig, queues: Numbers): void {
  for (const [queue, classes] of [...queues.slots(settings)].sort(([a], [b]) => a - b)) {
    const fields = { scheduler: schedulerOf(tables, classes), wred_profile: markingOf(tables, classes) }
    if (fields.scheduler !== undefined || fields.wred_profile !== undefined)
      tables.put('QUEUE', `${name}|${queue}`, fields)
  }
}

function schedulerOf(tables: Tables, classes: readonly ClassConfig[]): string | undefined {
  const schedule = firstKnown(classes.map((own) => own.schedule))
  if (schedule === undefined) return undefined
  if (schedule === 'strict') return tables.named('SCHEDULER', 'scheduler', { type: 'STRICT' })
  const weight = typeof schedule === 'number' ? { weight: whole(schedule) } : {}
  return tables.named('SCHEDULER', 'scheduler', { type: 'DWRR', ...weight })
}

/** A queue without a profile does not mark. Without a probability it marks all packets above its thresholds. */
function markingOf(tables: Tables, classes: readonly ClassConfig[]): string | undefined {
  const marks = firstKnown(classes.map((own) => own.marks))
  const first = (field: 'kminBytes' | 'kmaxBytes' | 'pmaxRatio'): number | undefined =>
    firstKnown(classes.map((own) => own[field]))
  const [kmin, kmax, ratio] = [first('kminBytes'), first('kmaxBytes'), first('pmaxRatio')]
  if (marks === false || (marks === undefined && kmin === undefined && kmax === undefined)) return undefined
  const isUsual = classes.some((own) => own.pmaxRatio.state === 'default' && knownOf(own.pmaxRatio) === 1)
  return tables.named('WRED_PROFILE', 'ecn-profile', {
    ecn: 'ecn_all',
    wred_green_enable: 'true',
    ...(kmin === undefined ? {} : { green_min_threshold: whole(kmin) }),
    ...(kmax === undefined ? {} : { green_max_threshold: whole(kmax) }),
    ...(ratio === undefined || isUsual ? {} : { green_drop_probability: whole(ratio * PERCENT) }),
  })
}
