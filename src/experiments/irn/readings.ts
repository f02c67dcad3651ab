/**
 * Readings of two settings of PFC runs that the IRN paper leaves open, all run side by side: the threshold (packets are
 * lost at the printed one, none 4 KB below it), and the burst of packets that a QP sends before the NIC serves the next.
 * RoCE with PFC is very sensitive to both: at 30 % load its slowdown triples from 216 to 220 KB. No reading is preferred; a
 * number that depends on them is shown as a bracket (bracketClaim in findings.ts).
 * Source: [IRN] 4.1, which gives 220 KB and no order in which QPs send.
 */
import type { Interval } from '../../results/index.ts'
import { interval95 } from '../../results/index.ts'
import type { Measures, Outcome } from '../core/old/plan.ts'
import type { Reading } from '../core/findings.ts'
import { type Arm, armName, LONG_BURST } from './arms.ts'
import type { Control, Pfc, Transport } from './default-case.ts'
import { ratiosOf } from '../core/old/over-seeds.ts'

/** A transport with PFC, in any reading, or without. */
export interface Side {
  readonly transport: Transport
  readonly hasPfc: boolean
}

export const IRN: Side = { transport: 'irn', hasPfc: false }
export const IRN_PFC: Side = { transport: 'irn', hasPfc: true }
export const ROCE_PFC: Side = { transport: 'roce', hasPfc: true }

interface PfcReading {
  readonly pfc: Exclude<Pfc, 'no PFC'>
  readonly burst: number
}

const READINGS: readonly PfcReading[] = [1, LONG_BURST].flatMap((burst) => [
  { pfc: 'PFC early', burst } as const,
  { pfc: 'PFC', burst } as const,
])

/** Thresholds of PFC, KB. */
export type PauseKb = Readonly<Record<PfcReading['pfc'], number>>
export const DEFAULT_PAUSE_KB: PauseKb = { PFC: 220, 'PFC early': 216 }

/** One congestion control in one setting; the default case has an empty name. */
export interface CellReading {
  readonly control: Control
  readonly setting: string
  readonly pauseKb?: PauseKb
}

export const defaultCell = (control: Control): CellReading => ({ control, setting: '' })

export function readingName(
  { pfc, burst }: PfcReading,
  { pauseKb = DEFAULT_PAUSE_KB }: Pick<CellReading, 'pauseKb'>,
): string {
  return `${pauseKb[pfc]} KB, ${burstName(burst)}`
}

export const burstName = (burst: number): string => `bursts of ${burst === 1 ? 'one packet' : `${burst} packets`}`

/** The arm of a side in a reading. */
function armIn(side: Side, { pfc, burst }: PfcReading, control: Control): Arm {
  return { transport: side.transport, pfc: side.hasPfc ? pfc : 'no PFC', control, burst }
}

/** The condition of a side's runs in a reading. */
export function conditionIn(side: Side, reading: PfcReading, { control, setting }: CellReading): string {
  return armName(armIn(side, reading, control), setting)
}

/** The readings in which both sides were run. */
export function readingsIn(outcomes: readonly Outcome[], sides: readonly Side[], at: CellReading): PfcReading[] {
  const known = new Set(outcomes.map(({ condition }) => condition))
  return READINGS.filter((reading) => sides.every((side) => known.has(conditionIn(side, reading, at))))
}

/** One value a seed in one reading. */
interface ReadingValues {
  readonly reading: PfcReading
  readonly values: readonly number[]
}

/** A side's measure over another's, seed by seed, in every reading. */
export function ratiosIn(
  outcomes: readonly Outcome[],
  { of, to, at }: { readonly of: Side; readonly to: Side; readonly at: CellReading },
  valueOf: (measures: Measures) => number,
): ReadingValues[] {
  return readingsIn(outcomes, [of, to], at).map((reading) => ({
    reading,
    values: ratiosOf(outcomes, { of: conditionIn(of, reading, at), to: conditionIn(to, reading, at) }, valueOf),
  }))
}

/** A side's measure over another's as readings of a claim. */
export function readingsOf(
  outcomes: readonly Outcome[],
  sides: { readonly of: Side; readonly to: Side; readonly at: CellReading },
  valueOf: (measures: Measures) => number,
  transform: (value: number) => number = (value) => value,
): Reading[] {
  return ratiosIn(outcomes, sides, valueOf).map(({ reading, values }) => {
    const shown = values.map(transform)
    return { name: readingName(reading, sides.at), measured: interval95(shown), values: shown }
  })
}

/** Two values of each seed combined into one, in each reading that both have. */
export function combinedReadings(
  first: readonly ReadingValues[],
  second: readonly ReadingValues[],
  combine: (first: number, second: number) => number,
  at: Pick<CellReading, 'pauseKb'> = {},
): Reading[] {
  return first.flatMap(({ reading, values }) => {
    const other = second.find((each) => each.reading.pfc === reading.pfc && each.reading.burst === reading.burst)
    if (other === undefined) return []
    const combined = values.map((value, seed) => combine(value, other.values[seed]!))
    return [{ name: readingName(reading, at), measured: interval95(combined), values: combined }]
  })
}

/** Smallest and largest mean of several readings. */
export function bracketOf(readings: readonly { readonly measured: Interval }[]): { low: number; high: number } {
  const means = readings.map(({ measured }) => measured.mean)
  return { low: Math.min(...means), high: Math.max(...means) }
}
