/**
 * Origins of waits: what the table of origins has of each part of each flow is no more than the part, and for pauses and the
 * waits of an ACK all of it.
 */
import {
  ACK_PARTS,
  ALL_PARTS,
  findColumn,
  numbersOf,
  type Result,
  tableOfKind,
  textsOf,
} from '../../src/core/results/index.ts'

const ACK_COLUMNS = new Set(ACK_PARTS.map(({ column }) => column))

/** Parts for which that is not so, in words. */
export function wrongSums({ flows, series }: Pick<Result, 'flows' | 'series'>): string[] {
  const table = tableOfKind({ series }, 'autopsy/origins')!
  const rowOf = new Map<string, number>()
  const count = new Map<number, number>()
  numbersOf(flows, 'pair').forEach((pair, row) => {
    const message = count.get(pair) ?? 0
    count.set(pair, message + 1)
    rowOf.set(`${pair} ${message}`, row)
  })
  const sums = new Map<string, number>()
  const [pair, message, spanPs] = ['pair', 'message', 'spanPs'].map((name) => numbersOf(table, name))
  textsOf(table, 'part').forEach((part, i) => {
    const key = `${rowOf.get(`${pair![i]!} ${message![i]!}`)} ${part}`
    sums.set(key, (sums.get(key) ?? 0) + spanPs![i]!)
  })
  return ALL_PARTS.flatMap(({ column, isPause, isWait }) => {
    if (findColumn(flows, column) === undefined) return []
    const isWhole = isPause || (isWait && ACK_COLUMNS.has(column))
    const parts = numbersOf(flows, column)
    return [...parts.keys()].flatMap((row) => {
      const sum = sums.get(`${row} ${column}`) ?? 0
      const partPs = parts[row]! || 0
      return sum > partPs || (isWhole && sum !== partPs) ? [`flow ${row}: ${column} ${partPs}, origins ${sum}`] : []
    })
  })
}
