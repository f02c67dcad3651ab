/**
 * Earlier runs: what an earlier report measured, so that more seeds cost only the runs that are new. Programs change,
 * and a digest tells: one run in ten of those that are taken is made again, and has to come out the same.
 */
import { InputError, type Issue } from '../../base/issue.ts'
import { createRandomStreams } from '../../base/random.ts'
import { readCsv } from '../../results/index.ts'
import type { Measures, Outcome, Point } from './plan.ts'

/** Of the runs that are taken, so many are there for one that is made again. */
const TAKEN_PER_CHECK = 10

const KEYS = ['condition', 'seed', 'digest'] as const

/** The runs in the CSV of a report, in its order. Throws InputError with the line of each mistake. */
export function readEarlierRuns(text: string): readonly Outcome[] {
  const table = readCsv('runs', text, { types: { condition: 'text', seed: 'integer', digest: 'text' } })
  const names = table.columns.map(({ name }) => name)
  const missing = KEYS.filter((name) => !names.includes(name))
  if (missing.length > 0 || table.rowCount === 0) {
    const expected = 'the CSV of a report: columns condition, seed, digest and measures, and a row for each run'
    const received = missing.length > 0 ? `none called ${missing.join(', ')}` : 'no rows'
    throw new InputError([{ path: '', line: 1, column: 1, expected, received, hint: '' }])
  }
  const column = (name: string): ArrayLike<string | number> => table.columns.find((one) => one.name === name)!.data
  const measured = names.filter((name) => !KEYS.some((key) => key === name))
  return Array.from({ length: table.rowCount }, (_, row) => ({
    condition: String(column('condition')[row]),
    seed: Number(column('seed')[row]),
    digest: String(column('digest')[row]),
    measures: Object.fromEntries(measured.map((name) => [name, Number(column(name)[row])])),
  }))
}

/**
 * The runs of one file that an experiment can take: a report of another experiment may hold runs of the same name and
 * scenario. Throws InputError where it has none of them.
 */
export function ownRuns(points: readonly Point[], outcomes: readonly Outcome[]): readonly Outcome[] {
  const conditions = new Set(points.map(({ condition }) => condition))
  const own = outcomes.filter(({ condition }) => conditions.has(condition))
  if (own.length > 0) return own
  const received = JSON.stringify(outcomes[0]?.condition ?? '')
  const expected = 'runs with conditions of this experiment and size'
  const hint = 'another experiment, another size, or an older program'
  throw new InputError([{ path: '', line: 2, column: 1, expected, received, hint }])
}

export class EarlierRuns {
  /** How many runs are taken as they are or made again, and of which seeds. */
  readonly count: number
  readonly seeds: readonly number[]
  /** How many of them are made again. */
  readonly checkedCount: number
  /** The points to run: those that are made again first, so that another program is known at once. */
  readonly toRun: readonly Point[]
  private readonly outcomes: ReadonlyMap<string, Outcome>

  /**
   * @param points of the whole experiment, each condition and seed once.
   * @param outcomes of an earlier report; other seeds than those of the points are left out.
   * Throws InputError for conditions that the points do not have, and for a run that is there with two digests.
   */
  constructor(points: readonly Point[], outcomes: readonly Outcome[]) {
    expectOnes(points, outcomes)
    // Reports of experiments that share runs have them all; the first one that is given counts.
    this.outcomes = new Map([...outcomes].reverse().map((outcome) => [keyOf(outcome), outcome]))
    const isTaken = (point: Point): boolean => this.outcomes.has(keyOf(point))
    const taken = points.filter(isTaken)
    const checked = sample(taken)
    this.count = taken.length
    this.seeds = [...new Set(taken.map(({ seed }) => seed))].sort((a, b) => a - b)
    this.checkedCount = checked.length
    this.toRun = [...checked, ...points.filter((point) => !isTaken(point))]
  }

  /** What the earlier report says of a point; undefined: it has none. */
  find(point: Point): Outcome | undefined {
    return this.outcomes.get(keyOf(point))
  }

  /** Holds what a point came to against the earlier report, where that has it. Throws InputError when they differ. */
  check(made: readonly Outcome[]): void {
    const issues = made.flatMap((outcome): Issue[] => {
      const known = this.outcomes.get(keyOf(outcome))
      const difference = known === undefined ? undefined : differenceOf(known, outcome)
      if (difference === undefined) return []
      const hint = 'these runs are of another program: make them anew'
      return [{ path: `${outcome.condition}, seed ${outcome.seed}`, ...difference, hint }]
    })
    if (issues.length > 0) throw new InputError(issues)
  }
}

function keyOf({ condition, seed }: { readonly condition: string; readonly seed: number }): string {
  return `${seed} ${condition}`
}

function expectOnes(points: readonly Point[], outcomes: readonly Outcome[]): void {
  const conditions = new Set(points.map(({ condition }) => condition))
  const seen = new Map<string, string>()
  const issues = outcomes.flatMap((outcome, row): Issue[] => {
    const at = { path: '', line: row + 2, column: 1 }
    const key = keyOf(outcome)
    const digest = seen.get(key) ?? outcome.digest
    seen.set(key, digest)
    if (digest !== outcome.digest) {
      const received = `seed ${key} again, with ${outcome.digest}`
      const hint = 'one of the files is of another program'
      return [{ ...at, expected: `the digest that it has before, ${digest}`, received, hint }]
    }
    if (conditions.has(outcome.condition)) return []
    const received = JSON.stringify(outcome.condition)
    const hint = 'another experiment, another size, or an older program'
    return [{ ...at, expected: 'a condition of this experiment and size', received, hint }]
  })
  if (issues.length > 0) throw new InputError(issues)
}

/** Some of them, one in ten or so and at least one of any, of as many conditions as can be: always the same of the same. */
function sample(taken: readonly Point[]): readonly Point[] {
  const random = createRandomStreams(taken.length).stream('runs made again')
  const draw = <T>(from: T[]): T[] => from.splice(random.below(from.length), 1)
  const left = new Map<string, Point[]>()
  for (const point of taken) left.set(point.condition, [...(left.get(point.condition) ?? []), point])
  const picked: Point[] = []
  let batch: Point[][] = []
  while (picked.length * TAKEN_PER_CHECK < taken.length) {
    // A turn goes through all conditions that have runs left.
    if (batch.length === 0) batch = [...left.values()].filter((points) => points.length > 0)
    picked.push(...draw(batch).flatMap(draw))
  }
  return picked
}

function differenceOf(known: Outcome, made: Outcome): { expected: string; received: string } | undefined {
  if (known.digest !== made.digest) {
    return { expected: `the events of this program, ${made.digest}`, received: known.digest }
  }
  const name = Object.keys(made.measures).find((key) => !isSame(known.measures, made.measures, key))
  if (name === undefined) return undefined
  const received = name in known.measures ? String(known.measures[name]) : 'no such column'
  return { expected: `${name} ${made.measures[name]}`, received }
}

/** An empty cell is a measure that the earlier program did not make of such a run; its events are the same. */
function isSame(known: Measures, made: Measures, name: string): boolean {
  return name in known && (Number.isNaN(known[name]) || Object.is(known[name], made[name]))
}
