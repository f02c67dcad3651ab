/**
 * Meaning: values of a configuration as they are compared. Names, addresses and states of peers are no settings; pools are
 * known by their side and not by their name; weights count in proportion; and where a value follows from another one that
 * is known, the other one alone is compared.
 */
import {
  knownOf,
  type DeviceConfig,
  type Field,
  fieldsOf,
  type Plain,
  type PlainRow,
  type PoolConfig,
  type PortSettings,
  type Value,
} from '../../../core/device-model/index.ts'

export type Settings = DeviceConfig['settings'] | PortSettings

/** One value that differs from the one that is wanted. */
export interface Differing {
  readonly key: string
  readonly field: string
  /** Class or DSCP; null: neither. */
  readonly slot: number | null
  readonly desired: Value
  readonly running: Value
  /** Device with the other value, where neither is that of most. */
  readonly besides?: string
}

const NO_PEER_NAME = 'none'
/** Peer of a port that has no cable for certain. */
export const NO_PEER: Value<string> = { state: 'operational', value: NO_PEER_NAME }

/** Undefined: there is none, or nobody knows. */
export function peerOf({ peer }: { readonly peer: Value<string> }): string | undefined {
  return peer.state === 'unknown' || peer.value === NO_PEER_NAME ? undefined : peer.value
}

export const keyOf = ({ name, slot }: Pick<Field, 'name' | 'slot'>): string => `${name} ${slot}`

/** Names and addresses, those that the peer decides, and states of a moment. */
const NO_SETTINGS: ReadonlySet<string> = new Set(['nic.rdmaDevice', 'nic.gids', 'peerPfcClasses', 'isStormed'])

/** Numbers that each language or hardware gives out by itself. */
const OF_ONE_LANGUAGE: ReadonlySet<string> = new Set(['group', 'queue', 'pausedQueue', 'platform', 'balance'])

const known = new WeakMap<Settings, readonly Field[]>()

/** All values that are settings. */
export function settingsIn(settings: Settings): readonly Field[] {
  let fields = known.get(settings)
  if (fields === undefined) {
    const pools = 'pools' in settings ? settings.pools : []
    const own = pools.length === 0 ? settings : { ...settings, pools: [] }
    fields = [...fieldsOf(own).filter(({ name }) => !NO_SETTINGS.has(name)), ...poolFields(pools)].map(ordered)
    known.set(settings, fields)
  }
  return fields
}

/** Whether a field means the same in all languages. @param settings that it is of */
export function isCommon(field: Field, settings: Settings): boolean {
  return !OF_ONE_LANGUAGE.has(field.name) && !Object.hasOwn(settings.other, field.name)
}

/** Pools by their side, from the largest of a side on. */
function poolFields(pools: readonly PoolConfig[]): Field[] {
  const sizeOf = ({ sizeBytes }: PoolConfig): number => (sizeBytes.state === 'unknown' ? -1 : sizeBytes.value)
  const counts = new Map<Plain, number>()
  return pools
    .toSorted((a, b) => sizeOf(b) - sizeOf(a))
    .flatMap(({ side, sizeBytes, sharedHeadroomBytes }): Field[] => {
      const name = knownOf(side)
      if (name === undefined) return []
      const nth = (counts.get(name) ?? 0) + 1
      counts.set(name, nth)
      const pool = `pools.${name}${nth === 1 ? '' : nth}`
      return [
        { name: `${pool}.sizeBytes`, slot: null, value: sizeBytes },
        { name: `${pool}.sharedHeadroomBytes`, slot: null, value: sharedHeadroomBytes },
      ]
    })
}

/** Rows of tables in one order, which means nothing. */
function ordered(field: Field): Field {
  const { value } = field
  const rows = knownOf(value)
  if (value.state === 'unknown' || !isTable(rows)) return field
  const keys = new Map(rows.map((row) => [row, JSON.stringify(row)]))
  const sorted = rows.toSorted((a, b) => (keys.get(a)! < keys.get(b)! ? -1 : 1))
  return { ...field, value: { ...value, value: sorted } }
}

const isTable = (value: Plain | undefined): value is readonly PlainRow[] =>
  Array.isArray(value) && typeof value[0] === 'object'

/** Values that follow from others: the first is not compared where the second is known on both sides. */
const FOLLOWS: Readonly<Record<string, string>> = {
  pfcWritten: 'pfcClasses',
  hasHeadroom: 'headroomBytes',
  'nic.isActive': 'isUp',
}

/** Values that are the cause of others: they are not named beside them. */
const CAUSES: Readonly<Record<string, string>> = { pfcMode: 'pfcClasses' }

const WEIGHT = 'schedule'

/** Those of the fields that differ in meaning from the wanted ones. @param wanted by keyOf */
export function differingFrom(fields: readonly Field[], wanted: ReadonlyMap<string, Value>): Differing[] {
  const found: Differing[] = []
  const both = new Set<string>()
  const weights: [number, number][] = []
  for (const { name, slot, value } of fields) {
    const key = keyOf({ name, slot })
    const desired = wanted.get(key)
    if (desired === undefined || desired.state === 'unknown' || value.state === 'unknown') continue
    both.add(key)
    if (name === WEIGHT && typeof desired.value === 'number' && typeof value.value === 'number')
      weights.push([desired.value, value.value])
    if (isOther(desired, value)) found.push({ key, field: name, slot, desired, running: value })
  }
  if (found.length === 0) return found
  const differs = new Set(found.map(({ key }) => key))
  const isSameShare = areProportional(weights)
  return found.filter(({ field, slot, desired, running }) => {
    const source = FOLLOWS[field]
    if (source !== undefined && both.has(keyOf({ name: source, slot }))) return false
    const effect = CAUSES[field]
    if (effect !== undefined && differs.has(keyOf({ name: effect, slot }))) return false
    return !(isSameShare && field === WEIGHT && isNumber(desired) && isNumber(running))
  })
}

export function isOther(a: Value, b: Value): boolean {
  if (a.state === 'unknown' || b.state === 'unknown') return false
  return JSON.stringify(a.value) !== JSON.stringify(b.value)
}

const isNumber = (value: Value): boolean => typeof knownOf(value) === 'number'

/** A single weight says nothing of shares. */
function areProportional(pairs: readonly (readonly [number, number])[]): boolean {
  if (pairs.length < 2) return false
  const [a, b] = [0, 1].map((side) => pairs.reduce((sum, pair) => sum + pair[side]!, 0)) as [number, number]
  return pairs.every(([left, right]) => Math.abs(left * b - right * a) <= 1e-9 * a * b)
}
