/**
 * Readings of two settings of PFC runs that the IRN paper leaves open, all run side by side: the threshold (packets are
 * lost at the printed one, none 4 KB below it), and the burst of packets that a QP sends before the NIC serves the next.
 * RoCE with PFC is very sensitive to both: at 30 % load its slowdown triples from 216 to 220 KB. No reading is preferred; a
 * number that depends on them is shown as a bracket (bracketClaim in findings.ts).
 * Source: [IRN] 4.1, which gives 220 KB and no order in which QPs send.
 */
import { interval95 } from '../../results/index.ts'
import type { Reading } from '../core/findings.ts'
import type { Runs } from '../core/runs.ts'
import { type Arm, arm, DEFAULT, LONG_BURST } from './arms.ts'
import { transportName, type Control, pauseKbOf, type Transport } from './default-case.ts'

/** A transport with PFC, in any reading, or without. */
export interface Side {
  readonly transport: Transport
  readonly hasPfc: boolean
}

export const IRN: Side = { transport: 'irn', hasPfc: false }
export const IRN_PFC: Side = { transport: 'irn', hasPfc: true }
export const ROCE_PFC: Side = { transport: 'roce', hasPfc: true }

export const sideName = ({ transport, hasPfc }: Side): string => `${transportName(transport)}${hasPfc ? ' + PFC' : ''}`

/** Where sides are compared: under a control, in a setting. */
export interface Cell {
  readonly control: Control
  readonly setting: string
  /** Setting of the sides with PFC, if the cell's setting changes IRN only. */
  readonly pfcSetting?: string
  /** Printed threshold of PFC, if it is not that of the default case. */
  readonly pauseKb?: number
}

export const defaultCell = (control: Control): Cell => ({ control, setting: DEFAULT })

const READINGS = [1, LONG_BURST].flatMap((burst) => [
  { pfc: 'pfc-early', burst } as const,
  { pfc: 'pfc', burst } as const,
])

/** The arm of a side in a reading; `other` changes the cell. */
export type ArmOf = (side: Side, other?: Partial<Cell>) => Arm

/** One value per seed in every reading in which the sides were run. */
export function readingsOf(
  runs: Runs,
  cell: Cell,
  sides: readonly Side[],
  valuesIn: (armOf: ArmOf) => readonly number[],
): Reading[] {
  return READINGS.flatMap(({ pfc, burst }) => {
    const armOf: ArmOf = ({ transport, hasPfc }, other) => {
      const { control, setting, pfcSetting = setting } = { ...cell, ...other }
      return arm(transport, hasPfc ? pfc : 'no-pfc', control, burst, hasPfc ? pfcSetting : setting)
    }
    if (sides.some((side) => runs.where(armOf(side)).outcomes.length === 0)) return []
    const values = valuesIn(armOf)
    const bursts = `bursts of ${burst === 1 ? 'one packet' : `${burst} packets`}`
    return [{ name: `${pauseKbOf(pfc, cell.pauseKb)} KB, ${bursts}`, measured: interval95(values), values }]
  })
}

/** A side's measure over another's in every reading, seed by seed. */
export function ratioReadings(runs: Runs, cell: Cell, of: Side, to: Side, key: string): Reading[] {
  return readingsOf(runs, cell, [of, to], (armOf) => runs.ratios(key, armOf(of), armOf(to)))
}

/** Lists with a value per seed, combined seed by seed: the least of several metrics, a ratio of ratios. */
export function eachSeed(
  lists: readonly (readonly number[])[],
  combine: (...values: readonly number[]) => number,
): number[] {
  return (lists[0] ?? []).map((_, seed) => combine(...lists.map((values) => values[seed]!)))
}

/** Smallest and largest mean of several readings. */
export function bracketOf(readings: readonly Reading[]): { readonly low: number; readonly high: number } {
  const means = readings.map(({ measured }) => measured.mean)
  return { low: Math.min(...means), high: Math.max(...means) }
}
