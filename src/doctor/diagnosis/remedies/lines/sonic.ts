/**
 * SONiC: rows of CONFIG_DB, under the names that config_db.json has for them. "config save" keeps them over a restart.
 * Source: sonic-yang-models; sonic-py-swsssdk (sonic-db-cli).
 */
import {
  CLASSES,
  knownOf,
  type Plain,
  plainText,
  type PortConfig,
  PS_PER_MS,
  type Value,
} from '../../../../core/device-model/index.ts'
import { switchSettingsOf } from '../../rules/look.ts'
import type { Change } from '../change.ts'
import { valueAt } from '../spot.ts'
import {
  DSCP_FIELDS,
  NOTHING,
  type Path,
  plain,
  type Row,
  safe,
  type Said,
  type Speech,
  type Target,
  UnsafeName,
} from './target.ts'

/** A row of a table: of a name, or of ports in a list and perhaps numbers in a range behind a bar. */
function keyOf(table: string, key: string): string {
  if (!/^(?!-)[\w.:/@,-]+(?:\|\d+(?:-\d+)?)?$/.test(key)) throw new UnsafeName(key)
  return `'${table}|${key}'`
}

const row = (table: string, key: string, ...fields: readonly (readonly [field: string, value: string])[]): Path => [
  `sonic-db-cli CONFIG_DB hset ${keyOf(table, key)} ${fields.map(([field, value]) => `${field} '${value}'`).join(' ')}`,
]

const text = (value: Plain | undefined): string => (value === undefined ? '' : plainText(value))

const TO_CLASSES = ['group', 'queue', 'pausedQueue'] as const
const MAP_OF = { group: 'tc_to_pg_map', queue: 'tc_to_queue_map', pausedQueue: 'pfc_to_queue_map' } as const
const TABLE_OF = {
  group: 'TC_TO_PRIORITY_GROUP_MAP',
  queue: 'TC_TO_QUEUE_MAP',
  pausedQueue: 'MAP_PFC_PRIORITY_TO_QUEUE',
} as const

const slotsOf = (fields: readonly string[]): string[] => CLASSES.flatMap((c) => fields.map((f) => `classes.${c}.${f}`))

/** The maps that another port has, bound to a port that has none. */
function bound(target: Target, donorPurpose: string): Said | null {
  const donor = target.donor(donorPurpose)
  if (donor === undefined) return null
  const isMissing = (map: string): boolean => donor.names?.[map] !== undefined && target.named(map) === ''
  const missing = ['dscp_to_tc_map', ...Object.values(MAP_OF)].filter(isMissing)
  const fields = [
    ...(isMissing('dscp_to_tc_map') ? [...DSCP_FIELDS, 'classifies', 'trust'] : []),
    ...slotsOf(TO_CLASSES.filter((field) => isMissing(MAP_OF[field]))),
  ]
  return {
    paths: [
      row(
        'PORT_QOS_MAP',
        target.raw('maps entry') || target.name,
        ...missing.map((field) => [field, safe(donor.names![field]!)] as const),
      ),
    ],
    also: target.asAt(donor, fields),
  }
}

const PROFILE_FIELDS = ['headroomBytes', 'xonBytes', 'xonOffsetBytes', 'alpha', 'staticBytes', 'reserveBytes'] as const

/** A field of the buffer profile of a class, at all classes of all ports that have it. */
const ofProfile =
  (field: string, write: (target: Target, slot: number) => readonly [field: string, value: string] | null) =>
  (target: Target, slot: number): Said | null => {
    const profile = profileOf(target, slot)
    const pair = write(target, slot)
    if (profile === undefined || profile === 'NULL' || pair === null) return null
    const value = target.wants(`classes.${slot}.${field}`)!
    return {
      paths: [row('BUFFER_PROFILE', safe(profile), pair)],
      also: target.device.config.ports.flatMap(({ name, settings }) =>
        CLASSES.filter((c) => knownOf(settings.classes[c]!.profileName) === profile).map((c): Change => ({
          device: target.device.config.device,
          port: name,
          field: `classes.${c}.${field}`,
          value,
        })),
      ),
    }
  }

const profileOf = ({ port }: Target, slot: number): string | undefined =>
  knownOf(port?.settings.classes[slot]!.profileName)

/** A class of a port with a buffer profile that has headroom, or has none. */
interface Donor {
  readonly port: PortConfig
  readonly slot: number
  readonly profile: string
}

