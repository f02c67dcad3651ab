import { expect, test } from 'vitest'
import { createSimulation, type Forecast } from '../index.ts'
import { parseScenario } from '../scenario/index.ts'
import { type Cost, costOf, excessText } from './run-cost.ts'

/** The warning for a workload, estimated from its first messages as before a run. */
function warning(workload: string, measure = '{}', memoryBytes = 16e9): string | undefined {
  const text = `{topology: {kind: star, hosts: 4}, measure: ${measure}, workload: [${workload}]}`
  const simulation = createSimulation(parseScenario(text))
  try {
    return excessText(costOf(simulation.forecast(1000), 4), memoryBytes)
  } finally {
    simulation.close()
  }
}

test('a run that no machine finishes is known before it starts', () => {
  expect(warning('{kind: poisson, load: 0.5, flows: 1000000000000}')).toMatch(/days .* and .* of memory.*measure\.stop/)
  expect(warning('{kind: closed-loop, pairs: ["0 1"], messages: 1000000000000}')).toMatch(/days .* and .* of memory/)
  expect(warning('{kind: permutation, messageSize: 90TB}', '{}', 16e6)).toMatch(
    /75\.\d MB or more of memory, where there are 16\.0 MB:/,
  )
})

test('other runs are not warned about', () => {
  expect(warning('{kind: poisson, load: 0.5, flows: 1000000}')).toBeUndefined()
  expect(warning('permutation')).toBeUndefined()
  expect(warning('{kind: closed-loop, pairs: ["0 1"], messages: 1000000000000}', '{stop: 1ms}')).toBeUndefined()
})

/** The cost of a run of two hosts with one queue pair, but for these counts. */
function cost(counts: Partial<Forecast>, links = 2): Cost {
  const none = {
    workloads: [],
    lost: null,
    receivingOnly: [],
    simulatedPsMin: 0,
    workHops: 0,
    workPairs: 0,
    timerEvents: 0,
  }
  return costOf(
    { ...none, messages: 1, dataPackets: 1, packetHops: 4, queuePairs: 1, queuePairsMost: 1, ...counts },
    links,
  )
}

test('work requests, timers, queue pairs on a link and large fabrics take time beside the packets', () => {
  const [dataPackets, packetHops] = [1e6, 4e6]
  const plain = cost({ dataPackets, packetHops })
  for (const more of [{ workHops: packetHops }, { timerEvents: 3e6 }, { queuePairs: 1000, queuePairsMost: 1000 }]) {
    expect(cost({ dataPackets, packetHops, ...more }).cpuSecondsMin).toBeGreaterThan(1.3 * plain.cpuSecondsMin)
  }
  const large = cost({ dataPackets, packetHops }, 10_000)
  expect(large.cpuSecondsMin).toBeGreaterThan(2 * plain.cpuSecondsMin)
  expect(large.memoryBytesMin).toBeGreaterThan(plain.memoryBytesMin)
  // A queue pair made and released takes time and, of work requests, memory.
  const [pairs, work] = [{ queuePairsMost: 1e5 }, { queuePairsMost: 1e5, workPairs: 1e5 }].map((made) => cost(made))
  expect(work!.cpuSecondsMin).toBeGreaterThan(2 * pairs!.cpuSecondsMin)
  expect(work!.memoryBytesMin).toBeGreaterThan(pairs!.memoryBytesMin)
})
