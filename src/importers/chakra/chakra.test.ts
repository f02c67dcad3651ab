import { expect, test } from 'vitest'
import { fc } from '../../../tests/support/properties.ts'
import { InputError } from '../../core/base/issue.ts'
import { adapted, assumed, found } from '../findings.test-bench.ts'
import type { Imported } from '../importer.ts'
import { chakra } from './chakra.ts'
import {
  attribute,
  bytes,
  COLLECTIVE,
  COMPUTE,
  METADATA,
  node,
  number,
  RECEIVE,
  record,
  SEND,
  traceOf,
  varint,
} from './trace.test-bench.ts'

type Files = Readonly<Record<string, Uint8Array | string>>

function run(files: Files, options: Record<string, string> = {}, path = 'job.0.et'): Imported {
  const contentOf = (name: string): Uint8Array | string | undefined =>
    Object.hasOwn(files, name) ? files[name] : undefined
  return chakra.import({
    path,
    options,
    readFile: (name) => {
      const content = contentOf(name)
      return typeof content === 'string' ? content : undefined
    },
    readBytes: (name) => {
      const content = contentOf(name)
      return typeof content === 'string' ? new TextEncoder().encode(content) : content
    },
  })
}

/** Traces of ranks as files. */
const job = (...ranks: readonly (readonly (readonly number[])[])[]): Files =>
  Object.fromEntries(ranks.map((nodes, rank) => [`job.${rank}.et`, traceOf(nodes)]))

function goalOf({ scenario }: Imported): string[] {
  const workload = scenario['workload'] as readonly { readonly goal: readonly string[] }[]
  return [...workload[0]!.goal]
}

function issuesOf(files: Files, options: Record<string, string> = {}, path?: string): string[] {
  try {
    run(files, options, path)
    return []
  } catch (error) {
    if (!(error instanceof InputError)) throw error
    return error.issues.map(({ path: where, expected, received }) => `${where} | ${expected} | ${received}`)
  }
}

const sum = (id: number, attributes: Record<string, number | string> = {}, data: number[] = []): number[] =>
  node(id, COLLECTIVE, {
    name: 'sum',
    data,
    attributes: { is_cpu_op: 0, comm_type: 0, comm_size: 1000, ...attributes },
  })

test('two ranks compute, exchange a message and reduce, as their nodes say', () => {
  const files = job(
    [
      // Id 0 is not on the wire, and a node may wait for a later one.
      node(0, COMPUTE, { name: 'fwd::mm(0)', us: 10 }),
      node(7, SEND, { data: [0], attributes: { comm_size: 4097, comm_dst: 1, comm_tag: 3 } }),
      sum(8, {}, [9]),
      node(9, COMPUTE, { data: [7], us: 2 }),
    ],
    [node(3, RECEIVE, { attributes: { comm_size: 4097, comm_src: 0, comm_tag: 3 } }), sum(4, {}, [3])],
  )
  const imported = run(files)
  expect(goalOf(imported)).toEqual([
    'num_ranks 2',
    'group all 0 1',
    'rank 0 {',
    'n0_fwd_mm_0: calc 10000',
    'n7: send 4097b to 1 tag 3',
    'n7 requires n0_fwd_mm_0',
    'n9: calc 2000',
    'n9 requires n7',
    'n8_sum: all-reduce 1000b group all',
    'n8_sum requires n9',
    '}',
    'rank 1 {',
    'n3: recv 4097b from 0 tag 3',
    'n4_sum: all-reduce 1000b group all',
    'n4_sum requires n3',
    '}',
  ])
  // The message, and two steps of the ring of two.
  const graph = { ranks: 2, operations: 6, messages: 5, bytes: 4097 + 2000, longestChain: 3, roots: 1, dropped: 0 }
  expect(imported.findings).toContainEqual(found('graph', graph))
  expect(imported.findings).toContainEqual(found('read', { dialect: '0.0.4' }))
})

test('dependencies are packed or not, and attributes have any type of number', () => {
  const more = [...attribute('comm_size', 5, 7), ...attribute('comm_dst', 1, 13), ...attribute('comm_tag', 4, 15)]
  const fixed = bytes(10, [...bytes(1, 'comm_src'), ...varint(19 * 8 + 5), 0, 0, 0, 0])
  const files = job(
    [node(1, COMPUTE, { us: 1 }), node(2, COMPUTE, { us: 1 }), node(3, SEND, { data: [1, 2], isPacked: true, more })],
    [node(3, RECEIVE, { more: [...attribute('comm_size', 5, 11), ...attribute('comm_tag', 2, 9), ...fixed] })],
  )
  expect(goalOf(run(files))).toEqual(
    // A zigzag 4 is 2.
    expect.arrayContaining(['n3: send 5b to 1 tag 2', 'n3 requires n1', 'n3 requires n2', 'n3: recv 5b from 0 tag 2']),
  )
})

