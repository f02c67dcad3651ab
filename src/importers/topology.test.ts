import { describe, expect, test } from 'vitest'
import { InputError } from '../core/base/issue.ts'
import { assumed, found } from './findings.test-bench.ts'
import { sample } from './samples.test-files.ts'
import { topology } from './topology.ts'

const importing = (path: string, options: Record<string, string> = {}) => topology.import(sample(path, options))

function refusal(path: string, options: Record<string, string>, changes: Record<string, string> = {}): string {
  try {
    topology.import(sample(path, options, changes))
  } catch (error) {
    if (error instanceof InputError) return error.message
    throw error
  }
  return 'none'
}

test('a topology alone gets a permutation, with a note', () => {
  const { scenario, findings } = importing('run/net.txt')
  expect(scenario).toMatchObject({
    topology: { kind: 'graph', nodes: 6, switches: [5, 2] },
    workload: [{ kind: 'permutation' }],
    recovery: { kind: 'go-back-n' },
  })
  const counts = { host: 4, switch: 2, link: 6 }
  expect(findings).toContainEqual(found('read', { dialect: 'hpcc', counts, hostIds: [0, 4] }))
  expect(findings).toContainEqual(assumed('workload', { messageBytes: 1_000_000 }))
  expect(findings).toContainEqual(assumed('transport', { congestion: 'none' }))
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
  const words = { words: '25000000000', count: 4, of: 'number' }
  expect(datacenter.findings).toContainEqual(found('text-ignored', words, { file: 'datacenter.txt', line: 1 }))
  expect(importing('simai.txt', { dialect: 'simai' }).scenario).toMatchObject({ topology: { switches: [5, 2] } })
})

test.each([
  ['simai.txt', {}, 3, 'hpcc', 6, 'use --dialect simai or ns3-alibabacloud'],
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

/** Issues of an import as "file:line:column path". */
function locationsOf(files: Record<string, string>, options: Record<string, string> = {}): string[] {
  try {
    topology.import(sample(Object.keys(files)[0] ?? '', options, files))
  } catch (error) {
    if (!(error instanceof InputError)) throw error
    return error.issues.map(({ file, line, column, path }) => `${file ?? ''}:${line}:${column} ${path}`)
  }
  return []
}

test('flows of more than 32 bits are read where the fork that wrote them reads 64', () => {
  const flows = { 'f.txt': '1\n0 3 3 100 4294967296 2\n' }
  expect(refusal('run/net.txt', { flows: 'f.txt' }, flows)).toContain('--size-bits 64')
  const { scenario } = topology.import(sample('run/net.txt', { flows: 'f.txt', 'size-bits': '64' }, flows))
  expect(scenario).toMatchObject({ workload: [{ flows: ['0 2 4GiB 2s dport=100'] }] })
})

describe('a row of another length is reported at its own line, and the rows after it are read', () => {
  test('links of older simulators, which have no error rate', () => {
    const old = '4 1 3\n3\n0 3 40Gbps 0.0001ms\n1 3 40Gbps 1us 0\n  2 3 40Gbps\t1us\n'
    expect(locationsOf({ 'old.txt': old })).toEqual(['old.txt:3:1 row', 'old.txt:5:3 row'])
    expect(refusal('old.txt', {}, { 'old.txt': old })).toContain('have no error rate')
  })

  test('links with a word too many, and words that are no numbers', () => {
    expect(locationsOf({ 'n.txt': '3 1 2\r\n2\r\n0 2 40Gbps 1us 0 0\r\n1 2 40Gbps fast x\r\n' })).toEqual([
      'n.txt:3:1 row',
      'n.txt:4:12 delay',
      'n.txt:4:17 error_rate',
    ])
  })

  test('switch ids, fewer or more than the first line declares; they may be on several lines', () => {
    const links = '0 2 1Gbps 1us 0\n1 3 1Gbps 1us 0\n2 3 1Gbps 1us 0\n'
    expect(locationsOf({ 'n.txt': `4 2 3\n2\n3\n${links}` })).toEqual([])
    expect(locationsOf({ 'n.txt': `4 2 3\n2\n${links}` })).toEqual(['n.txt:3:1 switch id'])
    expect(locationsOf({ 'n.txt': `4 2 3\n2 3 1\n${links}` })).toEqual(['n.txt:2:5 switch id'])
    expect(locationsOf({ 'n.txt': `4 2 3\n` })).toEqual(['n.txt:1:1 switch id'])
  })

  test('flows with a column too few or too many; those of another dialect are named', () => {
    const network = { 'n.txt': '3 1 2\n2\n0 2 40Gbps 1us 0\n1 2 40Gbps 1us 0\n' }
    // Word by word these rows would be flows of 2 bytes at 0 s and others.
    const five = { ...network, 'f.txt': '3\n0 1 3 1000 2\n0 1 3 100 1000 2\n0 1 3 100 1000 2 9\n' }
    expect(locationsOf(five, { flows: 'f.txt' })).toEqual(['f.txt:2:1 row', 'f.txt:4:1 row'])
    expect(refusal('n.txt', { flows: 'f.txt' }, five)).toContain('--dialect conweave')
    expect(locationsOf({ ...network, 'f.txt': '1 1\n0 1 3 100 5 2\n' }, { flows: 'f.txt' })).toEqual(['f.txt:1:1 row'])
  })
})
