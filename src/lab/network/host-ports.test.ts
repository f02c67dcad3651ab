import { describe, expect, test } from 'vitest'
import { createRandomStreams } from '../../core/base/random.ts'
import { parseScenario } from '../scenario/index.ts'
import { numbersOf } from '../../core/results/index.ts'
import { run } from '../simulation/simulation.ts'
import { buildNetwork, type BuiltNetwork } from './network-builder.ts'

/** Hosts 0 and 1 with ports of 25, 100 and 40 Gb/s on three planes, of which the last has no link to host 1. */
const PLANES = `{kind: graph, nodes: 6, switches: [3, 4, 5], links:
  ["0 3 25Gbps 1us", "0 4 100Gbps 1us", "0 5 40Gbps 1us", "1 3 25Gbps 1us", "1 4 100Gbps 1us", "2 5 40Gbps 1us"]}`
const WORKLOAD = 'workload: [{kind: trace, flows: ["0 1 1MB 0us", "0 1 1MB 10ms", "0 1 1MB 20ms"]}]'

function built(portChoice: string): BuiltNetwork {
  const scenario = parseScenario(
    `{name: p, topology: ${PLANES}, nic: {portChoice: ${portChoice}}, recovery: irn, ${WORKLOAD}}`,
  )
  return buildNetwork(scenario, createRandomStreams(1), { onDelivered() {}, onAcknowledged() {}, onFailed() {} })
}

describe('the line rate of a queue pair', () => {
  test.each([
    ['bound', 0, 25e9],
    ['bound', 1, 100e9],
    // Its home does not reach the peer: the next port that does.
    ['bound', 2, 25e9],
    // All in turn, none waits for another.
    ['spray', 0, 50e9],
    ['least-queue', 0, 125e9],
  ])('%s, home %i: %i bit/s', (portChoice, home, rateBps) => {
    expect(built(portChoice).hostPorts.rateBps({ source: 0, destination: 1, home })).toBe(rateBps)
  })

  test('is that of the only port that reaches a peer, whatever the choice', () => {
    for (const choice of ['bound', 'spray', 'least-queue'])
      expect(built(choice).hostPorts.rateBps({ source: 0, destination: 2, home: 0 })).toBe(40e9)
  })

  test('is that of the network as built while a link is down', () => {
    const network = built('least-queue')
    network.network.nics[1]!.port.cut()
    expect(network.hostPorts.rateBps({ source: 0, destination: 1, home: 1 })).toBe(125e9)
  })
})

test('a sender starts at the rate of the port in use', () => {
  const { series } = run(
    parseScenario(
      `{name: p, topology: ${PLANES}, congestion: dcqcn, ${WORKLOAD}, observe: [{kind: rates, interval: 5us}]}`,
    ),
  )
  const [pairs, rates] = [numbersOf(series[0]!, 'pair'), numbersOf(series[0]!, 'rateBps')]
  expect([0, 1, 2].map((pair) => rates[pairs.indexOf(pair)])).toEqual([25e9, 100e9, 25e9])
})
