/**
 * Stored readings: tables that the collector of a run wrote, as readings and edges. Their columns are checked like those of
 * a file of anybody else.
 */
import { numbersOf, type Table, textsOf } from '../../results/index.ts'
import type { Edge, Reading } from '../model/index.ts'

export function readingsOf(table: Table): Reading[] {
  const texts = (name: string): readonly string[] => textsOf(table, name)
  const numbers = (name: string): Float64Array => numbersOf(table, name)
  const [devices, ports, names] = [texts('device'), texts('port'), texts('name')]
  const [times, priorities, values, bits] = [numbers('timeNs'), numbers('priority'), numbers('value'), numbers('bits')]
  return devices.map((device, row) => ({
    device,
    port: ports[row]!,
    priority: priorities[row]!,
    name: names[row]!,
    value: values[row]!,
    bits: bits[row]!,
    timeNs: times[row]!,
  }))
}

export function edgesOf(table: Table): Edge[] {
  const [deviceA, portA, deviceB, portB] = ['deviceA', 'portA', 'deviceB', 'portB'].map((name) => textsOf(table, name))
  const cableM = numbersOf(table, 'cableM')
  return deviceA!.map((device, row) => ({
    deviceA: device,
    portA: portA![row]!,
    deviceB: deviceB![row]!,
    portB: portB![row]!,
    cableM: cableM[row]!,
  }))
}
