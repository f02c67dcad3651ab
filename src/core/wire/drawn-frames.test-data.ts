/** RoCEv2 frames of all services with drawn headers, of which every bit may be set; and pcap files of frames. */
import type { RandomStream } from '../base/random.ts'
import { BTH_BYTES, type BthBits, type BthFields, CNP_OPCODE } from './bth.ts'
import type { DissectedRoce, ExtendedHeaders } from './dissected.ts'
import { ROCE_PORT, type RoceFrame, writeRoceFrame } from './frame.ts'
import { type IpHeader, PROTOCOL_UDP } from './ip.ts'
import { FORMAT_ROCE } from './opcodes.ts'
import { writeRocePacket } from './roce-packet.ts'
import { layoutOf } from './services.ts'

/** Opcodes that the standard defines, all but those of reliable datagrams. */
export const OPCODES: readonly number[] = Array.from({ length: 256 }, (_, opcode) => opcode).filter(
  (opcode) => layoutOf(opcode, FORMAT_ROCE).headers !== null && opcode >> 5 !== 2,
)

export interface DrawnFrame {
  readonly bth: BthFields & BthBits
  readonly headers: ExtendedHeaders
  readonly payload: Uint8Array
  readonly frame: RoceFrame
  readonly bytes: Uint8Array
}

export function drawFrame(random: RandomStream, opcodes: readonly number[] = OPCODES): DrawnFrame {
  const opcode = opcodes[random.below(opcodes.length)]!
  const payload = bytesOf(random, layoutOf(opcode, FORMAT_ROCE).mayHavePayload ? random.below(70) : 0)
  const flag = (): boolean => random.below(2) === 1
  const bth = {
    opcode,
    psn: random.below(2 ** 24),
    isAckRequested: flag(),
    isSolicited: flag(),
    // Not that of management datagrams.
    destinationQp: 2 + random.below(2 ** 24 - 2),
    padBytes: -payload.length & 3,
    isMigrated: flag(),
    version: 0,
    partition: random.below(2 ** 16),
    isForwardMarked: flag(),
    isBackwardMarked: flag(),
    reserved6: random.below(64),
    reserved7: random.below(128),
  }
  const headers = headersOf(random, opcode)
  const frame: RoceFrame = {
    link: {
      destination: 2 ** 41 + random.uint32(),
      source: 2 ** 41 + random.uint32(),
      tag: flag() ? { pcp: random.below(8), dei: flag(), vid: random.below(4096) } : null,
    },
    ip: drawIp(random),
    // Below, Wireshark takes it for another protocol's.
    sourcePort: 0xc000 + random.below(2 ** 14),
    destinationPort: ROCE_PORT,
    hasChecksum: flag(),
    packet: writeRocePacket({ bth, headers, payload }),
  }
  return { bth, headers, payload, frame, bytes: writeRoceFrame(frame) }
}

function drawIp(random: RandomStream): IpHeader {
  const common = {
    dscp: random.below(64),
    ecn: random.below(4),
    hopLimit: random.below(256),
    protocol: PROTOCOL_UDP,
  }
  const addresses = (bytes: number): Pick<IpHeader, 'source' | 'destination'> => ({
    source: bytesOf(random, bytes),
    destination: bytesOf(random, bytes),
  })
  return random.below(2) === 0
    ? {
        version: 4,
        ...common,
        ...addresses(4),
        identification: random.below(2 ** 16),
        isUnfragmented: random.below(2) === 1,
      }
    : { version: 6, ...common, ...addresses(16), flowLabel: random.below(2 ** 20) }
}

/** Headers by IBTA table 38, by service and code. */
function headersOf(random: RandomStream, opcode: number): ExtendedHeaders {
  if (opcode === CNP_OPCODE) return {}
  const word = (): number => random.uint32()
  const long = (): bigint => BigInt(word()) * 2n ** 32n + BigInt(word())
  const [service, code] = [opcode >> 5, opcode & 31]
  const has = (...codes: number[]): boolean => codes.includes(code)
  const bit = (name: string): Readonly<Record<string, number>> => (random.below(2) === 0 ? {} : { [name]: 1 })
  return {
    ...(service === 3 && {
      deth: { queueKey: word(), sourceQp: random.below(2 ** 24), ...bit('reserved') },
    }),
    ...(service === 5 && !has(13, 14, 15, 16, 17, 18) && { sharedReceiveQueue: word() }),
    ...(has(6, 10, 11, 12) && { reth: { address: long(), key: word(), lengthBytes: word() } }),
    ...(has(19, 20) && { atomic: { address: long(), key: word(), operand: long(), compare: long() } }),
    ...(has(13, 15, 16, 17, 18) && {
      aeth: { syndrome: random.below(128), msn: random.below(2 ** 24), ...bit('reserved') },
    }),
    ...(code === 18 && { original: long() }),
    ...(has(3, 5, 9, 11) && { immediate: word() }),
    ...(has(22, 23) && { invalidateKey: word() }),
  }
}

export function bytesOf(random: RandomStream, length: number): Uint8Array {
  return Uint8Array.from({ length }, () => random.below(256))
}

/** Offset of the BTH in a frame. */
export function bthAt({ link, ip }: Pick<RoceFrame, 'link' | 'ip'>): number {
  return (link.tag === null ? 14 : 18) + (ip.version === 4 ? 20 : 40) + 8
}

/** Offset of the payload in a frame. */
export function payloadAt({ frame, bth }: DrawnFrame): number {
  return bthAt(frame) + BTH_BYTES + layoutOf(bth.opcode, FORMAT_ROCE).headerBytes
}

export interface PcapOptions {
  readonly isLittle: boolean
  readonly magic: number
  /** Number of the link type, with its upper bits. */
  readonly linkType: number
}

export interface PcapFrame {
  readonly seconds: number
  readonly fraction: number
  readonly bytes: Uint8Array
  readonly sizeBytes?: number
}

export function pcapOf(frames: readonly PcapFrame[], options: Partial<PcapOptions> = {}): Uint8Array {
  const { isLittle = true, magic = 0xa1b2c3d4, linkType = 1 } = options
  const file = new Uint8Array(24 + frames.reduce((sum, { bytes }) => sum + 16 + bytes.length, 0))
  const view = new DataView(file.buffer)
  view.setUint32(0, magic, isLittle)
  view.setUint16(4, 2, isLittle)
  view.setUint16(6, 4, isLittle)
  view.setUint32(16, 65_535, isLittle)
  view.setUint32(20, linkType, isLittle)
  let at = 24
  for (const { seconds, fraction, bytes, sizeBytes = bytes.length } of frames) {
    ;[seconds, fraction, bytes.length, sizeBytes].forEach((word, i) => view.setUint32(at + 4 * i, word, isLittle))
    file.set(bytes, at + 16)
    at += 16 + bytes.length
  }
  return file
}

/** Parts of the frame in which a packet was; null: the capture has no Ethernet header, or a tag that writers do not know. */
export function roceFrameOf(packet: DissectedRoce): RoceFrame | null {
  const { ethernet, serviceTag, ip, sourcePort, hasChecksum } = packet
  if (ethernet === null || serviceTag !== null) return null
  const { etherType: _type, ...link } = ethernet
  return { link, ip, sourcePort, destinationPort: ROCE_PORT, hasChecksum, packet: packet.packet }
}
