/**
 * report RESULT...: one HTML page of one or several results.
 */
import { buildCommand } from '@stricli/core'
import { reportedRun } from '../../advice/index.ts'
import { InputError } from '../../base/issue.ts'
import { partialReason } from '../../results/index.ts'
import type { Context } from '../context.ts'
import { guarded } from '../failure.ts'
import { writeText } from '../files/files.ts'
import { pageAssets } from '../files/page-assets.ts'
import { type LabelledResult, storedResults } from '../files/stored-results.ts'
import { givenFlag } from '../flags.ts'
import { fileText } from '../parsers.ts'
import { isSweep } from '../sweep/stored-sweep.ts'

interface ReportFlags {
  readonly out?: string
  readonly force?: boolean
  readonly json?: boolean
}

const DEFAULT_FILE = 'report.html'

export const report = buildCommand<ReportFlags, string[], Context>({
  docs: {
    brief: 'Write one HTML page about results: verdict, figures, network, flows',
    fullDescription: [
      'The page begins with what ran, five numbers beside those of an idle network, and whatever is odd, each with a link',
      'to the place that shows it. Figures, a picture of the network and a table of flows follow; several results share',
      'each figure. It is one file without any address in it, which opens from the disk, prints, and can be sent to others.',
      '',
      'Observers in the scenario decide what there is to see: queue-depth, pause-intervals, link-use, rates, drops.',
      'Where there are many flows the page holds a part and says so; all are in flows.csv of the result.',
      '',
      'Examples:',
      '  rocelab report results/incast-s1-0123abcd',
      '  rocelab report pfc-alone dcqcn irn --out cures.html',
      '  rocelab run incast.yaml --report',
    ].join('\n'),
  },
  parameters: {
    positional: {
      kind: 'array',
      minimum: 1,
      parameter: { brief: 'Folder of a result', placeholder: 'RESULT', parse: fileText },
    },
    flags: {
      out: {
        kind: 'parsed',
        parse: fileText,
        optional: true,
        placeholder: 'FILE',
        brief: `File to write [default = ${DEFAULT_FILE}]`,
      },
      force: givenFlag('Replace an existing file that is not a report'),
      json: givenFlag('Print the name of the file as JSON'),
    },
  },
  func: guarded(writeReportPage),
})

async function writeReportPage(this: Context, flags: ReportFlags, ...names: string[]): Promise<void> {
  const sweeps = names.filter((name) => isSweep(this.directory, name))
  if (sweeps.length > 0) {
    const hint = 'rocelab plot draws a sweep'
    throw new InputError(
      sweeps.map((file) => ({ path: '', file, expected: 'the folder of a result', received: 'a sweep', hint })),
    )
  }
  const results = await storedResults(this.directory, names)
  const file = flags.out ?? DEFAULT_FILE
  writeText(this.directory, file, await reportText(results), { force: flags.force === true, isOurs: isReport })
  const { stdout, stderr } = this.process
  for (const { label, result } of results) {
    if (result.partial) stderr.write(`rocelab: ${label} is partial: its run was ${partialReason(result)}\n`)
  }
  stdout.write(flags.json === true ? `${JSON.stringify({ schemaVersion: 1, file })}\n` : `${file}\n`)
}

/** The page of these results. */
export async function reportText(results: readonly Omit<LabelledResult, 'cost'>[]): Promise<string> {
  // Loaded on demand: figures load the plotting library.
  const { runReport } = await import('../../report/html/index.ts')
  return runReport(
    results.map((stored) => reportedRun(stored, stored)),
    pageAssets(),
  )
}

/** Whether a text is a report, of any version. */
function isReport(text: string): boolean {
  return text.startsWith('<!doctype html>') && text.includes('id="report-data"')
}
