import { expect, test } from 'vitest'
import { InputError } from '../../core/base/issue.ts'
import { adapted, assumed, differs, found } from '../findings.test-bench.ts'
import type { Imported } from '../importer.ts'
import { groupsOf } from './groups.ts'
import { simai } from './simai.ts'

const HEADER = 'HYBRID_TRANSFORMER_FWD_IN_BCKWD model_parallel_NPU_group: 2'
const NONE = '0 NONE 0'

function run(text: string, options: Record<string, string> = {}, files: Record<string, string> = {}): Imported {
  const all: Readonly<Record<string, string>> = { 'step.txt': text, ...files }
  return simai.import({
    path: 'step.txt',
    options,
    readFile: (name) => (Object.hasOwn(all, name) ? all[name] : undefined),
  })
}

function goalOf({ scenario }: Imported): string[] {
  const workload = scenario['workload'] as readonly { readonly goal: readonly string[] }[]
  return [...workload[0]!.goal]
}

/** Lines of a rank. */
function rankOf(imported: Imported, rank: number): string[] {
  const lines = goalOf(imported)
  const from = lines.indexOf(`rank ${rank} {`)
  return lines.slice(from + 1, lines.indexOf('}', from))
}

function issuesOf(text: string, options: Record<string, string> = {}, files: Record<string, string> = {}): string[] {
  try {
    run(text, options, files)
    return []
  } catch (error) {
    if (!(error instanceof InputError)) throw error
    return error.issues.map(
      ({ line, path, expected, received }) => `${line ?? '-'} ${path} | ${expected} | ${received}`,
    )
  }
}

test('a step goes up the layers, and down with both gradients', () => {
  const imported = run(`${HEADER} all_gpus: 4
2
attention -1 10 ALLREDUCE 64 20 ALLGATHER 32 30 ALLREDUCE 128 100
mlp-1 -1 11 NONE 0 21 NONE 0 31 NONE 0 100
`)
  expect(rankOf(imported, 1)).toEqual([
    'l1_attention_fwd: calc 10',
    'l1_attention_fwd_allreduce: all-reduce 64b group tp0',
    'l1_attention_fwd_allreduce requires l1_attention_fwd',
    'l2_mlp_1_fwd: calc 11',
    'l2_mlp_1_fwd requires l1_attention_fwd_allreduce',
    'l2_mlp_1_ig: calc 21',
    'l2_mlp_1_ig requires l2_mlp_1_fwd',
    'l2_mlp_1_wg: calc 31',
    'l2_mlp_1_wg requires l2_mlp_1_ig',
    'l1_attention_ig: calc 20',
    'l1_attention_ig requires l2_mlp_1_wg',
    'l1_attention_ig_allgather: all-gather 32b group tp0',
    'l1_attention_ig_allgather requires l1_attention_ig',
    'l1_attention_wg: calc 30',
    'l1_attention_wg requires l1_attention_ig_allgather',
    'l1_attention_wg_allreduce: all-reduce 128b group dp1',
    'l1_attention_wg_allreduce requires l1_attention_wg',
    'l1_attention_update: calc 100 cpu 1',
    'l1_attention_update requires l1_attention_wg_allreduce',
  ])
  expect(goalOf(imported).slice(0, 5)).toEqual([
    'num_ranks 4',
    'group tp0 0 1',
    'group dp0 0 2',
    'group dp1 1 3',
    'group tp1 2 3',
  ])
})

test('the next pass of a layer waits for its weights, and other layers do not', () => {
  const imported = run(
    `${HEADER} all_gpus: 4\n2\na -1 10 NONE 0 ${NONE} ${NONE} 5\nb -1 10 NONE 0 ${NONE} 1 ALLREDUCE 128 5\n`,
    { passes: '2' },
  )
  const waits = rankOf(imported, 0).filter((line) => line.startsWith('p2') && line.includes('fwd requires'))
  // Layer b ends with the gradient of its weights, whose collective goes on while layer a begins again.
  expect(waits).toEqual([
    'p2_l1_a_fwd requires p1_l2_b_wg',
    'p2_l2_b_fwd requires p2_l1_a_fwd',
    'p2_l2_b_fwd requires p1_l2_b_update',
  ])
})

