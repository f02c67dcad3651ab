import { describe, expect, test } from 'vitest'
import { exp, ln, pow } from './math.ts'
import { createRandomStreams } from './random.ts'

const POINTS = 40_000
const stream = createRandomStreams(1).stream('math')
const between = (low: number, high: number): number => low + (high - low) * stream.uniform()

const bits = new DataView(new ArrayBuffer(8))
/** Position of a double on the line of all doubles: neighbours differ by one. */
function rank(x: number): bigint {
  bits.setFloat64(0, x)
  const raw = bits.getBigInt64(0)
  return raw < 0n ? -(raw & 0x7fffffffffffffffn) : raw
}
function ulps(x: number, y: number): number {
  if (Object.is(x, y)) return 0
  if (Number.isNaN(x) || Number.isNaN(y)) return Infinity
  const distance = Number(rank(x) - rank(y))
  return distance < 0 ? -distance : distance
}
function anyPositive(): number {
  bits.setUint32(0, stream.below(0x7ff00000))
  bits.setUint32(4, stream.uint32())
  return bits.getFloat64(0)
}
function worst(count: number, distance: () => number): number {
  let most = 0
  for (let i = 0; i < count; i++) most = Math.max(most, distance())
  return most
}

/** ln of a rational a/b, scaled by 2^180, by the series in integers: a twin that shares nothing with the code. */
const SCALE = 180n
function atanhScaled(numerator: bigint, denominator: bigint): bigint {
  const y = (numerator << SCALE) / denominator
  const square = (y * y) >> SCALE
  let power = y
  let sum = 0n
  for (let n = 1n; power !== 0n; n += 2n) {
    sum += power / n
    power = (power * square) >> SCALE
  }
  return sum
}
function lnScaled(x: number): bigint {
  const ln2 = 2n * atanhScaled(1n, 3n)
  bits.setFloat64(0, x)
  const exponent = BigInt((bits.getUint32(0) >>> 20) - 1023)
  bits.setUint32(0, (bits.getUint32(0) & 0xfffff) | 0x3ff00000)
  const mantissa = BigInt(bits.getFloat64(0) * 2 ** 52)
  return exponent * ln2 + 2n * atanhScaled(mantissa - (1n << 52n), mantissa + (1n << 52n))
}
/** Distance of a double from a scaled integer, in ulps of the double. */
function ulpsFromScaled(x: number, scaled: bigint): number {
  bits.setFloat64(0, x)
  const exponent = ((bits.getUint32(0) >>> 20) & 0x7ff) - 1075
  const mantissa = ((bits.getBigUint64(0) & ((1n << 52n) - 1n)) | (1n << 52n)) * (x < 0 ? -1n : 1n)
  const shift = SCALE + BigInt(exponent)
  const ours = shift >= 0n ? mantissa << shift : mantissa >> -shift
  const difference = ours > scaled ? ours - scaled : scaled - ours
  return Number((difference << 20n) / (1n << shift)) / 2 ** 20
}

describe('ln', () => {
  test('stays within 2 ulp of the engine over all positive doubles', () => {
    expect(
      worst(POINTS, () => {
        const x = anyPositive()
        return ulps(ln(x), Math.log(x))
      }),
    ).toBeLessThanOrEqual(2)
  })
  test('stays within 2 ulp of the engine close to 1 and in [0, 1)', () => {
    expect(
      worst(POINTS, () => {
        const x = between(0.5, 2)
        return ulps(ln(x), Math.log(x))
      }),
    ).toBeLessThanOrEqual(2)
    expect(
      worst(POINTS, () => {
        const x = 1 + between(-1e-9, 1e-9)
        return ulps(ln(x), Math.log(x))
      }),
    ).toBeLessThanOrEqual(2)
    expect(
      worst(POINTS, () => {
        const x = stream.uniform()
        return ulps(ln(x), Math.log(x))
      }),
    ).toBeLessThanOrEqual(2)
  })
  test('is within 0.51 ulp of the series in integers', () => {
    expect(
      worst(2000, () => {
        const x = between(1e-3, 4)
        return ulpsFromScaled(ln(x), lnScaled(x))
      }),
    ).toBeLessThan(0.51)
  })
  test.each([1, 0, -0, Infinity, -1, -Infinity, NaN, 5e-324, 2.2250738585072014e-308, Number.MAX_VALUE])(
    'of %s is as the language specifies',
    (x) => {
      expect(ulps(ln(x), Math.log(x))).toBeLessThanOrEqual(1)
    },
  )
})

