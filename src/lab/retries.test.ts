/** Silent peers and slow paths, with the retries of real NICs. Measurements: unionxic/rdma-fault-characterization, harness/ack_timeout. */
import { expect, test } from 'vitest'
import { CONNECTX5_RETRY, CONNECTX6_RETRY } from '../core/hardware/index.ts'
import { numbersOf, type Result, textsOf } from '../core/results/index.ts'
import type { RetryPolicy } from '../core/transport/retry.ts'
import { parseScenario } from './scenario/index.ts'
import { run } from './simulation/simulation.ts'

/** Local ACK Timeout T: 4.096 us times 2 to this power. */
const timeout = (code: number): string => `${4.096 * 2 ** code}us`
const steps = ({ steps: waits, floor, factor }: RetryPolicy): string =>
  `{kind: steps, steps: [${waits.map((ms) => `${ms}ms`).join(', ')}], floor: ${floor}ms, factor: ${factor}}`

const resultOf = (policy: RetryPolicy, qp: string, more: string, delay = '1us'): Result =>
  run(
    parseScenario(`
name: retries
topology: {kind: star, hosts: 2, linkRate: 100Gbps, linkDelay: ${delay}}
qp: {retry: ${steps(policy)}, ${qp}}
${more}
`),
    { check: true },
  )

const MESSAGE = 'workload: [{kind: trace, flows: ["0 1 64B 0us"]}]'
const SILENT = `${MESSAGE}\nfaults: [{kind: bernoulli, probability: 1, packets: data, links: all}]`
const READ = `workload: [{kind: trace, flows: ["0 1 64B 0us op=read"]}]\nfaults: [{kind: bernoulli, probability: 1, packets: both, links: all}]`
const silent = (code: number, retries: number, work = SILENT): Result =>
  resultOf(CONNECTX6_RETRY.value, `ackTimeout: ${timeout(code)}, retryLimit: ${retries}`, work)
const column = ({ flows }: Result, name: string): number => numbersOf(flows, name)[0]!

/** Timeout, retries, milliseconds measured, and the adaptive ones among the retransmissions. */
const CELLS = [
  [10, 7, 3660.96, 7],
  [12, 7, 3661.02, 7],
  [14, 7, 3661.8, 7],
  [16, 7, 3661.8, 7],
  [17, 7, 7151.7, 8],
  [18, 7, 14667.8, 9],
  [19, 7, 29700.8, 10],
  [20, 7, 59766.3, 11],
  [14, 1, 440.6, 6],
  [14, 2, 977.6, 7],
  [14, 3, 1514.3, 7],
  [14, 4, 2051.4, 7],
  [14, 5, 2588.2, 7],
  [14, 6, 3124.8, 7],
  [15, 1, 439.72, 6],
  [15, 3, 1513.52, 7],
  [15, 5, 2587.13, 7],
  [15, 7, 3660.74, 7],
  [17, 1, 976.75, 7],
  [17, 2, 1781.81, 8],
  [17, 3, 2855.57, 8],
  [17, 5, 5003.27, 8],
] as const

test.each(CELLS)(
  'T %i, %i retries: the queue pair gives up after %f ms, within 0.5 %',
  (code, retries, ms, adaptive) => {
    const result = silent(code, retries)
    expect(textsOf(result.flows, 'status')[0]).toBe('retry limit reached')
    expect(Math.abs(result.simulatedPs / 1e9 / ms - 1)).toBeLessThan(0.005)
    expect(column(result, 'retransmissions')).toBe(adaptive + Math.max(0, retries - 2))
  },
)

test('a READ that nobody answers waits as long', () => {
  expect(silent(14, 7, READ).simulatedPs / 1e9).toBeCloseTo(silent(14, 7).simulatedPs / 1e9, 1)
})

test('progress begins the steps anew, and without a limit the last wait comes again and again', () => {
  const lossy = `${MESSAGE.replace('64B', '40KB')}\nfaults: [{kind: bernoulli, probability: 0.2, packets: both, links: all}]`
  const result = resultOf(CONNECTX6_RETRY.value, `ackTimeout: ${timeout(14)}, retryLimit: off`, lossy)
  expect(textsOf(result.flows, 'status')[0]).toBe('finished')
  expect(column(result, 'timeouts')).toBeGreaterThan(0)
})

test('ConnectX-5 sends again after 2 ms whatever its timeout says: not below that round trip, needlessly above it', () => {
  const at = (delay: string): number =>
    column(resultOf(CONNECTX5_RETRY.value, `ackTimeout: ${timeout(18)}`, MESSAGE, delay), 'retransmissions')
  expect(at('0.4ms')).toBe(0)
  // Round trips of 40 and 30 ms: after 2, 6, 14 and 30 ms.
  expect(at('10ms')).toBeGreaterThan(2)
  expect(at('7.5ms')).toBeGreaterThan(2)
})
