/**
 * Control frames at a port as bytes: PFC frames that it sends, and MAC control frames of others that it receives.
 * In a simulation PFC frames are packets of the fabric; this is their other form, for whoever has or wants real frames.
 */
import { INTS } from '../../base/memory.ts'
import { readMacControl, writeMacControl } from '../../wire/mac-control.ts'
import type { Fabric } from '../fabric.ts'
import { AT, DESTINATION, DIRECTION, KIND, NEXT, PFC, SIZE } from '../packets.ts'
import type { Port } from './port.ts'

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

/**
 * A frame arrives at a port now. PFC takes effect, whatever its source address; a pause of the whole link and frames that
 * are no MAC control frames are ignored, since PFC and link pause exclude each other (802.1Qbb).
 * @returns whether it was a PFC frame
 */
export function receiveFrame(fabric: Fabric, port: Port, bytes: Uint8Array): boolean {
  const frame = readMacControl(bytes)
  if (frame?.kind !== 'pfc') return false
  // A packet of the fabric has one time for all of its classes.
  let left = frame.vector
  while (left !== 0) {
    const quanta = frame.quanta[31 - Math.clz32(left & -left)]!
    let classes = 0
    for (let c = 0; c < 8; c++) if ((left & (1 << c)) !== 0 && frame.quanta[c] === quanta) classes |= 1 << c
    left &= ~classes
    const packet = fabric.packets.alloc()
    INTS[packet | KIND] = PFC
    INTS[packet | SIZE] = bytes.length + 4
    INTS[packet | AT] = port.id
    INTS[packet | DIRECTION] = classes
    INTS[packet | DESTINATION] = quanta
    INTS[packet | NEXT] = -1
    port.onPfc(packet)
  }
  return true
}
