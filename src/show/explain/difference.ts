/**
 * Difference of two runs, part by part: what makes the flows of B slower or faster than the same flows of A, over all flows
 * that finished in both. Times at the end that both measure, else at the receiver.
 */
import { compareResults, partsOf, type Result, spansOf } from '../../core/results/index.ts'
import { exactCount, humanDuration, humanShare } from '../../core/base/format.ts'
import { Waits } from './waits.ts'
import { right, type TextOptions, textTable } from '../text-table.ts'

export interface Difference {
  readonly nameA: string
  readonly nameB: string
  /** Flows that finished in both. */
  readonly flows: number
  readonly meanCompletionAPs: number
  readonly meanCompletionBPs: number
  /** By part: mean time of a flow in A and in B. */
  readonly parts: readonly {
    readonly column: string
    readonly label: string
    readonly meanAPs: number
    readonly meanBPs: number
  }[]
  /** By the name of the place where waits began: mean time of a flow in A and in B, the largest differences first. */
  readonly origins: readonly { readonly name: string; readonly meanAPs: number; readonly meanBPs: number }[]
}

/** Origins that are listed. */
const ORIGINS_MAX = 6

/**
 * @param a with the columns of `autopsy`, as `b`
 * @param closed tags of flows that start when others are finished
 */
export function differenceOf(a: Result, b: Result, closed: ReadonlySet<string>): Difference {
  const completion = a.completion === b.completion ? a.completion : 'receiver'
  const { nameA, nameB, pairs, meanCompletionAPs, meanCompletionBPs } = compareResults(a, b, completion, closed)
  const meanOf = (data: Float64Array, rows: Uint32Array): number => {
    let sum = 0
    for (const row of rows) sum += data[row]!
    return sum / rows.length
  }
  return {
    nameA,
    nameB,
    flows: pairs.rowsA.length,
    meanCompletionAPs,
    meanCompletionBPs,
    parts: partsOf(completion).map((part) => ({
      column: part.column,
      label: part.label,
      meanAPs: meanOf(spansOf(a, part), pairs.rowsA),
      meanBPs: meanOf(spansOf(b, part), pairs.rowsB),
    })),
    origins: originsOf([
      [a, pairs.rowsA],
      [b, pairs.rowsB],
    ]),
  }
}

function originsOf(sides: readonly (readonly [Result, Uint32Array])[]): Difference['origins'] {
  const [inA, inB] = sides.map(([result, rows]) => {
    const byName = new Map<string, number>()
    for (const { name, spanPs } of new Waits(result).origins(new Set(rows)))
      byName.set(name, (byName.get(name) ?? 0) + spanPs / rows.length)
    return byName
  }) as [Map<string, number>, Map<string, number>]
  return [...new Set([...inA.keys(), ...inB.keys()])]
    .map((name) => ({ name, meanAPs: inA.get(name) ?? 0, meanBPs: inB.get(name) ?? 0 }))
    .toSorted((one, other) => Math.abs(other.meanBPs - other.meanAPs) - Math.abs(one.meanBPs - one.meanAPs))
    .slice(0, ORIGINS_MAX)
}

/** The largest differences first. */
export function differenceText(difference: Difference, options: TextOptions = {}): string {
  const { nameA, nameB, flows, meanCompletionAPs, meanCompletionBPs, parts, origins } = difference
  const titles = `A ${nameA}\nB ${nameB}\n`
  if (flows === 0) return `${titles}no flow finished in both\n`
  const totalPs = meanCompletionBPs - meanCompletionAPs
  const changed = parts
    .filter(({ meanAPs, meanBPs }) => meanAPs !== 0 || meanBPs !== 0)
    .map((part) => ({ ...part, morePs: part.meanBPs - part.meanAPs }))
    .sort((one, other) => Math.abs(other.morePs) - Math.abs(one.morePs))
  const row = (name: string, meanAPs: number, meanBPs: number): string[] => [
    name,
    humanDuration(meanAPs, 4),
    humanDuration(meanBPs, 4),
    signed(meanBPs - meanAPs),
    totalPs === 0 ? '' : humanShare((meanBPs - meanAPs) / totalPs),
  ]
  const table = (first: string, rows: readonly (readonly string[])[]): string =>
    textTable([first, right('A'), right('B'), right('B - A'), right('of the difference')], rows, options)
  const all = row('completion', meanCompletionAPs, meanCompletionBPs).slice(0, -1)
  const others = changed.map(({ label, meanAPs, meanBPs }) => row(label, meanAPs, meanBPs))
  return [
    `${titles}flows that finished in both: ${exactCount(flows)}\n`,
    table('mean of a flow', [[...all, ''], ...others]),
    ...(origins.length === 0
      ? []
      : [
          table(
            'held by',
            origins.map(({ name, meanAPs, meanBPs }) => row(name, meanAPs, meanBPs)),
          ),
        ]),
  ].join('\n')
}

function signed(spanPs: number): string {
  return spanPs < 0 ? `-${humanDuration(-spanPs, 3)}` : `+${humanDuration(spanPs, 3)}`
}
