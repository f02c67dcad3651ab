/**
 * Seed groups: results that differ in the seed alone are one entry of a figure, with the mean over its seeds and the 95 %
 * interval of that, as in figures of sweeps. Every other result is a group of its own.
 */
import { interval95, type Result } from '../core/results/index.ts'

export interface SeedGroup<T> {
  /** The label of its one run; of several runs what their labels begin with, and how many seeds they are. */
  readonly label: string
  /** At least one, each with another seed. */
  readonly runs: readonly T[]
}

interface Labelled {
  readonly label: string
  readonly result: Result
}

/**
 * Groups in the order of their first results. Results that do not go together: those of other versions, two with the same
 * seed, and runs that were interrupted.
 */
export function seedGroups<T extends Labelled>(runs: readonly T[]): SeedGroup<T>[] {
  const byScenario = new Map<string, T[]>()
  runs.forEach((run, i) => {
    const key = run.result.partial ? `partial ${i}` : scenarioKey(run.result)
    const own = byScenario.get(key)
    if (own === undefined) byScenario.set(key, [run])
    else own.push(run)
  })
  const groups = [...byScenario.values()].flatMap((own): T[][] => {
    const areSeeds = new Set(own.map(({ result }) => result.seed)).size === own.length
    return areSeeds ? [own] : own.map((run) => [run])
  })
  const names = groups.map(nameOf)
  return groups.map((own, i) => {
    const isUnique = names.filter((name) => name === names[i]).length === 1
    const name = isUnique ? names[i]! : own[0]!.label
    return { label: own.length === 1 ? own[0]!.label : `${name}, ${own.length} seeds`, runs: own }
  })
}

function scenarioKey({ version, scenario }: Result): string {
  return JSON.stringify([version, { ...(scenario as object), seed: null }])
}

/** "incast" of incast-s1-0123abcd and incast-s2-89abcdef; the scenario's name where labels have no such beginning. */
function nameOf(runs: readonly Labelled[]): string {
  const [first, ...others] = runs
  if (others.length === 0) return first!.label
  let common = first!.label
  for (const { label } of others) while (!label.startsWith(common)) common = common.slice(0, -1)
  // The digits that seeds begin with are no part of the name, nor is the word before them.
  const name = common.replace(/[\d\s._-]*$/, '').replace(/[\s._-]+(s|seed)$/i, '')
  return name === '' || /^(s|seed)$/i.test(name) ? first!.result.name : name
}

/** A value over seeds. */
export interface OverSeeds {
  /** The mean; NaN: no seed has it, Infinity: it is beyond all numbers in some seed. */
  readonly value: number
  /** Ends of the 95 % interval; absent for one seed. */
  readonly low?: number
  readonly high?: number
}

/** @param values one a seed; NaN: the seed has none */
export function overSeeds(values: readonly number[]): OverSeeds {
  if (values.includes(Infinity)) return { value: Infinity }
  const { mean, low, high } = interval95(values)
  return Number.isNaN(low) ? { value: mean } : { value: mean, low, high }
}

/** The note of figures that show several seeds. */
export const SEEDS_NOTE = 'of several seeds the mean and its 95 % interval'