/** Those of the switch, such as have the speed and the cable of the port first. */
function donors({ port, device }: Target, slot: number, hasHeadroom: Plain): { near: Donor[]; far: Donor[] } {
  const isSame = (a: Value<number>, b: Value<number>): boolean => knownOf(a) === knownOf(b)
  const [near, far]: Donor[][] = [[], []]
  for (const other of device.config.ports)
    for (const c of [slot, ...CLASSES]) {
      const profile = knownOf(other.settings.classes[c]!.profileName)
      if (profile === undefined || valueAt(other, `classes.${c}.hasHeadroom`) !== hasHeadroom) continue
      if (other === port && c === slot) continue
      const { rateBps, cableM } = other.settings
      const isNear = isSame(rateBps, port!.settings.rateBps) && isSame(cableM, port!.settings.cableM)
      ;(isNear || hasHeadroom === false ? near! : far!).push({ port: other, slot: c, profile })
    }
  return { near: near!, far: far! }
}

/** Fields of a class. */
type Values = Readonly<Record<string, Plain | undefined>>

/** Headroom of a class: by the profile of a port with the same cable, else by one of its own that has the bytes. */
function headroom(target: Target, slot: number): Said | null {
  const { port, device } = target
  const path = `classes.${slot}`
  const isWanted = target.wants(`${path}.hasHeadroom`)
  if (port === undefined || isWanted === undefined) return null
  const group = text(target.at(`${path}.group`) ?? slot)
  const own = target.raw(`group entry ${slot}`)
  const [, range = group] = /\|([^|]*)$/.exec(own) ?? []
  // An entry of several groups is changed for all of them.
  if (range !== group) return null
  const entry = own === '' ? `${target.name}|${group}` : own
  const { near, far } = donors(target, slot, isWanted)
  const [like] = near
  const changes = (values: Values): Change[] =>
    Object.entries(values).flatMap(([field, value]) =>
      value === undefined ? [] : [{ device: device.config.device, port: port.name, field: `${path}.${field}`, value }],
    )
  const valuesOf = ({ port: other, slot: c, profile }: Donor): Values => ({
    ...Object.fromEntries(PROFILE_FIELDS.map((field) => [field, valueAt(other, `classes.${c}.${field}`)])),
    profileName: profile,
  })
  if (like !== undefined)
    return { paths: [row('BUFFER_PG', entry, ['profile', safe(like.profile)])], also: changes(valuesOf(like)) }
  if (isWanted === false) return { paths: [[`sonic-db-cli CONFIG_DB del ${keyOf('BUFFER_PG', entry)}`]] }
  const [other] = far
  const xoff = target.at(`${path}.headroomBytes`)
  const pool = other?.port.names?.[`group pool ${other.slot}`]
  const { rateBps, cableM } = port.settings
  if (other === undefined || pool === undefined || typeof xoff !== 'number') return null
  const values: Values = { ...valuesOf(other), headroomBytes: xoff }
  const name = `rocelab_${(knownOf(rateBps) ?? 0) / 1e6}_${knownOf(cableM) ?? 0}m`
  const exponent = typeof values['alpha'] === 'number' ? Math.log2(values['alpha']) : undefined
  const fields: readonly (readonly [string, Plain | undefined])[] = [
    ['pool', safe(pool)],
    ['size', values['reserveBytes']],
    ['xon', values['xonBytes']],
    ['xon_offset', values['xonOffsetBytes']],
    ['xoff', xoff],
    ['dynamic_th', exponent],
    ['static_th', exponent === undefined ? values['staticBytes'] : undefined],
  ]
  const pairs = fields.flatMap(([field, value]) => (value === undefined ? [] : [[field, text(value)] as const]))
  return {
    paths: [row('BUFFER_PROFILE', name, ...pairs), row('BUFFER_PG', entry, ['profile', name])],
    also: changes({ ...values, profileName: name }),
  }
}

const MARKING = ['marks', 'kminBytes', 'kmaxBytes', 'pmaxRatio']
/** Profile of this project, where a switch has none yet. */
const OWN_PROFILE = 'rocelab_ecn'
const USUAL_PERCENT = 5

