import { expect, test } from 'vitest'
import { InputError } from '../../base/issue.ts'
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
  const split = { gpus: 32, tp: 4, ep: 4 }
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
  expect(imported.findings).toContainEqual(assumed('step-time', { protocol: 'simple', stepTimePs: 11e6 }))
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
  ['a pipeline', `${HEADER} pp: 12 all_gpus: 96\n1\n${ROW}`, /^1 pp.*\| 12/],
  ['no number of GPUs', `${HEADER}\n1\n${ROW}`, /^1 all_gpus.*none/],
  ['GPUs that the tensor groups do not divide', `${HEADER} all_gpus: 5\n1\n${ROW}`, /^1 all_gpus.*multiple of the 2/],
  ['experts that do not divide', `${HEADER} ep: 3 all_gpus: 8\n1\n${ROW}`, /^1 ep.*\| 3/],
  ['a million GPUs', `MICRO all_gpus: 1000000\n1\n${ROW}`, /^1 all_gpus/],
  ['more operations than memory', `MICRO all_gpus: 65536\n40\n${`${ROW}\n`.repeat(40)}`, /at most 4000000 operations/],
  ['checkpoints that end', `${HEADER} checkpoints: 3 1\n`, /checkpoints/],
  ['0 passes', `MICRO\n1\n${ROW}`, /^- passes/, { gpus: '2', passes: '0' }],
  ['GPUs that are no number', `MICRO\n1\n${ROW}`, /^- gpus|all_gpus/, { gpus: 'x' }],
  ['a tuner file with two mistakes in a row', `MICRO\n1\n${ROW}`, /^1 algorithm.*"nvls"/, { gpus: '2', tuner: 't' }],
])('%s: a clear message first', (_, text, expected, options = {}) => {
  const issues = issuesOf(text, options, { t: 'allreduce,0,1,nvls,simple,1,-1,-1' })
  expect(issues).toHaveLength(1)
  expect(issues[0]).toMatch(expected)
})
