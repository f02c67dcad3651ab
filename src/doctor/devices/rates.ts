/**
 * Rates: what each port and device did between its first and its last reading.
 */
import { leastOf, mostOf } from '../../core/base/extremes.ts'
import { COUNTERS, counterNamed, type Edge, type Reading } from '../../core/device-model/index.ts'
import { byDevice, Series } from './series/index.ts'

/** Counters of a port and priority, of a port, or of a device ('' and ALL_PRIORITIES), over one span. */
export interface CounterRow {
  readonly device: string
  readonly port: string
  /** Device at the other end of the port's link; '' where no edge says. */
  readonly peer: string
  readonly priority: number
  readonly spanNs: number
  /** By name: increase of a sum, highest value of a gauge or watermark. A counter that is not known is absent. */
  readonly values: ReadonlyMap<string, number>
}

/** One row by device, port and priority, in the order of the readings. */
export function counterRows(readings: readonly Reading[], edges: readonly Edge[]): CounterRow[] {
  const series = new Series(readings)
  const peers = peersOf(edges)
  return [...byDevice(readings)].flatMap(([device, own]) => {
    const times = own.map(({ timeNs }) => timeNs)
    const spanNs = mostOf(times) - leastOf(times)
    const at = new Map(own.map(({ port, priority }) => [`${priority} ${port}`, { port, priority }]))
    return [...at.values()].map(({ port, priority }) => ({
      device,
      port,
      peer: peers.get(`${device}\n${port}`) ?? '',
      priority,
      spanNs,
      values: valuesOf(series, device, port, priority),
    }))
  })
}

function valuesOf(series: Series, device: string, port: string, priority: number): Map<string, number> {
  const values = new Map<string, number>()
  for (const { name, kind } of COUNTERS) {
    const value =
      kind === 'sum' ? series.total(device, port, priority, name) : series.highest(device, port, priority, name)
    if (value !== undefined) values.set(name, value)
  }
  return values
}

function peersOf(edges: readonly Edge[]): Map<string, string> {
  return new Map(
    edges.flatMap(({ deviceA, portA, deviceB, portB }) => [
      [`${deviceA}\n${portA}`, deviceB],
      [`${deviceB}\n${portB}`, deviceA],
    ]),
  )
}

/** Whether anything but its speed was counted. */
export function isQuiet({ values }: CounterRow): boolean {
  return [...values].every(([name, value]) => value === 0 || counterNamed(name)?.kind === 'gauge')
}