test('fields that are not known are skipped, whatever their type', () => {
  const unknown = [
    ...number(99, 5n ** 27n),
    ...bytes(98, 'x'),
    ...varint(97 * 8 + 1),
    ...Array(8).fill(255),
    ...varint(96 * 8 + 5),
    1,
    2,
    3,
    4,
  ]
  const files = job([node(1, COMPUTE, { us: 1, more: [...unknown, ...bytes(8, [1, 2]), ...number(6, 7)] })])
  expect(goalOf(run(files))).toContain('n1: calc 1000')
})

test('the draft of October 2023 has attributes in place of a version', () => {
  const attributes = bytes(2, [...bytes(1, 'schema'), ...bytes(29, '1.0.2-chakra.0.0.4')])
  const imported = run({ 'job.0.et': traceOf([node(1, COMPUTE, { us: 1 })], attributes) })
  expect(imported.findings).toContainEqual(found('read', { dialect: 'draft of October 2023' }))
})

test('other dialects are refused by name', () => {
  const egDef = Uint8Array.from(record([...number(1, 0), ...bytes(2, 'n'), ...number(3, 3)]))
  const nameFirst = Uint8Array.from(record([...bytes(2, 'COMM'), ...number(3, 4)]))
  const of = (content: Uint8Array): string => issuesOf({ 'job.0.et': content }).join()
  expect(of(egDef)).toContain('eg_def')
  expect(of(nameFirst)).toContain('eg_def')
  expect(of(traceOf([], bytes(1, '0.0.3')))).toContain('"0.0.3"')
  expect(of(traceOf([], bytes(1, '7')))).toContain('"7"')
})

test('sizes of collectives become those of the whole buffer', () => {
  const types = [0, 1, 2, 3, 4, 5, 6, 7, 8]
  const nodes = types.map((type) => sum(type + 1, { comm_type: type, comm_size: 60 }))
  const barrier = node(20, COLLECTIVE, { attributes: { comm_type: 9 } })
  const imported = run(job([...nodes, barrier], [...nodes, barrier], [...nodes, barrier]))
  const calls = goalOf(imported).flatMap((line) => / ([a-z-]+ \d+b) group/.exec(line)?.[1] ?? [])
  expect(calls.slice(0, 10)).toEqual([
    'all-reduce 60b',
    'reduce 60b',
    // One rank's contribution, of three.
    'all-gather 180b',
    'gather 180b',
    'scatter 60b',
    'broadcast 60b',
    'all-to-all 60b',
    'reduce-scatter 60b',
    'reduce-scatter 60b',
    'barrier 1b',
  ])
  expect(imported.findings).toContainEqual(assumed('first-is-root', { collectives: 12 }))
})

test('groups have their own order of ranks, and a group of one sends nothing', () => {
  const ranks = [0, 1, 2].map((rank) => [
    ...(rank === 2 ? [] : [sum(1, { pg_name: 'a b' })]),
    sum(2, { pg_name: `own${rank}` }),
  ])
  const groups = JSON.stringify({ 'a b': [1, 0], own0: [0], own1: [1], own2: [2] })
  const imported = run({ ...job(...ranks), 'g.json': groups }, { groups: 'g.json' })
  expect(goalOf(imported)).toEqual(
    expect.arrayContaining(['group pg_a_b 1 0', 'n1_sum: all-reduce 1000b group pg_a_b', 'n2_sum: calc 0 cpu 255']),
  )
  expect(imported.findings).toContainEqual(adapted('groups-of-one', { collectives: 3 }))
})

test('wrappers of the host send nothing, and collectives without a size pass the time that was recorded', () => {
  const wrapper = node(1, COLLECTIVE, { us: 85, attributes: { is_cpu_op: 1 } })
  const kernel = node(2, COLLECTIVE, { us: 28, data: [1], attributes: { is_cpu_op: 0 } })
  const imported = run(job([wrapper, kernel]))
  expect(goalOf(imported)).toEqual(expect.arrayContaining(['n1: calc 85000', 'n2: calc 28000 cpu 1']))
  expect(imported.findings).toContainEqual(adapted('chakra-wrappers', { nodes: 1 }))
  expect(imported.findings).toContainEqual(found('unsized', { collectives: 1 }))
})

