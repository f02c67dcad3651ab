/**
 * Flow group: what a summary says of some flows, gathered flow by flow. Of each measured finished flow two numbers are kept,
 * from which the quantiles are exact.
 */
import { jainOf } from './jain.ts'
import type { FlowRow } from './flow-rows.ts'
import type { Result } from '../result.ts'
import { endOfRunPs } from '../run-times.ts'

/** Numbers in the order in which they came. */
class Values {
  #data = new Float64Array(256)
  #count = 0

  add(value: number): void {
    if (this.#count === this.#data.length) {
      const wider = new Float64Array(Math.max(256, 2 * this.#count))
      wider.set(this.#data)
      this.#data = wider
    }
    this.#data[this.#count++] = value
  }

  copyOf({ all }: Values): void {
    this.#data = all.slice()
    this.#count = all.length
  }

  get all(): Float64Array {
    return this.#data.subarray(0, this.#count)
  }

  /** Ascending, without NaN, in place: there may be millions. */
  get sorted(): Float64Array {
    const sorted = this.all.sort()
    let count = sorted.length
    while (count > 0 && Number.isNaN(sorted[count - 1])) count--
    return sorted.subarray(0, count)
  }
}

export class FlowGroup {
  flows = 0
  finished = 0
  measured = 0
  deliveredBytes = 0
  readonly #result: Pick<Result, 'windowFromPs' | 'windowToPs' | 'simulatedPs' | 'stalledFromPs'>
  readonly #times = new Values()
  readonly #slowdowns = new Values()
  #firstPs = Infinity
  #lastPs = -Infinity
  /** Rates of flows that live in the window. */
  #rates = 0
  #rateSum = 0
  #squareSum = 0

  constructor(result: Pick<Result, 'windowFromPs' | 'windowToPs' | 'simulatedPs' | 'stalledFromPs'>) {
    this.#result = result
  }

  /** A group of the same flows, to which others can be added. */
  copy(): FlowGroup {
    const group = new FlowGroup(this.#result)
    group.flows = this.flows
    group.finished = this.finished
    group.measured = this.measured
    group.deliveredBytes = this.deliveredBytes
    group.#times.copyOf(this.#times)
    group.#slowdowns.copyOf(this.#slowdowns)
    group.#firstPs = this.#firstPs
    group.#lastPs = this.#lastPs
    group.#rates = this.#rates
    group.#rateSum = this.#rateSum
    group.#squareSum = this.#squareSum
    return group
  }

  add({ startPs, completionPs, idealPs, isMeasured, deliveredBytes }: FlowRow): void {
    const isOpen = Number.isNaN(completionPs)
    this.flows++
    if (isMeasured) this.measured++
    if (!isOpen) {
      this.finished++
      if (isMeasured) {
        this.#times.add(completionPs)
        this.#slowdowns.add(completionPs / idealPs)
      }
    }
    this.deliveredBytes += Number.isNaN(deliveredBytes) ? 0 : deliveredBytes
    const endPs = isOpen ? endOfRunPs(this.#result, startPs) : startPs + completionPs
    this.#firstPs = Math.min(this.#firstPs, startPs)
    if (!isOpen) this.#lastPs = Math.max(this.#lastPs, endPs)
    const rate = deliveredBytes / (endPs - startPs)
    if (startPs >= this.#result.windowToPs || endPs <= this.#result.windowFromPs || Number.isNaN(rate)) return
    this.#rates++
    this.#rateSum += rate
    this.#squareSum += rate * rate
  }

  /** Completion times of measured finished flows, ascending. */
  get timesPs(): Float64Array {
    return this.#times.sorted
  }

  /** Their slowdowns, ascending, without those that have no ideal time. */
  get slowdowns(): Float64Array {
    return this.#slowdowns.sorted
  }

  /** From the first start to the last end; where a flow did not finish, to the end of the run. 0 of none. */
  get activePs(): number {
    if (this.flows === 0) return 0
    const lastPs = this.#lastPs
    const isOpen = this.finished < this.flows
    return (isOpen ? Math.max(endOfRunPs(this.#result, this.#firstPs), lastPs) : lastPs) - this.#firstPs
  }

  /** Between flows that live in the window: delivered payload over the time they took, or had until the run ended. */
  get jainIndex(): number {
    return jainOf(this.#rates, this.#rateSum, this.#squareSum)
  }
}
