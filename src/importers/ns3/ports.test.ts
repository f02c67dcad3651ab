/** Hosts with several links: their ports, the notes about them, and simulation of the imported scenarios. */
import { describe, expect, test } from 'vitest'
import { exporters } from '../../exporters/index.ts'
import { connectionPaths, run } from '../../lab/index.ts'
import { numbersOf, type Result, textsOf } from '../../core/results/index.ts'
import { parseScenario, type Scenario } from '../../lab/scenario/index.ts'
import { refusal, config, importing } from '../hpcc/hpcc.test-bench.ts'
import { differs } from '../findings.test-bench.ts'
import type { Branch, Imported, ImportInput } from '../importer.ts'
import { sample } from '../samples.test-files.ts'
import { topology } from '../topology.ts'

/** Hosts 0 and 1 have a port on each of the leaves 3 and 4, the first one on leaf 3; host 2 is on leaf 4 only; spine 5. */
const DUAL = `6 3 7
3 4 5
0 3 40Gbps 1us 0
0 4 40Gbps 1us 0
1 3 40Gbps 1us 0
1 4 40Gbps 1us 0
2 4 40Gbps 1us 0
3 5 100Gbps 1us 0
4 5 100Gbps 1us 0
`
const FLOWS = `6
0 1 3 100 5000 2
0 1 3 101 5000 2
0 1 3 102 5000 2
1 0 3 100 5000 2.1
0 2 3 100 1000000 2.2
2 1 3 200 1000000 2.2
`
const DUAL_RUN = { 'run/net.txt': DUAL, 'run/sends.txt': FLOWS, 'run/routes.txt': undefined }

const dual = (changes: Record<string, string | undefined> = {}, options: Record<string, string> = {}): ImportInput =>
  sample('run/config.txt', options, { ...DUAL_RUN, ...changes })
const parsed = (scenario: Branch): Scenario => parseScenario(JSON.stringify(scenario))

describe('a run whose hosts have two links', () => {
  const { scenario, findings } = importing(dual())

  test('keeps all links, and nodes have the ids of the file', () => {
    expect(scenario).toMatchObject({
      topology: {
        nodes: 6,
        switches: [3, 4, 5],
        links: { length: 7, 0: '0 3 40Gbps 1us', 1: '0 4 40Gbps 1us', 4: '2 4 40Gbps 1us' },
      },
      nic: { sourcePorts: 'per-pair', firstAddress: '11.0.0.1' },
    })
  })

  test('has a note on the ports of QPs in that simulator and in rocelab', () => {
    expect(findings).toContainEqual(differs('host-ports', { hosts: 2, first: 'node 0', last: 'node 1' }))
    expect(findings).toContainEqual(differs('host-addresses'))
    expect(findings).toContainEqual(differs('nic-wake-ups'))
  })

  test('has a note that counts flows on longer paths, whose ports are on different leaves', () => {
    // Host 2 is on leaf 4, and sends to the first port of host 1, on leaf 3.
    expect(findings).toContainEqual(differs('longer-paths', { flows: 1, of: 6 }))
  })

  test('has flows that take source ports in turn, and the port of the same number at the destination', () => {
    const { links, connections } = connectionPaths(
      parsed(importing(dual({ 'run/sends.txt': FLOWS.replaceAll(/2\.\d/g, '2') })).scenario),
    )
    const ends = connections.map(({ links: flowLinks }) => {
      const [first, last] = [links[flowLinks[0]!]!, links[flowLinks.at(-1)!]!]
      return `${first.from} > ${last.to}, ${flowLinks.length}`
    })
    expect(ends).toEqual([
      'host 0 port 1 > host 1 port 1, 2',
      'host 0 port 2 > host 1 port 2, 2',
      'host 0 port 1 > host 1 port 1, 2',
      'host 1 port 1 > host 0 port 1, 2',
      'host 0 port 2 > host 2, 2',
      'host 2 > host 1 port 1, 4',
    ])
  })

  test('can be simulated, and is exported with one address per host', () => {
    const result = run(parsed(scenario))
    expect(textsOf(result.flows, 'status')).toEqual(Array.from({ length: 6 }, () => 'finished'))
    const written = exporters
      .find(({ name }) => name === 'hpcc')!
      .export(result)[0]!
      .text.trim()
      .split('\n')
      .map((line) => line.split(' '))
    const addresses = written.map(([source, destination]) => `${source} ${destination}`)
    expect(new Set(addresses)).toEqual(
      new Set(['0b000001 0b000101', '0b000101 0b000001', '0b000001 0b000201', '0b000201 0b000101']),
    )
  })

  test('has independent ports: two simultaneous flows take as long as one', () => {
    const flows = (count: number): string =>
      `${count}\n${Array.from({ length: count }, (_, i) => `0 1 3 ${100 + i} 1000000 2\n`).join('')}`
    const lastPs = (count: number): number => {
      const result: Result = run(parsed(importing(dual({ 'run/sends.txt': flows(count) })).scenario))
      return Math.max(...numbersOf(result.flows, 'receivedPs'))
    }
    expect(lastPs(2)).toBe(lastPs(1))
    expect(lastPs(3)).toBeGreaterThan(1.8 * lastPs(1))
  })

  test('has the windows of the shortest paths, whichever ports they start at', () => {
    // Hosts 0 and 2 are two links apart by leaf 4: 4us there and back, two payloads, at 40Gbps.
    expect(scenario).toMatchObject({ qp: { window: '22KB' } })
  })
})

