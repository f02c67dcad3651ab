/**
 * Cache run: one case of the program in a folder, stopped at two numbers of packet-hops, for a tool that counts between them.
 * `cache-run.js FOLDER CASE FROM TO`: a call of umask marks each of the two. Prints one JSON object: packet-hops at both, and
 * bytes allocated in between, which is a number only where the young generation is large enough to hold them.
 */
import path from 'node:path'
import { pathToFileURL } from 'node:url'
import type * as Inlining from '../src/cli/inlining.ts'
import type * as Lab from '../src/lab/index.ts'
import type * as Cases from './cases.ts'

const SLICE_EVENTS = 8192
const [folder, name, ...marks] = process.argv.slice(2)

/** A module of the program that is measured, which may be of another commit. */
async function load<T>(file: string): Promise<T> {
  return (await import(pathToFileURL(path.join(folder!, 'dist-bench', file)).href)) as T
}

const { cases } = await load<typeof Cases>('bench/cases.js')
const { createSimulation } = await load<typeof Lab>('src/lab/index.js')
const { widenInlining } = await load<typeof Inlining>('src/cli/inlining.js')
widenInlining()
const simulation = createSimulation(cases.find((one) => one.name === name)!.scenario())
const hops: number[] = []
const heap: number[] = []
for (const mark of marks.map(Number)) {
  while (simulation.progress().packetHops < mark)
    if (!simulation.advance(SLICE_EVENTS)) throw new Error(`${name} ends before ${mark} packet-hops`)
  hops.push(simulation.progress().packetHops)
  if (heap.length === 0) globalThis.gc?.()
  heap.push(process.memoryUsage().heapUsed)
  process.umask()
}
process.stdout.write(`${JSON.stringify({ hops, allocatedBytes: heap[1]! - heap[0]! })}\n`)
