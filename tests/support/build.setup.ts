/** The program is built before the first test, however the tests were started: most of them use what is in dist/. */
import { spawnSync } from 'node:child_process'
import path from 'node:path'

const bootstrap = path.resolve(import.meta.dirname, '..', '..', 'scripts', 'bootstrap.mjs')

export function setup(): void {
  const { status } = spawnSync(process.execPath, [bootstrap, 'build'], { stdio: 'inherit' })
  if (status !== 0) throw new Error('the program does not build, see above')
}
