/** Congestion control schemes: one file and one line each. */
import { dctcpRate } from './dctcp-rate.ts'
import { dcqcn, dcqcnConnectX4 } from './dcqcn.ts'
import { none } from './none.ts'
import { timely } from './timely.ts'

export const congestions = [none, dcqcn, dcqcnConnectX4, timely, dctcpRate] as const
