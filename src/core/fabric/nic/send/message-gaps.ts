/**
 * HOT. Message gaps: a NIC takes some time to begin with a work request of a queue pair, so that the next message of the
 * same queue pair starts no earlier than a gap after the one before. Packets within a message and retransmissions do not
 * wait. A NIC without a gap (the default) has a plain round robin, and nothing of this.
 * Units: picoseconds, unbounded PSNs.
 * Invariant: `sent` is the highest PSN at the last look; each packet is followed by a look in the instant it is taken.
 */
import { DOUBLE_ZERO } from '../../../base/double.ts'
import type { Memory } from '../../../base/memory.ts'
import type { PacketSpace } from '../../../transport/send/packet-space.ts'
import type { RoundRobinEntry } from '../../pairs/round-robin-entry.ts'
import { RoundRobin } from '../round-robin.ts'

/** The last message that a sender has begun. */
class LastStart {
  sent: number
  startPs = DOUBLE_ZERO

  constructor(sent: number) {
    this.sent = sent
    this.startPs = -Infinity
  }
}

/** By sender, which may use several NICs of its host. */
export type LastStarts = WeakMap<PacketSpace, LastStart>

export class MessageGaps {
  private readonly clock: { readonly nowPs: number }
  private readonly starts: LastStarts
  private readonly gapPs: number

  constructor(clock: { readonly nowPs: number }, starts: LastStarts, gapPs: number) {
    this.clock = clock
    this.starts = starts
    this.gapPs = gapPs
  }

  /** The sender's next packet does not leave before then; 0: at once. */
  untilPs(sender: PacketSpace): number {
    const { nowPs } = this.clock
    const { highest, nxt } = sender
    let last = this.starts.get(sender)
    if (last === undefined) this.starts.set(sender, (last = new LastStart(highest)))
    if (highest > last.sent) {
      last.sent = highest
      if (sender.firstPsnOf(highest - 1) === highest - 1) last.startPs = nowPs
    }
    const isAgain = nxt < highest || (sender.resendPsn >= 0 && sender.resendFromPs <= nowPs)
    if (isAgain || nxt >= sender.end || sender.firstPsnOf(nxt) !== nxt) return 0
    return last.startPs + this.gapPs
  }
}

/** Options of a round robin. */
interface Order {
  readonly isCompacting: boolean
  readonly packetsPerTurn: number
  /** null: none. */
  readonly messageGaps: MessageGaps | null
}

class GapRoundRobin extends RoundRobin {
  private readonly gaps: MessageGaps

  constructor(memory: Memory, options: Order, gaps: MessageGaps) {
    super(memory, options.isCompacting, options.packetsPerTurn)
    this.gaps = gaps
  }

  override setReady(index: number, readyPs: number): void {
    const entry = this.pairAt(index) as RoundRobinEntry | null
    const untilPs = entry === null ? 0 : this.gaps.untilPs(entry.sender)
    super.setReady(index, untilPs > readyPs ? untilPs : readyPs)
  }
}

/** The round robin of a NIC. */
export function createRoundRobin(memory: Memory, options: Order): RoundRobin {
  const { isCompacting, packetsPerTurn, messageGaps } = options
  return messageGaps === null
    ? new RoundRobin(memory, isCompacting, packetsPerTurn)
    : new GapRoundRobin(memory, options, messageGaps)
}
