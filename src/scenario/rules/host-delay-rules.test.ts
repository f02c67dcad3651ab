/** Host delays: points of a distribution are in order, and a queue pair has one delay. */
import { expect, test } from 'vitest'
import { InputError } from '../../base/issue.ts'
import { parseScenario } from '../index.ts'

/** Places of the mistakes of a scenario with these lines. */
function mistakes(more: string, workload = 'kind: permutation'): string[] {
  try {
    parseScenario(`name: delays\ntopology: star\nworkload: [{${workload}}]\n${more}`)
    return []
  } catch (error) {
    if (!(error instanceof InputError)) throw error
    return error.issues.map(({ path }) => path)
  }
}

const LOW = '{kind: lognormal, median: 8us, p99: 7us}'

test('percentiles out of order are a mistake at their place, said once where workloads share them', () => {
  expect(mistakes(`qp: {hostDelay: ${LOW}}`)).toEqual(['qp.hostDelay.p99'])
  expect(mistakes(`qp: {hostDelay: ${LOW}}`, 'kind: permutation, qp: {window: 10KB}')).toEqual(['qp.hostDelay.p99'])
  expect(mistakes('', `kind: permutation, qp: {hostDelay: ${LOW}}`)).toEqual(['workload.0.qp.hostDelay.p99'])
  expect(mistakes('qp: {hostDelay: {kind: quantiles, points: ["0 1us", "50 2us"]}}')).toEqual(['qp.hostDelay.points.1'])
})

test('TCP with a stack of its own has no host delay beside it', () => {
  const delayed = 'qp: {hostDelay: {kind: exponential, least: 5us}}'
  const tcp = (values: string): string => `congestion: cubic\nrecovery: {kind: tcp${values}}`
  expect(mistakes(`${delayed}\n${tcp(', stackLatency: 10us')}`)).toEqual(['qp.hostDelay'])
  expect(mistakes(`${delayed}\n${tcp(', stackLatency: 0us, stackJitter: 5us')}`)).toEqual(['qp.hostDelay'])
  expect(mistakes(`${delayed}\n${tcp(', stackLatency: 0us, stackJitter: 0us')}`)).toEqual([])
  expect(mistakes(tcp(', stackLatency: 10us'))).toEqual([])
})

test("a TCP workload beside RDMA may turn the scenario's delay off for itself", () => {
  const tcp = 'kind: permutation, congestion: cubic, recovery: {kind: tcp, stackLatency: 10us}'
  const delayed = 'qp: {hostDelay: {kind: exponential, least: 5us}}'
  expect(mistakes(delayed, tcp)).toEqual(['qp.hostDelay'])
  expect(mistakes(delayed, `${tcp}, qp: {hostDelay: {kind: exponential, least: 1us}}`)).toEqual([
    'workload.0.qp.hostDelay',
  ])
  expect(mistakes(delayed, `${tcp}, qp: {hostDelay: none}`)).toEqual([])
})
