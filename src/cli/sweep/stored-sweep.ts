/**
 * Stored sweep: reads sweep.json back for figures and reports.
 */
import { existsSync } from 'node:fs'
import path from 'node:path'
import { limitText, pointLimitShape } from '../../lab/advice/sweep/point-limit.ts'
import { inputError } from '../../core/base/issue.ts'
import {
  countShape,
  flagShape,
  listOf,
  numberShape,
  objectOf,
  oneOf,
  optional,
  orNull,
  recordOf,
  type Shaped,
  shapedJson,
  textShape,
} from '../../core/base/shape.ts'
import type { PlottedRow, PlottedSweep } from '../../show/figure/index.ts'
import type { ReportedSweep } from '../../show/index.ts'
import type { Interval } from '../../core/results/index.ts'
import { currentName } from '../files/exchange.ts'
import { readStoredText } from '../files/input-file.ts'

const FILE = 'sweep.json'
const REMEDY = 'repeat the sweep command to write it again; finished points are kept'

/** Whether a folder holds a sweep. */
export function isSweep(directory: string, shown: string): boolean {
  return existsSync(path.resolve(directory, shown, FILE))
}

/** JSON has null for NaN. */
const measureShape = orNull(numberShape)
const intervalsShape = recordOf(
  objectOf({ count: countShape, mean: measureShape, low: measureShape, high: measureShape }),
)

const sweepShape = objectOf({
  schemaVersion: oneOf(1),
  version: optional(textShape),
  name: textShape,
  scenario: optional(objectOf({ file: textShape, sets: listOf(textShape) })),
  parameters: listOf(objectOf({ path: textShape, values: listOf(textShape) })),
  seeds: listOf(countShape),
  partial: flagShape,
  baseline: optional(recordOf(textShape)),
  pointLimit: optional(pointLimitShape),
  cut: optional(objectOf({ runs: countShape, reason: textShape })),
  failed: optional(listOf(objectOf({ values: recordOf(textShape), seed: countShape, message: textShape }))),
  rows: listOf(
    objectOf({
      values: recordOf(textShape),
      seeds: countShape,
      stopped: optional(countShape),
      metrics: intervalsShape,
      ratios: optional(intervalsShape),
      digests: optional(recordOf(textShape)),
    }),
  ),
})

type StoredSweep = Shaped<typeof sweepShape>

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
  const folder = path.resolve(directory, shown)
  const text = readStoredText(folder, shown, currentName(folder, shown, FILE), 'the table of a sweep')
  if (text === undefined) throw inputError(file, 'the table of a sweep', 'no such file')
  const sweep = shapedJson(sweepShape, text, file, REMEDY)
  for (const { path: name, values } of sweep.parameters) {
    const row = sweep.rows.findIndex((each) => !values.includes(each.values[name] ?? ''))
    if (row >= 0) throw inputError(`${file}: rows[${row}].values`, `a value of ${name}`, 'another', REMEDY)
  }
  return sweep
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

function intervalsOf(stored: Shaped<typeof intervalsShape>): PlottedRow['metrics'] {
  return Object.fromEntries(
    Object.entries(stored).map(([name, { count, mean, low, high }]): [string, Interval] => [
      name,
      { count, mean: mean ?? NaN, low: low ?? NaN, high: high ?? NaN },
    ]),
  )
}
