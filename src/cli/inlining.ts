/**
 * Inlining: V8's limits on inlining when it compiles the event loop.
 */
import { setFlagsFromString } from 'node:v8'

/**
 * Raises V8's inlining limits. The defaults suit web pages, whose code runs briefly; a simulation runs one loop for
 * minutes (figures in docs/performance.md). Call it before the first run; it applies to all threads of the process.
 */
export function widenInlining(): void {
  setFlagsFromString('--max-inlined-bytecode-size-cumulative=4000')
  setFlagsFromString('--max-inlined-bytecode-size=2000')
}
