/**
 * The switch as a whole in config_db.json: hardware, PFC watchdog; and pg_profile_lookup.ini.
 * Sources: sonic-yang-models (sonic-device_metadata, sonic-pfcwd); sonic-buildimage (pg_profile_lookup.ini).
 */
import { floodsLossless, watchdogRuleOf } from '../../dialects/sonic/device.ts'
import {
  knownOf,
  type ClassConfig,
  type DeviceConfig,
  plainText,
  type PortConfig,
  type SwitchSettings,
  type Value,
} from '../../../../core/device-model/index.ts'
import { whole, written } from '../known.ts'
import type { Tables } from './tables.ts'

const PS_PER_MS = 1e9
/**
 * Platforms that stand beside the name of the hardware where that does not tell which watchdog there is, or that the
 * switch floods.
 */
const PLATFORMS = ['', 'x86_64-kvm_x86_64-r0', 'x86_64-barefoot_p4-r0', 'x86_64-cisco-r0', 'x86_64-nvidia-r0']
const METADATA = 'DEVICE_METADATA'

export function writeDevice(tables: Tables, hostname: string, settings: SwitchSettings): void {
  const hwsku = knownOf(settings.platform)
  const kind = knownOf(settings.watchdog.kind)
  const floods = knownOf(settings.floodsLossless)
  const platform = PLATFORMS.find((each) => {
    const text = `${each} ${hwsku ?? ''}`
    const isOfKind = kind === undefined || kind === 'off' || watchdogRuleOf(text) === kind
    return isOfKind && (floods !== true || floodsLossless(text))
  })
  const isDynamic = written(settings.isHeadroomDynamic, false)
  tables.put(METADATA, 'localhost', {
    hostname,
    hwsku,
    platform: platform === '' ? undefined : platform,
    buffer_model: isDynamic === undefined ? undefined : isDynamic ? 'dynamic' : 'traditional',
  })
}

const TIMES = [
  ['detection_time', 'detectionPs'],
  ['restoration_time', 'restorationPs'],
] as const

/** Watched classes by port; ports that are not here have no watchdog. */
export function writeWatchdog(
  tables: Tables,
  { watchdog }: SwitchSettings,
  ports: readonly PortConfig[],
): ReadonlyMap<string, readonly number[]> {
  const watched = new Map<string, readonly number[]>()
  for (const { name, settings } of ports) {
    const classes = settings.classes.flatMap((own, index) => (knownOf(own.isWatched) === true ? [index] : []))
    const hasOwn = Object.keys(settings.other).some((field) => field.startsWith('PFC_WD.'))
    if (classes.length > 0 || hasOwn) watched.set(name, classes)
  }
  const kind = knownOf(watchdog.kind)
  const isDescribed = [watchdog.action, watchdog.detectionPs, watchdog.restorationPs].some(
    ({ state }) => state !== 'unknown',
  )
  if (watched.size === 0 && ((kind !== undefined && kind !== 'off') || isDescribed))
    for (const { name } of ports) watched.set(name, [])
  const poll = knownOf(watchdog.pollPs)
  const global = {
    POLL_INTERVAL: poll === undefined ? undefined : whole(poll / PS_PER_MS),
    BIG_RED_SWITCH: kind === 'off' && watched.size > 0 ? 'enable' : undefined,
  }
  if (Object.values(global).some((text) => text !== undefined)) tables.put('PFC_WD', 'GLOBAL', global)
  for (const { name, settings } of ports)
    if (watched.has(name)) tables.put('PFC_WD', name, fieldsOf(watchdog, settings.other))
  return watched
}

/** Action and times of a port: its own, or those of the switch. "never" is written by leaving the time out. */
function fieldsOf(
  watchdog: SwitchSettings['watchdog'],
  other: Readonly<Record<string, Value>>,
): Record<string, string | undefined> {
  const own = (field: string): string | undefined => {
    const value = other[`PFC_WD.${field}`]
    const known = knownOf(value)
    return known === undefined ? undefined : plainText(known)
  }
  const fields: Record<string, string | undefined> = { action: own('action') ?? knownOf(watchdog.action) }
  for (const [field, name] of TIMES) {
    const time = knownOf(watchdog[name])
    const text = own(field) ?? (typeof time === 'number' ? whole(time / PS_PER_MS) : undefined)
    fields[field] = text === 'never' ? undefined : text
  }
  return fields
}

const HEADER = '# speed cable size xon xoff threshold xon_offset'

/** A row for each speed and length that headroom is known for, with the sizes of a port that has both, else of any. */
export function headroomTableOf({ settings, ports }: DeviceConfig): string | undefined {
  const table = 'headroomTable' in settings ? knownOf(settings.headroomTable) : undefined
  if (table === undefined) return undefined
  const rows = table.map(({ rateBps, cableM }) => {
    const own = ports.filter(
      (port) => knownOf(port.settings.rateBps) === rateBps && knownOf(port.settings.cableM) === cableM,
    )
    const lossless = [...own, ...ports].flatMap(({ settings: { classes } }) => classes.filter(isLossless))[0]
    return `${whole(rateBps / 1e6)} ${cableM}m ${sizesOf(lossless)}`
  })
  return `${[HEADER, ...rows].join('\n')}\n`
}

const isLossless = (own: ClassConfig): boolean => typeof knownOf(own.headroomBytes) === 'number'

function sizesOf(own: ClassConfig | undefined): string {
  const bytes = (value: Value<number | string> | undefined): string => {
    const size = value && knownOf(value)
    return typeof size === 'number' ? whole(size) : '0'
  }
  const exponent = Math.log2((own && knownOf(own.alpha)) ?? 1)
  return [
    bytes(own?.reserveBytes),
    bytes(own?.xonBytes),
    bytes(own?.headroomBytes),
    whole(exponent),
    bytes(own?.xonOffsetBytes),
  ].join(' ')
}
