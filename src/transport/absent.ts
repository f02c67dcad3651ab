/**
 * Absent: transport schemes that the papers name and that are not here, each with the reason, so that a search for one
 * ends with an answer.
 */
import type { Definition } from '../base/params.ts'

export interface AbsentScheme extends Pick<Definition, 'name' | 'help'> {
  /** Where the papers name it. */
  readonly source: string
  readonly reason: string
}

export const absentSchemes: readonly AbsentScheme[] = [
  {
    name: 'MELO',
    help: 'selective retransmission that keeps out-of-order packets in memory beside the NIC chip',
    source: 'S3 7',
    reason:
      'S3 gives neither latency nor bandwidth of that memory, which are all that tells it from another selective retransmission; it keeps PFC and is not about congestion',
  },
  {
    name: 'TaTCP',
    help: 'DCTCP that favours tasks, which are several flows',
    source: 'S1 IV-B',
    reason: 'S1 gives no formula, and flows of a scenario belong to no task',
  },
  {
    name: 'adaptive-acceleration DCTCP',
    help: 'DCTCP that speeds up when it has room',
    source: 'S1 [21]',
    reason: 'cited alone, without a rule',
  },
  {
    name: 'DCMPTCP',
    help: 'MPTCP for data centers',
    source: 'S1 [23]',
    reason: 'cited alone, without a rule',
  },
  {
    name: 'DCQCN+',
    help: 'DCQCN made for large incasts',
    source: 'S0 references',
    reason: 'cited alone, without a rule',
  },
  {
    name: 'MPTCP',
    help: 'TCP over several paths, each with a window of its own',
    source: 'S1 V-C',
    reason:
      'it keeps state per path in the kernel, the very thing that S1 says a NIC cannot; nothing here models a kernel',
  },
  {
    name: 'TCP/IP',
    help: 'TCP in the kernel',
    source: 'S1 II-A, S2 1',
    reason: 'what tells it from RDMA is time and load of the CPU, and hosts here have none',
  },
  {
    name: 'QUIC',
    help: 'transport over UDP in the user space',
    source: 'S1 VII',
    reason: 'a direction of research in S1, not a scheme',
  },
  {
    name: 'pFabric',
    help: 'switches that send and keep what has least left to send',
    source: 'S1 I, S3 3.2',
    reason: 'the scheduling is all of it, and no switch here looks into packets for a size',
  },
  {
    name: 'QJUMP',
    help: 'hosts that trade rate for a bound on delay, per priority',
    source: 'S1 I',
    reason: 'cited alone; a static rate per priority hears of no congestion',
  },
  {
    name: 'Homa',
    help: 'receivers that grant messages and give them network priorities',
    source: 'S1 IV-A',
    reason: 'it has no connections, and so none of the queue pairs that are modelled here',
  },
  {
    name: 'FEC',
    help: 'redundancy in the stream in place of retransmission',
    source: 'S2 6.3',
    reason: 'S2 names it for the future, without a code or a rate',
  },
  {
    name: 'ICTCP',
    help: 'receivers that set the TCP window against incast',
    source: 'S2 7',
    reason: 'related work of S2 on TCP, without a rule',
  },
  {
    name: 'DeTail',
    help: 'per-packet adaptive routing over lossless Ethernet with priorities',
    source: 'S2 7',
    reason: 'related work of S2 in switches; not a matter of queue pairs',
  },
]
