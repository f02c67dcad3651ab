/**
 * bench: runs the benchmarks, which are in the repository and not in the package.
 */
import { spawn } from 'node:child_process'
import { existsSync } from 'node:fs'
import path from 'node:path'
import { command } from '../command.ts'
import type { Context, NoFlags } from '../context.ts'
import { EXIT_INPUT, Failure } from '../failure.ts'
import { packageRoot } from '../package-root.ts'
import { anyText } from '../parsers.ts'

export const bench = command({
  brief: 'Run the benchmarks (in a checkout of the repository)',
  about: ['Runs the benchmarks and prints one JSON line for each. Arguments after -- are passed on to them.'],
  manyArgs: { brief: 'Arguments of the benchmarks', placeholder: 'ARGS', parse: anyText },
  run: async function runBench(this: Context, _flags: NoFlags, ...args: string[]) {
    const script = path.join(packageRoot, 'scripts', 'bootstrap.mjs')
    if (!existsSync(script) || !existsSync(path.join(packageRoot, 'bench', 'main.ts'))) {
      throw new Failure('the benchmarks are in the repository, not in the package: run this in a checkout', EXIT_INPUT)
    }
    const code = await new Promise<number>((resolve, reject) => {
      const child = spawn(process.execPath, [script, 'bench', ...args], { cwd: this.directory, stdio: 'inherit' })
      child.on('error', reject)
      child.on('exit', (status, signal) => resolve(status ?? (signal === 'SIGINT' ? 130 : 1)))
    })
    if (code !== 0) this.process.exitCode = code
  },
})
