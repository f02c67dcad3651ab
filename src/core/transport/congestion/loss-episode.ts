/**
 * Loss episode: a set of losses that causes one cut. It begins with a loss or a timeout and ends when everything sent
 * by then is acknowledged (the recovery point of RFC 6582), so that losses cut about once per round trip.
 * `highest` marks its end, not `nxt`, which go-back-N has already moved back.
 * Units: PSNs, unbounded.
 */
import { ratio } from '../../base/params.ts'
import type { SenderView } from './congestion.ts'

/** For rate controls, which otherwise ignore losses. */
export const lossCut = ratio({
  default: 0,
  help: 'share by which a loss cuts the rate, once per episode, and each timeout; 0: losses change nothing',
  source: '[IRN] 4.3 (1): backing off with go-back-N, share not said; TCP: 0.5',
})

export class LossEpisode {
  private readonly sender: SenderView
  /** One past the last packet of the episode. */
  private endPsn = 0

  constructor(sender: SenderView) {
    this.sender = sender
  }

  /** A loss; true if it begins an episode and thus calls for a cut. */
  onLoss(): boolean {
    if (this.sender.una < this.endPsn) return false
    this.begin()
    return true
  }

  /** Begins an episode, even within another one: each timeout does. */
  begin(): void {
    this.endPsn = this.sender.highest
  }

  /** Whether a packet was sent before the episode began. */
  has(psn: number): boolean {
    return psn < this.endPsn
  }
}
