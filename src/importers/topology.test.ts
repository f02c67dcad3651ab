import { expect, test } from 'vitest'
import { InputError } from '../base/issue.ts'
import { sample } from './samples.test-files.ts'
import { topology } from './topology.ts'

const importing = (path: string, options: Record<string, string> = {}) => topology.import(sample(path, options))

function complaint(path: string, options: Record<string, string>): string {
  try {
    importing(path, options)
  } catch (error) {
    if (error instanceof InputError) return error.message
    throw error
  }
  return 'none'
}

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
})

test.each([
  ['simai.txt', {}, 3, 'hpcc', 6, 'say --dialect simai'],
  ['datacenter.txt', {}, 3, 'hpcc', 6, 'say --dialect ns3-datacenter'],
  ['run/net.txt', { dialect: 'ns3-datacenter' }, 4, 'ns3-datacenter', 3, 'say --dialect hpcc or conweave'],
] as const)(
  'of %s %o only the header is wrong, and whose it is is said',
  (path, options, wanted, dialect, words, hint) => {
    expect(complaint(path, options)).toBe(
      `${path}:1:1: header: expected ${wanted} words with dialect ${dialect}, received ${words} (${hint})`,
    )
  },
)

test('a header of no dialect names them all', () => {
  const changes = { 'odd.txt': '4 1 1 3 7\n3\n0 3 25000000000 2us 0\n' }
  expect(() => topology.import(sample('odd.txt', {}, changes))).toThrow(
    'odd.txt:1:1: header: expected 3 words with dialect hpcc, received 5 (dialects: hpcc "nodes switches links", ',
  )
})

test('a topology of htsim is sent to its own importer', () => {
  const changes = { 'tiny.topo': '# two tiers\n\nNodes 8\nTiers 2\nPodsize 8\n' }
  expect(() => topology.import(sample('tiny.topo', {}, changes))).toThrow(
    'tiny.topo:3:1: header: expected a topology of the HPCC family, which begins with the number of nodes, received "Nodes 8" ' +
      '(this is how topologies of htsim begin: rocelab import htsim reads them)',
  )
})
