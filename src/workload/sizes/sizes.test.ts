import { describe, expect, test } from 'vitest'
import { fc } from '../../../tests/support/properties.ts'
import { InputError } from '../../base/issue.ts'
import { createRandomStreams } from '../../base/random.ts'
import { createSizes, sizeDistributions, type SizesValue } from './index.ts'
import { piecewise, type Piece } from './sizes.ts'

const VALUES: readonly SizesValue[] = [
  { kind: 'heavy-tailed' },
  { kind: 'heavy-tailed-finite' },
  { kind: 'uniform', min: 500_000, max: 5_000_000 },
  { kind: 'fixed', size: 1500 },
  { kind: 'websearch' },
  { kind: 'facebook-hadoop' },
  { kind: 'alibaba-storage' },
  { kind: 'cdf', points: ['0 0', '1KB 20', '1000000 100'] },
]

const meanOf = (value: SizesValue): number => createSizes(value, 'sizes').meanBytes
function issuesOf(value: SizesValue): string[] {
  try {
    createSizes(value, 'workload.0.sizes')
  } catch (error) {
    if (error instanceof InputError)
      return error.issues.map((issue) => `${issue.path}: ${issue.expected}, ${issue.received}`)
    throw error
  }
  return []
}
const samples = (value: SizesValue, count: number, seed = 1): number[] => {
  const sizes = createSizes(value, 'sizes')
  const stream = createRandomStreams(seed).stream('sizes')
  return Array.from({ length: count }, () => sizes.sample(stream))
}

test('every registered distribution is checked here', () => {
  expect(VALUES.map((value) => value.kind)).toEqual(sizeDistributions.map((definition) => definition.name))
})

describe.each(VALUES.map((value) => [value.kind, value] as const))('%s', (_kind, value) => {
  const COUNT = 40_000
  const drawn = samples(value, COUNT)
  const sizes = createSizes(value, 'sizes')

  test('gives whole bytes, 1 or more, and the same ones for the same seed', () => {
    expect(drawn.every((bytes) => Number.isInteger(bytes) && bytes >= 1)).toBe(true)
    expect(samples(value, 100)).toEqual(drawn.slice(0, 100))
  })
  test('has the mean it states: sample mean within 4 standard errors', () => {
    const mean = drawn.reduce((sum, bytes) => sum + bytes, 0) / COUNT
    const variance = drawn.reduce((sum, bytes) => sum + (bytes - mean) ** 2, 0) / COUNT
    expect(Math.abs(mean - sizes.meanBytes)).toBeLessThanOrEqual(4 * Math.sqrt(variance / COUNT))
  })
  test('has the mean wire bytes it states', () => {
    const wire = drawn.map((bytes) => Math.ceil(bytes / 1024) * 82)
    const mean = wire.reduce((sum, bytes) => sum + bytes, 0) / COUNT
    const variance = wire.reduce((sum, bytes) => sum + (bytes - mean) ** 2, 0) / COUNT
    const expected = sizes.meanWireBytes(1024, 82) - sizes.meanBytes
    expect(Math.abs(mean - expected)).toBeLessThanOrEqual(4 * Math.sqrt(variance / COUNT) + 1e-9)
  })
  test('takes one uniform draw for a sample', () => {
    const streams = createRandomStreams(5)
    sizes.sample(streams.stream('x'))
    const other = createRandomStreams(5)
    other.stream('x').uniform()
    expect(streams.stream('x').uint32()).toBe(other.stream('x').uint32())
  })
})

describe('means', () => {
  test('of the published distributions are the known ones', () => {
    expect(meanOf({ kind: 'websearch' })).toBeCloseTo(1_711_250, 6)
    expect(meanOf({ kind: 'facebook-hadoop' })).toBeCloseTo(120_420.75, 6)
    expect(meanOf({ kind: 'alibaba-storage' })).toBeCloseTo(40_869.8, 6)
  })
  test('of the heavy-tailed mix are 168,439 B, and 253 KB with the uniform top piece', () => {
    expect(Math.round(meanOf({ kind: 'heavy-tailed' }))).toBe(168_439)
    expect(Math.round(meanOf({ kind: 'heavy-tailed-finite' }) / 1000)).toBe(253)
  })
  test('of the heavy-tailed mix put 92.1 % of the bytes into the top piece', () => {
    const top = (0.15 * 2_800_000) / Math.log(15)
    expect(top / meanOf({ kind: 'heavy-tailed' })).toBeCloseTo(0.921, 3)
  })
})

test('heavy-tailed: half of the flows are one packet, 15 % are large, and most bytes are in these ([IRN] 4.1)', () => {
  for (const kind of ['heavy-tailed', 'heavy-tailed-finite'] as const) {
    const drawn = samples({ kind }, 100_000, 7)
    const bytesOf = (sizes: readonly number[]): number => sizes.reduce((sum, bytes) => sum + bytes, 0)
    const large = drawn.filter((bytes) => bytes >= 200_000)
    expect([Math.min(...drawn) >= 32, Math.max(...drawn) <= 3_000_000]).toEqual([true, true])
    expect(drawn.filter((bytes) => bytes <= 1024).length / drawn.length).toBeCloseTo(0.5, 2)
    expect(large.length / drawn.length).toBeCloseTo(0.15, 2)
    expect(bytesOf(large) / bytesOf(drawn)).toBeGreaterThan(0.9)
  }
})

