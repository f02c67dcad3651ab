/**
 * Earlier runs: measures taken over from an earlier report, so that adding seeds costs only the new runs. To detect that
 * the program has changed since, one in ten of them is run again and has to give the same digest and measures.
 */
import { InputError, type Issue } from '../../core/base/issue.ts'
import { createRandomStreams } from '../../core/base/random.ts'
import { readCsv } from '../../core/results/index.ts'
import { keyOf as pointKey, type At, type Measures, type Outcome, type Point } from './plan.ts'

/** One in this many runs taken over is run again. */
const TAKEN_PER_CHECK = 10

const KEYS = ['seed', 'digest'] as const

/**
 * The runs in the CSV of a report, in its order: columns of axes, then seed and digest, then measures. Throws InputError with
 * the line of each mistake.
 */
export function readEarlierRuns(text: string): readonly Outcome[] {
  const heads = text.slice(0, Math.max(0, text.search(/\r?\n/))).split(',')
  const axes = heads.slice(0, Math.max(0, heads.indexOf('seed')))
  const types = {
    ...Object.fromEntries(axes.map((axis) => [axis, 'text' as const])),
    seed: 'integer',
    digest: 'text',
  } as const
  const table = readCsv('runs', text, { types })
  const names = table.columns.map(({ name }) => name)
  const missing = [...(axes.length === 0 ? ['axes'] : []), ...KEYS.filter((name) => !names.includes(name))]
  if (missing.length > 0 || table.rowCount === 0) {
    const expected = 'the CSV of a report, with columns of axes, then seed, digest and measures, and one row per run'
    const received = missing.length > 0 ? `none called ${missing.join(', ')}` : 'no rows'
    throw new InputError([{ path: '', line: 1, column: 1, expected, received, hint: '' }])
  }
  const column = (name: string): ArrayLike<string | number> => table.columns.find((one) => one.name === name)!.data
  const given = axes.map((axis) => ({ axis, data: column(axis) }))
  const measured = names.slice(axes.length + KEYS.length).map((name) => ({ name, data: column(name) }))
  const [seeds, digests] = [column('seed'), column('digest')]
  return Array.from({ length: table.rowCount }, (_, row) => ({
    at: Object.fromEntries(given.flatMap(({ axis, data }) => (data[row] === '' ? [] : [[axis, String(data[row])]]))),
    seed: Number(seeds[row]),
    digest: String(digests[row]),
    measures: Object.fromEntries(measured.map(({ name, data }) => [name, Number(data[row])])),
  }))
}

/**
 * The runs in a report that belong to this experiment, with its own values of the axes; experiments may share runs of the
 * same axes and scenario. Throws InputError if there are none.
 */
export function ownRuns(points: readonly Point[], outcomes: readonly Outcome[]): readonly Outcome[] {
  const ats = new Map(points.map(({ at }) => [pointKey(at), at]))
  const own = outcomes.flatMap((outcome) => {
    const at = ats.get(pointKey(outcome.at))
    return at === undefined ? [] : [{ ...outcome, at }]
  })
  if (own.length > 0) return own
  const received = JSON.stringify(pointKey(outcomes[0]?.at ?? {}))
  const expected = 'runs at points of this experiment and size'
  throw new InputError([{ path: '', line: 2, column: 1, expected, received, hint: OTHER }])
}

const OTHER = 'another experiment, another size, or an older program'

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
   * @param points all points of the experiment, each with one set of axes and seed.
   * @param outcomes runs of earlier reports; seeds that the points do not have are ignored.
   * Throws InputError for an unknown point and for a run given twice with different digests.
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
      return [{ path: `${pointKey(outcome.at)}, seed ${outcome.seed}`, ...difference, hint }]
    })
    if (issues.length > 0) throw new InputError(issues)
  }
}

function keyOf({ at, seed }: { readonly at: At; readonly seed: number }): string {
  return `${seed} ${pointKey(at)}`
}

function expectOnes(points: readonly Point[], outcomes: readonly Outcome[]): void {
  const known = new Set(points.map(({ at }) => pointKey(at)))
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
    if (known.has(pointKey(outcome.at))) return []
    const received = JSON.stringify(pointKey(outcome.at))
    return [{ ...at, expected: 'a point of this experiment and size', received, hint: OTHER }]
  })
  if (issues.length > 0) throw new InputError(issues)
}

/**
 * A sample of one in ten and at least one, spread over as many points as possible. The same runs always give the same
 * sample.
 */
function sample(taken: readonly Point[]): readonly Point[] {
  const random = createRandomStreams(taken.length).stream('runs made again')
  const draw = <T>(from: T[]): T[] => from.splice(random.below(from.length), 1)
  const left = new Map<string, Point[]>()
  for (const point of taken) {
    const key = pointKey(point.at)
    left.set(key, [...(left.get(key) ?? []), point])
  }
  const picked: Point[] = []
  let batch: Point[][] = []
  while (picked.length * TAKEN_PER_CHECK < taken.length) {
    // Takes one run from each point that has runs left before it starts over.
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
