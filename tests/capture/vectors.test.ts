/**
 * Recorded frames, made with an independent packet library: their fields and ICRC are read, and the frames composed again
 * from what was read, byte by byte. The file is ../shared/vectors/vectors-open.json beside the project; ROCELAB_VECTORS
 * names another one.
 */
import { existsSync, readFileSync } from 'node:fs'
import path from 'node:path'
import { describe, expect, test } from 'vitest'
import { readBth, writeBth } from '../../src/core/wire/bth.ts'
import { readFrame, type ReadFrame, writeRoceFrame } from '../../src/core/wire/frame.ts'
import { writeMacControl } from '../../src/core/wire/mac-control.ts'
import { FORMAT_ROCE } from '../../src/core/wire/opcodes.ts'
import { readHeaders, writeHeaders } from '../../src/core/wire/rc-headers.ts'
import { VerbsPacket } from '../../src/core/verbs/packet.ts'

/** Fields of a header; which, differs by header. */
type Header = Record<string, number>

interface Vector {
  readonly name: string
  readonly kind: 'rocev2' | 'pfc' | 'pause'
  readonly icrc_ok?: boolean
  readonly icrc_wire_hex?: string
  readonly frame_hex: string
  readonly fields: {
    readonly eth: { readonly dst: string; readonly src: string }
    readonly ip: Header & { readonly src: string; readonly dst: string }
    readonly udp: { readonly src_port: number; readonly dst_port: number; readonly checksum: 'zero' | 'computed' }
    readonly bth: Header
    readonly aeth?: Header
    readonly reth?: Header
    readonly atomiceth?: Header
    readonly immdt?: Header
    readonly ieth?: Header
    readonly payload_hex: string
    readonly class_enable?: number
    readonly quanta?: readonly number[]
  }
}

const root = path.resolve(import.meta.dirname, '../..')
const FILE = process.env['ROCELAB_VECTORS'] ?? path.join(root, '../shared/vectors/vectors-open.json')
const isThere = existsSync(FILE)
if (!isThere) console.warn('recorded frames: skipped, there is no file of vectors (ROCELAB_VECTORS names one)')
const vectors = isThere ? (JSON.parse(readFileSync(FILE, 'utf8')) as { vectors: Vector[] }).vectors : []

const hexOf = (bytes: Uint8Array): string => Buffer.from(bytes).toString('hex')
const bytesOf = (hex: string): Uint8Array => Uint8Array.from(Buffer.from(hex, 'hex'))
const macOf = (address: number): string => address.toString(16).padStart(12, '0').match(/../g)!.join(':')
const addressOf = (bytes: Uint8Array): string => (bytes.length === 4 ? bytes.join('.') : hexOf(bytes))

/** An IPv6 address as 32 digits. */
function digitsOf(text: string): string {
  if (!text.includes(':')) return text
  const [head = '', tail = ''] = text.split('::')
  const groups = (part: string): string[] => (part === '' ? [] : part.split(':').map((group) => group.padStart(4, '0')))
  const [first, last] = [groups(head), groups(tail)]
  return [...first, ...Array.from({ length: 8 - first.length - last.length }, () => '0000'), ...last].join('')
}

type Roce = Extract<ReadFrame, { kind: 'roce' }>

const roce = vectors.filter(({ kind }) => kind === 'rocev2')
/** Frames of which something was changed afterwards have other fields than were asked for. */
const isAsMade = ({ name }: Vector): boolean => !/^(?:still|in)valid/.test(name)
const made = roce.filter(isAsMade)

