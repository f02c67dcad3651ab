/**
 * RTT probes: a request of a sender's congestion control, which the other end answers at once with the request's time.
 * Both are packets of their own, so the round trip is that of the network and not of data and their ACKs.
 * Source: [LDCP] 3.2. Neither is acknowledged or repeated by the recovery; a control whose request is lost asks again.
 */
import type { CongestionControl } from '../congestion/congestion.ts'
import { NOT_ECT, RTT_REQUEST, type Segment } from '../segment.ts'

/** Fills `out` with the request that the control wants to make, or says false. */
export function takeProbe(nowPs: number, control: CongestionControl, out: Segment): boolean {
  if (!control.isProbeDue) return false
  control.isProbeDue = false
  out.kind = RTT_REQUEST
  out.psn = 0
  out.payloadBytes = 0
  out.flags = 0
  out.ecn = NOT_ECT
  out.syndrome = 0
  out.sentPs = nowPs
  out.delayPs = 0
  return true
}
