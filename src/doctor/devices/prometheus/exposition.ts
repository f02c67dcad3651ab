/**
 * Exposition: readings as text that Prometheus scrapes. `instance` is the device and `device` its port, as exporters on the
 * devices themselves would give them; the scrape configuration therefore has `honor_labels: true`.
 * Source: Prometheus text format 0.0.4.
 */
import { COUNTERS, counterNamed, type Reading } from '../../../core/device-model/index.ts'
import { type Metric, metricOf } from './metrics.ts'

export const EXPOSITION_TYPE = 'text/plain; version=0.0.4; charset=utf-8'

/** Time that a simulated fabric has run: rates by it are rates of simulated time. */
const SIMULATED_SECONDS = 'rocelab_simulated_seconds_total'
const SIMULATED_HELP = 'simulated time, by which rates of a simulated fabric are taken'

interface Family {
  readonly metric: Metric
  readonly lines: string[]
}

/**
 * The last reading of each counter of each device.
 * @param simulatedSeconds time of a simulated fabric; undefined: it is a real one
 */
export function expositionOf(readings: Iterable<Reading>, simulatedSeconds?: number): string {
  const last = new Map<string, Reading>()
  for (const reading of readings) {
    const key = `${reading.device}\n${reading.port}\n${reading.priority}\n${reading.name}`
    const known = last.get(key)
    if (known === undefined || known.timeNs <= reading.timeNs) last.set(key, reading)
  }
  const hosts = hostsAmong(last.values())
  const families = new Map<string, Family>()
  for (const reading of last.values()) {
    const counter = counterNamed(reading.name)
    const metric = counter && metricOf(counter, hosts.has(reading.device) ? 'hosts' : 'switches', reading.priority)
    if (metric === undefined) continue
    let family = families.get(metric.name)
    if (family === undefined) families.set(metric.name, (family = { metric, lines: [] }))
    family.lines.push(sampleOf(metric, reading))
  }
  const parts = [...families.values()].map(({ metric, lines }) =>
    familyText(metric.name, metric.help, metric.type, lines),
  )
  if (simulatedSeconds !== undefined)
    parts.push(familyText(SIMULATED_SECONDS, SIMULATED_HELP, 'counter', [`${SIMULATED_SECONDS} ${simulatedSeconds}`]))
  return parts.join('')
}

const OF_HOSTS = new Set(COUNTERS.filter(({ devices }) => devices === 'hosts').map(({ name }) => name))

/** Devices that have a counter which only hosts have. */
function hostsAmong(readings: Iterable<Reading>): Set<string> {
  const hosts = new Set<string>()
  for (const { device, name } of readings) if (OF_HOSTS.has(name)) hosts.add(device)
  return hosts
}

function familyText(name: string, help: string, type: string, lines: readonly string[]): string {
  return `# HELP ${name} ${help}\n# TYPE ${name} ${type}\n${lines.join('\n')}\n`
}

function sampleOf({ name, labels, divisor }: Metric, { device, port, value }: Reading): string {
  // The infiniband collector has the RDMA device and its port, of which there is one.
  const where = name.startsWith('node_infiniband_')
    ? { device: port === '' ? 'rdma' : port, port: '1' }
    : { device: port }
  const all = Object.entries({ instance: device, ...where, ...labels })
  return `${name}{${all.map(([label, text]) => `${label}="${escaped(text)}"`).join(',')}} ${value / divisor}`
}

function escaped(text: string): string {
  return text.replaceAll('\\', '\\\\').replaceAll('"', '\\"').replaceAll('\n', '\\n')
}