test('control dependencies bind if it is said, and absent nodes are dropped and counted', () => {
  const files = job([node(1, COMPUTE, { us: 1 }), node(2, COMPUTE, { us: 1, control: [1, 77] })])
  const ignored = run(files)
  expect(goalOf(ignored).some((line) => line.includes('requires'))).toBe(false)
  expect(ignored.findings).toContainEqual(found('dependencies', { absent: 1, unused: 1 }))
  const bound = run(files, { 'control-deps': 'bind' })
  expect(goalOf(bound)).toContain('n2 requires n1')
  expect(bound.findings).toContainEqual(found('dependencies', { absent: 1, unused: 0 }))
})

test('computes with operations and no time need a rate', () => {
  const files = job([node(1, COMPUTE, { attributes: { num_ops: 5000, tensor_size: 7 } })])
  expect(issuesOf(files)).toEqual(['job.0.et, byte 8 | a duration, or a rate for its num_ops | num_ops 5000'])
  expect(goalOf(run(files, { 'ops-per-second': '1e9' }))).toContain('n1: calc 5000')
})

test('a tuner file chooses for each collective by its group', () => {
  const tuner = 'allreduce,0,5000,ring,ll128,4,2,2\nallreduce,0,-1,tree,ll,2,2,-1\n'
  const files = { ...job(...[0, 1, 2, 3].map(() => [sum(1, { comm_size: 1200 })])), 'nccl.conf': tuner }
  const imported = run(files, { tuner: 'nccl.conf', nodes: '2' })
  expect(goalOf(imported)).toContain('n1_sum: all-reduce 2400b group all algorithm double-binary-tree channels 2')
  expect(imported.scenario['workload']).toEqual([expect.objectContaining({ stepLatency: '1us' })])
  expect(imported.findings).toContainEqual(found('tuned', { rows: [{ line: 2, collectives: 4 }] }))
  expect(issuesOf(files, { tuner: 'nccl.conf', nodes: '3' })).toHaveLength(1)
})

