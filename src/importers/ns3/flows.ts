/**
 * flow.txt of the HPCC family: a count, then rows `src dst pg dport bytes start_s`; conweave has no dport column.
 * Start times come out in whole nanoseconds, truncated as ns-3 does. The count is honoured, the rest is not read, as there.
 */
import { quote } from '../importer.ts'
import { describeHosts, type Ns3Dialect, type Ns3Topology } from './topology.ts'
import { secondsToNs } from './values.ts'
import { parseReal, plural, takeWhole, TokenReader, type Findings, type Token } from '../text-input.ts'

export interface Ns3Flow {
  /** Positions among the hosts. */
  readonly source: number
  readonly destination: number
  /** Node ids. */
  readonly sourceId: number
  readonly destinationId: number
  readonly trafficClass: number
  readonly destinationPort: number
  readonly sizeBytes: number
  /** From the simulator's zero. */
  readonly startNs: number
}

/** Flow sizes are unsigned 32 bit numbers in HPCC's reader and those derived from it without change. */
const LARGEST_UINT32 = 2 ** 32 - 1

/** conweave counts destination ports per destination from here on. */
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
        'starts in ascending order, as that simulator needs them',
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
      `${file}: ${plural(declared, 'flow')} as its first line declares; what follows from line ${rest.line} on is not read, as there`,
    )
  if (cut > 0)
    findings.note(
      `${file}: start times are cut to whole nanoseconds as that simulator does: ${plural(cut, 'flow')} of ${flows.length} by up to 1ns from what is written`,
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
    findings.issue(sizeToken ?? reader.location, 'size', 'a whole number of bytes from 1 on', received(sizeToken), hint)
    return undefined
  }
  reader.next()
  if (sizeBytes > LARGEST_UINT32 && dialect !== 'ns3-datacenter') {
    const hintText = 'only --dialect ns3-datacenter reads longer ones'
    findings.issue(
      sizeToken,
      'size',
      `at most ${LARGEST_UINT32} bytes, the size that simulator reads`,
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

/** What to say when the columns do not fit: most often another dialect's. */
function hintFor(reader: TokenReader, dialect: Ns3Dialect): string {
  const columns = dialect === 'conweave' ? 'src dst pg size start' : 'src dst pg dport size start'
  return `rows of ${reader.file} are read as "${columns}" (dialect ${dialect}; conweave has no dport)`
}
