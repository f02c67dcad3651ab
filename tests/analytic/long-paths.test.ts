/**
 * Long paths. Controls with a target round trip, alone on a path longer than the target: the line idles until the
 * target is raised. Runs with silent periods of a round trip, which are no stalls.
 */
import { expect, test } from 'vitest'
import { run } from '../../src/lab/index.ts'
import { summarize } from '../../src/core/results/index.ts'
import { parseScenario } from '../../src/lab/scenario/index.ts'

/** Slowdown of 10 MB at 100 Gb/s; a round trip takes four times a cable's delay. */
function slowdownOf(linkDelay: string, congestion: string): number {
  const text = `
name: long-path
topology: {kind: star, hosts: 2, linkRate: 100Gbps, linkDelay: ${linkDelay}}
congestion: ${congestion}
workload: [{kind: closed-loop, pairs: ["0 1"], messages: 1, messageSize: 10MB}]
`
  return summarize(run(parseScenario(text))).meanSlowdown
}

test('Swift falls far below a packet a round trip, until baseTarget covers the path', () => {
  expect(slowdownOf('20us', 'swift')).toBeGreaterThan(100)
  expect(slowdownOf('20us', '{kind: swift, baseTarget: 100us}')).toBeLessThan(1.1)
  expect(slowdownOf('1us', 'swift')).toBeLessThan(1.1)
})

test('patched TIMELY falls as the error of referenceRtt is large, until that covers the path', () => {
  expect(slowdownOf('60us', 'patched-timely')).toBeGreaterThan(2)
  expect(slowdownOf('60us', '{kind: patched-timely, referenceRtt: 250us}')).toBeLessThan(1.1)
})

test.each(['write', 'read'])('a %s over links of 120 ms completes, and so do the messages after it', (operation) => {
  const text = `
name: long-path
topology: {kind: star, hosts: 2, linkRate: 100Gbps, linkDelay: 120ms}
pfc: {classes: []}
workload: [{kind: closed-loop, pairs: ["0 1"], messages: 2, messageSize: 64B, operation: ${operation}}]
`
  const result = run(parseScenario(text))
  expect(summarize(result).flows.finished).toBe(2)
  expect(result.simulatedPs).toBeLessThan(2e12)
})
