/**
 * Switch families: the headroom that hardware needs, by the ASIC of a switch, as a sum of named terms.
 * Spectrum: the formula and constants of the vendor, exact on 103 rows of five tables that it ships (families.test.ts).
 * Trident and Tomahawk: no formula is public. Tables that switches are shipped with are in shipped.ts. The sum here is an
 * estimate of ours: 802.1Q with the standard's bound of the reaction, in cells of the ASIC that the smallest packets fill.
 * Shipped tables are above it (Tomahawk 5) and below it (2 and 3): docs/models/headroom.md.
 * Units: bytes, bit/s, metres.
 */
import { type DynamicModel, dynamicHeadroom } from './dynamic-model.ts'
import { standardReaction } from './reaction.ts'
import { strictHeadroom } from './strict.ts'
import { LINK_PS_PER_METRE, type AsicPort, type HeadroomSum } from './terms.ts'

export interface SwitchFamily {
  readonly name: FamilyName
  readonly help: string
  /** 0: it counts bytes, as far as anybody has said. */
  readonly cellBytes: number
  /** How far the sum can be trusted. */
  readonly basis: string
  /** The sum is the vendor's formula; otherwise an estimate, and shipped tables decide. */
  readonly isFormula: boolean
}

export const FAMILY_NAMES = [
  'spc1',
  'spc2',
  'spc3',
  'spc3-shp',
  'spc4',
  'spc5',
  'spc6',
  'td2',
  'th',
  'th2',
  'th3',
  'th5',
  'th6',
  'jr2c',
] as const
export type FamilyName = (typeof FAMILY_NAMES)[number]

const KIB = 1024

/** Spectrum up to 3, as its older tables have it. */
const spectrum = (cellBytes: number): DynamicModel => ({
  cellBytes,
  roundsWorst: false,
  response: 3.8 * KIB,
  smallPercent: 100,
  sharedPool: false,
  tilePerGbps: 0,
  gearboxBytes: 0,
  macPhyBytes: 0.8 * KIB,
  marginBytes: 0,
})

/** Spectrum-4 and later. */
const spectrum4: DynamicModel = { ...spectrum(192), roundsWorst: true, response: 'quanta', tilePerGbps: 15 }

const MODELS: Readonly<Partial<Record<FamilyName, DynamicModel>>> = {
  spc1: spectrum(96),
  spc2: spectrum(144),
  spc3: spectrum(144),
  'spc3-shp': { ...spectrum(144), response: 'quanta', smallPercent: 50, sharedPool: true },
  spc4: spectrum4,
  spc5: spectrum4,
  spc6: { ...spectrum4, marginBytes: 18 * KIB },
}

const EXACT = "the vendor's formula and constants, exact on the table of the"
const AS_SPECTRUM_4 = "the vendor's formula with the constants of Spectrum-4; no table is compared"
const OURS =
  'no formula is public: an estimate, the sum of the standard in cells that the smallest packets fill; where a table is shipped, it decides'

const families: readonly Omit<SwitchFamily, 'isFormula'>[] = [
  { name: 'spc1', help: 'NVIDIA Spectrum', cellBytes: 96, basis: `${EXACT} MSN2700` },
  { name: 'spc2', help: 'NVIDIA Spectrum-2', cellBytes: 144, basis: `${EXACT} MSN3700` },
  { name: 'spc3', help: 'NVIDIA Spectrum-3', cellBytes: 144, basis: `${EXACT} MSN4700` },
  {
    name: 'spc3-shp',
    help: 'NVIDIA Spectrum-3 with a shared headroom pool, half of the lossless packets small',
    cellBytes: 144,
    basis: `${EXACT} SN4600C (D24C52)`,
  },
  { name: 'spc4', help: 'NVIDIA Spectrum-4', cellBytes: 192, basis: `${EXACT} SN5600` },
  { name: 'spc5', help: 'NVIDIA Spectrum-5', cellBytes: 192, basis: AS_SPECTRUM_4 },
  {
    name: 'spc6',
    help: 'NVIDIA Spectrum-6',
    cellBytes: 192,
    basis: `${AS_SPECTRUM_4}, and 18 KiB more (sonic-swss pull request 4797)`,
  },
  { name: 'td2', help: 'Broadcom Trident 2', cellBytes: 208, basis: OURS },
  { name: 'th', help: 'Broadcom Tomahawk', cellBytes: 208, basis: OURS },
  { name: 'th2', help: 'Broadcom Tomahawk 2', cellBytes: 208, basis: OURS },
  { name: 'th3', help: 'Broadcom Tomahawk 3', cellBytes: 254, basis: OURS },
  { name: 'th5', help: 'Broadcom Tomahawk 5', cellBytes: 254, basis: OURS },
  { name: 'th6', help: 'Broadcom Tomahawk 6', cellBytes: 420, basis: OURS },
  {
    name: 'jr2c',
    help: 'Broadcom Jericho 2C+',
    cellBytes: 0,
    basis: 'no formula is public: an estimate, the sum of the standard in bytes; where a table is shipped, it decides',
  },
]

/** @param name one of FAMILY_NAMES */
export function familyOf(name: FamilyName): SwitchFamily {
  return { ...families[FAMILY_NAMES.indexOf(name)]!, isFormula: MODELS[name] !== undefined }
}

/** Bytes beyond XOFF that a port of this family needs for one lossless class. */
export function asicHeadroom(name: FamilyName, port: AsicPort): HeadroomSum {
  const model = MODELS[name]
  return model === undefined ? standardHeadroom(familyOf(name).cellBytes, port) : dynamicHeadroom(model, port)
}

/** Frames and PFC frames of Ethernet; smallest frame, preamble and gap: 802.3. */
function standardHeadroom(cellBytes: number, port: AsicPort): HeadroomSum {
  const { rateBps, metres, losslessMtuBytes, portMtuBytes, classes } = port
  return strictHeadroom({
    rateBps,
    delayPs: Math.round(metres * LINK_PS_PER_METRE),
    crossingBytes: losslessMtuBytes,
    frameBytes: losslessMtuBytes,
    delayingBytes: portMtuBytes,
    leastBytes: Math.min(64, losslessMtuBytes),
    gapBytes: 20,
    pfcBytes: 64,
    pfcFrames: classes,
    sendPs: 0,
    reaction: standardReaction(rateBps),
    cellBytes,
  })
}
