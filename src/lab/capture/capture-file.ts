/** Capture file: the frames of an observer as pcapng. */
import type { CaptureFile } from '../../metrics/index.ts'
import { FCS_BYTES, fcsOf } from '../../wire/ethernet.ts'
import { writePcapng } from '../../wire/pcapng.ts'

/** The run that a file is of. */
export interface CaptureSource {
  readonly application: string
  readonly name: string
  readonly seed: number
}

/** The bytes of a pcapng file, made anew at each call. */
export function captureFile(
  { ports, frames, snapBytes, hasFcs }: CaptureFile,
  { application, name, seed }: CaptureSource,
): Uint8Array {
  const leftOut = ports.reduce((sum, port) => sum + port.leftOut, 0)
  const kept = leftOut === 0 ? '' : `; the first ${frames.length} frames, ${leftOut} more are left out`
  const comment = `simulated: ${name}, seed ${seed}; times are picoseconds of simulated time${kept}`
  const fcsBytes = hasFcs ? FCS_BYTES : 0
  const interfaces = ports.map((port) => ({ ...port, snapBytes: snapBytes ?? 0, fcsBytes }))
  return writePcapng({ application, comment, interfaces }, frames.length, (index) => {
    const { head, zeroBytes, tail, ...frame } = frames[index]!
    const sizeBytes = head.length + zeroBytes + tail.length
    const bytes = new Uint8Array(sizeBytes + fcsBytes)
    bytes.set(head)
    bytes.set(tail, head.length + zeroBytes)
    if (hasFcs) bytes.set(checked(fcsOf(bytes.subarray(0, sizeBytes)), frame.hasCrcError), sizeBytes)
    return { ...frame, sizeBytes: bytes.length, bytes: bytes.subarray(0, snapBytes ?? bytes.length) }
  })
}

/** The FCS as it arrived: after an error on the link it does not fit. */
function checked(fcs: Uint8Array, hasCrcError: boolean): Uint8Array {
  return hasCrcError ? fcs.map((byte) => byte ^ 0xff) : fcs
}
