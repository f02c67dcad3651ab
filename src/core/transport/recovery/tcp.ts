/**
 * TCP of a host's kernel, without RDMA: NewReno or SACK decides which packets are sent again, the scenario's congestion
 * control sets the window. Connections are established already: no handshake, no close.
 * Source: RFC 5681, 6582, 3042 (sack: false), 2018, 6675 (sack: true), 6298, 7323, 3168; Linux for the least timeout
 * and for the longest wait of an ACK (docs/models/tcp.md).
 */
import { count, duration, durationOrOff, flag, MS, SECOND, type ValuesOf } from '../../base/params.ts'
import { ExponentialDelay } from '../host-delay/exponential.ts'
import { IN_FLIGHT_MAX } from '../psn.ts'
import { mostTimeoutPs } from '../rtt-estimator.ts'
import { NewRenoSender } from './newreno-sender.ts'
import { defineRecovery, type Framing, type RecoveryContext } from './recovery.ts'
import { SackSender } from './sack-sender.ts'
import { tcpAckBytes, tcpOverheadBytes } from './tcp-framing.ts'
import { TcpReceiver } from './tcp-receiver.ts'
import { dupThreshParam, type TcpSenderOptions } from './tcp-sender.ts'

const params = {
  sack: flag({
    default: true,
    help: 'true: ACKs name packets received out of order, and holes are sent again; false: one packet per round trip, as in NewReno',
    source: 'RFC 2018 and 6675; false: RFC 6582',
  }),
  limitedTransmit: flag({
    default: true,
    help: 'each of the first two duplicate ACKs releases a new packet; with sack the scoreboard does so in any case',
    source: 'RFC 3042',
  }),
  dupThresh: dupThreshParam,
  receiveWindow: count({
    default: 4096,
    min: 1,
    max: IN_FLIGHT_MAX,
    help: 'receive window, packets',
    source: 'Linux: tcp_rmem is 6MiB at most, some 4300 segments of 1448B',
  }),
  rtoInitial: duration({
    default: SECOND,
    min: 1,
    help: 'timeout until a round trip is measured; qp.ackTimeout is not read',
    source: 'RFC 6298 2.1',
  }),
  rtoMin: duration({
    default: 200 * MS,
    min: 1,
    help: 'least timeout, and least difference between the timeout and the smoothed round trip',
    source: 'Linux; RFC 6298 2.4: 1s, and no rule about the round trip',
  }),
  delayedAck: durationOrOff({
    default: 40 * MS,
    min: 1,
    help: 'longest time an ACK waits for a second packet; off: each packet has its ACK',
    source: 'Linux; RFC 5681 4.2: below 500ms',
  }),
  timestamps: flag({
    default: true,
    help: 'each ACK yields an RTT sample, for 12 bytes in every segment; false: one segment at a time is timed',
    source: 'RFC 7323; true: Linux',
  }),
  stackLatency: duration({
    default: 0,
    max: SECOND,
    help: 'least time of a packet between the NIC and TCP, up or down, at each host',
    source: 'own: a kernel takes some 1us to 20us',
  }),
  stackJitter: duration({
    default: 0,
    max: SECOND,
    help: 'mean of what a packet takes on top of stackLatency, distributed exponentially; packets keep their order',
    source: 'own; the random stream is stack/HOST',
  }),
}

type TcpValues = ValuesOf<typeof params>

function framingOf({ timestamps }: TcpValues): Framing {
  const overhead = tcpOverheadBytes(timestamps)
  return {
    ...tcpAckBytes(timestamps),
    dataBytes: (payloadBytes) => overhead + payloadBytes,
    readRequestBytes: overhead,
  }
}

function senderOptionsOf(values: TcpValues, { hasCwr }: RecoveryContext): TcpSenderOptions {
  return {
    receiveWindow: values.receiveWindow,
    dupThresh: values.dupThresh,
    rtoInitialPs: values.rtoInitial,
    rtoMinPs: values.rtoMin,
    rtoVariationPs: values.rtoMin,
    hasTimestamps: values.timestamps,
    hasCwr,
    hasLimitedTransmit: values.limitedTransmit,
  }
}

export const tcp = defineRecovery({
  name: 'tcp',
  help: 'TCP in the host: fast retransmit, SACK or NewReno, delayed ACKs, a timeout of 200 ms; the window is of congestion',
  source: 'RFC 5681, 6582, 6675, 6298',
  needs: { perPacketAck: true, soleAcks: true, alwaysReady: true },
  hasOwnWaits: true,
  params,
  whenOvertaken: (values) =>
    `takes ${values.dupThresh} packets that overtake one for its loss and slows down; recovery.dupThresh lets it wait for more`,
  createSender: (values, window, context) => {
    const options = senderOptionsOf(values, context)
    return values.sack ? new SackSender(options, window) : new NewRenoSender(options, window)
  },
  createReceiver: ({ receiveWindow, sack }, _timers, { hasCwr }) =>
    new TcpReceiver({ windowPackets: receiveWindow, hasSack: sack, hasCwr }),
  delayedAckPs: ({ delayedAck }) => delayedAck,
  // RFC 6928, and slow start (RFC 5681 3.1).
  initialPackets: 10,
  acknowledgesReads: true,
  framing: framingOf,
  stack: ({ stackLatency, stackJitter }) =>
    stackLatency + stackJitter === 0 ? null : new ExponentialDelay(stackLatency, stackJitter),
  timeout: ({ rtoInitial, rtoMin }) => ({
    firstPs: rtoInitial,
    mostPs: mostTimeoutPs(rtoInitial, rtoMin),
    leastPs: rtoMin,
  }),
})
