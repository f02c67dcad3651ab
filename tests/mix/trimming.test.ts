/** Workloads whose receivers use trimmed headers as loss notices, beside others that do not, on one fabric that trims. */
import { describe, expect, test } from 'vitest'
import { createSimulation } from '../../src/lab/index.ts'
import { numbersOf, type Result, textsOf } from '../../src/core/results/index.ts'
import { parseScenario } from '../../src/lab/scenario/index.ts'

/** Two incasts into one port whose buffer holds some 60 packets. */
function mixed(first: string, second: string, ...sets: string[]): Result {
  const text = `
name: mix
topology: {kind: star, hosts: 9}
pfc: {classes: []}
switch: {buffer: {kind: shared-buffer, size: 120KB}, trimming: {of: lossy}}
qp: {ackTimeout: 320us, retryLimit: off}
workload:
  - {kind: closed-loop, pairs: ["0-3 8"], messageSize: 50KB, messages: 4, tag: first, ${first}}
  - {kind: closed-loop, pairs: ["4-7 8"], messageSize: 50KB, messages: 4, tag: second, ${second}}
`
  const simulation = createSimulation(parseScenario(text, { sets }), { check: true })
  while (simulation.advance(3000));
  const result = simulation.result(false)
  simulation.close()
  return result
}

/** The longest completion time of each workload. */
function worst({ flows }: Result): { readonly first: number; readonly second: number } {
  const tags = textsOf(flows, 'tag')
  const took = numbersOf(flows, 'receivedPs').map((ps, i) => ps - numbersOf(flows, 'startPs')[i]!)
  const of = (tag: string): number => Math.max(...took.filter((_, i) => tags[i] === tag))
  return { first: of('first'), second: of('second') }
}

const finished = ({ flows }: Result): number =>
  textsOf(flows, 'status').filter((status) => status === 'finished').length

describe('one workload uses notices and one does not', () => {
  test.each([
    ['IRN both', 'recovery: irn', 'recovery: {kind: irn, trimmed: ignore}'],
    ['IRN and go-back-N', 'recovery: irn', 'recovery: go-back-n'],
    ['go-back-N both', 'recovery: {kind: go-back-n, trimmed: nak}', 'recovery: go-back-n'],
    ['IRN and iWARP, which has no notices', 'recovery: irn', 'recovery: iwarp'],
  ])('%s: headers of the one are used, those of the other dropped', (_what, first, second) => {
    const result = mixed(first, second)
    const { trimmed, drops } = result.counters
    expect(finished(result)).toBe(32)
    expect(drops['trimmed']).toBeGreaterThan(0)
    expect(trimmed - drops['trimmed']!).toBeGreaterThan(0)
    expect(Object.keys(drops)).toEqual(['trimmed'])
  })

  test('and only the other waits for timeouts', () => {
    const { first, second } = worst(mixed('recovery: irn', 'recovery: {kind: irn, trimmed: ignore}'))
    expect(first).toBeLessThan(200e6)
    expect(second).toBeGreaterThan(320e6)
  })
})

test('with the scenario’s recovery as the default, and a workload’s own beside it', () => {
  const result = mixed('', 'recovery: {kind: irn, trimmed: ignore}', 'recovery=irn')
  const swapped = mixed('recovery: {kind: irn, trimmed: ignore}', '', 'recovery=irn')
  for (const { counters } of [result, swapped]) {
    expect(counters.drops['trimmed']).toBeGreaterThan(0)
    expect(counters.drops['trimmed']).toBeLessThan(counters.trimmed)
  }
  expect(worst(result).first).toBeLessThan(worst(result).second)
  expect(worst(swapped).second).toBeLessThan(worst(swapped).first)
})

test('where both use notices nothing is dropped', () => {
  const { counters } = mixed('recovery: irn', 'recovery: {kind: go-back-n, trimmed: nak}')
  expect([counters.drops, counters.trimmed > 0]).toEqual([{}, true])
})
