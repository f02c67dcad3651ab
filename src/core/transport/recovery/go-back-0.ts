/**
 * Go-back-0: any loss restarts the whole message, as early RDMA NICs did; kept because it livelocks ([MS-Scale] 4.1).
 * Source: [MS-Scale] 4.1, [IGBN] II-A, [Survey] III-A1. The receiver discards the partial message when it sends a NAK.
 */
import { countOrOff } from '../../base/params.ts'
import { LAST, type Segment } from '../segment.ts'
import { GoBackReceiver, goBackParams } from './go-back-n.ts'
import {
  defineRecovery,
  LOSS_FOUND,
  NOTHING_NEW,
  REPLY_NAK,
  SenderRecovery,
  type SendWindow,
  type Verdict,
  whenOvertakenGoingBack,
} from './recovery.ts'

const params = {
  ...goBackParams,
  chunk: countOrOff({
    default: null,
    min: 1,
    help: 'packets per unit that is restarted; off: the message',
    source: 'HPCC fork L2_CHUNK_SIZE',
  }),
}

class GoBack0Sender extends SenderRecovery {
  private readonly chunk: number | null
  constructor(window: SendWindow, chunk: number | null) {
    super(window)
    this.chunk = chunk
  }
  override onNak(_nowPs: number, psn: number): Verdict {
    if (psn < this.window.una) return NOTHING_NEW
    this.restart(psn)
    return LOSS_FOUND
  }
  override onTimeout(): void {
    this.restart(this.window.una)
  }
  /** Goes back to the start of the unit that contains `psn`, even if parts of it were acknowledged. */
  private restart(psn: number): void {
    const window = this.window
    const messageStart = window.firstPsnOf(psn)
    const offset = psn - messageStart
    const start = this.chunk === null ? messageStart : messageStart + offset - (offset % this.chunk)
    window.una = start
    window.nxt = start
  }
}

class GoBack0Receiver extends GoBackReceiver {
  private readonly chunk: number | null
  private messageStart = 0
  constructor(values: ConstructorParameters<typeof GoBackReceiver>[0], chunk: number | null) {
    super(values)
    this.chunk = chunk
  }
  override startAt(psn: number): void {
    super.startAt(psn)
    this.messageStart = psn
  }
  override onData(nowPs: number, psn: number, segment: Segment): boolean {
    const accepted = super.onData(nowPs, psn, segment)
    if (accepted) {
      if ((segment.flags & LAST) !== 0) this.messageStart = this.epsn
    } else if (this.reply === REPLY_NAK) {
      const offset = this.epsn - this.messageStart
      this.epsn = this.chunk === null ? this.messageStart : this.epsn - (offset % this.chunk)
    }
    return accepted
  }
}

export const goBack0 = defineRecovery({
  name: 'go-back-0',
  help: 'any loss restarts the whole message',
  source: '[MS-Scale] 4.1',
  needs: {},
  params,
  whenOvertaken: whenOvertakenGoingBack,
  createSender: (values, window) => new GoBack0Sender(window, values.chunk),
  createReceiver: (values) => new GoBack0Receiver(values, values.chunk),
})
