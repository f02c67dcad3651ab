/**
 * Platforms: the switch family of a name of hardware, and the buffer of its ASIC.
 * Sources: names as in SONiC (sonic-buildimage, device/) and in configurations; buffers as in the data sheets of the ASICs.
 */
import { FAMILY_NAMES, familyOf, type FamilyName } from '../../core/fabric/index.ts'

/** Hardware of a switch, by the name of its platform. */
export interface Asic {
  /** Family of a scenario: "th5". */
  readonly family: string
  readonly cellBytes: number
  readonly bufferBytes: number
}

const PLATFORMS: readonly (readonly [RegExp, FamilyName])[] = [
  [/SN2\d00|MSN2\d\d\d/i, 'spc1'],
  [/SN3[4-8]\d\d|MSN3\d\d\d/i, 'spc2'],
  [/SN4\d\d\d|MSN4\d\d\d/i, 'spc3'],
  [/SN5\d\d\d/i, 'spc4'],
  [/NH-4210/i, 'th6'],
  [/7280DR3/i, 'jr2c'],
  [/7060X6/i, 'th5'],
  [/Z9332F/i, 'th3'],
  [/7260CX3|Z9264F/i, 'th2'],
  [/S6100|7060CX/i, 'th'],
  [/S6000|7050/i, 'td2'],
]

/** Packet buffer of an ASIC. */
const BUFFER_BYTES: Readonly<Record<FamilyName, number>> = {
  spc1: 16e6,
  spc2: 42e6,
  spc3: 64e6,
  'spc3-shp': 64e6,
  spc4: 160e6,
  spc5: 160e6,
  spc6: 160e6,
  td2: 12e6,
  th: 16e6,
  th2: 42e6,
  th3: 64e6,
  th5: 165e6,
  th6: 267e6,
  // Pools of the 7280DR3A in sonic-buildimage; most of it is outside the chip.
  jr2c: 7235e6,
}

/** @param platform name of hardware, or of its family, as scenarios have it */
export const familyOfPlatform = (platform: string): FamilyName | undefined =>
  FAMILY_NAMES.find((family) => family === platform) ?? PLATFORMS.find(([pattern]) => pattern.test(platform))?.[1]

/** Null: it is not known. */
export function asicOf(platform: string): Asic | null {
  const family = familyOfPlatform(platform)
  if (family === undefined) return null
  return { family, cellBytes: Math.max(1, familyOf(family).cellBytes), bufferBytes: BUFFER_BYTES[family] }
}
