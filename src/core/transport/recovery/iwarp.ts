/**
 * iWARP: RDMA over TCP in the NIC. Loss recovery and congestion control are TCP's; messages are framed by MPA, DDP and
 * RDMAP, one FPDU per segment. With `framing: tcp` it is plain TCP with these parameters; tcp.ts models the TCP of a
 * host.
 * Source: [Survey] III-B, [IRN] 2.3 and 4.6; RFC 5040, 5041, 5044 and those of the TCP files (docs/models/iwarp.md).
 */
import { choice, count, countOrOff, duration, durationOrOff, flag, US, type ValuesOf } from '../../base/params.ts'
import { readRequestFpduBytes, taggedFpduBytes, untaggedFpduBytes } from '../../wire/fpdu.ts'
import { EagerNewReno } from '../congestion/newreno.ts'
import { IN_FLIGHT_MAX } from '../psn.ts'
import { mostTimeoutPs } from '../rtt-estimator.ts'
import { NewRenoSender } from './newreno-sender.ts'
import { defineRecovery, type Framing, type RecoveryContext } from './recovery.ts'
import { SackSender } from './sack-sender.ts'
import { tcpAckBytes, tcpOverheadBytes } from './tcp-framing.ts'
import { TcpReceiver } from './tcp-receiver.ts'
import { dupThreshParam, type TcpSenderOptions } from './tcp-sender.ts'

const params = {
  flavour: choice(['sack', 'newreno'], {
    default: 'sack',
    help: 'sack: what came out of order is known, and holes are resent; newreno: one packet a round trip',
    source: 'RFC 6675, RFC 6582; [IRN] 4.6 does not name its TCP',
  }),
  initialWindow: count({
    default: 4,
    min: 1,
    max: IN_FLIGHT_MAX,
    help: 'packets that may be in flight at first, and again after a silence of a timeout',
    source: 'RFC 5681 3.1: 4 for segments up to 1095B; RFC 6928: 10',
  }),
  receiveWindow: countOrOff({
    default: null,
    min: 1,
    max: IN_FLIGHT_MAX,
    help: 'receive window, packets; off: twice the BDP of the longest path in the network',
    source: 'own: it should not limit before the congestion window does',
  }),
  dupThresh: dupThreshParam,
  rtoInitial: duration({
    default: 320 * US,
    min: 1,
    help: 'timeout until a round trip is measured; qp.ackTimeout is not read',
    source: 'RTO_high of [IRN] 4.1, so that schemes compare; RFC 6298: 1s',
  }),
  rtoMin: duration({
    default: 320 * US,
    min: 1,
    help: 'least timeout',
    source: 'RTO_high of [IRN] 4.1; RFC 6298: 1s',
  }),
  timestamps: flag({
    default: false,
    help: 'each ACK yields an RTT sample, for 12 bytes in every segment; false: one segment at a time is timed',
    source: 'RFC 7323',
  }),
  delayedAck: durationOrOff({
    default: null,
    min: 1,
    help: 'longest time an ACK waits for a second packet; off: each packet has its ACK',
    source: 'RFC 5681 4.2: below 500ms; off: as many ACKs as with IRN',
  }),
  framing: choice(['iwarp', 'tcp'], {
    default: 'iwarp',
    help: 'iwarp: MPA, DDP and RDMAP in TCP segments; tcp: the payload alone',
    source: '[Survey] III-B',
  }),
  markers: flag({
    default: false,
    help: 'MPA markers: 4 bytes in every 512 of the stream',
    source: 'RFC 5044 4.3; off: usual',
  }),
}

type IwarpValues = ValuesOf<typeof params>

function framingOf({ framing, markers, timestamps }: IwarpValues): Framing {
  const overhead = tcpOverheadBytes(timestamps)
  const ackBytes = tcpAckBytes(timestamps)
  if (framing === 'tcp')
    return { ...ackBytes, dataBytes: (payloadBytes) => overhead + payloadBytes, readRequestBytes: overhead }
  return {
    ...ackBytes,
    dataBytes: (payloadBytes, isSend) =>
      overhead + (isSend ? untaggedFpduBytes(payloadBytes, markers) : taggedFpduBytes(payloadBytes, markers)),
    readRequestBytes: overhead + readRequestFpduBytes(markers),
  }
}

/** At least the initial window, which it must not limit. */
function receiveWindowOf(values: IwarpValues, context: RecoveryContext): number {
  return values.receiveWindow ?? Math.min(IN_FLIGHT_MAX, Math.max(2 * context.bdpPackets, values.initialWindow))
}

function senderOptionsOf(values: IwarpValues, context: RecoveryContext): TcpSenderOptions {
  return {
    receiveWindow: receiveWindowOf(values, context),
    dupThresh: values.dupThresh,
    rtoInitialPs: values.rtoInitial,
    rtoMinPs: values.rtoMin,
    rtoVariationPs: 0,
    hasTimestamps: values.timestamps,
    hasCwr: false,
    hasLimitedTransmit: false,
  }
}

export const iwarp = defineRecovery({
  name: 'iwarp',
  help: 'TCP in the NIC: slow start, AIMD, NewReno or SACK, under MPA, DDP and RDMAP framing',
  source: '[Survey] III-B, [IRN] 2.3 and 4.6',
  needs: { perPacketAck: true, soleAcks: true, soleControl: true, alwaysReady: true },
  hasOwnWaits: true,
  params,
  whenOvertaken: ({ dupThresh }) =>
    `takes ${dupThresh} packets that overtake one for its loss and slows down; recovery.dupThresh lets it wait for more`,
  createSender: (values, window, context) => {
    const options = senderOptionsOf(values, context)
    return values.flavour === 'sack' ? new SackSender(options, window) : new NewRenoSender(options, window)
  },
  createReceiver: (values, _timers, context) =>
    new TcpReceiver({
      windowPackets: receiveWindowOf(values, context),
      hasSack: values.flavour === 'sack',
      hasCwr: false,
    }),
  // `mostPackets` is the recovery's cap, here the receive window.
  createControl: ({ initialWindow, receiveWindow }, context) =>
    new EagerNewReno(initialWindow, receiveWindow ?? context.mostPackets, context),
  delayedAckPs: ({ delayedAck }) => delayedAck,
  isCapped: true,
  acknowledgesReads: true,
  framing: framingOf,
  timeout: ({ rtoInitial, rtoMin }) => ({
    firstPs: rtoInitial,
    mostPs: mostTimeoutPs(rtoInitial, rtoMin),
    leastPs: rtoMin,
  }),
})
