/**
 * Answers to requests that are not in the capture: of them, refusals say by themselves that something was refused or missed.
 * Source: IBTA 9.7.5.2.
 */
import { captureFindings } from '../../../core/findings/index.ts'
import { RNR_WAIT_US, SYNDROME_PSN_ERROR, SYNDROME_RNR } from '../../../core/wire/index.ts'
import type { Found } from '../found.ts'
import { type Packet, sightOf } from '../packet.ts'
import { REFUSALS } from './answers.ts'

const { answers: kinds, losses } = captureFindings
const UNKNOWN = { request: '', address: '', key: '', lengthBytes: null, usedFrom: '', usedTo: '', packetsAfter: null }

export class LoneAnswers {
  readonly #found: Found
  #missedPsn: number | null = null
  #rnr = { psn: -1, times: 0, most: 0 }

  constructor(found: Found) {
    this.#found = found
  }

  add(packet: Packet): void {
    const { psn, roce } = packet
    const { aeth } = roce.headers
    const syndrome = (aeth?.syndrome ?? 0) & 0x7f
    if (aeth === undefined || syndrome < SYNDROME_RNR) return
    const sight = sightOf(packet)
    if (syndrome < 0x40) this.#notReady(packet, syndrome & 0x1f, aeth.msn)
    else if (syndrome === SYNDROME_PSN_ERROR) {
      // One loss may be refused many times, as IRN does.
      if (this.#missedPsn !== psn) this.#found.add(losses.missedAlone, sight, {})
      this.#missedPsn = psn
    } else {
      const kind = REFUSALS.get(syndrome)
      if (kind === undefined) this.#found.add(kinds.syndromeReserved, sight, { syndrome: syndrome.toString(16) })
      else this.#found.add(kind, sight, UNKNOWN)
    }
  }

  #notReady(packet: Packet, code: number, received: number): void {
    const rnr = this.#rnr
    rnr.times = rnr.psn === packet.psn ? rnr.times + 1 : 1
    rnr.psn = packet.psn
    const values = { code, askedPs: RNR_WAIT_US[code]! * 1e6, attempts: rnr.times, received }
    this.#found.add(kinds.receiverNotReady, sightOf(packet), values)
    if (rnr.times <= rnr.most) return
    rnr.most = rnr.times
    this.#found.set(kinds.receiverNotReady, { attempts: rnr.times, received })
  }
}
