/**
 * Sweep plan: makes the points of a sweep from the command line, in the order of the values given, the last parameter
 * fastest and seeds fastest of all.
 */
import { formatIssue, InputError, inputError, type Issue } from '../../core/base/issue.ts'
import type { Axis, Plan, Point } from '../../lab/advice/sweep/points.ts'
import { createSimulation } from '../../lab/index.ts'
import { formatScenario, setName } from '../../lab/scenario/index.ts'
import { SEED_MAX } from '../parsers.ts'
import { hash, runKey } from './program-key.ts'
import { located, readScenario, type ScenarioFile } from '../files/scenario-file.ts'

/** More points are assumed to be a typing error. */
const POINTS_MAX = 100_000

export interface SweepAsked {
  readonly axes: readonly Axis[]
  /** "path=value" texts of --set, which apply to every point. */
  readonly sets: readonly string[]
  /** Text of --seeds, see parseSeeds. */
  readonly seeds: string
}

/**
 * Reads and builds the scenario of every combination once, for all its seeds. Calls `onChecked` before each, as large
 * networks take long to build. Throws InputError with every mistake of any combination, each once.
 */
export function planSweep(
  file: ScenarioFile,
  { axes, sets, seeds: seedText }: SweepAsked,
  onChecked: (checked: number, total: number) => void,
): Plan {
  checkAxes(axes)
  // Counted first, as their list may be longer than the memory.
  const total = axes.reduce((product, { values }) => product * values.length, 1)
  if (total > POINTS_MAX) throw tooMany(total)
  const combinations = combine(axes)
  const mistakes = new Map<string, Found>()
  const scenarios = combinations.flatMap((values, i) => {
    onChecked(i, combinations.length)
    const assigned = assignedOf(values)
    try {
      const text = readScenario(file, { sets: [...sets, ...assigned] })
      const { scenario } = text
      located(text, () => createSimulation(scenario).close())
      return [{ values, scenario }]
    } catch (error) {
      if (!(error instanceof InputError)) throw error
      for (const issue of error.issues) {
        const set = assigned.find((text) => issue.file === setName(text))
        const mistake = set === undefined ? issue : { ...issue, file: setName(set).replace('--set', '--param') }
        const text = formatIssue(mistake)
        const found = mistakes.get(text) ?? { issue: mistake, isOfParam: set !== undefined, at: [] }
        mistakes.set(text, { ...found, at: [...found.at, values] })
      }
      return []
    }
  })
  const [first] = scenarios
  if (mistakes.size > 0 || first === undefined) {
    throw new InputError([...mistakes.values()].map((found) => withPoint(found, combinations.length)))
  }
  const seeds = parseSeeds(seedText, first.scenario.seed)
  if (scenarios.length * seeds.length > POINTS_MAX) throw tooMany(scenarios.length * seeds.length)
  const points: Point[] = []
  for (const { values, scenario } of scenarios) {
    for (const seed of seeds) {
      const scenarioText = formatScenario({ ...scenario, seed })
      points.push({ id: points.length, key: runKey(scenarioText), values, seed, scenarioText })
    }
  }
  const name = first.scenario.name
  return { name, axes, seeds, points, key: hash(points.map((point) => point.key).join('\n')) }
}

/** A mistake, and the combinations that have it. */
interface Found {
  readonly issue: Issue
  /** Whether the mistake is in a value of --param, where it is then reported. */
  readonly isOfParam: boolean
  readonly at: readonly Readonly<Record<string, string>>[]
}

const assignedOf = (values: Readonly<Record<string, string>>): string[] =>
  Object.entries(values).map(([path, value]) => `${path}=${value}`)

/** Adds the combinations to a mistake that is reported in the file but occurs at some combinations only. */
function withPoint({ issue, isOfParam, at }: Found, combinations: number): Issue {
  const [first = {}] = at
  const isOfAll = at.length === combinations && !Object.keys(first).some((path) => path.startsWith(`${issue.path}.`))
  if (isOfParam || isOfAll) return issue
  const text = assignedOf(first).join(', ')
  const point =
    at.length === 1 || at.length === combinations
      ? `at ${text}`
      : `at ${at.length} of ${combinations} combinations, first ${text}`
  return { ...issue, hint: issue.hint === '' ? point : `${issue.hint}; ${point}` }
}

