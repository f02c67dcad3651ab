/**
 * edges.csv: device_a, port_a, device_b, port_b, and cable_m where it is known. A link may be listed once from either end.
 */
import type { Edge } from '../../../core/device-model/index.ts'
import { nameIn, readRows, type Row } from './rows.ts'

const COLUMNS = { required: ['device_a', 'port_a', 'device_b', 'port_b'], optional: ['cable_m'] }

/** Edges of a CSV text. Throws InputError with the line of each mistake. */
export function readEdges(file: string, text: string): Edge[] {
  /** The other end of each port, and the line that says so. */
  const peers = new Map<string, { readonly peer: string; readonly line: number }>()
  const edges = readRows(file, text, COLUMNS, (row) => {
    const edge = edgeIn(row)
    if (edge === undefined) return undefined
    const [a, b] = [JSON.stringify([edge.deviceA, edge.portA]), JSON.stringify([edge.deviceB, edge.portB])]
    if (edge.deviceA === edge.deviceB) return row.mistake('device_b', 'another device than device_a')
    const known = peers.get(a) ?? peers.get(b)
    // Neighbours name each other, so that many lists have each link twice.
    if (known !== undefined && peers.get(a)?.peer === b) return []
    if (known !== undefined)
      return row.mistake(peers.has(a) ? 'port_a' : 'port_b', `a port that line ${known.line} does not have`)
    peers.set(a, { peer: b, line: row.line })
    peers.set(b, { peer: a, line: row.line })
    return [edge]
  })
  return edges.flat()
}

function edgeIn(row: Row): Edge | undefined {
  const [deviceA, portA] = [nameIn(row, 'device_a'), nameIn(row, 'port_a')]
  const [deviceB, portB] = [nameIn(row, 'device_b'), nameIn(row, 'port_b')]
  const length = row.text('cable_m')
  if (!/^(\d{1,9}(\.\d{1,9})?)?$/.test(length)) return row.mistake('cable_m', 'a length in meters, or nothing')
  if (deviceA === undefined || portA === undefined || deviceB === undefined || portB === undefined) return undefined
  return { deviceA, portA, deviceB, portB, cableM: length === '' ? NaN : Number(length), line: row.line }
}
