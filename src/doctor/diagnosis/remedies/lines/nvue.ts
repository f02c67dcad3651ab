/**
 * NVUE: "nv set" and "nv unset", for profiles under the names that they have; "nv config apply" puts them in force.
 * Source: NVIDIA Cumulus Linux User Guide, "Quality of Service", "RDMA over Converged Ethernet".
 */
import { DSCPS, knownOf, type PortConfig } from '../../../../core/device-model/index.ts'
import type { Change } from '../change.ts'
import { valueAt } from '../spot.ts'

import {
  DSCP_FIELDS,
  lines,
  NOTHING,
  PFC_FIELDS,
  plain,
  type Row,
  safe,
  type Said,
  type Speech,
  Target,
} from './target.ts'

/** Profile of a port that applies none. */
const GLOBAL = 'default-global'
const PERCENT = 100

interface Profile {
  readonly name: string
  readonly ports: readonly PortConfig[]
}

/** The profile of a port, and the ports that follow it; null: it applies one that is nowhere, which has to be defined first. */
function profile(target: Target, kind: string): Profile | null {
  const isLost = target.device.references.some(({ problem, what }) => problem === 'undefined' && what === `qos ${kind}`)
  const own = target.named(kind)
  if (own === '' && isLost) return null
  const name = own || GLOBAL
  return { name, ports: target.device.config.ports.filter(({ names }) => (names?.[kind] ?? GLOBAL) === name) }
}

/** Statements of the profile of a kind. @param unsaid what its ports have then where nothing else is said */
const inProfile =
  (
    kind: string,
    fields: (slot: number) => readonly string[],
    words: (target: Target, slot: number) => readonly string[],
    unsaid: (target: Target, ports: readonly PortConfig[]) => Change[] = () => [],
  ) =>
  (target: Target, slot: number): Said | null => {
    const own = profile(target, kind)
    if (own === null) return null
    const { name, ports } = own
    return {
      ...lines(...words(target, slot).map((each) => each.replace('PROFILE', () => `qos ${kind} ${name}`))),
      also: target.alike(ports, fields(slot)),
      unsaid: unsaid(target, ports),
    }
  }

const MAPPING_FIELDS = ['trust', 'classifies', ...DSCP_FIELDS]

/** A port with a mapping that trusts DSCPs, where this one is to have such a mapping. */
const trusting = (target: Target): PortConfig | undefined =>
  target.wants('trust') === undefined
    ? undefined
    : target.donor('mapping', ({ settings }) => knownOf(settings.trust) === 'dscp')

/** A mapping that begins to read DSCPs takes their first three bits. */
const trustL3 = inProfile(
  'mapping',
  () => ['trust', 'classifies'],
  () => ['nv set PROFILE trust l3'],
  ({ device }, ports) =>
    ports.flatMap(({ name: port, settings }) =>
      DSCPS.filter((d) => settings.dscpToClass[d]!.state === 'unknown').map((d): Change => ({
        device: device.config.device,
        port,
        field: `dscpToClass.${d}`,
        value: d >> 3,
      })),
    ),
)

/** The mapping that most ports have; where none trusts DSCPs, the port's own. */
function trust(target: Target, slot: number): Said | null {
  const donor = trusting(target)
  if (donor === undefined) return trustL3(target, slot)
  return {
    ...lines(`nv set interface ${target.name} qos mapping profile ${safe(donor.names!['mapping']!)}`),
    also: target.asAt(donor, MAPPING_FIELDS),
  }
}

function dscp(target: Target, d: number): Said | null {
  const field = `dscpToClass.${d}`
  const donor = trusting(target)
  if (donor !== undefined && valueAt(donor, field) === target.at(field)) return NOTHING
  const own = donor === undefined ? target : new Target(target.device, donor, new Map([[field, target.at(field)!]]))
  return inProfile(
    'mapping',
    () => [field],
    () => [`nv set PROFILE dscp ${d} switch-priority ${target.text(field)}`],
  )(own, d)
}

