/** Stories of a NIC among several QPs, told through whole runs. */
import { describe, expect, test } from 'vitest'
import { run } from '../lab/index.ts'
import { textsOf } from '../results/index.ts'
import { parseScenario } from '../scenario/index.ts'

/** Twelve paced senders to one host over other traffic: rates move pacing deadlines both ways all the time. */
const RACKS = `
name: racks
topology: {kind: leaf-spine, leaves: 2, spines: 2, hostsPerLeaf: 8, hostRate: 25Gbps, fabricRate: 100Gbps}
congestion: timely
workload:
  - {kind: incast, senders: 12, receiver: 0, total: 12MB, start: 1ms}
  - {kind: poisson, load: 0.3, sizes: websearch, tag: background}
measure: {generate: 3ms}
`

describe('a NIC that waits for pacing', () => {
  test.each([1, 2, 3, 4])('never sleeps past the deadline of a QP, seed %i', (seed) => {
    const result = run(parseScenario(RACKS, { sets: [`seed=${seed}`] }), { check: true })
    const statuses = textsOf(result.flows, 'status')
    expect(statuses.length).toBeGreaterThan(20)
    expect(statuses.filter((status) => status !== 'finished')).toEqual([])
  })

  test('with a single wake-up all flows come to their end as well', () => {
    const result = run(parseScenario(RACKS, { sets: ['nic.wake=single', 'nic.roundRobin=compacting'] }), {
      check: true,
    })
    expect(textsOf(result.flows, 'status').filter((status) => status !== 'finished')).toEqual([])
  })
})
