/**
 * Cache: what a packet-hop costs a processor, counted by callgrind in a model of its caches, so that it holds on a busy machine
 * too: `npm run bench -- cache [CASE ...] [--against REF]`. Counted is a span after a warm-up, on one thread. The warm-up is
 * not counted, which is ten times as quick. V8's compilation within the span is left out. Flags and environment are such that
 * V8 puts the same code at the same addresses at each run.
 */
import { execFile, spawnSync } from 'node:child_process'
import { mkdirSync, readFileSync, rmSync } from 'node:fs'
import path from 'node:path'
import { fileURLToPath } from 'node:url'
import { textTable } from '../src/show/index.ts'
import { Profile } from './callgrind.ts'

/** Sizes, ways and lines of the caches of the processor on which the project's figures are measured. */
const CACHES = ['--I1=32768,8,64', '--D1=49152,12,64', '--LL=1048576,16,64']
/**
 * The same size, and each line may be anywhere: misses do not depend on where V8 puts a function, which changes with any other
 * function.
 */
export const ASSOCIATIVE = ['--I1=32768,512,64', ...CACHES.slice(1)]
/** Packet-hops that fill the model's caches before the span, and of the span. */
const LEAD_HOPS = 10_000
const SPAN_HOPS = 200_000
/** The young generation holds what the span allocates. */
const YOUNG_MB = 128
/** A line of code that is walked through so often a packet-hop is hot. */
const HOT_SHARE = 0.03
/** Collections and compilations at the same events each time, on one thread, with the same hashes. */
const REPEATABLE = ['--predictable', '--single-threaded', '--random-seed=1', '--hash-seed=1']
/** Functions of V8 that JavaScript calls to have a function compiled. */
const COMPILATION = 'v8::internal::Runtime_Compile*'

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

/** Packet-hops. */
export interface Span {
  readonly warmUpHops: number
  readonly hops: number
}

interface Counted {
  readonly hops: readonly [number, number]
  readonly allocatedBytes: number
}

/** The program, or the machine, is such that a case cannot be counted. */
export class Uncountable extends Error {
  readonly isMachine: boolean

  constructor(message: string, isMachine: boolean) {
    super(message)
    this.isMachine = isMachine
  }
}

/** Why nothing can be counted on this machine; undefined: it can. */
export function valgrindLacks(): string | undefined {
  if (spawnSync('valgrind', ['--version']).status !== 0) return 'valgrind is not installed'
  return spawnSync('setarch', ['--version']).status === 0 ? undefined : 'setarch is not installed'
}

/** Runs cache-run.ts to its end. @param before the command in front of its own arguments */
async function run(
  before: readonly string[],
  { folder, name, span, lead }: { folder: string; name: string; span: Span; lead: readonly number[] },
): Promise<Counted & { readonly pid: number }> {
  const program = fileURLToPath(new URL('./cache-run.js', import.meta.url))
  const [command, ...args] = [...before, program, folder, name]
  const marks = [span.warmUpHops, span.warmUpHops + span.hops, ...lead].map(String)
  const options = { cwd: scratchOf(folder, name), env: { PATH: process.env.PATH } }
  return new Promise((resolve, reject) => {
    const child = execFile(command!, [...args, ...marks], options, (error, stdout, stderr) => {
      if (error === null) resolve({ ...(JSON.parse(stdout) as Counted), pid: child.pid! })
      else if (error.code === 3 || error.code === 4) reject(new Uncountable(stderr, error.code === 4))
      else reject(new Error(`${name} cannot be counted: ${stderr}`, { cause: error }))
    })
  })
}

const scratchOf = (folder: string, name: string): string => path.join(folder, '.tmp', 'cache', name)

/** @param folder root of a program whose benchmarks are built */
export async function countCase(
  folder: string,
  name: string,
  span: Span,
  caches: readonly string[] = CACHES,
): Promise<{ readonly profile: Profile; readonly hops: number }> {
  const scratch = scratchOf(folder, name)
  rmSync(scratch, { recursive: true, force: true })
  mkdirSync(scratch, { recursive: true })
  const callgrind = [
    'setarch',
    '--addr-no-randomize',
    'valgrind',
    '--tool=callgrind',
    '--instr-atstart=no',
    '--dump-instr=yes',
    '--cache-sim=yes',
    ...caches,
    // Off at the entry of compilation, on at its end. The first option by itself would begin with off.
    `--toggle-collect=${COMPILATION}`,
    '--collect-atstart=yes',
    '--dump-before=umask',
    '--callgrind-out-file=counts',
    '--log-file=log',
    '--smc-check=all-non-file',
    process.execPath,
    ...REPEATABLE,
    '--perf-basic-prof',
  ]
  const { hops, pid } = await run(callgrind, { folder, name, span, lead: [LEAD_HOPS] })
  // process.umask() calls the system's twice, so that the span is the third of the counts.
  const map = `/tmp/perf-${pid}.map`
  const counted = hops[1] - hops[0]
  const profile = new Profile(
    readFileSync(path.join(scratch, 'counts.3'), 'latin1'),
    readFileSync(map, 'latin1'),
    counted * HOT_SHARE,
  )
  rmSync(map)
  return { profile, hops: counted }
}

/** @param warmUpHops packet-hops before the span */
export async function cacheCost(folder: string, name: string, warmUpHops: number): Promise<CacheCost> {
  const span = { warmUpHops, hops: SPAN_HOPS }
  const { profile, hops } = await countCase(folder, name, span)
  const young = [`--min-semi-space-size=${YOUNG_MB}`, `--max-semi-space-size=${YOUNG_MB}`]
  const natively = [process.execPath, '--expose-gc', '--single-threaded', ...young]
  const { allocatedBytes } = await run(natively, { folder, name, span, lead: [] })
  const { total } = profile
  return {
    case: name,
    instructions: total.instructions / hops,
    l1iMisses: total.l1iMisses / hops,
    l1dMisses: total.l1dMisses / hops,
    l2Misses: total.l2Misses / hops,
    allocatedBytes: allocatedBytes / hops,
    hotCodeBytes: total.hotLines * LINE_BYTES,
    functions: profile.functions().map(({ name: of, instructions, l1iMisses, hotLines }) => ({
      name: of,
      instructions: instructions / hops,
      l1iMisses: l1iMisses / hops,
      hotCodeBytes: hotLines * LINE_BYTES,
    })),
  }
}

const LINE_BYTES = 64
/** Functions that are printed. */
const FUNCTIONS_MOST = 30

/** A table of one case in one or two programs, and one of the functions of the last. */
export function cacheTables(name: string, costs: readonly (CacheCost & { readonly title: string })[]): string {
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
      [{ head: `${name}, a packet-hop` }, ...costs.map(({ title }) => right(title))],
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
