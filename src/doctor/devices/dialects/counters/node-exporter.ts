/**
 * node_exporter: counters of a host as Prometheus scrapes them. Its ethtool collector has the driver's names with rx and tx
 * written out, its infiniband collector has names of its own, which are those that we give out ourselves.
 * Source: node_exporter, ethtool_linux.go and infiniband_linux.go; Prometheus text format 0.0.4.
 */
import { ALL_PRIORITIES, COUNTERS } from '../../../../core/device-model/index.ts'
import { metricOf } from '../../prometheus/index.ts'
import type { Dialect } from '../dialect.ts'
import { type Facts, rdmaName } from '../facts.ts'
import type { Line, Part } from '../text.ts'
import { bitsOf, driverOf, noteStats, shownBy, type Stat } from './counts.ts'
import { PORT_DRIVERS, RDMA_DRIVERS } from './names.ts'

/** A driver's name as the ethtool collector writes it. */
function metricOfName(name: string): string {
  const words = name.toLowerCase().replace(/[^a-z0-9_]/g, '_')
  return `node_ethtool_${words.replace(/(^|_)rx(_|$)/, '$1received$2').replace(/(^|_)tx(_|$)/, '$1transmitted$2')}`
}

/** Drivers' names by the metrics of the ethtool collector. */
const PORT_METRICS: ReadonlyMap<string, string> = new Map(
  PORT_DRIVERS.flatMap(({ counters }) =>
    shownBy(counters).flatMap(({ names }) => names.map((name): [string, string] => [metricOfName(name), name])),
  ),
)

/** Widths of mlx5, whose names the infiniband collector has. */
const WIDTHS = new Map(RDMA_DRIVERS.at(-1)!.counters.map(({ name, bits }) => [name, bits]))
/** Its metric counts something else: retransmissions that are adaptive. */
const OTHER_COUNT = 'retransPackets'

interface RdmaMetric {
  readonly name: string
  readonly bits: number
  readonly factor: number
}

/** Neutral counters by the metrics of the infiniband collector. */
const RDMA_METRICS: ReadonlyMap<string, RdmaMetric> = new Map(
  COUNTERS.flatMap((counter): [string, RdmaMetric][] => {
    const metric = metricOf(counter, 'hosts', ALL_PRIORITIES)
    if (metric?.name.startsWith('node_infiniband_') !== true || counter.name === OTHER_COUNT) return []
    const { name } = counter
    return [[metric.name, { name, bits: WIDTHS.get(name) ?? 64, factor: metric.divisor }]]
  }),
)

const STATE = 'node_infiniband_state_id'
const ACTIVE = 4
/** In place of the RDMA device where the metric is one of the whole host. */
const WHOLE_HOST = 'rdma'

interface Sample {
  readonly metric: string
  readonly labels: ReadonlyMap<string, string>
  readonly value: number
  readonly line: Line
}

/** End of a line of the text format, whatever it is about. */
const WHOLE = /\s(?:[-+.\deE]+|NaN|[-+]Inf)(?:\s-?\d+)?\s?$/
const LAST_MAX = 1000
/** Beyond all counters. */
const VALUE_MAX = 1e25
const LINE_MAX = 10_000
const METRIC = /^(node_[a-z]+_\w+)\{/
const LABEL = /([A-Za-z_]\w*)="([^"\\]*(?:\\.[^"\\]*)*)"\s*,?\s*/y

/** A line of the text format with labels; undefined: it is none. */
function sampleOf(line: Line): Sample | undefined {
  const { text } = line
  const metric = text.length > LINE_MAX ? undefined : METRIC.exec(text)?.[1]
  if (metric === undefined) return undefined
  const labels = new Map<string, string>()
  LABEL.lastIndex = metric.length + 1
  let at = LABEL.lastIndex
  for (let label = LABEL.exec(text); label !== null; label = LABEL.exec(text)) {
    labels.set(label[1]!, label[2]!.replace(/\\(.)/g, '$1'))
    at = LABEL.lastIndex
  }
  const [, number] = /^\}\s+([-+.\deE]+)(?:\s+-?\d+)?\s*$/.exec(text.slice(at)) ?? []
  const value = Number(number)
  return number === undefined || !(Math.abs(value) < VALUE_MAX) ? undefined : { metric, labels, value, line }
}

/** Samples of several devices: those of the device in whose folder the file is. */
function ownOf(samples: readonly Sample[], file: string): readonly Sample[] {
  const hostOf = ({ labels }: Sample): string => (labels.get('instance') ?? '').replace(/:\d+$/, '')
  const hosts = new Set(samples.map(hostOf))
  if (hosts.size <= 1) return samples
  const folders = file.split('/')
  const own = [...hosts].filter((host) => host !== '' && folders.some((name) => name === host || isShort(name, host)))
  return own.length === 1 ? samples.filter((sample) => hostOf(sample) === own[0]) : []
}

const isShort = (name: string, host: string): boolean => host.startsWith(`${name}.`) && name !== ''

export const nodeExporter: Dialect = {
  name: 'node_exporter',
  title: 'node_exporter',
  command: 'curl -s http://127.0.0.1:9100/metrics',
  leavesOut: [
    'collectors other than ethtool and infiniband',
    'ticks of waiting',
    'errors of the RDMA device that saturate',
  ],
  recognises: ({ text }) => /^(?:# TYPE node_|node_\w+\{)/m.test(text),
  read({ lines, file }: Part, facts) {
    facts.kind = 'host'
    const samples: Sample[] = []
    for (const line of lines) {
      const sample = sampleOf(line)
      if (sample !== undefined) samples.push(sample)
      else if (/^node_(?:ethtool|infiniband)_\w/.test(line.text)) facts.remainder.push(line)
    }
    const last = lines.findLast((line) => line.text.trim() !== '')!
    if (!last.text.startsWith('#') && !WHOLE.test(last.text.slice(-LAST_MAX)))
      facts.truncated = { line: last, expected: 'a number after each name' }
    const own = ownOf(samples, file)
    if (own.length < samples.length && own.length === 0) facts.remainder.push(samples[0]!.line)
    const ports = new Map<string, Map<string, Stat>>()
    for (const sample of own) {
      const { metric, labels, value, line } = sample
      const device = labels.get('device')
      const name = PORT_METRICS.get(metric)
      if (metric === 'node_uname_info') facts.hostname = labels.get('nodename') ?? ''
      else if (device !== undefined && name !== undefined && value >= 0) {
        let stats = ports.get(device)
        if (stats === undefined) ports.set(device, (stats = new Map()))
        stats.set(name, { value, line })
      } else if (device !== undefined) noteRdma(facts, device, sample)
    }
    for (const [device, stats] of ports) {
      const driver = driverOf(stats.keys(), PORT_DRIVERS)
      if (driver !== undefined) noteStats(facts, device, stats, driver.counters)
    }
  },
}

function noteRdma(facts: Facts, device: string, { metric, labels, value, line }: Sample): void {
  const port = device === WHOLE_HOST ? '' : `rdma:${rdmaName(device, Number(labels.get('port') ?? 1))}`
  const known = RDMA_METRICS.get(metric)
  if (metric === STATE && port !== '') facts.port(port).nic.put('isActive', value === ACTIVE, line, 'operational')
  if (known === undefined || value < 0) return
  const { name, bits, factor } = known
  const neutral = value * factor
  facts.counts.push({ port, priority: ALL_PRIORITIES, name, value: neutral, bits: bitsOf(bits, neutral), line })
  if (name === 'rateBps' && port !== '' && neutral > 0)
    facts.port(port).settings.put('rateBps', neutral, line, 'operational')
}
