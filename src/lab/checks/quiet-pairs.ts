/**
 * Quiet pairs: since when each QP of a run that ends by the clock has delivered nothing new to its receiver, and how much
 * it has retransmitted since.
 * Queue pairs are sampled LOOKS times a run, or once per patience, whichever is more often; so a silence is known to
 * within one sample, and underestimated rather than overestimated.
 * Units: picoseconds, packets. Shapes: arrays by QP id.
 */
import { NEVER_PS } from '../../core/base/params.ts'
import type { Network } from '../../core/fabric/network.ts'
import type { QueuePair } from '../../core/fabric/pairs/queue-pair.ts'
import { ACK_TIMER, RNR_TIMER, SENDING_TIMER } from '../../core/transport/timers.ts'

const LOOKS = 32
/** The first sample comes this many times sooner than the later interval; from there the interval doubles. */
const FIRST_LOOKS = 1024
/** Retransmissions, and twice the packets that wait, in half of the run without a byte of progress, that are a livelock. */
const LIVELOCK_PACKETS = 100
/** Timers of a sender that make it send; the others are its congestion control's. */
const ENDPOINT_TIMERS = [ACK_TIMER, RNR_TIMER, SENDING_TIMER]

/** Neither end will send anything, now or later, unless it receives something. */
function isStill({ sender, receiver, senderTimers, receiverTimers }: QueuePair): boolean {
  if (Math.min(sender.nextSendPs, receiver.nextSendPs, receiverTimers.nextPs) !== NEVER_PS) return false
  if (ENDPOINT_TIMERS.some((slot) => senderTimers.isSet(slot))) return false
  // A window below one packet waits for its release.
  return sender.congestion.windowPackets >= 1 || senderTimers.nextPs === NEVER_PS
}

export class QuietPairs {
  readonly #patiencePs: number
  readonly #peakBytes: number[] = []
  readonly #sincePs: number[] = []
  readonly #resentThen: number[] = []

  /**
   * @param endPs when the run ends.
   * @param patiencePs longer than any silence that may end by itself.
   */
  constructor(network: Network, endPs: number, patiencePs: number) {
    this.#patiencePs = patiencePs
    const intervalPs = Math.max(1, Math.floor(Math.min(patiencePs, endPs / LOOKS)))
    // Often at first, so that V8 has run it before it compiles the event loop: a late first call costs half a second.
    let gapPs = Math.max(1, Math.floor(intervalPs / FIRST_LOOKS))
    const actor = network.addActor({
      onEvent: (nowPs) => {
        for (const pair of network.pairs) this.#look(nowPs, pair)
        gapPs = Math.min(intervalPs, 2 * gapPs)
        network.actAt(nowPs + gapPs, actor)
      },
    })
    network.actAt(gapPs, actor)
  }

  #look(nowPs: number, { id, sender, receiver }: QueuePair): void {
    // Bytes that go-back-0 discards and receives again are not new.
    if (receiver.delivered.peakBytes === this.#peakBytes[id]) return
    this.#peakBytes[id] = receiver.delivered.peakBytes
    this.#sincePs[id] = nowPs
    this.#resentThen[id] = sender.retransmissions
  }

  /**
   * State at the end of the run of a QP with an unfinished message of `startPs`: it sends without progress, or nothing
   * moves any more; null: neither is certain.
   * @param isHeld its class was paused at its host for half of the run
   */
  verdict(nowPs: number, pair: QueuePair, startPs: number, isHeld: boolean): 'livelock' | 'stalled' | null {
    this.#look(nowPs, pair)
    const silentPs = nowPs - Math.max(startPs, this.#sincePs[pair.id]!)
    const resent = pair.sender.retransmissions - this.#resentThen[pair.id]!
    const waiting = pair.sender.end - pair.sender.una
    if (isHeld && silentPs >= nowPs / 2) return 'stalled'
    const isCircling = resent >= LIVELOCK_PACKETS && resent >= 2 * waiting && silentPs >= nowPs / 2
    if (isCircling) return 'livelock'
    if (isStill(pair) && silentPs >= nowPs / 2) return 'stalled'
    if (silentPs < this.#patiencePs) return null
    return resent > 0 ? 'livelock' : 'stalled'
  }
}
