/**
 * Scenarios of htsim: a .topo (the network) and a .cm (the traffic).
 * Either is enough: without a topology htsim's default is used, a fat tree of equal switches; without a connection matrix
 * every host sends one message to another. Neither file defines the transport.
 * Source: datacenter/fat_tree_topology and datacenter/connection_matrix of csg-htsim and uet-htsim.
 */
import { formatQuantity } from '../../core/base/units.ts'
import { foundAt, importFindings } from '../../core/findings/index.ts'
import { buildHtsimTopology, failedLinks } from './fabric.ts'
import { readHtsimMatrix, type HtsimConnection, type HtsimMatrix } from './matrix.ts'
import { defaultHtsimTopo, countsOfHtsimTopo, readHtsimTopo, type HtsimTopo } from './topo.ts'
import { defineImporter, quote, type Branch, type ImportInput, type Imported, type Tree } from '../importer.ts'
import { graphReport } from '../graph-report.ts'
import { congestionOption, roceTransport } from '../roce-defaults.ts'
import { baseNameOf, ImportLog, nameOf, readRequired } from '../text-input.ts'
import { type OperationTable, waitingTable } from '../../core/workload/graph/index.ts'
import { permutation } from '../workload-defaults.ts'

const DEFAULT_SPEED_GBPS = 100
const DEFAULT_LATENCY_NS = 1000

export const htsim = defineImporter({
  name: 'htsim',
  help: 'an htsim topology (.topo), connection matrix (.cm), or both',
  source: 'Broadcom/csg-htsim, ultraethernet/uet-htsim',
  options: [
    { name: 'topo', help: 'topology file, when the path names a connection matrix', file: true },
    { name: 'cm', help: 'connection matrix, when the path names a topology', file: true },
    {
      name: 'start-unit',
      help: 'unit of `start` in the connection matrix, ps or us depending on the binary; required if any start is not 0',
      choices: ['ps', 'us'],
    },
    congestionOption,
  ],
  import: importHtsim,
})

function importHtsim(input: ImportInput): Imported {
  const log = new ImportLog()
  const paths = choosePaths(input, log)
  const matrixText = paths.cm === undefined ? undefined : readRequired(input, paths.cm, log, 'a connection matrix')
  const topoText = paths.topo === undefined ? undefined : readRequired(input, paths.topo, log, 'a topology')
  const matrix = matrixText === undefined ? undefined : readHtsimMatrix(paths.cm ?? '', matrixText, log)
  const read = topoText === undefined ? undefined : readHtsimTopo(paths.topo ?? '', topoText, log)
  log.stopIfAny()
  const topo = read ?? defaultTopo(matrix, log) ?? log.stop()
  log.note(foundAt(importFindings.importRead, {}, { dialect: null, counts: countsOfHtsimTopo(topo), hostIds: null }))
  checkNodes(matrix, topo, log)
  const path = paths.cm ?? paths.topo ?? input.path
  const failures = matrix?.failures ?? []
  const scenario: Branch = {
    name: nameOf(path),
    description: `imported from ${[paths.topo, paths.cm]
      .filter((file) => file !== undefined)
      .map(baseNameOf)
      .join(' and ')} (htsim)`,
    topology: buildHtsimTopology(topo, failures.length > 0, log),
    ...roceTransport(input, log),
    switch: { latency: switchLatency(topo, log) },
    workload: [matrix === undefined ? permutation(log) : trace(input, matrix, topo.hosts, log)],
    faults: failures.length === 0 ? [] : [mapFailures(topo, matrix, log)],
    measure: { end: 'drain' },
  }
  log.stopIfAny()
  return { scenario, findings: log.findings }
}

interface Paths {
  readonly topo: string | undefined
  readonly cm: string | undefined
}

