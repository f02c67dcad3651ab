/**
 * HOT. Retransmission timeout from measured round trips: SRTT + 4 RTTVAR, doubled at each timeout until the next sample.
 * Units: picoseconds. Invariant: least <= timeout <= most.
 * Source: RFC 6298 2, 5.5; Linux for a least variation (tcp_rtt_estimator of net/ipv4/tcp_input.c); the caller leaves out packets sent again (Karn's algorithm, section 3).
 */
import { DOUBLE_ZERO } from '../base/double.ts'

/** No timeout exceeds the first one doubled this often. */
const MOST_DOUBLINGS = 6

/** The longest timeout possible. */
export function mostTimeoutPs(firstPs: number, leastPs: number): number {
  return (firstPs > leastPs ? firstPs : leastPs) * 2 ** MOST_DOUBLINGS
}

export class RttEstimator {
  timeoutPs = DOUBLE_ZERO
  srttPs = DOUBLE_ZERO
  rttVarPs = DOUBLE_ZERO
  private readonly leastPs: number
  private readonly mostPs: number
  private readonly leastVariationPs: number
  private hasSample = 0

  /** @param leastVariationPs minimum difference between the timeout and SRTT. */
  constructor(firstPs: number, leastPs: number, leastVariationPs = 0) {
    this.timeoutPs = firstPs
    this.leastPs = leastPs
    this.mostPs = mostTimeoutPs(firstPs, leastPs)
    this.leastVariationPs = leastVariationPs
  }

  sample(rttPs: number): void {
    if (this.hasSample === 0) {
      this.hasSample = 1
      this.srttPs = rttPs
      this.rttVarPs = rttPs / 2
    } else {
      const error = this.srttPs - rttPs
      // RTTVAR first: it uses the previous SRTT (2.3).
      this.rttVarPs += ((error < 0 ? -error : error) - this.rttVarPs) / 4
      this.srttPs -= error / 8
    }
    const variationPs = 4 * this.rttVarPs
    this.bound(Math.round(this.srttPs + (variationPs > this.leastVariationPs ? variationPs : this.leastVariationPs)))
  }

  /** Doubles the timeout after it has expired. */
  backOff(): void {
    this.bound(this.timeoutPs * 2)
  }

  private bound(timeoutPs: number): void {
    if (timeoutPs < this.leastPs) this.timeoutPs = this.leastPs
    else if (timeoutPs > this.mostPs) this.timeoutPs = this.mostPs
    else this.timeoutPs = timeoutPs
  }
}
