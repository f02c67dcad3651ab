/**
 * Earlier runs: measures taken over from an earlier report, so that adding seeds costs only the new runs. To detect that
 * the program has changed since, one in ten of them is run again and has to give the same digest and measures.
 */
import { InputError, type Issue } from '../../base/issue.ts'
import { createRandomStreams } from '../../base/random.ts'
import { readCsv } from '../../results/index.ts'
import type { Measures, Outcome, Point } from './plan.ts'

/** One in this many runs taken over is run again. */
const TAKEN_PER_CHECK = 10

const KEYS = ['condition', 'seed', 'digest'] as const

/** The runs in the CSV of a report, in its order. Throws InputError with the line of each mistake. */
export function readEarlierRuns(text: string): readonly Outcome[] {
  const table = readCsv('runs', text, { types: { condition: 'text', seed: 'integer', digest: 'text' } })
  const names = table.columns.map(({ name }) => name)
  const missing = KEYS.filter((name) => !names.includes(name))
  if (missing.length > 0 || table.rowCount === 0) {
    const expected = 'the CSV of a report, with columns condition, seed, digest and measures, and one row per run'
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
 * The runs in a report that belong to this experiment; experiments may share runs of the same condition and scenario.
 * Throws InputError if there are none.
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
  /** Number of runs taken over, including those run again, and their seeds. */
  readonly count: number
  readonly seeds: readonly number[]
  /** Number of them that are run again. */
  readonly checkedCount: number
  /** Points to run. Those run again come first, so that a changed program is detected at once. */
  readonly toRun: readonly Point[]
  private readonly outcomes: ReadonlyMap<string, Outcome>

  /**
   * @param points all points of the experiment, each condition and seed once.
   * @param outcomes runs of earlier reports; seeds that the points do not have are ignored.
   * Throws InputError for an unknown condition and for a run given twice with different digests.
   */
  constructor(points: readonly Point[], outcomes: readonly Outcome[]) {
    expectOnes(points, outcomes)
    // Experiments share runs, so that a run may be in several reports; the first report given counts.
    this.outcomes = new Map([...outcomes].reverse().map((outcome) => [keyOf(outcome), outcome]))
    const isTaken = (point: Point): boolean => this.outcomes.has(keyOf(point))
    const taken = points.filter(isTaken)
    const checked = sample(taken)
    this.count = taken.length
    this.seeds = [...new Set(taken.map(({ seed }) => seed))].sort((a, b) => a - b)
    this.checkedCount = checked.length
    this.toRun = [...checked, ...points.filter((point) => !isTaken(point))]
  }

  /** The earlier run of a point, or undefined. */
  find(point: Point): Outcome | undefined {
    return this.outcomes.get(keyOf(point))
  }

  /** Compares new runs with the earlier ones of the same points. Throws InputError if any differ. */
  check(made: readonly Outcome[]): void {
    const issues = made.flatMap((outcome): Issue[] => {
      const known = this.outcomes.get(keyOf(outcome))
      const difference = known === undefined ? undefined : differenceOf(known, outcome)
      if (difference === undefined) return []
      const hint = 'the earlier runs are from another version of the program: run them again'
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
      const hint = 'one of the files is from another version of the program'
      return [{ ...at, expected: `the digest it has above, ${digest}`, received, hint }]
    }
    if (conditions.has(outcome.condition)) return []
    const received = JSON.stringify(outcome.condition)
    const hint = 'another experiment, another size, or an older program'
    return [{ ...at, expected: 'a condition of this experiment and size', received, hint }]
  })
  if (issues.length > 0) throw new InputError(issues)
}

/**
 * A sample of one in ten and at least one, spread over as many conditions as possible. The same runs always give the same
 * sample.
 */
function sample(taken: readonly Point[]): readonly Point[] {
  const random = createRandomStreams(taken.length).stream('runs made again')
  const draw = <T>(from: T[]): T[] => from.splice(random.below(from.length), 1)
  const left = new Map<string, Point[]>()
  for (const point of taken) left.set(point.condition, [...(left.get(point.condition) ?? []), point])
  const picked: Point[] = []
  let batch: Point[][] = []
  while (picked.length * TAKEN_PER_CHECK < taken.length) {
    // Takes one run from each condition that has runs left before it starts over.
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

/** An empty cell is a measure that the earlier program did not compute for this run; its events are the same. */
function isSame(known: Measures, made: Measures, name: string): boolean {
  return name in known && (Number.isNaN(known[name]) || Object.is(known[name], made[name]))
}
