/**
 * Stored tables: tables of a result that were read from its files. A column that lacks or is of another type is a mistake in
 * the file, found here for flows, and for series when someone asks for the column: which columns they have depends on the
 * observer and on the version that wrote them.
 */
import { unitOf } from '../../base/format.ts'
import { InputError, inputError } from '../../base/issue.ts'
import { LAST_PS } from '../../base/params.ts'
import { openParquet, type ParquetColumn, type ParquetFile, wholeColumn } from '../parquet.ts'
import { oldKind } from './old-kinds.ts'
import { type Column, columnOnDemand, createTable, DAMAGED, expectColumn, noteFile, type Table } from '../table.ts'

/** Columns that flows of all versions have, with the largest value of those that are whole numbers from 0. */
const FLOW_COUNTS: Readonly<Record<string, number>> = {
  flow: Number.MAX_SAFE_INTEGER,
  source: 2 ** 24,
  destination: 2 ** 24,
  sizeBytes: Number.MAX_SAFE_INTEGER,
  startPs: LAST_PS,
  trafficClass: 7,
  sourcePort: 0xffff,
  destinationPort: 0xffff,
  measured: 1,
}
/** From 0, and NaN where the time never came or nobody counted. */
const FLOW_MEASURES = ['receivedPs', 'acknowledgedPs', 'idealPs', 'idealAcknowledgedPs', 'retransmissions', 'timeouts']
const FLOW_TEXTS = ['operation', 'tag', 'status']

/**
 * Type of the columns of series, by name: observers give a name to one quantity. Those of other names are as they are;
 * `direction` is a text in one table and a number in another, and so is `port`: counters have it by its name.
 */
export const SERIES_COLUMNS: Readonly<Record<'integer' | 'number' | 'text', readonly string[]>> = {
  integer: (
    'timePs fromPs toPs startPs endPs sincePs onsetPs seenPs queuedPs wirePs queuePs pausedPs ' +
    'pausedByPs before1Ps before2Ps before3Ps beforeOthersPs watchdogPs spanPs sentPs firstPs lastPs markedWaitPs ' +
    'marks pausedAtBytes droppedAtBytes node port host source ' +
    'destination pair message hop psn una nxt trafficClass before1 before2 before3 tier peerNode ' +
    'peerTier fromNode fromPort rootNode nodeType type pause parent depth isOpen leftOut circlePorts members victims ' +
    'hosts pairs available working paused waiting idle healthy failing probation packets drops bytes translations ' +
    'translationMisses contextMisses pauses acks markedAcks cnps sentFrames txOk txDropped rxOk ' +
    'rxDropped sizeBytes encodedBytes payloadBytes sentBytes mostBytes heldBytes queueBytes ' +
    'peakBytes headroomPeakBytes waitingBytes drainingBytes sourcePort agePs timeNs priority bits value rank id iteration step peer messageTag stream readyPs after sendId lastRank ' +
    'elementBytes messages ranks iterations group isBound'
  ).split(' '),
  number: (
    'goodputBps rateBps useRatio windowPackets rttPs cableM donePs medianDonePs algorithmBps busBps ' +
    'idealPs idealStartPs idealRatio idlePs evenPs computePs lastDonePs beginPs arrivedPs flow'
  ).split(' '),
  text: (
    'nodeName peerName rootName fromName pausedBy origin rootKind kind comment circle reason event rule part ' +
    'sourceName destinationName scope status device name deviceA portA deviceB portB ' +
    'tag rankName lastName operation algorithm piece waitsFor'
  ).split(' '),
}
const SERIES_TYPES = new Map(
  Object.entries(SERIES_COLUMNS).flatMap(([type, names]) => names.map((name) => [name, type] as const)),
)

/** Time of an event that many NICs never see: -1 then. */
const MAY_NEVER_COME = 'watchdogPs'

/** Numbers of any table are less: beyond it there is no quantity of a run. */
const NUMBER_MAX = 2 ** 63

/**
 * The table of an observer in the bytes of a file. Throws InputError with file and column.
 * @param kind undefined: the result does not say.
 */
