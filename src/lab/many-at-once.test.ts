import { expect, test } from 'vitest'
import { parseScenario } from './scenario/index.ts'
import { createSimulation, type Simulation } from './simulation/simulation.ts'

/** 3 hosts x 40,000 messages, all due at 0. */
const scenario = parseScenario(`
name: many at once
topology: {kind: star, hosts: 3}
workload: [{kind: permutation, messageSize: 1KB, outstanding: 40000, messages: 40000}]
`)

/** The numbers of messages posted when each call of `advance` came back. */
function postedBy(simulation: Simulation, events: number): number[] {
  const posted: number[] = []
  let hasMore = true
  while (hasMore) {
    hasMore = simulation.advance(events)
    posted.push(simulation.progress().flowsStarted)
  }
  return posted
}

test('messages due at one instant are posted in portions, and advance() returns in between', () => {
  const simulation = createSimulation(scenario)
  const posted = postedBy(simulation, 100_000)
  expect(posted.slice(0, 3)).toEqual([50_000, 100_000, 120_000])
  const { digest, counters } = simulation.result(false)
  expect(simulation.progress().flowsFinished).toBe(120_000)
  expect(counters.payloadBytesDelivered).toBe(120_000_000)
  simulation.close()

  const sliced = createSimulation(scenario, { check: true })
  expect(postedBy(sliced, 7_777).at(-1)).toBe(120_000)
  expect(sliced.result(false).digest).toBe(digest)
  sliced.close()
})

test('a run is not over between two portions', () => {
  const simulation = createSimulation(scenario)
  expect(simulation.advance(100_000)).toBe(true)
  const { partial, flows } = simulation.result(true)
  expect([partial, flows.rowCount]).toEqual([true, 50_000])
  simulation.close()
})
