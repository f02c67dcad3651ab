/**
 * Absent schemes: transport schemes named by the papers that are not modelled, each with the reason, so that a
 * search for one finds an explanation.
 */
import { textRows } from './text-rows.ts'

/** Name, section of the paper that names it, help and reason. */
const ABSENT = `
MELO | [IRN] 7 | selective retransmission that keeps out-of-order packets in memory beside the NIC chip | [IRN] gives neither latency nor bandwidth of that memory, the only difference from other selective retransmission; it keeps PFC and is not about congestion
TaTCP | [Survey] IV-B | DCTCP that favours tasks, which are several flows | [Survey] gives no formula, and flows of a scenario belong to no task
adaptive-acceleration DCTCP | [Survey] [21] | DCTCP that accelerates when bandwidth is available | cited alone, without a rule
DCMPTCP | [Survey] [23] | MPTCP for data centers | cited alone, without a rule
DCQCN+ | [IGBN] references | DCQCN made for large incasts | cited alone, without a rule
MPTCP | [Survey] V-C | TCP over several paths, each with a window of its own | it keeps state per path in the kernel, the very thing that [Survey] says a NIC cannot; nothing here models a kernel
TCP/IP | [Survey] II-A, [MS-Scale] 1 | TCP in the kernel | its difference from RDMA is time and load of the CPU, which hosts here do not model
QUIC | [Survey] VII | transport over UDP in the user space | a direction of research in [Survey], not a scheme
pFabric | [Survey] I, [IRN] 3.2 | switches that prioritise, and keep, packets of the flow with the least remaining data | it consists of scheduling, and no switch here reads flow sizes from packets
QJUMP | [Survey] I | hosts that trade rate for a bound on delay, per priority | cited alone; a static rate per priority reacts to no congestion
Homa | [Survey] IV-A | receivers that grant messages and give them network priorities | it has no connections, and so none of the queue pairs that are modelled here
FEC | [MS-Scale] 6.3 | redundancy in the stream in place of retransmission | [MS-Scale] names it for the future, without a code or a rate
ICTCP | [MS-Scale] 7 | receivers that set the TCP window against incast | related work of [MS-Scale] on TCP, without a rule
DeTail | [MS-Scale] 7 | per-packet adaptive routing over lossless Ethernet with priorities | related work of [MS-Scale] in switches; not a matter of queue pairs
`

export const absentSchemes = textRows(ABSENT).map(([name = '', source = '', help = '', reason = '']) => {
  return { name, help, source, reason }
})
