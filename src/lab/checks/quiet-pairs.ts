/**
 * Quiet pairs: since when each QP of a run that ends by the clock has brought its receiver nothing new, and how much it
 * has sent again since.
 * It looks LOOKS times a run, or as often as a silence may last, whichever is more often; so a silence is known to within
 * one look, and told too short rather than too long.
 * Units: picoseconds, packets. Shapes: arrays by QP id.
 */
import { NEVER_PS } from '../../base/params.ts'
import type { Network } from '../../fabric/network.ts'
import type { QueuePair } from '../../fabric/nic/queue-pair.ts'
import { ACK_TIMER, RNR_TIMER, SENDING_TIMER } from '../../transport/timers.ts'

const LOOKS = 32
/** The first look comes so many times sooner than the distance of later ones; from there the distance doubles. */
const FIRST_LOOKS = 1024
/** So many packets sent again, and twice what waits, in half of the run without a byte of progress: a livelock. */
const LIVELOCK_PACKETS = 100
/** Of a sender; the others are its congestion control's, which sends nothing. */
const ENDPOINT_TIMERS = [ACK_TIMER, RNR_TIMER, SENDING_TIMER]

/** Neither end means to send anything, now or at any time. */
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
    // Often at first, so that the engine has seen it before it compiles the loop: late, that costs half a second.
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
    // What go-back-0 forgets and gets again is nothing new.
    if (receiver.delivered.peakBytes === this.#peakBytes[id]) return
    this.#peakBytes[id] = receiver.delivered.peakBytes
    this.#sincePs[id] = nowPs
    this.#resentThen[id] = sender.retransmissions
  }

  /**
   * What a QP does, when the run ends, with a message that came at `startPs`: it sends without progress, or nothing moves any
   * more; null: neither is known.
   * @param isHeld its host has had to hold it back for half of the run
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
