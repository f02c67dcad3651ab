/** A reaction point of DCQCN alone, for tests. */
import { contextOf } from '../../../../tests/support/control-world.ts'
import { defaultsOf, GBPS, type ValuesOf } from '../../base/params.ts'
import { Timers } from '../timers.ts'
import { type dcqcn, Dcqcn, type dcqcnConnectX4, type dcqcnHpcc } from './dcqcn.ts'

type Values = ValuesOf<typeof dcqcn.params>

/** With its timers. */
export class Point {
  readonly timers: Timers
  readonly dcqcn: Dcqcn
  constructor(
    definition: typeof dcqcn | typeof dcqcnConnectX4 | typeof dcqcnHpcc,
    values: Partial<Values> = {},
    lineGbps = 40,
  ) {
    let orders = 0
    this.timers = new Timers({ draw: () => ++orders })
    this.dcqcn = new Dcqcn(
      { ...defaultsOf(definition.params), ...values },
      contextOf({ lineRateBps: lineGbps * GBPS, timers: this.timers }),
    )
  }
  /** Fires all timers up to this time. */
  until(timePs: number): this {
    while (this.timers.nextPs <= timePs) {
      const { nextPs, nextSlot } = this.timers
      this.timers.clear(nextSlot)
      this.dcqcn.onTimer(nextPs, nextSlot)
    }
    return this
  }
  cnp(timePs: number): this {
    this.until(timePs).dcqcn.onCnp(timePs, timePs)
    return this
  }
  /** Sets rate and target, as after a long time without CNPs. */
  at(gbps: number): this {
    this.dcqcn.rateBps = this.dcqcn.targetBps = gbps * GBPS
    return this
  }
  get rateGbps(): number {
    return this.dcqcn.rateBps / GBPS
  }
  get targetGbps(): number {
    return this.dcqcn.targetBps / GBPS
  }
}
