/**
 * Changes of one frame. Each gives a frame with a right ICRC and right checksums, but for `corrupt-icrc`.
 * Source: RFC 3168 (CE); lengths and ICRC: IBTA annex A17.
 */
import type { RandomStream } from '../../core/base/random.ts'
import { writeRoceFrame } from '../../core/wire/index.ts'
import { FIELDS, writeBits } from './fields.ts'
import type { Action, ActionKind } from './script.ts'
import type { Seen } from './seen.ts'

const CE = 3
const ICRC_BYTES = 4
const UDP_BYTES = 8

type Change = (seen: Seen, action: Action, random: RandomStream) => Uint8Array

/** Actions that give another frame. */
export const CHANGES: Readonly<Partial<Record<ActionKind, Change>>> = {
  'corrupt-icrc': (seen) => withWrongIcrc(seen),
  'corrupt-payload': ({ roce, payloadAt, payloadBytes }, _action, random) => {
    const packet = roce.packet.slice()
    packet[payloadAt + random.below(payloadBytes)]! ^= 1 << random.below(8)
    return writeRoceFrame({ ...roce, packet })
  },
  truncate: ({ roce, payloadAt, payloadBytes }, action) => {
    const asked = action.kind === 'truncate' ? action.leftBytes : null
    const left = Math.min(payloadBytes, asked ?? Math.floor(payloadBytes / 2))
    const pad = -left & 3
    const packet = new Uint8Array(payloadAt + left + pad)
    packet.set(roce.packet.subarray(0, payloadAt + left))
    writeBits(packet, FIELDS['pad']!.bitAt, FIELDS['pad']!.bits, pad)
    return writeRoceFrame({ ...roce, packet })
  },
  'mark-ce': ({ roce }) => writeRoceFrame({ ...roce, ip: { ...roce.ip, ecn: CE } }),
  set: (seen, action) => (action.kind === 'set' ? withFields(seen, action.fields) : seen.roce.packet),
}

/** Whether an action can be done to a frame. */
export function isApplicable({ kinds, mad, payloadBytes, aethAt, memoryAt }: Seen, action: Action): boolean {
  switch (action.kind) {
    case 'corrupt-payload':
    case 'truncate':
      return payloadBytes > 0
    case 'rnr':
    case 'nak':
      return kinds.has('request') && mad === null
    case 'reject':
      return mad?.kind === 'REQ'
    case 'set':
      return Object.keys(action.fields).every((name) => {
        const base = FIELDS[name]!.base
        return base === 'aeth' ? aethAt >= 0 : base === 'memory' ? memoryAt >= 0 : true
      })
    default:
      return true
  }
}

function withWrongIcrc({ roce }: Seen): Uint8Array {
  const frame = writeRoceFrame(roce)
  // The frame may be padded to the shortest that Ethernet has.
  const headers = 14 + (roce.link.tag === null ? 0 : 4) + (roce.ip.version === 4 ? 20 : 40) + UDP_BYTES
  frame[headers + roce.packet.length + ICRC_BYTES - 1]! ^= 1
  return frame
}

function withFields({ roce, aethAt, memoryAt }: Seen, fields: Readonly<Record<string, number>>): Uint8Array {
  const packet = roce.packet.slice()
  const starts = { bth: 0, aeth: aethAt, memory: memoryAt }
  let { ip, sourcePort } = roce
  for (const [name, value] of Object.entries(fields)) {
    const { base, bitAt, bits } = FIELDS[name]!
    if (base !== 'ip') writeBits(packet, 8 * starts[base] + bitAt, bits, value)
    else if (name === 'sourcePort') sourcePort = value
    else ip = { ...ip, [name]: value }
  }
  return writeRoceFrame({ ...roce, ip, sourcePort, packet })
}
