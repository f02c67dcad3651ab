/**
 * report FOLDER...: one HTML page of results, of a sweep or of a reproduction, or a site of several reproductions.
 */
import path from 'node:path'
import { reportedRun } from '../../advice.ts'
import { siteOf } from '../../papers/index.ts'
import { shapedJson } from '../../core/base/shape.ts'
import { partialReason, type WhyJson, whyShape } from '../../core/results/index.ts'
import { command, type FlagsOf } from '../command.ts'
import { fileFlag, givenFlag } from '../flags.ts'
import type { Context } from '../context.ts'
import { writeText } from '../files/files.ts'
import { readStoredText } from '../files/input-file.ts'
import { WHY_FILE } from '../files/result-folder.ts'
import { pageAssets } from '../report/page-assets.ts'
import { type LabelledResult, storedResults } from '../files/stored-results.ts'
import { fileText } from '../parsers.ts'
import { type ReportInput, reportInput } from '../report/report-input.ts'
import { claimSite, INDEX, isReport, writeSite } from '../report/site-folder.ts'
import { storedReproductions } from '../report/stored-reproduction.ts'
import { readReportedSweep } from '../sweep/stored-sweep.ts'

export const DEFAULT_FILE = 'report.html'
const DEFAULT_SITE = 'report'

const FLAGS = {
  out: fileFlag(
    'FILE',
    `File to write [default = ${DEFAULT_FILE}]; for several reproductions a folder [default = ${DEFAULT_SITE}]`,
  ),
  force: givenFlag('Replace an existing file that is not a report, or add pages to a folder that is none'),
  json: givenFlag('Print the name of the file as JSON'),
}
type ReportFlags = FlagsOf<typeof FLAGS>

export const report = command({
  brief: 'Write one HTML page about results, a sweep or a reproduction: verdict first, then figures and tables',
  about: [
    'The page begins with what ran, five numbers beside those of an idle network, and whatever is odd, each with a link',
    'to the place that shows it. Figures, a picture of the network and a table of flows follow; several results share',
    'each figure. It is one file that loads nothing else, opens from the disk, prints, and can be sent to others.',
    '',
    'What it can show depends on the observers of the scenario: queue-depth, pause-intervals, link-use, rates, drops.',
    'Results that differ only in the seed are one entry of distributions and bars, as means with 95 % intervals.',
    'Where there are many flows the page holds a part and says so; all are in flows.csv of the result.',
    '',
    'The page of a sweep has its best and worst points, a figure for each metric, and a table of all points. The page of',
    'a reproduction (a folder that reproduce wrote) has what did not come out first, and the numbers of the paper beside',
    'ours. Several reproductions, or a folder of them, become a folder of pages that link to each other.',
    '',
    'Examples:',
    '  rocelab report results/incast-s1-0123abcd',
    '  rocelab report pfc-alone dcqcn irn --out cures.html',
    '  rocelab run incast.yaml --report',
    '  rocelab report results/sweep-fat-tree-0123abcd --out sweep.html',
    '  rocelab report docs/experiments --out site',
  ],
  manyArgs: { brief: 'Folder of a result, sweep or reproduction', placeholder: 'FOLDER', parse: fileText, minimum: 1 },
  flags: FLAGS,
  run: writeReportPage,
})

async function writeReportPage(this: Context, flags: ReportFlags, ...names: string[]): Promise<void> {
  const input = reportInput(this.directory, names)
  const out = flags.out ?? (input.kind === 'site' ? DEFAULT_SITE : DEFAULT_FILE)
  if (input.kind === 'site') return writeSitePages(this, flags, input.folders, names, out)
  const text = await textOf(this, input, names)
  writeText(this.directory, out, text, { force: flags.force === true, isOurs: isReport })
  printNames(this, flags, { file: out })
}

async function textOf(
  context: Context,
  input: Exclude<ReportInput, { kind: 'site' }>,
  names: readonly string[],
): Promise<string> {
  const { directory } = context
  const { stderr } = context.process
  if (input.kind === 'sweep') {
    const reported = readReportedSweep(directory, input.folder)
    if (reported.isPartial) stderr.write(`rocelab: ${input.folder} is partial: the sweep was interrupted\n`)
    const { sweepReport } = await import('../../show/html/index.ts')
    return sweepReport(reported, pageAssets())
  }
  if (input.kind === 'reproduction') {
    return reproductionText(directory, input.folder)
  }
  const results = await storedResults(directory, names)
  for (const { label, result } of results) {
    if (result.partial) stderr.write(`rocelab: ${label} is partial: its run was ${partialReason(result)}\n`)
  }
  return reportText(results.map((stored) => ({ ...stored, ...storedWhy(directory, stored) })))
}

/** The proved causes that the folder of a result holds; those of another run are left out. */
function storedWhy(directory: string, { folder, result }: LabelledResult): { readonly why?: WhyJson } {
  const text = readStoredText(path.resolve(directory, folder), folder, WHY_FILE, 'the answer of rocelab why')
  if (text === undefined) return {}
  const why = shapedJson(whyShape, text, path.join(folder, WHY_FILE), `rocelab why ${folder}`)
  return why.digest === result.digest ? { why } : {}
}

/** The page of a reproduction. */
export async function reproductionText(directory: string, folder: string): Promise<string> {
  const [reported] = await storedReproductions(directory, [folder])
  const { reproductionReport } = await import('../../show/html/index.ts')
  return reproductionReport(reported!, pageAssets())
}

/** A page for each reproduction, and an index, as one folder. */
async function writeSitePages(
  context: Context,
  flags: ReportFlags,
  folders: readonly string[],
  names: readonly string[],
  out: string,
): Promise<void> {
  const { directory } = context
  claimSite(directory, out, flags.force === true)
  const site = siteOf(names, await storedReproductions(directory, folders))
  const { reproductionReport, siteIndex } = await import('../../show/html/index.ts')
  const assets = pageAssets()
  const up = { href: INDEX, text: 'All reproductions' }
  const pages = site.pages.map(({ file, report: own }) => ({ path: file, text: reproductionReport(own, assets, up) }))
  const index = { path: INDEX, text: siteIndex(site, assets) }
  writeSite(directory, out, [...pages, index], flags.force === true)
  printNames(context, flags, { file: path.join(out, INDEX), pages: pages.map((page) => path.join(out, page.path)) })
}

function printNames(
  context: Context,
  flags: ReportFlags,
  written: { readonly file: string; readonly pages?: readonly string[] },
): void {
  const json = JSON.stringify({ schemaVersion: 1, ...written })
  context.process.stdout.write(flags.json === true ? `${json}\n` : `${written.file}\n`)
}

/** The page of these results. */
export async function reportText(
  results: readonly (Omit<LabelledResult, 'cost'> & { readonly why?: WhyJson })[],
): Promise<string> {
  // Loaded on demand: figures load the plotting library.
  const { runReport } = await import('../../show/html/index.ts')
  return runReport(
    results.map((stored) => ({ ...reportedRun(stored, stored), ...(stored.why !== undefined && { why: stored.why }) })),
    pageAssets(),
  )
}
