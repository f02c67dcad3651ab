/**
 * topology.txt of the HPCC family: a header, the switch ids, then one link per row, `a b rate delay error`.
 * Units: rates bit/s, delays ps (whole ns, as in the simulators), loss a probability per packet.
 * The header's numbers differ between dialects. As in the simulators, its counts are honoured and text after the last link
 * is not read. Port numbers follow the order of the links at each node, from 1; a host may have several ports.
 */
import { idName } from '../../core/base/device-names.ts'
import { formatQuantity } from '../../core/base/units.ts'
import { foundAt, importFindings } from '../../core/findings/index.ts'
import { quote, shortened, type Branch } from '../importer.ts'
import { parseNs3Delay, parseNs3Rate } from './values.ts'
import { ImportLog, hasForm, parseReal, plural, RowReader, valueAt, wholeAt, type Row } from '../text-input.ts'

/** Simulators that share these formats. */
export const NS3_DIALECTS = ['hpcc', 'conweave', 'ns3-datacenter', 'simai', 'ns3-alibabacloud'] as const
export type Ns3Dialect = (typeof NS3_DIALECTS)[number]

interface Ns3Link {
  readonly a: number
  readonly b: number
  readonly rateBps: number
  readonly delayPs: number
  /** Error rate of the row; 0 stands for the default of the run. */
  readonly lossRatio: number
}

export interface Ns3Topology {
  readonly nodeCount: number
  /** Switch ids in the order of the file. */
  readonly switches: readonly number[]
  /** Ids of the other nodes, ascending. Flows name node ids, scenarios indexes in this list. */
  readonly hosts: readonly number[]
  /** A host has a port for each of its links. */
  readonly links: readonly Ns3Link[]
  /** File name for messages. */
  readonly file: string
  /** SimAI: number of links between GPUs and NVSwitches that are not in `links`; 0 in other dialects. */
  readonly nvlinksLeft: number
  /** SimAI: the slowest of these; null: there are none. */
  readonly nvlink: Pick<Ns3Link, 'rateBps' | 'delayPs'> | null
  /** SimAI: nodes n and m are GPUs of one server if floor(n / this) = floor(m / this); 1 in other dialects. */
  readonly gpusPerServer: number
}

/** Limits on nodes of a graph topology and on links, so that a mistyped count does not exhaust memory. */
const MOST_NODES = 65_536
const MOST_LINKS = 1 << 20

const SIMAI_HEADER = ['nodes', 'gpus_per_server', 'nvswitches', 'switches', 'links', 'gpu_type'] as const

/** Header numbers before the switch ids, by dialect; `switches` and `nvswitches` add up to the ids that follow. */
const HEADERS: Readonly<Record<Ns3Dialect, readonly string[]>> = {
  hpcc: ['nodes', 'switches', 'links'],
  conweave: ['nodes', 'switches', 'links'],
  'ns3-datacenter': ['nodes', 'switches', 'tors', 'links'],
  simai: SIMAI_HEADER,
  'ns3-alibabacloud': SIMAI_HEADER,
}

/** Words that may follow: leaf-spine files of ns3-datacenter have two rates, files of ns3-alibabacloud GPUs per node. */
const MORE_WORDS: Readonly<Partial<Record<Ns3Dialect, number>>> = { 'ns3-datacenter': 2, 'ns3-alibabacloud': 1 }

/** Reads a topology. Adds issues to `log`, and returns undefined if the import cannot continue. */
export function readNs3Topology(
  file: string,
  text: string,
  dialect: Ns3Dialect,
  log: ImportLog,
): Ns3Topology | undefined {
  const own = new ImportLog()
  const topology = readParts(new RowReader(file, text), dialect, own)
  if (own.any && (refuseHtsim(file, text, log) || refuseHeader(file, text, dialect, log))) return undefined
  log.adopt(own)
  return topology
}