test.each<[string, Files, RegExp, Record<string, string>?, string?]>([
  ['no file', {}, /no such file/],
  ['an empty file', { 'job.0.et': new Uint8Array() }, /empty file/],
  [
    'a record beyond the end',
    { 'job.0.et': Uint8Array.of(...record(METADATA), 50, 1, 2) },
    /byte 8 \| a record of 50 bytes/,
  ],
  [
    'a length of six bytes',
    { 'job.0.et': Uint8Array.of(128, 128, 128, 128, 128, 1) },
    /byte 0 \| a varint of at most 5/,
  ],
  ['a length that ends', { 'job.0.et': Uint8Array.of(...record(METADATA), 200) }, /byte 8 \| a varint \| the end/],
  ['a field beyond its record', job([[...number(1, 1), 18, 9, 65]]), /byte 12 \| 9 bytes of field 2 \| 1/],
  ['a group of Protocol Buffers', job([[11, 12]]), /wire type 3/],
  ['field 0', job([[0, 1]]), /number 0/],
  ['a text as an id', job([bytes(1, 'x')]), /a number \| field 1 with wire type 2/],
  ['a number as a name', job([number(2, 1)]), /a text, a list or a message/],
  ['an id beyond 2^53', job([node(2n ** 60n, COMPUTE)]), /an id below 2\^53/],
  ['an id twice', job([node(1, COMPUTE), node(1, COMPUTE)]), /an id once/],
  ['data of an absent node', job([node(1, COMPUTE, { data: [5] })]), /byte 8 \| data_deps on nodes of the file \| 5/],
  [
    'a circle',
    job([node(1, COMPUTE, { data: [2] }), node(2, COMPUTE, { data: [1] })]),
    /1, 2, which wait for each other/,
  ],
  ['no type', job([node(1, 0)]), /a node type/],
  ['type 9', job([node(1, 9)]), /a node type.*\| 9/],
  ['a duration of 2^63 us', job([node(1, COMPUTE, { more: number(7, 2n ** 63n) })]), /a duration/],
  ['a send without a peer', job([node(1, SEND, { attributes: { comm_size: 1 } })]), /comm_dst/],
  [
    'a peer that is not there',
    job([node(1, SEND, { attributes: { comm_size: 1, comm_dst: 1 } })]),
    /comm_dst, 0 to 0 \| 1/,
  ],
  ['a negative size', job([sum(1, { comm_size: -5 })]), /comm_size.*\| -5/],
  ['an unknown collective', job([sum(1, { comm_type: 10 })]), /comm_type, 0 to 9 \| 10/],
  ['a collective without size and time', job([node(1, COLLECTIVE)]), /comm_size, or a duration/],
  ['a group that is not known', job([sum(1, { pg_name: '7' })]), /pg_name 7/],
  [
    'a group without the rank',
    { ...job([sum(1, { pg_name: '7' })], []), 'g.json': '{"7": [1]}' },
    /a rank of the group/,
    { groups: 'g.json' },
  ],
  [
    'a group with a rank that is not there',
    { ...job([]), 'g.json': '{"7": [0, 1]}' },
    /different ranks, 0 to 0/,
    { groups: 'g.json' },
  ],
  ['groups that are no JSON', { ...job([]), 'g.json': '{' }, /JSON/, { groups: 'g.json' }],
  [
    'part of the dimensions',
    job([
      node(1, COLLECTIVE, {
        attributes: { comm_size: 1, comm_type: 0 },
        more: bytes(10, [...bytes(1, 'involved_dim'), ...bytes(28, bytes(1, [1, 0]))]),
      }),
    ]),
    /involved_dim/,
  ],
  [
    'collectives that differ',
    job([sum(1)], [sum(1, { comm_size: 999 })]),
    /all-reduce of 1000 bytes, as in job\.0\.et/,
  ],
  ['collectives that are missing', job([sum(1), sum(2)], [sum(1)]), /2 collectives on every rank \| 1 on rank 1/],
  ['a send without a receive', job([node(1, SEND, { attributes: { comm_size: 1, comm_dst: 1 } })], []), /1 and 0/],
  [
    'a receive of another size',
    job(
      [node(1, SEND, { attributes: { comm_size: 1, comm_dst: 1 } })],
      [node(1, RECEIVE, { attributes: { comm_size: 2, comm_src: 0 } })],
    ),
    /2 for 1/,
  ],
  [
    'a rank that is missing',
    { 'job.0.et': traceOf([]), 'job.2.et': traceOf([]) },
    /job\.1\.et \| the trace of every rank/,
  ],
  ['JSON that is none', { 'job.0.json': '{"workload_graph": [' }, /JSON/, {}, 'job.0.json'],
  ['JSON without nodes', { 'job.0.json': '{"nodes": []}' }, /workload_graph/, {}, 'job.0.json'],
  [
    'JSON with a text as an id',
    { 'job.0.json': '{"workload_graph": [{"Id": "x"}]}' },
    /workload_graph\.0\.Id/,
    {},
    'job.0.json',
  ],
  ['JSON that is not UTF-8', { 'job.0.json': Uint8Array.of(0xff, 0xfe) }, /UTF-8/, {}, 'job.0.json'],
])('%s: one clear message', (_, files, expected, options = {}, path) => {
  const issues = issuesOf(files, options, path)
  expect(issues).toHaveLength(1)
  expect(issues[0]).toMatch(expected)
})

test('any bytes are refused or read, and nothing else', () => {
  const sound = job(
    [node(1, COMPUTE, { us: 5 }), sum(2, {}, [1]), node(3, SEND, { attributes: { comm_size: 9, comm_dst: 1 } })],
    [sum(2), node(3, RECEIVE, { attributes: { comm_size: 9, comm_src: 0 } })],
  )
  const whole = [...(sound['job.0.et'] as Uint8Array)]
  const edits = fc.array(fc.tuple(fc.nat(whole.length), fc.nat(3), fc.array(fc.nat(255), { maxLength: 4 })), {
    minLength: 1,
    maxLength: 4,
  })
  fc.assert(
    fc.property(edits, (changes) => {
      const content = [...whole]
      for (const [at, removed, added] of changes) content.splice(at, removed, ...added)
      const issues = issuesOf({ ...sound, 'job.0.et': Uint8Array.from(content) })
      expect(issues.every((issue) => issue.includes(' | '))).toBe(true)
    }),
    { numRuns: 500 },
  )
})

test.each(['1.0.2-chakra.0.0.4.json', 'pt.0.json', 'trace.json'])(
  'a trace of PyTorch under the name %s is refused by what it is',
  (name) => {
    const trace = { schema: '1.0.2-chakra.0.0.4', pid: 1, nodes: [{ id: 1, name: 'process', ctrl_deps: 1 }] }
    expect(issuesOf({ [name]: JSON.stringify(trace) }, {}, name)).toEqual([
      `${name} | a trace of Chakra | an execution trace of PyTorch`,
    ])
  },
)