test('a layer without forward work still makes the next pass wait', () => {
  const imported = run(`${HEADER} all_gpus: 4\n1\na -1 ${NONE} ${NONE} 1 ALLREDUCE 128 0\n`, { passes: '2' })
  expect(rankOf(imported, 0)).toEqual(
    expect.arrayContaining(['p2_l1_a_fwd requires p1_l1_a_wg_allreduce', 'p2_l1_a_wg requires p2_l1_a_fwd']),
  )
})

test('groups are those of the split', () => {
  const split = { gpus: 32, tp: 4, ep: 4, pp: 1 }
  const groupOf = (kind: 'TP' | 'DP' | 'EP' | 'DP_EP', rank: number): readonly number[] =>
    groupsOf(kind, split)[rank]!.ranks
  expect(groupOf('TP', 6)).toEqual([4, 5, 6, 7])
  expect(groupOf('DP', 0)).toEqual([0, 4, 8, 12, 16, 20, 24, 28])
  expect(groupOf('EP', 0)).toEqual([0, 4, 8, 12])
  expect(groupOf('EP', 23)).toEqual([19, 23, 27, 31])
  expect(groupOf('DP_EP', 0)).toEqual([0, 16])
  // Every rank is in its own group, and groups are disjoint.
  for (const kind of ['TP', 'DP', 'EP', 'DP_EP'] as const) {
    const groups = groupsOf(kind, split)
    groups.forEach(({ ranks }, rank) => expect(ranks).toContain(rank))
    const all = [...new Set(groups)].flatMap(({ ranks }) => ranks)
    expect(all.toSorted((a, b) => a - b)).toEqual(Array.from({ length: 32 }, (_, rank) => rank))
  }
})

test('MICRO does all rows in turn; two all-reduces of eight ranks are 224 messages of one-channel rings', () => {
  const text = `MICRO\n2\nm -1 1 NONE 0 1 NONE 0 1 ALLREDUCE 16777216 1\nm -1 1 NONE 0 1 NONE 0 1 ALLREDUCE 67108864 1\ntest\n`
  const imported = run(text, { gpus: '8' })
  expect(imported.findings).toContainEqual(
    found('graph', { ranks: 8, messages: 224, bytes: 8 * 146_800_640, longestChain: 28 }),
  )
  expect(imported.findings).toContainEqual(found('words-left', { words: 1, first: 'test', layers: 2 }, { line: 5 }))
  expect(imported.findings).toContainEqual(differs('simai-micro', { rows: 2 }))
  expect(rankOf(imported, 0)).toContain('l2_m_fwd requires l1_m_wg_allreduce')
})

test('with eight channels the first all-reduce is the 896 flows of SimAI', () => {
  const text = 'MICRO\n1\nm -1 1 NONE 0 1 NONE 0 1 ALLREDUCE 16777216 1\n'
  const imported = run(text, { gpus: '8', tuner: 't' }, { t: 'allreduce,0,-1,ring,simple,8,-1,-1' })
  expect(imported.findings).toContainEqual(found('graph', { messages: 896, bytes: 896 * 262_144 }))
  expect(imported.findings).toContainEqual(assumed('step-latency', { protocol: 'simple', stepLatencyPs: 11e6 }))
})

test('collectives without bytes, and those of a group of one, send nothing', () => {
  const imported = run(`MICRO\n2\na -1 0 ALLREDUCE 0 0 NONE 99 ${NONE} 1\nb -1 0 ALLREDUCE 8 ${NONE} ${NONE} 1`, {
    gpus: '2',
  })
  expect(goalOf(imported)).toEqual(['num_ranks 2', 'rank 0 {', '}', 'rank 1 {', '}'])
  expect(imported.findings).toContainEqual(adapted('groups-of-one', { collectives: 1 }))
})

test('a broadcast goes from the first rank of its group, and is noted', () => {
  const imported = run(`${HEADER}\n1\na -1 0 BROADCAST 8 ${NONE} ${NONE} 1`, { gpus: '4' })
  expect(rankOf(imported, 2)).toEqual(['l1_a_fwd_broadcast: broadcast 8b group tp1'])
  expect(imported.findings).toContainEqual(differs('simai-broadcast', { collectives: 1 }))
  expect(imported.findings).toContainEqual(differs('simai-forward-floor', { collectives: 1 }))
})

const ROW = `a -1 ${NONE} ${NONE} 1 ALLREDUCE 8 1`

