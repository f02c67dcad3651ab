/**
 * Bench cases: what is timed. Everything is on in each: PFC, ECN, ECMP, DCQCN, completion records, digest.
 */
import { existsSync, readFileSync } from 'node:fs'
import path from 'node:path'
import { fileURLToPath } from 'node:url'
import { hpcc } from '../src/importers/hpcc.ts'
import { parseScenario, type Scenario } from '../src/scenario/index.ts'

/** bench/data, seen from bench/ as written and from dist-bench/bench/ as built. */
const DATA = ['./data', '../../bench/data']
  .map((folder) => fileURLToPath(new URL(folder, import.meta.url)))
  .find((folder) => existsSync(folder))!

export interface BenchCase {
  readonly name: string
  readonly title: string
  /** Bar: million packet-hops per CPU second; and, as well, this share of the bare loop of `bareArity`. */
  readonly barMillion: number
  readonly bareArity: number
  /** Peak resident memory it must stay under, MB. */
  readonly memoryMb: number | null
  readonly warmUpHops: number
  readonly hops: number
  scenario(): Scenario
}

function imported(folder: string): Scenario {
  const { scenario } = hpcc.import({
    path: path.join(DATA, folder, 'config.txt'),
    readFile: (file) => (existsSync(file) ? readFileSync(file, 'utf8') : undefined),
    options: {},
  })
  return parseScenario(JSON.stringify(scenario))
}

const LARGE = `
name: k16
topology: {kind: fat-tree, arity: 16, linkRate: 40Gbps, linkDelay: 2us}
switch: {buffer: {kind: shared-buffer, size: 4MB, alpha: 0.125}}
congestion: dcqcn
workload: [{kind: poisson, load: 0.7, sizes: {kind: websearch}}]
measure: {generate: 10ms, stop: 10ms, end: stop}
`

export const cases: readonly BenchCase[] = [
  {
    name: 's1',
    title: 'fat tree k=6, 54 hosts, 40G, WebSearch 70 %, imported, 15 ms',
    barMillion: 5,
    bareArity: 6,
    memoryMb: 250,
    warmUpHops: 2e6,
    hops: Infinity,
    scenario: () => imported('s1'),
  },
  {
    name: 's2',
    title: '30:1 on one switch, 100G, imported',
    barMillion: 6.5,
    bareArity: 6,
    memoryMb: null,
    warmUpHops: 2e6,
    hops: 16e6,
    scenario: () => imported('s2'),
  },
  {
    name: 'k16',
    title: 'fat tree k=16, 1024 hosts, 40G, WebSearch 70 %, 4 MB shared buffers',
    barMillion: 2.5,
    bareArity: 16,
    memoryMb: 600,
    warmUpHops: 4e6,
    hops: 30e6,
    scenario: () => parseScenario(LARGE),
  },
]
