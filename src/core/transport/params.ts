/** Parameters of the transport, declarations only; recovery and congestion schemes declare their own in their files. */
import {
  choice,
  count,
  countOrOff,
  definition,
  duration,
  durationOrOff,
  flag,
  group,
  list,
  ratio,
  sizeOrOff,
  US,
  variant,
  type ValueOf,
} from '../base/params.ts'
import { type RetrySchedule, retrySchedule } from './retry.ts'
import { hostDelays } from './host-delay/index.ts'

const timeoutRetry = definition({ name: 'timeout', help: 'each wait is ackTimeout', params: {} })

const steppedRetry = definition({
  name: 'steps',
  help: 'short waits first, whatever ackTimeout is, then multiples of it; retryLimit counts those, and the last step but not the steps',
  source: 'unionxic/rdma-fault-characterization, harness/ack_timeout: ConnectX-6',
  params: {
    steps: list(duration({ min: 1, help: 'a wait' }), {
      minItems: 1,
      maxItems: 64,
      help: 'waits before the first retransmissions, in order, up to the first that is longer than the timeout',
    }),
    floor: duration({ default: 0, help: 'least ackTimeout, whatever it is set to' }),
    factor: ratio({ default: 1, min: 1, max: 1000, help: 'waits behind the steps, in timeouts' }),
  },
})

export const endpointParams = group(
  {
    ackInterval: count({
      default: 1,
      max: 1 << 20,
      help: 'packets per ACK (the last packet of a message always requests one); 0: no ACKs at all',
      source: '[IGBN] Table I: 256; [IRN] 5.2: RoCE with PFC modelled without',
    }),
    ackCoalescing: count({
      default: 1,
      min: 1,
      max: 1 << 20,
      help: 'most ACK requests answered by one ACK; a change of the echoed mark and the end of a message are acknowledged at once',
      source: '[LDCP] 2.2: m; RFC 8257 3.2',
    }),
    ackDelay: duration({
      default: 10 * US,
      min: 1,
      help: 'ackCoalescing: longest delay of an ACK',
      source: 'ours: some tens of packets at 40 Gb/s, far below the retransmission timeouts',
    }),
    ackTimeout: durationOrOff({
      default: null,
      min: 1,
      help: 'retransmission timeout; off: none',
      source: '[IRN] 4.1: off with PFC, 320us without; [IGBN]: 100ms',
    }),
    ackTimer: choice(['answer', 'packet'], {
      default: 'answer',
      help: 'what restarts a running retransmission timer: an ACK or NAK, or each packet sent as well; irn, iwarp and mp-rdma always time the oldest packet',
      source: 'IBTA o9-85; [IGBN] does not say',
    }),
    retryLimit: countOrOff({
      default: 7,
      max: 1_000_000,
      help: 'consecutive timeouts without progress before the QP fails; off: never',
      source: 'IBTA: 7',
    }),
    retry: variant([timeoutRetry, steppedRetry], {
      default: 'timeout',
      help: 'waits of a queue pair that nobody answers, and what its retries are',
      source: 'timeout: IBTA 9.7.6.1.3; steps: adaptive retransmission of ConnectX, docs/models/hardware.md',
    }),
    window: sizeOrOff({
      default: null,
      min: 1,
      help: 'most payload bytes in flight per QP (BDP flow control); off: no window',
      source: '[IRN] 3.2',
    }),
    readAcks: flag({
      default: false,
      help: 'READ responses are acknowledged, so that windows apply to them too; the requester still repeats requests for lost ones',
      source: '[LDCP] 3.1; false: IBTA',
    }),
    windowVariable: flag({
      default: false,
      help: 'the window shrinks with the rate: window * rate / line rate',
      source: 'HPCC fork VAR_WIN',
    }),
    ecnEcho: choice(['cnp', 'ack'], {
      default: 'cnp',
      help: 'how marks are echoed: CNP packets, or a bit in every ACK and NAK of a marked packet',
      source: 'DCQCN; HPCC fork: ack',
    }),
    receiveQueue: countOrOff({
      default: null,
      max: 65_536,
      help: 'Receive WQEs at the responder for SENDs; off: always enough',
      source: 'IBTA 9.7.5.2.8',
    }),
    receiveRepost: duration({ default: 0, help: 'a Receive WQE is posted again this long after its message is whole' }),
    rnrTimer: count({
      default: 1,
      max: 31,
      help: 'RNR timer code of RNR NAKs: 1 is 10us, 11 is 480us, 0 is 655ms',
      source: 'IBTA table 45',
    }),
    hostDelay: variant(hostDelays, {
      default: 'none',
      help: 'time of a packet between the wire and the application: NIC, PCIe and kernel, in each host and direction; the random stream is stack/HOST',
      source: 'an input: [MS-Scale] 5.4 has round trips of idle hosts',
    }),
    rateRounding: choice(['none', 'bps'], {
      default: 'none',
      help: 'rates are real numbers, or cut to whole bit/s at each step',
      source: 'HPCC fork: bps',
    }),
    pacing: choice(['follow', 'fixed'], {
      default: 'follow',
      help: 'a rate change moves a pacing deadline that is already set, or not',
      source: 'HPCC fork: fixed (follow for its HPCC scheme)',
    }),
  },
  { help: 'queue pairs', per: 'pair', live: true, retired: { nakMarks: false } },
)

export { createHostDelay } from './host-delay/index.ts'
export type EndpointValues = ValueOf<typeof endpointParams>

/** Waits in place of one timeout; null: there is one, or none. */
export function retryOf({ retry, ackTimeout, retryLimit }: EndpointValues): RetrySchedule | null {
  return retry.kind === 'timeout' || ackTimeout === null ? null : retrySchedule(retry, ackTimeout, retryLimit)
}
