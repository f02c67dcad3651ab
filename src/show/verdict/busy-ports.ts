/**
 * Busy ports: how much of its link each port used, and for how long it was nearly full, from the observer `link-use`.
 */
import { numbersOf, type Result, tableOfKind, textsOf } from '../../core/results/index.ts'

/** Use of its link above which a port counts as busy. */
export const BUSY_SHARE = 0.95

export interface PortUse {
  readonly node: number
  readonly port: number
  /** "leaf 0 port 3". */
  readonly name: string
  /** Mean over the time that was observed. */
  readonly useShare: number
  /** Time in intervals of more than {@link BUSY_SHARE}, ps. */
  readonly busyPs: number
}

/** Ports in the order of their first row; where only the busiest port of each interval was observed, its rows alone. */
export function portUses(result: Result): PortUse[] {
  const table = tableOfKind(result, 'link-use')
  if (table === undefined) return []
  const [fromPs, toPs] = [numbersOf(table, 'fromPs'), numbersOf(table, 'toPs')]
  const [node, port, useRatio] = [numbersOf(table, 'node'), numbersOf(table, 'port'), numbersOf(table, 'useRatio')]
  const names = textsOf(table, 'nodeName')
  const rows = new Map<string, { row: number; usedPs: number; busyPs: number }>()
  for (let row = 0; row < table.rowCount; row++) {
    const key = `${node[row]!} ${port[row]!}`
    const of = rows.get(key) ?? { row, usedPs: 0, busyPs: 0 }
    rows.set(key, of)
    const overPs = toPs[row]! - fromPs[row]!
    of.usedPs += useRatio[row]! * overPs
    if (useRatio[row]! > BUSY_SHARE) of.busyPs += overPs
  }
  const observedPs = (toPs.at(-1) ?? 0) - (fromPs[0] ?? 0)
  return [...rows.values()].map(({ row, usedPs, busyPs }) => ({
    node: node[row]!,
    port: port[row]!,
    name: `${names[row]!} port ${port[row]!}`,
    useShare: observedPs > 0 ? usedPs / observedPs : NaN,
    busyPs,
  }))
}
