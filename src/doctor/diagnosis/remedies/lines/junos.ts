/**
 * Junos: "set" and "delete" in configuration mode; "commit" puts them in force. Classes, classifiers and profiles are those
 * that the port has.
 * Source: Juniper, Traffic Management User Guide (QFX Series); CLI reference of [edit class-of-service].
 */
import { DSCPS, knownOf, type PortConfig } from '../../../../core/device-model/index.ts'
import type { Change } from '../change.ts'
import { valueAt } from '../spot.ts'
import { DSCP_FIELDS, lines, NOTHING, plain, type Row, safe, type Said, type Speech, type Target } from './target.ts'

const COS = 'class-of-service'
/** Ethernet header, which Junos counts as part of the MTU. */
const HEADER_BYTES = 14
const PERCENT = 100
const OWN_PROFILE = 'rocelab-ecn'
/** Share of the ingress buffer, as the system has it by default on most QFX. */
const HEADROOM_PERCENT = 30

const bits = (value: number): string => value.toString(2).padStart(6, '0')
const priorityBits = (c: number): string => c.toString(2).padStart(3, '0')

/** DSCPs that come in a class by the classifier of the port. */
const dscpsIn = (target: Target, c: number): number[] => DSCPS.filter((d) => target.at(`dscpToClass.${d}`) === c)

/** A port with a profile for the classes, and for the cable where that matters. */
function withProfile(target: Target): PortConfig | undefined {
  if (target.wants('pfcClasses') === undefined) return undefined
  const [wanted, cableM] = [target.list('pfcClasses').join(), target.wants('cableM')]
  return target.device.config.ports.find(
    (port) =>
      port.names?.['pfc profile'] !== undefined &&
      (valueAt(port, 'pfcClasses') as number[] | undefined)?.join() === wanted &&
      (cableM === undefined || valueAt(port, 'cableM') === cableM),
  )
}

function pfc(target: Target): Said | null {
  const wanted = target.list('pfcClasses')
  const name = target.named('pfc profile')
  const now = (target.now('pfcWritten') ?? []) as readonly number[]
  const donor = withProfile(target)
  if (donor !== undefined)
    return {
      ...lines(
        `set ${COS} interfaces ${target.name} congestion-notification-profile ${safe(donor.names!['pfc profile']!)}`,
      ),
      also: target.asAt(donor, [
        'cableM',
        ...wanted.flatMap((c) => ['pausedQueue', 'isWatched', 'hasHeadroom'].map((field) => `classes.${c}.${field}`)),
      ]),
    }
  const missing = wanted.filter((c) => !now.includes(c))
  const gone = now.filter((c) => !wanted.includes(c))
  const isKnown = [...missing, ...gone].every((c) => dscpsIn(target, c).length > 0 && target.named(`class ${c}`) !== '')
  if (name === '' || !isKnown) return null
  const points = (verb: string, c: number): string[] =>
    dscpsIn(target, c).map(
      (d) =>
        `${verb} ${COS} congestion-notification-profile ${name} input dscp code-point ${bits(d)}${verb === 'set' ? ' pfc' : ''}`,
    )
  return {
    ...lines(
      ...missing.flatMap((c) => [
        `set ${COS} forwarding-classes class ${target.named(`class ${c}`)} no-loss pfc-priority ${c}`,
        ...points('set', c),
      ]),
      ...gone.flatMap((c) => points('delete', c)),
    ),
    also: target.alike(target.sharing('pfc profile'), ['pfcClasses', 'pfcWritten', 'pfcMode']),
  }
}

function dscp(target: Target, d: number): Said | null {
  const field = `dscpToClass.${d}`
  const classifier =
    target.named('dscp classifier') || (target.donor('dscp classifier')?.names?.['dscp classifier'] ?? '')
  const to = target.named(`class ${target.text(field)}`)
  if (classifier === '' || to === '') return null
  const was = target.now(field)
  const isWritten = target.port!.settings.dscpToClass[d]!.state === 'set'
  const from = was === undefined || !isWritten ? '' : target.named(`class ${was as number}`)
  const at = `${COS} classifiers dscp ${safe(classifier)} forwarding-class`
  const holders = target.device.config.ports.filter(({ names }) => names?.['dscp classifier'] === classifier)
  return {
    ...lines(
      ...(from === '' ? [] : [`delete ${at} ${from} loss-priority low code-points ${bits(d)}`]),
      `set ${at} ${to} loss-priority low code-points ${bits(d)}`,
    ),
    also: target.alike(holders, [field]),
  }
}

const MARKING = ['marks', 'kminRatio', 'kmaxRatio', 'pmaxRatio']

