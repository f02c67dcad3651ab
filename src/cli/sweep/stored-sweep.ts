/**
 * Stored sweep: reads sweep.json back for figures and reports.
 */
import { existsSync } from 'node:fs'
import path from 'node:path'
import { limitText, type PointLimit } from '../../advice/sweep/point-limit.ts'
import { InputError } from '../../base/issue.ts'
import type { PlottedRow, PlottedSweep, SweepAxis } from '../../report/figure/index.ts'
import type { FailedRun, ReportedSweep } from '../../report/index.ts'
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
  readonly version?: string
  readonly name: string
  readonly scenario?: { readonly file: string; readonly sets: readonly string[] }
  readonly parameters: readonly SweepAxis[]
  readonly seeds: readonly number[]
  readonly partial: boolean
  readonly baseline?: Readonly<Record<string, string>>
  readonly pointLimit?: PointLimit
  readonly cut?: { readonly runs: number; readonly reason: string }
  readonly failed?: readonly FailedRun[]
  readonly rows: readonly {
    readonly values: Readonly<Record<string, string>>
    readonly seeds: number
    readonly stopped?: number
    readonly metrics: StoredIntervals
    readonly ratios?: StoredIntervals
    readonly digests?: Readonly<Record<string, string>>
  }[]
}

/** The sweep in a folder, and whether it was interrupted. Throws InputError if sweep.json is not a sweep's. */
export function readSweep(
  directory: string,
  shown: string,
): { readonly sweep: PlottedSweep; readonly partial: boolean } {
  const stored = storedIn(directory, shown)
  return { sweep: plottedOf(stored), partial: stored.partial }
}

/** The sweep in a folder with all that a report says. Throws InputError like `readSweep`. */
export function readReportedSweep(directory: string, shown: string): ReportedSweep {
  const stored = storedIn(directory, shown)
  const { version = '', seeds, partial, pointLimit = {}, failed = [], cut, scenario, rows } = stored
  return {
    sweep: plottedOf(stored),
    folder: shown,
    version,
    seeds,
    isPartial: partial,
    limit: limitText(pointLimit),
    failed,
    ...(cut === undefined ? {} : { cut }),
    digests: rows.map(({ digests = {} }) => digests),
    ...(scenario === undefined ? {} : { scenario }),
    options: optionsOf(stored, shown),
  }
}

/** The options that make the sweep again, apart from --set. */
function optionsOf({ parameters, seeds, baseline = {}, pointLimit = {} }: StoredSweep, shown: string): string[] {
  const { simulatedPs, packetHops } = pointLimit
  return [
    ...parameters.flatMap(({ path: name, values }) => ['--param', `${name}=${values.join(',')}`]),
    // A comma makes a single seed a list, not a count.
    '--seeds',
    seeds.length === 1 ? `${seeds[0]},` : seeds.join(','),
    ...Object.entries(baseline).flatMap(([name, value]) => ['--baseline', `${name}=${value}`]),
    ...(simulatedPs === undefined ? [] : ['--point-limit', `${simulatedPs}ps`]),
    ...(packetHops === undefined ? [] : ['--point-limit', `${packetHops}hops`]),
    '--out',
    `${shown}-again`,
  ]
}

function storedIn(directory: string, shown: string): StoredSweep {
  const file = path.join(shown, FILE)
  return parsed(file, readText(directory, file, 'the table of a sweep'))
}

function plottedOf({ name, parameters, seeds, baseline = {}, rows }: StoredSweep): PlottedSweep {
  return {
    name,
    axes: parameters,
    seedCount: seeds.length,
    baseline: Object.entries(baseline)
      .map(([axis, value]) => `${axis}=${value}`)
      .join(', '),
    rows: rows.map(({ values, seeds: ended, stopped = 0, metrics, ratios = {} }): PlottedRow => {
      return { values, seeds: ended, stopped, metrics: intervalsOf(metrics), ratios: intervalsOf(ratios) }
    }),
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
