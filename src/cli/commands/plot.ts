/**
 * plot RESULT...: figures of results, several side by side, or of a sweep.
 */
import path from 'node:path'
import { buildCommand } from '@stricli/core'
import { InputError, type Issue } from '../../base/issue.ts'
import type { NamedResult, PlottedSweep } from '../../report/figure/index.ts'
import { partialReason, readResult } from '../../results/index.ts'
import type { Context } from '../context.ts'
import { guarded } from '../failure.ts'
import { givenFlag, outFlag } from '../flags.ts'
import { expectWritable, isThere } from '../files/folders.ts'
import { anyText, fileText, pixelSize } from '../parsers.ts'
import { writeReport } from '../files/report-folder.ts'
import { readerOf } from '../files/result-folder.ts'
import { isSweep, readSweep } from '../sweep/stored-sweep.ts'

interface PlotFlags {
  readonly by?: 'size' | 'tag'
  readonly title?: string
  readonly size?: { readonly width: number; readonly height: number }
  readonly format?: 'svg' | 'png'
  readonly out?: string
  readonly force?: boolean
  readonly json?: boolean
}

const DEFAULT_FOLDER = 'plots'
/** Below it nothing is left beside the labels; above it a PNG takes gigabytes. */
const SIZE_MIN = 240
const SIZE_MAX = 8000

export const plot = buildCommand<PlotFlags, string[], Context>({
  docs: {
    brief: 'Draw results: completion times, slowdown by size or tag, and queues, rates, goodput and pauses over time',
    fullDescription: [
      'Writes SVG files, or PNG: completion time and slowdown as distribution and as tail (1 - CDF on a log axis), and',
      'one for each observer that the scenario asked for (queue-depth, also as CDF; rates, goodput, pair-goodput,',
      'link-use, pause-intervals). Several results share each figure, and each has lines in it: those with the highest',
      'peaks, eight altogether. Observers are part of a scenario: observe: [{kind: queue-depth, interval: 1us}, rates].',
      '',
      '--by size draws p50, p95 and p99 slowdown in bins of equally many flows instead, --by tag the same by tag; of',
      'several results each quantile is a figure of its own. Flows that did not finish count as slower than all others',
      'and are counted below the title.',
      '',
      'A sweep is drawn as one figure a metric: its means with their 95 % intervals, against the first parameter whose',
      'values are numbers, with one line for each combination of the others; as bars where no parameter has numbers.',
      '',
      'Examples:',
      '  rocelab plot results/incast-s1-0123abcd',
      '  rocelab plot results/gbn results/irn --out figures',
      '  rocelab plot results/gbn results/irn --by size --format png --title "Web search at 60 %" --size 800x450',
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
      by: {
        kind: 'enum',
        values: ['size', 'tag'],
        optional: true,
        brief: 'Quantiles of the slowdown by flow size or by tag, in place of the other figures',
      },
      title: {
        kind: 'parsed',
        parse: anyText,
        optional: true,
        placeholder: 'TEXT',
        brief: 'Title of the figures [default = names of the scenarios]',
      },
      size: {
        kind: 'parsed',
        parse: pixelSize(SIZE_MIN, SIZE_MAX),
        optional: true,
        placeholder: 'WxH',
        brief:
          'Pixels of a figure, as in 800x450; PNG has twice as many each way [default = 720 wide, as high as needed]',
      },
      format: {
        kind: 'enum',
        values: ['svg', 'png'],
        optional: true,
        brief: 'Kind of file [default = svg]',
      },
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
  const { by, title, size, format = 'svg' } = flags
  const options = { ...(title === undefined ? {} : { title }), ...size }
  if (sweep !== undefined && by !== undefined) {
    const hint = 'it draws metrics by parameter; results that were kept can be drawn by size'
    throw new InputError([{ path: '--by', expected: 'results of runs', received: 'a sweep', hint }])
  }
  const figures =
    sweep === undefined
      ? resultFigures(results, { ...options, ...(by === undefined ? {} : { by }) })
      : sweepFigures(sweep, options)
  // The renderer of pixels is large, and most figures stay SVG.
  const drawn = format === 'png' ? await (await import('../files/png.ts')).createPngMaker() : (svg: string) => svg
  const files = figures.map(({ name, svg }) => ({ path: `${name}.${format}`, text: drawn(svg) }))
  const blocking = files.filter((file) => isThere(path.join(folder, file.path)))
  if (blocking.length > 0 && flags.force !== true) {
    const received = blocking.map((file) => file.path).join(', ')
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
  const isTimed = figures.some(({ name }) => name.startsWith('slowdown'))
  if (sweep !== undefined && figures.length === 0) {
    const isStopped = sweep.rows.some(({ stopped }) => stopped > 0)
    const why = isStopped ? 'all its points were stopped at --point-limit' : 'no point has ended'
    stderr.write(`rocelab: nothing to draw of this sweep: ${why}\n`)
    return
  }
  if (!isTimed) stderr.write('rocelab: no completion times to draw: no measured flow finished\n')
  for (const { label, result } of results) {
    if (result.partial) stderr.write(`rocelab: ${label} is partial: its run was ${partialReason(result)}\n`)
  }
  const written = files.map((file) => path.join(shown, file.path))
  if (flags.json === true) stdout.write(`${JSON.stringify({ schemaVersion: 1, files: written })}\n`)
  else if (written.length > 0) stdout.write(`${written.join('\n')}\n`)
  else if (by === undefined) stderr.write('rocelab: nothing was observed that plot draws (see rocelab plot --help)\n')
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
  const folders = names.map((name) => path.basename(path.resolve(context.directory, name)))
  for (const [i, name] of names.entries()) {
    try {
      const { result } = await readResult(readerOf(context.directory, name))
      const folder = folders[i] as string
      // Folders of one name in different places: told apart as they were given.
      const isAlone = folders.indexOf(folder) === folders.lastIndexOf(folder)
      results.push({ label: isAlone ? folder : name, result })
    } catch (error) {
      if (!(error instanceof InputError)) throw error
      for (const issue of error.issues) issues.push(issue.file === undefined ? { ...issue, file: name } : issue)
    }
  }
  if (issues.length > 0) throw new InputError(issues)
  return results
}
