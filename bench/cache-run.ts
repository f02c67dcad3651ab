/**
 * Cache run: one case of the program in a folder, stopped at two numbers of packet-hops, for a tool that counts between them.
 * `cache-run.js FOLDER CASE FROM TO [LEAD]`: a call of umask marks each of the two. With LEAD it has valgrind count from LEAD
 * packet-hops before the first on, so that the model's caches are full at it; before that nothing is counted, which is quick.
 * Prints one JSON object: packet-hops at both, and bytes allocated in between, which is a number only where the young
 * generation is large enough to hold them. Exit code 3: the program has not what it takes; 4: valgrind does not hear.
 */
import { spawnSync } from 'node:child_process'
import { existsSync } from 'node:fs'
import path from 'node:path'
import { pathToFileURL } from 'node:url'
import type * as Inlining from '../src/cli/inlining.ts'
import type * as Lab from '../src/lab/index.ts'
import type * as Cases from './cases.ts'

const SLICE_EVENTS = 8192
const VGDB_TIMEOUT_MS = 20_000
const [folder, name, from, to, lead] = process.argv.slice(2)

function stop(code: number, text: string): never {
  process.stderr.write(text)
  process.exit(code)
}

const fileOf = (module: string): string => path.join(folder!, 'dist-bench', module)

/** A module of the program that is measured, which may be of another commit. */
async function load<T>(module: string): Promise<T> {
  if (!existsSync(fileOf(module))) stop(3, `the program has no ${module.replace(/js$/, 'ts')}`)
  return (await import(pathToFileURL(fileOf(module)).href)) as T
}

const { cases } = await load<typeof Cases>('bench/cases.js')
const { createSimulation } = await load<typeof Lab>('src/lab/index.js')
// A program without it leaves V8's limits as they are.
const inlining = 'src/cli/inlining.js'
if (existsSync(fileOf(inlining))) (await load<typeof Inlining>(inlining)).widenInlining()
const bench = cases.find((one) => one.name === name) ?? stop(3, `the program has no case ${name}`)
const simulation = createSimulation(bench.scenario())

function advanceTo(packetHops: number): void {
  while (simulation.progress().packetHops < packetHops)
    if (!simulation.advance(SLICE_EVENTS)) stop(3, `${name} ends before ${packetHops} packet-hops`)
}

if (lead !== undefined) {
  advanceTo(Number(from) - Number(lead))
  const args = [`--pid=${process.pid}`, 'instrumentation', 'on']
  const { status } = spawnSync('vgdb', args, { stdio: 'ignore', timeout: VGDB_TIMEOUT_MS })
  if (status !== 0) stop(4, 'vgdb does not reach valgrind')
}
const hops: number[] = []
const heap: number[] = []
for (const mark of [Number(from), Number(to)]) {
  advanceTo(mark)
  hops.push(simulation.progress().packetHops)
  if (heap.length === 0) globalThis.gc?.()
  heap.push(process.memoryUsage().heapUsed)
  process.umask()
}
process.stdout.write(`${JSON.stringify({ hops, allocatedBytes: heap[1]! - heap[0]! })}\n`)