/** The path is a matrix if its extension is .cm or its text has a `Connections` header; the options name the other file. */
function choosePaths(input: ImportInput, log: ImportLog): Paths {
  let { topo, cm } = input.options
  if (input.path !== '' && input.path !== topo && input.path !== cm) {
    const text = input.readFile(input.path)
    refuseTestPlan(input.path, text ?? '', log)
    const isMatrix = /\.cm$/i.test(input.path) || (!/\.topo$/i.test(input.path) && /^Connections /m.test(text ?? ''))
    const taken = isMatrix ? cm : topo
    if (taken !== undefined) {
      log.issue(
        undefined,
        isMatrix ? 'cm' : 'topo',
        `one ${isMatrix ? 'connection matrix' : 'topology'}`,
        `${input.path} and ${taken}`,
      )
    }
    if (isMatrix) cm = input.path
    else topo = input.path
  }
  if (topo === undefined && cm === undefined) log.issue(undefined, '', 'a .topo or a .cm file', 'neither')
  log.stopIfAny()
  return { topo, cm }
}

/** Refuses validate*.txt: connection matrices, each followed by the commands to run and the results to expect. */
function refuseTestPlan(path: string, text: string, log: ImportLog): void {
  const lines = text.split('\n')
  const first = lines.findIndex((line) => /^!(?:Experiment|Binary|Param|tailFCT|FCT)\b/.test(line))
  if (first === -1) return
  const named = lines.slice(0, first).findLast((line) => /\.cm\s*$/.test(line))
  log.issue(
    { file: path, line: first + 1, column: 1 },
    'test plan',
    'a topology (.topo) or a connection matrix (.cm)',
    `${quote((lines[first] ?? '').trim())} of a test plan, which is not supported`,
    `import the connection matrices it names one by one${named === undefined ? '' : `, such as ${named.trim()}`}`,
  )
  log.stop()
}

function defaultTopo(matrix: HtsimMatrix | undefined, log: ImportLog): HtsimTopo | undefined {
  const hosts = matrix?.nodes ?? 0
  const topo = defaultHtsimTopo(hosts, DEFAULT_SPEED_GBPS, DEFAULT_LATENCY_NS)
  if (topo === undefined) {
    log.issue(
      undefined,
      'Nodes',
      'the size of a fat tree, k^3/4 (2, 16, 54, 128, 250, ...), as there is no topology',
      `${hosts}`,
      'give one with --topo FILE',
    )
  } else
    log.note(
      importFindings.assumed('topology', {
        hosts,
        rateBps: DEFAULT_SPEED_GBPS * 1e9,
        delayPs: DEFAULT_LATENCY_NS * 1000,
      }),
    )
  return topo
}

function checkNodes(matrix: HtsimMatrix | undefined, topo: HtsimTopo, log: ImportLog): void {
  if (matrix === undefined || matrix.nodes === topo.hosts) return
  if (matrix.nodes > topo.hosts)
    log.issue(
      undefined,
      'Nodes',
      `at most the ${topo.hosts} hosts of the topology`,
      `${matrix.nodes} in the connection matrix`,
    )
  else log.note(foundAt(importFindings.importHostsIdle, {}, { nodes: matrix.nodes, hosts: topo.hosts }))
}

function switchLatency(topo: HtsimTopo, log: ImportLog): string {
  const latencies = [...new Set(topo.tiers.map((tier) => tier.switchLatencyNs))]
  const [latencyNs = 0] = latencies
  if (latencies.length > 1) {
    log.issue(
      undefined,
      'Switch_Latency_ns',
      'the same at all tiers: a scenario has one switch latency',
      latencies.join(', '),
      'put the difference into Downlink_Latency_ns',
    )
  }
  return formatQuantity('duration', latencyNs * 1000)
}

function trace(input: ImportInput, matrix: HtsimMatrix, hosts: number, log: ImportLog): Branch {
  const unit = input.options['start-unit']
  const late = matrix.connections.find((connection) => (connection.start ?? 0) > 0)
  if (late !== undefined && unit === undefined) {
    log.issue(
      late.token,
      'start',
      '--start-unit ps or --start-unit us',
      `start ${late.start}, whose unit depends on the binary`,
      'save() and uet-htsim write us, the generators of csg-htsim ps; its RoCE and HPCC binaries ignore start',
    )
  }
  const flows = flowsOf(matrix, unit, log)
  if (flows.length === 0) log.issue(undefined, 'Connections', 'at least one connection', 'none')
  const connections = connectionNumbers(matrix.connections).size
  if (connections > 0) log.note(importFindings.adapted('several-messages', { connections }))
  if (!log.any && matrix.waits.some((wait) => wait !== null)) log.note(graphReport(tableOf(matrix, hosts), 0))
  return { kind: 'trace', flows }
}

