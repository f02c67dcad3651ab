/**
 * flow.txt of the HPCC family: a count, then rows `src dst pg dport bytes start_s`; conweave has no dport column.
 * Start times are whole nanoseconds, truncated as in ns-3. The count is honoured and later rows are ignored, as in ns-3.
 */
import { quote } from '../importer.ts'
import { describeHosts, type Ns3Dialect, type Ns3Topology } from './topology.ts'
import { secondsToNs } from './values.ts'
import { parseReal, plural, takeWhole, TokenReader, type Findings, type Token } from '../text-input.ts'

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

/** First destination port that conweave assigns at each destination. */
const FIRST_CONWEAVE_PORT = 100

export function readNs3Flows(
  file: string,
  text: string,
  dialect: Ns3Dialect,
  topology: Ns3Topology,
  findings: Findings,
): Ns3Flow[] {
  const reader = new TokenReader(file, text)
  const declared = takeWhole(reader, findings, 'number of flows')
  if (declared === undefined) return []
  const position = new Map(topology.hosts.map((id, index) => [id, index]))
  const portsUsed = new Map<number, number>()
  const flows: Ns3Flow[] = []
  let cut = 0
  let latestNs = 0
  while (flows.length < declared) {
    const location = reader.peek()
    if (location === undefined) {
      findings.issue(
        reader.location,
        'flows',
        `${declared} flows as the first line declares`,
        `${flows.length}`,
        hintFor(reader, dialect),
      )
      return flows
    }
    const flow = readFlow(reader, dialect, findings)
    if (flow === undefined) return flows
    const source = position.get(flow.sourceId)
    const destination = position.get(flow.destinationId)
    const where = `flow ${flows.length + 1}`
    if (source === undefined)
      findings.issue(location, where, `a source among the ${describeHosts(topology)}`, `${flow.sourceId}`)
    if (destination === undefined)
      findings.issue(location, where, `a destination among the ${describeHosts(topology)}`, `${flow.destinationId}`)
    if (flow.sourceId === flow.destinationId)
      findings.issue(location, where, 'two different hosts', `${flow.sourceId} to itself`)
    if (flow.startNs < latestNs)
      findings.issue(
        location,
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
    flows.push({ ...flow, destinationPort, source: source ?? 0, destination: destination ?? 0 })
  }
  const rest = reader.peek()
  if (rest !== undefined)
    findings.note(
      `${file}: ${plural(declared, 'flow')} as its first line declares; text from line ${rest.line} on is ignored, as in that simulator`,
    )
  if (cut > 0)
    findings.note(
      `${file}: start times are truncated to whole nanoseconds as in that simulator: ${plural(cut, 'flow')} of ${flows.length} by up to 1ns`,
    )
  return flows
}

type RawFlow = Omit<Ns3Flow, 'source' | 'destination'> & { readonly startSeconds: number }

function readFlow(reader: TokenReader, dialect: Ns3Dialect, findings: Findings): RawFlow | undefined {
  const hint = hintFor(reader, dialect)
  const sourceId = takeWhole(reader, findings, 'src')
  const destinationId = takeWhole(reader, findings, 'dst')
  const trafficClass = takeWhole(reader, findings, 'pg', 0, 7)
  const destinationPort = dialect === 'conweave' ? 0 : takeWhole(reader, findings, 'dport', 0, 65535)
  if (
    sourceId === undefined ||
    destinationId === undefined ||
    trafficClass === undefined ||
    destinationPort === undefined
  )
    return undefined
  const sizeToken = reader.peek()
  const sizeBytes = sizeToken === undefined ? undefined : parseReal(sizeToken.text)
  const isWhole = sizeBytes !== undefined && Number.isSafeInteger(sizeBytes) && /^\+?\d+$/.test(sizeToken?.text ?? '')
  if (sizeBytes === undefined || !isWhole || sizeBytes < 1) {
    findings.issue(
      sizeToken ?? reader.location,
      'size',
      'a whole number of bytes, at least 1',
      received(sizeToken),
      hint,
    )
    return undefined
  }
  reader.next()
  if (sizeBytes > LARGEST_UINT32 && dialect !== 'ns3-datacenter') {
    const hintText = 'only --dialect ns3-datacenter reads larger ones'
    findings.issue(
      sizeToken,
      'size',
      `at most ${LARGEST_UINT32} bytes, the limit of that simulator`,
      `${sizeBytes}`,
      hintText,
    )
  }
  const startToken = reader.next()
  const startSeconds = startToken === undefined ? undefined : parseReal(startToken.text)
  const startNs = startSeconds === undefined ? undefined : secondsToNs(startSeconds)
  if (startSeconds === undefined || startNs === undefined) {
    findings.issue(startToken ?? reader.location, 'start', 'a start time in seconds', received(startToken), hint)
    return undefined
  }
  return { sourceId, destinationId, trafficClass, destinationPort, sizeBytes, startNs, startSeconds }
}

const received = (token: Token | undefined): string => (token === undefined ? 'the end of the file' : quote(token.text))

/** Hint for columns that do not fit, which are most often another dialect's. */
function hintFor(reader: TokenReader, dialect: Ns3Dialect): string {
  const columns = dialect === 'conweave' ? 'src dst pg size start' : 'src dst pg dport size start'
  return `rows of ${reader.file} are read as "${columns}" (dialect ${dialect}; conweave has no dport)`
}
