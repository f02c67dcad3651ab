/** Parameters of section `verbs`: work requests of workloads. Declarations only. */
import { count, countOrOff, flag, group } from '../base/params.ts'

export const verbsParams = group(
  {
    sendDepth: count({
      default: 128,
      min: 1,
      max: 65_536,
      help: 'Request WQEs of a queue pair; further work requests wait in the application',
      source: 'perftest: 128 (tx-depth)',
    }),
    receives: count({
      default: 512,
      max: 65_536,
      help: 'Receive WQEs that a queue pair keeps posted for SENDs and immediates; each is reposted qp.receiveRepost after its use',
      source: 'perftest: 512 (rx-depth)',
    }),
    sharedReceives: countOrOff({
      default: null,
      min: 1,
      max: 65_536,
      help: 'Receive WQEs of a queue that all queue pairs of a host share; off: each queue pair has its own, as in receives',
      source: 'IBTA 10.2.9; [IRN] B.2',
    }),
    signalEvery: count({
      default: 1,
      min: 1,
      max: 65_536,
      help: 'one in this many work requests of a queue pair is signalled, and the last of those posted together; a message counts as acknowledged with the CQE that covers it',
      source: 'perftest: 100 (cq-mod), at most sendDepth',
    }),
    rnrRetryLimit: countOrOff({
      default: null,
      max: 6,
      help: 'RNR NAKs in a row after which a queue pair fails; off: no limit',
      source: 'IBTA 9.7.5.2.8: 7 means no limit',
    }),
    reads: count({
      default: 16,
      min: 1,
      max: 255,
      help: 'READs and atomics outstanding on a queue pair',
      source: 'IBTA 9.4.4; 16 is common in NICs',
    }),
    credits: flag({
      default: true,
      help: 'ACKs advertise the available Receive WQEs, and SENDs beyond them wait',
      source: 'IBTA 9.7.7.2; [IRN] B.3',
    }),
    queuePairs: countOrOff({
      default: null,
      min: 1,
      max: 4096,
      help: 'queue pairs between two hosts that messages without a connection share; off: each message takes an idle queue pair or a new one',
    }),
  },
  { help: 'work requests of workloads on verbs queue pairs' },
)
