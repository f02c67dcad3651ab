/**
 * What a transport scheme is: a loss recovery and a congestion control, two independent choices of a QP.
 * A scheme declares what it needs; the fabric and the NIC never learn its name.
 */
import type { AnyValues, Definition, ParamFields, ValuesOf } from '../base/params.ts'

/** What a scheme needs from the fabric, the peer or the other scheme of its QP. */
export interface Needs {
  /** Switches mark, data packets are ECN-capable. */
  readonly ecn?: boolean
  /** The receiver answers marked packets with CNPs. */
  readonly cnp?: boolean
  /** Every data packet is acknowledged. */
  readonly perPacketAck?: boolean
  /** ACKs echo the packet's transmission time. */
  readonly timestamps?: boolean
  /** Switches write into data packets what their queues hold and their links carry, and ACKs bring it back. */
  readonly telemetry?: boolean
  /** Switches tell the senders of data that cannot be marked of their queues (802.1Qau): not together with `ecn`. */
  readonly qcn?: boolean
  /** The sender asks for round-trip times in packets of their own. */
  readonly rttProbes?: boolean
  /** Its protocol has no RNR NAK: Receive WQEs never run out. */
  readonly alwaysReady?: boolean
  /** The other scheme deals with packets of one QP on several paths: sends them, or takes them in any order. */
  readonly multipath?: boolean
  /** The other scheme leaves rate and window alone: this one has a control of its own. */
  readonly soleControl?: boolean
  /** Each ACK says something of one packet: none stands for several. */
  readonly soleAcks?: boolean
  /** A marked packet is acknowledged at once, also where ACKs are coalesced. */
  readonly marksAtOnce?: boolean
  /**
   * The receiver echoes a mark in every ACK until the sender says that it has slowed down, where the packets of the
   * recovery can say so (RFC 3168); else each ACK echoes the marks of what it acknowledges.
   */
  readonly cwr?: boolean
  /** Switches drop ECN-incapable packets early. */
  readonly wred?: boolean
}

/** Needs that the other scheme of the QP meets, and nothing else. */
export type Offers = Pick<Needs, 'multipath' | 'soleControl'>

export interface SchemeDefinition<N extends string = string, F extends ParamFields = ParamFields> extends Definition<
  N,
  F
> {
  readonly needs: Needs
  /** What it needs with these values, where some of them do without. A method, so that lists of schemes hold it. */
  needsWith?(values: ValuesOf<F>): Needs
  /** What the other scheme of the QP may need. */
  readonly offers?: Offers
}

/** What a scheme needs with these values, which are its own. */
export function neededBy(definition: SchemeDefinition, values: AnyValues): Needs {
  return definition.needsWith?.(values) ?? definition.needs
}