describe.skipIf(!isThere)('recorded frames', () => {
  test('are 73, of which 69 are RoCEv2', () => {
    expect([vectors.length, roce.length]).toEqual([73, 69])
  })

  test.each(roce)('$name: its ICRC is right or wrong as recorded', ({ frame_hex, icrc_ok, icrc_wire_hex }) => {
    const frame = readFrame(bytesOf(frame_hex)) as Roce
    expect([frame.kind, frame.isIcrcRight]).toEqual(['roce', icrc_ok])
    expect(Buffer.from(Uint32Array.of(frame.icrc).buffer).toString('hex')).toBe(icrc_wire_hex)
  })

  test.each(made)('$name: is read as it was made', ({ fields, frame_hex }) => {
    const frame = readFrame(bytesOf(frame_hex)) as Roce
    const { eth, ip, udp, bth } = fields
    expect([macOf(frame.link.destination), macOf(frame.link.source)]).toEqual([eth.dst, eth.src])
    const { version, dscp, ecn, hopLimit } = frame.ip
    expect({ version, dscp, ecn }).toEqual({ version: ip['version'], dscp: ip['dscp'], ecn: ip['ecn'] })
    expect(hopLimit).toBe(ip['ttl'] ?? ip['hop_limit'])
    expect([addressOf(frame.ip.source), addressOf(frame.ip.destination)]).toEqual([ip.src, ip.dst].map(digitsOf))
    expect([frame.sourcePort, frame.destinationPort]).toEqual([udp.src_port, udp.dst_port])
    expect(frame.hasChecksum).toBe(udp.checksum === 'computed')
    expect(readBth(new DataView(frame.packet.buffer), 0)).toEqual({
      opcode: bth['opcode'],
      psn: bth['psn'],
      isAckRequested: bth['ackreq'] === 1,
      isSolicited: bth['se'] === 1,
      destinationQp: bth['destqp'],
      padBytes: bth['padcnt'],
      isMigrated: bth['migreq'] === 1,
      version: bth['tver'],
      partition: bth['pkey'],
      isForwardMarked: bth['fecn'] === 1,
      isBackwardMarked: bth['becn'] === 1,
      reserved6: bth['resv6'],
      reserved7: bth['resv7'],
    })
  })

  test.each(made)('$name: is composed again, to the last bit', ({ frame_hex }) => {
    const frame = readFrame(bytesOf(frame_hex)) as Roce
    const packet = new Uint8Array(frame.packet)
    const bth = readBth(new DataView(packet.buffer), 0)!
    packet.fill(0, 0, 12)
    writeBth(new DataView(packet.buffer), 0, bth, bth)
    expect(hexOf(writeRoceFrame({ ...frame, packet }))).toBe(frame_hex)
  })

  const reliable = made.filter(({ fields }) => fields.bth['opcode']! < 32)
  test.each(reliable)('$name: its headers after the BTH are read', ({ fields, frame_hex }) => {
    const { packet } = readFrame(bytesOf(frame_hex)) as Roce
    const bth = readBth(new DataView(packet.buffer), 0)!
    // The reader of headers takes packets of the default partition only.
    writeBth(new DataView(packet.buffer), 0, bth)
    const read = new VerbsPacket(0)
    const end = readHeaders(new DataView(packet.buffer), 0, FORMAT_ROCE, read)
    const { aeth, reth, atomiceth, immdt, ieth, payload_hex } = fields
    expect(hexOf(packet.subarray(end, packet.length - bth.padBytes))).toBe(payload_hex)
    const pairs = [
      [read.syndrome, aeth === undefined ? undefined : aeth['syndrome']! & 0x7f],
      [read.msn, aeth?.['msn']],
      [read.key, reth?.['rkey'] ?? atomiceth?.['rkey']],
      [read.lengthBytes, reth?.['dmalen']],
      [read.immediate, immdt?.['imm']],
      [read.invalidateKey, ieth?.['rkey']],
    ].filter(([, wanted]) => wanted !== undefined)
    expect(pairs.map(([got]) => got)).toEqual(pairs.map(([, wanted]) => wanted))
  })

  /** Addresses from 2^53 on and the reserved bit of a syndrome are not kept. */
  const isKept = ({ fields: { aeth, reth, atomiceth } }: Vector): boolean =>
    (aeth?.['syndrome'] ?? 0) < 0x80 && (reth?.['va'] ?? atomiceth?.['va'] ?? 0) < 2 ** 53
  test.each(reliable.filter(isKept))('$name: its headers after the BTH are written', ({ frame_hex }) => {
    const { packet } = readFrame(bytesOf(frame_hex)) as Roce
    const bth = readBth(new DataView(packet.buffer), 0)!
    writeBth(new DataView(packet.buffer), 0, bth)
    const read = new VerbsPacket(0)
    const end = readHeaders(new DataView(packet.buffer), 0, FORMAT_ROCE, read)
    const written = new Uint8Array(packet).fill(0, 0, end)
    writeHeaders(new DataView(written.buffer), 0, FORMAT_ROCE, read)
    expect(hexOf(written)).toBe(hexOf(packet))
  })

  test.each(vectors.filter(({ kind }) => kind !== 'rocev2'))('$name: is read and written', ({ fields, frame_hex }) => {
    const frame = readFrame(bytesOf(frame_hex)) as Extract<ReadFrame, { kind: 'mac-control' }>
    expect(frame.kind).toBe('mac-control')
    const { control } = frame
    expect(macOf(control.source)).toBe(fields.eth.src)
    expect(hexOf(writeMacControl(control))).toBe(frame_hex)
    const quanta = control.kind === 'pfc' ? [control.vector, control.quanta] : [undefined, undefined]
    expect(quanta).toEqual([fields.class_enable, fields.quanta])
  })
})
