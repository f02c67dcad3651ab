/**
 * A result as files, and back: names and bytes only, whoever calls writes and reads them.
 * Two runs of the same scenario give the same bytes in every file but `cost.json`.
 *
 *     scenario.yaml        the scenario as run, complete
 *     scenario.PATH.list   a long list of it, which scenario.yaml names
 *     summary.json         what `rocelab run --json` prints, without the cost
 *     result.json          everything of the Result that is no table
 *     flows.parquet, .csv  one row a flow; in their place operations.parquet, .csv, or none of them (measure.flows)
 *     series/NAME.parquet, .csv   one table an observer
 *     NAME.pcapng          frames, one file an observer that captures them
 *     digest.txt           digest of the event stream
 *     cost.json            CPU time, wall time, memory
 */
import { assert } from '../base/assert.ts'
import { inputError } from '../base/issue.ts'
import { csvParts } from './csv.ts'
import { joined } from './file-parts.ts'
import { parquetParts } from './parquet.ts'
import { operationsOf } from './flows/operations.ts'
import type { Attachment, FlowRows, Result, RunCost } from './result.ts'
import { runJson, type Summary, summarize } from './summary.ts'
import { readCost, readHead } from './stored/head.ts'
import { readFlows, readSeries } from './stored/table.ts'
import type { TableKind } from './table-kinds.ts'
import type { Table } from './table.ts'

/** One file of a result. */
export interface ResultFile {
  /** Relative, with forward slashes. */
  readonly path: string
  /** Made on each access for tables, so that not all files are in memory at once. */
  readonly data: Uint8Array
  /** The same part by part, of a file that may be large; a part is valid until the next one is asked for. */
  readonly parts?: () => Iterable<Uint8Array>
}

export interface ResultExtras {
  /** The scenario printed in full. */
  readonly scenarioText: string
  /** Files of its long lists. */
  readonly scenarioLists?: readonly { readonly name: string; readonly text: string }[]
  readonly cost?: RunCost
  /** Summary of the result, if it has been computed. */
  readonly summary?: Summary
  /** Rows of flows that are kept; all by default. */
  readonly flowRows?: FlowRows
}

/** All files of a result. */
export function resultFiles(result: Result, extras: ResultExtras): ResultFile[] {
  const { flows, series, attachments = [], ...rest } = result
  const { flowRows = 'all' } = extras
  const names = series.map((table) => table.name)
  assert(new Set(names).size === names.length, 'result files: two series have the same name')
  const files = [
    textFile('scenario.yaml', extras.scenarioText),
    ...(extras.scenarioLists ?? []).map(({ name, text }) => textFile(name, text)),
    textFile('summary.json', jsonText(runJson(result, extras.summary ?? summarize(result)))),
    textFile(
      'result.json',
      jsonText({
        ...rest,
        series: names,
        kinds: series.map(({ kind }) => kind),
        ...(flowRows === 'all' ? {} : { flowRows }),
        ...namesOf(attachments),
      }),
    ),
    textFile('digest.txt', `${result.digest}\n`),
    ...(flowRows === 'all' ? tableFiles('flows', flows) : []),
    ...(flowRows === 'operations' ? tableFiles('operations', operationsOf(result)) : []),
    ...series.flatMap((table) => tableFiles(seriesPath(table.name), table)),
    ...attachments,
  ]
  if (extras.cost !== undefined) files.push(textFile('cost.json', jsonText(extras.cost)))
  return files
}

/** Entry of result.json; none where there are no attachments. */
function namesOf(attachments: readonly Attachment[]): { readonly attachments?: readonly string[] } {
  return attachments.length === 0 ? {} : { attachments: attachments.map(({ path }) => path) }
}

export interface StoredResult {
  readonly result: Result
  readonly scenarioText: string
  /** Text of a list that the scenario names; undefined if there is no such file. */
  readonly scenarioList: (name: string) => string | undefined
  readonly cost: RunCost | undefined
}

