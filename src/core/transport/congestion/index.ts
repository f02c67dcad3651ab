/** Congestion control schemes: one file and one line each. */
import { aimd } from './aimd.ts'
import { cubic } from './cubic.ts'
import { d2tcp } from './d2tcp.ts'
import { dctcpRate } from './dctcp-rate.ts'
import { dctcp } from './dctcp.ts'
import { dcqcn, dcqcnConnectX4, dcqcnHpcc } from './dcqcn.ts'
import { dx } from './dx.ts'
import { hpcc } from './hpcc.ts'
import { l2dct } from './l2dct.ts'
import { ldcpPcc } from './ldcp-pcc.ts'
import { ldcp } from './ldcp.ts'
import { mpRdma } from './mp-rdma.ts'
import { newreno } from './newreno.ts'
import { none } from './none.ts'
import { patchedTimely } from './patched-timely.ts'
import { qcn } from './qcn.ts'
import { swift } from './swift.ts'
import { timely } from './timely.ts'

export type { CongestionDefinition } from './congestion.ts'

export const congestions = [
  none,
  dcqcn,
  dcqcnConnectX4,
  dcqcnHpcc,
  timely,
  patchedTimely,
  dctcpRate,
  dctcp,
  d2tcp,
  l2dct,
  aimd,
  newreno,
  cubic,
  dx,
  swift,
  hpcc,
  qcn,
  mpRdma,
  ldcp,
  ldcpPcc,
] as const
