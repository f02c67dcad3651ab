/**
 * Rates: what the congestion control of chosen QPs allows, what the network tells their senders, and how far their PSNs
 * are, sampled.
 * rateBps is the rate the sender paces by; windowPackets the window of its control (NaN: none); una and nxt are
 * unbounded packet numbers from 0: the first that is not acknowledged and the next to send. rttPs is the last round trip
 * that the sender could measure (NaN: none yet); acks, markedAcks and cnps count from the beginning of the QP.
 */
import { text } from '../../core/base/params.ts'
import type { QueuePair } from '../../core/fabric/pairs/queue-pair.ts'
import { type ColumnSpec, TableBuilder } from '../../core/results/table.ts'
import { rowLimit, sampleParams, tableName } from './limits.ts'
import { defineMetric } from './metric.ts'
import { OpenPairs } from './open-pairs.ts'
import { PAIRS_HELP, selectPairs } from './pair-selector.ts'
import { watchSender } from './joint-watch.ts'
import { ACK, CNP, ECE, NAK, RTT_RESPONSE, type Segment } from '../../core/transport/segment.ts'
import type { SenderWatch } from '../../core/transport/send/watched-sender.ts'

/**
 * Replies that one sender receives: round trips, echoes of ECN marks, CNPs. A reply counts when it
 * arrives, also one that the sender then ignores, such as a repeated ACK.
 */
class ReplyCounts implements SenderWatch {
  /** From the start of the packet that was acknowledged last, or of the last RTT request; NaN: there was none. */
  rttPs = NaN
  /** ACKs and NAKs that arrived. */
  acks = 0
  /** Those among them that echo a mark. */
  markedAcks = 0
  cnps = 0
  readonly #clock: { readonly nowPs: number }

  constructor(clock: { readonly nowPs: number }) {
    this.#clock = clock
  }

  onReply({ kind, flags, sentPs }: Readonly<Segment>): void {
    if (kind === CNP) this.cnps++
    if (kind !== ACK && kind !== NAK && kind !== RTT_RESPONSE) return
    this.rttPs = this.#clock.nowPs - sentPs
    if (kind === RTT_RESPONSE) return
    this.acks++
    if ((flags & ECE) !== 0) this.markedAcks++
  }

  onQueued(): void {}
  onPosted(): void {}
  onState(): void {}
}

const COLUMNS: readonly ColumnSpec[] = [
  { name: 'timePs', type: 'integer' },
  { name: 'pair', type: 'integer' },
  { name: 'source', type: 'integer' },
  { name: 'destination', type: 'integer' },
  { name: 'rateBps', type: 'number' },
  { name: 'windowPackets', type: 'number' },
  { name: 'nxt', type: 'integer' },
  { name: 'una', type: 'integer' },
  { name: 'rttPs', type: 'number' },
  { name: 'acks', type: 'integer' },
  { name: 'markedAcks', type: 'integer' },
  { name: 'cnps', type: 'integer' },
]

export const rates = defineMetric({
  name: 'rates',
  help: 'sending rate, window, packet numbers, round trip, marks and CNPs of queue pairs, per sample',
  params: { pairs: text({ default: 'all', help: `queue pairs: ${PAIRS_HELP}` }), ...sampleParams },
  create(values, context) {
    const name = tableName(values, 'rates')
    const { network } = context
    const selection = selectPairs(values.pairs, network, 'rates.pairs')
    const isSilent = (pair: QueuePair): boolean => pair.sender.isIdle || pair.sender.isFailed
    const open = new OpenPairs(network, (pair) => pair.sender.end > 0 && isSilent(pair))
    // Weak, so that queue pairs that are gone can be forgotten.
    const replies = new WeakMap<QueuePair, ReplyCounts>()
    context.watchPairs((pair, { sender }) => {
      if (!selection.isChosen(pair)) return
      const own = new ReplyCounts(network.fabric.queue)
      replies.set(pair, own)
      watchSender(sender, own)
    })
    const builder = new TableBuilder(name, COLUMNS, { maxRows: rowLimit(values, context) })
    return {
      name,
      intervalPs: values.interval,
      sample(nowPs) {
        if (!builder.beginSample()) return
        open.each((pair) => {
          if (!selection.isChosen(pair) || (selection.isAll && isSilent(pair))) return
          pair.sender.catchUp(nowPs)
          const { nxt, una } = pair.sender
          const { rateBps, windowPackets, hasWindow } = pair.sender.congestion
          const window = hasWindow ? windowPackets : NaN
          const [source, destination] = [network.hostOf[pair.source]!, network.hostOf[pair.destination]!]
          const { rttPs = NaN, acks = 0, markedAcks = 0, cnps = 0 } = replies.get(pair) ?? {}
          builder.add(nowPs, pair.id, source, destination, rateBps, window, nxt, una, rttPs, acks, markedAcks, cnps)
        })
      },
      table: () => builder.build(),
    }
  },
})
