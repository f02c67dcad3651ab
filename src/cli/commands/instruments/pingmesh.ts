/**
 * pingmesh LOG: what a log of RDMA Pingmesh says of a fabric. The log is the table of a result or a CSV file, simulated or
 * recorded; nothing else of a result is looked at.
 */
import { probeText } from '../../../doctor/answers/probe-text.ts'
import { inputError, InputError, issuesIn } from '../../../core/base/issue.ts'
import { findingJson } from '../../../core/findings/index.ts'
import {
  analyse,
  baselineOf,
  MAP_LEVELS,
  probeMap,
  type ProbeLog,
  readProbeLog,
} from '../../../doctor/diagnosis/pingmesh/index.ts'
import { readCsv, readTablesOfKinds, type Table } from '../../../core/results/index.ts'
import { command, type FlagsOf } from '../../command.ts'
import { fileFlag, givenFlag } from '../../flags.ts'
import type { Context } from '../../context.ts'
import { writeText } from '../../files/files.ts'
import { isFolder } from '../../files/folders.ts'
import { readText } from '../../files/input-file.ts'
import { readerOf } from '../../files/result-folder.ts'
import { fileText } from '../../parsers.ts'

const WHAT = 'a result folder or a log of probes as CSV'

const FLAGS = {
  baseline: fileFlag('LOG', 'Log of healthy time [default = healthy parts of the log itself]'),
  figure: fileFlag('FILE', 'Draw who reaches whom, as SVG'),
  force: givenFlag('Replace an existing figure'),
  json: givenFlag('Print JSON'),
}
type PingmeshFlags = FlagsOf<typeof FLAGS>

export const pingmeshCommand = command({
  brief: 'Say from probes alone whether RDMA works, and where it does not',
  about: [
    'LOG is a result of a scenario with workload pingmesh, or a CSV file with a row for each probe and the columns time_ns,',
    'source, destination, scope, status and rtt_ns, and source_port and age_ns where they are known (or camelCase; times in',
    'ps, ns, us or ms). Statuses are ok, retry-exceeded, rnr-exceeded, unreachable, unfinished, flushed, error, or those of',
    'ibv_wc_status. What is usual is taken from a log of healthy time, or from the healthy parts of the log itself.',
    '',
    'Examples:',
    '  rocelab run scenarios/pingmesh.yaml --out incident',
    '  rocelab pingmesh incident --figure incident.svg',
    '  rocelab pingmesh today.csv --baseline yesterday.csv --json',
  ],
  args: [{ brief: 'Result folder, or CSV file', placeholder: 'LOG', parse: fileText }],
  flags: FLAGS,
  run: analyseLog,
})

async function analyseLog(this: Context, flags: PingmeshFlags, name: string): Promise<void> {
  const given = flags.baseline === undefined ? undefined : baselineOf(await logAt(this.directory, flags.baseline))
  const analysis = analyse(await logAt(this.directory, name), given)
  if (flags.figure !== undefined) {
    // Loaded on demand: the plotting library is large.
    const { levelMapFigure } = await import('../../../show/figure/index.ts')
    const { labels, levels } = probeMap(analysis)
    const { state, hosts } = analysis.state
    const svg = levelMapFigure(
      { title: `Probes of ${name}`, subtitle: `${state}${hosts.length === 0 ? '' : `: ${hosts.join(', ')}`}` },
      {
        labels,
        levels: levels.map((row) => row.map((level) => MAP_LEVELS.indexOf(level))),
        names: MAP_LEVELS,
        rowsLabel: 'from',
        columnsLabel: 'to',
      },
    )
    writeText(this.directory, flags.figure, svg, { force: flags.force === true })
  }
  const { stdout } = this.process
  if (flags.json === true) {
    const findings = analysis.findings.map((finding) => findingJson(finding))
    stdout.write(`${JSON.stringify({ schemaVersion: 1, ...analysis, findings })}\n`)
  } else stdout.write(probeText(analysis, this.text))
}

async function logAt(directory: string, name: string): Promise<ProbeLog> {
  try {
    return readProbeLog(await tableAt(directory, name))
  } catch (error) {
    throw new InputError(issuesIn(error, name))
  }
}

async function tableAt(directory: string, name: string): Promise<Table> {
  if (!isFolder(directory, name, WHAT)) return csvTable(readText(directory, name, WHAT))
  const [table] = await readTablesOfKinds(readerOf(directory, name), ['pingmesh'])
  if (table === undefined)
    throw inputError('', 'a result with probes', 'none', 'give its scenario a workload of kind pingmesh')
  return table
}

/** All columns as texts, so that a bad field is reported with its line and not taken for another type. */
function csvTable(text: string): Table {
  const end = text.indexOf('\n')
  const head = readCsv('pingmesh', end < 0 ? text : text.slice(0, end + 1))
  return readCsv('pingmesh', text, { types: Object.fromEntries(head.columns.map(({ name }) => [name, 'text'])) })
}
