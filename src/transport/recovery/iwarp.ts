/**
 * iWARP: RDMA over TCP in the NIC. Loss recovery and congestion control are TCP's; messages are framed by MPA, DDP and
 * RDMAP, one FPDU in each segment. With `framing: tcp` it is TCP as it comes out of a kernel.
 * Source: S1 III-B, S3 2.3 and 4.6; RFC 5040, 5041, 5044 and those of the TCP files (docs/models/iwarp.md).
 */
import { choice, durationOrOff, flag, type ValuesOf } from '../../base/params.ts'
import { readRequestFpduBytes, taggedFpduBytes, untaggedFpduBytes } from '../../wire/fpdu.ts'
import { mostTimeoutPs } from '../rtt-estimator.ts'
import { NewRenoSender } from './newreno-sender.ts'
import { defineRecovery, type Framing } from './recovery.ts'
import { SackSender } from './sack-sender.ts'
import { TcpReceiver } from './tcp-receiver.ts'
import { receiveWindowOf, tcpParams } from './tcp-sender.ts'

const params = {
  flavour: choice(['sack', 'newreno'], {
    default: 'sack',
    help: 'sack: what came out of order is known, and holes are resent; newreno: one packet a round trip',
    source: 'RFC 6675, RFC 6582; S3 4.6 does not name its TCP',
  }),
  ...tcpParams,
  delayedAck: durationOrOff({
    default: null,
    min: 1,
    help: 'longest time an ACK waits for a second packet; off: each packet has its ACK',
    source: 'RFC 5681 4.2: below 500ms; off: as many ACKs as with IRN',
  }),
  framing: choice(['iwarp', 'tcp'], {
    default: 'iwarp',
    help: 'iwarp: MPA, DDP and RDMAP in TCP segments; tcp: the payload alone',
    source: 'S1 III-B',
  }),
  markers: flag({
    default: false,
    help: 'MPA markers: 4 bytes in every 512 of the stream',
    source: 'RFC 5044 4.3; off: usual',
  }),
}

type IwarpValues = ValuesOf<typeof params>

/** Ethernet header 14 and FCS 4, IPv4 20, TCP 20. */
const SEGMENT_OVERHEAD = 58
/** The options and their padding (RFC 7323 appendix A; RFC 2018 3: one block of 8, 2 for kind and length). */
const TIMESTAMPS = 12
const SACK_OPTION = 12

function framingOf({ framing, markers, timestamps }: IwarpValues): Framing {
  const overhead = SEGMENT_OVERHEAD + (timestamps ? TIMESTAMPS : 0)
  const answers = { ackBytes: overhead, sackAckBytes: overhead + SACK_OPTION }
  if (framing === 'tcp')
    return { ...answers, dataBytes: (payloadBytes) => overhead + payloadBytes, readRequestBytes: overhead }
  return {
    ...answers,
    dataBytes: (payloadBytes, isSend) =>
      overhead + (isSend ? untaggedFpduBytes(payloadBytes, markers) : taggedFpduBytes(payloadBytes, markers)),
    readRequestBytes: overhead + readRequestFpduBytes(markers),
  }
}

export const iwarp = defineRecovery({
  name: 'iwarp',
  help: 'TCP in the NIC: slow start, AIMD, NewReno or SACK, under MPA, DDP and RDMAP framing',
  source: 'S1 III-B, S3 2.3 and 4.6',
  needs: { perPacketAck: true, soleAcks: true, soleControl: true, alwaysReady: true },
  params,
  whenOvertaken: ({ dupThresh }) =>
    `takes ${dupThresh} packets that overtake one for its loss and slows down; recovery.dupThresh lets it wait for more`,
  createSender: (values, window, context) =>
    values.flavour === 'sack' ? new SackSender(values, window, context) : new NewRenoSender(values, window, context),
  createReceiver: (values, timers, context) =>
    new TcpReceiver(
      {
        windowPackets: receiveWindowOf(values, context),
        hasSack: values.flavour === 'sack',
        delayedAckPs: values.delayedAck,
      },
      timers,
    ),
  hasReceiverTimer: true,
  isCapped: true,
  acknowledgesReads: true,
  framing: framingOf,
  timeout: ({ rtoInitial, rtoMin }) => ({ firstPs: rtoInitial, mostPs: mostTimeoutPs(rtoInitial, rtoMin) }),
})
