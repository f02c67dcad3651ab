/** Remedies about buffers and marking. */
import { knownOf, type HeadroomRow } from '../../../core/device-model/index.ts'
import { switchSettingsOf } from '../rules/look.ts'
import type { Change } from './change.ts'
import type { Remedy, RemedySpot } from './spot.ts'

const MTU_MOST_BYTES = 9216

/** Headroom that a port needs, or undefined where its speed or length is unknown. */
function neededBytes(spot: RemedySpot): number | undefined {
  const { rateBps, cableM, mtuBytes } = spot.config?.settings ?? {}
  const listedM = spot.link?.cableM ?? NaN
  const [rate, length, mtu] = [knownOf(rateBps), Number.isNaN(listedM) ? knownOf(cableM) : listedM, knownOf(mtuBytes)]
  if (rate === undefined || length === undefined) return undefined
  const platform = (spot.at && knownOf(switchSettingsOf(spot.at)?.platform)) ?? ''
  const bytes = typeof mtu === 'number' ? mtu : MTU_MOST_BYTES
  return spot.context.headroomNeed({ platform, rateBps: rate, cableM: length, mtuBytes: bytes }).leastBytes
}

/** Too small, or far too large. */
const buf01: Remedy = (spot) => {
  const [own, least, most] = [spot.number('headroomBytes'), spot.number('leastBytes'), spot.number('mostBytes')]
  return [spot.set(`classes.${spot.number('priority')}.headroomBytes`, own < least ? least : most)]
}

/** Headroom for a class, as much as the port needs or, where nobody knows that, as others have. */
export function withHeadroom(spot: RemedySpot, c: number): Change[] {
  const bytes = neededBytes(spot) ?? spot.usual<number>(`classes.${c}.headroomBytes`, (one) => one > 0)
  return [
    spot.set(`classes.${c}.hasHeadroom`, true),
    ...(bytes === undefined ? [] : [spot.set(`classes.${c}.headroomBytes`, bytes)]),
  ]
}

const buf11: Remedy = (spot) => (spot.values.lossless as readonly number[]).flatMap((c) => withHeadroom(spot, c))

/** A profile for this speed and length, and its row in the table. */
const buf02: Remedy = (spot) => {
  const { rateBps, cableM, isInTable } = spot.values as { rateBps: number; cableM: number; isInTable: boolean }
  const settings = spot.at === undefined ? null : switchSettingsOf(spot.at)
  const speedMbps = rateBps / 1e6
  const needed = neededBytes(spot)
  return [
    ...(isInTable || settings === null ? [] : tableWith(spot, { rateBps, cableM })),
    ...(knownOf(spot.config?.settings.pfcClasses) ?? []).flatMap((c) => [
      spot.set(`classes.${c}.profileName`, `pg_lossless_${speedMbps}_${cableM}m_profile`),
      ...(needed === undefined ? [] : [spot.set(`classes.${c}.headroomBytes`, needed)]),
    ]),
  ]
}

function tableWith(spot: RemedySpot, row: HeadroomRow): Change[] {
  const table = knownOf(switchSettingsOf(spot.at!)!.headroomTable)
  return table === undefined ? [] : [spot.setDevice('headroomTable', [...table, row])]
}

/** Two full frames. */
const buf08: Remedy = (spot) => {
  const mtu = knownOf(spot.config?.settings.mtuBytes)
  const frameBytes = typeof mtu === 'number' ? mtu : MTU_MOST_BYTES
  return [spot.set(`classes.${spot.number('priority')}.xonOffsetBytes`, 2 * frameBytes)]
}

/** Thresholds of like ports where they are below XOFF, else shares of it. */
const ecn01: Remedy = (spot) => {
  const xoffBytes = spot.number('xoffBytes')
  const path = `classes.${spot.number('priority')}`
  const below = (bytes: number): boolean => bytes < xoffBytes
  const kmax = spot.usual<number>(`${path}.kmaxBytes`, below)
  const kmin = spot.usual<number>(`${path}.kminBytes`, (bytes) => bytes < Math.min(kmax ?? Infinity, xoffBytes))
  return [
    spot.set(`${path}.kminBytes`, kmin ?? Math.floor(xoffBytes / 4)),
    spot.set(`${path}.kmaxBytes`, kmax ?? Math.floor((3 * xoffBytes) / 4)),
  ]
}

/** Thresholds at 25 Gb/s, in proportion to the rate. Source: [HPCC] section 5.1, parameters of DCQCN. */
const AT_25G = { kminBytes: 100_000, kmaxBytes: 400_000 }

/** As like ports mark, as most do, or by the rate of the port. */
const marking: Remedy = (spot) => {
  const path = `classes.${spot.number('priority')}`
  const rateBps = knownOf(spot.config?.settings.rateBps) ?? knownOf(spot.peer?.config?.settings.rateBps)
  const byRate = (field: string): number | undefined =>
    field === 'pmaxRatio' || rateBps === undefined
      ? undefined
      : Math.round((AT_25G[field as keyof typeof AT_25G] * rateBps) / 25e9)
  const thresholds = ['kminBytes', 'kmaxBytes', 'pmaxRatio'].flatMap((field) => {
    const known = `${path}.${field}`
    const usual = spot.usual<number>(known, () => true) ?? spot.usualAnywhere(known) ?? byRate(field)
    return usual === undefined ? [] : [spot.set(`${path}.${field}`, usual)]
  })
  return [spot.set(`${path}.marks`, true), ...thresholds]
}

export const BUFFER_REMEDIES: Readonly<Record<string, Remedy>> = {
  buf01,
  buf02,
  buf04: (spot) => [spot.set(`classes.${spot.number('priority')}.alpha`, spot.number('usual'))],
  buf05: (spot) => [
    spot.set(
      `classes.${spot.number('priority')}.alpha`,
      spot.usual<number>(`classes.${spot.number('priority')}.alpha`, (alpha) => alpha >= 1 / 16) ?? 1 / 16,
    ),
  ],
  buf07: (spot) => [spot.set(`classes.${spot.number('priority')}.dropsAtEgress`, false)],
  buf08,
  buf11,
  ecn01,
  ecn03: marking,
  ecn07: marking,
}
