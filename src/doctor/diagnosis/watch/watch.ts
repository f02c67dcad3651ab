/**
 * Watch: readings as they come, and the alarms that begin and end with them. It keeps the last reading of each counter and
 * nothing else.
 */
import { ALL_PRIORITIES, type Reading } from '../../../core/device-model/index.ts'
import { stepOf } from '../../devices/series/index.ts'
import { FRAME_HOLD_BITS } from '../locate/limits.ts'
import { ALARM_RULES, type AlarmRule } from './rules.ts'

/** A counter that is above its threshold at a port, or was. */
export interface Alarm {
  readonly rule: AlarmRule
  readonly device: string
  readonly port: string
  readonly priority: number
  /** Measured over the last interval: a share, or a number of events. */
  readonly value: number
  readonly fromNs: number
  readonly toNs: number
}

export interface AlarmChanges {
  readonly begun: readonly Alarm[]
  readonly ended: readonly Alarm[]
}

/** Growth of a counter between two readings. */
interface Change {
  readonly reading: Reading
  readonly fromNs: number
  /** NaN: not known. */
  readonly amount: number
}

const keyOf = ({ device, port, priority, name }: Omit<Reading, 'value' | 'bits' | 'timeNs'>): string =>
  JSON.stringify([device, port, priority, name])

export class CounterWatch {
  readonly #last = new Map<string, Reading>()
  readonly #rates = new Map<string, number>()
  /** Alarms that have begun and not ended. */
  readonly #alarms = new Map<string, Alarm>()

  /** Alarms at this time, those that began first before others. */
  get alarms(): readonly Alarm[] {
    return [...this.#alarms.values()]
  }

  /**
   * Takes the readings of one or several devices; those of one device and time belong together in one call. A counter that
   * is missing leaves its alarms as they are.
   */
  push(readings: readonly Reading[]): AlarmChanges {
    const changes = this.#changesOf(readings)
    const begun: Alarm[] = []
    const ended: Alarm[] = []
    for (const { reading, fromNs, amount } of changes.values()) {
      if (Number.isNaN(amount)) continue
      for (const rule of ALARM_RULES) {
        if (rule.counter !== reading.name) continue
        const value = this.#valueOf(rule, reading, fromNs, amount, changes)
        if (value === undefined) continue
        const { device, port, priority, timeNs } = reading
        const key = JSON.stringify([rule.id, device, port, priority])
        const known = this.#alarms.get(key)
        const alarm = { rule, device, port, priority, value, fromNs: known?.fromNs ?? fromNs, toNs: timeNs }
        if (known === undefined ? value < rule.begin : value < rule.end) {
          if (known === undefined) continue
          this.#alarms.delete(key)
          ended.push(alarm)
        } else {
          this.#alarms.set(key, alarm)
          if (known === undefined) begun.push(alarm)
        }
      }
    }
    return { begun, ended }
  }

  /** By counter. A device of which a counter began again has none that is known. */
  #changesOf(readings: readonly Reading[]): Map<string, Change> {
    const changes = new Map<string, Change>()
    const reset = new Set<string>()
    const rose = new Set<string>()
    const wrapped = new Set<string>()
    for (const reading of readings) {
      const { device, port, name, value, bits, timeNs } = reading
      if (name === 'rateBps') this.#rates.set(JSON.stringify([device, port]), value)
      const key = keyOf(reading)
      const last = this.#last.get(key)
      if (last !== undefined && last.timeNs >= timeNs) continue
      this.#last.set(key, reading)
      if (last === undefined || !WATCHED.has(name)) continue
      const step = stepOf(last.value, value, bits)
      if (step === 'fell') reset.add(device)
      if (step === 'rose') rose.add(device)
      if (step === 'wrap') wrapped.add(device)
      const grown = step === 'wrap' ? value - last.value + 2 ** bits : value - last.value
      changes.set(key, { reading, fromNs: last.timeNs, amount: step === 'stuck' ? NaN : grown })
    }
    for (const device of wrapped) if (!rose.has(device)) reset.add(device)
    for (const [key, change] of changes)
      if (reset.has(change.reading.device)) changes.set(key, { ...change, amount: NaN })
    return changes
  }

  /** The number that a rule looks at; undefined: it is not known. */
  #valueOf(
    { measure, over = '', unless }: AlarmRule,
    reading: Reading,
    fromNs: number,
    amount: number,
    changes: ReadonlyMap<string, Change>,
  ): number | undefined {
    const { device, port, timeNs } = reading
    if (unless !== undefined && this.#last.has(keyOf({ ...reading, name: unless }))) return undefined
    const spanNs = timeNs - fromNs
    if (measure === 'events') return amount
    if (measure === 'time') return (amount * 1000) / spanNs
    if (measure === 'frames') {
      const rateBps = this.#rates.get(JSON.stringify([device, port]))
      return rateBps === undefined ? undefined : (amount * FRAME_HOLD_BITS * 1e9) / (rateBps * spanNs)
    }
    const priorities = reading.priority === ALL_PRIORITIES ? [0, 1, 2, 3, 4, 5, 6, 7] : [reading.priority]
    const passed = priorities.reduce((sum, priority) => {
      const change = changes.get(keyOf({ device, port, priority, name: over }))
      return sum + (change === undefined || Number.isNaN(change.amount) ? 0 : change.amount)
    }, 0)
    return amount === 0 ? 0 : amount / (amount + passed)
  }
}

/** Counters that rules look at. */
const WATCHED: ReadonlySet<string> = new Set(
  ALARM_RULES.flatMap(({ counter, over }) => [counter, ...(over === undefined ? [] : [over])]),
)
