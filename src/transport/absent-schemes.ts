/**
 * Absent schemes: transport schemes named by the papers that are not modelled, each with the reason, so that a
 * search for one finds an explanation.
 */
import type { Definition } from '../base/params.ts'

interface AbsentScheme extends Pick<Definition, 'name' | 'help'> {
  /** Section of the paper that names it. */
  readonly source: string
  readonly reason: string
}

export const absentSchemes: readonly AbsentScheme[] = [
  {
    name: 'MELO',
    help: 'selective retransmission that keeps out-of-order packets in memory beside the NIC chip',
    source: '[IRN] 7',
    reason:
      '[IRN] gives neither latency nor bandwidth of that memory, the only difference from other selective retransmission; it keeps PFC and is not about congestion',
  },
  {
    name: 'TaTCP',
    help: 'DCTCP that favours tasks, which are several flows',
    source: '[Survey] IV-B',
    reason: '[Survey] gives no formula, and flows of a scenario belong to no task',
  },
  {
    name: 'adaptive-acceleration DCTCP',
    help: 'DCTCP that accelerates when bandwidth is available',
    source: '[Survey] [21]',
    reason: 'cited alone, without a rule',
  },
  {
    name: 'DCMPTCP',
    help: 'MPTCP for data centers',
    source: '[Survey] [23]',
    reason: 'cited alone, without a rule',
  },
  {
    name: 'DCQCN+',
    help: 'DCQCN made for large incasts',
    source: '[IGBN] references',
    reason: 'cited alone, without a rule',
  },
  {
    name: 'MPTCP',
    help: 'TCP over several paths, each with a window of its own',
    source: '[Survey] V-C',
    reason:
      'it keeps state per path in the kernel, the very thing that [Survey] says a NIC cannot; nothing here models a kernel',
  },
  {
    name: 'TCP/IP',
    help: 'TCP in the kernel',
    source: '[Survey] II-A, [MS-Scale] 1',
    reason: 'its difference from RDMA is time and load of the CPU, which hosts here do not model',
  },
  {
    name: 'QUIC',
    help: 'transport over UDP in the user space',
    source: '[Survey] VII',
    reason: 'a direction of research in [Survey], not a scheme',
  },
  {
    name: 'pFabric',
    help: 'switches that prioritise, and keep, packets of the flow with the least remaining data',
    source: '[Survey] I, [IRN] 3.2',
    reason: 'it consists of scheduling, and no switch here reads flow sizes from packets',
  },
  {
    name: 'QJUMP',
    help: 'hosts that trade rate for a bound on delay, per priority',
    source: '[Survey] I',
    reason: 'cited alone; a static rate per priority reacts to no congestion',
  },
  {
    name: 'Homa',
    help: 'receivers that grant messages and give them network priorities',
    source: '[Survey] IV-A',
    reason: 'it has no connections, and so none of the queue pairs that are modelled here',
  },
  {
    name: 'FEC',
    help: 'redundancy in the stream in place of retransmission',
    source: '[MS-Scale] 6.3',
    reason: '[MS-Scale] names it for the future, without a code or a rate',
  },
  {
    name: 'ICTCP',
    help: 'receivers that set the TCP window against incast',
    source: '[MS-Scale] 7',
    reason: 'related work of [MS-Scale] on TCP, without a rule',
  },
  {
    name: 'DeTail',
    help: 'per-packet adaptive routing over lossless Ethernet with priorities',
    source: '[MS-Scale] 7',
    reason: 'related work of [MS-Scale] in switches; not a matter of queue pairs',
  },
]
