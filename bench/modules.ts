/**
 * The four modules into which S3 6.2 divides what IRN adds to a NIC, each alone: operations per CPU second.
 * S3 Table 2 gives the worst case of each on an FPGA; the loops here take the ways that cost most, too: packets out of
 * order, holes to be looked for, answers that name one packet each.
 */
import {
  COMPLETION_END,
  EARLY,
  IN_ORDER,
  PACKET,
  SELECTIVE_REPEAT_DEFAULTS,
  SelectiveRepeatReceiver,
  SelectiveRepeatSender,
} from '../src/transport/index.ts'

export interface Module {
  readonly name: string
  /** What one operation is here. */
  readonly what: string
  /** S3 Table 2, million packets a second. */
  readonly paperMillion: number
  /** Runs a while; the number of operations. */
  run(): number
}

const CAP = SELECTIVE_REPEAT_DEFAULTS.capPackets
const ROUNDS = 20_000

/** The first packet of each window comes last: all others are kept, then all are passed over. */
function receiveData(): number {
  const receiver = new SelectiveRepeatReceiver({ bitmapBits: CAP, hasMessages: true })
  for (let round = 0; round < ROUNDS; round++) {
    const first = round * CAP
    for (let i = 1; i <= CAP; i++) {
      const psn = first + (i % CAP)
      const place = receiver.place(psn)
      if (place === EARLY || place === IN_ORDER) receiver.take(psn, i % 8 === 7 ? COMPLETION_END : PACKET)
    }
  }
  if (receiver.epsn !== ROUNDS * CAP) throw new Error('packets are missing')
  return ROUNDS * CAP
}

/** A window of new packets, of which all but the last are lost: as many holes. */
function txFree(): number {
  const sender = new SelectiveRepeatSender(SELECTIVE_REPEAT_DEFAULTS)
  let sent = 0
  for (let round = 1; round <= ROUNDS; round++) {
    const past = round * CAP
    for (let i = 0; i < CAP; i++) sent += sender.take(round, true) >= 0 ? 1 : 0
    sender.onNack(round, sender.una, past - 1)
    for (let i = 1; i < CAP; i++) sent += sender.take(round, false) >= 0 ? 1 : 0
    sender.onAck(round, past)
  }
  if (sent !== ROUNDS * (2 * CAP - 1)) throw new Error('packets were not sent')
  return sent
}

/** The first packet of a window is lost: a NACK for each of the others. */
function receiveAck(): number {
  const sender = new SelectiveRepeatSender(SELECTIVE_REPEAT_DEFAULTS)
  for (let round = 1; round <= ROUNDS; round++) {
    const past = round * CAP
    sender.nxt = past
    sender.highest = past
    const { una } = sender
    for (let psn = una + 1; psn < past; psn++) sender.onNack(round, una, psn)
    sender.onAck(round, past)
  }
  if (sender.una !== ROUNDS * CAP) throw new Error('packets are not acknowledged')
  return ROUNDS * CAP
}

/** Many packets in flight: the short timeout is extended, the long one fires; what was late goes again, or it could not be late again. */
function timeout(): number {
  const sender = new SelectiveRepeatSender(SELECTIVE_REPEAT_DEFAULTS)
  for (let i = 0; i < CAP; i++) sender.take(0, true)
  const operations = 40 * ROUNDS
  for (let i = 0; i < operations; i++) {
    const nowPs = sender.deadlinePs
    if (sender.onTimeout(nowPs, false)) sender.take(nowPs, false)
  }
  if (sender.timeouts !== operations / 2) throw new Error('not every second one was a timeout')
  return operations
}

export const modules: readonly Module[] = [
  { name: 'receiveData', what: 'a packet out of order', paperMillion: 45.45, run: receiveData },
  { name: 'txFree', what: 'a new packet or a hole', paperMillion: 47.17, run: txFree },
  { name: 'receiveAck', what: 'a NACK', paperMillion: 46.99, run: receiveAck },
  { name: 'timeout', what: 'extended, or fired and sent again', paperMillion: 318.47, run: timeout },
]
