import { expect, test } from 'vitest'
import { run } from '../lab/index.ts'
import { parseScenario } from '../scenario/index.ts'
import { outlineOf } from './outline.ts'

test.each([
  'recovery: go-back-n',
  'classes: {classify: pcp}',
  'recovery: {kind: irn, extraHeader: 16B}',
  'recovery: iwarp',
])('with %s as many messages are told as a run posts, where headers count as load', (more) => {
  const scenario = parseScenario(`
name: outline
topology: {kind: star, hosts: 3, linkRate: 1Gbps}
frames: {payload: 64B}
workload: [{kind: poisson, load: 0.9, loadBasis: wire, sizes: {kind: fixed, size: 640B}}]
measure: {generate: 2ms, stop: 2ms}
${more}`)
  const [expected] = outlineOf(scenario).workloads
  expect(expected?.how).toBe('exact')
  expect(expected?.messages).toBeGreaterThan(100)
  expect(expected?.messages).toBe(run(scenario).flows.rowCount)
})
