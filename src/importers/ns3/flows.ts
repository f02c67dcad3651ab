/**
 * flow.txt of the HPCC family: a count, then rows `src dst pg dport bytes start_s`; conweave has no dport column.
 * Start times are whole nanoseconds, truncated as in ns-3. The count is honoured and later rows are ignored, as in ns-3.
 */
import { foundAt, importFindings } from '../../core/findings/index.ts'
import type { ImportOption } from '../importer.ts'
import { describeHosts, type Ns3Dialect, type Ns3Topology } from './topology.ts'
import { secondsToNs } from './values.ts'
import { hasForm, parseReal, RowReader, valueAt, wholeAt, type ImportLog, type Row } from '../text-input.ts'

export interface Ns3Flow {
  /** Indexes among the hosts. */
  readonly source: number
  readonly destination: number
  /** Node ids. */
  readonly sourceId: number
  readonly destinationId: number
  readonly trafficClass: number
  readonly destinationPort: number
  readonly sizeBytes: number
  /** Simulator time. */
  readonly startNs: number
}

/** Flow sizes are unsigned 32-bit numbers in HPCC's reader, and in unchanged copies of it. */
const LARGEST_UINT32 = 2 ** 32 - 1

/** Option of importers that read flow files. */
export const sizeBitsOption: ImportOption = {
  name: 'size-bits',
  help: 'width of flow sizes, 32 bits in HPCC, conweave and SimAI (default), or 64 as in forks of them with larger flows',
  choices: ['32', '64'],
}

/** Dialects that read sizes of 64 bits. */
const WIDE: readonly Ns3Dialect[] = ['ns3-datacenter', 'ns3-alibabacloud']

/** First destination port that conweave assigns at each destination. */
const FIRST_CONWEAVE_PORT = 100

/** Words of a row. */
const FORM = ['src', 'dst', 'pg', 'dport', 'size', 'start']
const CONWEAVE_FORM = FORM.filter((word) => word !== 'dport')
const formOf = (dialect: Ns3Dialect): readonly string[] => (dialect === 'conweave' ? CONWEAVE_FORM : FORM)

/** @param isWide sizes have 64 bits in the simulator that reads the file, whatever its dialect */
export function readNs3Flows(
  file: string,
  text: string,
  dialect: Ns3Dialect,
  topology: Ns3Topology,
  log: ImportLog,
  isWide = false,
): Ns3Flow[] {
  const sizeMax = isWide || WIDE.includes(dialect) ? Number.MAX_SAFE_INTEGER : LARGEST_UINT32
  const reader = new RowReader(file, text)
  const declared = readCount(reader, dialect, log)
  if (declared === undefined) return []
  const position = new Map(topology.hosts.map((id, index) => [id, index]))
  const portsUsed = new Map<number, number>()
  const flows: Ns3Flow[] = []
  let cut = 0
  let latestNs = 0
  for (let number = 1; number <= declared; number++) {
    const row = reader.next()
    if (row === undefined) {
      const hint = `rows are "${formOf(dialect).join(' ')}" with dialect ${dialect}`
      log.issue(reader.location, 'flows', `${declared} flows as the first line declares`, `${number - 1}`, hint)
      return flows
    }
    const flow = readFlow(row, dialect, sizeMax, log)
    if (flow === undefined) continue
    const source = position.get(flow.sourceId)
    const destination = position.get(flow.destinationId)
    const where = `flow ${number}`
    if (source === undefined)
      log.issue(row.at(0), where, `a source among the ${describeHosts(topology)}`, `${flow.sourceId}`)
    if (destination === undefined)
      log.issue(row.at(0), where, `a destination among the ${describeHosts(topology)}`, `${flow.destinationId}`)
    if (flow.sourceId === flow.destinationId)
      log.issue(row.at(0), where, 'two different hosts', `${flow.sourceId} to itself`)
    if (flow.startNs < latestNs)
      log.issue(
        row.at(0),
        where,
        'starts in ascending order, as that simulator requires',
        `${flow.startNs}ns after ${latestNs}ns`,
      )
    latestNs = Math.max(latestNs, flow.startNs)
    if (flow.startNs / 1e9 !== flow.startSeconds) cut++
    let { destinationPort } = flow
    if (dialect === 'conweave') {
      const used = portsUsed.get(flow.destinationId) ?? 0
      portsUsed.set(flow.destinationId, used + 1)
      destinationPort = (FIRST_CONWEAVE_PORT + used) & 0xffff
    }
    const { sourceId, destinationId, trafficClass, sizeBytes, startNs } = flow
    flows.push({
      source: source ?? 0,
      destination: destination ?? 0,
      sourceId,
      destinationId,
      trafficClass,
      destinationPort,
      sizeBytes,
      startNs,
    })
  }
  const rest = reader.peek()
  if (rest !== undefined)
    log.note(
      foundAt(
        importFindings.importTextIgnored,
        { file, line: rest.line },
        { words: null, count: declared, of: 'flow', ignoredThere: true },
      ),
    )
  if (cut > 0) log.note(importFindings.adapted('truncated-starts', { flows: cut, of: flows.length }, { file }))
  return flows
}

