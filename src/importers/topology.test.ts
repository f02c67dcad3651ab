import { expect, test } from 'vitest'
import { sample } from './samples.test-files.ts'
import { topology } from './topology.ts'

const importing = (path: string, options: Record<string, string> = {}) => topology.import(sample(path, options))

test('a topology alone gets a permutation, and says so', () => {
  const { scenario, notes } = importing('run/net.txt')
  expect(scenario).toMatchObject({
    topology: { kind: 'graph', nodes: 6, switches: [5, 2] },
    workload: [{ kind: 'permutation' }],
    recovery: { kind: 'go-back-n' },
  })
  const said = notes.join('\n')
  expect(said).toContain('dialect hpcc: 4 hosts, ids 0 to 4, 2 switches, 6 links')
  expect(said).toContain('the workload is a permutation')
  expect(said).toContain('the transport is chosen here')
})

test('with flows it sends those', () => {
  const { scenario } = importing('run/net.txt', { flows: 'run/sends.txt', congestion: 'dcqcn' })
  expect(scenario).toMatchObject({ workload: [{ kind: 'trace', flows: { length: 3 } }], congestion: { kind: 'dcqcn' } })
})

test('dialects have headers of their own', () => {
  const datacenter = importing('datacenter.txt', { dialect: 'ns3-datacenter' })
  expect(datacenter.scenario).toMatchObject({
    topology: { nodes: 4, links: ['0 3 25Gbps 2us', '1 3 25Gbps 2us', '2 3 25Gbps 2us'] },
  })
  expect(datacenter.notes.join('\n')).toContain('"25000000000" behind the 4 numbers of the first line is not used')
  expect(importing('simai.txt', { dialect: 'simai' }).scenario).toMatchObject({ topology: { switches: [5, 2] } })
  expect(() => importing('simai.txt')).toThrow('simai.txt:1:1: header: expected 3 words with dialect hpcc, received 6')
})
