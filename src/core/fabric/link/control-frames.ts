/**
 * Control frames of a port as bytes. In a simulation PFC frames are packets of the fabric; this is their other form, for
 * captures.
 */
import { writeMacControl } from '../../wire/mac-control.ts'

/** Locally administered address of a station: 02 in the first byte, the port's number in the last four. */
const STATION = 0x020000000000

/** Address that a port sends from. */
export function stationAddressOf(port: number): number {
  return STATION + port
}

/** A PFC frame that a port sends: pause time of the classes in `vector`, a bit each; quanta 0 resumes them. */
export function pfcFrame(port: number, vector: number, quanta: number): Uint8Array {
  const times = Array.from({ length: 8 }, (_, c) => ((vector & (1 << c)) === 0 ? 0 : quanta))
  return writeMacControl({ kind: 'pfc', source: stationAddressOf(port), vector, quanta: times })
}