test.each<[string, string, RegExp, Record<string, string>?]>([
  ['an empty file', '', /^- policy.*an empty file/],
  ['another policy', `HYBRID_CUSTOMIZED\n1\n${ROW}`, /^1 policy.*HYBRID_CUSTOMIZED/],
  ['an unknown policy', `TRAINING\n1\n${ROW}`, /^1 policy.*"TRAINING"/],
  ['an unknown header', `${HEADER} sp: 2\n1\n${ROW}`, /^1 header.*"sp:"/],
  ['no number of layers', `MICRO\nx\n${ROW}`, /^2 layers.*"x"/],
  ['no layers', 'MICRO\n', /layers.*the end of the file/],
  ['fewer layers', `MICRO\n3\n${ROW}\n${ROW}`, /^4 layers.*3 rows.*\| 2/, { gpus: '2' }],
  ['half a layer', 'MICRO\n1\na -1 0 NONE', /^3 fwd_bytes.*the end/, { gpus: '2' }],
  ['a time that is no number', `MICRO\n1\na -1 x NONE 0 ${NONE} ${NONE} 1`, /^3 fwd_ns.*"x"/, { gpus: '2' }],
  ['a negative size', `MICRO\n1\na -1 0 ALLREDUCE -8 ${NONE} ${NONE} 1`, /^3 fwd_bytes.*"-8"/, { gpus: '2' }],
  ['a time of days', `MICRO\n1\na -1 99999999999999 NONE 0 ${NONE} ${NONE} 1`, /^3 fwd_ns/, { gpus: '2' }],
  ['an unknown collective', `MICRO\n1\na -1 0 REDUCE 8 ${NONE} ${NONE} 1`, /^3 fwd_type.*"REDUCE"/, { gpus: '2' }],
  ['two collectives at once', `MICRO\n1\na -1 0 ALLREDUCEALLTOALL 8 ${NONE} ${NONE} 1`, /^3 fwd_type/, { gpus: '2' }],
  [
    'an unknown group',
    `MICRO\n1\na -1 0 ALLREDUCE_CP 8 ${NONE} ${NONE} 1`,
    /^3 fwd_type.*"ALLREDUCE_CP"/,
    { gpus: '2' },
  ],
  ['stages that do not divide', `${HEADER} pp: 3 all_gpus: 8\n1\n${ROW}`, /^1 pp.*\| 3/],
  ['stages of MICRO', `MICRO pp: 2 all_gpus: 8\n1\n${ROW}`, /^1 pp.*\| 2/],
  [
    'a pipeline without sizes',
    `${HEADER} pp: 2 all_gpus: 8\n1\nembedding_layer -1 ${NONE} ${NONE} ${NONE} 0`,
    /^1 pp_comm.*none/,
  ],
  ['a pipeline without micro-batches', `${HEADER} pp: 2 all_gpus: 8 pp_comm: 8\n1\n${ROW}`, /^1 layers.*\| 0/],
  [
    'fewer micro-batches than declared',
    `${HEADER} pp: 2 ga: 2 all_gpus: 8 pp_comm: 8\n1\nembedding_layer -1 ${NONE} ${NONE} ${NONE} 0`,
    /^1 layers.*2 rows embedding_layer.*\| 1/,
  ],
  [
    'micro-batches that are not alike',
    `${HEADER} pp: 2 ga: 2 all_gpus: 8 pp_comm: 8\n4\n${['embedding_layer', 'a', 'embedding_layer', 'b'].map((name) => `${name} -1 ${NONE} ${NONE} ${NONE} 0`).join('\n')}`,
    /^1 layers.*2 micro-batches of 2 rows alike.*"b"/,
  ],
  ['no number of GPUs', `${HEADER}\n1\n${ROW}`, /^1 all_gpus.*none/],
  ['GPUs that the tensor groups do not divide', `${HEADER} all_gpus: 5\n1\n${ROW}`, /^1 all_gpus.*multiple of the 2/],
  ['experts that do not divide', `${HEADER} ep: 3 all_gpus: 8\n1\n${ROW}`, /^1 ep.*\| 3/],
  ['a million GPUs', `MICRO all_gpus: 1000000\n1\n${ROW}`, /^1 all_gpus/],
  ['more operations than memory', `MICRO all_gpus: 8000\n600\n${`${ROW}\n`.repeat(600)}`, /at most 4000000 operations/],
  ['more GPUs than a star has hosts', `MICRO all_gpus: 65536\n1\n${ROW}\n`, /at most 8192, .* \| 65536/],
  ['checkpoints that end', `${HEADER} checkpoints: 3 1\n`, /checkpoints/],
  ['0 passes', `MICRO\n1\n${ROW}`, /^- passes/, { gpus: '2', passes: '0' }],
  ['GPUs that are no number', `MICRO\n1\n${ROW}`, /^- gpus|all_gpus/, { gpus: 'x' }],
  ['a tuner file with two mistakes in a row', `MICRO\n1\n${ROW}`, /^1 algorithm.*"nvls"/, { gpus: '2', tuner: 't' }],
])('%s: a clear message first', (_, text, expected, options = {}) => {
  const issues = issuesOf(text, options, { t: 'allreduce,0,1,nvls,simple,1,-1,-1' })
  expect(issues).toHaveLength(1)
  expect(issues[0]).toMatch(expected)
})

