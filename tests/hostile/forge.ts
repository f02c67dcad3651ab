/**
 * Forging: changed copies of frames. `FORGERIES` are packets whose ICRC is right, from the partner's address, by what was
 * changed: whether an endpoint may believe them is its own affair. `SPOILT` makes of any of them a frame that nobody may
 * believe.
 */
import { CNP_OPCODE, readFrame, type RoceFrame, ROCE_PORT, writeRoceFrame } from '../../src/core/wire/index.ts'
import { icrcOf } from '../../src/core/wire/icrc.ts'
import { contentChecksum, readIp } from '../../src/core/wire/ip.ts'
import type { Draw } from './user.ts'

/** Part of memory of the end that is attacked. The attacker knows all of it. */
export interface Target {
  readonly key: number
  readonly address: number
  readonly lengthBytes: number
}

export interface Knowledge {
  readonly targets: readonly Target[]
  /** Numbers of its queue pairs. */
  readonly qps: readonly number[]
}

export type Roce = RoceFrame & { readonly packet: Uint8Array }

const BTH_BYTES = 12
const RC_OPCODES = 0x15
const READ_REQUEST = 0x0c
const ACK = 0x11
const ATOMIC_ACK = 0x12
const RETH_OPCODES = new Set([0x06, 0x0a, 0x0b, READ_REQUEST, 0x13, 0x14])

const viewOf = (bytes: Uint8Array): DataView => new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength)
const pick = <T>(draw: Draw, from: readonly T[]): T => from[draw(from.length)]!
const NOWHERE: Target = { key: 1, address: 0x10_0000, lengthBytes: 4096 }
const targetOf = (draw: Draw, { targets }: Knowledge): Target => (targets.length === 0 ? NOWHERE : pick(draw, targets))

/** The frame as parts, null: it is no RoCEv2 packet. */
export function partsOf(frame: Uint8Array): Roce | null {
  const read = readFrame(frame)
  return read?.kind === 'roce' && read.destinationPort === ROCE_PORT ? read : null
}

type Change = (packet: Uint8Array, draw: Draw, known: Knowledge) => Uint8Array

/** A packet with this opcode, PSN and queue pair of the old one, and these bytes behind the BTH. */
function made(packet: Uint8Array, opcode: number, body: Uint8Array): Uint8Array {
  const bytes = new Uint8Array(BTH_BYTES + body.length)
  bytes.set(packet.subarray(0, BTH_BYTES))
  bytes[0] = opcode
  bytes[1]! &= 0xcf
  bytes.set(body, BTH_BYTES)
  return bytes
}

function shifted(packet: Uint8Array, by: number): Uint8Array {
  const view = viewOf(packet)
  const word = view.getUint32(8)
  view.setUint32(8, ((word & 0xff000000) | ((word + by) & 0xffffff)) >>> 0)
  return packet
}

function drawn(draw: Draw, length: number): Uint8Array {
  return Uint8Array.from({ length }, () => draw(256))
}

/** A range that begins or ends one byte beside a target, at the ends of numbers, or somewhere. */
function rangeNear(draw: Draw, { address, lengthBytes }: Target): { address: bigint; length: number } {
  const [from, size] = [BigInt(address), BigInt(lengthBytes)]
  const length = pick(draw, [0, 1, 7, 8, 64, lengthBytes, lengthBytes + 1, 2 ** 31, 2 ** 31 + 1, 2 ** 32 - 1])
  const start = pick(draw, [
    from,
    from - 1n,
    from + size,
    from + size - BigInt(length),
    from + size - BigInt(length) + 1n,
    2n ** 64n - BigInt(length) + from,
    2n ** 64n - 1n,
    2n ** 53n + from,
    0n,
    BigInt(draw(2 ** 32)),
  ])
  return { address: BigInt.asUintN(64, start), length }
}

/** RETH or the first part of an AtomicETH. */
function reth(draw: Draw, known: Knowledge): Uint8Array {
  const target = targetOf(draw, known)
  const { address, length } = rangeNear(draw, target)
  const bytes = new Uint8Array(16)
  const view = viewOf(bytes)
  view.setBigUint64(0, address)
  view.setUint32(8, draw(4) === 0 ? draw(2 ** 32) : target.key)
  view.setUint32(12, length)
  return bytes
}

const aeth = (syndrome: number, msn: number): Uint8Array =>
  Uint8Array.of(syndrome, (msn >> 16) & 0xff, (msn >> 8) & 0xff, msn & 0xff)
const joined = (...parts: readonly Uint8Array[]): Uint8Array => {
  const bytes = new Uint8Array(parts.reduce((sum, part) => sum + part.length, 0))
  let at = 0
  for (const part of parts) {
    bytes.set(part, at)
    at += part.length
  }
  return bytes
}

