import { describe, expect, test } from 'vitest'
import { fc } from '../../../../tests/support/properties.ts'
import { dynamicHeadroom } from './dynamic-model.ts'
import { FAMILY_NAMES, familyOf, asicHeadroom } from './families.ts'
import { SHIPPED, shippedRows } from './shipped.ts'
import { shippedTables } from './shipped-tables.test-data.ts'
import type { AsicPort, HeadroomSum } from './terms.ts'

/** A port as the tables assume it: lossless packets of 1024 bytes, others of up to 9216. */
const portOf = (gbps: number, metres: number, more: Partial<AsicPort> = {}): AsicPort => ({
  rateBps: gbps * 1e9,
  metres,
  portMtuBytes: 9216,
  losslessMtuBytes: 1024,
  classes: 1,
  ...more,
})

const total = ({ terms }: HeadroomSum): number => terms.reduce((sum, { bytes }) => sum + bytes, 0)
const term = (sum: HeadroomSum, name: string): number | undefined => sum.terms.find((each) => each.name === name)?.bytes

describe('tables that the vendor ships', () => {
  test('there are 103 rows', () => {
    expect(shippedTables.reduce((sum, { rows }) => sum + rows.length, 0)).toBe(103)
  })

  test.each(shippedTables)('$device ($family): every row to the byte', ({ family, rows }) => {
    for (const [gbps, metres, xoffBytes] of rows)
      expect([gbps, metres, asicHeadroom(family, portOf(gbps, metres)).bytes]).toEqual([gbps, metres, xoffBytes])
  })

  test('no family fits the table of another', () => {
    const fits = (family: (typeof shippedTables)[number]['family'], device: string): boolean =>
      shippedTables
        .find((table) => table.device === device)!
        .rows.every(([gbps, metres, bytes]) => asicHeadroom(family, portOf(gbps, metres)).bytes === bytes)
    const others = shippedTables.flatMap(({ device, family }) =>
      (['spc1', 'spc2', 'spc3-shp', 'spc4'] as const).filter(
        // Spectrum-2 and Spectrum-3 have the same constants.
        (other) => other !== family && !(family === 'spc3' && other === 'spc2') && fits(other, device),
      ),
    )
    expect(others).toEqual([])
  })
})

test.each(FAMILY_NAMES)('%s: the terms add up, have a formula and a source, and none is zero', (name) => {
  for (const metres of [0, 5, 300, 40_000]) {
    const sum = asicHeadroom(name, portOf(100, metres))
    expect(total(sum)).toBeCloseTo(sum.bytes, 6)
    for (const { bytes, formula, source } of sum.terms)
      expect([bytes !== 0, formula !== '', source !== '']).toEqual([true, true, true])
  }
})

test('SN5600, 400 Gb/s and 300 m: the terms of 677,888 bytes', () => {
  const sum = asicHeadroom('spc4', portOf(400, 300))
  expect(sum.terms.map(({ name, bytes }) => [name, Math.round(bytes)])).toEqual([
    ['longest lossless frame', 1024],
    ['frame that delays the pause', 9216],
    ['cable there and back', 151_515],
    ['MAC and PHY', 819],
    ["peer's reaction", 57_920],
    ['tile', 6000],
    ['cells', 450_941],
    ['rounding', 453],
  ])
})

test('Spectrum-5 has the constants of Spectrum-4, Spectrum-6 needs 18 KiB more', () => {
  for (const [gbps, metres] of [
    [100, 5],
    [400, 40],
    [800, 300],
  ] as const) {
    const at = (name: 'spc4' | 'spc5' | 'spc6'): number => asicHeadroom(name, portOf(gbps, metres)).bytes
    expect([at('spc5') - at('spc4'), at('spc6') - at('spc5')]).toEqual([0, 18 * 1024])
  }
})

