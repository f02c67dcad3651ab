/**
 * Tables of a result that the collector wrote, as readings and edges.
 */
import { inputError } from '../../../core/base/issue.ts'
import { DAMAGED, numberColumns, type Table, textsOf } from '../../../core/results/index.ts'
import { ALL_PRIORITIES, counterNamed, type Edge, type Reading } from '../../../core/device-model/index.ts'

/** Readings of a table of kind `counters`. Throws InputError for a table that no collector writes. */
export function readingsOf(table: Table): Reading[] {
  const [devices, ports, names] = [textsOf(table, 'device'), textsOf(table, 'port'), textsOf(table, 'name')]
  const [priorities, values, bits, times] = numberColumns(table, ['priority', 'value', 'bits', 'timeNs'])
  return Array.from({ length: table.rowCount }, (_, row): Reading => {
    const reading = {
      device: devices[row]!,
      port: ports[row]!,
      priority: priorities[row]!,
      name: names[row]!,
      value: values[row]!,
      bits: bits[row]!,
      timeNs: times[row]!,
    }
    const { priority, value } = reading
    const isRight =
      counterNamed(reading.name) !== undefined && priority >= ALL_PRIORITIES && priority <= 7 && value >= 0
    if (!isRight || !(reading.bits >= 1 && reading.bits <= 64))
      throw inputError(`${table.name}: row ${row}`, 'a reading of a counter', JSON.stringify(reading), DAMAGED)
    return reading
  })
}

/** Edges of a table of kind `counters/edges`. */
export function edgesOf(table: Table): Edge[] {
  const [a, portA, b, portB] = ['deviceA', 'portA', 'deviceB', 'portB'].map((name) => textsOf(table, name))
  const [lengths] = numberColumns(table, ['cableM'])
  return Array.from({ length: table.rowCount }, (_, row): Edge => ({
    deviceA: a![row]!,
    portA: portA![row]!,
    deviceB: b![row]!,
    portB: portB![row]!,
    cableM: lengths[row]!,
  }))
}
