/**
 * Host delays in whole runs: how often a message passes the hosts, to the picosecond, and that a delay of one workload
 * leaves the others alone.
 */
import { expect, test } from 'vitest'
import { run } from '../../src/lab/index.ts'
import { numbersOf, quantile } from '../../src/core/results/index.ts'
import { parseScenario } from '../../src/lab/scenario/index.ts'

interface Times {
  readonly receivedPs: number[]
  readonly acknowledgedPs: number[]
}

const US = 1_000_000
const CONSTANT = '{kind: exponential, least: 3us}'

function timesOf(workload: string, more = ''): Times {
  const { flows } = run(
    parseScenario(`
name: host-delay
topology: {kind: star, hosts: 3, linkRate: 40Gbps, linkDelay: 1us}
workload: [${workload}]
${more}
`),
    { check: true },
  )
  const [startPs, receivedPs, acknowledgedPs] = ['startPs', 'receivedPs', 'acknowledgedPs'].map((name) =>
    numbersOf(flows, name),
  ) as [Float64Array, Float64Array, Float64Array]
  return {
    receivedPs: Array.from(receivedPs, (ps, row) => ps - startPs[row]!),
    acknowledgedPs: Array.from(acknowledgedPs, (ps, row) => ps - startPs[row]!),
  }
}

const message = (operation: string, more = ''): string =>
  `{kind: closed-loop, pairs: ["0 2"], messageSize: 512B, messages: 1, operation: ${operation}${more}}`

test.each(['send', 'write'])(
  'a %s passes two hosts until it is received, and its ACK counts for three',
  (operation) => {
    const [wire, host] = [timesOf(message(operation)), timesOf(message(operation, `, qp: {hostDelay: ${CONSTANT}}`))]
    expect(host.receivedPs[0]! - wire.receivedPs[0]!).toBe(2 * 3 * US)
    expect(host.acknowledgedPs[0]! - wire.acknowledgedPs[0]!).toBe(5 * 3 * US)
  },
)

test('a delay of one workload is none of another, which passes the same hosts', () => {
  const later = '{kind: closed-loop, pairs: ["0 1"], messageSize: 512B, messages: 1, start: 500us}'
  const flows = (qp: string): string => `${message('send', `, qp: {${qp}}`)}, ${later}`
  const [wire, host] = [timesOf(flows('')), timesOf(flows(`hostDelay: ${CONSTANT}`))]
  expect(host.receivedPs[0]! - wire.receivedPs[0]!).toBe(2 * 3 * US)
  expect(host.receivedPs[1]).toBe(wire.receivedPs[1])
})

test('messages far apart have delays of their own, with the percentiles of their sum', () => {
  const { acknowledgedPs } = timesOf(
    '{kind: poisson, load: 5e-4, sizes: {kind: fixed, size: 512B}, operation: send, flows: 4000}',
    'qp: {hostDelay: {kind: lognormal, median: 2.15us, p99: 19.6us}}',
  )
  // The idle testbed of [MS-Scale] 5.4: 50 us at 99 %.
  expect(quantile(acknowledgedPs, 0.99) / US / 50).toBeCloseTo(1, 0)
  expect(quantile(acknowledgedPs, 0.5) / US).toBeGreaterThan(12)
  expect(quantile(acknowledgedPs, 0.5) / US).toBeLessThan(25)
})