/** Reports an htsim topology, whose header has words in place of numbers. Returns whether the file is one. */
function refuseHtsim(file: string, text: string, log: ImportLog): boolean {
  const lines = text.split('\n')
  const index = lines.findIndex((line) => line.trim() !== '' && !line.startsWith('#'))
  const line = lines[index] ?? ''
  if (!/^(nodes|tiers|podsize)\s/iu.test(line)) return false
  log.issue(
    { file, line: index + 1, column: 1 },
    'header',
    'a topology of the HPCC family, which begins with the number of nodes',
    quote(line.trim()),
    'this line begins a topology of htsim: use rocelab import htsim',
  )
  return true
}

/**
 * Reports a header of another dialect. Its numbers would be read as switches and links, and issues of the rows below
 * would be misleading: they are replaced by this one. Returns whether the header is another dialect's.
 */
function refuseHeader(file: string, text: string, dialect: Ns3Dialect, log: ImportLog): boolean {
  const words = (text.trim().split('\n')[0] ?? '').trim().split(/\s+/).length
  const wanted = HEADERS[dialect]
  const isOwn = words === wanted.length || words === wanted.length + (MORE_WORDS[dialect] ?? 0)
  if (isOwn || words < 3 || words > 6) return false
  const fitting = NS3_DIALECTS.filter((other) => {
    const trial = new ImportLog()
    readParts(new RowReader(file, text), other, trial)
    return !trial.any
  })
  const all = NS3_DIALECTS.map((name) => `${name} "${HEADERS[name].join(' ')}"`).join(', ')
  log.issue(
    { file, line: 1, column: 1 },
    'header',
    `${wanted.length} words with dialect ${dialect}`,
    `${words}`,
    fitting.length > 0 ? `use --dialect ${fitting.join(' or ')}` : `dialects: ${all}`,
  )
  return true
}

function readParts(reader: RowReader, dialect: Ns3Dialect, log: ImportLog): Ns3Topology | undefined {
  const header = readHeader(reader, dialect, log)
  if (header === undefined) return undefined
  const switches = readSwitches(reader, header, log)
  if (switches === undefined && reader.peek() === undefined) return undefined
  const rows = readLinks(reader, header, log)
  if (switches === undefined || rows === undefined || log.any) return undefined
  noteRest(reader, rows.length, log)
  const { nvSwitches, gpusPerServer } = header
  const links = leaveNvlinks(rows, switches, nvSwitches, reader.file, log)
  noteParallel(links, log)
  const isSwitch = new Set(switches)
  const linked = new Set(links.flatMap((link) => [link.a, link.b]))
  const hosts: number[] = []
  for (let node = 0; node < header.nodes; node++) {
    if (isSwitch.has(node)) continue
    hosts.push(node)
    if (!linked.has(node))
      log.issue(
        undefined,
        reader.file,
        `a link at ${idName(node)}, a host`,
        'none',
        'every node that is not listed as a switch is a host',
      )
  }
  const kept = new Set(links)
  const left = rows.filter((row) => !kept.has(row))
  const nvlinksLeft = left.length
  const nvlink = left.toSorted((a, b) => a.rateBps - b.rateBps)[0] ?? null
  return { nodeCount: header.nodes, switches, hosts, links, file: reader.file, nvlinksLeft, nvlink, gpusPerServer }
}

/**
 * SimAI's GPUs have links to NVSwitches beside those to the network. If a host has both, the NVLinks are left out, as only
 * flows within its server may use them (a note in ports.ts explains this). A host with only NVLinks keeps them.
 */
function leaveNvlinks(
  rows: readonly Ns3Link[],
  switches: readonly number[],
  nvSwitchCount: number,
  file: string,
  log: ImportLog,
): readonly Ns3Link[] {
  if (nvSwitchCount === 0) return rows
  const nvSwitches = new Set(switches.slice(0, nvSwitchCount))
  const others = new Set(switches.slice(nvSwitchCount))
  const networked = new Set(rows.flatMap(({ a, b }) => (others.has(a) ? [b] : others.has(b) ? [a] : [])))
  const isHost = (node: number): boolean => !nvSwitches.has(node) && !others.has(node)
  const isNvlink = ({ a, b }: Ns3Link): boolean =>
    (nvSwitches.has(a) && isHost(b) && networked.has(b)) || (nvSwitches.has(b) && isHost(a) && networked.has(a))
  const links = rows.filter((row) => !isNvlink(row))
  if (rows.some((row) => !isNvlink(row) && (nvSwitches.has(row.a) || nvSwitches.has(row.b))))
    log.note(importFindings.differs('nvswitches', { switches: nvSwitchCount }, { file }))
  return links
}

