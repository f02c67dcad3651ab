/** Where the tests' guests are kept. */
import path from 'node:path'

export const CACHE: string = path.resolve(import.meta.dirname, '../../node_modules/.cache/rocelab-guests')