test('no path is longer if both hosts have their second ports on the same leaf', () => {
  const flows = FLOWS.replace('6\n', '4\n')
  expect(importing(dual({ 'run/sends.txt': flows })).findings).not.toContainEqual(differs('longer-paths'))
})

test('routes to hosts with several ports are computed, with a note', () => {
  const routes = '0 2 2:4\n3 0 1:0\n4 0 1:0\n4 2 3:2\n3 2 3:5\n5 1 1:3 2:4\n'
  const { scenario, findings } = importing(dual({ 'run/routes.txt': routes }))
  expect(scenario).toMatchObject({ topology: { routes: ['4: 2 via 3', '3: 2 via 3'] } })
  expect(findings).toContainEqual(differs('routes-to-several-ports', { rows: 3 }, { file: 'run/routes.txt' }))
})

test('the QPs of a failed link of a host with several ports move, with a note', () => {
  const cut = config(['LINK_DOWN 0 0 0', 'LINK_DOWN 100000 0 4'])
  const { scenario, findings } = importing(dual(cut))
  expect(scenario).toMatchObject({ faults: [{ kind: 'link-down', links: 'node 0-node 4', down: '100ms' }] })
  expect(findings).toContainEqual(differs('port-down', { hosts: ['node 0'] }))
  const result = run(parsed(scenario))
  expect(textsOf(result.flows, 'status')).toEqual(Array.from({ length: 6 }, () => 'finished'))
})

test('hosts with one link get no note on ports', () => {
  const { findings } = importing(sample('run/config.txt'))
  for (const what of ['host-ports', 'host-addresses', 'nic-wake-ups'])
    expect(findings).not.toContainEqual(differs(what))
})

