/**
 * RequestNak: the NAK of a READ responder for a request that arrived before a missing one.
 * It is sent once per missing request, on the data's direction, as the responder is their sender.
 * Source: IBTA 9.7.5.1.2 (PSN sequence error); the requester goes back to the request it names (reader.ts).
 */
import { SYNDROME_PSN_ERROR } from '../../wire/aeth.ts'
import { PSN_MASK } from '../psn.ts'
import { NAK, NOT_ECT, type Segment } from '../segment.ts'

export class RequestNak {
  /** First PSN of the request last found missing, unbounded; -1: none. */
  private missingPsn = -1
  private isOwed = false

  /** Reports the request that begins with `psn` as missing. */
  miss(psn: number): void {
    this.isOwed ||= this.missingPsn !== psn
    this.missingPsn = psn
  }

  /** Fills `out` with the NAK that is due, or returns false. */
  take(nowPs: number, out: Segment): boolean {
    if (!this.isOwed) return false
    this.isOwed = false
    out.kind = NAK
    out.psn = out.sackPsn = this.missingPsn & PSN_MASK
    out.payloadBytes = 0
    out.flags = 0
    out.ecn = NOT_ECT
    out.syndrome = SYNDROME_PSN_ERROR
    out.sentPs = nowPs
    out.delayPs = 0
    return true
  }
}