interface Header {
  readonly nodes: number
  readonly gpusPerServer: number
  /** Number of NVSwitches, which come first among the switch ids. */
  readonly nvSwitches: number
  readonly switchCount: number
  readonly linkCount: number
}

function readHeader(reader: RowReader, dialect: Ns3Dialect, log: ImportLog): Header | undefined {
  const names = HEADERS[dialect]
  const row = reader.next()
  if (row === undefined) {
    log.issue(reader.location, 'header', `a first line "${names.join(' ')}"`, 'the end of the file')
    return undefined
  }
  const more = row.words.slice(names.length, names.length + (MORE_WORDS[dialect] ?? 0))
  for (const word of more)
    log.note(
      foundAt(
        importFindings.importTextIgnored,
        { file: row.file, line: row.line },
        { words: shortened(word), count: names.length, of: 'number', ignoredThere: false },
      ),
    )
  const form = [...names, ...more.map(() => '...')]
  if (!hasForm(row, form, log, `dialect ${dialect}`)) return undefined
  const numbers = names.map((name, index) => {
    if (name === 'gpu_type') return 0
    const min = name === 'nodes' || name === 'gpus_per_server' ? 1 : 0
    return wholeAt(row, index, log, name, min, name === 'links' ? MOST_LINKS : MOST_NODES)
  })
  if (numbers.includes(undefined)) return undefined
  const numberOf = (name: string): number | undefined => numbers[names.indexOf(name)]
  const nvSwitches = numberOf('nvswitches') ?? 0
  return {
    nodes: numberOf('nodes') ?? 0,
    gpusPerServer: numberOf('gpus_per_server') ?? 1,
    nvSwitches,
    switchCount: nvSwitches + (numberOf('switches') ?? 0),
    linkCount: numberOf('links') ?? 0,
  }
}

/** The ids of the switches, on one line or several; a link, whose rate is no whole number, ends them. */
function readSwitches(reader: RowReader, header: Header, log: ImportLog): number[] | undefined {
  const switches = new Set<number>()
  const { switchCount, nodes } = header
  let read = 0
  while (read < switchCount) {
    const row = reader.peek()
    if (row === undefined || row.words.some((word) => parseReal(word) === undefined)) {
      const expected = `${switchCount} ids of switches as the first line declares`
      log.issue(row?.at(0) ?? reader.location, 'switch id', expected, `${read} before this line`)
      return undefined
    }
    reader.next()
    read += row.words.length
    if (read > switchCount) {
      const expected = `${switchCount} ids of switches as the first line declares`
      log.issue(row.at(row.words.length - (read - switchCount)), 'switch id', expected, `${read}`)
      return undefined
    }
    for (let index = 0; index < row.words.length; index++) {
      const id = wholeAt(row, index, log, 'switch id', 0, nodes - 1)
      if (id === undefined) return undefined
      if (switches.has(id)) log.issue(row.at(index), 'switch id', 'each switch once', `${id} again`)
      switches.add(id)
    }
  }
  if (switches.size === nodes)
    log.issue(reader.location, 'nodes', 'at least one host', `${plural(nodes, 'node')}, all of them switches`)
  return [...switches]
}

/** Words of a row. */
const LINK_FORM = ['a', 'b', 'rate', 'delay', 'error_rate']

function readLinks(reader: RowReader, header: Header, log: ImportLog): Ns3Link[] | undefined {
  const links: Ns3Link[] = []
  for (let number = 1; number <= header.linkCount; number++) {
    const row = reader.next()
    if (row === undefined) {
      log.issue(reader.location, 'links', `${header.linkCount} links as the first line declares`, `${number - 1}`)
      return undefined
    }
    const link = readLink(row, header, log)
    if (link === undefined) continue
    if (link.a === link.b) log.issue(row.at(0), 'link', 'two different nodes', `${link.a} ${link.b}`)
    else links.push(link)
  }
  return links
}