/** The first line, which holds the number of flows alone. */
function readCount(reader: RowReader, dialect: Ns3Dialect, log: ImportLog): number | undefined {
  const row = reader.next()
  if (row === undefined) {
    log.issue(reader.location, 'number of flows', 'a number of flows in the first line', 'the end of the file')
    return undefined
  }
  const hint = `rows "${formOf(dialect).join(' ')}" follow it`
  return hasForm(row, ['flows'], log, hint) ? wholeAt(row, 0, log, 'number of flows') : undefined
}

type RawFlow = Omit<Ns3Flow, 'source' | 'destination'> & { readonly startSeconds: number }

function readFlow(row: Row, dialect: Ns3Dialect, sizeMax: number, log: ImportLog): RawFlow | undefined {
  if (!hasForm(row, formOf(dialect), log, hintFor(row, dialect))) return undefined
  const isConweave = dialect === 'conweave'
  const sourceId = wholeAt(row, 0, log, 'src')
  const destinationId = wholeAt(row, 1, log, 'dst')
  const trafficClass = wholeAt(row, 2, log, 'pg', 0, 7)
  const destinationPort = isConweave ? 0 : wholeAt(row, 3, log, 'dport', 0, 65535)
  const last = formOf(dialect).length - 1
  const sizeBytes = wholeAt(row, last - 1, log, 'size', 1)
  if (sizeBytes !== undefined && sizeBytes > sizeMax) {
    const hintText = 'if the fork that wrote the file reads 64 bits: --size-bits 64'
    const expected = `at most ${sizeMax} bytes, the limit of that simulator`
    log.issue(row.at(last - 1), 'size', expected, `${sizeBytes}`, hintText)
  }
  const startSeconds = valueAt(row, last, log, 'start', 'a start time in seconds', (text) => {
    const seconds = parseReal(text)
    return seconds === undefined || secondsToNs(seconds) === undefined ? undefined : seconds
  })
  if (
    sourceId === undefined ||
    destinationId === undefined ||
    trafficClass === undefined ||
    destinationPort === undefined ||
    sizeBytes === undefined ||
    startSeconds === undefined
  )
    return undefined
  const startNs = secondsToNs(startSeconds) ?? 0
  return { sourceId, destinationId, trafficClass, destinationPort, sizeBytes, startNs, startSeconds }
}

/** Hint for a row of another length, which is most often another dialect's. */
function hintFor({ words }: Row, dialect: Ns3Dialect): string {
  if (dialect === 'conweave' && words.length === FORM.length)
    return 'rows of the other dialects have a dport: leave --dialect conweave out'
  if (dialect !== 'conweave' && words.length === CONWEAVE_FORM.length)
    return 'rows of conweave have no dport: use --dialect conweave'
  return `dialect ${dialect}`
}
