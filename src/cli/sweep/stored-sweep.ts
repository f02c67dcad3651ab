/**
 * Stored sweep: reads sweep.json back for figures.
 */
import { existsSync } from 'node:fs'
import path from 'node:path'
import { InputError } from '../../base/issue.ts'
import type { PlottedRow, PlottedSweep, SweepAxis } from '../../report/figure/index.ts'
import type { Interval } from '../../results/index.ts'
import { readText } from '../files/input-file.ts'

const FILE = 'sweep.json'

/** Whether a folder holds a sweep. */
export function isSweep(directory: string, shown: string): boolean {
  return existsSync(path.resolve(directory, shown, FILE))
}

/** JSON has null for NaN. */
interface StoredInterval {
  readonly count: number
  readonly mean: number | null
  readonly low: number | null
  readonly high: number | null
}

type StoredIntervals = Readonly<Record<string, StoredInterval>>

interface StoredSweep {
  readonly schemaVersion?: unknown
  readonly name: string
  readonly parameters: readonly SweepAxis[]
  readonly seeds: readonly number[]
  readonly partial: boolean
  readonly baseline?: Readonly<Record<string, string>>
  readonly rows: readonly {
    readonly values: Readonly<Record<string, string>>
    readonly seeds: number
    readonly stopped?: number
    readonly metrics: StoredIntervals
    readonly ratios?: StoredIntervals
  }[]
}

/** The sweep in a folder, and whether it was interrupted. Throws InputError if sweep.json is not a sweep's. */
export function readSweep(
  directory: string,
  shown: string,
): { readonly sweep: PlottedSweep; readonly partial: boolean } {
  const file = path.join(shown, FILE)
  const stored = parsed(file, readText(directory, file, 'the table of a sweep'))
  const { name, parameters, seeds, partial, baseline = {}, rows } = stored
  return {
    partial,
    sweep: {
      name,
      axes: parameters,
      seedCount: seeds.length,
      baseline: Object.entries(baseline)
        .map(([axis, value]) => `${axis}=${value}`)
        .join(', '),
      rows: rows.map(({ values, seeds: ended, stopped = 0, metrics, ratios = {} }): PlottedRow => {
        return { values, seeds: ended, stopped, metrics: intervalsOf(metrics), ratios: intervalsOf(ratios) }
      }),
    },
  }
}

function intervalsOf(stored: StoredIntervals): PlottedRow['metrics'] {
  return Object.fromEntries(
    Object.entries(stored).map(([name, { count, mean, low, high }]): [string, Interval] => [
      name,
      { count, mean: mean ?? NaN, low: low ?? NaN, high: high ?? NaN },
    ]),
  )
}

function parsed(file: string, text: string): StoredSweep {
  try {
    const stored = JSON.parse(text) as StoredSweep | null
    const lists = [stored?.parameters, stored?.seeds, stored?.rows]
    if (stored?.schemaVersion === 1 && lists.every((list) => Array.isArray(list))) {
      if (stored.rows.every(({ values, metrics }) => typeof values === 'object' && typeof metrics === 'object')) {
        return stored
      }
    }
  } catch {
    // Not JSON: reported below like any other content.
  }
  const hint = 'repeat the sweep command to write it again; finished points are kept'
  throw new InputError([{ path: '', file, expected: 'the table of a sweep', received: 'something else', hint }])
}
