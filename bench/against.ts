/**
 * Against: `npm run bench -- against REF [CASE ...] [--pairs 5] [--bar 0.98]` builds another commit in a worktree of its own
 * and times it and this program in alternation, each run in a process of its own. Prints medians, the quartiles of the
 * ratios of neighbouring runs, and memory. A case whose digests differ does other work, and is printed and not judged.
 * Exit code 1: a judged case is below the bar.
 */
import { execFileSync } from 'node:child_process'
import { existsSync } from 'node:fs'
import path from 'node:path'
import { fileURLToPath } from 'node:url'
import { textTable } from '../src/show/index.ts'
import { quantile } from '../src/core/results/index.ts'

/** Fields of the JSON of measure.ts that the comparison uses. */
interface Measured {
  readonly millionPacketHopsPerCpuSecond: number
  readonly digest: string
  readonly peakRssBytes: number
}

export interface AgainstOptions {
  readonly ref: string
  readonly cases: readonly string[]
  readonly pairs: number
  readonly bar: number
}

const MEASURE = 'dist-bench/bench/measure.js'
export const root: string = path.resolve(path.dirname(fileURLToPath(import.meta.url)), '../..')

/** Prints a table of cases. @returns whether all judged cases reach the bar */
export function compareWith({ ref, cases, pairs, bar }: AgainstOptions): boolean {
  const there = builtAt(ref)
  let isReached = true
  const rows = cases.map((name) => {
    const before: Measured[] = []
    const after: Measured[] = []
    for (let i = 0; i < pairs; i++) {
      process.stderr.write(`${name}: ${i + 1} of ${pairs}\n`)
      // The first of a pair finds the machine as the last one left it, so that they take turns.
      for (const isHere of i % 2 === 0 ? [false, true] : [true, false]) {
        const measured = measure(isHere ? root : there, name)
        if (measured === undefined && isHere) throw new Error(`${name} does not run to its end here`)
        if (measured === undefined) return [name, 'not there', '', '', '', '', '']
        ;(isHere ? after : before).push(measured)
      }
    }
    const [one, other] = [before, after].map((all) => quantile(all.map(rateOf), 0.5))
    const ratio = other! / one!
    const isSame = before[0]!.digest === after[0]!.digest
    if (isSame && ratio < bar) isReached = false
    const ratios = after.map((each, i) => rateOf(each) / rateOf(before[i]!))
    return [
      name,
      one!.toFixed(2),
      other!.toFixed(2),
      ratio.toFixed(3),
      [0.25, 0.75].map((q) => quantile(ratios, q).toFixed(3)).join(' to '),
      [before, after].map((all) => (quantile(all.map(peakOf), 0.5) / 1e6).toFixed(0)).join(' to '),
      isSame ? (ratio < bar ? 'below' : 'reached') : 'other events',
    ]
  })
  const heads = ['case', `${ref}, M/s`, 'here, M/s', 'ratio', 'quartiles', 'peak, MB', `bar ${bar}`]
  process.stdout.write(
    textTable(
      heads.map((head, i) => ({ head, align: i === 0 || i === 6 ? ('left' as const) : ('right' as const) })),
      rows,
    ),
  )
  return isReached
}

const rateOf = ({ millionPacketHopsPerCpuSecond }: Measured): number => millionPacketHopsPerCpuSecond

const peakOf = ({ peakRssBytes }: Measured): number => peakRssBytes

/** Root of a worktree at a commit, with its benchmarks built. */
export function builtAt(ref: string): string {
  const git = (...args: string[]): string => execFileSync('git', args, { cwd: root, encoding: 'utf8' }).trim()
  const commit = git('rev-parse', '--verify', `${ref}^{commit}`)
  const folder = path.join(root, '.tmp', 'against', commit.slice(0, 12))
  if (!existsSync(folder)) git('worktree', 'add', '--detach', folder, commit)
  if (!existsSync(path.join(folder, MEASURE))) {
    process.stderr.write(`building ${ref}\n`)
    try {
      // Builds, and then finds no case of this name.
      execFileSync(process.execPath, ['scripts/bootstrap.mjs', 'bench', 'build only'], { cwd: folder, stdio: 'ignore' })
    } catch (error) {
      if (!existsSync(path.join(folder, MEASURE)))
        throw new Error(`the benchmarks of ${ref} cannot be built`, { cause: error })
    }
  }
  return folder
}

/** Undefined: the program has no such case, or fails. */
function measure(folder: string, name: string): Measured | undefined {
  try {
    const args = ['--expose-gc', path.join(folder, MEASURE), name]
    const text = execFileSync(process.execPath, args, { encoding: 'utf8', stdio: ['ignore', 'pipe', 'ignore'] })
    return JSON.parse(text) as Measured
  } catch {
    return undefined
  }
}
