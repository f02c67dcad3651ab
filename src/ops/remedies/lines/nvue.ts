/**
 * NVUE: "nv set" and "nv unset", for profiles under the names that they have; "nv config apply" puts them in force.
 * Source: NVIDIA Cumulus Linux User Guide, "Quality of Service", "RDMA over Converged Ethernet".
 */
import type { PortConfig } from '../../model/index.ts'
import { lines, type Target, type Row, type Said, type Speech } from './target.ts'

/** Profile of a port that applies none. */
const GLOBAL = 'default-global'
const PERCENT = 100

/** The profile of a port, and the ports that follow it. */
function profile(target: Target, kind: string): { readonly name: string; readonly ports: readonly PortConfig[] } {
  const name = target.named(kind) || GLOBAL
  return { name, ports: target.device.config.ports.filter(({ names }) => (names?.[kind] ?? GLOBAL) === name) }
}

/** Statements of the profile of a kind. */
const inProfile =
  (
    kind: string,
    fields: (slot: number) => readonly string[],
    words: (target: Target, slot: number) => readonly string[],
  ) =>
  (target: Target, slot: number): Said => {
    const { name, ports } = profile(target, kind)
    return {
      ...lines(...words(target, slot).map((each) => each.replace('PROFILE', () => `qos ${kind} ${name}`))),
      also: target.alike(ports, fields(slot)),
    }
  }

const PFC_FIELDS = ['pfcClasses', 'pfcWritten', 'pfcMode']
const MARKING = ['marks', 'kminBytes', 'kmaxBytes', 'pmaxRatio']

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
  print: (paths) => [...new Set(paths.map((path) => path.join(' ')))],
  rows: [
    {
      fields: ['trust', 'classifies'],
      say: inProfile(
        'mapping',
        () => ['trust', 'classifies'],
        () => ['nv set PROFILE trust l3'],
      ),
    },
    {
      fields: ['dscpToClass.*'],
      say: inProfile(
        'mapping',
        (d) => [`dscpToClass.${d}`],
        (target, d) => [`nv set PROFILE dscp ${d} switch-priority ${target.text(`dscpToClass.${d}`)}`],
      ),
    },
    {
      fields: PFC_FIELDS,
      say: inProfile(
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
      ),
    },
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
