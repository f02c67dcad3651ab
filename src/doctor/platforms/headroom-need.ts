/**
 * Headroom need of a real port: rows that switches of its family ship, else the formula of the family, else no more than
 * any switch needs. Never less is asked for than the smallest row, since shipped rows of some families lie below the sum of
 * the standard (docs/models/headroom.md).
 */
import { asicHeadroom, familyOf, type FamilyName, LINK_PS_PER_METRE } from '../../core/fabric/index.ts'
import { shippedRows } from '../../core/fabric/headroom/shipped.ts'
import type { HeadroomNeed, HeadroomPort } from '../index.ts'
import { familyOfPlatform } from './platforms.ts'

/** Families whose switches ship other rows where groups share headroom: smaller ones and larger ones. */
const WITH_SHARED: Partial<Readonly<Record<FamilyName, FamilyName>>> = { spc3: 'spc3-shp' }

/** A response of the peer within 60 quanta of 512 bits. Source: 802.3 annex 31B, as Cisco's white paper applies it. */
const RESPONSE_BYTES = 3840

export function headroomNeed(port: HeadroomPort): HeadroomNeed {
  const { platform, rateBps, cableM, mtuBytes, hasSharedHeadroom = false } = port
  const family = familyOfPlatform(platform)
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
