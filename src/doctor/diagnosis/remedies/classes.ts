/** Remedies about PFC, classification, watchdogs and packet sizes. */
import type { End } from '../../devices/joins/index.ts'
import { knownOf, CLASS_COUNT, type Plain, PS_PER_MS } from '../../../core/device-model/index.ts'
import { dscpsInUse, dscpsOf, isLossless, losslessClassOf, nicOf } from '../rules/look.ts'
import { withHeadroom } from './buffers.ts'
import { type Change, REFERENCE } from './change.ts'
import { type Choices, type Remedy, type RemedySpot, usualPfcClasses, valueAt } from './spot.ts'

/** As the switches' own guides have it: twice the usual time of detection. */
const RESTORATION_PS = 400 * PS_PER_MS

const CLASSES = Array.from({ length: CLASS_COUNT }, (_, c) => c)

/** Changes after which a port has these lossless classes, with all that a switch needs for them. */
function lossless(spot: RemedySpot, classes: readonly number[]): Change[] {
  const { config } = spot
  if (config === undefined) return []
  const { pfcMode, pfcWritten, pfcClasses } = config.settings
  const old = knownOf(pfcClasses) ?? []
  const changes = [spot.set('pfcClasses', classes)]
  if (pfcWritten.state !== 'unknown') changes.push(spot.set('pfcWritten', classes))
  if (pfcMode.state !== 'unknown') changes.push(spot.set('pfcMode', classes.length > 0 ? 'on' : 'off'))
  if (spot.at?.config.kind === 'host') return [...changes, ...receiveBuffers(spot, old, classes)]
  // A class that becomes lossless gets what the lossless classes of the port have; what none of them has, other rules judge.
  const had = (field: 'hasHeadroom' | 'isWatched' | 'marks'): boolean =>
    old.length === 0 || old.some((c) => knownOf(config.settings.classes[c]![field]) === true)
  for (const field of ['hasHeadroom', 'isWatched', 'marks'] as const)
    for (const c of had(field) ? classes : [])
      if (knownOf(config.settings.classes[c]![field]) === false) changes.push(spot.set(`classes.${c}.${field}`, true))
  for (const c of old.filter((one) => !classes.includes(one)))
    if (knownOf(config.settings.classes[c]!.hasHeadroom) === true)
      changes.push(spot.set(`classes.${c}.hasHeadroom`, false))
  return changes
}

/** The receive buffers of a NIC: lossless classes leave those of lossy ones, for one that is as large as they need. */
function receiveBuffers(spot: RemedySpot, old: readonly number[], classes: readonly number[]): Change[] {
  const { bufferOfClass, bufferBytes } = nicOf({ config: spot.config ?? null })
  const [buffers, sizes] = [knownOf(bufferOfClass), knownOf(bufferBytes)]
  if (buffers === undefined || sizes === undefined || classes.length === 0) return []
  const lossy = CLASSES.filter((c) => !classes.includes(c))
  const isApart = classes.every((c) => lossy.every((other) => buffers[other] !== buffers[c]))
  if (isApart) return []
  const usual = spot.usual<readonly number[]>('nic.bufferBytes', () => true)
  const own = old.length > 0 ? buffers[old[0]!]! : 1
  const left = own === 0 ? 1 : 0
  return [
    spot.set(
      'nic.bufferOfClass',
      CLASSES.map((c) => (classes.includes(c) ? own : left)),
    ),
    ...(usual === undefined || old.length > 0 ? [] : [spot.set('nic.bufferBytes', usual)]),
  ]
}

const atEnd = ({ device, port }: Pick<End, 'device' | 'port'>, field: string, value: Plain): Change => ({
  device,
  port,
  field,
  value,
})

/**
 * The lossless classes that are meant at a link whose ends differ: those that most ends of the fabric have, else those of the
 * end where the DSCPs of RoCE are lossless; undefined: nothing tells.
 */
