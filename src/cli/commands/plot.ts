/**
 * plot RESULT...: draws figures of one or several results, or of a sweep.
 */
import path from 'node:path'
import { fileError, inputError } from '../../core/base/issue.ts'
import type { PlottedSweep } from '../../show/figure/index.ts'
import { partialReason } from '../../core/results/index.ts'
import { command, type FlagsOf } from '../command.ts'
import { choiceFlag, givenFlag, outFlag, valueFlag } from '../flags.ts'
import type { Context } from '../context.ts'
import { expectWritable, isThere } from '../files/folders.ts'
import { anyText, fileText, pixelSize } from '../parsers.ts'
import { writeReport } from '../files/report-folder.ts'
import { storedResults } from '../files/stored-results.ts'
import { isSweep, readSweep } from '../sweep/stored-sweep.ts'

const DEFAULT_FOLDER = 'plots'
/** Several results belong to no folder of theirs. */
const defaultFolder = ([name = '', ...others]: readonly string[]): string =>
  others.length === 0 ? path.join(name, DEFAULT_FOLDER) : DEFAULT_FOLDER
/** Smaller figures have room for nothing but labels; larger PNGs take gigabytes of memory. */
const SIZE_MIN = 240
const SIZE_MAX = 8000

const FLAGS = {
  by: choiceFlag(['size', 'tag'], 'Draw slowdown quantiles by flow size or by tag instead of the other figures'),
  title: valueFlag('TEXT', anyText, 'Title of the figures [default = names of the scenarios]'),
  size: valueFlag(
    'WxH',
    pixelSize(SIZE_MIN, SIZE_MAX),
    'Size of a figure in pixels, such as 800x450; doubled in PNG [default = 720 wide, as high as needed]',
  ),
  format: choiceFlag(['svg', 'png'], 'File format [default = svg]'),
  out: outFlag(`RESULT/${DEFAULT_FOLDER}, of several results ${DEFAULT_FOLDER}`),
  force: givenFlag('Replace existing figures'),
  json: givenFlag('Print the names of the files as JSON'),
}
type PlotFlags = FlagsOf<typeof FLAGS>

export const plot = command({
  brief: 'Draw results: completion times, slowdown by size or tag, and queues, rates, goodput and pauses over time',
  about: [
    'Writes SVG or PNG files: completion time and slowdown, each as CDF and as tail (1 - CDF on a log axis), goodput and',
    'fairness by tag, drops by cause and place, and one figure per observer of the scenario (queue-depth, also as CDF;',
    'rates, goodput, pair-goodput, link-use, pause-intervals, also by port; pause-tree, server-state). Several results',
    'share each figure, but those of pauses by port and of the pause tree; a figure over time shows the eight lines with',
    'the highest peaks, some of each result.',
    'Observers are set in the scenario: observe: [{kind: queue-depth, interval: 1us}, rates].',
    '',
    '--by size instead draws p50, p95 and p99 slowdown in size bins with equal numbers of flows, --by tag the same by',
    'tag. For several results each quantile is a separate figure. Unfinished flows count as slower than all others and',
    'are counted below the title.',
    '',
    'A sweep is drawn as one figure per metric: means with 95 % confidence intervals against the first parameter with',
    'numeric values, with one line for each combination of the others; as bars if no parameter is numeric.',
    '',
    'Figures of one result or sweep are written into its folder, in place of earlier ones; those of several into plots.',
    '',
    'Examples:',
    '  rocelab plot results/incast-s1-0123abcd',
    '  rocelab plot results/gbn results/irn --out figures',
    '  rocelab plot results/gbn results/irn --by size --format png --title "Web search at 60 %" --size 800x450',
    '  rocelab plot results/sweep-fat-tree-0123abcd',
  ],
  manyArgs: { brief: 'Folder of a result or of a sweep', placeholder: 'RESULT', parse: fileText, minimum: 1 },
  flags: FLAGS,
  run: plotResults,
})

async function plotResults(this: Context, flags: PlotFlags, ...names: string[]): Promise<void> {
  const shown = flags.out ?? defaultFolder(names)
  // Nothing but figures of that result is there.
  const isOwn = flags.out === undefined && names.length === 1
  const folder = path.resolve(this.directory, shown)
  const sweep = sweepAmong(this, names)
  const results = sweep === undefined ? await storedResults(this.directory, names) : []
  expectWritable(folder, shown)
  // Loaded on demand: the plotting library is large and no other command needs it.
  const { resultFigures, sweepFigures } = await import('../../show/figure/index.ts')
  const { by, title, size, format = 'svg' } = flags
  const options = { ...(title === undefined ? {} : { title }), ...size }
  if (sweep !== undefined && by !== undefined) {
    const hint = 'a sweep is drawn by parameter; results of single runs can be drawn by size or tag'
    throw inputError('--by', 'results of runs', 'a sweep', hint)
  }
  const figures =
    sweep === undefined
      ? resultFigures(results, { ...options, ...(by === undefined ? {} : { by }) })
      : sweepFigures(sweep, options)
  // Loaded on demand: the PNG renderer is large.
  const drawn = format === 'png' ? await (await import('../files/png.ts')).createPngMaker() : (svg: string) => svg
  const files = figures.map(({ name, svg }) => ({ path: `${name}.${format}`, text: drawn(svg) }))
  const blocking = files.filter((file) => isThere(path.join(folder, file.path)))
  if (blocking.length > 0 && flags.force !== true && !isOwn) {
    const received = blocking.map((file) => file.path).join(', ')
    throw fileError(shown, 'a folder without these figures', received, 'name another folder, or use --force')
  }
  writeReport(folder, shown, files)
  const { stdout, stderr } = this.process
  const isTimed = figures.some(({ name }) => name.startsWith('slowdown'))
  if (sweep !== undefined && figures.length === 0) {
    const isStopped = sweep.rows.some(({ stopped }) => stopped > 0)
    const why = isStopped ? 'all its points were stopped at --point-limit' : 'no point has finished'
    stderr.write(`rocelab: nothing to draw for this sweep: ${why}\n`)
    return
  }
  if (!isTimed) stderr.write('rocelab: no completion times to draw: no measured flow finished\n')
  for (const { label, result } of results) {
    if (result.partial) stderr.write(`rocelab: ${label} is partial: its run was ${partialReason(result)}\n`)
  }
  const written = files.map((file) => path.join(shown, file.path))
  if (flags.json === true) stdout.write(`${JSON.stringify({ schemaVersion: 1, files: written })}\n`)
  else if (written.length > 0) stdout.write(`${written.join('\n')}\n`)
  else if (by === undefined)
    stderr.write(
      'rocelab: no observations to draw: the scenario has no observer that plot draws (see rocelab plot --help)\n',
    )
}

/** The sweep to draw, which has to be the only argument; undefined if none is named. */
function sweepAmong(context: Context, names: readonly string[]): PlottedSweep | undefined {
  const [name] = names.filter((each) => isSweep(context.directory, each))
  if (name === undefined) return undefined
  if (names.length > 1) {
    const received = `${names.length - 1} more`
    throw fileError(name, 'a sweep alone', received, 'draw each sweep separately')
  }
  const { sweep, partial } = readSweep(context.directory, name)
  if (partial) context.process.stderr.write(`rocelab: ${name} is partial: the sweep was interrupted\n`)
  return sweep
}
