/**
 * SONiC: rows of CONFIG_DB in config_db.json.
 * Source: sonic-swss-common, schema of CONFIG_DB; sonic-yang-models; Redis, HSET and DEL.
 */
import { numbersOf, Refused, type Texts } from './texts.test-data.ts'

type Fields = Record<string, unknown>
type Table = Record<string, Fields>

/** Fields that name a row of another table. */
const NAMES: Readonly<Record<string, string>> = {
  profile: 'BUFFER_PROFILE',
  pool: 'BUFFER_POOL',
  wred_profile: 'WRED_PROFILE',
  dscp_to_tc_map: 'DSCP_TO_TC_MAP',
  tc_to_pg_map: 'TC_TO_PRIORITY_GROUP_MAP',
  tc_to_queue_map: 'TC_TO_QUEUE_MAP',
  pfc_to_queue_map: 'MAP_PFC_PRIORITY_TO_QUEUE',
}
/** Tables with keys of ports and, mostly, of groups or queues. */
const BY_PORT = new Set(['BUFFER_PG', 'BUFFER_QUEUE', 'QUEUE', 'PORT_QOS_MAP', 'PFC_WD'])
const FIXED = new Set(['PORT', 'CABLE_LENGTH'])

/** Rows of "TABLE|KEY" at the top, or of keys in tables. */
class ConfigDb {
  readonly #root: Record<string, Table & Fields>
  readonly #isFlat: boolean

  constructor(text: string) {
    this.#root = JSON.parse(text) as Record<string, Table & Fields>
    this.#isFlat = Object.keys(this.#root).some((key) => key.includes('|'))
  }

  keys(table: string): string[] {
    if (!this.#isFlat) return Object.keys(this.#root[table] ?? {})
    const start = `${table}|`
    return Object.keys(this.#root).flatMap((key) => (key.startsWith(start) ? [key.slice(start.length)] : []))
  }

  hset(table: string, key: string, fields: Fields): void {
    if (this.#isFlat) this.#root[`${table}|${key}`] = { ...this.#root[`${table}|${key}`], ...fields } as Table & Fields
    else (this.#root[table] ??= {} as Table & Fields)[key] = { ...this.#root[table]![key], ...fields }
  }

  del(table: string, key: string): void {
    if (this.#isFlat) delete this.#root[`${table}|${key}`]
    else delete this.#root[table]?.[key]
  }

  text(): string {
    return `${JSON.stringify(this.#root, null, 4)}\n`
  }
}

/** Ports and numbers of "Ethernet0,Ethernet4|3-4", each with each. */
function membersOf(key: string): string[] {
  const [ports = '', numbers] = key.split('|')
  const slots = numbers === undefined ? [''] : numbersOf(numbers).map(String)
  return ports.split(',').flatMap((port) => slots.map((slot) => `${port}|${slot}`))
}

/** Another row that is about the same port and number would fight with it. */
function checkKey(db: ConfigDb, line: string, table: string, key: string): void {
  const keys = db.keys(table)
  if (FIXED.has(table) && !keys.includes(key)) throw new Refused(line, 'no such row')
  if (!BY_PORT.has(table) || key === 'GLOBAL') return
  const own = new Set(membersOf(key))
  const ports = db.keys('PORT')
  if (ports.length > 0 && [...own].some((member) => !ports.includes(member.split('|')[0]!)))
    throw new Refused(line, 'no such port')
  const rival = keys.find((other) => other !== key && membersOf(other).some((member) => own.has(member)))
  if (rival !== undefined) throw new Refused(line, `fights with ${rival}`)
}

/** @throws Refused */
export function typeSonic(texts: Texts, line: string): void {
  const file = 'config_db.json'
  const db = new ConfigDb(texts.get(file)!)
  const [, verb = '', name = '', rest = ''] = /^sonic-db-cli CONFIG_DB (hset|del) '([^']+)'(.*)$/.exec(line) ?? []
  const [, table = '', key = ''] = /^([^|]+)\|(.+)$/.exec(name) ?? []
  if (key === '') throw new Refused(line, 'unknown')
  if (verb === 'del') {
    if (rest !== '' || !db.keys(table).includes(key)) throw new Refused(line, 'no such row')
    db.del(table, key)
  } else {
    if (!/^( \w+ '[^']+')+$/.test(rest)) throw new Refused(line, 'fields and values')
    checkKey(db, line, table, key)
    const fields = Object.fromEntries([...rest.matchAll(/ (\w+) '([^']+)'/g)].map(([, field, value]) => [field, value]))
    for (const [field, value] of Object.entries(fields)) {
      const named = NAMES[field]
      if (named !== undefined && !db.keys(named).includes(value!)) throw new Refused(line, `no ${named} ${value}`)
    }
    db.hset(table, key, fields)
  }
  texts.set(file, db.text())
}
