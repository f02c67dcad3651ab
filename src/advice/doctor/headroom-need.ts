/**
 * Headroom need of a real port: rows that switches of its family ship, else the formula of the family, else no more than
 * any switch needs. Never less is asked for than the smallest row, since shipped rows of some families lie below the sum of
 * the standard (docs/models/headroom.md).
 */
import { asicHeadroom, familyOf, type FamilyName, LINK_PS_PER_METRE } from '../../fabric/index.ts'
import { shippedRows } from '../../fabric/headroom/shipped.ts'
import type { HeadroomNeed, HeadroomPort } from '../../ops/index.ts'

/** Families by names of hardware in SONiC. Source: sonic-buildimage, device/. */
const PLATFORMS: readonly (readonly [RegExp, FamilyName])[] = [
  [/SN2\d00|MSN2\d\d\d/i, 'spc1'],
  [/SN3[4-8]\d\d|MSN3\d\d\d/i, 'spc2'],
  [/SN4\d\d\d|MSN4\d\d\d/i, 'spc3'],
  [/SN5\d\d\d/i, 'spc4'],
  [/7060X6/i, 'th5'],
  [/Z9332F/i, 'th3'],
  [/7260CX3|Z9264F/i, 'th2'],
  [/S6100|7060CX/i, 'th'],
  [/S6000|7050/i, 'td2'],
]

/** Families whose switches ship other rows where groups share headroom: smaller ones and larger ones. */
const WITH_SHARED: Partial<Readonly<Record<FamilyName, FamilyName>>> = { spc3: 'spc3-shp' }

/** A response of the peer within 60 quanta of 512 bits. Source: 802.3 annex 31B, as Cisco's white paper applies it. */
const RESPONSE_BYTES = 3840

export function headroomNeed(port: HeadroomPort): HeadroomNeed {
  const { platform, rateBps, cableM, mtuBytes, hasSharedHeadroom = false } = port
  const family = PLATFORMS.find(([pattern]) => pattern.test(platform))?.[1]
  const rows = family === undefined ? [] : shippedRows(family, rateBps, cableM)
  if (rows.length > 0)
    return {
      leastBytes: rows[0]!.bytes,
      mostBytes: rows.at(-1)!.bytes,
      basis: `rows shipped for ${family}`,
      isSure: true,
    }
  if (family !== undefined && familyOf(family).isFormula) {
    const at = { rateBps, metres: cableM, losslessMtuBytes: LOSSLESS_MTU_BYTES, portMtuBytes: mtuBytes, classes: 1 }
    const shared = hasSharedHeadroom ? WITH_SHARED[family] : undefined
    const sizes = [family, ...(shared === undefined ? [] : [shared])].map((name) => asicHeadroom(name, at).bytes)
    return {
      leastBytes: Math.min(...sizes),
      mostBytes: Math.max(...sizes),
      basis: `formula of ${family}`,
      isSure: !hasSharedHeadroom || shared !== undefined,
    }
  }
  const wireBytes = (2 * cableM * LINK_PS_PER_METRE * rateBps) / 8e12
  const leastBytes = Math.ceil(2 * mtuBytes + RESPONSE_BYTES + wireBytes)
  return { leastBytes, mostBytes: Infinity, basis: 'the least of any switch', isSure: false }
}

/** Packet of the vendor's formula. Source: SONiC, LOSSLESS_TRAFFIC_PATTERN of NVIDIA platforms. */
const LOSSLESS_MTU_BYTES = 1024