describe('quantiles', () => {
  test.each([
    [
      'heavy-tailed',
      [
        [1024, 0.5],
        [200_000, 0.85],
        [181, 0.25],
        [774_597, 0.925],
        [32, 0],
        [3_000_000, 1],
      ],
    ],
    [
      'heavy-tailed-finite',
      [
        [1024, 0.5],
        [200_000, 0.85],
        [1_600_000, 0.925],
      ],
    ],
    [
      'websearch',
      [
        [10_000, 0.15],
        [80_000, 0.53],
        [15_000, 0.175],
        [7_500_000, 0.935],
      ],
    ],
    [
      'facebook-hadoop',
      [
        [350, 0.15],
        [1000, 0.6],
        [650_000, 0.9625],
      ],
    ],
    [
      'alibaba-storage',
      [
        [4000, 0.2293],
        [6000, 0.4607],
        [256_000, 0.9753],
      ],
    ],
  ] as const)('of %s lie where the law puts them', (kind, points) => {
    const drawn = samples({ kind }, 100_000, 3)
    for (const [bytes, share] of points) {
      const below = drawn.filter((sample) => sample <= bytes).length / drawn.length
      // The rounding to whole bytes moves the smallest steps by up to half a byte.
      expect(Math.abs(below - share)).toBeLessThan(4 * Math.sqrt((share * (1 - share)) / drawn.length) + 0.0035)
    }
  })
})

describe('mean wire bytes', () => {
  /** Sums over whole sizes, each with the probability of its rounding interval. */
  function twin(piece: Piece, payloadBytes: number): number {
    const { lowBytes, highBytes, shape } = piece
    const share = (x: number): number => {
      const clipped = Math.min(Math.max(x, lowBytes), highBytes)
      if (highBytes === lowBytes) return x > lowBytes ? 1 : 0
      return shape === 'uniform'
        ? (clipped - lowBytes) / (highBytes - lowBytes)
        : Math.log(clipped / lowBytes) / Math.log(highBytes / lowBytes)
    }
    let packets = 0
    for (let bytes = Math.floor(lowBytes); bytes <= highBytes + 1; bytes++) {
      const weight = share(bytes + 0.5) - share(bytes - 0.5)
      packets += weight * Math.max(1, Math.ceil(bytes / payloadBytes))
    }
    return packets
  }
  test('equal the sum over all sizes of a piece', () => {
    const piece = fc
      .record({
        lowBytes: fc.integer({ min: 1, max: 3000 }),
        span: fc.integer({ min: 0, max: 3000 }),
        shape: fc.constantFrom('uniform', 'log-uniform'),
      })
      .map(({ lowBytes, span, shape }): Piece => ({ weight: 1, lowBytes, highBytes: lowBytes + span, shape }))
    fc.assert(
      fc.property(piece, fc.integer({ min: 1, max: 2000 }), (one, payloadBytes) => {
        const sizes = piecewise([one])
        expect(sizes.meanWireBytes(payloadBytes, 1) - sizes.meanBytes).toBeCloseTo(twin(one, payloadBytes), 6)
      }),
    )
  })
  test('of one full packet are its payload and overhead', () => {
    expect(createSizes({ kind: 'fixed', size: 1024 }, '').meanWireBytes(1024, 82)).toBe(1106)
    expect(createSizes({ kind: 'fixed', size: 1025 }, '').meanWireBytes(1024, 82)).toBe(1025 + 164)
    expect(createSizes({ kind: 'fixed', size: 1 }, '').meanWireBytes(1024, 82)).toBe(83)
  })
})

test('points in fractions are those in percent', () => {
  const percent = createSizes({ kind: 'cdf', points: ['0 0', '1KB 25', '1000000 100'] }, '')
  const fractions = createSizes({ kind: 'cdf', points: ['0 0.00', '1KB 0.25', '1000000 1.0'] }, '')
  const drawn = (sizes: typeof percent): number[] => {
    const stream = createRandomStreams(3).stream('sizes')
    return Array.from({ length: 100 }, () => sizes.sample(stream))
  }
  expect(drawn(fractions)).toEqual(drawn(percent))
  expect(fractions.meanBytes).toBe(percent.meanBytes)
})

describe('mistakes', () => {
  test('in points are reported all at once, with their places', () => {
    const points = ['5 1', 'x 2', '5 0.5', '4 30', '10 30 1', '2KB 120', '20 99']
    expect(issuesOf({ kind: 'cdf', points })).toEqual([
      'workload.0.sizes.points.1: "BYTES PERCENT" with percent 0 to 100, "x 2"',
      'workload.0.sizes.points.2: bytes above 5 of the point before, 5',
      'workload.0.sizes.points.2: percent above 1 of the point before, 0.5',
      'workload.0.sizes.points.3: bytes above 5 of the point before, 4',
      'workload.0.sizes.points.4: "BYTES PERCENT" with percent 0 to 100, "10 30 1"',
      'workload.0.sizes.points.5: "BYTES PERCENT" with percent 0 to 100, "2KB 120"',
      'workload.0.sizes.points.0: 0 percent at the first point, 1',
      'workload.0.sizes.points.6: 100 percent (or 1, of fractions) at the last point, 99',
    ])
  })
  test('in limits name the greater one', () => {
    expect(issuesOf({ kind: 'uniform', min: 2000, max: 1000 })).toEqual([
      'workload.0.sizes.max: at least min (2KB), 1KB',
    ])
  })
})