function marking(target: Target, slot: number): Said | null {
  const path = `classes.${slot}`
  const fields = MARKING.map((field) => `${path}.${field}`)
  const queue = target.at(`${path}.queue`) ?? slot
  const entry = target.raw(`queue entry ${slot}`) || `${target.name}|${text(queue)}`
  const own = target.named(`wred ${slot}`)
  const donor = own === '' ? target.donor(`wred ${slot}`) : undefined
  if (donor !== undefined)
    return {
      paths: [row('QUEUE', entry, ['wred_profile', safe(donor.names![`wred ${slot}`]!)])],
      also: fields.flatMap((field): Change[] => {
        const value = valueAt(donor, field)
        return value === undefined
          ? []
          : [{ device: target.device.config.device, port: target.port!.name, field, value }]
      }),
    }
  const [kmin, kmax, pmax] = fields.slice(1).map((field) => target.at(field) as number | undefined)
  if (kmin === undefined || kmax === undefined) return null
  const profile = own || OWN_PROFILE
  const isOn = target.wants(`${path}.marks`) === true || own === ''
  const pairs = [
    ...(isOn
      ? ([
          ['ecn', 'ecn_all'],
          ['wred_green_enable', 'true'],
        ] as const)
      : []),
    ['green_min_threshold', text(kmin)],
    ['green_max_threshold', text(kmax)],
    ...(own === '' || target.wants(`${path}.pmaxRatio`) !== undefined
      ? ([['green_drop_probability', text(pmax === undefined ? USUAL_PERCENT : Math.round(100 * pmax))]] as const)
      : []),
  ] as const
  const bind = own === '' ? [row('QUEUE', entry, ['wred_profile', profile])] : []
  return {
    paths: [row('WRED_PROFILE', profile, ...pairs), ...bind],
    also: own === '' ? [] : target.alike(target.sharing(`wred ${slot}`), fields),
  }
}

/** The egress queue takes what its group lets in. */
function egress(target: Target, slot: number): Said | null {
  const [profile, pool] = [target.named(`queue profile ${slot}`), target.named(`queue pool ${slot}`)]
  if (profile === '') return null
  const { pools = [] } = switchSettingsOf(target.device) ?? {}
  const bytes = knownOf(pools.find(({ poolName }) => knownOf(poolName) === pool)?.sizeBytes)
  if (pool !== '' && bytes === undefined) return null
  return {
    paths: [row('BUFFER_PROFILE', profile, pool === '' ? ['dynamic_th', '7'] : ['static_th', text(bytes)])],
    also: target.alike(target.sharing(`queue profile ${slot}`), [`classes.${slot}.dropsAtEgress`]),
  }
}

const USUAL_MS = { detectionPs: 200, restorationPs: 400 }

/** Times are those that the switch has for its other ports. */
function watched(target: Target): Said {
  const watchdog = switchSettingsOf(target.device)?.watchdog
  const timeMs = (field: keyof typeof USUAL_MS): string => {
    const time = knownOf<number | string>(watchdog?.[field])
    return text(typeof time === 'number' ? time / PS_PER_MS : USUAL_MS[field])
  }
  const classes = CLASSES.filter((c) => target.at(`classes.${c}.isWatched`) === true)
  return {
    paths: [
      row(
        'PFC_WD',
        target.raw('watchdog entry') || target.name,
        ['action', knownOf(watchdog?.action) ?? 'drop'],
        ['detection_time', timeMs('detectionPs')],
        ['restoration_time', timeMs('restorationPs')],
      ),
      row('PORT_QOS_MAP', target.raw('maps entry') || target.name, ['pfcwd_sw_enable', classes.join()]),
    ],
  }
}

/** A field of the watchdog, at all ports that have one. */
const ofWatchdog =
  (field: string, write: (target: Target) => string) =>
  (target: Target): Said => ({
    paths: target.device.config.ports.flatMap(({ names }) => {
      const entry = names?.['watchdog entry']
      return entry === undefined ? [] : [row('PFC_WD', entry, [field, write(target)])]
    }),
  })

const ofPort =
  (field: string, name: string, write: (value: Plain) => string) =>
  (target: Target): Said => ({ paths: [row('PORT', target.name, [name, write(target.at(field)!)])] })

