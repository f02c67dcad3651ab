/**
 * Jobs of training on an idle switch: pipelines and mixtures of experts, against formulas and numbers that know of no
 * simulator.
 */
import { describe, expect, test } from 'vitest'
import { jobsOf, numbersOf, type Result, tableOfKind } from '../core/results/index.ts'
import { parseScenario } from './scenario/index.ts'
import { run } from './index.ts'
import { alone, lastPs, MIB, mistakesIn, receivedOf, roundsOf, runJob, sentOf, sum, tau } from './idle.test-bench.ts'

const US = 1e6

describe('a pipeline', () => {
  const job = (schedule: string, p: number, m: number, more = ''): string =>
    `kind: pipeline, schedule: ${schedule}, stages: ${p}, microbatches: ${m}, forward: 100us, backward: 200us, activation: 1MiB, ${more}`

  test.each([
    ['gpipe', 0, 3434.853],
    ['gpipe', 10, 3494.853],
    ['1f1b', 0, 3659.609],
    ['1f1b', 10, 3819.609],
  ])('%s with %i us a step: %f us', (schedule, h, expectedUs) => {
    expect(lastPs(runJob(job(schedule, 4, 8, `stepTime: ${h}us`))) / US).toBeCloseTo(expectedUs, 2)
  })

  test.each([
    [1, 5],
    [2, 1],
    [3, 7],
    [8, 16],
  ])('gpipe of %i stages and %i microbatches: its formula', (p, m) => {
    const expectedPs = (m + p - 1) * 300 * US + 2 * (p - 1) * (alone(MIB) + 10 * US)
    expect(lastPs(runJob(job('gpipe', p, m, 'stepTime: 10us'))) / expectedPs).toBeCloseTo(1, 5)
  })

  test('1f1b of 8 stages and 16 microbatches waits 26 times more for a message than gpipe', () => {
    const [gpipe, other] = ['gpipe', '1f1b'].map((schedule) => lastPs(runJob(job(schedule, 8, 16))))
    expect((other! - gpipe!) / alone(MIB)).toBeCloseTo(26, 1)
  })

  test('ranks of a stage side by side take the time of one', () => {
    const wide = runJob(job('1f1b', 4, 8, 'width: 2'), { n: 8 })
    expect(lastPs(wide) / US).toBeCloseTo(3659.609, 2)
    expect(sum(sentOf(wide, 8))).toBe(2 * 2 * 3 * 8 * MIB)
  })

  test('iterations follow each other, with the sum of gradients between them', () => {
    const one = lastPs(runJob(job('gpipe', 2, 2, 'width: 2, gradient: 2MiB'), { n: 4 }))
    // The last message to the first stage shares its link with the sum of the second; then the first sums two halves.
    const sumPs = one - lastPs(runJob(job('gpipe', 2, 2), { n: 4 }))
    expect(sumPs / (2 * alone(MIB) + tau(MIB))).toBeCloseTo(1, 2)
    const two = runJob(job('gpipe', 2, 2, 'width: 2, gradient: 2MiB, iterations: 2'), { n: 4 })
    expect(lastPs(two) / one).toBeCloseTo(2, 3)
    expect(roundsOf(two, 'operation')).toEqual(Array.from({ length: 4 }, () => 'all-reduce'))
  })

  test('needs a host for each rank', () => {
    expect(mistakesIn(job('gpipe', 4, 8, 'width: 3'), 8)).toEqual(['stages'])
  })
})

describe('a mixture of experts', () => {
  const job = (more: string): string =>
    `kind: moe, tokens: 64, hidden: 100, experts: 32, groups: 4, topGroups: 2, ${more}`
  const pairs = (result: Result, from: number): Map<string, number> => {
    const found = new Map<string, number>()
    const [source, destination] = [numbersOf(result.flows, 'source'), numbersOf(result.flows, 'destination')]
    const [bytes, start] = [numbersOf(result.flows, 'sizeBytes'), numbersOf(result.flows, 'startPs')]
    for (let row = 0; row < result.flows.rowCount; row++) {
      if (start[row]! >= from) found.set(`${source[row]!} ${destination[row]!}`, bytes[row]!)
    }
    return found
  }

  test.each(['none', 'node'])(
    'forward %s: what is sent is received, and results go back the way the tokens came',
    (forward) => {
      const result = runJob(job(`topK: 4, forward: ${forward}, nodeSize: 4, layerTime: 1ms`))
      const end = numbersOf(tableOfKind(result, 'collectives')!, 'startPs')[1]!
      expect(roundsOf(result, 'operation')).toEqual(['dispatch', 'combine'])
      expect(end).toBeGreaterThan(1000 * US)
      const [all, back] = [pairs(result, 0), pairs(result, end)]
      const flows = [...numbersOf(result.flows, 'sizeBytes')]
      expect(sum(flows)).toBe(sum(sentOf(result, 8)))
      expect(sentOf(result, 8).reduce((a, b) => a + b)).toBe(sum(receivedOf(result, 8)))
      // Two bytes of each element back, for one there; both are cut by whole tokens.
      expect(sum([...back.values()])).toBe((sum(flows) * 2) / 3)
      expect([...all.keys()].toSorted()).toEqual(
        [...all.keys()].map((key) => key.split(' ').toReversed().join(' ')).toSorted(),
      )
      expect(flows.every((bytes) => bytes % 100 === 0)).toBe(true)
    },
  )

  test('a token goes to a rank once, and to at most as many as it has experts', () => {
    const one = sum(sentOf(runJob(job('topK: 1, combineElement: 1B')), 8))
    const four = sum(sentOf(runJob(job('topK: 4, combineElement: 1B')), 8))
    expect(one).toBeLessThanOrEqual(2 * 8 * 64 * 100)
    expect(four).toBeGreaterThan(one)
    expect(four).toBeLessThan(4 * 2 * 8 * 64 * 100)
  })
})

test('over TCP a step does not wait for ACKs that its receivers hold back', () => {
  const sets = [
    'topology={kind: star, hosts: 8, linkRate: 100Gbps, linkDelay: 1us}',
    'recovery=tcp',
    'congestion=cubic',
    'switch.buffer={kind: shared-buffer, size: 64MB}',
  ]
  const [job] = jobsOf(
    run(
      parseScenario('workload: [{kind: moe, tokens: 64, hidden: 1024, experts: 32, topK: 4, iterations: 3}]', { sets }),
    ),
  )
  expect(job!.stepPs / US).toBeLessThan(110)
  expect(job!.stepPs / job!.idealStepPs).toBeGreaterThanOrEqual(1)
  expect(job!.stepPs / job!.idealStepPs).toBeLessThan(1.1)
})
