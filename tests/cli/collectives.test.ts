/** A collective from the command line to its report: a stored result is read again, and says the same. */
import { existsSync, readFileSync } from 'node:fs'
import path from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { numbersOf, textsOf } from '../../src/core/results/index.ts'
import { readSeries } from '../../src/core/results/stored/table.ts'
import { createFolder, rocelab } from './program.ts'

const RING = `name: ring
topology: {kind: leaf-spine, leaves: 2, spines: 1, hostsPerLeaf: 2, hostRate: 100Gbps, fabricRate: 100Gbps}
workload: [{kind: collective, size: 400KB, iterations: 2, stepTime: 2us, group: ["0", "2", "1", "3"]}]
`
const STUCK = `name: stuck
topology: {kind: star, hosts: 2}
workload:
  - kind: graph
    goal: ["num_ranks 2", "rank 0 {", "a: recv 8b from 1", "b: send 8b to 1", "b requires a", "}", "rank 1 {", "c: recv 8b from 0", "d: send 8b to 0", "d requires c", "}"]
`
const WRONG = `name: wrong
topology: {kind: star, hosts: 6}
workload:
  - {kind: collective, algorithm: pairwise, operation: all-reduce, size: 10B, group: ["0-3", "2", "9"]}
`

let at: ReturnType<typeof createFolder>
beforeAll(() => void (at = createFolder({ 'ring.yaml': RING, 'stuck.yaml': STUCK, 'wrong.yaml': WRONG })))
afterAll(() => at.clear())

test('a run, its explanation and its report', async () => {
  const run = rocelab(at.folder, 'run', 'ring.yaml', '--out', 'ring', '--report', '--autopsy')
  expect([run.code, run.stderr]).toEqual([0, expect.any(String)])
  const [row] = run.stdout.split('\n').filter((line) => /^ +400000 /.test(line))
  expect(row?.trim().split(/\s+/).slice(0, 5)).toEqual(['400000', '100000', 'float', 'sum', '-1'])
  expect(rocelab(at.folder, 'explain', 'ring').code).toBe(0)
  expect(rocelab(at.folder, 'report', 'ring', '--out', 'again.html').code).toBe(0)
  expect(existsSync(path.join(at.folder, 'again.html'))).toBe(true)
  const bytes = (name: string): Uint8Array => readFileSync(path.join(at.folder, 'ring', 'series', `${name}.parquet`))
  const rounds = await readSeries(bytes('collectives'), 'collectives', 'collectives', 'collectives')
  expect([...Float64Array.from(numbersOf(rounds, 'iteration'))]).toEqual([0, 1])
  const pieces = await readSeries(bytes('critical-path'), 'critical-path', 'critical-path', 'critical-path')
  expect(new Set(textsOf(pieces, 'piece'))).toEqual(new Set(['message', 'step', 'acknowledgement']))
})

test('operations that wait for each other over the network are named, and the run ends', () => {
  const { code, stdout } = rocelab(at.folder, 'run', 'stuck.yaml', '--out', 'stuck')
  expect(code).toBe(0)
  expect(stdout.split('\n').filter((line) => /send [bd] +receive [ac]/.test(line))).toHaveLength(2)
})

test('all mistakes of a collective at once', () => {
  const { code, stderr } = rocelab(at.folder, 'run', 'wrong.yaml')
  expect(code).toBe(2)
  for (const name of ['group.1', 'group.2', 'algorithm', 'size']) expect(stderr).toContain(`workload.0.${name}`)
})
