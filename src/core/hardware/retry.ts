/**
 * Time until a queue pair gives up where its peer is silent, from its timeout T and its retry count R. Times are milliseconds.
 * By IBTA, and by the law of ConnectX with adaptive retransmission, which it has by default (roce_adp_retrans_en,
 * min_ack_timeout_limit_disabled 0): short steps first, then timeouts twice as long as asked for, and none below T = 16.
 * Source: unionxic/rdma-fault-characterization, harness/ack_timeout: ConnectX-6, firmware 20.43.4100, one pair of servers; the
 * first fault of a process, and R = 0, are otherwise there.
 */
import { derived, type Known } from './known.ts'

const UNIT_MS = 4.096e-3
const nominalMs = (timeout: number): number => UNIT_MS * 2 ** timeout

/** Source: IBTA 9.7.6.1.3. */
export const ibtaRetryMs = (timeout: number, retries: number): number => (retries + 1) * nominalMs(timeout)

/** Steps of adaptive retransmission, in units of 4.096 us. */
export const ADAPTIVE_STEPS: Known<readonly number[]> = derived(
  [3 * 2 ** 10, 2 ** 11, 2 ** 12, 2 ** 13, 2 ** 14, 3 * 2 ** 13, 3 * 2 ** 14, 2 ** 17, 3 * 2 ** 16, 2 ** 19, 2 ** 20],
  'unionxic/rdma-fault-characterization, harness/ack_timeout: twelve of its 22 cells, the others foretold to 0.16 %',
)
const LEAST_TIMEOUT = 16

/** When a queue pair gives up, and how often it has sent the packet by then. @param retries 1 or more */
export function adaptiveRetry(
  timeout: number,
  retries: number,
): { readonly ms: number; readonly transmissions: number } {
  const asked = nominalMs(Math.max(timeout, LEAST_TIMEOUT))
  const steps = ADAPTIVE_STEPS.value.map((step) => step * UNIT_MS)
  const adaptive = steps.filter((ms) => ms <= asked)
  const adaptiveMs = adaptive.reduce((sum, ms) => sum + ms, 0)
  if (retries <= 1) return { ms: adaptiveMs, transmissions: 1 + adaptive.length }
  const next = Math.min(steps[adaptive.length] ?? Infinity, 2 * asked)
  return { ms: adaptiveMs + next + (retries - 2) * 2 * asked, transmissions: 1 + adaptive.length + retries - 2 }
}

/** Share of the nominal timeout that the first one takes with the floor off: nobody has explained it. */
const FIRST = [0.51, 1.36] as const

/** With the floor off. In 17 of 19 measured cells the first timeout is at most 1.16 of the nominal one, at T = 8 up to 1.36. */
export function floorlessRetryMs(timeout: number, retries: number): readonly [least: number, most: number] {
  const [least, most] = FIRST
  return [(least + retries + 1) * nominalMs(timeout), (most + retries + 1) * nominalMs(timeout)]
}