function meantClasses(spot: RemedySpot): readonly number[] | undefined {
  const [here, there] = [spot.values.here as readonly number[], spot.values.there as readonly number[]]
  const usual = usualPfcClasses(spot.fabric)
  if (usual.length === 1) return usual[0]
  const used = dscpsInUse(spot.fabric).flatMap((dscp) =>
    [spot.config, spot.peer?.config].map((config) => knownOf(config?.settings.dscpToClass[dscp])),
  )
  const isGood = (classes: readonly number[]): boolean =>
    used.length > 0 && used.every((c) => c !== undefined && classes.includes(c))
  if (isGood(here) === isGood(there)) return undefined
  return isGood(here) ? here : there
}

/** Both ends have what is meant. */
const pfc01: Remedy = (spot) => {
  const meant = meantClasses(spot)
  if (spot.peer === undefined || meant === undefined) return []
  const isMeant = (end: 'here' | 'there'): boolean => (spot.values[end] as readonly number[]).join() === meant.join()
  return [
    ...(isMeant('here') ? [] : lossless(spot, meant)),
    ...(isMeant('there') ? [] : lossless(spot.atPeer(), meant)),
  ]
}

/** Either end may be right. */
const pfc01Choices: Choices = (spot) =>
  spot.peer === undefined || meantClasses(spot) !== undefined
    ? null
    : [
        lossless(spot, spot.values.there as readonly number[]),
        lossless(spot.atPeer(), spot.values.here as readonly number[]),
      ]

const pfc08: Remedy = (spot) => {
  const written = spot.values.written as readonly number[]
  return lossless(spot, written.length > 0 ? written : (usualPfcClasses(spot.fabric)[0] ?? []))
}

/** A switch that classifies: DSCPs in use go into the class that they have at most ports. */
function classifying(spot: RemedySpot): Change[] {
  const changes = [spot.set('trust', 'dscp'), spot.set('classifies', true)]
  const [first] = knownOf(spot.config?.settings.pfcClasses) ?? []
  const dscps = dscpsInUse(spot.fabric)
  for (const dscp of dscps) {
    const usual = spot.usual<number>(`dscpToClass.${dscp}`, (c) => isLossless(spot, c)) ?? first
    if (usual !== undefined) changes.push(spot.set(`dscpToClass.${dscp}`, usual))
  }
  return changes
}

/** The DSCP that the NIC takes as lossless and that its switch does, too; the largest of those that hosts use, else any. */
function losslessDscp(spot: RemedySpot): number | undefined {
  const { peer } = spot
  const isOpen = (dscp: number): boolean => knownOf(peer?.config?.settings.dscpToClass[dscp]) === undefined
  const isGood = (dscp: number): boolean =>
    losslessClassOf(spot, dscp) !== undefined && (isOpen(dscp) || losslessClassOf(peer, dscp) !== undefined)
  return [...dscpsInUse(spot.fabric).toReversed(), ...Array.from({ length: 64 }, (_, dscp) => dscp)].find(isGood)
}

/** All sources of the traffic class say the same DSCP. */
function oneTclass(spot: RemedySpot, dscp: number): Change[] {
  const { at, config } = spot
  if (at === undefined || config === undefined) return []
  const tclass = 4 * dscp
  const { sysfsTclass, cmaTclass } = nicOf({ config })
  const changes = [spot.set('nic.sysfsTclass', tclass), spot.set('nic.cmaTclass', tclass)].filter(
    (_, i) => [sysfsTclass, cmaTclass][i]!.state !== 'unknown',
  )
  if ('job' in at.config.settings && at.config.settings.job !== undefined)
    for (const name of ['ncclIbTc', 'ncclIbFifoTc', 'ncclGinIbTc']) changes.push(spot.setDevice(`job.${name}`, tclass))
  return changes
}

/** The NIC has the DSCP of RoCE in the class of its switch, too. */
const map03: Remedy = (spot) => {
  const { dscp, there } = spot.values as { dscp: number | null; there: number | null }
  return [spot.set('trust', 'dscp'), ...(there === null ? [] : [spot.set(`dscpToClass.${dscp}`, there)])]
}

