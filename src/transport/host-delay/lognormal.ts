/**
 * HOT. Lognormal: times whose logarithm is normal, given by two percentiles.
 *     time = median * e^(sigma z),  sigma = ln(p99 / median) / 2.3263
 * with z the normal quantile of a uniform draw, by Wichura's algorithm AS 241 (PPND16), accurate to 1e-15.
 * Source: Wichura 1988, Applied Statistics 37(3).
 */
import { inputError } from '../../base/issue.ts'
import { exp, ln } from '../../base/math.ts'
import { duration, SECOND, US } from '../../base/params.ts'
import type { RandomStream } from '../../base/random.ts'
import { formatQuantity } from '../../base/units.ts'
import { defineHostDelay, type HostDelay } from './host-delay.ts'

/** Normal quantile of 0.99. */
const Z99 = 2.3263478740408408

/** Coefficients of AS 241, by falling powers, for the middle, the shoulder and the tail. */
const MIDDLE = [
  [
    2509.0809287301226727, 33430.575583588128105, 67265.770927008700853, 45921.953931549871457, 13731.693765509461125,
    1971.5909503065514427, 133.14166789178437745, 3.387132872796366608,
  ],
  [
    5226.495278852545925, 28729.085735721942674, 39307.89580009271061, 21213.794301586595867, 5394.1960214247511077,
    687.1870074920579083, 42.313330701600911252, 1,
  ],
] as const
const SHOULDER = [
  [
    7.7454501427834140764e-4, 0.0227238449892691845833, 0.24178072517745061177, 1.27045825245236838258,
    3.64784832476320460504, 5.7694972214606914055, 4.6303378461565452959, 1.42343711074968357734,
  ],
  [
    1.05075007164441684324e-9, 5.475938084995344946e-4, 0.0151986665636164571966, 0.14810397642748007459,
    0.68976733498510000455, 1.6763848301838038494, 2.05319162663775882187, 1,
  ],
] as const
const TAIL = [
  [
    2.01033439929228813265e-7, 2.71155556874348757815e-5, 0.0012426609473880784386, 0.026532189526576123093,
    0.29656057182850489123, 1.7848265399172913358, 5.4637849111641143699, 6.6579046435011037772,
  ],
  [
    2.04426310338993978564e-15, 1.4215117583164458887e-7, 1.8463183175100546818e-5, 7.868691311456132591e-4,
    0.0148753612908506148525, 0.13692988092273580531, 0.59983220655588793769, 1,
  ],
] as const

type Rational = readonly [readonly number[], readonly number[]]

function ratioOf([above, below]: Rational, x: number): number {
  let [top, bottom] = [0, 0]
  for (let i = 0; i < above.length; i++) {
    top = top * x + above[i]!
    bottom = bottom * x + below[i]!
  }
  return top / bottom
}

/** The normal quantile of a share, 0 < share < 1. */
export function normalQuantile(share: number): number {
  const q = share - 0.5
  if (Math.abs(q) <= 0.425) return q * ratioOf(MIDDLE, 0.180625 - q * q)
  const r = Math.sqrt(-ln(q < 0 ? share : 1 - share))
  const z = r <= 5 ? ratioOf(SHOULDER, r - 1.6) : ratioOf(TAIL, r - 5)
  return q < 0 ? -z : z
}

class LognormalDelay implements HostDelay {
  private readonly leastPs: number
  private readonly medianPs: number
  private readonly sigma: number
  private readonly mostPs: number

  constructor(leastPs: number, medianPs: number, sigma: number, mostPs: number) {
    this.leastPs = leastPs
    this.medianPs = medianPs
    this.sigma = sigma
    this.mostPs = mostPs
  }

  drawPs(random: RandomStream): number {
    // Never 0: half of the last bit is added.
    const share = random.uniform() + 2 ** -54
    return this.leastPs + Math.min(Math.round(this.medianPs * exp(this.sigma * normalQuantile(share))), this.mostPs)
  }
}

export const lognormal = defineHostDelay({
  name: 'lognormal',
  help: 'a least time and a part whose logarithm is normal, given by two percentiles',
  source: 'own: a common form of the latency of software',
  params: {
    least: duration({ default: 0, max: SECOND, help: 'least time of a packet, in each host and direction' }),
    median: duration({ default: US, min: 1, max: SECOND, help: 'median of what a packet takes on top of it' }),
    p99: duration({ default: 3 * US, min: 1, max: SECOND, help: '99th percentile of that; at least the median' }),
    most: duration({ default: SECOND, min: 1, max: SECOND, help: 'longer times are cut to this' }),
  },
  create({ least, median, p99, most }) {
    const time = (value: number): string => formatQuantity('duration', value)
    if (p99 < median) {
      throw inputError('p99', `at least median, ${time(median)}`, time(p99), 'the 99th percentile is above the median')
    }
    return new LognormalDelay(least, median, ln(p99 / median) / Z99, most)
  },
})