export const FORGERIES: Readonly<Record<string, Change>> = {
  'sent again': (packet) => packet,
  'another PSN': (packet, draw) =>
    shifted(packet, pick(draw, [1, -1, 2, -2, 8, -8, 64, 2 ** 23, 2 ** 23 - 1, draw(2 ** 24)])),
  'another opcode': (packet, draw) => {
    packet[0] = draw(3) === 0 ? draw(256) : draw(RC_OPCODES)
    return packet
  },
  'a range beside a region': (packet, draw, known) => {
    if (RETH_OPCODES.has(packet[0]!) && packet.length >= BTH_BYTES + 16) packet.set(reth(draw, known), BTH_BYTES)
    return packet
  },
  'a READ request': (packet, draw, known) => made(shifted(packet, draw(3) - 1), READ_REQUEST, reth(draw, known)),
  'a WRITE': (packet, draw, known) =>
    made(
      shifted(packet, draw(2)),
      pick(draw, [6, 7, 8, 9, 10, 11]),
      joined(reth(draw, known), drawn(draw, 4 * draw(20))),
    ),
  'an atomic': (packet, draw, known) => {
    const operands = drawn(draw, pick(draw, [12, 16, 16, 20]))
    return made(shifted(packet, draw(3) - 1), 0x13 + draw(2), joined(reth(draw, known).subarray(0, 12), operands))
  },
  'a SEND': (packet, draw, known) => {
    const key = new Uint8Array(4)
    viewOf(key).setUint32(0, targetOf(draw, known).key)
    const opcode = pick(draw, [0, 1, 2, 3, 4, 5, 0x16, 0x17])
    return made(shifted(packet, draw(2)), opcode, joined(key, drawn(draw, 4 * draw(300))))
  },
  'an ACK': (packet, draw) => {
    const psn = shifted(packet, pick(draw, [0, 1, 2, 7, 32, 1000, -1, -5, 2 ** 22, 2 ** 23]))
    return made(psn, ACK, aeth(draw(3) === 0 ? draw(256) : 0x1f, draw(3) === 0 ? draw(2 ** 24) : draw(300)))
  },
  'a NAK': (packet, draw) =>
    made(
      shifted(packet, draw(5) - 2),
      ACK,
      aeth(pick(draw, [0x20, 0x21, 0x3f, 0x60, 0x60, 0x60, 0x61, 0x62, 0x63, 0x64, 0x65, 0x7f, 0x40, 0xe0]), draw(300)),
    ),
  'a READ response': (packet, draw) => {
    const opcode = 0x0d + draw(4)
    const head = opcode === 0x0e ? new Uint8Array(0) : aeth(0x1f, draw(300))
    return made(shifted(packet, draw(4) - 1), opcode, joined(head, drawn(draw, draw(4) === 0 ? 1024 : 4 * draw(64))))
  },
  'an atomic response': (packet, draw) =>
    made(
      shifted(packet, draw(3) - 1),
      ATOMIC_ACK,
      joined(aeth(0x1f, draw(300)), drawn(draw, pick(draw, [4, 8, 8, 12]))),
    ),
  'a CNP': (packet) => made(packet, CNP_OPCODE, new Uint8Array(16)),
  'another length': (packet, draw) => {
    const length = pick(draw, [
      packet.length + 1,
      packet.length + 4,
      packet.length - 1,
      packet.length - 4,
      12,
      28,
      1044,
      9000,
    ])
    const bytes = new Uint8Array(Math.max(0, length))
    bytes.set(packet.subarray(0, length))
    return bytes
  },
  padding: (packet, draw) => {
    packet[1] = (packet[1]! & 0xcf) | (draw(4) << 4)
    return packet
  },
  'bits of the BTH': (packet, draw) => {
    packet[1 + draw(4)]! ^= 1 << draw(8)
    if (draw(2) === 0) packet[8]! ^= 1 << draw(8)
    return packet
  },
  'another queue pair': (packet, draw, known) => {
    const view = viewOf(packet)
    view.setUint32(4, pick(draw, [...known.qps, 0, 1, 2, 0xffffff, draw(2 ** 24)]))
    return packet
  },
  'drawn bytes': (packet, draw) => {
    for (let n = draw(4); n >= 0; n--)
      packet[draw(8) === 0 ? draw(packet.length) : draw(Math.min(44, packet.length))] = draw(256)
    return packet
  },
  'a drawn packet': (packet, draw) => {
    const bytes = drawn(draw, draw(80))
    if (draw(2) === 0) bytes.set(packet.subarray(0, Math.min(12, bytes.length)))
    return bytes
  },
}
export const FORGERY_NAMES: readonly string[] = Object.keys(FORGERIES)

/** A forgery with a right ICRC. */
export function forge(name: string, roce: Roce, draw: Draw, known: Knowledge): Uint8Array {
  const packet = FORGERIES[name]!(roce.packet.slice(), draw, known)
  return writeRoceFrame({ ...roce, packet })
}

/** Where the packet ends: short frames are padded behind it. */
function endOf(frame: Uint8Array): number {
  const view = viewOf(frame)
  return frame[14]! >> 4 === 6 ? 54 + view.getUint16(18) : 14 + view.getUint16(16)
}