describe('exp', () => {
  test('stays within 2 ulp of the engine over its whole range', () => {
    expect(
      worst(POINTS, () => {
        const x = between(-746, 710)
        return ulps(exp(x), Math.exp(x))
      }),
    ).toBeLessThanOrEqual(2)
    expect(
      worst(POINTS, () => {
        const x = between(-1, 1)
        return ulps(exp(x), Math.exp(x))
      }),
    ).toBeLessThanOrEqual(2)
    expect(
      worst(POINTS, () => {
        const x = between(-1e-12, 1e-12)
        return ulps(exp(x), Math.exp(x))
      }),
    ).toBeLessThanOrEqual(2)
  })
  test.each([
    0,
    -0,
    1,
    -1,
    Infinity,
    -Infinity,
    NaN,
    709.782712893384,
    709.7827128933841,
    -745.1332191019411,
    -745.1332191019412,
    1e300,
    -1e300,
  ])('of %s is as the language specifies', (x) => {
    expect(ulps(exp(x), Math.exp(x))).toBeLessThanOrEqual(1)
  })
  test('undoes ln', () => {
    expect(
      worst(POINTS, () => {
        const x = between(0.4, 2.7)
        return ulps(exp(ln(x)), x)
      }),
    ).toBeLessThanOrEqual(2)
  })
})

describe('pow', () => {
  test('stays within 2 ulp of the engine', () => {
    expect(
      worst(POINTS, () => {
        const x = between(0, 4),
          y = between(-20, 20)
        return ulps(pow(x, y), Math.pow(x, y))
      }),
    ).toBeLessThanOrEqual(2)
    expect(
      worst(POINTS, () => {
        const x = anyPositive(),
          y = between(-3, 3)
        return ulps(pow(x, y), Math.pow(x, y))
      }),
    ).toBeLessThanOrEqual(2)
    expect(
      worst(POINTS, () => {
        const x = 1 + between(-1e-6, 1e-6),
          y = between(-6e8, 6e8)
        return ulps(pow(x, y), Math.pow(x, y))
      }),
    ).toBeLessThanOrEqual(2)
  })
  test('is exact where the result is a double', () => {
    for (let n = -1022; n <= 1023; n++) expect(pow(2, n)).toBe(2 ** n)
    for (let n = 0; n <= 22; n++) expect(pow(10, n)).toBe(Number(10n ** BigInt(n)))
    for (let n = 0; n <= 33; n++) expect(pow(-3, n)).toBe(Number((-3n) ** BigInt(n)))
    expect(pow(0.25, 0.5)).toBe(0.5)
  })
  test('has the special cases of the ** operator', () => {
    const values = [
      0,
      -0,
      1,
      -1,
      0.5,
      -0.5,
      2,
      -2,
      3,
      -3,
      1e300,
      -1e300,
      5e-324,
      Infinity,
      -Infinity,
      NaN,
      2 ** 53,
      2 ** 53 - 1,
      -(2 ** 53 - 1),
    ]
    for (const x of values) for (const y of values) expect([x, y, ulps(pow(x, y), x ** y) <= 1]).toEqual([x, y, true])
  })
})

test('ten thousand results have the known bits', () => {
  let hash = 0x811c9dc5
  const add = (x: number): void => {
    bits.setFloat64(0, x)
    for (let i = 0; i < 8; i++) hash = Math.imul(hash ^ bits.getUint8(i), 0x01000193) >>> 0
  }
  for (let i = 1; i <= 10_000; i++) {
    add(ln(i / 7))
    add(exp((i - 5000) / 13))
    add(pow(i / 9, (i % 40) / 3))
  }
  expect(hash).toMatchInlineSnapshot(`3994603678`)
})
