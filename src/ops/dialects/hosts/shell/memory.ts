/**
 * Memory: what the lines of a script have set so far at each port. Some commands set one of eight values and leave the
 * others as they are, so that all are known only together.
 */
import type { PortFacts } from '../../facts.ts'
import type { Line } from '../../text.ts'
import { positionsOf } from '../../words.ts'
import { PRIORITY_COUNT, putSchedules } from '../host-words.ts'

const FIELDS = ['pfc', 'np', 'rp', 'trafficClass', 'weight', 'buffer', 'size'] as const
export type EightField = (typeof FIELDS)[number]

export class PortMemory {
  readonly #eights = new Map<EightField, (number | undefined)[]>()
  readonly kinds: (string | undefined)[] = []
  /** Whether PFC has been set, and the line that has set the cable since. */
  hasPfc = false
  lengthLine: Line | undefined

  of(field: EightField): (number | undefined)[] {
    let values = this.#eights.get(field)
    if (values === undefined)
      this.#eights.set(field, (values = Array.from({ length: PRIORITY_COUNT }, () => undefined)))
    return values
  }

  setAll(field: EightField, values: readonly (number | undefined)[]): void {
    this.#eights.set(field, [...values])
  }

  /** Notes at the port what is known of a field, now that a line has changed it. */
  put(field: EightField, port: PortFacts, line: Line): void {
    const values = this.of(field)
    const all = values.every((one) => one !== undefined) ? values : undefined
    const on = all && positionsOf(all.map((one) => one === 1))
    if (field === 'pfc') {
      this.hasPfc = true
      this.lengthLine = undefined
      for (const each of ['pfcClasses', 'pfcWritten'] as const)
        if (on === undefined) port.settings.forget(each)
        else port.settings.put(each, on, line)
    } else if (field === 'np' || field === 'rp') {
      if (on === undefined) port.nic.forget(`${field}Classes`)
      else port.nic.put(`${field}Classes`, on, line)
    } else if (field === 'buffer' || field === 'size') {
      const name = field === 'buffer' ? 'bufferOfClass' : 'bufferBytes'
      if (all === undefined) port.nic.forget(name)
      else port.nic.put(name, all, line)
    } else this.putSchedules(port, line)
  }

  putSchedules(port: PortFacts, line: Line): void {
    const [ofPriority, weight] = [this.of('trafficClass'), this.of('weight')]
    putSchedules(port, { ofPriority, kind: this.kinds, weight }, line, 'set')
  }
}