function readLink(row: Row, header: Header, log: ImportLog): Ns3Link | undefined {
  const hint =
    row.words.length === LINK_FORM.length - 1 ? 'rows of older simulators (ns3-rdma) have no error rate: add 0' : ''
  if (!hasForm(row, LINK_FORM, log, hint)) return undefined
  const a = wholeAt(row, 0, log, 'a', 0, header.nodes - 1)
  const b = wholeAt(row, 1, log, 'b', 0, header.nodes - 1)
  const rateBps = valueAt(row, 2, log, 'rate', 'a rate above 0 such as 100Gbps', (text) => above0(parseNs3Rate(text)))
  const delayPs = valueAt(row, 3, log, 'delay', 'a delay such as 1000ns', parseNs3Delay)
  const lossRatio = valueAt(row, 4, log, 'error_rate', 'an error rate 0 to 1', (text) => probability(parseReal(text)))
  if (a === undefined || b === undefined || rateBps === undefined || delayPs === undefined || lossRatio === undefined)
    return undefined
  return { a, b, rateBps, delayPs, lossRatio }
}

const above0 = (value: number | undefined): number | undefined => (value !== undefined && value > 0 ? value : undefined)
const probability = (value: number | undefined): number | undefined =>
  value !== undefined && value >= 0 && value <= 1 ? value : undefined

function noteRest(reader: RowReader, linkCount: number, log: ImportLog): void {
  const rest = reader.peek()
  if (rest === undefined) return
  log.note(
    foundAt(
      importFindings.importTextIgnored,
      { file: rest.file, line: rest.line },
      { words: null, count: linkCount, of: 'link', ignoredThere: true },
    ),
  )
}

function noteParallel(links: readonly Ns3Link[], log: ImportLog): void {
  const pairs = new Set<string>()
  for (const link of links) {
    const pair = `${Math.min(link.a, link.b)}-${Math.max(link.a, link.b)}`
    if (pairs.has(pair))
      log.note(
        importFindings.differs(
          'parallel-links',
          {},
          { device: idName(Math.min(link.a, link.b)), port: idName(Math.max(link.a, link.b)) },
        ),
      )
    pairs.add(pair)
  }
}

/** The topology of a scenario. Links without an error rate of their own get `defaultLossRatio`. */
export function graphTopology(
  topology: Ns3Topology,
  defaultLossRatio: number,
  routes: readonly string[],
  log: ImportLog,
): Branch {
  // QbbNetDevice::Receive applies its error model before it looks at the type of frame.
  if (topology.links.some((link) => link.lossRatio > 0 || defaultLossRatio > 0))
    log.note(importFindings.differs('lost-pfc-frames', {}))
  const links = topology.links.map((link) => {
    const lossRatio = link.lossRatio === 0 ? defaultLossRatio : link.lossRatio
    const loss = lossRatio === 0 ? '' : ` loss=${lossRatio}`
    return `${link.a} ${link.b} ${formatQuantity('rate', link.rateBps)} ${formatQuantity('duration', link.delayPs)}${loss}`
  })
  return { kind: 'graph', nodes: topology.nodeCount, switches: topology.switches, links, routes }
}

/** Rates of switch ports, ascending. */
export function switchRates(topology: Ns3Topology): number[] {
  const isSwitch = new Set(topology.switches)
  const rates = topology.links
    .filter((link) => isSwitch.has(link.a) || isSwitch.has(link.b))
    .map((link) => link.rateBps)
  return [...new Set(rates)].toSorted((x, y) => x - y)
}

/** Ids of the neighbours of each node; index 0 is port 1. */
export function neighboursOf(topology: Ns3Topology): number[][] {
  const neighbours: number[][] = Array.from({ length: topology.nodeCount }, () => [])
  for (const link of topology.links) {
    neighbours[link.a]?.push(link.b)
    neighbours[link.b]?.push(link.a)
  }
  return neighbours
}

/** Text for messages: the hosts that a flow may name. */
export function describeHosts(topology: Ns3Topology): string {
  return topology.hosts.length === 0
    ? 'none'
    : `${plural(topology.hosts.length, 'host')}, ids ${topology.hosts[0]} to ${topology.hosts.at(-1)}`
}
