/**
 * MP-RDMA's congestion window: one for all paths of a QP, moved by each ACK.
 * Units: packets, real. Invariant: minWindow <= windowPackets. The rate stays at line rate.
 * The recovery decides which path a packet takes and when an ACK releases it (recovery/mp-rdma.ts).
 * Source: [Survey] V-C, Fig. 11; docs/models/mp-rdma.md for what it leaves open.
 */
import type { ValuesOf } from '../../base/params.ts'
import {
  defineCongestion,
  type AckEvent,
  type CongestionContext,
  CongestionControl,
  type SenderView,
} from './congestion.ts'
import { windowParams } from './window.ts'

/** "If the ACK is marked with ECE bit, the sender's NIC decreases its cwnd by 1/2 segment" ([Survey] V-C). */
const MARK_PACKETS = 1 / 2

export class MpRdmaWindow extends CongestionControl {
  private readonly sender: SenderView
  private readonly initialPackets: number
  private readonly minPackets: number

  constructor(values: ValuesOf<typeof windowParams>, context: CongestionContext) {
    super(context)
    this.sender = context.sender
    this.minPackets = values.minWindow
    const packets = values.initialWindow ?? context.bdpPackets
    // Without a path the BDP is unknown.
    this.initialPackets = packets > values.minWindow ? packets : values.minWindow
    this.windowPackets = this.initialPackets
  }

  /** "Initially, the sender's NIC randomly spreads an initial window" ([Survey] V-C); also after an idle period. */
  override onStart(): void {
    this.windowPackets = this.initialPackets
  }

  override onAck(_nowPs: number, ack: AckEvent): void {
    // A NACK does not count: its packet was refused.
    if (ack.isNak) return
    if (ack.marked) this.lose(MARK_PACKETS)
    // Ours: while released packets wait for the line, the window does not limit the sender.
    else if (this.sender.waitingPackets === 0) this.windowPackets += 1 / this.windowPackets
  }

  override onSurplus(): void {
    this.lose(1)
  }

  override onTimeout(): void {
    this.lose(this.windowPackets / 2)
  }

  private lose(packets: number): void {
    const left = this.windowPackets - packets
    this.windowPackets = left > this.minPackets ? left : this.minPackets
  }
}

export const mpRdma = defineCongestion({
  name: 'mp-rdma',
  help: 'one window over many paths: each ACK adds 1/window, each marked one takes half a packet; with recovery mp-rdma',
  source: '[Survey] V-C',
  needs: { ecn: true, perPacketAck: true, multipath: true },
  offers: { multipath: true },
  params: windowParams,
  create: (values, context) => new MpRdmaWindow(values, context),
  // [Survey] V-C: an ACK releases packets, a NACK its packet whatever the window.
  windowCovers: 'new',
  cnpIntervalPs: () => 0,
})
