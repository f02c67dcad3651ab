/**
 * Counters of SONiC: COUNTERS_DB as JSON. Times of pauses are those that the switch estimates for what it receives; it has
 * none of what it sends. Speeds and lossless classes are in CONFIG_DB.
 * Sources: dialects/sonic/counter-names.ts; sonic-swss, orchagent (estimated durations of pauses).
 */
import {
  OF_GROUPS,
  OF_PORT_PRIORITIES,
  OF_PORTS,
  OF_QUEUES,
  type StoredCounter,
} from '../../dialects/sonic/counter-names.ts'
import { type CounterWriter, digits, portsOf, saying } from './writer.ts'

/** SAI has no time of pauses that are sent. */
const NOT_COUNTED: ReadonlySet<string> = new Set(['pauseTxUs'])
/** Counters of ports that queues or groups do not have by priority. */
const OF_WHOLE_PORTS = OF_PORTS.filter(({ name }) => !OF_QUEUES.concat(OF_GROUPS).some((other) => other.name === name))
const BY_PRIORITY = OF_PORT_PRIORITIES.filter(({ name }) => !NOT_COUNTED.has(name))

/** The name that community SONiC has: the last one of those with a known unit. */
const fieldOf = ({ from }: StoredCounter, priority: number): string => from.at(-1)!.replace('_P_', `_${priority}_`)

/** Kinds of objects, with the maps that name them. */
const KINDS = [
  ['COUNTERS_PORT_NAME_MAP', BY_PRIORITY],
  ['COUNTERS_QUEUE_NAME_MAP', OF_QUEUES],
  ['COUNTERS_PG_NAME_MAP', OF_GROUPS],
] as const

type Fields = Record<string, string>

export const sonicCounterWriter: CounterWriter = {
  vendor: 'sonic',
  devices: 'switches',
  portName: (number) => `Ethernet${4 * (number - 1)}`,
  says: saying(['rateBps', ...[...OF_WHOLE_PORTS, ...BY_PRIORITY, ...OF_QUEUES, ...OF_GROUPS].map(({ name }) => name)]),
  write(counts, lossless) {
    const maps: Record<string, Fields> = Object.fromEntries(KINDS.map(([map]) => [map, {}]))
    const objects: Record<string, Fields> = {}
    const put = (map: string, object: string, field: string, value: number): void => {
      const id = (maps[map]![object] ??= `oid:0x${(0x10000 + Object.keys(objects).length).toString(16)}`)
      const fields = (objects[`COUNTERS:${id}`] ??= {})
      fields[field] = digits(value)
    }
    for (const port of portsOf(counts)) {
      for (const counter of OF_WHOLE_PORTS) {
        const value = port.total(counter.name)
        if (value !== undefined) put('COUNTERS_PORT_NAME_MAP', port.port, fieldOf(counter, 0), value)
      }
      for (const [map, counters] of KINDS)
        for (const priority of port.priorities(counters.map(({ name }) => name)))
          for (const counter of counters) {
            const value = port.value(counter.name, priority)
            const object = map === 'COUNTERS_PORT_NAME_MAP' ? port.port : `${port.port}:${priority}`
            if (value !== undefined) put(map, object, fieldOf(counter, priority), value)
          }
    }
    const speeds = counts.filter(({ name }) => name === 'rateBps')
    const config = {
      PORT: Object.fromEntries(speeds.map(({ port, value }) => [port, { speed: String(Math.round(value / 1e6)) }])),
      PORT_QOS_MAP: Object.fromEntries(speeds.map(({ port }) => [port, { pfc_enable: lossless.join() }])),
    }
    const json = (value: object): string => `${JSON.stringify(value, null, 1)}\n`
    const command = 'sonic-db-dump -n COUNTERS_DB -y'
    return [
      { file: 'counters_db.json', text: json({ ...maps, ...objects }), command, of: 'counters' },
      { file: 'config_db.json', text: json(config), command: 'cat /etc/sonic/config_db.json', of: 'settings' },
    ]
  },
}
