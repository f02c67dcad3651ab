/**
 * DCQCN, reaction point: ECN-driven rate control (DCTCP's severity, QCN's increase).
 * Source: [Survey] V-B; DCQCN's text as quoted in docs/models/dcqcn.md; firmware order after the ConnectX-4 parameters.
 * Two state machines share the increase and the parameters:
 *   on-cnp    each CNP cuts at once with the old alpha, then raises alpha ([Survey] Fig. 8);
 *   windowed  CNPs only set flags; a decrease check every decreaseInterval cuts, an alpha tick every alphaInterval
 *             moves alpha; the first CNP starts both and cuts nothing.
 */
import { DOUBLE_ZERO } from '../../base/double.ts'
import { pow } from '../../base/math.ts'
import { NEVER_PS, type ValuesOf } from '../../base/params.ts'
import { defineCongestion, type AckEvent, type CongestionContext } from './congestion.ts'
import { connectX4Params, dcqcnHpccParams, paperParams } from './dcqcn-params.ts'
import { LossEpisode } from './loss-episode.ts'
import { RATE_TIMER, StagedControl } from './staged.ts'

type DcqcnValues = ValuesOf<typeof paperParams>

const DECREASE_TIMER = RATE_TIMER + 1
/**
 * Beyond this number, overdue alpha ticks are computed as a power: after seconds of idleness a loop would dominate the
 * run time.
 */
const LOOPED_TICKS = 65_536

/**
 * Reaction point. Alpha's ticks are not events: alpha is only needed at a CNP or a decrease check, and catches up then
 * tick by tick. A tick and a CNP at the same instant are ordered by their causes: the previous tick, and the start of
 * the CNP's last transmission.
 */
export class Dcqcn extends StagedControl {
  /** As of the last CNP or check; `alphaAt` extrapolates. */
  alpha = DOUBLE_ZERO
  private readonly values: DcqcnValues
  private readonly windowed: boolean
  private readonly episode: LossEpisode
  private alphaCnp = false
  private decreaseCnp = false
  /** Time of the last marked ACK treated as a CNP. */
  private lastEchoPs = -Infinity
  /** Time of the next alpha tick not yet applied. */
  private nextTickPs = NEVER_PS

  constructor(values: DcqcnValues, context: CongestionContext) {
    super(values, context)
    this.values = values
    this.windowed = values.cut === 'windowed'
    this.alpha = values.alphaStart
    this.episode = new LossEpisode(context.sender)
  }

  override onAck(nowPs: number, ack: AckEvent): void {
    // A marked ACK is treated as a CNP, at most once per interval.
    if (!ack.marked || nowPs - this.lastEchoPs < this.values.cnpInterval) return
    this.lastEchoPs = nowPs
    this.onCnp(nowPs, ack.causePs)
  }

  override onCnp(nowPs: number, causePs: number): void {
    const v = this.values
    if (!this.windowed) {
      this.catchUp(nowPs, causePs)
      this.cut()
      this.alpha = (1 - v.g) * this.alpha + v.g
      this.isLimited = 1
      this.nextTickPs = nowPs + v.alphaInterval
      this.timers.set(RATE_TIMER, nowPs + v.rateInterval)
      return
    }
    this.decreaseCnp = true
    this.raisesOnly = 0
    if (this.isLimited !== 0) {
      this.catchUp(nowPs, causePs)
      this.alphaCnp = true
      return
    }
    // The CNP that starts the machine counts for the first check but not for the first alpha tick.
    this.start(nowPs)
  }

  override onLoss(nowPs: number): void {
    if (this.values.lossCut > 0 && this.episode.onLoss()) this.backOff(nowPs)
  }

  override onTimeout(nowPs: number): void {
    if (this.values.lossCut === 0) return
    this.episode.begin()
    this.backOff(nowPs)
  }

  /** Alpha at a time not before the last event. */
  alphaAt(nowPs: number): number {
    this.catchUp(nowPs, nowPs)
    return this.alpha
  }

  override onTimer(nowPs: number, slot: number): void {
    const v = this.values
    if (slot === RATE_TIMER) {
      this.timers.set(RATE_TIMER, nowPs + v.rateInterval)
      this.step()
    } else if (slot === DECREASE_TIMER) {
      this.timers.set(DECREASE_TIMER, nowPs + v.decreaseInterval)
      if (!this.decreaseCnp) return
      this.decreaseCnp = false
      this.raisesOnly = 1
      this.catchUp(nowPs, nowPs - v.decreaseInterval)
      this.cut()
      this.timers.set(RATE_TIMER, nowPs + v.rateInterval)
    }
  }

  override elapse(nowPs: number): void {
    const { timers } = this
    const { rateInterval, decreaseInterval } = this.values
    // A check that has a CNP cuts, which moves the next increase. Of an increase and a check at one instant the one comes first
    // whose last one was earlier: that is the increase below.
    if (this.decreaseCnp || (this.windowed && rateInterval <= decreaseInterval)) return
    const duePs = timers.deadlineOf(RATE_TIMER)
    if (duePs <= nowPs) {
      const ticks = Math.floor((nowPs - duePs) / rateInterval) + 1
      this.steps(ticks)
      if (this.isLimited !== 0) timers.set(RATE_TIMER, duePs + ticks * rateInterval)
    }
    const checkPs = timers.deadlineOf(DECREASE_TIMER)
    if (checkPs > nowPs) return
    const checks = Math.floor((nowPs - checkPs) / decreaseInterval) + 1
    timers.set(DECREASE_TIMER, checkPs + checks * decreaseInterval)
  }

