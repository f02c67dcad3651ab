/**
 * Contract of a transport scheme. A QP combines two independent ones: a loss recovery and a congestion control.
 * A scheme declares its needs; the fabric and the NIC never see its name.
 */
import type { AnyValues, Definition, ParamFields, ValuesOf } from '../base/params.ts'

/** Needs of a scheme from the fabric, the peer or the other scheme of its QP. */
export interface Needs {
  /** Switches mark, and data packets are ECN-capable. */
  readonly ecn?: boolean
  /** The receiver replies to marked packets with CNPs. */
  readonly cnp?: boolean
  /** Every data packet is acknowledged. */
  readonly perPacketAck?: boolean
  /** ACKs echo the packet's transmission time. */
  readonly timestamps?: boolean
  /** Switches write the state of their queues and links into data packets, and ACKs return it. */
  readonly telemetry?: boolean
  /**
   * Switches send congestion messages about their queues to the senders (802.1Qau). The data cannot be marked: not
   * together with `ecn`.
   */
  readonly qcn?: boolean
  /** The sender measures round trips with RTT requests. */
  readonly rttProbes?: boolean
  /** The protocol has no RNR NAK: Receive WQEs never run out. */
  readonly alwaysReady?: boolean
  /** The other scheme supports several paths for one QP: it sends on them, or accepts packets in any order. */
  readonly multipath?: boolean
  /** The other scheme limits neither rate nor window, as this one has its own control. */
  readonly soleControl?: boolean
  /** Each ACK concerns one packet; none covers several. */
  readonly soleAcks?: boolean
  /** A marked packet is acknowledged at once, also where ACKs are coalesced. */
  readonly marksAtOnce?: boolean
  /**
   * The receiver echoes a mark in every ACK until the sender sets CWR, if the recovery's packets have that bit (RFC
   * 3168); otherwise each ACK echoes the marks of the packets it covers.
   */
  readonly cwr?: boolean
  /** Switches drop Not-ECT packets early (WRED). */
  readonly wred?: boolean
}

/** Needs that the other scheme of the QP can satisfy. */
export type Offers = Pick<Needs, 'multipath' | 'soleControl'>

export interface SchemeDefinition<N extends string = string, F extends ParamFields = ParamFields> extends Definition<
  N,
  F
> {
  readonly needs: Needs
  /** Overrides `needs` where they depend on the values. A method, so that lists of schemes type-check. */
  needsWith?(values: ValuesOf<F>): Needs
  /** Needs of the other scheme that this one satisfies. */
  readonly offers?: Offers
}

/** Needs of a scheme with its own values. */
export function neededBy(definition: SchemeDefinition, values: AnyValues): Needs {
  return definition.needsWith?.(values) ?? definition.needs
}