/** Two servers of two GPUs, each with an NVSwitch (4, 5), on one switch (6). */
const SERVERS = `7 2 2 1 8 H100
4 5 6
0 4 2880Gbps 25ns 0
1 4 2880Gbps 25ns 0
2 5 2880Gbps 25ns 0
3 5 2880Gbps 25ns 0
3 6 400Gbps 500ns 0
0 6 400Gbps 500ns 0
1 6 400Gbps 500ns 0
2 6 400Gbps 500ns 0
`

test('with a topology GPUs are ports of their servers, and NVLinks the inside', () => {
  const text = `${HEADER} all_gpus: 4\n1\nattention -1 10 ALLREDUCE 64KB 0 NONE 0 0 NONE 0 0\n`.replace('64KB', '65536')
  const imported = run(text, { topology: 'topo' }, { topo: SERVERS })
  expect(imported.scenario).toMatchObject({
    topology: {
      kind: 'graph',
      nodes: 3,
      switches: [2],
      links: ['0 2 400Gbps 500ns', '0 2 400Gbps 500ns', '1 2 400Gbps 500ns', '1 2 400Gbps 500ns'],
    },
    workload: [{ kind: 'graph', ranks: 'port', insideLatency: '50ns', insideRate: '2.88Tbps' }],
  })
  const servers = { hosts: 2, ports: 2, rateBps: 2880e9, latencyPs: 50_000 }
  expect(imported.findings).toContainEqual(expect.objectContaining({ values: expect.objectContaining(servers) }))
  expect(issuesOf(text.replace('all_gpus: 4', 'all_gpus: 8'), { topology: 'topo' }, { topo: SERVERS })).toEqual([
    '1 nodes | whole servers with a GPU for each of 8 ranks | 4 GPUs, 2 a server',
  ])
})

test('without a topology the note says the rate and the delay of the star', () => {
  const { findings } = run(`${HEADER} all_gpus: 4\n1\nmlp -1 10 NONE 0 0 NONE 0 0 NONE 0 0\n`)
  expect(findings).toContainEqual(assumed('star', { hosts: 4, rateBps: 100e9, delayPs: 1e6 }))
})

/** Rows of AICB: those of the step, and two micro-batches of two layers with embedding and head. */
const STAGED = ['grad_param_comm 1 NONE 0 1 NONE 0 1 REDUCESCATTER 4096']
  .concat(
    ...[1, 2].map(() => [
      'embedding_layer 10 ALLREDUCE 512 1 NONE 0 5 NONE 0',
      'attention_column 20 ALLGATHER 1024 30 NONE 0 40 NONE 0',
      'mlp_moelayer 21 ALLTOALL_EP 2048 31 ALLTOALL_EP 2048 41 NONE 0',
      'attention_column 20 ALLGATHER 1024 30 NONE 0 40 NONE 0',
      'mlp_moelayer 21 ALLTOALL_EP 2048 31 ALLTOALL_EP 2048 41 NONE 0',
      'final_column 22 NONE 0 32 NONE 0 42 NONE 0',
    ]),
    'optimizer1 0 ALLREDUCE 4 0 NONE 0 0 NONE 0',
  )
  .map((row) => row.replace(' ', ' -1 ') + ' 100')

/** TP 2, two stages, DP 2, EP 2: 8 GPUs. */
function staged(vpp: number, comm = '65536.0'): Imported {
  const header = `${HEADER} ep: 2 pp: 2 vpp: ${vpp} ga: 2 all_gpus: 8 checkpoints: 0 checkpoint_initiates: 0 pp_comm: ${comm}`
  return run(`${header}\n${STAGED.length}\n${STAGED.join('\n')}\n`)
}

