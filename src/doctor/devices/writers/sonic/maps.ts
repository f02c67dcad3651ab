/**
 * Maps of ports in config_db.json, and what PORT_QOS_MAP gives a port. Ports with the same maps share them.
 * Source: sonic-yang-models (sonic-port-qos-map and the maps).
 */
import {
  knownOf,
  CLASS_COUNT,
  type ClassConfig,
  type PortConfig,
  type PortSettings,
  type Value,
} from '../../../../core/device-model/index.ts'
import type { Fields, Tables } from './tables.ts'

const OF_GROUPS = [
  'hasHeadroom',
  'alpha',
  'staticBytes',
  'reserveBytes',
  'headroomBytes',
  'xonBytes',
  'xonOffsetBytes',
] as const
const OF_QUEUES = ['marks', 'kminBytes', 'kmaxBytes', 'pmaxRatio', 'schedule', 'dropsAtEgress'] as const
const IDENTITY = Object.fromEntries(Array.from({ length: CLASS_COUNT }, (_, index) => [index, String(index)]))

type Numbered = 'group' | 'queue'

/** Groups or queues of the classes of each port. */
export class Numbers {
  readonly #field: Numbered
  /** Whether any map is written; if not, a class has the group and queue with its number. */
  readonly #isMapped: boolean

  constructor(field: Numbered, ports: readonly PortConfig[]) {
    this.#field = field
    this.#isMapped = ports.some(({ settings }) => settings.classes.some((own) => knownOf(own[field]) !== undefined))
  }

  /** A class that has none, but settings of one, gets the one with its number. */
  of(own: ClassConfig, index: number): number | undefined {
    const fields: readonly (keyof ClassConfig)[] = this.#field === 'group' ? OF_GROUPS : OF_QUEUES
    return knownOf(own[this.#field]) ?? (fields.some((field) => own[field].state !== 'unknown') ? index : undefined)
  }

  /** Classes of a port by their group or queue. */
  slots({ classes }: PortSettings): ReadonlyMap<number, readonly ClassConfig[]> {
    const slots = new Map<number, ClassConfig[]>()
    for (const [index, own] of classes.entries()) {
      const number = this.of(own, index)
      if (number !== undefined) slots.set(number, [...(slots.get(number) ?? []), own])
    }
    return slots
  }

  map({ classes }: PortSettings): Fields {
    return this.#isMapped ? numbered(classes.map((own, index) => this.of(own, index))) : {}
  }
}

const numbered = (numbers: readonly (number | undefined)[]): Fields =>
  Object.fromEntries(numbers.flatMap((number, at) => (number === undefined ? [] : [[at, String(number)]])))

const numbersOf = (values: readonly Value<number>[]): Fields => numbered(values.map((value) => knownOf(value)))

/** Map of a port, unless it is empty. */
function bind(tables: Tables, table: string, purpose: string, map: Fields): string | undefined {
  return Object.keys(map).length === 0 ? undefined : tables.named(table, purpose, map)
}

export function writeMaps(
  tables: Tables,
  { name, settings }: PortConfig,
  groups: Numbers,
  queues: Numbers,
  watched: readonly number[] | undefined,
): void {
  const lossless = knownOf(settings.pfcClasses) ?? knownOf(settings.pfcWritten)
  const isEmpty = lossless?.length === 0 && settings.pfcClasses.state === 'default'
  const fields = {
    ...classificationOf(tables, settings),
    tc_to_pg_map: bind(tables, 'TC_TO_PRIORITY_GROUP_MAP', 'group-map', groups.map(settings)),
    tc_to_queue_map: bind(tables, 'TC_TO_QUEUE_MAP', 'queue-map', queues.map(settings)),
    pfc_to_queue_map: bind(
      tables,
      'MAP_PFC_PRIORITY_TO_QUEUE',
      'paused-queue-map',
      numbersOf(settings.classes.map(({ pausedQueue }) => pausedQueue)),
    ),
    pfc_enable: isEmpty ? undefined : lossless?.join(','),
    pfcwd_sw_enable: watched?.join(','),
  }
  if (Object.values(fields).some((text) => text !== undefined)) tables.put('PORT_QOS_MAP', name, fields)
}

function classificationOf(tables: Tables, settings: PortSettings): Readonly<Record<string, string | undefined>> {
  const trust = knownOf(settings.trust)
  const map = numbersOf(settings.dscpToClass)
  const readsPcp = trust === 'pcp' || trust === 'both'
  const isNamed = trust === 'dscp' || trust === 'both' || (trust === undefined && Object.keys(map).length > 0)
  const isDefined = knownOf(settings.classifies) !== false
  return {
    dscp_to_tc_map: !isNamed
      ? undefined
      : isDefined
        ? tables.named('DSCP_TO_TC_MAP', 'dscp-map', map)
        : tables.name('missing dscp-map'),
    dot1p_to_tc_map: !readsPcp
      ? undefined
      : isDefined
        ? tables.named('DOT1P_TO_TC_MAP', 'pcp-map', IDENTITY)
        : tables.name('missing pcp-map'),
  }
}