export const SONIC: Speech = {
  print: plain,
  rows: [
    {
      fields: ['trust', 'classifies'],
      say: (target) => (target.named('dscp_to_tc_map') === '' ? bound(target, 'dscp_to_tc_map') : null),
    },
    {
      fields: ['dscpToClass.*'],
      say: (target, d) => {
        const own = target.named('dscp_to_tc_map')
        const map = own || (target.donor('dscp_to_tc_map')?.names?.['dscp_to_tc_map'] ?? '')
        if (map === '') return null
        const field = `dscpToClass.${d}`
        const holders = target.device.config.ports.filter(({ names }) => names?.['dscp_to_tc_map'] === map)
        const bind = own === '' ? bound(target, 'dscp_to_tc_map')! : NOTHING
        return {
          paths: [...bind.paths, row('DSCP_TO_TC_MAP', safe(map), [String(d), text(target.at(field))])],
          also: [...(bind.also ?? []), ...target.alike(holders, [field])],
        }
      },
    },
    ...TO_CLASSES.map((field): Row => ({
      fields: [`classes.*.${field}`],
      say: (target, c) => {
        const map = target.named(MAP_OF[field])
        if (map === '') return bound(target, MAP_OF[field])
        const own = `classes.${c}.${field}`
        return {
          paths: [row(TABLE_OF[field], map, [String(c), text(target.at(own))])],
          also: target.alike(target.sharing(MAP_OF[field]), [own]),
        }
      },
    })),
    {
      fields: ['pfcClasses', 'pfcWritten', 'pfcMode'],
      say: (target) => ({
        paths: [
          row('PORT_QOS_MAP', target.raw('maps entry') || target.name, [
            'pfc_enable',
            target.list('pfcClasses').join(),
          ]),
        ],
        also:
          target.raw('maps entry') === ''
            ? []
            : target.alike(target.sharing('maps entry'), ['pfcClasses', 'pfcWritten']),
      }),
    },
    { fields: ['classes.*.hasHeadroom', 'classes.*.headroomBytes'], say: headroom },
    {
      fields: ['classes.*.headroomBytes'],
      say: ofProfile('headroomBytes', (target, c) => ['xoff', text(target.at(`classes.${c}.headroomBytes`))]),
    },
    {
      fields: ['classes.*.xonOffsetBytes'],
      say: ofProfile('xonOffsetBytes', (target, c) => ['xon_offset', text(target.at(`classes.${c}.xonOffsetBytes`))]),
    },
    {
      fields: ['classes.*.alpha'],
      say: ofProfile('alpha', (target, c) => {
        const exponent = Math.log2(target.at(`classes.${c}.alpha`) as number)
        return Number.isInteger(exponent) ? ['dynamic_th', text(exponent)] : null
      }),
    },
    { fields: MARKING.map((field) => `classes.*.${field}`), say: marking },
    { fields: ['classes.*.dropsAtEgress'], say: egress },
    { fields: ['classes.*.isWatched'], say: watched },
    {
      fields: ['device.watchdog.kind'],
      say: ({ device }) => {
        const kind = switchSettingsOf(device)?.watchdog.kind
        return { paths: kind?.state === 'set' ? [row('PFC_WD', 'GLOBAL', ['BIG_RED_SWITCH', 'disable'])] : [] }
      },
    },
    {
      fields: ['device.watchdog.pollPs'],
      say: (target) => ({
        paths: [
          row('PFC_WD', 'GLOBAL', ['POLL_INTERVAL', text((target.wants('watchdog.pollPs') as number) / PS_PER_MS)]),
        ],
      }),
    },
    {
      fields: ['device.watchdog.action'],
      say: ofWatchdog('action', (target) => text(target.wants('watchdog.action'))),
    },
    {
      fields: ['device.watchdog.restorationPs'],
      say: ofWatchdog('restoration_time', (target) =>
        text((target.wants('watchdog.restorationPs') as number) / PS_PER_MS),
      ),
    },
    { fields: ['mtuBytes'], say: ofPort('mtuBytes', 'mtu', text) },
    {
      fields: ['isPfcAsymmetric'],
      say: ofPort('isPfcAsymmetric', 'pfc_asym', (value) => (value === true ? 'on' : 'off')),
    },
    {
      fields: ['cableM'],
      say: (target) => {
        const table = target.named('lengths') || (target.donor('lengths')?.names?.['lengths'] ?? '')
        return table === ''
          ? null
          : { paths: [row('CABLE_LENGTH', safe(table), [target.name, `${text(target.at('cableM'))}m`])] }
      },
    },
  ],
}
