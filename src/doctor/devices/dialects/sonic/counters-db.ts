/**
 * COUNTERS_DB of SONiC as JSON: maps of names to objects, and the counters of each object.
 * Sources: sonic-swss, orchagent; sonic-utilities (sonic-db-dump); saiport.h, saiqueue.h, saibuffer.h.
 */
import { ALL_PRIORITIES, CLASS_COUNT, CLASSES } from '../../../../core/device-model/index.ts'
import type { Dialect } from '../dialect.ts'
import type { Facts } from '../facts.ts'
import { countIn } from '../words.ts'
import { OF_GROUPS, OF_PORT_PRIORITIES, OF_PORTS, OF_QUEUES, type StoredCounter } from './counter-names.ts'
import { type Entry, JsonTables } from './json-tables.ts'
import { putWatched } from './shown.ts'

export const sonicCountersDb: Dialect = {
  name: 'sonic-counters-db',
  language: 'sonic',
  title: 'SONiC COUNTERS_DB',
  command: 'sonic-db-dump -n COUNTERS_DB -y',
  leavesOut: [
    'buffer pools',
    'pauses in units that the chip decides (SAI_PORT_STAT_PFC_P_RX_PAUSE_DURATION)',
    'times and actions of the watchdog',
    'queues and groups above 7',
  ],
  recognises: ({ text }) =>
    text.includes('{') && /"COUNTERS(?:_(?:PORT|QUEUE|PG)_NAME_MAP"|:oid:|")\s*[:0-9]/.test(text),
  read(part, facts) {
    facts.kind = 'switch'
    const tables = new JsonTables(part)
    tables.noteEnd(facts)
    for (const [port, object] of objectsOf(tables, 'COUNTERS_PORT_NAME_MAP')) {
      count(facts, tables, object, OF_PORTS, port, ALL_PRIORITIES)
      for (const priority of CLASSES) count(facts, tables, object, OF_PORT_PRIORITIES, port, priority)
    }
    for (const [name, object] of objectsOf(tables, 'COUNTERS_QUEUE_NAME_MAP')) {
      const { port, priority } = objectOf(name)
      if (priority === undefined) continue
      count(facts, tables, object, OF_QUEUES, port, priority)
      const state = object.fields.get('PFC_WD_STATUS')
      if (state !== undefined) putWatched(facts.port(port).class(priority), state, tables.line(object, 'PFC_WD_STATUS'))
    }
    for (const [name, object] of objectsOf(tables, 'COUNTERS_PG_NAME_MAP')) {
      const { port, priority } = objectOf(name)
      if (priority !== undefined) count(facts, tables, object, OF_GROUPS, port, priority)
    }
  },
}

/** Names of a map with the counters of their objects. */
function* objectsOf(tables: JsonTables, map: string): Generator<[string, Entry]> {
  const counters = tables.table('COUNTERS')
  for (const [name, id] of tables.table(map).get('')?.fields ?? []) {
    const object = counters.get(id)
    if (object !== undefined) yield [name, object]
  }
}

/** "Ethernet0:3". Chassis have names of several parts, whose last two are port and number. */
function objectOf(name: string): { port: string; priority: number | undefined } {
  const [number = '', port = ''] = name.split(/[:|]/).toReversed()
  const priority = countIn(number)
  return { port, priority: priority !== undefined && priority < CLASS_COUNT && port !== '' ? priority : undefined }
}

function count(
  facts: Facts,
  tables: JsonTables,
  object: Entry,
  counters: readonly StoredCounter[],
  port: string,
  priority: number,
): void {
  for (const { name, from, plus } of counters) {
    const field = from.map((one) => one.replace('_P_', `_${priority}_`)).find((one) => object.fields.has(one))
    const value = field === undefined ? undefined : countIn(object.fields.get(field)!)
    if (field === undefined || value === undefined) continue
    const more = plus === undefined ? 0 : (countIn(object.fields.get(plus) ?? '0') ?? 0)
    facts.count(port, priority, name, value + more, tables.line(object, field))
  }
}
