/**
 * Package root: the folder of the installed package or of the checkout.
 */
import path from 'node:path'
import { fileURLToPath } from 'node:url'

/** Two levels above this file, in src/cli and in dist/cli. */
export const packageRoot: string = path.resolve(path.dirname(fileURLToPath(import.meta.url)), '..', '..')
