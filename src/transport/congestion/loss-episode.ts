/**
 * Loss episode: the losses that one cut pays for. It begins with a loss or a timeout and ends when everything sent by then
 * is acknowledged (the recovery point of RFC 6582), so that a window of losses cuts about once per round trip.
 * `highest` marks it and not `nxt`, which go-back-N has already moved back.
 * Units: PSNs, unbounded.
 */
import { ratio } from '../../base/params.ts'
import type { SenderView } from './congestion.ts'

/** Of controls with a rate, which hear no losses of themselves. */
export const lossCut = ratio({
  default: 0,
  help: 'share of the rate that a loss takes, once per episode, and each timeout; 0: losses change nothing',
  source: '[IRN] 4.3 (1): backing off with go-back-N, share not said; TCP: 0.5',
})

export class LossEpisode {
  private readonly sender: SenderView
  /** One past the last packet of the episode. */
  private endPsn = 0

  constructor(sender: SenderView) {
    this.sender = sender
  }

  /** A loss; true: it begins an episode and is to be paid for. */
  onLoss(): boolean {
    if (this.sender.una < this.endPsn) return false
    this.endPsn = this.sender.highest
    return true
  }

  /** A timeout begins an episode, also within another. */
  onTimeout(): void {
    this.endPsn = this.sender.highest
  }

  /** Whether a packet was sent before the episode began. */
  has(psn: number): boolean {
    return psn < this.endPsn
  }
}