const MARKING = ['marks', 'kminBytes', 'kmaxBytes', 'pmaxRatio']

const pfc = inProfile(
  'pfc',
  () => PFC_FIELDS,
  (target) => {
    const [now, wanted] = [(target.now('pfcWritten') ?? []) as readonly number[], target.list('pfcClasses')]
    if (wanted.length === 0) return ['nv set PROFILE tx disable', 'nv set PROFILE rx disable']
    const isOff = (target.now('pfcClasses') as readonly number[] | undefined)?.length === 0
    return [
      ...now.filter((c) => !wanted.includes(c)).map((c) => `nv unset PROFILE switch-priority ${c}`),
      `nv set PROFILE switch-priority ${wanted.join()}`,
      ...(isOff && now.length > 0 ? ['nv set PROFILE tx enable', 'nv set PROFILE rx enable'] : []),
    ]
  },
  (target, ports) => target.unwatched(ports, target.list('pfcClasses')),
)

function marking(target: Target, slot: number): string[] {
  const of = (field: string): string => target.text(`classes.${slot}.${field}`)
  const pmax = target.at(`classes.${slot}.pmaxRatio`) as number | undefined
  const words: readonly (readonly [string, string])[] = [
    ['ecn', 'enable'],
    ['min-threshold', of('kminBytes')],
    ['max-threshold', of('kmaxBytes')],
    ['probability', pmax === undefined ? '' : String(Math.round(pmax * PERCENT))],
  ]
  return words
    .filter(([, value]) => value !== '')
    .map(([word, value]) => `nv set PROFILE traffic-class ${of('queue') || slot} ${word} ${value}`)
}

const PAUSES = { takesGlobalPause: 'rx', sendsGlobalPause: 'tx' } as const

export const NVUE: Speech = {
  print: plain,
  rows: [
    { fields: ['trust', 'classifies'], say: trust },
    { fields: ['dscpToClass.*'], say: dscp },
    { fields: PFC_FIELDS, say: pfc },
    {
      fields: ['isPfcAsymmetric'],
      say: inProfile(
        'pfc',
        () => ['isPfcAsymmetric'],
        () => ['nv set PROFILE tx enable', 'nv set PROFILE rx enable'],
      ),
    },
    {
      fields: ['cableM'],
      say: inProfile(
        'pfc',
        () => ['cableM'],
        (target) => [`nv set PROFILE cable-length ${target.text('cableM')}`],
      ),
    },
    {
      fields: MARKING.map((field) => `classes.*.${field}`),
      say: inProfile('congestion-control', (c) => MARKING.map((field) => `classes.${c}.${field}`), marking),
    },
    {
      fields: ['classes.*.queue', 'classes.*.pausedQueue'],
      say: (target, c) => ({
        ...lines(
          `nv set qos egress-queue-mapping ${GLOBAL} switch-priority ${c} traffic-class ${target.text(`classes.${c}.queue`)}`,
        ),
        also: target.alike(target.device.config.ports, [`classes.${c}.queue`, `classes.${c}.pausedQueue`]),
      }),
    },
    {
      fields: ['classes.*.isWatched'],
      say: (target) => lines(`nv set interface ${target.name} qos pfc-watchdog state enable`),
    },
    { fields: ['device.watchdog.kind'], say: () => lines() },
    {
      fields: Object.keys(PAUSES),
      say: (target) => {
        const isOff = Object.keys(PAUSES).every((field) => target.at(field) !== true)
        return isOff ? lines(`nv unset interface ${target.name} qos link-pause`) : null
      },
    },
    {
      fields: ['mtuBytes'],
      say: (target) => lines(`nv set interface ${target.name} link mtu ${target.text('mtuBytes')}`),
    },
    {
      fields: ['device.balance'],
      say: (target) => (target.wants('balance') === 'ecmp' ? lines('nv set router adaptive-routing enable off') : null),
    },
  ] satisfies readonly Row[],
}
