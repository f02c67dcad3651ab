import { expect, test } from 'vitest'
import { parseScenario } from './scenario/index.ts'
import { run } from './simulation/simulation.ts'

test('windows are limited to what PSNs can tell apart, however long and fast the path', () => {
  const long = `
name: long
topology: {kind: leaf-spine, leaves: 2, spines: 2, hostsPerLeaf: 2, hostRate: 400Gbps, fabricDelay: 10s}
switch: {buffer: {headroom: 100KB}}
workload: [{kind: closed-loop, pairs: ["0 2"]}]
measure: {stop: 1ms}
`
  for (const recovery of ['irn', 'iwarp']) {
    const sets = [`recovery=${recovery}`, 'qp.ackInterval=1']
    expect(run(parseScenario(long, { sets })).counters.dataPacketsSent).toBeGreaterThan(0)
  }
})
