/**
 * What can be set on work requests of workloads, declarations only.
 */
import { count, countOrOff, flag, group } from '../base/params.ts'

export const verbsParams = group(
  {
    sendDepth: count({
      default: 128,
      min: 1,
      max: 65_536,
      help: 'Request WQEs of a queue pair; what is posted beyond waits at the application',
      source: 'perftest: 128 (tx-depth)',
    }),
    receives: count({
      default: 512,
      max: 65_536,
      help: 'Receive WQEs that a queue pair keeps posted for SENDs and immediates, each again qp.receiveRepost after it was used',
      source: 'perftest: 512 (rx-depth)',
    }),
    sharedReceives: countOrOff({
      default: null,
      min: 1,
      max: 65_536,
      help: 'Receive WQEs of a queue that all queue pairs of a host share; off: receives of each',
      source: 'IBTA 10.2.9; [IRN] B.2',
    }),
    signalEvery: count({
      default: 1,
      min: 1,
      max: 65_536,
      help: 'every so many work requests of a queue pair one is signalled, and the last that are posted at an instant; a message counts as acknowledged with the CQE that covers it',
      source: 'perftest: 100 (cq-mod), at most sendDepth',
    }),
    rnrRetryLimit: countOrOff({
      default: null,
      max: 6,
      help: 'RNR NAKs in a row after which a queue pair fails; off: none',
      source: 'IBTA 9.7.5.2.8: 7 is without a limit',
    }),
    reads: count({
      default: 16,
      min: 1,
      max: 255,
      help: 'READs and atomics outstanding on a queue pair',
      source: 'IBTA 9.4.4; 16 is usual',
    }),
    credits: flag({
      default: true,
      help: 'ACKs tell how many Receive WQEs there are, and SENDs beyond wait',
      source: 'IBTA 9.7.7.2; [IRN] B.3',
    }),
    queuePairs: countOrOff({
      default: null,
      min: 1,
      max: 4096,
      help: 'queue pairs between two hosts that messages without a connection share; off: each has one that is idle, or a new one',
    }),
  },
  { help: 'work requests of workloads on verbs queue pairs' },
)
