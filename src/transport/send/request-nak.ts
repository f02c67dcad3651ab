/**
 * RequestNak: what the sender of READ responses says when a request came before one that is missing.
 * One NAK, and none again before that request has come. It travels with the data, as the responder is their sender.
 * Source: IBTA 9.7.5.1.2 (PSN sequence error); who asked goes back to the request it names (reader.ts).
 */
import { SYNDROME_PSN_ERROR } from '../../wire/aeth.ts'
import { PSN_MASK } from '../psn.ts'
import { NAK, NOT_ECT, type Segment } from '../segment.ts'

export class RequestNak {
  /** First PSN of the request that was last missing, unbounded; -1: none. */
  private missingPsn = -1
  private isOwed = false

  /** The request that begins with `psn` is missing. */
  miss(psn: number): void {
    this.isOwed ||= this.missingPsn !== psn
    this.missingPsn = psn
  }

  /** Fills `out` with the NAK that is owed, or says false. */
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
