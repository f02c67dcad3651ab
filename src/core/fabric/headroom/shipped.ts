/**
 * Headroom that switches of Broadcom's families are shipped with: no formula is public, and tables of one family differ by
 * model and by how its ports are split. Facts of files pg_profile_lookup.ini, columns speed, cable and xoff; repository
 * sonic-net/sonic-buildimage at 086b03bd70 (2026-08-23), device/. A table holds for its rates and lengths and no others.
 */
import type { FamilyName } from './families.ts'

export interface ShippedTable {
  readonly family: FamilyName
  /** Model of the switch, or of several. */
  readonly model: string
  /** Path below device/ of the repository. */
  readonly path: string
  /** Lengths of cable, metres. */
  readonly metres: readonly number[]
  /** By rate in Gb/s: bytes beyond XOFF of one lossless class, for each length; 0: no row. */
  readonly rows: readonly (readonly [gbps: number, ...xoffBytes: number[]])[]
}

export const SHIPPED: readonly ShippedTable[] = [
  {
    family: 'td2',
    model: 'Trident 2, generic',
    path: 'common/profiles/td2/gen/BALANCED',
    metres: [5, 40, 300],
    rows: [
      [1, 40_560, 40_560, 40_560],
      [10, 40_560, 40_560, 40_560],
      [40, 45_136, 47_216, 62_816],
      [50, 45_344, 48_048, 67_600],
      [100, 47_216, 52_624, 91_728],
    ],
  },
  {
    family: 'th',
    model: 'Tomahawk, generic',
    path: 'common/profiles/th/gen/BALANCED',
    metres: [5, 40, 300],
    rows: [
      [10, 35_776, 37_024, 46_176],
      [25, 53_248, 53_248, 79_040],
      [40, 66_560, 71_552, 108_160],
      [50, 90_272, 96_096, 141_856],
      [100, 165_568, 177_632, 268_736],
    ],
  },
  {
    family: 'th2',
    model: 'Arista 7260',
    path: 'common/profiles/th2/7260/BALANCED',
    metres: [5, 40, 300],
    rows: [
      [40, 29_536, 31_616, 48_256],
      [50, 54_080, 59_696, 101_088],
      [100, 54_080, 59_696, 101_088],
    ],
  },
  {
    family: 'th3',
    model: 'DellEMC-Z9332f-O32',
    path: 'dell/x86_64-dellemc_z9332f_d1508-r0/DellEMC-Z9332f-O32',
    metres: [5, 40, 300, 1000, 2000],
    rows: [
      [100, 68_580, 74_422, 117_348, 233_172, 398_526],
      [400, 178_562, 201_930, 373_888, 836_676, 1_498_092],
    ],
  },
  {
    family: 'th5',
    model: 'Arista-7060X6-64PE-B-O128',
    path: 'arista/x86_64-arista_7060x6_64pe_b/Arista-7060X6-64PE-B-O128',
    metres: [5, 30, 40, 60, 150, 500],
    rows: [
      [100, 445_770, 445_770, 445_770, 475_136, 611_328, 1_136_396],
      [400, 445_770, 445_770, 445_770, 475_136, 611_328, 1_136_396],
    ],
  },
  {
    family: 'th5',
    model: 'Arista-7060X6-64PE-B-P32O64',
    path: 'arista/x86_64-arista_7060x6_64pe_b/Arista-7060X6-64PE-B-P32O64',
    metres: [5, 30, 40, 300, 500],
    rows: [
      [100, 0, 0, 0, 0, 1_136_396],
      [400, 425_958, 425_958, 0, 839_216, 1_136_396],
      [800, 724_662, 0, 1_621_536, 1_621_536, 0],
    ],
  },
  {
    family: 'th6',
    model: 'Nexthop NH-4210-F-P128',
    path: 'nexthop/x86_64-nexthop_4210-r0021/NH-4210-F-P128/BALANCED',
    metres: [5, 40, 300],
    rows: [
      [25, 162_540, 173_460, 254_940],
      [50, 162_540, 173_460, 254_940],
      [100, 229_740, 251_580, 414_120],
      [200, 369_180, 412_860, 737_940],
      [400, 650_160, 737_940, 1_387_680],
      [800, 1_249_080, 1_424_220, 2_724_120],
    ],
  },
  {
    family: 'jr2c',
    model: 'Arista-7280DR3A-36',
    path: 'arista/x86_64-arista_7280dr3a_36/Arista-7280DR3A-36/0',
    metres: [30, 300, 1000, 2000, 80_000, 120_000],
    rows: [
      [40, 61_440, 69_632, 114_688, 184_320, 5_369_856, 8_036_352],
      [100, 73_728, 110_592, 225_280, 393_216, 13_357_056, 20_013_056],
      [400, 184_320, 315_392, 778_240, 1_445_888, 53_305_344, 79_953_920],
    ],
  },
]

/** A row of a table. */
export interface ShippedRow {
  readonly model: string
  readonly bytes: number
  /** "sonic-buildimage, device/PATH/pg_profile_lookup.ini" */
  readonly source: string
}

/** Delays are whole picoseconds, lengths of cable are not. */
const SAME_METRES = 0.01

/** Rows for this rate and length, least first; empty: nothing is known. */
export function shippedRows(family: FamilyName, rateBps: number, metres: number): ShippedRow[] {
  return SHIPPED.flatMap((table) => {
    if (table.family !== family) return []
    const column = table.metres.findIndex((length) => Math.abs(length - metres) < SAME_METRES)
    const row = table.rows.find(([gbps]) => gbps * 1e9 === rateBps)
    const bytes = column < 0 ? 0 : (row?.[column + 1] ?? 0)
    const source = `sonic-buildimage, device/${table.path}/pg_profile_lookup.ini`
    return bytes === 0 ? [] : [{ model: table.model, bytes, source }]
  }).toSorted((a, b) => a.bytes - b.bytes)
}
