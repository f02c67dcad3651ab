/**
 * Common part of controls with a congestion window: its start, its floor, and one halving per recovery episode.
 * Units: packets, real; PSNs unbounded. Invariant: minWindow <= windowPackets.
 */
import { count, countOrOff, type ValuesOf } from '../../base/params.ts'
import { type AckEvent, type CongestionContext, CongestionControl, type SenderView } from './congestion.ts'
import { LossEpisode } from './loss-episode.ts'

/** Shared by all controls with a window. */
export const initialWindow = countOrOff({
  default: null,
  min: 1,
  help: 'packets that may be in flight at first; off: the BDP of the path; with aimd, dctcp and dx over a recovery that caps packets in flight (irn), its cap, over tcp 10',
  source: '[IRN] 4.1 and 4.4.4: flows start at line rate, without slow start; over tcp RFC 6928',
})

export const windowParams = {
  initialWindow,
  minWindow: count({
    default: 1,
    min: 1,
    help: 'packets that may always be in flight',
    source: 'one packet in flight keeps ACKs coming; Linux: 2',
  }),
}

/**
 * Whether the window limited its sender when this ACK arrived: not one more packet could have been sent. A window that
 * grows without being used means nothing, has no end, and a later cut of it has no effect (RFC 7661).
 */
export function wasFull({ cumulativePsn, nextPsn, newPackets }: AckEvent, windowPackets: number): boolean {
  return nextPsn - cumulativePsn + newPackets + 1 > windowPackets
}

export abstract class WindowControl extends CongestionControl {
  protected readonly sender: SenderView
  protected readonly minPackets: number
  /** Next PSN to send when marks last cut the window: packets sent before belong to the same window of data. */
  protected markedUntil = 0
  private readonly episode: LossEpisode

  constructor(values: ValuesOf<typeof windowParams>, context: CongestionContext) {
    super(context)
    this.sender = context.sender
    this.episode = new LossEpisode(context.sender)
    this.minPackets = values.minWindow
    this.windowPackets = Math.max(values.minWindow, values.initialWindow ?? context.startPackets)
  }

  override onLoss(_nowPs: number): void {
    // RFC 3168 6.1.2: losses and marks of one window of data cut once.
    if (this.episode.onLoss() && this.sender.una >= this.markedUntil) this.scale(0.5)
  }

  override onTimeout(_nowPs: number): void {
    this.episode.begin()
    this.scale(0.5)
  }

  /** An ACK belongs to an episode if it begins below the recovery point; the one that ends it still does. */
  protected isRecovering(ack: AckEvent): boolean {
    return this.episode.has(ack.cumulativePsn - ack.newPackets)
  }

  protected scale(factor: number): void {
    const packets = this.windowPackets * factor
    this.windowPackets = packets > this.minPackets ? packets : this.minPackets
  }
}