/** Sums and ICRC of a frame of IPv4 or IPv6 without options are made right again, so that what is behind them is reached. */
function sealed(frame: Uint8Array): Uint8Array {
  const view = viewOf(frame)
  if (frame[14]! >> 4 === 6) {
    const end = endOf(frame) - 4
    view.setUint32(end, icrcOf(frame.subarray(14, end), 40), true)
    return frame
  }
  view.setUint16(24, 0)
  let sum = 0
  for (let at = 14; at < 34; at += 2) sum += view.getUint16(at)
  while (sum > 0xffff) sum = (sum & 0xffff) + (sum >> 16)
  view.setUint16(24, ~sum & 0xffff)
  const end = endOf(frame) - 4
  view.setUint32(end, icrcOf(frame.subarray(14, end), 20), true)
  return frame
}

type Spoiling = (frame: Uint8Array, draw: Draw) => Uint8Array
const isIpv4 = (frame: Uint8Array): boolean => frame[14]! >> 4 === 4
const sourceAt = (frame: Uint8Array): readonly [at: number, bytes: number] => (isIpv4(frame) ? [26, 4] : [22, 16])

export const SPOILT: Readonly<Record<string, Spoiling>> = {
  'a wrong ICRC': (frame, draw) => {
    frame[endOf(frame) - 1 - draw(4)]! ^= 1 + draw(255)
    return frame
  },
  'a damaged byte': (frame, draw) => {
    // Behind what the ICRC leaves out.
    const at = (isIpv4(frame) ? 42 : 62) + 5
    frame[at + draw(Math.max(1, endOf(frame) - at))]! ^= 1 + draw(255)
    return frame
  },
  'another source': (frame, draw) => {
    const [at, bytes] = sourceAt(frame)
    frame[at + bytes - 1] = 3 + draw(250)
    return sealed(frame)
  },
  'a group as source': (frame, draw) => {
    const [at, bytes] = sourceAt(frame)
    frame.fill(0xff, at, at + bytes)
    if (draw(2) === 0) frame[at + bytes - 1] = 1
    return sealed(frame)
  },
  'an unknown queue pair': (frame) => {
    const at = isIpv4(frame) ? 42 : 62
    frame[at + 5] = frame[at + 6] = 0
    frame[at + 7] = 2
    return sealed(frame)
  },
  'a version of the BTH': (frame, draw) => {
    const at = isIpv4(frame) ? 42 : 62
    frame[at + 1] = (frame[at + 1]! & 0xf0) | (1 + draw(15))
    return sealed(frame)
  },
  'another partition': (frame, draw) => {
    const at = isIpv4(frame) ? 42 : 62
    frame[at + 3] = draw(255)
    return sealed(frame)
  },
  'a fragment, or another header of IPv6': (frame, draw) => {
    if (isIpv4(frame)) frame[20] = 0x20 | draw(32)
    else frame[20] = [0, 43, 44, 59, 60, 6, 58][draw(7)]!
    return sealed(frame)
  },
  'options of IP': (frame, draw) => {
    if (!isIpv4(frame)) return SPOILT['a wrong ICRC']!(frame, draw)
    const bytes = new Uint8Array(frame.length + 4)
    bytes.set(frame.subarray(0, 34))
    bytes.set(frame.subarray(34), 38)
    bytes[14] = 0x46
    viewOf(bytes).setUint16(16, bytes.length - 14)
    return bytes
  },
  'a VLAN tag': (frame, draw) => {
    const bytes = new Uint8Array(frame.length + 4)
    bytes.set(frame.subarray(0, 12))
    bytes.set([0x81, 0, draw(256), draw(256)], 12)
    bytes.set(frame.subarray(12), 16)
    return bytes
  },
  'another port': (frame, draw) => {
    const at = isIpv4(frame) ? 34 : 54
    frame[at + 3]! ^= 1 + draw(255)
    return sealed(frame)
  },
  'another destination': (frame, draw) => {
    if (draw(2) === 0) frame[draw(6)]! ^= 1 << draw(8)
    else frame[isIpv4(frame) ? 33 : 53]! ^= 1 + draw(255)
    return draw(2) === 0 ? sealed(frame) : frame
  },
  // Within the packet: without its padding alone it is whole.
  'a cut frame': (frame, draw) => frame.subarray(0, draw(Math.min(frame.length, endOf(frame)))),
  'a wrong length': (frame, draw) => {
    const at = isIpv4(frame) ? (draw(2) === 0 ? 17 : 39) : draw(2) === 0 ? 19 : 59
    frame[at]! ^= 1 + draw(255)
    return frame
  },
  'a wrong sum of UDP': (frame, draw) => {
    const read = readIp(frame.subarray(14))
    const start = isIpv4(frame) ? 34 : 54
    const right = read === null ? 1 : contentChecksum(read.ip, frame.subarray(start, endOf(frame)))
    // 0 is no sum.
    viewOf(frame).setUint16(start + 6, right ^ (1 + draw(255)) || right ^ 0x100)
    return frame
  },
  'drawn bytes': (_frame, draw) => drawn(draw, draw(1600)),
}
export const SPOILT_NAMES: readonly string[] = Object.keys(SPOILT)
