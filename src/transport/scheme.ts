/**
 * What a transport scheme is: a loss recovery and a congestion control, two independent choices of a QP.
 * A scheme declares what it needs; the fabric and the NIC never learn its name.
 */
import type { Definition, ParamFields } from '../base/params.ts'

/** What a scheme needs from the fabric or the peer. */
export interface Needs {
  /** Switches mark, data packets are ECN-capable. */
  readonly ecn?: boolean
  /** The receiver answers marked packets with CNPs. */
  readonly cnp?: boolean
  /** Every data packet is acknowledged. */
  readonly perPacketAck?: boolean
  /** ACKs echo the packet's transmission time. */
  readonly timestamps?: boolean
  /** A marked packet is acknowledged at once, also where ACKs are coalesced. */
  readonly marksAtOnce?: boolean
  /** Switches drop ECN-incapable packets early. */
  readonly wred?: boolean
}

export interface SchemeDefinition<N extends string = string, F extends ParamFields = ParamFields> extends Definition<
  N,
  F
> {
  readonly needs: Needs
}
