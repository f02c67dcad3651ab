/** Paths of queue pairs whose addresses, ports and hash seeds are all given: those that the hash of the tuple names. */
import { describe, expect, test } from 'vitest'
import { formatIssue, InputError } from '../../core/base/issue.ts'
import { numbersOf } from '../../core/results/index.ts'
import { formatScenario, parseScenario, type Scenario } from '../scenario/index.ts'
import { connectionPaths, createSimulation } from '../index.ts'

/** Two hosts, 0 and 1, and between their switches, 2 and 6, three paths: over 3, 4 and 5. */
const LINKS = ['0 2', '2 3', '2 4', '2 5', '3 6', '4 6', '5 6', '6 1'].map((ends) => `${ends} 40Gbps 1us`)
const scenarioOf = (seed: number, sourcePort: number, sets: readonly string[] = []): Scenario =>
  parseScenario(
    `
name: tuple
topology: {kind: graph, nodes: 7, switches: [2, 3, 4, 5, 6], links: ${JSON.stringify(LINKS)}}
nic: {addresses: ["0: 10.0.0.1", "1: 10.0.1.2"]}
balance: {kind: ecmp, seeds: ["2: ${seed}"]}
workload: [{kind: trace, flows: ["0 1 1KB 0us sport=${sourcePort}"]}]
`,
    { sets: [...sets] },
  )

/** Index of the path that the data take. */
function pathOf(scenario: Scenario): number {
  const { links, connections } = connectionPaths(scenario)
  const [, up] = connections[0]!.links.map((link) => links[link]!)
  return Number(/\d+/.exec(up!.to)![0]) - 3
}

describe('the tuple 10.0.0.1 to 10.0.1.2, port 4791, of a scenario', () => {
  test.each([
    [0, 49_152, 2],
    [0, 49_153, 0],
    [0, 50_000, 0],
    [7, 49_152, 1],
    [7, 49_153, 2],
    [7, 50_000, 1],
  ])('C6: with seed %i from port %i takes way %i of three', (seed, sourcePort, pathIndex) => {
    const scenario = scenarioOf(seed, sourcePort)
    expect(pathOf(scenario)).toBe(pathIndex)
    expect(pathOf(parseScenario(formatScenario(scenario)))).toBe(pathIndex)
  })

  test('has another path with other addresses, ports or seeds', () => {
    const pathsOver = (setOf: (i: number) => string): number =>
      new Set(Array.from({ length: 30 }, (_, i) => pathOf(scenarioOf(7, 49_152, [setOf(i)])))).size
    expect(pathsOver((i) => `nic.addresses.0=0: 10.0.${i + 2}.1`)).toBe(3)
    expect(pathsOver((i) => `nic.addresses.1=1: 10.0.1.${i + 2}`)).toBe(3)
    expect(pathsOver((i) => `workload.0.flows.0=0 1 1KB 0us sport=${i}`)).toBe(3)
    expect(pathsOver((i) => `balance.seeds.0=2: ${i}`)).toBe(3)
    // The seed of another switch.
    expect(pathsOver((i) => `balance.seeds.0=6: ${i}`)).toBe(1)
  })
})

test('a given source port does not change those of other queue pairs', () => {
  const portsOf = (rule: string, first: string): number[] => {
    const flows = JSON.stringify([`0 1 1KB 0us${first}`, '0 1 1KB 0us', '0 1 1KB 1us'])
    const simulation = createSimulation(scenarioOf(0, 0, [`nic.sourcePorts=${rule}`, `workload.0.flows=${flows}`]))
    while (simulation.advance(1000));
    return [...numbersOf(simulation.result(false).flows, 'sourcePort')]
  }
  for (const rule of ['random', 'per-pair', 'per-source']) {
    const [, ...others] = portsOf(rule, '')
    expect(portsOf(rule, ' sport=77')).toEqual([77, ...others])
  }
})

test('hosts without a given address have one counted from the first address', () => {
  const first = ['nic.firstAddress=10.0.0.1', 'nic.addresses=[]']
  const given = ['nic.firstAddress=192.168.0.0', 'nic.addresses=["1: 10.0.1.1", "0: 10.0.0.1"]']
  for (let port = 0; port < 20; port++) {
    expect(pathOf(scenarioOf(3, port, given))).toBe(pathOf(scenarioOf(3, port, first)))
  }
})

/** Issues of a scenario with these overrides. */
function messages(...sets: string[]): string[] {
  try {
    createSimulation(scenarioOf(7, 49_152, sets))
  } catch (error) {
    if (error instanceof InputError)
      return error.issues.map(({ path, expected, received, hint }) => formatIssue({ path, expected, received, hint }))
    throw error
  }
  return []
}

describe('all mistakes are reported', () => {
  const ADDRESS = 'expected "HOST: ADDRESS", such as "0: 10.0.0.1", received'
  const SEED = 'expected "NODE: SEED" with SEED 0..4294967295, such as "54: 7", received'
  test.each([
    [
      'nic.addresses=["0: 10.0.0.256", "1", "1 10.0.0.2", "1: 10.0.2", "0: 1.1.1.1", "0: 1.1.1.2"]',
      [
        `nic.addresses.0: ${ADDRESS} "0: 10.0.0.256"`,
        `nic.addresses.1: ${ADDRESS} "1"`,
        `nic.addresses.2: ${ADDRESS} "1 10.0.0.2"`,
        `nic.addresses.3: ${ADDRESS} "1: 10.0.2"`,
        'nic.addresses.5: expected each host once, received host 0 again',
      ],
    ],
    [
      'nic.addresses=["2: 10.9.9.9", "1: 10.0.0.1"]',
      [
        'nic.addresses.0: expected a host 0 to 1, received host 2',
        'nic.addresses.1: expected an address that no other host has, received 10.0.0.1, which is that of host 0',
      ],
    ],
    [
      'nic.addresses=["1: 9.9.9.9", "0: 9.9.9.9"]',
      ['nic.addresses.1: expected an address that no other host has, received 9.9.9.9, which is that of host 1'],
    ],
    [
      'balance.seeds=["2: -1", "2: 4294967296", "x: 1", "2: 1", "2: 2"]',
      [
        `balance.seeds.0: ${SEED} "2: -1"`,
        `balance.seeds.1: ${SEED} "2: 4294967296"`,
        `balance.seeds.2: ${SEED} "x: 1"`,
        'balance.seeds.4: expected each node once, received node 2 again',
      ],
    ],
    [
      'balance.seeds=["0: 1", "7: 1", "6: 4294967295"]',
      [
        'balance.seeds.0: expected the node id of a switch, received node 0, a host',
        'balance.seeds.1: expected the node id of a switch, received node 7 of 7',
      ],
    ],
    [
      'workload.0.flows.0=0 1 1KB 0us sport=65536',
      [
        'workload.0.flows.0: expected class=0..7, sport=0..65535, dport=0..65535, op=write|send|read|write-immediate|send-immediate|send-invalidate|compare-and-swap|fetch-and-add, tag=WORD, connection=N, id=WORD, after=ID,ID, acked=ID,ID, need=N from 1 or delay=TIME, received "sport=65536"',
      ],
    ],
  ])('%s', (set, expected) => {
    expect(messages(set)).toEqual(expected)
  })
})
