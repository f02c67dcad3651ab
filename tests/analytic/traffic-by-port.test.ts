/** Classes of messages by their destination port. Source: [MS-Scale] 5.1. */
import { expect, test } from 'vitest'
import { run } from '../../src/lab/index.ts'
import { numbersOf, textsOf } from '../../src/core/results/index.ts'
import { parseScenario } from '../../src/lab/scenario/index.ts'

test.each([1, 2, 3])(
  'hosts choose by the destination port which traffic PFC protects, and a workload that names its class is not asked, seed %i',
  (seed) => {
    const result = run(
      parseScenario(`
name: by-port
seed: ${seed}
topology: {kind: star, hosts: 9, linkRate: 40Gbps}
nic: {trafficClasses: ["4791: 3", "5000-5999: 1"]}
switch: {buffer: {kind: shared-buffer, size: 400KB, egressAlpha: 1/4}}
qp: {ackTimeout: 1ms, retryLimit: off}
workload:
  - {kind: incast, tag: rdma, senders: 8, receiver: 8, sizeEach: 200KB}
  - {kind: incast, tag: bulk, senders: 8, receiver: 8, sizeEach: 200KB, destinationPort: 5001}
  - {kind: incast, tag: named, senders: 2, receiver: 8, sizeEach: 50KB, destinationPort: 5001, trafficClass: 3}
observe: [drops]
`),
      { check: true },
    )
    const { flows, series } = result
    const tags = textsOf(flows, 'tag')
    const classOf = (tag: string): number[] => [
      ...new Set(numbersOf(flows, 'trafficClass').filter((_, row) => tags[row] === tag)),
    ]
    expect([classOf('rdma'), classOf('bulk'), classOf('named')]).toEqual([[3], [1], [3]])
    const pairs = numbersOf(flows, 'pair')
    const lost = new Set(
      numbersOf(series[0]!, 'pair').filter((_, row) => numbersOf(series[0]!, 'direction')[row] === 0),
    )
    const lostTags = new Set(tags.filter((_, row) => lost.has(pairs[row]!)))
    expect([...lostTags]).toEqual(['bulk'])
    expect(result.counters.pauseFrames).toBeGreaterThan(0)
  },
)
