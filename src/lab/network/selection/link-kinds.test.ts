/**
 * Ports by the rate and the cable of their link, as the profiles of a switch go by them.
 */
import { expect, test } from 'vitest'
import { formatIssue, InputError, type Issue } from '../../../core/base/issue.ts'
import { parseScenario } from '../../scenario/index.ts'
import { DeviceValues } from '../device-values.ts'
import { topologyOf } from '../scenario-topology.ts'
import { portsByNode } from './node-selection.ts'

/** Ports with a headroom of their own: "node to peer: bytes". */
function headrooms(changes: string): string[] {
  const scenario = parseScenario(`
name: profiles
topology: {kind: leaf-spine, leaves: 1, spines: 2, hostsPerLeaf: 2, hostRate: 100Gbps, fabricRate: 400Gbps, hostDelay: 5m, fabricDelay: 40m, rates: ["host 1: 25Gbps"]}
switch: {buffer: {kind: shared-buffer}}
changes: [${changes}]
workload: [{kind: permutation, messageSize: 1KB, messages: 1}]`)
  const topology = topologyOf(scenario)
  const values = new DeviceValues(scenario, topology)
  return portsByNode(topology).flatMap((ports, node) =>
    ports.flatMap(({ index, peer }) => {
      const { buffer } = values.ofPort(node, index).switch
      if (buffer.kind !== 'shared-buffer' || buffer.headroom === null) return []
      return [`${topology.names[node]} to ${topology.names[peer]}: ${buffer.headroom}`]
    }),
  )
}

const profile = (ports: string, bytes: number): string =>
  `{path: switch.buffer.headroom, value: ${bytes}B, nodes: switches, ports: "${ports}"}`

test('a rate, a length of cable, or both select the ports whose links have them', () => {
  expect(headrooms(profile('100Gbps', 1))).toEqual(['leaf 0 to host 0: 1'])
  expect(headrooms(profile('5m', 2))).toEqual(['leaf 0 to host 0: 2', 'leaf 0 to host 1: 2'])
  expect(headrooms(profile('25Gbps 5m, 100Gbps  5m', 3))).toEqual(['leaf 0 to host 0: 3', 'leaf 0 to host 1: 3'])
  expect(headrooms(profile('400Gbps 200ns', 4))).toEqual([
    'leaf 0 to spine 0: 4',
    'leaf 0 to spine 1: 4',
    'spine 0 to leaf 0: 4',
    'spine 1 to leaf 0: 4',
  ])
})

test('a table of profiles gives each port its own headroom', () => {
  const table = [profile('25Gbps 5m', 1), profile('100Gbps 5m', 2), profile('400Gbps 40m', 3)].join(', ')
  expect(headrooms(table)).toEqual([
    'leaf 0 to host 0: 2',
    'leaf 0 to host 1: 1',
    'leaf 0 to spine 0: 3',
    'leaf 0 to spine 1: 3',
    'spine 0 to leaf 0: 3',
    'spine 1 to leaf 0: 3',
  ])
})

test.each([
  [
    '400Gbps 41m',
    'changes.0.ports: expected ports of the selected nodes, received "400Gbps 41m", which none of the nodes "leaf 0" ... has',
  ],
  [
    '400Gbps 40ft',
    'changes.0.ports: expected one of all, hosts, fabric, up, down, host, leaf, spine, or names or numbers of nodes, or a rate or a length of cable ("400Gbps 40m"), received "400Gbps 40ft" (names such as host 0, spine 1)',
  ],
])('"%s" is refused', (ports, message) => {
  let issues: readonly Issue[] = []
  try {
    headrooms(profile(ports, 1))
  } catch (error) {
    if (error instanceof InputError) issues = error.issues
  }
  expect(issues.map(formatIssue)).toEqual([message])
})
