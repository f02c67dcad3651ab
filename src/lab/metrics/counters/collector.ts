/**
 * Collector: polls devices as the collector of a real fabric does. A device may answer late, or not at all; its counters may
 * begin anew, wrap at the width that its vendor has, and its clock may be off. All of it is drawn per device and poll from streams
 * of its own, so that no draw of the run changes.
 * Units: picoseconds; the clock of readings is in nanoseconds.
 */
import type { RandomStream, RandomStreams } from '../../../core/base/random.ts'
import { counterNamed } from '../../../core/device-model/index.ts'
import { type ColumnSpec, type Table, TableBuilder } from '../../../core/results/table.ts'
import type { Watch } from '../../../core/fabric/watch.ts'
import type { CountedDevice, Reader } from './devices.ts'

export interface Damage {
  /** Share of the polls that a device does not answer. */
  readonly lost: number
  /** Share of the interval up to which a device answers late. */
  readonly late: number
  /** Probability that a device's counters begin anew once. */
  readonly reset: number
  /** Clocks are off by up to this. */
  readonly clockOffPs: number
  /** Counters begin anywhere in their range, as those of devices that have run for long. */
  readonly isAged: boolean
}

/** Widths of the counters that a device has, by name. */
export type Widths = ReadonlyMap<string, number>

export const READING_COLUMNS: readonly ColumnSpec[] = [
  { name: 'timeNs', type: 'integer' },
  { name: 'device', type: 'text' },
  { name: 'port', type: 'text' },
  { name: 'priority', type: 'integer' },
  { name: 'name', type: 'text' },
  { name: 'value', type: 'integer' },
  { name: 'bits', type: 'integer' },
]

/** Parts of an interval in which late answers come: lateness is a whole number of them. */
export const LATE_STEPS = 16
/** Counters of 64 bits begin below this, so that all values are exact. */
const AGED_MOST = 2 ** 52

/** A device with what is drawn for it. */
interface Polled {
  readonly device: CountedDevice
  readonly widths: Widths
  readonly random: RandomStream
  readonly clockOffPs: number
  /** Poll at which its counters begin anew; -1: never. */
  readonly resetAt: number
  /** By port, priority and name: what is added to the count of the simulator. */
  readonly offsets: Map<string, number>
  /** Step of the poll in progress in which it answers; -1: it has, or does not. */
  dueStep: number
  /** It was down when it was to answer, and its counters begin anew. */
  wasDown: boolean
}

export interface CollectorOptions {
  readonly table: string
  readonly devices: readonly CountedDevice[]
  readonly reader: Reader
  readonly widthsOf: (device: CountedDevice) => Widths
  readonly damage: Damage
  readonly random: RandomStreams
  readonly intervalPs: number
  readonly maxRows: number
  /** Polls until a reset may come: it is drawn among these. */
  readonly resetPolls: number
}

export class Collector {
  readonly intervalPs: number
  readonly #options: CollectorOptions
  readonly #polled: readonly Polled[]
  readonly #rows: TableBuilder
  readonly #steps: number
  #step = -1
  #poll = -1
  #lastPs = 0

