import { expect, test } from 'vitest'
import { InputError } from '../../core/base/issue.ts'
import { parseScenario, type Scenario } from '../scenario/index.ts'
import { createSimulation } from '../simulation/simulation.ts'
import { DeviceValues } from './device-values.ts'
import { topologyOf } from './scenario-topology.ts'

const changing = (...changes: string[]): Scenario =>
  parseScenario(`
name: values
topology: {kind: leaf-spine, leaves: 2, spines: 2, hostsPerLeaf: 2}
switch: {buffer: {kind: shared-buffer, size: 9MB}}
workload: [{kind: permutation, messageSize: 1KB, messages: 1}]
changes: [${changes.join(', ')}]`)

const alphaOf = ({ switch: { buffer } }: Scenario): number => (buffer.kind === 'shared-buffer' ? buffer.alpha! : NaN)

/** Nodes: 4 hosts, 2 leaves, 2 spines. */
const LEAF_1 = 5

test('a change of a device holds at its ports too, over one of single ports before it', () => {
  const scenario = changing(
    '{path: switch.buffer.headroom, value: 9KB, nodes: leaf 1, ports: up, at: 1us}',
    '{path: switch.buffer.headroom, value: 8KB, nodes: leaf 1, at: 2us}',
  )
  const values = new DeviceValues(scenario, topologyOf(scenario))
  const headroom = (port: number): unknown =>
    (values.ofPort(LEAF_1, port).switch.buffer as { headroom: unknown }).headroom
  expect(values.begin(0)).toEqual([LEAF_1])
  expect([headroom(1), headroom(3), values.portsOf(LEAF_1)]).toEqual([null, 9000, [3, 4]])
  values.begin(1)
  expect([headroom(1), headroom(3)]).toEqual([8000, 8000])
  expect(values.restarted().of(LEAF_1)).toBe(scenario)
})

test('devices with the same changes share one object', () => {
  const scenario = changing('{path: switch.buffer.alpha, value: 1/64, nodes: leaf}')
  const values = new DeviceValues(scenario, topologyOf(scenario))
  expect(values.of(LEAF_1)).toBe(values.of(LEAF_1 - 1))
  expect([alphaOf(values.of(LEAF_1)), values.of(LEAF_1 + 1)]).toEqual([1 / 64, scenario])
})

test('what a change costs does not grow with the changes before it: each reads its own value and no other', () => {
  const readsOf = (count: number): number => {
    const scenario = changing(
      ...Array.from(
        { length: count },
        (_, i) => `{path: switch.buffer.alpha, value: 1/${4 + (i % 60)}, nodes: leaf 1, at: ${i + 1}us}`,
      ),
    )
    let reads = 0
    const changes = scenario.changes.map((change) =>
      Object.defineProperty({ ...change }, 'value', {
        get: () => {
          reads++
          return change.value
        },
      }),
    )
    const counted = { ...scenario, changes }
    const values = new DeviceValues(counted, topologyOf(counted))
    for (const index of values.later) {
      values.begin(index)
      for (let node = 0; node < 8; node++) values.of(node)
    }
    return reads
  }
  expect([readsOf(10), readsOf(40)]).toEqual([10, 40])
})

test.each([
  ['{path: switch.buffer.alpha, value: 1, nodes: leaf 9}', 'changes.0.nodes'],
  ['{path: switch.buffer.headroom, value: 9KB, nodes: leaf 1, ports: leaf 9}', 'changes.0.ports'],
  ['{path: switch.buffer.headroom, value: 9KB, nodes: leaf 1, ports: leaf 0, at: 1us}', 'changes.0.ports'],
])('%s: the mistake is reported once', (change, at) => {
  const scenario = changing(change)
  let paths: string[] = []
  try {
    createSimulation(scenario)
  } catch (error) {
    if (!(error instanceof InputError)) throw error
    paths = error.issues.map(({ path }) => path)
  }
  expect(paths).toEqual([at])
})

test('there is a limit of changes, said in one line', () => {
  const item = '{path: switch.buffer.alpha, value: 1, nodes: leaf 1}'
  const many = (): unknown => changing(...Array.from({ length: 10_001 }, () => item))
  expect(many).toThrow('changes: expected at most 10000 items, received 10001')
})