  /** Steps of the timer, until the drivers stop. */
  private steps(ticks: number): void {
    const { fastRecovery, byteCounter, additiveRate } = this.values
    let left = ticks
    while (left > 0 && this.isLimited !== 0) {
      // Behind fast recovery, with a byte counter that is not, no step depends on the timer's stage.
      if (this.timerStage > fastRecovery && byteCounter !== null && this.byteStage <= fastRecovery) {
        const taken = this.climb(additiveRate, left)
        // The windowed machine goes on at line rate, where a step changes the stage alone.
        this.timerStage += this.isLimited === 0 ? taken : left
        return
      }
      this.step()
      left--
    }
  }

  private step(): void {
    if (this.countsFirst) this.timerStage++
    this.increase()
    if (!this.countsFirst) this.timerStage++
  }

  protected override get countsFirst(): boolean {
    return this.values.stageTest === 'after'
  }

  protected override isFast(mostStage: number): boolean {
    return this.values.stageTest === 'before' ? mostStage < this.values.fastRecovery : super.isFast(mostStage)
  }

  protected override hyperStepBps(leastStage: number): number {
    return this.values.hyperScaling === 'constant' ? this.values.hyperRate : super.hyperStepBps(leastStage)
  }

  /** The windowed machine never stops. */
  protected override rest(): void {
    if (!this.windowed) super.rest()
  }

  /** Starts the windowed machine, without a cut. */
  private start(nowPs: number): void {
    const v = this.values
    this.isLimited = 1
    this.nextTickPs = nowPs + v.alphaInterval
    this.timers.set(DECREASE_TIMER, nowPs + v.decreaseInterval + v.decreaseOffset)
    this.targetBps = this.rateBps
  }

  /** A loss cuts like a CNP except for its size; alpha measures marks and stays. */
  private backOff(nowPs: number): void {
    this.lossCuts++
    if (this.windowed && this.isLimited === 0) this.start(nowPs)
    this.clampTarget()
    this.cutBy(1 - this.values.lossCut)
    this.isLimited = 1
    this.timers.set(RATE_TIMER, nowPs + this.values.rateInterval)
  }

  /** A cut sets the target to the previous rate, or keeps the target if there was no increase since the last cut. */
  private clampTarget(): void {
    if (this.values.clampTarget || this.timerStage !== 0) this.targetBps = this.rateBps
  }

  private cut(): void {
    this.clampTarget()
    // [Survey] Fig. 8: the cut uses alpha as it was before this CNP.
    this.cutBy(1 - this.alpha / 2)
  }

  /** Applies the alpha ticks up to now; a tick at this very instant only if its cause came before `causePs`. */
  private catchUp(nowPs: number, causePs: number): void {
    const { g, alphaInterval } = this.values
    // A tick at this instant is applied now if its cause, the previous tick, came first.
    const isTickFirst = nowPs - alphaInterval < causePs
    // The first tick after a CNP differs from the others, and the last ones may not be due yet.
    const ticks = Math.floor((nowPs - this.nextTickPs) / alphaInterval) - 1
    if (ticks > LOOPED_TICKS) {
      this.tick()
      this.alpha *= pow(1 - g, ticks)
      this.nextTickPs += ticks * alphaInterval
    }
    for (;;) {
      const dueInPs = this.nextTickPs - nowPs
      if (dueInPs > 0 || (dueInPs === 0 && !isTickFirst)) return
      this.tick()
    }
  }

  private tick(): void {
    const { g, alphaInterval } = this.values
    this.alpha = (1 - g) * this.alpha + (this.alphaCnp ? g : 0)
    this.alphaCnp = false
    this.nextTickPs += alphaInterval
  }
}

function betweenTimers({ cut, decreaseInterval, rateInterval }: DcqcnValues): number {
  return cut === 'windowed' ? Math.min(decreaseInterval, rateInterval) : rateInterval
}

export const dcqcn = defineCongestion({
  name: 'dcqcn',
  help: "ECN marks come back as CNPs and cut the rate; timer and byte counter raise it (the paper's parameters)",
  source: '[Survey] V-B',
  needs: { ecn: true, cnp: true },
  params: paperParams,
  create: (values, context) => new Dcqcn(values, context),
  cnpIntervalPs: (values) => values.cnpInterval,
  timerPs: betweenTimers,
})

export const dcqcnConnectX4 = defineCongestion({
  name: 'dcqcn-connectx4',
  help: 'DCQCN with the defaults of ConnectX-4 firmware',
  source: '[IRN] 4.1; vendor parameter pages',
  needs: { ecn: true, cnp: true },
  params: connectX4Params,
  create: (values, context) => new Dcqcn(values, context),
  cnpIntervalPs: (values) => values.cnpInterval,
  timerPs: betweenTimers,
})

export const dcqcnHpcc = defineCongestion({
  name: 'dcqcn-hpcc',
  help: 'DCQCN as the HPCC fork runs it on lines of 100 Gb/s: windowed, without a byte counter; with qp.ecnEcho ack as there',
  source: 'HPCC fork: its run script, dcqcn',
  needs: { ecn: true, cnp: true },
  params: dcqcnHpccParams,
  create: (values, context) => new Dcqcn(values, context),
  cnpIntervalPs: (values) => values.cnpInterval,
  timerPs: betweenTimers,
})