describe('a topology alone', () => {
  const alone = (text: string, options: Record<string, string> = {}): Imported =>
    topology.import(sample('dual.txt', options, { 'dual.txt': text, 'flows.txt': FLOWS }))

  test('whose hosts have two links can be simulated', () => {
    const { scenario, findings } = alone(DUAL)
    expect(findings).toContainEqual(differs('host-ports', { hosts: 2 }))
    expect(findings).toContainEqual(differs('nearest-ports'))
    expect(textsOf(run(parsed(scenario)).flows, 'status')).toEqual(['finished', 'finished', 'finished'])
  })

  test('with flows has a note that counts those on longer paths', () => {
    expect(alone(DUAL, { flows: 'flows.txt' }).findings).toContainEqual(differs('longer-paths', { flows: 1, of: 6 }))
  })

  /** GPUs of two servers of two, each with a link to its server's NVSwitch (4, 5) and two to the network (6, 7). */
  const SIMAI = `8 2 2 2 12 H100
4 5 6 7
0 4 2880Gbps 25ns 0
1 4 2880Gbps 25ns 0
2 5 2880Gbps 25ns 0
3 5 2880Gbps 25ns 0
0 6 200Gbps 1us 0
0 7 200Gbps 1us 0
1 6 200Gbps 1us 0
1 7 200Gbps 1us 0
2 6 200Gbps 1us 0
2 7 200Gbps 1us 0
3 6 200Gbps 1us 0
3 7 200Gbps 1us 0
`

  test('of SimAI keeps both links to the network, with a note on why NVLinks are left out', () => {
    const { scenario, findings } = alone(SIMAI, { dialect: 'simai', flows: 'flows.txt' })
    expect(scenario).toMatchObject({ topology: { nodes: 8, switches: [4, 5, 6, 7], links: { length: 8 } } })
    expect(findings).toContainEqual(differs('host-ports', { hosts: 4 }))
    const left = { links: 4, gpusPerServer: 2, flows: 6, flowsWithin: 4 }
    expect(findings).toContainEqual(differs('nvlinks', left, { file: 'dual.txt' }))
    expect(textsOf(run(parsed(scenario)).flows, 'status')).toEqual(Array.from({ length: 6 }, () => 'finished'))
  })

  test('of SimAI has its routes checked against the links that are kept', () => {
    const routes = '0 1 1:4\n0 2 2:6 3:7\n4 1 2:1\n6 1 2:1\n'
    const changes = { 's.txt': SIMAI, 'run/sends.txt': FLOWS, 'run/routes.txt': routes }
    const thresholds = ['KMAX_MAP 2 100000000000 400 40000000000 160', 'KMAX_MAP 1 200000000000 400'] as const
    const others = (['KMIN', 'PMAX'] as const).map(
      (name) => [new RegExp(`${name}_MAP .*`), `${name}_MAP 1 200000000000 0.1`] as const,
    )
    const input = sample(
      'run/config.txt',
      { dialect: 'simai', topology: 's.txt' },
      { ...changes, ...config(thresholds, ...others) },
    )
    expect(importing(input).findings).toContainEqual(differs('routes-to-several-ports', { rows: 1 }))
    const wrong = {
      ...input,
      readFile: (file: string) => (file === 'run/routes.txt' ? '6 1 2:0\n' : input.readFile(file)),
    }
    expect(refusal(wrong)).toContain('expected node 1 at port 2 of node 6')
  })

  test('of SimAI has a note if no flow would use an NVLink', () => {
    const flows = '1\n0 2 3 100 5000 2\n'
    const { findings } = topology.import(
      sample('s.txt', { dialect: 'simai', flows: 'f.txt' }, { 's.txt': SIMAI, 'f.txt': flows }),
    )
    expect(findings).toContainEqual(differs('nvlinks', { flows: 1, flowsWithin: 0 }))
  })

  test('of SimAI keeps NVLinks as ports if GPUs have no other links', () => {
    const links = [0, 1, 2, 3].flatMap((gpu) => [4, 5].map((nvSwitch) => `${gpu} ${nvSwitch} 2880Gbps 25ns 0\n`))
    const nvlinks = `6 4 2 0 8 H100\n4 5\n${links.join('')}`
    const { scenario, findings } = alone(nvlinks, { dialect: 'simai' })
    expect(findings).toContainEqual(differs('nvswitches', { switches: 2 }))
    expect(findings).toContainEqual(differs('host-ports', { hosts: 4 }))
    expect(findings).not.toContainEqual(differs('nvlinks'))
    expect(textsOf(run(parsed(scenario)).flows, 'status')).toEqual(Array.from({ length: 4 }, () => 'finished'))
  })
})

test('a host without a link is refused', () => {
  expect(refusal(dual({ 'run/net.txt': DUAL.replace('2 4 40Gbps', '0 4 40Gbps') }))).toContain('a link at node 2')
})