function tooMany(count: number): InputError {
  return inputError('sweep', `at most ${POINTS_MAX} points`, `${count}`)
}

/** Parses "path=v1,v2"; commas inside brackets, braces or quotes belong to a value. */
export function parseAxis(text: string): Axis {
  const equals = text.indexOf('=')
  const name = text.slice(0, equals).trim()
  const values = splitValues(text.slice(equals + 1))
  if (equals < 1 || name === '' || values.some((value) => value === '')) {
    throw new Error(`expected path=value,value,..., received ${JSON.stringify(text)}`)
  }
  return { path: name, values }
}

/** "5" is that many seeds from `first` on; "1,2,7" and "3..6" list the seeds. */
export function parseSeeds(text: string, first: number): readonly number[] {
  const isCount = /^\d+$/.test(text)
  if (isCount && Number(text) > POINTS_MAX) throw tooManySeeds(text)
  if (isCount && Number(text) >= 1) {
    const last = first + Number(text) - 1
    if (last > SEED_MAX) {
      throw inputError(
        '--seeds',
        `seeds up to ${SEED_MAX}`,
        `${text} from ${first} on`,
        'list other seeds, such as 1,2,7',
      )
    }
    return Array.from({ length: Number(text) }, (_, i) => first + i)
  }
  const seeds = text.split(',').flatMap((part) => {
    const [, from = '', to = from] = /^\s*(\d{1,10})(?:\.\.(\d{1,10}))?\s*$/.exec(part) ?? []
    const length = from === '' ? NaN : Number(to) - Number(from) + 1
    if (length > POINTS_MAX) throw tooManySeeds(text)
    return length >= 1 ? Array.from({ length }, (_, i) => Number(from) + i) : [NaN]
  })
  // A trailing comma makes a single number a list.
  if (text.endsWith(',')) seeds.pop()
  const isList = seeds.length > 0 && seeds.every((seed) => seed <= SEED_MAX) && new Set(seeds).size === seeds.length
  if (isList && !isCount) return seeds
  throw inputError('--seeds', 'a number of seeds, a list such as 1,2,7 or a range such as 3..6', JSON.stringify(text))
}

function tooManySeeds(text: string): InputError {
  const hint = Number(text) <= SEED_MAX ? `for that one seed, write a comma after it: ${text},` : ''
  return inputError('--seeds', `at most ${POINTS_MAX} seeds`, text, hint)
}

function checkAxes(axes: readonly Axis[]): void {
  const paths = axes.map((axis) => axis.path)
  const issues: Issue[] = []
  for (const [i, { path: name, values }] of axes.entries()) {
    if (i === paths.indexOf(name, paths.indexOf(name) + 1)) {
      issues.push({ path: '--param', expected: 'each path once', received: `${name} twice`, hint: '' })
    }
    if (new Set(values).size < values.length) {
      issues.push({ path: `--param ${name}`, expected: 'each value once', received: values.join(','), hint: '' })
    }
    if (name === 'seed') {
      issues.push({ path: '--param', expected: 'a path other than seed', received: 'seed', hint: 'use --seeds' })
    }
  }
  if (issues.length > 0) throw new InputError(issues)
}

function combine(axes: readonly Axis[]): Record<string, string>[] {
  let combinations: Record<string, string>[] = [{}]
  for (const axis of axes) {
    combinations = combinations.flatMap((values) => axis.values.map((value) => ({ ...values, [axis.path]: value })))
  }
  return combinations
}

function splitValues(text: string): string[] {
  const values = ['']
  let depth = 0
  let quote = ''
  for (const character of text) {
    if (quote !== '') quote = character === quote ? '' : quote
    else if (character === '"' || character === "'") quote = character
    else if ('[{'.includes(character)) depth++
    else if (']}'.includes(character)) depth--
    if (character === ',' && depth === 0 && quote === '') values.push('')
    else values[values.length - 1] += character
  }
  return values.map((value) => value.trim())
}
