/**
 * Time until a queue pair gives up where its peer is silent, from its timeout T and its retry count R. Times are milliseconds.
 * By IBTA, and by the law of ConnectX with adaptive retransmission, which it has by default (roce_adp_retrans_en,
 * min_ack_timeout_limit_disabled 0): short steps first, then timeouts twice as long as asked for, and none below T = 16.
 * Source: unionxic/rdma-fault-characterization, harness/ack_timeout: ConnectX-6, firmware 20.43.4100, one pair of servers; the
 * first fault of a process, and R = 0, are otherwise there.
 */
import { ibtaRetry, type RetryPolicy, retrySchedule } from '../transport/retry.ts'
import { derived, type Known, measured } from './known.ts'

const UNIT_MS = 4.096e-3
const nominalMs = (timeout: number): number => UNIT_MS * 2 ** timeout

/** Steps of adaptive retransmission, in units of 4.096 us. */
const ADAPTIVE_UNITS = [
  3 << 10,
  1 << 11,
  1 << 12,
  1 << 13,
  1 << 14,
  3 << 13,
  3 << 14,
  1 << 17,
  3 << 16,
  1 << 19,
  1 << 20,
]
export const CONNECTX6_RETRY: Known<RetryPolicy> = derived(
  { steps: ADAPTIVE_UNITS.map((units) => units * UNIT_MS), floor: nominalMs(16), factor: 2 },
  'unionxic/rdma-fault-characterization, harness/ack_timeout: twelve of its 22 cells, the others foretold to 0.16 %',
)
/** Nobody has measured the waits behind the four steps: here, timeouts as they are asked for. */
export const CONNECTX5_RETRY: Known<RetryPolicy> = measured(
  { steps: [2, 4, 8, 16], floor: 0, factor: 1 },
  'perftest#251: retransmissions after 2, 4, 8 and 16 ms whatever the timeout says',
)

interface GivenUp {
  readonly ms: number
  readonly transmissions: number
}

function giveUp(policy: RetryPolicy, timeout: number, retries: number): GivenUp {
  const { waits } = retrySchedule(policy, nominalMs(timeout), retries)
  return { ms: waits.reduce((sum, ms) => sum + ms, 0), transmissions: waits.length }
}

/** Source: IBTA 9.7.6.1.3. */
export const ibtaRetryMs = (timeout: number, retries: number): number => giveUp(ibtaRetry, timeout, retries).ms

/** When a queue pair gives up, and how often it has sent the packet by then. @param retries 1 or more */
export const adaptiveRetry = (timeout: number, retries: number): GivenUp =>
  giveUp(CONNECTX6_RETRY.value, timeout, retries)

/** Share of the nominal timeout that the first one takes with the floor off: nobody has explained it. */
const FIRST = [0.51, 1.36] as const

/** With the floor off. In 17 of 19 measured cells the first timeout is at most 1.16 of the nominal one, at T = 8 up to 1.36. */
export function floorlessRetryMs(timeout: number, retries: number): readonly [least: number, most: number] {
  const [least, most] = FIRST
  return [(least + retries + 1) * nominalMs(timeout), (most + retries + 1) * nominalMs(timeout)]
}
