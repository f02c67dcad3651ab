/**
 * Inlining: how much V8 puts together when it compiles the event loop.
 */
import { setFlagsFromString } from 'node:v8'

/**
 * Lets V8 inline more than it does by itself: its limits suit pages that are compiled once and seldom run, and a
 * simulation runs one loop for minutes (docs/performance.md has the figures). To be called before the first run; it holds
 * for all threads of the process.
 */
export function widenInlining(): void {
  setFlagsFromString('--max-inlined-bytecode-size-cumulative=4000')
  setFlagsFromString('--max-inlined-bytecode-size=2000')
}
