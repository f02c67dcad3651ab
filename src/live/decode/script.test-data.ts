/** Small captures for tests: packets of one connection, 10 us apart, as they pass between two hosts. */
import {
  type CaptureFacts,
  type CaptureRecord,
  type ExtendedHeaders,
  PLAIN_BITS,
  writeCnp,
  writeMacControl,
  writePcapng,
  writeRoceFrame,
  writeRocePacket,
} from '../../core/wire/index.ts'
import type { Decoded } from './decoded.ts'
import { Decoder, type DecoderOptions } from './decoder.ts'

export const FACTS: CaptureFacts = {
  format: 'pcapng',
  interfaces: ['a'],
  startNs: 0n,
  recordCount: 0,
  unreadable: new Map(),
  lostByCapture: null,
  damage: null,
}

interface Options {
  readonly bytes?: number
  readonly ecn?: number
  readonly dscp?: number
  readonly isAckRequested?: boolean
  readonly qp?: number
  readonly sourcePort?: number
  readonly identification?: number
  readonly isDamaged?: boolean
}

const UNDEFINED = 0x1c
const STEP_PS = 10e6
const ADDRESS = { a: Uint8Array.of(10, 0, 0, 1), b: Uint8Array.of(10, 0, 0, 2) }
const QP = { a: 18, b: 17 }

export class Script {
  readonly records: CaptureRecord[] = []
  #nowPs = 0
  #identification = 1
  #port = 0

  wait(ps: number): this {
    this.#nowPs += ps
    return this
  }

  /** Frames from here on are of another interface. */
  at(port: number): this {
    this.#port = port
    return this
  }

  /** A WRITE of one packet. */
  write(psn: number, options: Options = {}): this {
    const bytes = options.bytes ?? 256
    return this.request(10, psn, { reth: { address: 4096n, key: 7, lengthBytes: bytes } }, { bytes, ...options })
  }

  read(psn: number, lengthBytes: number): this {
    return this.request(12, psn, { reth: { address: 4096n, key: 7, lengthBytes } }, { bytes: 0 })
  }

  atomic(psn: number, address = 4096n): this {
    return this.request(20, psn, { atomic: { address, key: 7, operand: 1n, compare: 0n } }, { bytes: 0 })
  }

  ack(psn: number, msn = 1, syndrome = 0x1f): this {
    return this.answer(17, psn, { aeth: { syndrome, msn } })
  }

  request(opcode: number, psn: number, headers: ExtendedHeaders = {}, options: Options = {}): this {
    return this.#packet('a', opcode, psn, headers, { bytes: 1024, ...options })
  }

  answer(opcode: number, psn: number, headers: ExtendedHeaders = {}, options: Options = {}): this {
    return this.#packet('b', opcode, psn, headers, { bytes: 0, ...options })
  }

  cnp(): this {
    return this.#frame('b', writeCnp(QP.a), {})
  }

  pause(quanta: number): this {
    const bytes = writeMacControl({ kind: 'pfc', source: 5, vector: 8, quanta: [0, 0, 0, quanta] })
    return this.#record(bytes)
  }

  /** The last frame once more, as it is. */
  copy(): this {
    return this.copyOf(1)
  }

  /** The frame that came this many before. */
  copyOf(before: number): this {
    return this.#record(this.records.at(-before)!.bytes)
  }

  decoded(options: DecoderOptions = {}, facts: Partial<CaptureFacts> = {}): Decoded {
    const decoder = new Decoder(options)
    for (const record of this.records) decoder.add(record)
    return decoder.end({ ...FACTS, ...facts })
  }

  /** As a pcapng file. */
  file(): Uint8Array {
    const one = { name: 'a', rateBps: 0, snapBytes: 0, fcsBytes: 0, seen: 0, leftOut: 0 }
    return writePcapng({ application: '', comment: '', interfaces: [one] }, this.records.length, (i) => ({
      ...this.records[i]!,
      direction: 'in',
    }))
  }

  /** "capture-loss-after 5": findings with their PSNs. */
  story(facts: Partial<CaptureFacts> = {}, options: DecoderOptions = {}): string[] {
    return this.decoded(options, facts).findings.map(({ id, values }) => {
      const psn = values['psn']
      return `${id.replace('capture-', '')}${typeof psn === 'string' ? ` ${Number.parseInt(psn, 16)}` : ''}`
    })
  }

  #packet(from: 'a' | 'b', opcode: number, psn: number, headers: ExtendedHeaders, options: Options): this {
    const { bytes = 0, isAckRequested = true, qp = QP[from === 'a' ? 'b' : 'a'] } = options
    // An opcode that does not exist cannot be written: its place is taken by SEND Only.
    const fields = {
      opcode: opcode >= UNDEFINED ? 4 : opcode,
      psn,
      isAckRequested,
      isSolicited: false,
      destinationQp: qp,
      padBytes: -bytes & 3,
    }
    const packet = writeRocePacket({ bth: { ...PLAIN_BITS, ...fields }, headers, payload: new Uint8Array(bytes) })
    packet[0] = opcode
    return this.#frame(from, packet, options)
  }

  #frame(from: 'a' | 'b', packet: Uint8Array, options: Options): this {
    const { ecn = 2, dscp = 26, sourcePort = 50_000, isDamaged = false } = options
    const ip = {
      version: 4 as const,
      source: ADDRESS[from],
      destination: ADDRESS[from === 'a' ? 'b' : 'a'],
      dscp,
      ecn,
      hopLimit: 64,
      protocol: 17,
      identification: options.identification ?? this.#identification++,
      isUnfragmented: true,
    }
    const link = { source: 1, destination: 2, tag: null }
    const bytes = writeRoceFrame({ link, ip, sourcePort, destinationPort: 4791, hasChecksum: false, packet })
    if (isDamaged) bytes[bytes.length - 1]! ^= 0xff
    return this.#record(bytes)
  }

  #record(bytes: Uint8Array): this {
    const record = { port: this.#port, link: 'ethernet' as const, timePs: this.#nowPs, sizeBytes: bytes.length }
    this.records.push({ ...record, bytes: bytes.slice(), hasCrcError: false, comment: '' })
    this.#nowPs += STEP_PS
    return this
  }
}
