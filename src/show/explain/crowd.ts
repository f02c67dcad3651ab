/**
 * Crowds: many hosts that send to one host at a time. It is one only where the flows of other
 * receivers have far fewer senders at a time.
 */
import { completionsOf, numbersOnce, type Result, numbersOf } from '../../core/results/index.ts'

/** Fewer senders are no crowd. */
const CROWD = 4
/** Times the senders of other receivers. */
const UNUSUAL = 2.5
/** Shares of the time of one flow: hosts of a crowd begin at once, or one soon after the other. */
const WINDOWS = [1 / 8, 1]

/** Hosts that began to send to one host at a time, how many do so to others, and when the first began. */
export interface Crowd {
  readonly senders: number
  readonly usualSenders: number
  readonly fromPs: number
}

/** Crowds by the host that they send to. */
export function crowdsOf(result: Result): Map<number, Crowd> {
  const { flows } = result
  const { completionPs, slowdown } = completionsOf(result, 'receiver')
  const times = {
    source: numbersOnce(flows, 'source'),
    startPs: numbersOf(flows, 'startPs'),
    idealOf: (row: number): number => completionPs[row]! / slowdown[row]!,
  }
  const rowsOf = rowsByReceiver(result)
  return new Map(WINDOWS.flatMap((share) => crowdsWithin(share, rowsOf, times)))
}

/** Crowds that begin within this share of the time that one flow takes alone. */
function crowdsWithin(share: number, rowsOf: ReadonlyMap<number, readonly number[]>, times: Times): [number, Crowd][] {
  const sorted = [...rowsOf]
    .map(([host, rows]) => ({ host, ...mostStarts(share, times, rows) }))
    .toSorted((a, b) => a.senders - b.senders)
  const middle = Math.floor((sorted.length - 1) / 2)
  return sorted.flatMap(({ host, senders, fromPs }, at): [number, Crowd][] => {
    // The middle one of the others.
    const usualSenders = sorted[middle < at ? middle : middle + 1]?.senders ?? 0
    return senders < CROWD || senders < UNUSUAL * usualSenders ? [] : [[host, { senders, usualSenders, fromPs }]]
  })
}

/** Rows of the flow table by the host that they are sent to. */
export function rowsByReceiver({ flows }: Result): Map<number, number[]> {
  const byHost = new Map<number, number[]>()
  numbersOnce(flows, 'destination').forEach((to, row) => {
    const rows = byHost.get(to)
    if (rows === undefined) byHost.set(to, [row])
    else rows.push(row)
  })
  return byHost
}

interface Times {
  readonly source: Float64Array
  readonly startPs: Float64Array
  readonly idealOf: (row: number) => number
}

/** Most hosts whose flows begin within this share of the time that one such flow takes alone, and when the first of these began. */
function mostStarts(
  share: number,
  { source, startPs, idealOf }: Times,
  rows: readonly number[],
): { readonly senders: number; readonly fromPs: number } {
  const sorted = rows.toSorted((a, b) => startPs[a]! - startPs[b]!)
  const ideals = rows.map(idealOf).filter((ps) => ps > 0)
  const windowPs = share * (ideals.toSorted((a, b) => a - b)[Math.floor(ideals.length / 2)] ?? 0)
  const open = new Map<number, number>()
  let from = 0
  let best = { senders: 0, fromPs: 0 }
  for (const row of sorted) {
    open.set(source[row]!, (open.get(source[row]!) ?? 0) + 1)
    while (startPs[sorted[from]!]! < startPs[row]! - windowPs) {
      const first = source[sorted[from++]!]!
      const left = open.get(first)! - 1
      if (left === 0) open.delete(first)
      else open.set(first, left)
    }
    if (open.size > best.senders) best = { senders: open.size, fromPs: startPs[sorted[from]!]! }
  }
  return best
}
