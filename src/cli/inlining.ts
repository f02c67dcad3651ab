/**
 * Inlining: V8's limits on inlining when it compiles the event loop, and when it does so.
 */
import { setFlagsFromString } from 'node:v8'

/**
 * Raises V8's inlining limits. The defaults suit web pages, whose code runs briefly; a simulation runs one loop for
 * minutes (figures in docs/performance.md). Call it before the first run; it applies to all threads of the process.
 */
export function widenInlining(): void {
  setFlagsFromString('--max-inlined-bytecode-size-cumulative=4000')
  setFlagsFromString('--max-inlined-bytecode-size=2000')
  // Node 20 compiles four times later than by default: what was compiled by the first few thousand packets was thrown away and
  // compiled again, many times. Later versions count calls in place of bytes; four times as many gain nothing there.
  if (process.versions.v8.startsWith('11.')) setFlagsFromString('--interrupt-budget=300000')
}
