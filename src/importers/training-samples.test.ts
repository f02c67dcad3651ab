/**
 * Traces and workload files of other projects, which this one does not ship: counts, bytes and chains as an independent reader
 * has found them. They are read from a folder beside the checkout, or from the one that ROCELAB_SHARED names. Without it
 * these tests are skipped, with a warning.
 */
import { existsSync, readFileSync, readdirSync } from 'node:fs'
import path from 'node:path'
import { describe, expect, test } from 'vitest'
import { run as simulate } from '../lab/index.ts'
import { numbersOf } from '../core/results/index.ts'
import { parseScenario } from '../lab/scenario/index.ts'
import { found } from './findings.test-bench.ts'
import { type Imported, importers } from './index.ts'

const SHARED = process.env['ROCELAB_SHARED'] ?? path.resolve(import.meta.dirname, '../../../shared')
const FOLDER = path.join(SHARED, 'data/collectives')
const missing = !existsSync(FOLDER)
if (missing) console.warn(`samples of training files: skipped, missing ${FOLDER}`)

interface Expected {
  readonly file: string
  readonly declared: number
  readonly problem?: string
  readonly collectives: Readonly<Record<string, number>>
  readonly bytes: Readonly<Record<string, number>>
  readonly compute_ns: Readonly<Record<string, number>>
  readonly header: { readonly all_gpus?: number; readonly pp?: number }
  readonly ranks: number
  readonly nodes: number
  readonly data_deps: number
  readonly ctrl_deps: number
  readonly compute_us: number
  readonly longest_chain_messages: number
  readonly sends?: number
  readonly send_bytes?: number
}

const expectedOf = (folder: string): Expected[] =>
  missing
    ? []
    : readFileSync(path.join(FOLDER, 'expected.jsonl'), 'utf8')
        .split('\n')
        .filter((row) => row !== '')
        .map((row) => JSON.parse(row) as Expected)
        .filter(({ file }) => file.startsWith(`${folder}/`))

function run(importer: string, sample: string, options: Record<string, string> = {}): Imported {
  const read = (file: string): Buffer | undefined => (existsSync(file) ? readFileSync(file) : undefined)
  return importers
    .find(({ name }) => name === importer)!
    .import({ path: path.join(FOLDER, sample), options, readFile: (file) => read(file)?.toString(), readBytes: read })
}

function goalOf({ scenario }: Imported): readonly string[] {
  return (scenario['workload'] as readonly { readonly goal: readonly string[] }[])[0]!.goal
}

const count = (lines: readonly string[], form: RegExp): number => lines.filter((line) => form.test(line)).length
const sum = (lines: readonly string[], form: RegExp): number =>
  lines.reduce((total, line) => total + Number(form.exec(line)?.[1] ?? 0), 0)

