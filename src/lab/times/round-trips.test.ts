import { describe, expect, test } from 'vitest'
import { createRandomStreams } from '../../core/base/random.ts'
import type { Port } from '../../core/fabric/link/port.ts'
import { parseScenario } from '../scenario/index.ts'
import { buildNetwork, type BuiltNetwork } from '../network/network-builder.ts'
import { singleFrame } from './frame-train.ts'
import { idealPs } from './ideal.ts'
import { longestRoundTripPs } from './round-trips.ts'

function built(topology: string, more = ''): BuiltNetwork {
  const workload = '[{kind: permutation, messageSize: 1MB}]'
  const scenario = parseScenario(`name: t\ntopology: ${topology}\nworkload: ${workload}\n${more}`)
  return buildNetwork(scenario, createRandomStreams(1), {
    onDelivered() {},
    onAcknowledged() {},
    onFailed() {},
  })
}

/** Every path that routes offer from a port to an endpoint. */
function pathsOf(all: BuiltNetwork, port: Port, to: number): Port[][] {
  const { network, routes, topology } = all
  const next = port.peer.node
  if (next === topology.endpoints[to]) return [[port]]
  const list = routes.hostIndexOf[next]! >= 0 ? -1 : routes.listAt(next, to)
  if (list < 0) return []
  const first = routes.listStart[list]!
  return [...routes.ports.subarray(first, first + routes.listLength[list]!)].flatMap((index) =>
    pathsOf(all, network.switches[next]!.ports[index]!, to).map((path) => [port, ...path]),
  )
}

/** The naive twin: all paths of every pair of endpoints that packets use. */
function twin(all: BuiltNetwork): number {
  const { network, hostPorts, frames, headerBytes } = all
  const longest = (from: number, to: number, frameBytes: number): number =>
    Math.max(
      ...pathsOf(all, network.nics[from]!.port, to).map((path) => idealPs(path, singleFrame(frameBytes), headerBytes)),
    )
  let largestPs = 0
  for (const source of network.nics.keys()) {
    for (const destination of network.nics.keys()) {
      if (source === destination || !hostPorts.isUsed(source, destination)) continue
      const dataPs = longest(source, destination, frames.payloadBytes + frames.dataOverheadBytes)
      const ackPs = longest(destination, source, Math.max(frames.ackBytes, frames.minimumBytes))
      largestPs = Math.max(largestPs, dataPs + ackPs)
    }
  }
  return largestPs
}

describe('the longest round trip', () => {
  test.each([
    ['star', '{kind: star, hosts: 3}', ''],
    ['fat tree', '{kind: fat-tree, arity: 4, hostRate: 25Gbps, aggregationCoreRate: 10Gbps}', ''],
    [
      'fat tree with a slow core',
      "{kind: fat-tree, arity: 4, rates: ['core 0.0: 1Gbps', 'host 3-edge 0.1: 2Gbps']}",
      '',
    ],
    ['fat tree that cuts through', '{kind: fat-tree, arity: 4}', 'switch: {forwarding: cut-through, latency: 500ns}\n'],
    ['dumbbell', '{kind: dumbbell, leftHosts: 3, rightHosts: 2}', ''],
    ['rails', '{kind: rails, rails: 2, hostsPerGroup: 2}', ''],
    ['planes', '{kind: planes, planes: 2, hostsPerLeaf: 2}', ''],
    [
      'graph with a long link and a fixed detour',
      "{kind: graph, nodes: 7, switches: [3, 4, 5, 6], links: [0 3 10Gbps 1us, 1 4 10Gbps 1us, 2 4 10Gbps 9us, 3 4 40Gbps 1us, 3 5 1Gbps 7us, 5 4 40Gbps 2us, 5 6 1Gbps 1us], routes: ['3: 1 via 3']}",
      '',
    ],
    [
      'graph with unlike links side by side',
      '{kind: graph, nodes: 5, switches: [2, 3, 4], links: [0 2 10Gbps 1us, 1 3 10Gbps 1us, 2 4 100Gbps 1us, 2 4 1Gbps 1us, 4 3 100Gbps 3us, 4 3 40Gbps 9us]}',
      '',
    ],
  ])('is that of all pairs of hosts: %s', (_, topology, more) => {
    const network = built(topology, more)
    expect(longestRoundTripPs(network)).toBe(twin(network))
    expect(longestRoundTripPs(network)).toBeGreaterThan(0)
  })

  test('is none where no two hosts are joined', () => {
    expect(
      longestRoundTripPs(built('{kind: graph, nodes: 4, switches: [2, 3], links: [0 2 1Gbps 1us, 1 3 1Gbps 1us]}')),
    ).toBe(NaN)
  })
})
