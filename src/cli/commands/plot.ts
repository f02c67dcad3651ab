/**
 * plot RESULT...: figures of results, several side by side, or of a sweep.
 */
import path from 'node:path'
import { buildCommand } from '@stricli/core'
import { InputError, type Issue } from '../../base/issue.ts'
import type { NamedResult, PlottedSweep } from '../../report/figure/index.ts'
import { readResult } from '../../results/index.ts'
import type { Context } from '../context.ts'
import { guarded } from '../failure.ts'
import { givenFlag, outFlag } from '../flags.ts'
import { expectWritable, isThere } from '../folders.ts'
import { fileText } from '../parsers.ts'
import { writeReport } from '../report-folder.ts'
import { readerOf } from '../result-folder.ts'
import { isSweep, readSweep } from '../stored-sweep.ts'

interface PlotFlags {
  readonly out?: string
  readonly force?: boolean
  readonly json?: boolean
}

const DEFAULT_FOLDER = 'plots'

export const plot = buildCommand<PlotFlags, string[], Context>({
  docs: {
    brief: 'Draw results: how completion times spread, and queues, rates and goodput over time',
    fullDescription: [
      'Writes SVG files: the distributions of completion time and slowdown, and one for each observer that the scenario',
      'asked for (queue-depth, rates, goodput, link-use), with the eight lines that reach highest. Several results share',
      'each figure. Observers are part of a scenario: observe: [{kind: queue-depth, interval: 1us}, rates].',
      '',
      'A sweep is drawn as one figure a metric: its means with their 95 % intervals, against the first parameter whose',
      'values are numbers, with one line for each combination of the others; as bars where no parameter has numbers.',
      '',
      'Examples:',
      '  rocelab plot results/incast-s1-0123abcd',
      '  rocelab plot results/gbn results/irn --out figures',
      '  rocelab plot results/sweep-fat-tree-0123abcd',
    ].join('\n'),
  },
  parameters: {
    positional: {
      kind: 'array',
      minimum: 1,
      parameter: { brief: 'Result folder, or that of a sweep', placeholder: 'RESULT', parse: fileText },
    },
    flags: {
      out: outFlag(DEFAULT_FOLDER),
      force: givenFlag('Replace figures that are there'),
      json: givenFlag('Print the names of the files as JSON'),
    },
  },
  func: guarded(plotResults),
})

async function plotResults(this: Context, flags: PlotFlags, ...names: string[]): Promise<void> {
  const shown = flags.out ?? DEFAULT_FOLDER
  const folder = path.resolve(this.directory, shown)
  expectWritable(folder, shown)
  const sweep = sweepAmong(this, names)
  const results = sweep === undefined ? await resultsOf(this, names) : []
  // Drawing loads a plotting library, which no other command needs.
  const { resultFigures, sweepFigures } = await import('../../report/figure/index.ts')
  const figures = sweep === undefined ? resultFigures(results) : sweepFigures(sweep)
  const files = figures.map(({ name, svg }) => ({ path: `${name}.svg`, text: svg }))
  const inTheWay = files.filter((file) => isThere(path.join(folder, file.path)))
  if (inTheWay.length > 0 && flags.force !== true) {
    const received = inTheWay.map((file) => file.path).join(', ')
    throw new InputError([
      {
        path: '',
        file: shown,
        expected: 'a folder without these figures',
        received,
        hint: 'name another one, or --force',
      },
    ])
  }
  writeReport(folder, shown, files)
  const { stdout, stderr } = this.process
  for (const { label, result } of results) {
    if (result.partial) stderr.write(`rocelab: ${label} is partial: its run was interrupted\n`)
  }
  const written = files.map((file) => path.join(shown, file.path))
  if (flags.json === true) stdout.write(`${JSON.stringify({ schemaVersion: 1, files: written })}\n`)
  else if (written.length > 0) stdout.write(`${written.join('\n')}\n`)
  else stderr.write('rocelab: nothing to draw: no flow finished, and nothing was observed over time\n')
}

/** The sweep that is to be drawn, which stands alone; undefined when none is named. */
function sweepAmong(context: Context, names: readonly string[]): PlottedSweep | undefined {
  const [name] = names.filter((each) => isSweep(context.directory, each))
  if (name === undefined) return undefined
  if (names.length > 1) {
    const received = `${names.length - 1} more beside it`
    throw new InputError([{ path: '', file: name, expected: 'a sweep alone', received, hint: 'draw each on its own' }])
  }
  const { sweep, partial } = readSweep(context.directory, name)
  if (partial) context.process.stderr.write(`rocelab: ${name} is partial: the sweep was interrupted\n`)
  return sweep
}

/** All of them; the mistakes of all when some cannot be read. */
async function resultsOf(context: Context, names: readonly string[]): Promise<NamedResult[]> {
  const issues: Issue[] = []
  const results: NamedResult[] = []
  for (const name of names) {
    try {
      const { result } = await readResult(readerOf(context.directory, name))
      results.push({ label: path.basename(path.resolve(context.directory, name)), result })
    } catch (error) {
      if (!(error instanceof InputError)) throw error
      issues.push(...error.issues.map((issue) => (issue.file === undefined ? { ...issue, file: name } : issue)))
    }
  }
  if (issues.length > 0) throw new InputError(issues)
  return results
}
