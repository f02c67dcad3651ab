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
    2509.0809287301227, 33430.57558358813, 67265.7709270087, 45921.95393154987, 13731.69376550946, 1971.5909503065513,
    133.14166789178438, 3.3871328727963665,
  ],
  [
    5226.495278852546, 28729.085735721943, 39307.89580009271, 21213.794301586597, 5394.196021424751, 687.1870074920579,
    42.31333070160091, 1,
  ],
] as const
const SHOULDER = [
  [
    0.0007745450142783414, 0.022723844989269184, 0.2417807251774506, 1.2704582524523684, 3.6478483247632045,
    5.769497221460691, 4.630337846156546, 1.4234371107496835,
  ],
  [
    1.0507500716444169e-9, 0.0005475938084995345, 0.015198666563616457, 0.14810397642748008, 0.6897673349851,
    1.6763848301838038, 2.053191626637759, 1,
  ],
] as const
const TAIL = [
  [
    2.0103343992922881e-7, 2.7115555687434876e-5, 0.0012426609473880784, 0.026532189526576124, 0.29656057182850487,
    1.7848265399172913, 5.463784911164114, 6.657904643501103,
  ],
  [
    2.0442631033899397e-15, 1.421511758316446e-7, 1.8463183175100548e-5, 0.0007868691311456133, 0.014875361290850615,
    0.1369298809227358, 0.599832206555888, 1,
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
