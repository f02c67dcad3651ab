/**
 * The field whose change explains a wrong ICRC. A sender over UDP sockets does not know the identification that its kernel
 * writes, and computes with 0 (docs/models/captures.md); a CRC cannot say more without trying each field.
 */
import { icrcOf } from '../../../core/wire/index.ts'
import type { Packet } from '../packet.ts'

const UDP_BYTES = 8

/** "" where none of those that are tried does. */
export function icrcFieldOf({ roce, record }: Packet): string {
  const { ip, packet } = roce
  if (ip.version !== 4 || ip.identification === 0) return ''
  const { bytes } = record
  // Both are views of the same record.
  if (packet.buffer !== bytes.buffer) return ''
  const start = packet.byteOffset - bytes.byteOffset - UDP_BYTES - 20
  const end = packet.byteOffset - bytes.byteOffset + packet.length
  if (start < 0 || end + 4 > bytes.length) return ''
  const icrc = new DataView(bytes.buffer, bytes.byteOffset).getUint32(end, true)
  const changed = bytes.slice(start, end)
  changed[4] = changed[5] = 0
  return icrcOf(changed, 20) === icrc ? 'identification of 0' : ''
}
