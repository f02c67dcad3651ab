/**
 * Drawn jobs: a job alone on a switch without limits takes its idle time, whatever its algorithm, channels and slices, and the
 * idle run, over links alone, takes that of the packet engine. Two more hosts exchange one message, so that the run is not its
 * own idle run.
 * ROCELAB_SEED is the first seed, ROCELAB_BUDGET multiplies the number of jobs.
 */
import { expect, test } from 'vitest'
import { createRandomStreams } from '../../core/base/random.ts'
import { collectivesOf, jobsOf, numbersOf, type Result, tableOfKind } from '../../core/results/index.ts'
import { parseScenario } from '../scenario/index.ts'
import { run } from '../index.ts'

const BUDGET = Math.max(0.01, Number(process.env['ROCELAB_BUDGET'] ?? 1))
const FIRST = Number(process.env['ROCELAB_SEED'] ?? 1)
const CASES = Math.round(40 * BUDGET)

const BUFFER = 'switch.buffer={kind: shared-buffer, size: 4GiB, alpha: 128, egressAlpha: 128}'
const OPERATIONS = [
  'all-reduce ring',
  'all-reduce halving-doubling',
  'all-reduce double-binary-tree',
  'all-reduce hierarchical',
  'all-gather ring',
  'all-gather shift',
  'reduce-scatter ring',
  'all-to-all full',
  'all-to-all shift',
  'all-to-all pairwise',
  'broadcast chain',
  'broadcast binomial',
  'reduce binomial',
  'reduce chain',
  'gather direct',
  'scatter direct',
  'barrier dissemination',
] as const

interface DrawnJob {
  readonly name: string
  readonly hosts: number
  readonly size: string
  readonly channels: number
  readonly slices: number
  readonly iterations: number
  readonly acks: number
}

function alone(
  { name, hosts, size, channels, slices, iterations, acks }: DrawnJob,
  more: readonly string[] = [],
): Result {
  const [operation, algorithm] = name.split(' ') as [string, string]
  const nodes = algorithm === 'hierarchical' ? ', nodeSize: 2' : ''
  const what = `operation: ${operation}, algorithm: ${algorithm}, size: ${size}, channels: ${channels}, slices: ${slices}${nodes}`
  const job = `{kind: collective, ${what}, iterations: ${iterations}, group: ["0-${hosts - 1}"]}`
  const other = `{kind: trace, flows: ["${hosts} ${hosts + 1} 1KB 0us"]}`
  const topology = `topology={kind: star, hosts: ${hosts + 2}, linkRate: 400Gbps, linkDelay: 500ns}`
  const sets = [topology, 'frames.payload=4096B', `qp.ackInterval=${acks}`, BUFFER, 'measure.flows=operations', ...more]
  return run(parseScenario(`workload: [${job}, ${other}]`, { sets }))
}

function drawn(seed: number): DrawnJob {
  const random = createRandomStreams(seed).stream('job')
  const pick = <T>(all: readonly T[]): T => all[random.below(all.length)]!
  return {
    name: pick(OPERATIONS),
    hosts: pick([4, 8, 16]),
    size: pick(['64KiB', '512KiB', '1MiB', '4MiB']),
    channels: pick([1, 2, 3, 4, 8]),
    slices: pick([1, 1, 2, 8]),
    iterations: pick([1, 1, 2]),
    acks: pick([0, 1, 4]),
  }
}

/** Step time and mean time of a job over its idle ones, where these are not as they should be. */
function oddRatios(job: DrawnJob): string[] {
  const result = alone(job)
  const [{ stepPs, idealStepPs, isBound }] = jobsOf(result) as [ReturnType<typeof jobsOf>[0]]
  const [{ meanPs, idealMeanPs }] = collectivesOf(result) as [ReturnType<typeof collectivesOf>[0]]
  return [stepPs / idealStepPs, meanPs / idealMeanPs, isBound ? NaN : 1]
    .filter((ratio) => !(ratio >= 1 && ratio <= 1.01))
    .map((ratio) => `${ratio} of ${JSON.stringify(job)}`)
    .concat(isFar(result) ? [`idle run of ${JSON.stringify(job)}`] : [])
}

/** The idle run takes longer than the run by more than a fiftieth, which the idle time, the shorter of the two, does not show. */
function isFar(result: Result): boolean {
  const [alonePs, idealPs] = (['alonePs', 'idealPs'] as const).map(
    (name) => numbersOf(tableOfKind(result, 'jobs')!, name)[0]!,
  )
  return !(alonePs! <= 1.02 * idealPs!)
}

test(
  `${CASES} drawn jobs`,
  () => {
    const seeds = Array.from({ length: CASES }, (_, i) => FIRST + i)
    expect(seeds.flatMap((seed) => oddRatios(drawn(seed)))).toEqual([])
  },
  60_000 * Math.max(1, BUDGET),
)

const ONE = { slices: 1, iterations: 1, acks: 1 }

test.each([
  { ...ONE, name: 'all-reduce double-binary-tree', hosts: 16, size: '8MiB', channels: 8 },
  { ...ONE, name: 'all-reduce double-binary-tree', hosts: 8, size: '512KiB', channels: 3, acks: 0 },
  { ...ONE, name: 'all-gather shift', hosts: 16, size: '1MiB', channels: 8 },
  { ...ONE, name: 'all-to-all pairwise', hosts: 16, size: '1MiB', channels: 8 },
  { ...ONE, name: 'reduce chain', hosts: 8, size: '512KiB', channels: 8 },
  { ...ONE, name: 'broadcast chain', hosts: 8, size: '1MiB', channels: 1, slices: 8 },
])('$name of $hosts hosts with $channels channels and $slices slices', (job) => {
  expect(oddRatios(job)).toEqual([])
})

test('a job of many packets has its idle time, too', () => {
  const ring = { ...ONE, name: 'all-reduce ring', hosts: 8, size: '80MiB', channels: 4 }
  expect(oddRatios(ring)).toEqual([])
})

const TWO_CHANNELS = { ...ONE, name: 'all-reduce ring', hosts: 8, size: '2MiB', channels: 2 }

test.each([
  ['recovery={kind: irn, bdpFlowControl: false}'],
  ['recovery={kind: irn, cap: 64}', 'qp.window=256KiB'],
  ['qp.window=256KiB'],
])('%s holds nothing back: two messages of 128 KiB fit in it', (...sets) => {
  const result = alone(TWO_CHANNELS, sets)
  const [job] = jobsOf(result)
  expect([job!.isBound, isFar(result)]).toEqual([false, false])
  expect(job!.stepPs / job!.idealStepPs).toBeLessThan(1.01)
})

test.each(['recovery={kind: irn, cap: 63}', 'qp.window=252KiB'])('%s may hold the second of them', (set) => {
  expect(jobsOf(alone(TWO_CHANNELS, [set]))[0]!.isBound).toBe(true)
})

test.each(['qp.window=64KB', 'qp.ackCoalescing=4', 'switch.forwarding=cut-through', 'recovery=irn', 'recovery=tcp'])(
  '%s is none of the idle links: the idle time is a lower bound, and says so',
  (set) => {
    const result = alone({ ...ONE, name: 'all-reduce ring', hosts: 4, size: '1MiB', channels: 2 }, [set])
    const [job] = jobsOf(result)
    expect(job!.isBound).toBe(true)
    expect(job!.stepPs / job!.idealStepPs).toBeGreaterThanOrEqual(1)
    expect(job!.stepPs / job!.idealStepPs).toBeLessThan(1.5)
    // Its rounds are not known.
    expect(collectivesOf(result)[0]!.idealMeanPs).toBeNaN()
  },
)
