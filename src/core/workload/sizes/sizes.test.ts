import { describe, expect, test } from 'vitest'
import { fc } from '../../../../tests/support/properties.ts'
import { InputError } from '../../base/issue.ts'
import { createRandomStreams, type RandomStream } from '../../base/random.ts'
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

describe('points with steps and gaps', () => {
  /** A stream whose only draw is given. */
  const drawing = (u: number): RandomStream => ({ uniform: () => u }) as RandomStream
  /** Points that fall in neither column; shares in 64ths, which are exact. */
  const points = fc
    .array(fc.tuple(fc.integer({ min: 0, max: 40 }), fc.integer({ min: 0, max: 8 })), { minLength: 1, maxLength: 8 })
    .map((rises) => {
      const at: [bytes: number, share: number][] = [[0, 0]]
      for (const [bytes, share] of rises) at.push([at.at(-1)![0] + bytes, at.at(-1)![1] + share / 64])
      return [...at, [Math.max(1, at.at(-1)![0]), 1] as const]
    })

  /** The size at a share, by the definition of the inverse of a distribution. */
  function inverse(list: readonly (readonly [number, number])[], u: number): number {
    for (let i = 1; i < list.length; i++) {
      const [[low, from], [high, to]] = [list[i - 1]!, list[i]!]
      if (u < to) return low + ((u - from) / (to - from)) * (high - low)
    }
    return list.at(-1)![0]
  }

  test('are sampled as the inverse of the distribution, with its exact mean', () => {
    fc.assert(
      fc.property(points, fc.integer({ min: 0, max: 1023 }), (list, k) => {
        const sizes = createSizes({ kind: 'cdf', points: list.map(([bytes, share]) => `${bytes} ${share}`) }, '')
        const u = k / 1024
        expect(sizes.sample(drawing(u))).toBe(Math.max(1, Math.round(inverse(list, u))))
        const mean = list
          .slice(1)
          .reduce((sum, [bytes, share], i) => sum + ((share - list[i]![1]) * (bytes + list[i]![0])) / 2, 0)
        expect(sizes.meanBytes).toBe(mean)
      }),
    )
  })

  test('give a step its share of the messages, and a gap none', () => {
    const [step, gap] = [
      { kind: 'cdf', points: ['1KB 0', '1KB 36', '7KB 46', '33KB 100'] },
      { kind: 'cdf', points: ['100B 0', '200B 50', '900B 50', '1KB 100'] },
    ] as const
    const drawn = samples(step, 100_000, 4)
    expect(drawn.filter((bytes) => bytes === 1000).length / drawn.length).toBeCloseTo(0.36, 2)
    expect(samples(gap, 1000, 4).filter((bytes) => bytes > 200 && bytes < 900)).toEqual([])
    expect(meanOf(step)).toBeCloseTo(360 + 400 + 10_800, 9)
    const one = createSizes({ kind: 'cdf', points: ['40000 0', '40000 1'] }, '')
    expect([one.meanBytes, one.largestBytes, one.sample(drawing(0)), one.sample(drawing(0.999))]).toEqual(
      Array(4).fill(40_000),
    )
    expect(one.meanWireBytes(1000, 50)).toBe(42_000)
  })

  test('need a size of a byte', () => {
    expect(issuesOf({ kind: 'cdf', points: ['0 0', '0 100'] })).toEqual([
      'workload.0.sizes.points.1: 1 byte or more at the last point, 0',
    ])
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
      'workload.0.sizes.points.2: percent of at least 1, as at the point before, 0.5',
      'workload.0.sizes.points.3: bytes of at least 5, as at the point before, 4',
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
