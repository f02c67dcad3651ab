#!/usr/bin/env node
/**
 * The command `rocelab`: loads the program, from V8's compile cache where Node keeps one (22.1 and later). Most of a short
 * command's time goes into reading the program; with the cache it starts in two thirds of the time.
 */
import module from 'node:module'
import { homedir } from 'node:os'
import path from 'node:path'

/** Not declared for the oldest Node that is supported. */
const { enableCompileCache } = module as { readonly enableCompileCache?: (folder: string) => unknown }

/** The user's own: in a common folder for temporary files, others could plant code. */
function cacheFolder(): string {
  const { XDG_CACHE_HOME, LOCALAPPDATA } = process.env
  const folder = [XDG_CACHE_HOME, LOCALAPPDATA].find((one) => one !== undefined && path.isAbsolute(one))
  return path.join(folder ?? path.join(homedir(), '.cache'), 'rocelab', 'compiled')
}

try {
  // Node goes on without a cache where the folder cannot be written, and where NODE_DISABLE_COMPILE_CACHE is set.
  enableCompileCache?.(cacheFolder())
} catch {
  // A user without a home folder has no cache.
}
/** The program with all its assertions (src/core/base/assert.ts), which takes a third longer. */
const checked = new URL('../../dist-checked/cli/program.js', import.meta.url)
if (process.argv.includes('--check')) await import(checked.href)
else await import('./program.ts')
