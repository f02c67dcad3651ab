/** TCP segments read back, as src/core/wire/tcp.ts writes them. */
import type { TcpSegment } from './tcp.ts'

const HEADER_BYTES = 20
const NO_OPERATION = 1
const SACK_KIND = 5
const TIMESTAMPS_KIND = 8

/** The segment in the content of an IP packet; null: it is too short or has options other than these. */
export function readTcp(content: Uint8Array): TcpSegment | null {
  if (content.length < HEADER_BYTES) return null
  const view = new DataView(content.buffer, content.byteOffset, content.byteLength)
  const headerBytes = (content[12]! >> 4) * 4
  if (headerBytes < HEADER_BYTES || headerBytes > content.length) return null
  const options = new Map<number, readonly [number, number]>()
  for (let at = HEADER_BYTES; at < headerBytes; at += 12) {
    if (at + 12 > headerBytes || content[at] !== NO_OPERATION || content[at + 1] !== NO_OPERATION) return null
    options.set(content[at + 2]!, [view.getUint32(at + 4), view.getUint32(at + 8)])
  }
  return {
    sourcePort: view.getUint16(0),
    destinationPort: view.getUint16(2),
    sequence: view.getUint32(4),
    acknowledgement: view.getUint32(8),
    flags: content[13]!,
    window: view.getUint16(14),
    timestamps: options.get(TIMESTAMPS_KIND) ?? null,
    sack: options.get(SACK_KIND) ?? null,
    payload: content.slice(headerBytes),
  }
}