/** The bytes of one file of a result by its path, as in {@link ResultFile}; undefined: there is none. */
export type ResultReader = (path: string) => Uint8Array | undefined

/**
 * The result in these files; CSV, summary and digest are not looked at, they only repeat.
 * Throws InputError when a file is missing, damaged or of another schema.
 * @param flowColumns those that will be looked at; all unless given.
 */
export async function readResult(read: ResultReader, flowColumns?: readonly string[]): Promise<StoredResult> {
  const bytesOf = (path: string): Uint8Array => {
    const data = read(path)
    if (data === undefined) {
      throw inputError(
        path,
        'a file of a result',
        'no such file',
        'a result is a folder that `rocelab run` has written',
      )
    }
    return data
  }
  const { head, series: names, kinds, flowRows, attachments: attached } = readHead(textOf(bytesOf('result.json')))
  if (flowRows !== 'all') {
    throw inputError(
      'flows.parquet',
      'a row of each flow',
      `none, as its scenario has measure.flows: ${flowRows}`,
      'the summary is in summary.json; for more run scenario.yaml again with --set measure.flows=all',
    )
  }
  const tables: Table[] = []
  for (const [i, name] of names.entries()) {
    const path = `${seriesPath(name)}.parquet`
    tables.push(await readSeries(bytesOf(path), path, name, kinds?.[i]))
  }
  const flows = await readFlows(bytesOf('flows.parquet'), 'flows.parquet', flowColumns)
  const result: Result = {
    ...head,
    flows,
    series: tables,
    ...(attached.length === 0 ? {} : { attachments: attached.map((path) => attachment(path, bytesOf)) }),
  }
  const cost = read('cost.json')
  return {
    result,
    scenarioText: textOf(bytesOf('scenario.yaml')),
    scenarioList(name) {
      const list = /^scenario\.[\w.-]+\.list$/.test(name) ? read(name) : undefined
      return list && textOf(list)
    },
    cost: cost === undefined ? undefined : readCost(textOf(cost)),
  }
}

/**
 * The tables of these kinds, in their order; undefined for one that is not there. Nothing else of the result is looked at.
 * Throws InputError like {@link readResult}.
 */
export async function readTablesOfKinds(
  read: ResultReader,
  kinds: readonly TableKind[],
): Promise<(Table | undefined)[]> {
  const head = read('result.json')
  if (head === undefined) throw inputError('result.json', 'a file of a result', 'no such file')
  const { series: names, kinds: stored } = readHead(textOf(head))
  const tables: (Table | undefined)[] = []
  for (const kind of kinds) {
    const at = stored?.indexOf(kind) ?? -1
    const path = at < 0 ? '' : `${seriesPath(names[at]!)}.parquet`
    const bytes = at < 0 ? undefined : read(path)
    tables.push(bytes === undefined ? undefined : await readSeries(bytes, path, names[at]!, kind))
  }
  return tables
}

/** A stored attachment, which is read when it is asked for. */
function attachment(path: string, bytesOf: (path: string) => Uint8Array): Attachment {
  return {
    path,
    get data() {
      return bytesOf(path)
    },
  }
}

/** Observer names may hold anything; file names may not. */
function seriesPath(name: string): string {
  return `series/${encodeURIComponent(name)}`
}

function tableFiles(path: string, table: Table): ResultFile[] {
  return [fileOfParts(`${path}.parquet`, () => parquetParts(table)), fileOfParts(`${path}.csv`, () => csvParts(table))]
}

function fileOfParts(path: string, parts: () => Iterable<Uint8Array>): ResultFile {
  return {
    path,
    parts,
    get data() {
      return joined(parts())
    },
  }
}

function textFile(path: string, text: string): ResultFile {
  return { path, data: new TextEncoder().encode(text) }
}

function jsonText(value: unknown): string {
  return `${JSON.stringify(value, null, 2)}\n`
}

function textOf(data: Uint8Array): string {
  return new TextDecoder().decode(data)
}
