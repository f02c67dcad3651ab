/**
 * D2TCP: DCTCP whose cut is weighted by urgency: a near deadline yields less.
 * Units: picoseconds, packets. Invariant: 0.5 <= urgency <= 2.
 * Source: [Survey] IV-B names it; D2TCP (SIGCOMM 2012) and public ns-3 code for the formula (docs/models/d2tcp.md).
 * A deadline counts from the first packet of everything posted by then, until all of that is acknowledged.
 */
import { DOUBLE_ZERO } from '../../base/double.ts'
import { pow } from '../../base/math.ts'
import { durationOrOff, type ValuesOf } from '../../base/params.ts'
import { defineCongestion, type AckEvent, type CongestionContext } from './congestion.ts'
import { Dctcp, dctcpParams } from './dctcp.ts'

const params = {
  ...dctcpParams,
  deadline: durationOrOff({
    default: null,
    min: 1,
    help: 'time a message may take, from its first packet on; off: as DCTCP',
    source: 'D2TCP',
  }),
}

/** D2TCP: bounds of the urgency. */
const LEAST_URGENCY = 0.5
const MOST_URGENCY = 2
/** D2TCP: the mean window of a sawtooth between W/2 and W. */
const SAWTOOTH_MEAN = 0.75

/**
 * Time the rest needs at this window over the time left until the deadline, clamped; the minimum if either is used up.
 */
export function urgencyOf(of: {
  readonly remainingPackets: number
  readonly windowPackets: number
  readonly rttPs: number
  readonly leftPs: number
}): number {
  if (of.leftPs <= 0 || of.remainingPackets <= 0) return LEAST_URGENCY
  const neededPs = (of.remainingPackets * of.rttPs) / (SAWTOOTH_MEAN * of.windowPackets)
  return Math.min(MOST_URGENCY, Math.max(LEAST_URGENCY, neededPs / of.leftPs))
}

export class D2tcp extends Dctcp {
  private readonly deadlinePs: number | null
  private duePs = DOUBLE_ZERO
  /** One past the last packet that is due at the deadline. */
  private dueEnd = 0

  constructor(values: ValuesOf<typeof params>, context: CongestionContext) {
    super(values, context)
    this.deadlinePs = values.deadline
  }

  override onSent(nowPs: number, _wireBytes: number): void {
    if (this.deadlinePs === null || this.sender.una < this.dueEnd) return
    this.duePs = nowPs + this.deadlinePs
    this.dueEnd = this.sender.end
  }

  protected override severity(nowPs: number, ack: AckEvent): number {
    if (this.deadlinePs === null) return this.alpha
    const urgency = urgencyOf({
      remainingPackets: this.dueEnd - this.sender.una,
      windowPackets: this.windowPackets,
      rttPs: ack.rttPs,
      leftPs: this.duePs - nowPs,
    })
    return pow(this.alpha, urgency)
  }
}

export const d2tcp = defineCongestion({
  name: 'd2tcp',
  help: 'DCTCP that yields less the nearer the deadline is',
  source: 'D2TCP; [Survey] IV-B',
  needs: { ecn: true, perPacketAck: true },
  params,
  create: (values, context) => new D2tcp(values, context),
  // As DCTCP.
  windowCovers: 'all',
  cnpIntervalPs: () => 0,
})