/** The connections as a program, with those that wait. */
function tableOf({ connections, waits }: HtsimMatrix, hosts: number): OperationTable {
  const flows = connections.map(({ source, destination, sizeBytes }) => {
    return { source, destination, sizeBytes, startPs: 0, connection: -1 }
  })
  const words = (indexes: readonly number[]): string[] => indexes.map(String)
  const lines = waits.map((wait, index) => {
    const { after, acked, need } = wait ?? { after: [], acked: [], need: 0 }
    return { id: `${index}`, after: words(after), acked: words(acked), need, delayPs: 0 }
  })
  return waitingTable({ flows, waits: lines }, hosts).table
}

/** Lines of a trace, by their starts; those that triggers start have 0. */
function flowsOf({ connections, waits }: HtsimMatrix, unit: string | undefined, log: ImportLog): string[] {
  const numbers = connectionNumbers(connections)
  const names = namesOf(connections)
  const listed = (key: string, indexes: readonly number[]): string =>
    indexes.length === 0 ? '' : ` ${key}=${indexes.map((index) => names[index]!).join(',')}`
  const timed = connections.map((connection, index) => {
    const { source, destination, sizeBytes, sendDone, receiveDone, isMessage } = connection
    const number = isMessage ? numbers.get(messageKey(connection)) : undefined
    const wait = waits[index]!
    const words = [
      number === undefined ? '' : ` connection=${number}`,
      sendDone + receiveDone > 0 ? ` id=${names[index]!}` : '',
      wait === null ? '' : listed('after', wait.after) + listed('acked', wait.acked),
      wait === null || wait.need === wait.after.length + wait.acked.length ? '' : ` need=${wait.need}`,
    ]
    const startPs = startOf(connection, unit, log)
    const [size, start] = [formatQuantity('size', sizeBytes), formatQuantity('duration', startPs)]
    return { startPs, line: `${source} ${destination} ${size} ${start}${words.join('')}` }
  })
  return timed.toSorted((x, y) => x.startPs - y.startPs).map(({ line }) => line)
}

/** Ids as in the file where they are unique, lines elsewhere. */
function namesOf(connections: readonly HtsimConnection[]): string[] {
  const counts = new Map<number, number>()
  for (const { id } of connections) counts.set(id, (counts.get(id) ?? 0) + 1)
  return connections.map(({ id, token }) => (id > 0 && counts.get(id) === 1 ? `${id}` : `line-${token.line}`))
}

const messageKey = (connection: HtsimConnection): string =>
  `${connection.source} ${connection.destination} ${connection.id}`

/** Messages with the same source, destination and id share a connection; numbered from 0. */
function connectionNumbers(connections: readonly HtsimConnection[]): Map<string, number> {
  const numbers = new Map<string, number>()
  for (const connection of connections) {
    if (connection.isMessage && !numbers.has(messageKey(connection))) numbers.set(messageKey(connection), numbers.size)
  }
  return numbers
}

function startOf(connection: HtsimConnection, unit: string | undefined, log: ImportLog): number {
  const startPs = Math.round((connection.start ?? 0) * (unit === 'us' ? 1e6 : 1))
  if (Number.isSafeInteger(startPs)) return startPs
  log.issue(connection.token, 'start', 'a time below 2^53ps (9007s)', quote(`${connection.start}`))
  return 0
}

/** Links that are down from the start. */
function mapFailures(topo: HtsimTopo, matrix: HtsimMatrix | undefined, log: ImportLog): Tree {
  return { kind: 'link-down', links: failedLinks(topo, matrix?.failures ?? [], log).join(','), down: '0ps' }
}
