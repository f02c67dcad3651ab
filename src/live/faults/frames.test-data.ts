/** Frames of a conversation between two hosts, for tests: queue pair 17 of the first with queue pair 18 of the second. */
import { ACKNOWLEDGE, writeBth, writeRoceFrame } from '../../core/wire/index.ts'
import type { Direction } from './line.ts'

export const QP = { in: 17, out: 18 } as const
const HOSTS = [Uint8Array.of(192, 0, 2, 1), Uint8Array.of(192, 0, 2, 2)] as const

interface Parts {
  readonly opcode: number
  readonly psn: number
  readonly qp?: number
  readonly padBytes?: number
  /** After the BTH, padding included. */
  readonly rest?: Uint8Array
}

/** `out`: from the first host to the second. */
export function frameOf(
  direction: Direction,
  { opcode, psn, qp, padBytes = 0, rest = new Uint8Array() }: Parts,
): Uint8Array {
  const packet = new Uint8Array(12 + rest.length)
  writeBth(new DataView(packet.buffer), 0, {
    opcode,
    psn,
    isAckRequested: false,
    isSolicited: false,
    destinationQp: qp ?? QP[direction],
    padBytes,
  })
  packet.set(rest, 12)
  const [from, to] = direction === 'out' ? [0, 1] : [1, 0]
  return writeRoceFrame({
    link: { source: 0x525400000001 + from, destination: 0x525400000001 + to, tag: null },
    ip: {
      version: 4,
      source: HOSTS[from]!,
      destination: HOSTS[to]!,
      dscp: 0,
      ecn: 0,
      hopLimit: 64,
      protocol: 17,
      identification: psn & 0xffff,
      isUnfragmented: true,
    },
    sourcePort: 49_152,
    destinationPort: 4791,
    hasChecksum: false,
    packet,
  })
}

/** A SEND of one packet. */
export const sendOf = (psn: number, direction: Direction = 'out', payload = Uint8Array.of(1, 2, 3, 4)): Uint8Array =>
  frameOf(direction, { opcode: 4, psn, rest: payload })

export const ackOf = (psn: number, direction: Direction = 'in', syndrome = 0x1f): Uint8Array =>
  frameOf(direction, { opcode: ACKNOWLEDGE, psn, rest: Uint8Array.of(syndrome, 0, 0, 9) })