  constructor(options: CollectorOptions) {
    const { damage, intervalPs, random, table, maxRows } = options
    this.#options = options
    this.#steps = damage.late > 0 ? Math.min(LATE_STEPS, intervalPs) : 1
    this.intervalPs = Math.floor(intervalPs / this.#steps)
    this.#rows = new TableBuilder(table, READING_COLUMNS, { maxRows })
    this.#polled = options.devices.map((device) => {
      const own = random.stream(`counters/${table}/${device.name}`)
      const isReset = own.uniform() < damage.reset
      return {
        device,
        widths: options.widthsOf(device),
        random: own,
        clockOffPs: Math.round(own.uniform() * damage.clockOffPs),
        resetAt: isReset ? 1 + own.below(options.resetPolls) : -1,
        offsets: new Map(),
        dueStep: -1,
        wasDown: false,
      }
    })
  }

  /** Callbacks for drops, links and watchdogs. */
  get watch(): Watch {
    return this.#options.reader.portCounts
  }

  /** Called once a step: at its first the poll begins, and devices answer at theirs. */
  sample(nowPs: number): void {
    this.#step = (this.#step + 1) % this.#steps
    if (this.#step === 0) this.#begin()
    let isRead = false
    for (const polled of this.#polled) {
      if (polled.dueStep !== this.#step) continue
      if (!isRead) this.#options.reader.begin(nowPs)
      isRead = true
      this.#answer(polled, nowPs, this.#rows)
      this.#lastPs = nowPs
    }
  }

  /** Readings so far. */
  table(): Table {
    return this.#rows.build()
  }

  /** At the end of the run: also those of then, if at least half an interval has passed since the last. */
  lastTable(nowPs: number): Table {
    const table = this.table()
    if (nowPs - this.#lastPs < this.#options.intervalPs / 2) return table
    const last = new TableBuilder(table.name, READING_COLUMNS)
    this.#options.reader.begin(nowPs)
    for (const polled of this.#polled) this.#read(polled, nowPs, last, false)
    return joined(table, last.build())
  }

  /** Draws when each device answers. */
  #begin(): void {
    const { lost, late } = this.#options.damage
    this.#poll++
    this.#rows.beginSample()
    for (const polled of this.#polled) {
      const isLost = polled.random.uniform() < lost
      const lateness = polled.random.uniform() * late
      polled.dueStep = isLost ? -1 : Math.min(this.#steps - 1, Math.floor(lateness * this.#steps))
    }
  }

  #answer(polled: Polled, nowPs: number, into: TableBuilder): void {
    polled.dueStep = -1
    if (polled.device.isDown()) {
      polled.wasDown = true
      return
    }
    const isReset =
      polled.wasDown || (polled.resetAt >= 0 && polled.resetAt <= this.#poll && !polled.offsets.has(RESET))
    if (isReset) this.#reset(polled)
    polled.wasDown = false
    this.#read(polled, nowPs, into, true)
  }

  /** Its counters are 0 now. */
  #reset(polled: Polled): void {
    polled.offsets.clear()
    polled.offsets.set(RESET, 0)
    this.#options.reader.read(polled.device, false, (port, priority, name, value) =>
      polled.offsets.set(`${port}/${priority}/${name}`, -value),
    )
  }

  #read(polled: Polled, nowPs: number, into: TableBuilder, clears: boolean): void {
    const { device, widths } = polled
    const timeNs = Math.round((nowPs + polled.clockOffPs) / 1000)
    this.#options.reader.read(device, clears, (port, priority, name, value) => {
      const bits = widths.get(name)
      if (bits === undefined) return
      const isSum = counterNamed(name)!.kind === 'sum'
      const shown = isSum ? this.#shown(polled, `${port}/${priority}/${name}`, value, bits) : value
      into.add(timeNs, device.name, port, priority, name, shown, bits)
    })
  }

  #shown(polled: Polled, key: string, value: number, bits: number): number {
    const { isAged, reset, lost } = this.#options.damage
    if (!isAged && reset === 0 && lost === 0 && polled.offsets.size === 0) return wrapped(value, bits)
    let offset = polled.offsets.get(key)
    if (offset === undefined) {
      // After a reset a counter that appears for the first time begins at 0.
      offset =
        isAged && !polled.offsets.has(RESET) ? Math.floor(polled.random.uniform() * Math.min(AGED_MOST, 2 ** bits)) : 0
      polled.offsets.set(key, offset)
    }
    return wrapped(value + offset, bits)
  }
}

/** Key among the offsets of a device whose counters have begun anew. */
const RESET = 'reset'

function wrapped(value: number, bits: number): number {
  return bits >= 53 ? value : value % 2 ** bits
}

function joined(first: Table, last: Table): Table {
  const rowCount = first.rowCount + last.rowCount
  const columns = first.columns.map((column, i) => {
    const more = last.columns[i]!
    if (column.type === 'text') return { ...column, data: [...column.data, ...(more.data as readonly string[])] }
    const data = new Float64Array(rowCount)
    data.set(column.data)
    data.set(more.data as Float64Array, first.rowCount)
    return { ...column, data }
  })
  return { ...first, rowCount, columns }
}