/** The NIC's map follows the switch where that has a lossless class for the DSCP; else the traffic class changes. */
const map06: Remedy = (spot) => {
  const { dscp, there } = spot.values as { dscp: number; there: number | null }
  if (there !== null) return [spot.set(`dscpToClass.${dscp}`, there)]
  const good = losslessDscp(spot)
  return good === undefined ? [] : oneTclass(spot, good)
}

const hst05: Remedy = (spot) => {
  const good = losslessDscp(spot) ?? dscpsOf({ at: spot.at ?? null, config: spot.config ?? null })[0]
  return good === undefined ? [] : oneTclass(spot, good)
}

/** A DSCP in another class; a port that reads no DSCPs begins to. */
function mapped(end: Pick<End, 'device' | 'port' | 'config'>, dscp: number, c: number): Change[] {
  const reads = !['none', 'pcp'].includes(knownOf(end.config?.settings.trust) ?? '')
  return [
    ...(reads ? [] : [atEnd(end, 'trust', 'dscp'), atEnd(end, 'classifies', true)]),
    atEnd(end, `dscpToClass.${dscp}`, c),
  ]
}

/** The end that has a lossless class for the DSCP is right. */
const map02: Remedy = (spot) => {
  const { peer } = spot
  const [dscp, here, there] = [spot.number('dscp'), spot.number('here'), spot.number('there')]
  if (peer === undefined) return []
  return isLossless(peer, there)
    ? mapped({ ...peer, device: spot.device, port: spot.port, config: spot.config ?? null }, dscp, there)
    : mapped(peer, dscp, here)
}

/** A switch has one map: it changes at all ports that have the odd class. */
const map01: Remedy = (spot) => {
  const field = `dscpToClass.${spot.number('dscp')}`
  const odd = (spot.at?.config.ports ?? []).filter((port) => valueAt(port, field) === spot.values.here)
  return odd.flatMap((config) =>
    mapped({ device: spot.device, port: config.name, config }, spot.number('dscp'), spot.number('there')),
  )
}

const mtu01: Remedy = (spot) => {
  const { peer } = spot
  const [need, there] = [spot.number('needBytes'), spot.number('thereBytes')]
  const usual = spot.usual<number | string>('mtuBytes', (mtu) => mtu === 'any' || (mtu as number) >= need) ?? need
  const here = there >= need ? there : usual
  return [spot.set('mtuBytes', here), ...(there >= need || peer === undefined ? [] : [atEnd(peer, 'mtuBytes', here)])]
}

const pfc02: Remedy = (spot) => {
  const own = spot.values.lossless as readonly number[]
  const has = spot.values.withHeadroom as readonly number[]
  return CLASSES.filter((c) => own.includes(c) !== has.includes(c)).flatMap((c) =>
    own.includes(c) ? withHeadroom(spot, c) : [spot.set(`classes.${c}.hasHeadroom`, false)],
  )
}

/** The lossy class leaves, for the group or queue of another lossy one. */
const pfc05: Remedy = (spot) => {
  const { what, index } = spot.values as { what: string; index: number }
  const own = knownOf(spot.config?.settings.pfcClasses) ?? []
  const taken = own.map((c) => knownOf(spot.config?.settings.classes[c]![what as 'group' | 'queue']))
  const free = CLASSES.find((one) => one !== index && !taken.includes(one)) ?? 0
  const shared = CLASSES.filter(
    (c) => !own.includes(c) && knownOf(spot.config?.settings.classes[c]![what as 'group' | 'queue']) === index,
  )
  return shared.flatMap((c) => [
    spot.set(`classes.${c}.${what}`, free),
    ...(what === 'queue' ? [spot.set(`classes.${c}.pausedQueue`, free)] : []),
  ])
}

/** At all ports of the switch: one that watches some of them is expected to watch all. */
const wd01: Remedy = (spot) => {
  const config = spot.at?.config
  if (config === undefined) return []
  const isOff = 'watchdog' in config.settings && knownOf(config.settings.watchdog.kind) === 'off'
  return [
    ...(isOff ? [spot.setDevice('watchdog.kind', 'generic')] : []),
    ...config.ports.flatMap(({ name, settings }) =>
      (knownOf(settings.pfcClasses) ?? [])
        .filter((c) => isOff || knownOf(settings.classes[c]!.isWatched) === false)
        .map((c) => ({ device: spot.device, port: name, field: `classes.${c}.isWatched`, value: true })),
    ),
  ]
}

