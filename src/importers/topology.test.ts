import { expect, test } from 'vitest'
import { InputError } from '../base/issue.ts'
import { sample } from './samples.test-files.ts'
import { topology } from './topology.ts'

const importing = (path: string, options: Record<string, string> = {}) => topology.import(sample(path, options))

function refusal(path: string, options: Record<string, string>): string {
  try {
    importing(path, options)
  } catch (error) {
    if (error instanceof InputError) return error.message
    throw error
  }
  return 'none'
}

test('a topology alone gets a permutation, with a note', () => {
  const { scenario, notes } = importing('run/net.txt')
  expect(scenario).toMatchObject({
    topology: { kind: 'graph', nodes: 6, switches: [5, 2] },
    workload: [{ kind: 'permutation' }],
    recovery: { kind: 'go-back-n' },
  })
  const noteText = notes.join('\n')
  expect(noteText).toContain('dialect hpcc: 4 hosts, ids 0 to 4, 2 switches, 6 links')
  expect(noteText).toContain('the workload is a permutation')
  expect(noteText).toContain('the transport is chosen by the importer')
})

test('a topology with flows gets those flows', () => {
  const { scenario } = importing('run/net.txt', { flows: 'run/sends.txt', congestion: 'dcqcn' })
  expect(scenario).toMatchObject({ workload: [{ kind: 'trace', flows: { length: 3 } }], congestion: { kind: 'dcqcn' } })
})

test('each dialect has its own header', () => {
  const datacenter = importing('datacenter.txt', { dialect: 'ns3-datacenter' })
  expect(datacenter.scenario).toMatchObject({
    topology: { nodes: 4, links: ['0 3 25Gbps 2us', '1 3 25Gbps 2us', '2 3 25Gbps 2us'] },
  })
  expect(datacenter.notes.join('\n')).toContain('"25000000000" after the 4 numbers of the first line is not used')
  expect(importing('simai.txt', { dialect: 'simai' }).scenario).toMatchObject({ topology: { switches: [5, 2] } })
})

test.each([
  ['simai.txt', {}, 3, 'hpcc', 6, 'use --dialect simai'],
  ['datacenter.txt', {}, 3, 'hpcc', 6, 'use --dialect ns3-datacenter'],
  ['run/net.txt', { dialect: 'ns3-datacenter' }, 4, 'ns3-datacenter', 3, 'use --dialect hpcc or conweave'],
] as const)(
  'for %s %o only the header is reported, with the dialect it belongs to',
  (path, options, wanted, dialect, words, hint) => {
    expect(refusal(path, options)).toBe(
      `${path}:1:1: header: expected ${wanted} words with dialect ${dialect}, received ${words} (${hint})`,
    )
  },
)

test('the message for a header of no dialect lists all dialects', () => {
  const changes = { 'odd.txt': '4 1 1 3 7\n3\n0 3 25000000000 2us 0\n' }
  expect(() => topology.import(sample('odd.txt', {}, changes))).toThrow(
    'odd.txt:1:1: header: expected 3 words with dialect hpcc, received 5 (dialects: hpcc "nodes switches links", ',
  )
})

test('the message for a topology of htsim names its importer', () => {
  const changes = { 'tiny.topo': '# two tiers\n\nNodes 8\nTiers 2\nPodsize 8\n' }
  expect(() => topology.import(sample('tiny.topo', {}, changes))).toThrow(
    'tiny.topo:3:1: header: expected a topology of the HPCC family, which begins with the number of nodes, received "Nodes 8" ' +
      '(this line begins a topology of htsim: use rocelab import htsim)',
  )
})
