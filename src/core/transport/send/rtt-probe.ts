/**
 * RTT probes: a congestion control's request, to which the other end responds at once with the request's time.
 * Both are separate packets, so they measure the round trip of the network and not that of data and their ACKs.
 * Source: [LDCP] 3.2. The recovery neither acknowledges nor repeats them; the control repeats a lost request.
 */
import type { CongestionControl } from '../congestion/congestion.ts'
import { NOT_ECT, RTT_REQUEST, type Segment } from '../segment.ts'

/** Fills `out` with an RTT request if the control has one due, or returns false. */
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