/** Lossless classes leave the buffer of lossy ones, for one that holds what arrives after a pause. */
const hst02: Remedy = (spot) => {
  const { bufferOfClass, bufferBytes } = nicOf({ config: spot.config ?? null })
  const [buffers, sizes] = [knownOf(bufferOfClass), knownOf(bufferBytes)]
  const { lossless: own, needBytes } = spot.values as { lossless: readonly number[]; needBytes: number | null }
  if (buffers === undefined || sizes === undefined) return []
  const lossy = CLASSES.filter((c) => !own.includes(c))
  const old = buffers[own[0]!]!
  const free = lossy.some((c) => buffers[c] === old) ? sizes.findIndex((_, i) => !buffers.includes(i)) : old
  if (free < 0) return []
  const size = Math.max(needBytes ?? 0, sizes[free]!, sizes[old]!)
  return [
    spot.set(
      'nic.bufferOfClass',
      buffers.map((buffer, c) => (own.includes(c) ? free : buffer)),
    ),
    spot.set('nic.bufferBytes', sizes.with(free, size)),
  ]
}

/** Both directions for the lossless class. */
const ecn06: Remedy = (spot) => {
  const c = spot.number('priority')
  return (['np', 'rp'] as const).flatMap((side) => {
    const own = knownOf(nicOf({ config: spot.config ?? null })[`${side}Classes`])
    return spot.values[side] !== false || own === undefined
      ? []
      : [
          spot.set(
            `nic.${side}Classes`,
            [...own, c].sort((a, b) => a - b),
          ),
        ]
  })
}

const wd02: Remedy = (spot) => {
  const { detectionPs, restorationPs } = spot.values as { detectionPs: number; restorationPs: number | null }
  return [spot.setDevice('watchdog.pollPs', Math.floor(Math.min(detectionPs, restorationPs ?? Infinity) / 2))]
}

export const CLASS_CHOICES: Readonly<Record<string, Choices>> = { pfc01: pfc01Choices }

export const CLASS_REMEDIES: Readonly<Record<string, Remedy>> = {
  map03,
  map06,
  hst05,
  pfc06: (spot) => [spot.set('takesGlobalPause', false), spot.set('sendsGlobalPause', false)],
  pfc01,
  pfc08,
  map02,
  vln01: classifying,
  vln02: (spot) => [spot.set('vlanMode', spot.values.sent as string)],
  map04: classifying,
  mtu01,
  map01,
  adr01: (spot) => [spot.setDevice('balance', 'ecmp')],
  ref01: (spot) => [{ ...spot.set('', 0), field: `${REFERENCE}${spot.values.name as string}`, value: null }],
  pfc02,
  pfc03: (spot) => [spot.set(`classes.${spot.number('priority')}.pausedQueue`, spot.number('queue'))],
  pfc05,
  wd01,
  wd02,
  wd03: (spot) => [spot.setDevice('watchdog.action', 'drop')],
  wd04: (spot) => [spot.setDevice('watchdog.restorationPs', RESTORATION_PS)],
  pfc07: (spot) => [spot.set('isPfcAsymmetric', false)],
  buf03: (spot) => [spot.set('cableM', spot.number('cableM'))],
  buf12: (spot) => (spot.values.cableM === null ? [] : [spot.set('cableM', spot.number('cableM'))]),
  hst02,
  mtu03: (spot) => [
    spot.set(
      `classes.${spot.number('priority')}.classMtuBytes`,
      (spot.values.portBytes as number | null) ?? spot.number('needBytes'),
    ),
  ],
  hst03: (spot) =>
    ({
      firmware: [spot.set('nic.dcbx', 'os')],
      willing: [spot.set('nic.isWilling', false)],
      lldpad: [spot.set('nic.hasLldpad', false)],
    })[spot.values.why as 'firmware' | 'willing' | 'lldpad'],
  ecn06,
  fld01: (spot) => [spot.setDevice('floodsLossless', false)],
}
