/**
 * Package root: the folder that this program was installed or checked out into.
 */
import path from 'node:path'
import { fileURLToPath } from 'node:url'

/** Both src/cli and dist/cli lie two below it. */
export const packageRoot: string = path.resolve(path.dirname(fileURLToPath(import.meta.url)), '..', '..')