/** Computes, collectives and messages of a rank, in order, without sizes. */
const orderOf = (imported: Imported, rank: number): string[] =>
  rankOf(imported, rank)
    .filter((line) => !line.includes(' requires '))
    .map((line) => line.replace(/:? .*/, ''))
    .filter((label) => /_(?:in|out|fwd|ig)$/.test(label) && !label.startsWith('l1_') && !label.includes('optimizer'))

test('a pipeline is stages in the schedule 1F1B, with messages between the same places', () => {
  const imported = staged(1)
  expect(imported.findings).toContainEqual(
    assumed('simai-pipeline', { stages: 2, chunks: 1, microbatches: 2, sizeBytes: 65_536, vpp: 1 }),
  )
  const forward = (from: number): string[] =>
    [0, 1, 2, 3].map((i) => `l${from + i}_${i % 2 === 0 ? 'attention_column' : 'mlp_moelayer'}_fwd`)
  const back = (from: number): string[] =>
    forward(from)
      .toReversed()
      .map((label) => label.replace('_fwd', '_ig'))
  // The first stage has the embedding, and goes one micro-batch ahead.
  expect(orderOf(imported, 1)).toEqual([
    'l2_embedding_layer_fwd',
    ...forward(3),
    'm1_c1_activation_out',
    'l8_embedding_layer_fwd',
    ...forward(9),
    'm2_c1_activation_out',
    'm1_c1_gradient_in',
    ...back(3),
    'l2_embedding_layer_ig',
    'm2_c1_gradient_in',
    ...back(9),
    'l8_embedding_layer_ig',
  ])
  // The last one has the head.
  expect(orderOf(imported, 5)).toEqual([
    'm1_c1_activation_in',
    ...forward(3),
    'l7_final_column_fwd',
    'l7_final_column_ig',
    ...back(3),
    'm1_c1_gradient_out',
    'm2_c1_activation_in',
    ...forward(9),
    'l13_final_column_fwd',
    'l13_final_column_ig',
    ...back(9),
    'm2_c1_gradient_out',
  ])
  const lines = [rankOf(imported, 1), rankOf(imported, 5)]
  expect(lines[0]).toEqual(
    expect.arrayContaining(['m1_c1_activation_out: send 65536b to 5', 'm1_c1_gradient_in: recv 65536b from 5 tag 1']),
  )
  expect(lines[0]).toContain('m1_c1_activation_out requires l6_mlp_moelayer_fwd_alltoall_ep')
  expect(lines[1]).toContain('l3_attention_column_fwd requires m1_c1_activation_in')
  // Nothing waits for a send, and receives wait for nothing.
  expect(lines.flat().filter((line) => /requires \S+_out$|_in requires/.test(line))).toEqual([])
  // Groups are inside a stage.
  expect(lines[1]).toContain('l1_grad_param_comm_wg_reducescatter: reduce-scatter 4096b group dp3')
  expect(goalOf(imported)).toContain('group dp3 5 7')
})

test.each([
  { vpp: 1, chunks: 1 },
  { vpp: 2, chunks: 2 },
  // Four rows do not divide into three.
  { vpp: 3, chunks: 1 },
])('messages and bytes of a pipeline are those of its file, with vpp $vpp', ({ vpp, chunks }) => {
  const [tp, dp, stages, microbatches] = [2, 2, 2, 2]
  // Between chunks of all stages, up and down, for each micro-batch and place in a stage.
  const sends = 2 * microbatches * (stages * chunks - 1) * tp * dp
  // By micro-batch: two all-gathers of TP in both stages, four all-to-alls of EP; one all-reduce of the embedding.
  const rings = microbatches * (2 * stages * dp * tp * (tp - 1) + dp * tp * 2 * (tp - 1))
  const exchanges = microbatches * 4 * stages * tp * dp * (2 - 1)
  // The step: a reduce-scatter of DP, and an all-reduce of four bytes of TP.
  const ends = stages * tp * dp * (dp - 1) + stages * dp * tp * 2 * (tp - 1)
  const bytes =
    sends * 65_536 +
    microbatches * (2 * stages * dp * 1024 + dp * 2 * 512) +
    microbatches * 4 * stages * tp * 2048 +
    stages * (tp * 4096 + dp * 2 * 4)
  const { findings } = staged(vpp)
  expect(findings).toContainEqual(found('graph', { ranks: 8, messages: sends + rings + exchanges + ends, bytes }))
  expect(findings).toContainEqual(assumed('simai-pipeline', { chunks, vpp }))
})
