import { describe, expect, test } from 'vitest'
import { parseScenario } from './scenario/index.ts'
import { createSimulation } from './index.ts'

/** Progress that a run reports at regular numbers of events, beside the share of its events that had run. */
function followed(rest: string): { readonly reported: number; readonly true: number }[] {
  const scenario = parseScenario(`{name: way, topology: {kind: star, hosts: 5, linkRate: 100Gbps}, ${rest}}`)
  const fractions: number[] = []
  const simulation = createSimulation(scenario)
  expect(simulation.progress().fraction).toBe(0)
  while (simulation.advance(500)) fractions.push(simulation.progress().fraction)
  expect(simulation.progress().fraction).toBe(1)
  simulation.close()
  expect(fractions.length).toBeGreaterThan(20)
  return fractions.map((reported, i) => ({ reported, true: (i + 1) / (fractions.length + 1) }))
}

describe('a run reports its progress', () => {
  test.each([
    ['closed loops', 'workload: [{kind: closed-loop, pairs: ["0-3 4"], messages: 50, messageSize: 40KB}]'],
    ['one long flow', 'workload: [{kind: trace, flows: ["0 1 10MB 0us"]}]'],
    ['incasts that wait for themselves', 'workload: [{kind: incast, senders: 4, total: 400KB, repetitions: 20}]'],
    ['a trace with gaps', `workload: [{kind: trace, flows: [${trace()}]}]`],
    ['a given number of flows', 'workload: [{kind: poisson, load: 0.5, flows: 3000, sizes: {kind: fixed, size: 4KB}}]'],
    [
      'flows until a time',
      'workload: [{kind: poisson, load: 0.5, sizes: {kind: fixed, size: 4KB}}], measure: {generate: 1ms}',
    ],
    [
      'loops that time ends',
      'workload: [{kind: closed-loop, pairs: ["0-3 4"], messageSize: 40KB}], measure: {generate: 1ms}',
    ],
    ['a time', 'workload: [{kind: closed-loop, pairs: ["0-3 4"], messageSize: 40KB}], measure: {stop: 1ms}'],
  ])('of %s', (_, rest) => {
    const samples = followed(rest)
    for (const { reported, true: share } of samples) expect(Math.abs(reported - share)).toBeLessThan(0.1)
    // Bytes in flight of random flows come and go.
    expect(samples.every(({ reported }, i) => i === 0 || reported > samples[i - 1]!.reported - 0.05)).toBe(true)
  })

  test('of loops with a number that a time far away ends too', () => {
    const loop = 'workload: [{kind: closed-loop, pairs: ["0-3 4"], messages: 50, messageSize: 40KB}]'
    expect(followed(`${loop}, measure: {generate: 10s}`).at(-1)!.reported).toBeGreaterThan(0.9)
  })
})

/** Equal flows, one after another. */
function trace(): string {
  return Array.from({ length: 40 }, (_, i) => `"${i % 4} 4 300KB ${i * 50}us"`).join(', ')
}