export async function readSeries(bytes: Uint8Array, file: string, name: string, kind?: string): Promise<Table> {
  const table = await readTable(bytes, file, name, kind)
  for (const column of table.columns) {
    const isPortName = kind === 'counters' && column.name === 'port'
    const type = isPortName ? 'text' : (SERIES_TYPES.get(column.name) ?? column.type)
    if (type !== column.type) {
      throw inputError(`${file}: ${column.name}`, `a column of type ${type}`, column.type, DAMAGED)
    }
    if (type !== 'integer' || unitOf(column.name) !== 'Ps') continue
    const isNever = (value: number): boolean => value === -1 && column.name === MAY_NEVER_COME
    const row = (column.data as Float64Array).findIndex((value) => value < 0 && !isNever(value))
    if (row >= 0) throw wrongCell(file, column.name, row, 'a time from 0', column.data[row] as number)
  }
  return table
}

async function readTable(bytes: Uint8Array, file: string, name: string, kind: string | undefined): Promise<Table> {
  const columns = opened(bytes, file, name).columns.map((column) => wholeIn(file, column))
  for (const column of columns) checkNumbers(column, file)
  return await Promise.resolve(noteFile(createTable(name, columns, kind ?? oldKind(columns)), file))
}

/**
 * The table of flows. There may be millions, so that a column takes memory from the first look at its data on.
 * Throws like `readSeries`, for cells too.
 * @param wanted columns whose cells are checked before anything else; those of the others are at the first look at them.
 */
export async function readFlows(bytes: Uint8Array, file: string, wanted?: readonly string[]): Promise<Table> {
  const { rowCount, columns } = opened(bytes, file, 'flows')
  const flows = noteFile(
    {
      name: 'flows',
      kind: 'flows',
      rowCount,
      columns: columns.map((column) => columnOnDemand(column, () => flowColumn(column, file))),
    },
    file,
  )
  for (const name of [...Object.keys(FLOW_COUNTS), ...FLOW_MEASURES]) expectColumn(flows, name, 'number')
  for (const name of FLOW_TEXTS) expectColumn(flows, name, 'text')
  for (const column of columns) if (wanted?.includes(column.name) !== false) flowColumn(column, file)
  return await Promise.resolve(flows)
}

/** A column of flows, its cells checked. */
function flowColumn(column: ParquetColumn, file: string): Column {
  const whole = wholeIn(file, column)
  checkNumbers(whole, file)
  const { name, type, data } = whole
  if (type === 'text') return whole
  const max = FLOW_COUNTS[name]
  if (max !== undefined) {
    const row = data.findIndex((value) => !(Number.isInteger(value) && value >= 0 && value <= max))
    if (row >= 0) throw wrongCell(file, name, row, `a whole number from 0 to ${max}`, data[row]!)
  }
  if (FLOW_MEASURES.includes(name)) {
    const row = data.findIndex((value) => value < 0)
    if (row >= 0) throw wrongCell(file, name, row, 'a number from 0', data[row]!)
  }
  return whole
}

function opened(bytes: Uint8Array, file: string, name: string): ParquetFile {
  const found = asDamage(file, () => openParquet(bytes, name))
  if (found.name !== name) throw inputError(file, `the table ${name}`, `the table ${found.name}`, DAMAGED)
  return found
}

function wholeIn(file: string, column: ParquetColumn): Column {
  return asDamage(file, () => wholeColumn(column))
}

/** Reports an error of the Parquet reader as damage of the stored result. */
function asDamage<T>(file: string, act: () => T): T {
  try {
    return act()
  } catch (error) {
    if (!(error instanceof InputError)) throw error
    throw new InputError(error.issues.map((issue) => ({ ...issue, path: file, hint: DAMAGED })))
  }
}

function checkNumbers({ name, type, data }: Column, file: string): void {
  if (type === 'text') return
  const max = unitOf(name) === 'Ps' ? LAST_PS : NUMBER_MAX
  const isAllowed = (value: number): boolean =>
    Number.isNaN(value) ? type === 'number' : value >= -max && value <= max
  const row = data.findIndex((value) => !isAllowed(value))
  if (row >= 0) throw wrongCell(file, name, row, `a number up to ${max}`, data[row]!)
}

function wrongCell(file: string, column: string, row: number, expected: string, value: number): InputError {
  return inputError(`${file}: ${column}, row ${row + 1}`, expected, String(value), DAMAGED)
}
