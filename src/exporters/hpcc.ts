/**
 * Results in the formats of the HPCC ns-3 fork: fct.txt, and pfc.txt when the result holds a pause log.
 * fct.txt: one row per finished flow, in order of completion, `sip dip sport dport bytes start_ns fct_ns ideal_ns`. As in
 * that simulator the completion is the sender's (last ACK), and unfinished flows are absent. Flows without ACKs (READs,
 * queue pairs that send none) have the receiver's completion, with a note.
 * pfc.txt: `time_ns node nodeType port type`, one row per received pause (1) or resume (0) frame.
 * A host with several ports has one node and one address in both files, as in that simulator.
 * Units: whole ns; the origin of an imported trace is added to all times.
 * ideal_ns follows that simulator: 2 * propagation + one payload's serialization at each hop + all bytes with headers at
 * the slowest link; extra headers (timestamps, telemetry) are not counted. It is not a lower bound of measured times.
 */
import { parseQuantity } from '../core/base/units.ts'
import { numbersOf, type Result, tableOfKind, textsOf } from '../core/results/index.ts'
import { defineExporter, type ExportedFile } from './exporter.ts'
import { networkOf, type Network } from './network.ts'

export const hpcc = defineExporter({
  name: 'hpcc',
  help: 'fct.txt and pfc.txt of the HPCC simulator, for its analysis scripts',
  source: 'alibaba-edu/High-Precision-Congestion-Control',
  observers: ['pause-log'],
  export: exportHpcc,
})

export const conweave = defineExporter({
  name: 'conweave',
  help: 'fct.txt and pfc.txt as conweave writes them: node ids in place of addresses',
  source: 'conweave-project/conweave-ns3',
  observers: ['pause-log'],
  export: (result) => exportNs3(result, (node) => `${node}`),
})

/** fct.txt and, when the pauses were observed, pfc.txt. */
export function exportHpcc(result: Result): readonly ExportedFile[] {
  return exportNs3(result, addressOf)
}

/** Address of a node: 11.0.0.1 for node 0, with the node's number in the second and third byte. */
function addressOf(node: number): string {
  const address = 0x0b000001 + Math.floor(node / 256) * 0x10000 + (node % 256) * 0x100
  return address.toString(16).padStart(8, '0')
}

function exportNs3(result: Result, writeNode: (node: number) => string): readonly ExportedFile[] {
  const originPs = originOf(result.scenario)
  const network = networkOf(result.scenario)
  const files = [completions(result, network, originPs, writeNode)]
  const log = tableOfKind(result, 'pause-log')
  if (log === undefined) return files
  const column = (name: string): Float64Array => numbersOf(log, name)
  const [nodes, nodeTypes, ports, types] = [column('node'), column('nodeType'), column('port'), column('type')]
  const rows = Array.from(column('timePs'), (timePs, row) => {
    const [node, port] = network.portOf(nodes[row]!, ports[row]!)
    return [toNs(timePs + originPs), node, nodeTypes[row], port, types[row]].join(' ')
  })
  const leftOut = log.rowCount === 0 ? 0 : numbersOf(log, 'leftOut')[log.rowCount - 1]!
  const note = `pfc.txt holds the first ${log.rowCount} of ${log.rowCount + leftOut} PFC frames: observe them with a larger maxRows`
  return [...files, { path: 'pfc.txt', text: lines(rows), ...(leftOut > 0 ? { note } : {}) }]
}

/** Rounds times of clocks finer than 1 ns; with that simulator's clock they are whole. */
const toNs = (timePs: number): number => Math.round(timePs / 1000)

const lines = (rows: readonly string[]): string => rows.map((row) => `${row}\n`).join('')

function completions(
  result: Result,
  network: Network,
  originPs: number,
  writeNode: (node: number) => string,
): ExportedFile {
  const { flows } = result
  const column = (name: string): Float64Array => numbersOf(flows, name)
  const source = column('source')
  const destination = column('destination')
  const sourcePort = column('sourcePort')
  const destinationPort = column('destinationPort')
  const size = column('sizeBytes')
  const start = column('startPs')
  const received = column('receivedPs')
  const isDone = textsOf(flows, 'status').map((status) => status === 'finished')
  // A finished flow without a last ACK did not wait for one.
  const acknowledged = column('acknowledgedPs')
  const end = acknowledged.map((ps, row) => (Number.isNaN(ps) && isDone[row] ? received[row]! : ps))
  const finished = Array.from(end.keys()).filter((row) => Number.isFinite(end[row]))
  const ordered = finished.toSorted((a, b) => (end[a] ?? 0) - (end[b] ?? 0) || a - b)
  const rows = ordered.map((row) => {
    const from = source[row] ?? 0
    const to = destination[row] ?? 0
    const sizeBytes = size[row] ?? 0
    const startPs = start[row] ?? 0
    return [
      writeNode(network.hosts[from] ?? from),
      writeNode(network.hosts[to] ?? to),
      sourcePort[row],
      destinationPort[row],
      sizeBytes,
      toNs(startPs + originPs),
      toNs((end[row] ?? 0) - startPs),
      idealNs(network, from, to, sizeBytes),
    ].join(' ')
  })
  const byReceiver = finished.filter((row) => Number.isNaN(acknowledged[row])).length
  const note = `${byReceiver} flows in fct.txt have no last ACK: their completion is the receiver's`
  return { path: 'fct.txt', text: lines(rows), ...(byReceiver > 0 ? { note } : {}) }
}

function idealNs(network: Network, from: number, to: number, sizeBytes: number): number {
  const path = network.pathBetween(from, to)
  if (path === undefined) return 0
  const onWire = sizeBytes + Math.ceil(sizeBytes / network.payloadBytes) * network.overheadBytes
  return path.baseRttNs + Math.floor((onWire * 8e9) / path.rateBps)
}

/** Time that was subtracted from an imported trace; 0 by default. */
function originOf(scenario: unknown): number {
  const workloads = isRecord(scenario) && Array.isArray(scenario['workload']) ? (scenario['workload'] as unknown[]) : []
  const origins = workloads.map((workload) => (isRecord(workload) ? workload['origin'] : undefined))
  return Math.max(
    0,
    ...origins.map((origin) => (typeof origin === 'string' ? (parseQuantity('duration', origin) ?? 0) : 0)),
  )
}

function isRecord(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}