describe('tables that are shipped with switches of Trident and Tomahawk', () => {
  const bytesOf = (family: 'td2' | 'th' | 'th2' | 'th3' | 'th5', gbps: number, metres: number): number[] =>
    shippedRows(family, gbps * 1e9, metres).map(({ bytes }) => bytes)

  test('rows by rate and length, least first', () => {
    expect(bytesOf('th5', 800, 5)).toEqual([724_662])
    expect(bytesOf('th5', 800, 300)).toEqual([1_621_536])
    expect(bytesOf('th5', 400, 5)).toEqual([425_958, 445_770])
    expect(bytesOf('th5', 400, 300)).toEqual([839_216])
    expect(bytesOf('th2', 100, 300)).toEqual([101_088])
    expect(bytesOf('th3', 400, 2000)).toEqual([1_498_092])
    expect(bytesOf('th', 100, 40)).toEqual([177_632])
    expect(bytesOf('td2', 1, 300)).toEqual([40_560])
  })

  test('none for another rate or length, nor for a family whose formula is known', () => {
    expect([bytesOf('th5', 400, 41), bytesOf('th5', 200, 40), shippedRows('spc4', 400e9, 40)]).toEqual([[], [], []])
  })

  test('each row has a headroom for each length of its table, in whole cells but for two', () => {
    const parts = SHIPPED.flatMap(({ family, metres, rows }) =>
      rows.flatMap(([, ...bytes]) => {
        expect(bytes).toHaveLength(metres.length)
        return bytes.filter((each) => each % (familyOf(family).cellBytes || 4096) !== 0)
      }),
    )
    // The file has them so.
    expect([...new Set(parts)]).toEqual([475_136, 611_328])
  })

  test('a longer cable never has less in one table', () => {
    for (const { rows } of SHIPPED)
      for (const [, ...bytes] of rows) {
        const known = bytes.filter((each) => each > 0)
        expect(known).toEqual(known.toSorted((a, b) => a - b))
      }
  })
})

describe('Tomahawk', () => {
  test('each metre at 400 Gb/s takes 1,512 bytes of cells that packets of 64 bytes fill: 500 on the wire, 254 for every 84', () => {
    const at = (metres: number): number => asicHeadroom('th5', portOf(400, metres)).bytes
    expect((at(300) - at(40)) / 260).toBeCloseTo((500 * 254) / 84, 0)
    expect(Math.round((at(300) - at(40)) / 260)).toBe(1512)
  })

  test('whole cells', () => {
    for (const name of ['th2', 'th3', 'th5'] as const)
      expect(asicHeadroom(name, portOf(100, 40)).bytes % familyOf(name).cellBytes).toBe(0)
  })
})

test('a longer cable, a higher rate, longer frames and more classes never need less', () => {
  fc.assert(
    fc.property(
      fc.constantFrom(...FAMILY_NAMES),
      fc.integer({ min: 10, max: 800 }),
      fc.integer({ min: 0, max: 3000 }),
      fc.integer({ min: 256, max: 9216 }),
      (name, gbps, metres, mtu) => {
        const bytes = (more: Partial<AsicPort>): number =>
          asicHeadroom(name, { ...portOf(gbps, metres, { losslessMtuBytes: mtu }), ...more }).bytes
        const least = bytes({})
        expect(bytes({ metres: metres + 100 })).toBeGreaterThanOrEqual(least)
        expect(bytes({ rateBps: (gbps + 50) * 1e9 })).toBeGreaterThanOrEqual(least)
        expect(bytes({ portMtuBytes: 10_000 })).toBeGreaterThanOrEqual(least)
        expect(bytes({ classes: 2 })).toBeGreaterThanOrEqual(least)
      },
    ),
    { numRuns: 50 },
  )
})

test('without a shared pool, a mixture of sizes that saves more than 2 KiB gives 2 KiB back', () => {
  // Read from the vendor's program: no row of the tables shows it.
  const half = {
    cellBytes: 144,
    roundsWorst: false,
    response: 'quanta',
    smallPercent: 50,
    tilePerGbps: 0,
    gearboxBytes: 0,
    marginBytes: 0,
  } as const
  const at = (metres: number, sharedPool: boolean): HeadroomSum =>
    dynamicHeadroom({ ...half, macPhyBytes: 819.2, sharedPool }, portOf(100, metres))
  expect(at(300, false).bytes - at(300, true).bytes).toBe(2048)
  expect([term(at(300, false), 'margin'), term(at(300, true), 'margin')]).toEqual([2048, undefined])
})
