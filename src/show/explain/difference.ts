/**
 * Difference of two runs, part by part: what makes the flows of B slower or faster than the same flows of A, over all flows
 * that finished in both. Times at the end that both measure, else at the receiver.
 */
import { compareResults, partsOf, type Result, spansOf } from '../../core/results/index.ts'
import { exactCount, humanDuration, humanShare } from '../../core/base/format.ts'
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
}

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
  }
}

/** The largest differences first. */
export function differenceText(difference: Difference, options: TextOptions = {}): string {
  const { nameA, nameB, flows, meanCompletionAPs, meanCompletionBPs, parts } = difference
  const titles = `A ${nameA}\nB ${nameB}\n`
  if (flows === 0) return `${titles}no flow finished in both\n`
  const totalPs = meanCompletionBPs - meanCompletionAPs
  const changed = parts
    .filter(({ meanAPs, meanBPs }) => meanAPs !== 0 || meanBPs !== 0)
    .map((part) => ({ ...part, morePs: part.meanBPs - part.meanAPs }))
    .sort((one, other) => Math.abs(other.morePs) - Math.abs(one.morePs))
  const rows = [
    ['completion', humanDuration(meanCompletionAPs, 4), humanDuration(meanCompletionBPs, 4), signed(totalPs), ''],
    ...changed.map(({ label, meanAPs, meanBPs, morePs }) => [
      label,
      humanDuration(meanAPs, 4),
      humanDuration(meanBPs, 4),
      signed(morePs),
      totalPs === 0 ? '' : humanShare(morePs / totalPs),
    ]),
  ]
  const head = ['mean of a flow', right('A'), right('B'), right('B - A'), right('of the difference')]
  return `${titles}flows that finished in both: ${exactCount(flows)}\n\n${textTable(head, rows, options)}`
}

function signed(spanPs: number): string {
  return spanPs < 0 ? `-${humanDuration(-spanPs, 3)}` : `+${humanDuration(spanPs, 3)}`
}
