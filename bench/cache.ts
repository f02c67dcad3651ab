/**
 * Cache: what a packet-hop costs a processor, counted by callgrind in a model of its caches, so that it is exact on a busy
 * machine too: `npm run bench -- cache [CASE ...] [--against REF]`. Counted is a span after a warm-up, on one thread.
 */
import { spawnSync } from 'node:child_process'
import { mkdirSync, readFileSync, rmSync } from 'node:fs'
import path from 'node:path'
import { fileURLToPath } from 'node:url'
import { textTable } from '../src/report/index.ts'
import { Profile } from './callgrind.ts'

/** Sizes, ways and lines of the caches of the processor on which the project's figures are measured. */
const CACHES = ['--I1=32768,8,64', '--D1=49152,12,64', '--LL=1048576,16,64']
/** Packet-hops before the span, and of it. */
const [WARM_UP_HOPS, SPAN_HOPS] = [1_500_000, 200_000]
/** The young generation holds what the span allocates. */
const YOUNG_MB = 128
/** A line of code that is walked through so often a packet-hop is hot. */
const HOT_SHARE = 0.03

export interface CacheCost {
  readonly case: string
  /** Each per packet-hop. */
  readonly instructions: number
  readonly l1iMisses: number
  readonly l1dMisses: number
  readonly l2Misses: number
  readonly allocatedBytes: number
  /** Machine code in cache lines that are hot. */
  readonly hotCodeBytes: number
  /** From the one with the most instructions on. */
  readonly functions: readonly FunctionCost[]
}

export interface FunctionCost {
  readonly name: string
  readonly instructions: number
  readonly l1iMisses: number
  readonly hotCodeBytes: number
}

interface Counted {
  readonly hops: readonly [number, number]
  readonly allocatedBytes: number
}

export const hasValgrind = (): boolean => spawnSync('valgrind', ['--version']).status === 0

/** @param folder root of a program whose benchmarks are built */
export function cacheCost(folder: string, name: string): CacheCost {
  const scratch = path.join(folder, '.tmp', 'cache', name)
  rmSync(scratch, { recursive: true, force: true })
  mkdirSync(scratch, { recursive: true })
  const program = fileURLToPath(new URL('./cache-run.js', import.meta.url))
  const args = [program, folder, name, String(WARM_UP_HOPS), String(WARM_UP_HOPS + SPAN_HOPS)]
  const run = (command: string, before: readonly string[]): Counted & { readonly pid: number } => {
    const { status, stdout, stderr, pid } = spawnSync(command, [...before, ...args], { cwd: scratch, encoding: 'utf8' })
    if (status !== 0) throw new Error(`${name} cannot be counted: ${stderr}`)
    return { ...(JSON.parse(stdout) as Counted), pid }
  }
  const { hops, allocatedBytes } = run(process.execPath, [
    '--expose-gc',
    '--single-threaded',
    `--min-semi-space-size=${YOUNG_MB}`,
    `--max-semi-space-size=${YOUNG_MB}`,
  ])
  const { pid } = run('valgrind', [
    '--tool=callgrind',
    '--dump-instr=yes',
    '--cache-sim=yes',
    ...CACHES,
    '--dump-before=umask',
    '--callgrind-out-file=counts',
    '--smc-check=all-non-file',
    process.execPath,
    '--single-threaded',
    '--perf-basic-prof',
  ])
  // process.umask() calls the system's twice, so that the span is the third of the counts.
  const map = `/tmp/perf-${pid}.map`
  const span = hops[1] - hops[0]
  const profile = new Profile(
    readFileSync(path.join(scratch, 'counts.3'), 'latin1'),
    readFileSync(map, 'latin1'),
    span * HOT_SHARE,
  )
  rmSync(map)
  const { total } = profile
  return {
    case: name,
    instructions: total.instructions / span,
    l1iMisses: total.l1iMisses / span,
    l1dMisses: total.l1dMisses / span,
    l2Misses: total.l2Misses / span,
    allocatedBytes: allocatedBytes / span,
    hotCodeBytes: total.hotLines * LINE_BYTES,
    functions: profile.functions().map(({ name: of, instructions, l1iMisses, hotLines }) => ({
      name: of,
      instructions: instructions / span,
      l1iMisses: l1iMisses / span,
      hotCodeBytes: hotLines * LINE_BYTES,
    })),
  }
}

const LINE_BYTES = 64
/** Functions that are printed. */
const FUNCTIONS_MOST = 30

/** A table of one case in one or two programs, the one of now last, and one of its functions. */
export function cacheTables(name: string, costs: readonly CacheCost[]): string {
  const last = costs.at(-1)!
  const kilobytes = (bytes: number): string => `${(bytes / 1024).toFixed(1)} KB`
  const rows: [string, (cost: CacheCost) => string][] = [
    ['instructions', ({ instructions }) => instructions.toFixed(0)],
    ['L1I misses', ({ l1iMisses }) => l1iMisses.toFixed(1)],
    ['L1D misses', ({ l1dMisses }) => l1dMisses.toFixed(1)],
    ['L2 misses of data', ({ l2Misses }) => l2Misses.toFixed(2)],
    ['bytes allocated', ({ allocatedBytes }) => allocatedBytes.toFixed(1)],
    ['hot machine code', ({ hotCodeBytes }) => kilobytes(hotCodeBytes)],
  ]
  const right = (head: string) => ({ head, align: 'right' as const })
  return [
    textTable(
      [{ head: `${name}, a packet-hop` }, ...costs.map((_, i) => right(i === costs.length - 1 ? 'here' : 'before'))],
      rows.map(([head, of]) => [head, ...costs.map(of)]),
    ),
    textTable(
      [{ head: 'function' }, right('instructions'), right('L1I misses'), right('hot code')],
      last.functions
        .slice(0, FUNCTIONS_MOST)
        .map((each) => [
          each.name,
          each.instructions.toFixed(1),
          each.l1iMisses.toFixed(2),
          kilobytes(each.hotCodeBytes),
        ]),
    ),
    '',
  ].join('\n')
}
