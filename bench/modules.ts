/**
 * Operations per CPU second of the four modules that IRN adds to a NIC according to [IRN] 6.2. receiveData runs alone; the
 * other three are calls of a complete sender with IRN, which also fills the packet, paces it and sets its timer.
 * [IRN] Table 2 gives the worst case of each on an FPGA; the loops here use the most expensive cases too: packets out of
 * order, searches for holes, NACKs for one packet each.
 */
import { defaultsOf, GBPS, US } from '../src/core/base/params.ts'
import { createSerialization } from '../src/core/base/serialization.ts'
import { Arrivals, COMPLETION_END, EARLY, IN_ORDER, PACKET } from '../src/core/transport/arrivals.ts'
import { none } from '../src/core/transport/congestion/none.ts'
import { ACK, NAK, PSN_MASK, Segment, Sender, Timers } from '../src/core/transport/index.ts'
import { irn } from '../src/core/transport/recovery/irn.ts'

interface Module {
  readonly name: string
  /** Definition of one operation. */
  readonly what: string
  /** [IRN] Table 2, million packets per second. */
  readonly paperMillion: number
  /** Runs the loop once and returns its number of operations. */
  run(): number
}

/** [IRN] 4.1: 40 Gb/s and 24 us. */
const CAP = 110
const LINE_BPS = 40 * GBPS
const RTO_HIGH_PS = 320 * US
const ROUNDS = 20_000
const PAYLOAD = 1024
/** Longer than the transmission of a packet. */
const STEP_PS = US

/** A sender of 1 KB packets with IRN and no congestion control, with the calls that the loops make. */
class Bench {
  readonly sender: Sender
  nowPs = 0
  readonly #segment = new Segment()

  constructor() {
    let orders = 0
    const timers = new Timers({ draw: () => ++orders })
    const frames = {
      payloadBytes: PAYLOAD,
      dataOverheadBytes: 62,
      writeOverheadBytes: 16,
      table: null,
      ackBytes: 66,
      sackAckBytes: 66,
      readRequestBytes: 78,
      cnpBytes: 78,
      rttProbeBytes: 78,
      minimumBytes: 64,
      gapBytes: 20,
    }
    const sender = new Sender({
      frames,
      lineRateBps: LINE_BPS,
      serialization: createSerialization(1, 'nearest'),
      timers,
      windowBytes: null,
      windowVariable: false,
      ackInterval: 1,
      ackTimeoutPs: RTO_HIGH_PS,
      ackTimerFollows: false,
      retryLimit: null,
      ectCapable: false,
      pacingFixed: false,
      echoInAck: false,
    })
    const recovery = irn.createSender({ ...defaultsOf(irn.params), cap: CAP }, sender, {
      bdpPackets: CAP,
      hasCwr: false,
      baseRttPs: 24 * US,
      timers,
      random: () => {
        throw new Error('IRN draws no random numbers')
      },
    })
    const control = none.create(defaultsOf(none.params), {
      lineRateBps: LINE_BPS,
      payloadBytes: PAYLOAD,
      timers,
      sender,
      wholeRates: false,
      baseRttPs: 24 * US,
      bdpPackets: CAP,
      startPackets: CAP,
      mostPackets: CAP,
      startsSlowly: false,
      packetWireBytes: PAYLOAD + 62 + 20,
      largestRttPs: () => 24 * US,
    })
    sender.equip(recovery, control)
    this.sender = sender
  }

  /** Posts as many packets as may be in flight. */
  post(): void {
    this.sender.post(this.nowPs, CAP * PAYLOAD, 'send')
  }

  /** Sends up to that many packets; returns the number sent. */
  send(packets: number): number {
    let sent = 0
    for (let i = 0; i < packets; i++) {
      this.nowPs += STEP_PS
      if (this.sender.pollTransmit(this.nowPs, this.#segment)) sent++
    }
    return sent
  }

  ack(cumulative: number): void {
    const segment = this.#segment
    segment.kind = ACK
    segment.psn = (cumulative - 1) & PSN_MASK
    this.sender.onSegment(this.nowPs, segment)
  }

  nack(cumulative: number, sackPsn: number): void {
    const segment = this.#segment
    segment.kind = NAK
    segment.psn = cumulative & PSN_MASK
    segment.sackPsn = sackPsn & PSN_MASK
    this.sender.onSegment(this.nowPs, segment)
  }
}

/** The first packet of each window arrives last: all others are stored first, then the window is completed. */
function receiveData(): number {
  const arrivals = new Arrivals({ bitmapBits: CAP, hasMessages: true })
  for (let round = 0; round < ROUNDS; round++) {
    const first = round * CAP
    for (let i = 1; i <= CAP; i++) {
      const psn = first + (i % CAP)
      const position = arrivals.position(psn)
      if (position === EARLY || position === IN_ORDER) arrivals.take(psn, i % 8 === 7 ? COMPLETION_END : PACKET)
    }
  }
  if (arrivals.epsn !== ROUNDS * CAP) throw new Error('packets are missing')
  return ROUNDS * CAP
}

/** A window of new packets, of which all but the last are lost, so that each is a hole. */
function txFree(): number {
  const bench = new Bench()
  let sent = 0
  for (let round = 1; round <= ROUNDS; round++) {
    const past = round * CAP
    bench.post()
    sent += bench.send(CAP)
    bench.nack(past - CAP, past - 1)
    sent += bench.send(CAP - 1)
    bench.ack(past)
  }
  if (sent !== ROUNDS * (2 * CAP - 1)) throw new Error('packets were not sent')
  return sent
}

/** The first packet of a window is lost: a NACK for each of the others. */
function receiveAck(): number {
  const bench = new Bench()
  const { sender } = bench
  for (let round = 1; round <= ROUNDS; round++) {
    const past = round * CAP
    bench.post()
    // Packet contents do not matter here.
    sender.nxt = past
    sender.highest = past
    const { una } = sender
    for (let psn = una + 1; psn < past; psn++) bench.nack(una, psn)
    bench.ack(past)
  }
  if (sender.una !== ROUNDS * CAP) throw new Error('packets are not acknowledged')
  return ROUNDS * CAP
}

/** Many packets in flight: the short timeout is extended and the long one fires; the retransmission makes the next timeout possible. */
function timeout(): number {
  const bench = new Bench()
  const { sender } = bench
  bench.post()
  bench.send(CAP)
  const operations = 40 * ROUNDS
  for (let i = 0; i < operations; i++) {
    const { timeouts } = sender
    bench.nowPs = sender.nextTimeoutPs
    sender.onTimeout(bench.nowPs)
    if (sender.timeouts > timeouts) bench.send(1)
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