function marking(target: Target, slot: number): Said | null {
  const fields = MARKING.map((field) => `classes.${slot}.${field}`)
  const [own, donor] = [target.named(`scheduler ${slot}`), target.donor(`drop profile ${slot}`)]
  if (own === '') return null
  const profile = target.named(`drop profile ${slot}`) || safe(donor?.names?.[`drop profile ${slot}`] ?? OWN_PROFILE)
  const at = `${COS} schedulers ${own}`
  const known = fields.map((field) => target.at(field) ?? (donor && valueAt(donor, field)))
  const [, kmin = 0.25, kmax = 0.75, pmax = 1] = known as (number | undefined)[]
  const percent = (ratio: number): number => Math.round(ratio * PERCENT)
  const { device } = target.device.config
  const also = target
    .sharing(`scheduler ${slot}`)
    .flatMap(({ name: port }): Change[] =>
      [true, kmin, kmax, pmax].map((value, i) => ({ device, port, field: fields[i]!, value })),
    )
  return {
    ...lines(
      ...(profile === OWN_PROFILE
        ? [
            `set ${COS} drop-profiles ${profile} interpolate fill-level [ ${percent(kmin)} ${percent(kmax)} ]`,
            `set ${COS} drop-profiles ${profile} interpolate drop-probability [ 0 ${percent(pmax)} ]`,
          ]
        : []),
      ...(target.named(`drop profile ${slot}`) === ''
        ? [`set ${at} drop-profile-map loss-priority any protocol any drop-profile ${profile}`]
        : []),
      `set ${at} explicit-congestion-notification`,
    ),
    also,
  }
}

/** A statement of the profile for PFC. */
const inProfile =
  (fields: (slot: number) => readonly string[], words: (target: Target, slot: number) => string) =>
  (target: Target, slot: number): Said | null => {
    const name = target.named('pfc profile')
    if (name === '') return null
    return {
      ...lines(`set ${COS} congestion-notification-profile ${name} ${words(target, slot)}`),
      also: target.alike(target.sharing('pfc profile'), fields(slot)),
    }
  }

const writtenLength = inProfile(
  () => ['cableM'],
  (target) => `input cable-length ${target.text('cableM')}`,
)

export const JUNOS: Speech = {
  print: plain,
  rows: [
    {
      fields: ['trust', 'classifies'],
      say: (target) => {
        if (target.named('dscp classifier') !== '') return NOTHING
        const donor = target.donor('dscp classifier')
        if (donor === undefined) return null
        const name = safe(donor.names!['dscp classifier']!)
        return {
          ...lines(`set ${COS} interfaces ${target.name} unit 0 classifiers dscp ${name}`),
          also: target.asAt(donor, DSCP_FIELDS),
        }
      },
    },
    { fields: ['dscpToClass.*'], say: dscp },
    { fields: ['pfcClasses', 'pfcWritten', 'pfcMode'], say: pfc },
    {
      fields: ['classes.*.pausedQueue'],
      say: inProfile(
        (c) => [`classes.${c}.pausedQueue`],
        (target, c) =>
          `output ieee-802.1 code-point ${priorityBits(c)} flow-control-queue ${target.text(`classes.${c}.pausedQueue`)}`,
      ),
    },
    {
      fields: ['classes.*.isWatched'],
      say: inProfile(
        (c) => [`classes.${c}.isWatched`],
        () => 'pfc-watchdog',
      ),
    },
    {
      fields: ['cableM'],
      say: (target, slot) => (withProfile(target) === undefined ? writtenLength(target, slot) : NOTHING),
    },
    { fields: ['device.watchdog.kind'], say: () => NOTHING },
    {
      fields: ['classes.*.hasHeadroom', 'classes.*.headroomBytes'],
      say: (target, c) => ({
        ...lines(`set ${COS} shared-buffer ingress buffer-partition lossless-headroom percent ${HEADROOM_PERCENT}`),
        also: target.alike(
          target.device.config.ports.filter((port) => knownOf(port.settings.pfcClasses)?.includes(c) === true),
          [`classes.${c}.hasHeadroom`],
        ),
      }),
    },
    {
      fields: ['marks', 'kminBytes', 'kmaxBytes', 'kminRatio', 'kmaxRatio', 'pmaxRatio'].map(
        (field) => `classes.*.${field}`,
      ),
      say: marking,
    },
    {
      fields: ['classes.*.queue'],
      say: (target, c) => {
        const name = target.named(`class ${c}`)
        if (name === '') return null
        return {
          ...lines(`set ${COS} forwarding-classes class ${name} queue-num ${target.text(`classes.${c}.queue`)}`),
          also: target.alike(target.device.config.ports, [`classes.${c}.queue`]),
        }
      },
    },
    {
      fields: ['takesGlobalPause', 'sendsGlobalPause'],
      say: (target) => {
        const isOff = target.at('takesGlobalPause') !== true && target.at('sendsGlobalPause') !== true
        const at = `interfaces ${target.name} ether-options`
        return isOff
          ? lines(`delete ${at} flow-control`, `delete ${at} configured-flow-control`, `set ${at} no-flow-control`)
          : null
      },
    },
    {
      fields: ['device.balance'],
      say: (target) => {
        const at = 'forwarding-options enhanced-hash-key ecmp-dlb'
        return target.wants('balance') === 'ecmp'
          ? lines(`delete ${at} per-packet`, `delete ${at} flowlet`, `set ${at} assigned-flow`)
          : null
      },
    },
    {
      fields: ['mtuBytes'],
      say: (target) => lines(`set interfaces ${target.name} mtu ${(target.at('mtuBytes') as number) + HEADER_BYTES}`),
    },
  ] satisfies readonly Row[],
}
