/** Whole pcapng files with all that pcapng.ts writes: directions of frames, their FCS, and statistics of interfaces. */
import { inputError } from '../../base/issue.ts'
import { type Capture, type CapturedFrame, CRC_ERROR, INBOUND } from './pcapng.ts'
import { PcapngBlocks } from './pcapng-blocks.ts'
import { UnitReader } from './units.ts'

/** Times are those of the file, in picoseconds since 1970. @throws InputError where the bytes are no whole pcapng file */
export function readPcapng(bytes: Uint8Array): Capture {
  const frames: CapturedFrame[] = []
  const blocks = new PcapngBlocks(({ from, time, restPs, sizeBytes, keptBytes, bytes: all, at, flags, comment }) =>
    frames.push({
      port: from.port,
      timePs: time === null ? 0 : from.clock.afterPs(0n, time.high, time.low) + restPs,
      direction: (flags & 3) === INBOUND ? 'in' : 'out',
      hasCrcError: (flags & CRC_ERROR) !== 0,
      sizeBytes,
      bytes: all.slice(at, at + keptBytes),
      comment,
    }),
  )
  const reader = new UnitReader(blocks)
  reader.push(bytes)
  reader.end()
  const { damage } = reader
  if (damage !== null) throw inputError('pcapng', 'whole blocks', `${damage.what} at byte ${damage.atByte}`)
  if (!blocks.hasSection) throw inputError('pcapng', 'a section header', 'other bytes')
  const interfaces = blocks.interfaces.map(({ name, rateBps, snapBytes, fcsBytes, seen, lost }) => ({
    name,
    rateBps,
    snapBytes,
    fcsBytes,
    seen,
    leftOut: lost ?? 0,
  }))
  return { application: blocks.application, comment: blocks.comment, interfaces, frames }
}
