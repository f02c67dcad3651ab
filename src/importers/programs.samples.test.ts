/**
 * Programs of other tools that the project does not ship: counts, bytes and chains against those of an independent reader.
 * They are read from a folder beside the checkout, or from the one that ROCELAB_SHARED names. Without it these tests are
 * skipped, with a warning.
 */
import { existsSync, readFileSync } from 'node:fs'
import path from 'node:path'
import { describe, expect, test } from 'vitest'
import type { Issue } from '../core/base/issue.ts'
import { run } from '../lab/index.ts'
import { scenarioOf } from '../lab/scenario/index.ts'
import { censusOf, readGoal } from '../core/workload/graph/index.ts'
import { readGoalBinary } from './goal/binary.ts'
import { importers } from './index.ts'
import type { Branch, Imported } from './importer.ts'
import { ImportLog } from './text-input.ts'

const SHARED = process.env['ROCELAB_SHARED'] ?? path.resolve(import.meta.dirname, '../../../shared')
const SAMPLES = path.join(SHARED, 'data/collectives')
const missing = !existsSync(SAMPLES)
if (missing) console.warn(`samples of programs: skipped, missing ${SAMPLES}`)

type Expected = Readonly<Record<string, unknown>> & { readonly file: string }

const expectedOf = (folder: string): Expected[] =>
  missing
    ? []
    : readFileSync(path.join(SAMPLES, 'expected.jsonl'), 'utf8')
        .trim()
        .split('\n')
        // Cast: the file has a map in each line.
        .map((line) => JSON.parse(line) as Expected)
        .filter(({ file }) => file.startsWith(folder))

function imported(name: string, file: string, options: Record<string, string> = {}): Imported {
  return importers
    .find((each) => each.name === name)!
    .import({
      path: path.join(SAMPLES, file),
      options,
      readFile: (each) => (existsSync(each) ? readFileSync(each, 'utf8') : undefined),
      readBytes: (each) => (existsSync(each) ? readFileSync(each) : undefined),
    })
}

describe.skipIf(missing)('programs in GOAL', () => {
  test.each(expectedOf('goal/').map((each) => [each.file, each] as const))('%s has its counts', (file, expected) => {
    const bytes = readFileSync(path.join(SAMPLES, file))
    const issues: Issue[] = []
    const table = file.endsWith('.bin')
      ? readGoalBinary(file, bytes, new ImportLog())!
      : readGoal(bytes.toString('utf8').split('\n'), 'goal', issues)
    expect(issues).toEqual([])
    const { ranks, operations, sends, receives, computes, after, with: withs, bytes: sent, ...rest } = censusOf(table)
    const { tags, computePs, wildcards, longestChain, roots } = rest
    const found = {
      ranks,
      ops: operations,
      send: sends,
      recv: receives,
      calc: computes,
      finish_deps: after,
      start_deps: withs,
      send_bytes: sent,
      tags,
      calc_ns: computePs / 1000,
      wildcards,
      longest_chain_in_messages: longestChain,
      roots,
    }
    expect({ send: 0, recv: 0, calc: 0, ...expected }).toMatchObject(found)
    expect(imported('goal', file).findings.find(({ id }) => id === 'import-graph')?.values).toMatchObject({
      bytes: sent,
      longestChain,
    })
  })

  test.each(['own-two', 'own-v1-nic', 'own-v2-gpu'])('%s gives the same run as text and as binary', (name) => {
    const digest = (file: string): string => run(scenarioOf(imported('goal', file).scenario)).digest
    expect(digest(`goal/${name}.bin`)).toBe(digest(`goal/${name}.goal`))
  })
})

describe.skipIf(missing)('connection matrices with triggers', () => {
  test.each(expectedOf('htsim/').map((each) => [each.file, each] as const))('%s has its chains', (file, expected) => {
    const { scenario, findings } = imported('htsim', file)
    const { messages, bytes, longestChain, roots } = findings.find(({ id }) => id === 'import-graph')!.values
    expect(expected).toMatchObject({ connections: messages, total_bytes: bytes, longest_chain: longestChain, roots })
    const [{ flows }] = scenario['workload'] as unknown as [Branch & { flows: string[] }]
    expect(flows.filter((line) => !/ (?:acked|after)=/.test(line))).toHaveLength(Number(roots))
  })
})
