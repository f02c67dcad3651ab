/** Congestion control schemes: one file and one line each. */
import { dctcpRate } from './dctcp-rate.ts'
import { dcqcn, dcqcnConnectX4 } from './dcqcn.ts'
import { dx } from './dx.ts'
import { none } from './none.ts'
import { patchedTimely } from './patched-timely.ts'
import { swift } from './swift.ts'
import { timely } from './timely.ts'

export const congestions = [none, dcqcn, dcqcnConnectX4, timely, patchedTimely, dctcpRate, dx, swift] as const
