/**
 * Measures of ports: use of the link, paused time and longest queue, each from the observer that recorded it; and of the
 * ports with most, the same over time in equal bins.
 */
import { numbersOf, type Result, type Table, tableOfKind } from '../../core/results/index.ts'
import { sharesOf } from '../pauses/pause-stages.ts'
import { BUSY_SHARE, portUses } from '../verdict/busy-ports.ts'
import { type MeasureData, PAUSED } from './page-data.ts'

/** Bins of a port's series. */
const BINS = 200

/** By port: "node:port". */
export type ByPort<T> = Map<string, T>

interface Measured {
  readonly about: MeasureData
  readonly values: ByPort<number>
  /** Values of a port over time, in bins from 0 to the end of the run. */
  readonly seriesOf: (key: string) => number[]
}

export const portKey = (node: number, port: number): string => `${node}:${port}`

/** The last as the verdict counts busy ports. */
const SHARE_STEPS = [0.25, 0.5, 0.75, BUSY_SHARE]

/** Measures that the run observed, the one that tells most of trouble first; those that are 0 everywhere last. */
export function portMeasures(result: Result): Measured[] {
  const observed = [pausedTime(result), longestQueue(result), linkUse(result)].filter((one) => one !== undefined)
  const isSeen = ({ values }: Measured): boolean => [...values.values()].some((value) => value > 0)
  return [...observed.filter(isSeen), ...observed.filter((one) => !isSeen(one))]
}

function rowsByPort(table: Table): ByPort<number[]> {
  const [node, port] = [numbersOf(table, 'node'), numbersOf(table, 'port')]
  const rows: ByPort<number[]> = new Map()
  for (let row = 0; row < table.rowCount; row++) {
    const key = portKey(node[row]!, port[row]!)
    const own = rows.get(key)
    if (own === undefined) rows.set(key, [row])
    else own.push(row)
  }
  return rows
}

/** Shares of the run; classes of a port that are paused together count once. */
function pausedTime(result: Result): Measured | undefined {
  const table = tableOfKind(result, 'pause-intervals')
  const endPs = result.simulatedPs
  if (table === undefined || !(endPs > 0)) return undefined
  const [startPs, stopPs] = [numbersOf(table, 'startPs'), numbersOf(table, 'endPs')]
  const rows = rowsByPort(table)
  const seriesOf = (key: string): number[] => {
    const spans = (rows.get(key) ?? []).map((row) => [startPs[row]!, stopPs[row]!] as const)
    return Array.from(sharesOf({ spans }, 0, endPs, BINS))
  }
  const values = new Map([...rows.keys()].map((key) => [key, seriesOf(key).reduce((sum, one) => sum + one, 0) / BINS]))
  return {
    about: { id: PAUSED, name: 'time paused by PFC', format: 'share', steps: SHARE_STEPS },
    values,
    seriesOf,
  }
}

function longestQueue(result: Result): Measured | undefined {
  const table = tableOfKind(result, 'queue-depth')
  if (table === undefined) return undefined
  const [timePs, queueBytes] = [numbersOf(table, 'timePs'), numbersOf(table, 'queueBytes')]
  const rows = rowsByPort(table)
  const values = new Map(
    [...rows].map(([key, own]) => [key, own.reduce((most, row) => Math.max(most, queueBytes[row]!), 0)]),
  )
  const highest = [...values.values()].reduce((most, value) => Math.max(most, value), 0)
  const seriesOf = (key: string): number[] => {
    const bins = Array.from({ length: BINS }, () => 0)
    for (const row of rows.get(key) ?? []) {
      const bin = Math.min(BINS - 1, Math.floor((timePs[row]! / result.simulatedPs) * BINS))
      bins[bin] = Math.max(bins[bin]!, queueBytes[row]!)
    }
    return bins
  }
  const steps = [0.2, 0.4, 0.6, 0.8].map((share) => share * highest)
  return { about: { id: 'queue', name: 'longest queue', format: 'size', steps }, values, seriesOf }
}

function linkUse(result: Result): Measured | undefined {
  const table = tableOfKind(result, 'link-use')
  if (table === undefined) return undefined
  const [fromPs, toPs, useRatio] = [numbersOf(table, 'fromPs'), numbersOf(table, 'toPs'), numbersOf(table, 'useRatio')]
  const rows = rowsByPort(table)
  const binPs = result.simulatedPs / BINS
  const seriesOf = (key: string): number[] => {
    const usedPs = Array.from({ length: BINS }, () => 0)
    for (const row of rows.get(key) ?? []) {
      const last = Math.min(BINS - 1, Math.floor(toPs[row]! / binPs))
      for (let bin = Math.floor(fromPs[row]! / binPs); bin <= last; bin++) {
        const overPs = Math.min(toPs[row]!, (bin + 1) * binPs) - Math.max(fromPs[row]!, bin * binPs)
        usedPs[bin]! += useRatio[row]! * Math.max(0, overPs)
      }
    }
    return usedPs.map((ps) => ps / binPs)
  }
  return {
    about: { id: 'use', name: 'mean use of the link', format: 'share', steps: SHARE_STEPS },
    values: new Map(portUses(result).map(({ node, port, useShare }) => [portKey(node, port), useShare])),
    seriesOf,
  }
}