describe.skipIf(missing)('samples of Chakra', () => {
  test.each(expectedOf('chakra').map((each) => [each.file, each] as const))('%s', (file, expected) => {
    const [first] = readdirSync(path.join(FOLDER, file)).toSorted()
    const imported = run('chakra', `${file}/${first}`, { 'control-deps': 'bind' })
    const goal = goalOf(imported)
    expect(goal[0]).toBe(`num_ranks ${expected.ranks}`)
    expect(count(goal, /^\w+: /)).toBe(expected.nodes)
    expect(count(goal, / requires /)).toBe(expected.data_deps + expected.ctrl_deps)
    expect(sum(goal, /: calc (\d+)$/)).toBe(expected.compute_us * 1000)
    expect([count(goal, /: send /), sum(goal, /: send (\d+)b/)]).toEqual([
      expected.sends ?? 0,
      expected.send_bytes ?? 0,
    ])
    expect(count(goal, / group all$/)).toBe(Object.values(expected.collectives).reduce((a, b) => a + b, 0))
    const sizes = Object.keys(expected.collectives).map((key) => Number(key.split('/')[1]))
    expect(sizes.map((size) => count(goal, new RegExp(` ${size}b group all$`)))).toEqual(
      sizes.map(() => expected.ranks),
    )
    // That of collectives is of their algorithm.
    const chain = sizes.length === 0 ? { longestChain: expected.longest_chain_messages } : {}
    expect(imported.findings).toContainEqual(found('graph', chain))
  })

  test('small_chakra.0.json: seven nodes, whose control dependencies are on absent ones', () => {
    const imported = run('chakra', 'chakra/small_chakra.0.json')
    expect(imported.findings).toContainEqual(found('graph', { ranks: 1, operations: 7, messages: 0, dropped: 7 }))
    expect(sum(goalOf(imported), /: calc (\d+)/)).toBe((318 + 28 + 4 + 85 + 79 + 28 + 153) * 1000)
  })

  test.each([
    ['all_reduce_16npus_1MB/all_reduce', 16, (2 * 15) / 16],
    ['reduce_scatter_8npus_1MB/reduce_scatter', 8, 7 / 8],
    ['all_to_all_4npus_1MB/all_to_all', 4, 3 / 4],
    ['custom_ring_allreduce_8npus_1MB/custom_allreduce', 8, (2 * 7) / 8],
  ])('%s runs whole: every rank sends its share', (name, ranks, share) => {
    const { scenario } = run('chakra', `chakra/${name}`)
    const { flows } = simulate(parseScenario(JSON.stringify(scenario)), { check: true })
    const [sources, sizes] = [numbersOf(flows, 'source'), numbersOf(flows, 'sizeBytes')]
    const sent = Array<number>(ranks).fill(0)
    sources.forEach((rank, row) => (sent[rank]! += sizes[row]!))
    expect(sent).toEqual(Array<number>(ranks).fill(share * 2 ** 20))
  })
})

describe.skipIf(missing)('samples of SimAI', () => {
  const isRefused = ({ problem, header }: Expected): boolean => problem !== undefined || (header.pp ?? 1) > 1
  const cases = expectedOf('simai').map((each) => [each.file, each] as const)
  const optionsOf = ({ header }: Expected) => (header.all_gpus === undefined ? { gpus: '32' } : {})

  test.each(cases.filter(([, each]) => isRefused(each)))('%s is refused, with its numbers', (file, expected) => {
    const { pp = 1 } = expected.header
    // Read as a pipeline, it has more operations than fit into memory.
    const reason = pp > 1 ? /layers: expected at most 4000000 operations/ : /layers: expected 839 rows.*received 33 /
    expect(() => run('simai', file, optionsOf(expected))).toThrow(reason)
  })

  test.each(cases.filter(([, each]) => !isRefused(each)))('%s', (file, expected) => {
    const imported = run('simai', file, optionsOf(expected))
    const goal = goalOf(imported)
    const rank = goal.slice(goal.indexOf('rank 0 {') + 1, goal.indexOf('}'))
    const all = Object.values(expected.collectives).reduce((a, b) => a + b, 0)
    const broadcasts = count(rank, /: broadcast /)
    const noted = imported.findings.flatMap(({ values }) =>
      values['what'] === 'simai-broadcast' ? [values['collectives']] : [],
    )
    expect(noted).toEqual(broadcasts > 0 ? [broadcasts] : [])
    expect(count(rank, / group /) - broadcasts).toBe(all)
    expect(sum(rank, /: (?!broadcast)[a-z-]+ (\d+)b group/)).toBe(
      Object.values(expected.bytes).reduce((a, b) => a + b, 0),
    )
    const phases = Object.keys(expected.compute_ns)
    const times = phases.map((phase) => [phase, sum(rank, new RegExp(`_${phase}: calc (\\d+)$`))])
    expect(Object.fromEntries(times)).toEqual(expected.compute_ns)
  })

  test('workload_ep_test.txt: messages and bytes of one pass', () => {
    const { findings } = run('simai', 'simai/workload_ep_test.txt')
    expect(findings).toContainEqual(found('graph', { ranks: 32, messages: 7424, bytes: 32 * 778_567_680 }))
  })
})
