/**
 * Logarithm, exponential and power with the same last bit on every JavaScript engine.
 * The language leaves Math.log, Math.exp and Math.pow to each engine; here only + - * / and the bits of a
 * double are used, all of which IEEE 754 fixes. Math.sqrt is exactly rounded and needs no twin.
 * Accuracy: below 1 ulp (ln about 0.5, exp and pow about 0.6; subnormal results one more rounding).
 * Method: ln m = 2 atanh((m - 1) / (m + 1)) on [sqrt 1/2, sqrt 2), and the series of e^r on |r| <= ln(2)/2; leading
 * terms are carried as a sum of two doubles (Dekker 1971, Knuth), which pow needs: y * ln x magnifies errors by y.
 */

/** ln 2 = LN2_HIGH + LN2_LOW; the first has 42 bits, so that its product with any exponent is exact. */
const LN2_HIGH = 0.693147180559890330187045037746429443359375
const LN2_LOW = 5.497923018708371e-14
const INVERSE_LN2 = 1.4426950408889634
const SQRT2 = 1.4142135623730951
/** 2^27 + 1: splits a double into two halves whose products are exact. */
const SPLITTER = 134217729
const TWO_54 = 18014398509481984
/** 1/3 and 1/5 as sums of two doubles. */
const THIRD = 1 / 3
const THIRD_LOW = 1.850371707708594e-17
const FIFTH = 1 / 5
const FIFTH_LOW = -1.1102230246251566e-17
/** 1/7, 1/9, ...: z^13 / 27 is below 2^-70 of the sum for z <= 0.0295. */
const ATANH_TERMS = Float64Array.from({ length: 11 }, (_, i) => 1 / (7 + 2 * i))
/** 1/2!, 1/3!, ... 1/16!: the next term is below 2^-70 for |r| <= 0.347. */
const EXP_TERMS = ((): Float64Array => {
  const terms = new Float64Array(15)
  let factorial = 1
  for (let n = 2; n <= 16; n++) {
    factorial *= n
    terms[n - 2] = 1 / factorial
  }
  return terms
})()

const view = new DataView(new ArrayBuffer(8))
/** Second result of lnHigh; read at once by its caller, never kept. */
const low = new Float64Array(1)

/** Natural logarithm. ln(0) = -Infinity; NaN below 0. */
export function ln(x: number): number {
  if (!(x > 0) || x === Infinity) return x === 0 ? -Infinity : x > 0 ? Infinity : NaN
  const high = lnHigh(x)
  return high + low[0]!
}

/** e^x. Overflows to Infinity above 709.78, underflows to 0 below -745.13. */
export function exp(x: number): number {
  return expSum(x, 0)
}

/** x^y with the special cases of the language's ** operator (1 ** Infinity is NaN, x ** 0 is 1). */
export function pow(x: number, y: number): number {
  if (y === 0) return 1
  if (x !== x || y !== y) return NaN
  const magnitude = x < 0 ? -x : x
  if (y === Infinity || y === -Infinity) {
    if (magnitude === 1) return NaN
    return magnitude > 1 === y > 0 ? Infinity : 0
  }
  const isInteger = Math.floor(y) === y
  const isNegative = x < 0 || Object.is(x, -0)
  const sign = isNegative && isInteger && y % 2 !== 0 ? -1 : 1
  if (magnitude === 0 || magnitude === Infinity) return sign * (magnitude > 1 === y > 0 ? Infinity : 0)
  if (isNegative && !isInteger) return NaN
  if (magnitude === 1) return sign
  // |ln x| >= 2^-53 here: beyond this exponent the result is past every double.
  if (y > 2 ** 65 || y < -(2 ** 65)) return sign * (magnitude > 1 === y > 0 ? Infinity : 0)
  const high = lnHigh(magnitude)
  const product = y * high
  return sign * expSum(product, productError(y, high, product) + y * low[0]!)
}

/** a * b - product, exactly, when product is the rounded a * b (Dekker). No overflow below 2^996. */
function productError(a: number, b: number, product: number): number {
  const aSplit = SPLITTER * a
  const aHigh = aSplit - (aSplit - a)
  const aLow = a - aHigh
  const bSplit = SPLITTER * b
  const bHigh = bSplit - (bSplit - b)
  const bLow = b - bHigh
  return aLow * bLow - (product - aHigh * bHigh - aLow * bHigh - aHigh * bLow)
}

/** a + b - sum, exactly, when sum is the rounded a + b (Knuth). */
function sumError(a: number, b: number, sum: number): number {
  const bRounded = sum - a
  return a - (sum - bRounded) + (b - bRounded)
}

/** ln x for finite x > 0 as returned value + low[0], to about 2^-65 of its size. */
function lnHigh(x: number): number {
  let exponent = 0
  if (x < 2.2250738585072014e-308) {
    x *= TWO_54
    exponent = -54
  }
  view.setFloat64(0, x)
  const top = view.getUint32(0)
  exponent += (top >>> 20) - 1023
  view.setUint32(0, (top & 0xfffff) | 0x3ff00000)
  let m = view.getFloat64(0)
  if (m > SQRT2) {
    m *= 0.5
    exponent++
  }

  const f = m - 1
  const d = 2 + f
  const dLow = f - (d - 2)
  const s = f / d
  const sd = s * d
  const sLow = (f - sd - productError(s, d, sd) - s * dLow) / d

  const z = s * s
  const zLow = productError(s, s, z) + 2 * s * sLow
  let tail = 0
  for (let i = ATANH_TERMS.length - 1; i >= 0; i--) tail = ATANH_TERMS[i]! + z * tail

  const zTail = z * tail
  const t = FIFTH + zTail
  const tLow = sumError(FIFTH, zTail, t) + FIFTH_LOW
  const u = z * t
  const uLow = productError(z, t, u) + (z * tLow + zLow * t)
  const v = THIRD + u
  const vLow = sumError(THIRD, u, v) + (uLow + THIRD_LOW)
  const q = z * v
  const qLow = productError(z, v, q) + (z * vLow + zLow * v)
  const w = s * q
  const wLow = productError(s, q, w) + (s * qLow + sLow * q)

  const whole = exponent * LN2_HIGH
  const first = whole + 2 * s
  const second = first + 2 * w
  const rest =
    sumError(whole, 2 * s, first) + sumError(first, 2 * w, second) + (2 * sLow + 2 * wLow + exponent * LN2_LOW)
  const high = second + rest
  low[0] = second - high + rest
  return high
}

/** e^(x + xLow) for |xLow| far below |x|. */
function expSum(x: number, xLow: number): number {
  if (x !== x) return NaN
  if (x > 710) return Infinity
  if (x < -746) return 0
  const k = Math.floor(x * INVERSE_LN2 + 0.5)
  const a = x - k * LN2_HIGH
  const b = k * LN2_LOW - xLow
  const r = a - b
  const rLow = a - r - b
  let tail = 0
  for (let i = EXP_TERMS.length - 1; i >= 0; i--) tail = EXP_TERMS[i]! + r * tail
  const h = 1 + r
  const sum = h + (r - (h - 1) + (rLow + r * rLow + r * r * tail))
  // In two steps: 2^k alone may be no normal double.
  const half = k >> 1
  return sum * powerOfTwo(half) * powerOfTwo(k - half)
}

/** 2^exponent, exactly, for -1022 .. 1023. */
export function powerOfTwo(exponent: number): number {
  view.setUint32(0, (exponent + 1023) << 20)
  view.setUint32(4, 0)
  return view.getFloat64(0)
}
